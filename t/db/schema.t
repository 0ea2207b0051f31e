# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# case: 5 23
# runs: first
# again: db
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};
my $db = $server->database;

sub all_work {
    my ($server) = @_;
    my $made = $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token);
    my $path = '/products/' . ($made->{json}{data}{id} // '');
    my @r = ($made, $server->api(GET => '/products'), $server->api(GET => $path),
        $server->api(PUT => $path, { price => 2 }, token => $token), $server->api(DELETE => $path, token => $token));
    return join ' ', map { $_->{status} } @r;
}

# Maintenance during service invalidates prepared statements; requests still succeed.
is(all_work($server), '201 200 200 200 200', 'all requests succeed before the changes');
my %changes = (
    sqlite3 => ['CREATE INDEX extra ON products (name)', 'VACUUM', 'ANALYZE', 'ALTER TABLE products ADD COLUMN note TEXT',
        'REINDEX', 'DROP INDEX extra', 'CREATE TABLE other (x)', 'PRAGMA wal_checkpoint(TRUNCATE)'],
    mysql => ['CREATE INDEX extra ON products (name)', 'FLUSH TABLES', 'ANALYZE TABLE products',
        'ALTER TABLE products ADD COLUMN note TEXT', 'OPTIMIZE TABLE products', 'DROP INDEX extra ON products',
        'ALTER TABLE products MODIFY note VARCHAR(10) FIRST', 'CREATE TABLE other (x INT)'],
    pgsql => ['CREATE INDEX extra ON products (name)', 'VACUUM products', 'ANALYZE products',
        'ALTER TABLE products ADD COLUMN note TEXT', 'REINDEX TABLE products', 'DROP INDEX extra',
        'ALTER TABLE products ALTER COLUMN name TYPE VARCHAR(1000)', 'CREATE TABLE other (x INT)'],
);
my $admin = driver eq 'mysql' ? CatalogTest::Engine->shared->admin : $db; # FLUSH needs a privilege
for (@{ $changes{ +driver } }) {
    (/^FLUSH/ ? $admin : $db)->do($_);
    is(all_work($server), '201 200 200 200 200', "all requests succeed after $_");
    my %statuses = map { $_->{status} => 1 } $server->burst((wire(GET => '/products')) x 12,
        (wire(POST => '/products', { name => 'x', price => 1 }, token => $token)) x 6);
    is(join(' ', sort keys %statuses), '200 201', "requests on all connections succeed after $_");
}

# Without a schema, and without permission to create one.
my $none = server(mount => 'CatalogMigrate Off')->start;
my $outage = { success => false, message => qr/./, error => 'database unavailable' };
answers($none->api(GET => '/products'), 503, $outage, 'without a schema the list gets a 503',
    'retry-after' => qr/^\d+$/);
answers($none->api(POST => '/products', { name => 'x', price => 1 }, token => forge()), 503, $outage,
    'without a schema a write gets a 503');
answers($none->api(GET => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b'), 503, $outage,
    'without a schema an unknown product gets a 503');
like($none->log_text, qr/CAT010: .*schema is at version 0, version \d+ is required; set CatalogMigrate On/,
    'the log says to set CatalogMigrate');

# The administrator creates it: the server recovers without a restart.
server(conf => 'DBDParams "' . $none->params . "\"\n")->start->api(GET => '/products');
is(all_work($none), '201 200 200 200 200', 'all requests succeed as soon as the schema exists');

# A table is dropped while the server runs.
$none->database->do('DROP TABLE products');
answers($none->api(GET => '/products'), 503, $outage, 'without its table the list gets a 503');
answers($none->api(POST => '/products', { name => 'x', price => 1 }, token => forge()), 503, $outage,
    'without its table a write gets a 503');
unlike($none->api(GET => '/products')->{body}, qr/exist|no such table/, 'the answer has no details of the database');

expect_log(qr/CAT010: /, qr/CAT003: .*(?:no such table|(?:doesn't|does not) exist)/);
done_testing;
