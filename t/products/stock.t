# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# case: 4
# Totals of products in stock, which counters know.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);

my $server = server(mount => 'CatalogCountLimit 3')->start;
my $token = register($server)->{token};
my @ids = map { made("p$_", $_ % 2 ? 'odd' : 'even', $_ % 4 ? true : false) } 1 .. 16;

sub made {
    my ($name, $category, $in_stock) = @_;
    return $server->api(POST => '/products', { name => $name, price => 1, category => $category, inStock => $in_stock }, token => $token)->{json}{data}{id};
}

sub totals {
    return join ' ', map { my $p = $server->api(GET => "/products?limit=1&$_")->{json}{pagination}; $p->{total} . ($p->{totalRelation} // '') }
        'inStock=true', 'inStock=false', 'inStock=true&category=even', 'inStock=false&category=even', 'category=odd&inStock=true', 'category=odd&inStock=false',
        'category[in]=even,none,odd', 'category[in]=even,odd&inStock=true', 'category[in]=odd,even&inStock=false';
}

is(totals(), '12 4 4 4 8 0 16 12 4', 'totals of products in stock are exact, beyond CatalogCountLimit too');
is($server->api(GET => '/products?inStock=true&price[gte]=1&limit=1')->{json}{pagination}{totalRelation}, 'gte', 'with another condition they are capped');
is_deeply($server->api(GET => '/products?inStock=false&category=odd')->{json},
    { success => true, data => [], pagination => { page => 1, limit => 10, total => 0, pages => 0 } }, 'there may be none');
is_deeply($server->api(GET => '/products?inStock=false&category=odd&cursor=')->{json}{data}, [], 'by cursor neither');

# case: each kind of write
$server->api(PUT => "/products/$ids[0]", { inStock => false }, token => $token);
is(totals(), '11 5 4 4 7 1 16 11 5', 'an update of inStock');
$server->api(PUT => "/products/$ids[0]", { inStock => false, name => 'the same' }, token => $token);
is(totals(), '11 5 4 4 7 1 16 11 5', 'an update that leaves it');
$server->api(PUT => "/products/$ids[0]", { category => 'even', inStock => true }, token => $token);
is(totals(), '12 4 5 4 7 0 16 12 4', 'an update of both');
$server->api(PUT => "/products/$ids[3]", { category => 'odd' }, token => $token);
is(totals(), '12 4 5 3 7 1 16 12 4', 'an update of the category');
$server->api(DELETE => "/products/$_", undef, token => $token) for @ids[1, 3];
is(totals(), '11 3 4 3 7 0 14 11 3', 'deletions');
$server->api(POST => '/products/batch', { operations => [map { { op => 'create', product => { name => "b$_", price => 1, category => 'even' } } } 1 .. 3] }, token => $token);

# case: writes of many clients at once
$server->burst((map { wire(PUT => "/products/$_", { inStock => false }, token => $token) } @ids[4 .. 11]),
    (map { wire(PUT => "/products/$_", { category => 'odd', inStock => true }, token => $token) } @ids[4 .. 11]),
    (map { wire(DELETE => "/products/$_", undef, token => $token) } @ids[4 .. 7]),
    (map { wire(POST => '/products', { name => 'n', price => 1, category => 'even' }, token => $token) } 1 .. 12));
my $db = $server->database;
sub real { return $db->selectrow_array("SELECT COUNT(*) FROM products WHERE in_stock = $_[0]" . ($_[1] ? " AND category = '$_[1]'" : '')) }
sub real_totals { return join ' ', (map { real(1, $_), real(0, $_) } '', 'even', 'odd'), real(1) + real(0), real(1), real(0) }
is(totals(), real_totals(), 'concurrent writes');
is(problems(ctl_for($server, 'check')), '', 'check finds no problem');

# case: the database says something else
wait_until(60, sub { !$db->selectrow_array('SELECT COUNT(*) FROM product_deltas') });
$db->do(q(UPDATE product_counts SET in_stock = in_stock + 1 WHERE name = 'products'));
$db->do(q(UPDATE category_counts SET in_stock = in_stock + 1 WHERE category = 'even'));
like(problems(ctl_for($server, 'check')), qr/^counts: 2 are wrong; run: catalogctl recount$/, 'check finds wrong counts');
is(ctl_for($server, 'recount')->{status}, 0, 'catalogctl recount counts anew');
is(problems(ctl_for($server, 'check')), '', 'then they are right');
is(totals(), real_totals(), 'and the totals');

done_testing;
