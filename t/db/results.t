# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# db: mysql
# runs: first
# again: db
# A SELECT that fails while its rows arrive: the driver reports success, and crashes when the server reads its results.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);

my $server = server();
$server->make_databases;
my $db = $server->database;
$db->do('CREATE TABLE versions (version INTEGER NOT NULL)');
$db->do('INSERT INTO versions VALUES (1), (2)');
$db->do('CREATE VIEW schema_version AS SELECT (SELECT o.version FROM versions o WHERE o.version >= v.version - 1) AS version FROM versions v');

my $list = ctl_for($server, qw(user list));
is($list->{status}, 1, 'catalogctl fails');
like($list->{err}, qr/CAT003: .*SELECT MAX\(version\).*: Subquery returns more than 1 row$/m,
    'catalogctl prints the database\'s message');
$server->start;
answers($server->api(GET => '/products'), 503, refusal(error => 'database unavailable'), 'the server answers 503');

expect_log(qr/CAT003: .*Subquery returns more than 1 row/);
done_testing;
