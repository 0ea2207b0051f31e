# SPDX-License-Identifier: Apache-2.0
# CatalogCurrency: who reads prices learns their currency without another request; prices stay numbers.
use CatalogTest;

my $server = server(mount => 'CatalogCurrency EUR')->start;
my $user = register($server);
my $made = $server->api(POST => '/products', { name => 'Teapot', price => 12.5 }, token => $user->{token});
my $id = $made->{json}{data}{id};

sub currency { return $_[0]->{headers}{'catalog-currency'} }

for my $path ('/products', '/products?sort=-price&facets=category', "/products/$id", '/products/no-such-id') {
    is(currency($server->api(GET => $path)), 'EUR', "GET $path names the currency");
    is(currency(api(GET => $path)), undef, "GET $path names none unless it is set");
}
my $product = $server->api(GET => "/products/$id");
is(currency($server->api(GET => "/products/$id", headers => { 'If-None-Match' => $product->{headers}{etag} })), 'EUR', 'a 304 does too');
is($product->{json}{data}{price}, 12.5, 'the price is a number');
is(currency($server->api(GET => '/categories')), undef, 'an answer without prices does not');
is($server->api(GET => '')->{json}{data}{currency}, 'EUR', 'GET of the mount names it');
ok(!exists api(GET => '')->{json}{data}{currency}, 'and has no such field unless it is set');

my $described = $server->api(GET => '/openapi.json')->{json};
is($described->{info}{'x-currency'}, 'EUR', 'the description names it');
ok($described->{paths}{'/products'}{get}{responses}{200}{headers}{'Catalog-Currency'}, 'and describes the header');
ok(!exists api(GET => '/openapi.json')->{json}{info}{'x-currency'}, 'and does not unless it is set');

done_testing;
