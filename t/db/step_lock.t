# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# db: mysql pgsql
# again: db
# Only one process updates a schema at a time. Here the test holds that lock.
use CatalogTest;
use CatalogTest::Ctl qw(command_for ctl_for);
use Time::HiRes qw(sleep);

my %hold = (
    mysql => q(SELECT GET_LOCK(CONCAT('mod_catalog.', LEFT(SHA2(DATABASE(), 256), 32)), 0)),
    pgsql => q(SELECT CASE WHEN pg_try_advisory_lock(x'14a9328d9fd66f6b'::bigint) THEN 1 ELSE 0 END),
);
my ($server, $other) = (server(), server());
$_->make_databases for $server, $other;
my $holder = $server->database;
is($holder->selectrow_array($hold{ +driver }), 1, 'the test holds the lock');

is(ctl_for($other, 'migrate')->{status}, 0, 'migrate of another database on the same engine does not wait');

$server->start_unready;
my $busy = { success => false, message => qr/./, error => 'the server is too busy; try again' };
answers($server->api(GET => '/products'), 503, $busy, 'a request gets a 503', 'retry-after' => qr/^\d+$/);
like($server->log_text, qr/CAT055: .*waiting while another process updates the schema/, 'the log has the cause of the wait');

open my $migrate, '-|', join(' ', command_for($server, 'migrate')) . ' 2>&1' or die "migrate: $!\n";
like(scalar <$migrate>, qr/CAT055: .*waiting while another process/, 'catalogctl reports that it waits');
sleep 1.5;
$holder->disconnect;
like(join('', <$migrate>), qr/\A(?:.*CAT009: .*\n)*\d+\n\z/, 'catalogctl creates the schema once the lock is released');
ok(close $migrate, 'catalogctl succeeds');
answers($server->api(GET => '/products'), 200, undef, 'the server recovers without a restart');

# The lock is one node's alone. On a Galera cluster a row of schema_version says that a server at another node is at a step; what a
# server left behind that died in a step counts for ten minutes.
if (driver eq 'mysql') {
    my $elsewhere = server();
    $elsewhere->make_databases;
    my $db = $elsewhere->database;
    $db->do('CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL, applied_at BIGINT NOT NULL)');
    $db->do(q(INSERT INTO schema_version VALUES (-1, 'a step is being applied', (UNIX_TIMESTAMP() - 500) * 1000)));
    $elsewhere->start_unready;
    answers($elsewhere->api(GET => '/products'), 503, $busy, 'while a server at another node is at a step, a request gets a 503',
        'retry-after' => qr/^\d+$/);
    is($db->selectrow_array('SELECT COUNT(*) FROM schema_version'), 1, 'no step is applied meanwhile');
    $db->do('UPDATE schema_version SET applied_at = (UNIX_TIMESTAMP() - 700) * 1000');
    ok(wait_until(20, sub { $elsewhere->api(GET => '/products')->{status} == 200 }), 'after ten minutes the row no longer counts');
    ok(wait_until(20, sub { !$db->selectrow_array('SELECT COUNT(*) FROM schema_version WHERE version < 1') }), 'and is gone');
}

# Who may not create tables is told so, and not what the clean-up after the step met.
my $weak = server();
$weak->make_databases;
my ($admin, $name) = (CatalogTest::Engine->shared->admin, $weak->database_named->{name});
my $password = $CatalogTest::Engine::PASSWORD;
$admin->do($_) for driver eq 'mysql' ? ("CREATE USER weak\@'127.0.0.1' IDENTIFIED BY '$password'", "GRANT SELECT, INSERT, UPDATE, DELETE ON $name.* TO weak\@'127.0.0.1'")
    : ("CREATE USER weak PASSWORD '$password'");
my $refused = ctl_for(server(conf => 'DBDParams "' . CatalogTest::Engine->shared->params($name, 'weak') . "\"\n"), 'migrate');
is($refused->{status}, 1, 'a user who may not create tables cannot create the schema');
like($refused->{err}, driver eq 'mysql' ? qr/CREATE command denied to user/ : qr/permission denied for schema public/, 'the message says why');
unlike($refused->{err}, qr/exist/, 'and nothing else');
$admin->do(driver eq 'mysql' ? "DROP USER weak\@'127.0.0.1'" : 'DROP USER weak');

done_testing;
