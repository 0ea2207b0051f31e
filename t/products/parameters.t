# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# Parameters that mean nothing: ignored and named, or refused.
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};
my $product = $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $token)->{json}{data};
my %strict = (headers => { Prefer => 'handling=strict' });
my @routes = (['/products', $server->api(GET => '/products')->{json}], ["/products/$product->{id}", { success => true, data => $product }]);

# query, what Catalog-Ignored has
my @ignored = (
    ['x=1', 'x'], ['x', 'x'], ['x=', 'x'], ['x=1&x=2', 'x, x'], ['b=1&a=1', 'b, a'], ['x=%zz', 'x'], ['%zz=1', '%25zz'],
    ['%C3%BC=1', '%C3%BC'], ['%ff=1', '%25ff'], ['Fields=name', 'Fields'], ['_=1700000000', '_'], ['a%20b=1', 'a%20b'],
    ['a%2Cb=1', 'a%2Cb'], ['a%0D%0AX:1=1', 'a%0D%0AX%3A1'], ['x' x 100, 'x' x 64],
    [join('&', map { "p$_=1" } 1 .. 30), join ', ', map { "p$_" } 1 .. 20],
);
for my $route (@routes) {
    my ($path, $body) = @$route;
    my %headers = ('preference-applied' => undef);
    answers($server->api(GET => $path), 200, $body, "$path names nothing", %headers, 'catalog-ignored' => undef);
    answers($server->api(GET => "$path?"), 200, $body, "$path? names nothing", %headers, 'catalog-ignored' => undef);
    answers($server->api(GET => "$path?&&=1"), 200, $body, "$path?&&=1 names nothing", %headers, 'catalog-ignored' => undef);
    for (@ignored) {
        my ($query, $names) = @$_;
        answers($server->api(GET => "$path?$query"), 200, $body, "$path?@{[ substr $query, 0, 40 ]} is answered", %headers,
            'catalog-ignored' => $names);
        answers($server->api(GET => "$path?$query", %strict), 400, undef, 'with handling=strict it is refused',
            'preference-applied' => 'handling=strict', 'catalog-ignored' => undef);
    }
    answers($server->api(GET => "$path?y=1&fields=&x=1", %strict), 400, invalid(y => 'unknown', fields => 'unknown', x => 'unknown'),
        'all errors are reported at once');
    answers($server->api(GET => "$path?%C3%BC=1&%ff=1", %strict), 400, invalid("\x{fc}" => 'unknown', '%ff' => 'unknown'),
        'a name need not be ASCII');
    answers($server->api(GET => "$path?fields=name", %strict), 200, undef, 'known parameters pass handling=strict',
        'preference-applied' => 'handling=strict');
    answers($server->api(GET => $path, %strict), 200, $body, 'without parameters nothing is strict', 'preference-applied' => undef);
}
my $r = $server->api(GET => '/products?x=1');
answers($server->api(GET => '/products?x=1', headers => { 'If-None-Match' => $r->{headers}{etag} }), 304, '', 'a 304 names them too',
    'catalog-ignored' => 'x');
answers($server->api(GET => "/products/nothing?x=1"), 404, undef, 'a 404 names them too', 'catalog-ignored' => 'x');
answers($server->api(GET => '/products?page=x&page=y&limit=&limit=5', %strict), 200, undef, 'page and limit stay forgiving');
answers($server->api(GET => '/products?page[]=2&%70age=1', %strict), 400, invalid('page[]' => 'unknown'), 'names are decoded');

my $always = server(mount => 'CatalogStrict On')->start;
answers($always->api(GET => '/products?x=1'), 400, invalid(x => 'unknown'), 'CatalogStrict On refuses them', 'preference-applied' => undef);
answers($always->api(GET => '/products?limit=1'), 200, undef, 'CatalogStrict On accepts known parameters');

done_testing;
