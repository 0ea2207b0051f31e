# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# case: 56
use CatalogTest;
use CatalogTest::Ids qw(twin_of);

my $product = api(POST => '/products', { name => 'Kettle', price => 1, rating => 3 }, token => token())->{json}{data};
my $id = $product->{id};
my $unknown = { success => false, message => qr/product not found/i };

answers(api(GET => "/products/$id"), 200, { success => true, data => $product }, 'a product is served');
answers(api(GET => "/products/$id/"), 200, { success => true, data => $product }, 'a trailing slash is accepted');
answers(api(GET => "/products/$id?page=2&x"), 200, { success => true, data => $product },
    'a query is ignored');
answers(api(GET => "/products/$id", token => 'nonsense'), 200, { success => true, data => $product },
    'an invalid token is ignored, as the route is open');

my $head = api(HEAD => "/products/$id");
my $get = api(GET => "/products/$id");
answers($head, 200, '', 'HEAD has no body', 'content-type' => 'application/json',
    'content-length' => length $get->{body});

# An id without a product: 404 with a message and nothing else.
my @ids = (
    '01a1fd8d-47a8-77ac-9778-38d2c78c295b', twin_of($id), 'ffffffff-ffff-7fff-bfff-ffffffffffff', # well formed
    substr($id, 0, 35), "${id}0", $id =~ tr/-//dr, "%20$id", "$id%20", "$id%0a", "$id%0D%0A", "$id;y=1",
    "$id'--", "$id,$id",
    "'", '%27', '%25', '%25s', '_', '*', '%ff', '%0a', '%C3%BC', '%F0%9F%AB%96', '%c0%af', '1', '-1', '0', 'null',
    'x' x 300, 'x' x 4000,
    "'%20OR%20'1'='1", '%5C', '..%5c', ';y=1', '...', '%7f', '%01',
);
answers(api(GET => "/products/$_"), 404, $unknown, 'id ' . substr $_, 0, 60) for @ids;

done_testing;
