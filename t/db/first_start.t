# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /fields/:name/values
# again: pgsql
# The first thing that an administrator asks is answered: as long as no product was ever written, new fields are complete at once, and whoever
# then writes the first one knows of them.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Ids qw(n_of);
use Time::HiRes qw(time);

my $lines = join "\n", 'CatalogField sku string unique', 'CatalogField brand string facet by=price', 'CatalogField weight number index', 'CatalogField about text search';
my $first = server(mount => $lines);
my $db;

sub beside { my ($lines) = @_; return server(mount => $lines, conf => 'DBDParams "' . $first->params . "\"\n") }
sub ask { my ($server, $query) = @_; return $server->api(GET => $query) }
sub start_ready { my ($server) = @_; $server->start_unready; ok(wait_until(60, sub { $server->is_up && ask($server, '/health/ready')->{status} == 200 }), 'a server is ready'); }
sub answered { my ($server, @queries) = @_; is(ask($server, $_)->{status}, 200, "$_ is answered at once") for @queries }
sub keys_of { my ($field, $id) = @_; return $db->selectrow_array('SELECT COUNT(*) FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE f.name = ? AND k.n = ?', undef, $field, n_of($id)) }

# ---- an empty database ----

start_ready($first);
answered($first, '/products?q=kettle', '/products?weight[gt]=1', '/products?sort=-weight', '/products?facets=brand', '/fields/brand/values', '/products?brand=Acme&sort=price', '/products?sku=A-1');
$db = $first->database;
$db->{AutoCommit} = 1;
is($db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0 OR claimed = 0'), 0, 'each field is complete');

# ---- one more line, while there is no product ----

my $second = beside("$lines\nCatalogField color choice values=red|green facet\nCatalogField note text search");
start_ready($second);
answered($second, '/products?q=kettle', '/products?color=red', '/products?facets=color', '/products?sort=color');

# ---- the first product, by a child that has read of the fields before another one was added ----

my $token = register($first)->{token};
answered($first, ('/products?sort=weight') x 8); # so the children have
my ($number) = $db->selectrow_array('SELECT MAX(number) + 1 FROM catalog_fields');
$db->do(q(INSERT INTO catalog_fields (number, name, definition, complete, counted, claimed, n, filled) VALUES (?, 'size', 'integer facet', 1, 1, 1, 9223372036854775807, 0)), undef, $number);
my $r = $first->api(POST => '/products', { name => 'Kettle', price => 1, weight => 2, brand => 'Acme', about => 'steel' }, token => $token);
is($r->{status}, 201, 'the first product');
my $id = $r->{json}{data}{id};
is(keys_of($_, $id), 1, "has its key of $_") for qw(size color weight);
my @more = map { $first->api(POST => '/products', { name => "n$_", price => 1 }, token => $token)->{json}{data}{id} } 1 .. 12;
is_deeply([grep { keys_of('size', $_) != 1 } @more], [], 'as have those after it');
is(ask($second, '/products?q=steel')->{json}{pagination}{total}, 1, 'the other server finds its words');
is_deeply(ask($first, '/products?facets=brand')->{json}{facets}{brand}, [{ value => 'Acme', count => 1 }], 'its value is counted');
like(ctl_for($second, 'check')->{out}, qr/ok\tfields\tmatch the products/, 'catalogctl check agrees');

# ---- from then on a field waits for those who may not know of it ----

if (driver ne 'sqlite3') {
    my $third = beside("$lines\nCatalogField maker string facet");
    my $started = time;
    start_ready($third);
    answers(ask($third, '/products?maker=x'), 503, { success => false, message => 'Service unavailable', error => qr/^the products are being indexed/ }, 'as there are products, that takes a while');
    ok(wait_until(60, sub { ask($third, '/products?maker=x')->{status} == 200 }), 'until their keys are filled in');
    diag sprintf 'a facet of a catalogue that has products: %.1f s', time - $started;
    is($db->selectrow_array(q(SELECT COUNT(*) FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE f.name = 'maker')), 1 + @more, 'all have one');
    like(ctl_for($third, 'check')->{out}, qr/ok\tfields\tmatch the products/, 'catalogctl check agrees');
}
$db->disconnect;

# ---- the first product of a shop whose products are statements of their own ----

# A change of a product that does not exist has the children read of the fields. Of the next product they know better before they choose how to
# store it: with the keys of a field that another server has added since, in one transaction.
if (driver eq 'pgsql') {
    my $plain = server(mount => "CatalogIndex none\nCatalogHistory Off")->start;
    $db = $plain->database;
    $db->{AutoCommit} = 1;
    $token = register($plain)->{token};
    is($plain->api(PATCH => '/products/01a1fee5-af25-7514-8a69-477230296f5b', { price => 2 }, token => $token)->{status}, 404, 'no such product') for 1 .. 4;
    is($db->selectrow_array('SELECT n FROM product_counts WHERE name = \'written\''), 0, 'none was ever written');
    $db->do(q(INSERT INTO catalog_fields (number, name, definition, complete, counted, claimed, n, filled) VALUES (1, 'size', 'integer index', 1, 1, 1, 9223372036854775807, 0)));
    $id = $plain->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $token)->{json}{data}{id};
    is(keys_of('size', $id), 1, 'the first product has its key');
    is($db->selectrow_array('SELECT COUNT(*) FROM products p JOIN product_keys k ON k.n = p.n WHERE p.xmin = k.xmin'), 1, 'of the same transaction');
    $db->disconnect;
}

done_testing;
