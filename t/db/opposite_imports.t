# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# db: mysql pgsql
# again: db
# Two imports at the same time that update the same products, or claim the same unique values, in opposite orders: they wait for each other, and
# each is stored whole, or not at all.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Metrics qw(location moves scrape);

use constant COUNT => 300; # several groups of rows that are compared together

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine, conf => location(), mount => 'CatalogField code string unique')->start;
my $token = register($server)->{token};
my ($db, $other) = map { $server->database } 1 .. 2;

sub request {
    my ($file) = @_;
    return wire(POST => '/products/import?mode=upsert', $file, token => $token, headers => { 'Content-Type' => 'text/csv' });
}
sub begin_import {
    my ($column, $value, @ids) = @_;
    my $socket = $server->connection;
    print {$socket} request(join '', "id,$column\n", map { "$_,$value\n" } @ids);
    return $socket;
}
sub finish { return join '', readline $_[0] }
sub values_of { my ($column) = @_; return join ' ', sort keys %{ $db->selectall_hashref("SELECT DISTINCT $column FROM products", $column) } }

sub waiting { $engine->lock_waits($db) }

answers($server->talk(request("name,price,category,rating\n" . "a product,1,kind,1\n" x COUNT)), 200, undef, 'products are stored');
my @ids = map { $_->[0] } @{ $db->selectall_arrayref('SELECT id FROM products ORDER BY id') };

# Both imports come as far as the product in their middle that the test has locked, and go on at once.
for my $case (
    ['different fields', [price => 5], [rating => 2], sub { values_of('price') == 5 && values_of('rating') == 2 }],
    ['the same field', [name => 'first'], [name => 'second'], sub { values_of('name') =~ /^(?:first|second)$/ }],
    ['indexed words', [category => 'one kind'], [category => 'another'], sub { values_of('category') =~ /^(?:one kind|another)$/ }],
) {
    my ($name, $up, $down, $is_right) = @$case;
    $other->begin_work;
    $other->do(q(UPDATE products SET in_stock = 0 WHERE id = ?), undef, $ids[COUNT / 2]);
    my @imports = ([@$up, @ids], [@$down, reverse @ids]);
    my @sockets = map { begin_import(@$_) } @imports;
    ok(wait_until(60, sub { waiting() >= 2 }), "$name: both imports wait");
    $other->rollback;
    my $summary = sprintf '"rows":%d,"created":0,"updated":%1$d,"unchanged":0', COUNT;
    for my $import (@imports) {
        my $answer = finish(shift @sockets);
        for (1 .. 10) {
            last unless $answer =~ m{^HTTP/1\.1 503 } && slowness() > 2;
            $answer = finish(begin_import(@$import)); # one waited too long for the other
        }
        like($answer, qr{^HTTP/1\.1 200 .*$summary}s, "$name: an import succeeds");
    }
    ok($is_right->(), "$name: nothing is lost, and each is stored whole");
}

# Both imports come as far as the value in their middle that the test has claimed.
my @codes = map { sprintf 'C-%03d', $_ } 1 .. 90;
my $field = $db->selectrow_array(q(SELECT number FROM catalog_fields WHERE name = 'code'));
my $before = scrape($server);
$other->begin_work;
$other->do('INSERT INTO product_unique (field, value, n) VALUES (?, ?, ?)', undef, $field, $codes[45], 1);
my @sockets = map {
    my $socket = $server->connection;
    print {$socket} wire(POST => '/products/import', join('', "name,price,code\n", map { "cup,1,$_\n" } @$_), token => $token, headers => { 'Content-Type' => 'text/csv' });
    $socket;
} \@codes, [reverse @codes];
ok(wait_until(60, sub { waiting() >= 2 }), 'imports that create products with the same values wait');
$other->rollback;
my @statuses = sort map { finish($_) =~ m{^HTTP/1\.1 (\d+)} } @sockets;
is("@statuses", '200 400', 'one of them has the values, and the other is refused');
is_deeply([grep { /faults_total.*conflict/ } keys %{ moves($before, scrape($server)) }], [], 'without a deadlock');

is(problems(ctl_for($server, 'check')), '', 'all that is derived of the products is right');

allow_log(qr/CAT003: .*SQL_PRODUCT_LOCK_\d+ failed/) if slowness() > 2;
done_testing;
