# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: GET /products/export
# route: GET /categories
# CatalogVisible with conditions on fields of the shop's own, which readers need not see.
use CatalogTest;

my $server = server(mount => <<'END')->start;
CatalogWriteRole editor
CatalogField   published boolean index private default=false
CatalogField   sku       string  unique
CatalogField   tags      strings index facet
CatalogField   weight    number  index
CatalogVisible "published=true&tags[in]=shop,outlet"
END
my $writer = forge(claims => claims(role => 'editor'));

sub get { my ($path, @more) = @_; return $server->api(GET => $path, @more) }
sub names { my ($path, @more) = @_; return join ' ', map { $_->{name} } @{ get($path, @more)->{json}{data} } }
sub put { my ($id, %changes) = @_; return $server->api(PUT => "/products/$id", \%changes, token => $writer) }

my %made;
for ([one => published => true, tags => ['shop']], [two => published => false, tags => ['shop']], [three => published => true, tags => ['store', 'outlet'], weight => 2],
    [four => published => true], [five => published => true, tags => ['store']]) {
    my ($name, %own) = @$_;
    $made{$name} = $server->api(POST => '/products', { name => $name, price => 1, category => $name, sku => $name, %own }, token => $writer)->{json}{data};
}

for my $round (1, 2) {
    is(names('/products'), 'three one', "the list of readers, round $round");
    is(names('/products', token => $writer), 'five four three two one', 'that of writers');
    is_deeply([map { get("/products/$made{$_}{id}")->{status} } qw(one two three four five)], [200, 404, 200, 404, 404], 'one product');
    is_deeply([map { get("/products/sku=$_")->{status} } qw(one two three four five)], [200, 404, 200, 404, 404], 'one by its name');
    is(join(' ', map { $_->{category} } @{ get('/categories')->{json}{data} }), 'one three', 'categories');
}
unlike(join('', map { get($_)->{body} } '/products', "/products/$made{one}{id}", '/products/export', '/fields', '/openapi.json'), qr/published/, 'nothing tells of the private field');
is_deeply(get('/products?count=exact&facets=tags')->{json}{pagination}{total}, 2, 'the total');
is(names('/products?weight[gt]=1'), 'three', 'with conditions of the client');
is(names('/products?tags=shop&sort=-name'), 'one', 'on the same field');
is(names('/products?sort=weight'), 'one three', 'in an order of its own');
is(join(' ', get('/products/export')->{body} =~ /"name":"(\w+)"/g), 'three one', 'an export');
put($made{two}{id}, published => true);
put($made{one}{id}, tags => ['store']);
is(names('/products'), 'three two', 'a change shows and hides');
is_deeply([map { get("/products/$made{$_}{id}")->{status} } qw(one two)], [404, 200], 'at once');

done_testing;
