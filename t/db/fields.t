# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# Servers of one database with different lines of CatalogField, and lines that contradict what the database has.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(n_of);

my $first = server(mount => qq(CatalogField weight number index\nCatalogField tags strings index\nCatalogField color choice values="red|blue" index))->start;
my $token = register($first)->{token};
my $db = $first->database;

# Another server of the same database. The key of the first one is its own, so it has its own tokens.
sub beside { my ($lines) = @_; return server(mount => $lines, conf => 'DBDParams "' . $first->params . "\"\n") }
sub made { my ($server, $token, %product) = @_; return $server->api(POST => '/products', { name => 'cup', price => 1, %product }, token => $token)->{json}{data}{id} }
sub keys_of {
    my ($id) = @_;
    return join ' ', map { "$_->[0]=$_->[1]" } @{ $db->selectall_arrayref('SELECT f.name, k.value_key FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE k.n = ? ORDER BY f.number, k.value_key', undef, n_of($id)) };
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
is(keys_of($id), 'weight=bff0000000000000 tags=a color=001', 'with their keys');
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

# ---- choices: each server has some of its own, and an order of its own ----

sub definition { return ($db->selectrow_array(q(SELECT definition FROM catalog_fields WHERE name = 'color' AND complete = 1)) // '') =~ s/.*values="(.*?)".*/$1/r }
sub in_order {
    my ($server) = @_;
    my $r = $server->api(GET => '/products?sort=color&color[exists]=true&limit=100&fields=color');
    my (%seen, @order);
    push @order, grep { !$seen{$_}++ } map { $_->{color} // () } @{ $r->{json}{data} // [] };
    return $r->{status} == 200 ? "@order" : $r->{status};
}
allow_log(qr/CAT095/);
made($more, $third, color => $_) for qw(red green);
is(in_order($more), 'red blue green', 'products are in the order of the choices');
my $purple = beside(qq(CatalogField color choice values="purple|red" index))->start;
is($purple->api(POST => '/products', { name => 'x', price => 1, color => 'purple' }, token => register($purple)->{token})->{status}, 201, 'a server adds a choice of its own');
ok(wait_until(60, sub { definition() eq 'purple|red|blue|green' }), 'takes none away, and the order becomes that of its line') or diag(definition());
ok(wait_until(20, sub { in_order($purple) eq 'purple red blue green' && in_order($more) eq 'purple red blue green' }), 'each product has its place in it') or diag(in_order($purple), ' / ', in_order($more));
is($more->api(POST => '/products', { name => 'x', price => 1, color => 'green' }, token => $third)->{status}, 201, 'the other one goes on');
is(definition(), 'purple|red|blue|green', 'and changes nothing');
my $turned = beside(qq(CatalogField color choice values="green|blue|red" index))->start;
ok(wait_until(60, sub { definition() eq 'green|blue|red|purple' }), 'a line with another order of the same choices decides') or diag(definition());
my $moment = $db->selectrow_array(q(SELECT ordered_at FROM catalog_fields WHERE name = 'color'));
ok(wait_until(20, sub { in_order($turned) eq 'green blue red purple' }), 'for the products that were there, too') or diag(in_order($turned));
is($turned->api(GET => '/products?color=blue&fields=color')->{json}{data}[0]{color}, 'blue', 'conditions find what they say');
sleep 3; # jobs run once a second
is(definition(), 'green|blue|red|purple', 'a server that was started before has the order of its own line no more');
is($db->selectrow_array(q(SELECT ordered_at FROM catalog_fields WHERE name = 'color')), $moment, 'and servers do not change it in turn');
ok(wait_until(10, sub { $more->log_text =~ /CAT095: .*: the values of the field color have the order that another server/ }), 'but says so');
$_->stop for $turned, $purple;

# case: more names than one mount may have fields
$db->do(q(INSERT INTO catalog_fields (number, name, definition, complete, n, filled) VALUES (?, ?, 'string', 1, 0, 0)), undef, 100 + $_, "old$_") for 1 .. 70;
sleep 2; # longer than a server takes what it has read for new
is($more->api(POST => '/products', { name => 'x', price => 1, size => 2 }, token => $third)->{status}, 201, 'names that no line has any more are no hindrance');

# ---- as many and as long values as a line may have ----

my @long = map { sprintf('%02d', $_) . "x" x 98 } 1 .. 99;
my $largest = beside('CatalogField long choice index values="' . join('|', @long) . '"')->start;
my $fourth = register($largest)->{token};
answers($largest->api(POST => '/products', { name => 'x', price => 1, long => $_ }, token => $fourth), 201, undef, '99 values of 100 characters: each can be set') for @long[98, 0];
ok(wait_until(60, sub { $largest->api(GET => '/products?sort=long&long[exists]=true')->{status} == 200 }), 'and sorted by');
is_deeply([map { $_->{long} } @{ $largest->api(GET => '/products?sort=-long&long[exists]=true')->{json}{data} }], [@long[98, 0]], 'in their order');
$largest->stop;
# Those that earlier lines had, which products may still have.
$db->do(q(UPDATE catalog_fields SET definition = ? WHERE name = 'long'), undef, 'choice values="' . join('|', map { "v$_" } 1 .. 990) . '" index');
expect_log(qr/CAT088: .*: with those of former lines, the field long has more values than the database keeps; give the line a new name, and run: catalogctl fields rename long NAME/);
my $beyond = beside('CatalogField long choice index values="' . join('|', map { "w$_" } 1 .. 99) . '"')->start;
answers($beyond->api(POST => '/products', { name => 'x', price => 1 }, token => register($beyond)->{token}), 503, undef, 'more of them than the database keeps are refused');
$beyond->stop;

# ---- a line that contradicts the database ----

expect_log(qr/CAT088: .*: the database has the field weight with the type number; write: CatalogField weight number/);
my $wrong = beside('CatalogField weight string index');
allow_log(qr/CAT088/);
$wrong->start;
answers($wrong->api(GET => '/health/ready'), 503, refusal(error => qr/^a line of CatalogField contradicts the database; run catalogctl check/), 'a server that has another type for a field is not ready');
is(problems(ctl_for($wrong, 'check')), 'fields: the database has the field weight with the type number; write: CatalogField weight number', 'catalogctl check has the line to write');
my $refused = $wrong->api(POST => '/products', { name => 'x', price => 1 }, token => register($wrong)->{token});
answers($refused, 503, undef, 'a server that has another type for a field does not write products');
answers($wrong->api(GET => "/products/$id"), 200, undef, 'it reads them');
$wrong->stop;
my $spelled = beside('CatalogField Weight number index')->start;
answers($spelled->api(POST => '/products', { name => 'x', price => 1 }, token => register($spelled)->{token}), 503, undef, 'nor one that spells its name in another case');
$spelled->stop;
my $private = beside(qq(CatalogField weight string index private\nCatalogWriteRole editor))->start;
answers($private->api(GET => '/health/ready'), 503, refusal(error => qr/CatalogField contradicts/), 'readers are told of a field that is private, too');
ok(wait_until(10, sub { $private->log_text =~ /CAT088: .*: the database has the field weight with the type number; write: CatalogField weight number/ }), 'and the log has the line without a request for products');
$private->stop;

done_testing;
