# SPDX-License-Identifier: Apache-2.0
# route: DELETE /products/:id
use CatalogTest;

my $token = token();
my $unknown = { success => false, message => qr/product not found/i };

sub made { '/products/' . api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id} }

my $path = made();
answers(api(DELETE => $path), 401, refusal(error => qr/./), 'no token');
answers(api(GET => $path), 200, undef, 'it is still there');
answers(api(DELETE => $path, token => $token), 200, { success => true, message => qr/./ }, 'it is deleted');
answers(api(GET => $path), 404, $unknown, 'the product no longer exists');
answers(api(DELETE => $path, token => $token), 404, $unknown, 'it cannot be deleted twice');
answers(api(PUT => $path, { price => 1 }, token => $token), 404, $unknown, 'nor be changed');

$path = made();
answers(api(DELETE => "$path/", token => $token), 200, { success => true, message => qr/./ },
    'a trailing slash is the same route');
$path = made();
answers(api(DELETE => $path, 'a body { that is not asked for', token => $token), 200,
    { success => true, message => qr/./ }, 'a body is not read');
$path = made();
answers(api(DELETE => $path, token => $token, headers => { 'Content-Type' => 'text/plain' }), 200, undef,
    'nor is its type');

my @unknown = ('01a1fd8d-47a8-77ac-9778-38d2c78c295b', '1', '%27', 'x' x 300);
answers(api(DELETE => "/products/$_", token => $token), 404, $unknown, 'id ' . substr $_, 0, 40) for @unknown;

done_testing;
