# SPDX-License-Identifier: Apache-2.0
# Who may add, arrange, delete and read pictures: nobody, a user, an editor, an administrator; and pictures of products that readers do not see.
use CatalogTest;
use CatalogTest::Image qw(png);

my $server = server(mount => <<'END')->start;
CatalogWriteRole  editor
    CatalogImages     On
    CatalogImageCache "@dir@/data"
    CatalogVisible    "inStock=true"
END
my %token = (map({ $_ => forge(claims => claims(role => $_)) } qw(user editor admin)), nobody => undef);
my @who = qw(nobody user editor admin);

sub as { my ($who, $method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token{$who}) }
sub add { my ($who, $product) = @_; return as($who, POST => "/products/$product/images", png(40, 30), headers => { 'Content-Type' => 'image/png' }) }
sub statuses { my ($do) = @_; return join ' ', map { $do->($_)->{status} } @who }

my ($shown, $hidden) = map { as('admin', POST => '/products', { name => 'Kettle', price => 1, inStock => $_ })->{json}{data}{id} } true, false;
for my $case ([$shown, 'a product'], [$hidden, 'one that readers do not see']) {
    my ($id, $name) = @$case;
    is(statuses(sub { add($_[0], $id) }), '401 403 201 201', "a picture of $name is added by those who may write");
    my @pictures = @{ as('admin', GET => "/products/$id")->{json}{data}{images} };
    is(scalar @pictures, 2, 'two are there');
    is(statuses(sub { as($_[0], PATCH => "/products/$id", { images => [reverse @pictures] }) }), '401 403 200 200', 'they arrange them');
    is(statuses(sub { as($_[0], GET => "/products/$id") }), $id eq $shown ? '200 200 200 200' : '404 404 200 200', 'who sees the product sees their addresses');
    is(statuses(sub { as($_[0], GET => "/images/$pictures[0]{id}-40.webp") }), '200 200 200 200', 'everybody who knows an address can read it');
    is(as('nobody', GET => "/images/$pictures[0]{id}-40.webp")->{headers}{vary}, undef, 'and gets the same');
    is(statuses(sub { as($_[0], DELETE => "/products/$id/images/$pictures[$_[0] eq 'admin']{id}") }), '401 403 200 200', 'they delete them');
}
my $kept = add('editor', $hidden)->{json}{data};
is(join(' ', map { my $who = $_; scalar grep { $_->{images} } @{ as($who, GET => '/products')->{json}{data} } } @who), '0 0 1 1', 'lists show pictures of what they show');
is($server->api(GET => "/images/$kept->{id}-40.webp", undef, headers => { Authorization => 'Bearer x' })->{status}, 200, 'a token is not looked at');

done_testing;
