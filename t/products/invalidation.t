# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# route: POST /products/batch
# Every way to write a product invalidates the cached responses that it changes: the product's own and those of the lists.
use CatalogTest;
use CatalogTest::Ctl qw(command_for run);
use CatalogTest::Move qw(product product_id write_file);
use Time::HiRes qw(sleep);

use constant OLD => 'an old product';

my $is_file = driver eq 'sqlite3';
my $status = qq(<Location "/server-status">\n    SetHandler server-status\n</Location>);
# Only on SQLite does the server notice another program's writes at once; elsewhere after CatalogCacheMaxAge.
my $server = server(conf => $status, mount => $is_file ? '' : 'CatalogCacheMaxAge 3600')->start;
my %token = (token => forge());
my @lists = map { "/products?$_" } 'limit=50', 'limit=50&page=1', 'limit=50&cursor=';

sub hits { return $server->api(GET => '/server-status?auto', mount => '')->{body} =~ /^CatalogCacheHits: (\d+)/m ? $1 : die 'no count' }
sub ask { return $server->api(GET => $_[0]) }
sub id_of { return $_[0]{json}{data}{id} }
sub create { return id_of($server->api(POST => '/products', { name => $_[0], price => 1 }, %token)) }

# Reads each path until the answer comes from the cache.
sub cache_all {
    for my $path (@_) {
        my $before = hits();
        ask($path) for 1 .. 4;
        ok(wait_until(10, sub { ask($path); hits() > $before }), "$path is cached");
    }
}

# The product's name as clients see it, on its own path and in each list; undef: it is absent.
sub names_of {
    my ($id) = @_;
    my @shown = map { my ($found) = grep { $_->{id} eq $id } @{ ask($_)->{json}{data} }; $found && $found->{name} } @lists;
    my $own = ask("/products/$id");
    return [$own->{status} == 200 ? $own->{json}{data}{name} : undef, @shown];
}

# write: writes the product; returns the id of a new one.
sub is_new_after {
    my ($way, $write, $id, $name) = @_;
    cache_all(@lists, $id ? "/products/$id" : ());
    my $new = $write->($id) // $id;
    return is_deeply(names_of($new), [($name) x (1 + @lists)], "$way: all later answers have the new state");
}

my $if_match = sub { return (headers => { 'If-Match' => ask("/products/$_[0]")->{headers}{etag} }) };
my $id = create(OLD);
is_new_after('POST', sub { create('posted') }, undef, 'posted');
is_new_after('PUT', sub { answers($server->api(PUT => "/products/$_[0]", { name => 'put' }, %token), 200); return }, $id, 'put');
is_new_after('PUT with If-Match',
    sub { answers($server->api(PUT => "/products/$_[0]", { name => 'matched' }, %token, $if_match->($_[0])), 200); return }, $id, 'matched');
is_new_after('DELETE', sub { answers($server->api(DELETE => "/products/$_[0]", undef, %token), 200); return }, $id, undef);
is_new_after('DELETE with If-Match',
    sub { answers($server->api(DELETE => "/products/$_[0]", undef, %token, $if_match->($_[0])), 200); return }, create(OLD), undef);
my $batch = sub {
    my $r = $server->api(POST => '/products/batch', { operations => [@_] }, %token);
    answers($r, 200);
    return $r->{json}{results}[-1]{data}{id};
};
my ($one, $two) = (create(OLD), create(OLD));
is_new_after('a batch that creates', sub { $batch->(map { { op => 'create', body => { name => $_, price => 1 } } } 'first', 'last') },
    undef, 'last');
is_new_after('a batch that updates', sub { $batch->(map { { op => 'update', id => $_, body => { name => 'both' } } } $one, $two) }, $one, 'both');
is_new_after('a batch that deletes', sub { $batch->(map { { op => 'delete', id => $_ } } $one, $two); return }, $two, undef);
is_deeply(names_of($one), [(undef) x (1 + @lists)], 'a batch that deletes: the other product is gone, too');
if ($is_file) {
    my $imported = product_id(1);
    my @lines = (product(1) =~ s/"name":"[^"]*"/"name":"imported"/r);
    my $file = slurp(write_file(scratch() . '/lines', sub { shift @lines }));
    is_new_after('catalogctl import', sub {
        is(run({ in => $file }, command_for($server), 'import')->{status}, 0, 'the import succeeds');
        return $imported;
    }, undef, 'imported');
}

done_testing;
