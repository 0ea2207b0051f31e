# SPDX-License-Identifier: Apache-2.0
# route: GET /database
# again: db
use CatalogTest;
use CatalogAccounts;

my $server = server()->start;
register($server, username => 'boss');
set_role($server, 'boss', 'admin');
my $admin = sign_in($server, 'boss', 'correct horse')->{json}{token};
my $user = register($server)->{token};

# case: administrators learn what the database is, in its own words
my $db = $server->database;
my $version = driver eq 'sqlite3' ? 'SELECT sqlite_version()' : driver eq 'pgsql' ? 'SHOW server_version' : 'SELECT VERSION()';
my ($full) = $db->selectrow_array($version);
my ($schema) = $db->selectrow_array('SELECT MAX(version) FROM schema_version');
my %names = (sqlite3 => 'SQLite', mysql => $full =~ /MariaDB/ ? 'MariaDB' : 'MySQL', pgsql => 'PostgreSQL');
my ($short) = $full =~ /^([\d.]+)/;
answers($server->api(GET => '/database', token => $admin), 200,
    { success => true, data => { name => $names{+driver}, version => $short, schema => $schema + 0 } }, 'the database tells its name');

# case: nobody else does
answers($server->api(GET => '/database', token => $user), 403, refusal(error => qr{role}), 'a user is refused');
answers($server->api(GET => '/database'), 401, refusal(error => qr{token}), 'a visitor is refused');

done_testing;
