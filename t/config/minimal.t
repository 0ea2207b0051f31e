# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# db: sqlite3
# README's configuration for an existing Apache suffices.
use CatalogTest;

my %load = map { /^LoadModule (\w+)_module/ ? ($1 => $_) : () } split /\n/, CatalogTest::Server::modules();
my ($user, $group) = map { CatalogTest::Tools::setting($_) } 'user', 'group';
my $modules = join "\n", grep { defined } map { $load{$_} } (grep { /^mpm_/ } keys %load), qw(authz_core dbd catalog);

sub minimal {
    my ($data) = @_;
    my $server = server();
    $server->write($server->dir . '/httpd.conf', <<"END");
$modules
User "$user"
Group "$group"
Listen 127.0.0.1:\@port\@
ServerName 127.0.0.1
PidFile logs/httpd.pid
ErrorLog logs/error_log
DefaultRuntimeDir logs
DBDriver sqlite3
DBDParams "$data/catalog.db"
<Location "/api">
    CatalogEnable On
    CatalogKeyFile "\@key\@"
</Location>
END
    return $server;
}

my $first = minimal('@dir@/data');
my ($status, $said) = $first->configtest;
is("$status $said", "0 Syntax OK\n", 'httpd -t accepts the configuration');
ok(!-e $first->dir . '/data/catalog.db', 'httpd -t creates no database');
$first->start;

sub works {
    my ($server) = @_;
    my $name = fresh();
    my $r = $server->api(POST => '/register',
        { username => $name, email => "$name\@example.com", password => 'correct horse' });
    my $made = $server->api(POST => '/products', { name => $name, price => 19.99 }, token => $r->{json}{token});
    return $r->{status} == 201 && $made->{status} == 201 && $made->{json}{data}{id};
}
my $id = works($first);
like($id, $ID, 'the server registers a user and stores a product');
like(api(GET => '/products')->{headers}{'x-request-id'}, qr/./, 'with mod_unique_id an answer has a request id');

my $file = $first->dir . '/data/catalog.db';
my @stat = stat $file;
is(getpwuid $stat[4], $user, 'the database belongs to the user that the children run as');
my $db = $first->database;
is($db->selectrow_array('PRAGMA journal_mode'), 'wal', 'the database is in WAL mode');
my ($version) = $db->selectrow_array('SELECT MAX(version) FROM schema_version');
cmp_ok($version, '>=', 1, 'the schema has a version');
$db->disconnect;

# Everything is there after a restart.
$first->stop;
$first->start;
is($first->api(GET => "/products/$id")->{status}, 200, 'the product is there after a restart');
ok(works($first), 'the server accepts writes after a restart');
is($first->database->selectrow_array('SELECT COUNT(*) FROM schema_version'), $version, 'the restart applies no schema step');

# Several servers on one new database, at once.
my $owner = server();
my @servers = map { minimal($owner->dir . '/data') } 1 .. 3;
$_->launch for @servers;
$_->wait_up for @servers;
is(scalar(grep { works($_) } @servers), 3, 'three servers that start at once on a new database all work');
is($owner->database->selectrow_array('SELECT COUNT(*) FROM schema_version'), $version,
    'each schema step is applied once');

done_testing;
