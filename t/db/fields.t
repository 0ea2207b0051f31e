# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# again: db
# Servers of one database with different lines of CatalogField, and lines that contradict what the database has.
use CatalogTest;

my $first = server(mount => qq(CatalogField weight number index\nCatalogField tags strings index\nCatalogField color choice values="red|blue" index))->start;
my $token = register($first)->{token};
my $db = $first->database;

# Another server of the same database. The key of the first one is its own, so it has its own tokens.
sub beside { my ($lines) = @_; return server(mount => $lines, conf => 'DBDParams "' . $first->params . "\"\n") }
sub made { my ($server, $token, %product) = @_; return $server->api(POST => '/products', { name => 'cup', price => 1, %product }, token => $token)->{json}{data}{id} }
sub keys_of {
    my ($id) = @_;
    return join ' ', map { "$_->[0]=$_->[1]" } @{ $db->selectall_arrayref('SELECT f.name, k.value_key FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE k.id = ? ORDER BY f.number, k.value_key', undef, $id) };
}
sub definitions { return join ' | ', map { join ' ', @$_ } @{ $db->selectall_arrayref('SELECT number, name, definition, complete FROM catalog_fields ORDER BY number') } }

my $id = made($first, $token, weight => 1, tags => ['a'], color => 'blue');
is(definitions(), '1 weight number index 1 | 2 tags strings index 1 | 3 color choice values="red|blue" index 1', 'the database knows the fields');

# ---- a server without the lines ----

my $bare = beside('')->start;
my $other = register($bare)->{token};
is($bare->api(GET => "/products/$id")->{json}{data}{weight}, undef, 'a server without the lines hides the fields');
answers($bare->api(PUT => "/products/$id", { name => 'pot', price => 2 }, token => $other), 200, undef, 'it changes the product');
is_deeply([@{ $first->api(GET => "/products/$id")->{json}{data} }{qw(name weight color)}], ['pot', 1, 'blue'], 'and keeps the values');
is(keys_of($id), 'weight=bff0000000000000 tags=a color=01', 'with their keys');
my $second = made($bare, $other);
is(keys_of($second), 'weight= color=', 'what it creates has keys in the orders of the others');
answers($bare->api(DELETE => "/products/$second", undef, token => $other), 200, undef, 'it deletes a product');
is(keys_of($second), '', 'with all its keys');

# ---- a server with other lines ----

my $more = beside(qq(CatalogField size integer index min=1\nCatalogField tags strings index facet\nCatalogField color choice values="red|blue|green" index))->start;
my $third = register($more)->{token};
answers($more->api(PUT => "/products/$id", { size => 4, color => 'green' }, token => $third), 200, undef, 'a server with other lines sets its own field');
is_deeply([@{ $more->api(GET => "/products/$id")->{json}{data} }{qw(size tags color weight)}], [4, ['a'], 'green', undef], 'and shows its own ones');
answers($more->api(PUT => "/products/$id", { color => 'blue' }, token => $third), 200, undef, 'and takes a choice that all have');
ok(wait_until(60, sub { definitions() eq '1 weight number index 1 | 2 tags strings facet 1 | 3 color choice values="red|blue|green" index 1 | 4 size integer index 1' }),
    'the database knows what both want') or diag(definitions());
answers($first->api(PUT => "/products/$id", { weight => 3 }, token => $token), 200, undef, 'the first server goes on');
is($more->api(GET => "/products/$id")->{json}{data}{size}, 4, 'and keeps what the other has set');
ok(wait_until(10, sub { made($first, $token, weight => 2) && definitions() =~ /facet/ }), 'it takes no option away');

# case: choices that only one of them has
my $purple = beside(qq(CatalogField color choice values="purple|red" index))->start;
is($purple->api(POST => '/products', { name => 'x', price => 1, color => 'purple' }, token => register($purple)->{token})->{status}, 201, 'a server adds a choice of its own');
like(definitions(), qr/color choice values="purple\|red\|blue\|green" index/, 'and takes none away');
is($more->api(POST => '/products', { name => 'x', price => 1, color => 'green' }, token => $third)->{status}, 201, 'the other one goes on');
like(definitions(), qr/color choice values="purple\|red\|blue\|green" index/, 'and changes nothing');

# case: the same choices in another order
my $turned = beside(qq(CatalogField color choice values="green|blue|red|purple" index))->start;
is($turned->api(POST => '/products', { name => 'x', price => 1, color => 'blue' }, token => register($turned)->{token})->{status}, 201, 'a server has the choices in another order');
like(definitions(), qr/color choice values="purple\|red\|blue\|green" index/, 'the database keeps its own');
my $sorted = wait_until(60, sub { my $r = $turned->api(GET => '/products?sort=color&color[exists]=true&fields=color'); $r->{status} == 200 && $r->{json}{data} }) // [];
is(join(' ', map { $_->{color} } @$sorted), 'purple blue blue green', 'in which lists are');

# case: more names than one mount may have fields
$db->do(q(INSERT INTO catalog_fields (number, name, definition, complete, created_at, id, filled) VALUES (?, ?, 'string', 1, 0, '', 0)), undef, 100 + $_, "old$_") for 1 .. 70;
sleep 2; # longer than a server takes what it has read for new
is($more->api(POST => '/products', { name => 'x', price => 1, size => 2 }, token => $third)->{status}, 201, 'names that no line has any more are no hindrance');

# ---- a line that contradicts the database ----

expect_log(qr/CAT088: .*: the database has the field weight with the type number; write: CatalogField weight number/);
my $wrong = beside('CatalogField weight string index');
allow_log(qr/CAT088/);
$wrong->start;
my $refused = $wrong->api(POST => '/products', { name => 'x', price => 1 }, token => register($wrong)->{token});
answers($refused, 503, undef, 'a server that has another type for a field does not write products');
answers($wrong->api(GET => "/products/$id"), 200, undef, 'it reads them');
$wrong->stop;
my $spelled = beside('CatalogField Weight number index')->start;
answers($spelled->api(POST => '/products', { name => 'x', price => 1 }, token => register($spelled)->{token}), 503, undef, 'nor one that spells its name in another case');

done_testing;
