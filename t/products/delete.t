# SPDX-License-Identifier: Apache-2.0
# route: DELETE /products/:id
use CatalogTest;
use CatalogTest::Ids qw(twin_of);

my $token = token();
my $unknown = { success => false, message => qr/product not found/i };

sub made { '/products/' . api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id} }

my $path = made();
answers(api(DELETE => $path), 401, refusal(error => qr/./), 'a deletion without a token is refused');
answers(api(GET => $path), 200, undef, 'the refused deletion deletes nothing');
answers(api(DELETE => $path, token => $token), 200, { success => true, message => qr/./ }, 'the product is deleted');
answers(api(GET => $path), 404, $unknown, 'the product no longer exists');
answers(api(DELETE => $path, token => $token), 404, $unknown, 'a second deletion gets a 404');
answers(api(PUT => $path, { price => 1 }, token => $token), 404, $unknown, 'an update of the deleted product gets a 404');

$path = made();
answers(api(DELETE => "$path/", token => $token), 200, { success => true, message => qr/./ },
    'a trailing slash is accepted');
$path = made();
answers(api(DELETE => $path, 'a body { that is not asked for', token => $token), 200,
    { success => true, message => qr/./ }, 'a body is ignored');
$path = made();
answers(api(DELETE => $path, token => $token, headers => { 'Content-Type' => 'text/plain' }), 200, undef,
    'the type of a body is ignored');

my ($there) = made() =~ m{([^/]+)\z};
my @unknown = (twin_of($there), '01a1fd8d-47a8-77ac-9778-38d2c78c295b', '1', '%27', 'x' x 300);
answers(api(DELETE => "/products/$_", token => $token), 404, $unknown, 'id ' . substr $_, 0, 40) for @unknown;
answers(api(GET => "/products/$there"), 200, undef, 'a product with the same number is left');

done_testing;
