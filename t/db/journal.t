# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# db: sqlite3
# A database file that is not in WAL mode, such as a copy that VACUUM INTO made, is in WAL mode once it is used: otherwise each write
# fails while anybody reads.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Database ();

sub create { my ($server) = @_; return $server->api(POST => '/products', { name => 'x', price => 1 }, token => forge()) }
sub mode { my ($server) = @_; return scalar $server->database->selectrow_array('PRAGMA journal_mode') }

# A stopped server whose database was restored from such a copy.
sub restored {
    my (%o) = @_;
    my $server = server(%o);
    my $file = $server->dir . '/data/catalog.db';
    is(ctl_for($server, 'migrate')->{status}, 0, 'a database is created');
    my $db = $server->database;
    $db->do("VACUUM INTO '$file.copy'");
    $db->disconnect;
    unlink "$file-wal", "$file-shm";
    rename "$file.copy", $file or die "$file: $!\n";
    chmod 0640, $file;
    CatalogTest::Tools::hand_over($file);
    is(mode($server), 'delete', 'VACUUM INTO writes a file in another mode');
    return $server;
}

for my $migrate (qw(On Off)) {
    my $server = restored(conf => "CatalogMigrate $migrate\n")->start;
    my $reader = $server->database;
    is($reader->selectrow_array('PRAGMA journal_mode'), 'wal', "CatalogMigrate $migrate: the server sets the mode");
    $reader->begin_work;
    $reader->selectall_arrayref('SELECT * FROM products');
    is(create($server)->{status}, 201, "CatalogMigrate $migrate: a write succeeds while another program reads");
    $reader->rollback;
}

# catalogctl.
my $server = restored();
is(problems(ctl_for($server, 'check')), 'journal_mode: delete, not wal; run: catalogctl migrate', 'check prints the command');
is(ctl_for($server, 'migrate')->{status}, 0, 'migrate succeeds');
is(mode($server), 'wal', 'migrate sets the mode');

# Another program reads, and so the mode cannot be set: no request is answered as if it were.
$server = restored();
my $reader = $server->database;
$reader->begin_work;
$reader->selectall_arrayref('SELECT * FROM products');
$server->start_unready;
expect_log(qr/CAT078: .*its journal_mode is not wal, and cannot be set: another program uses it, or the disk is full/);
allow_log(qr/CAT056|CAT008/);
is(create($server)->{status}, 503, 'a write returns 503 while the mode cannot be set');
is($server->api(GET => '/products')->{status}, 503, 'a read, too');
$reader->rollback;
ok(wait_until(10, sub { create($server)->{status} == 201 }), 'writes succeed as soon as it can be');
is(mode($server), 'wal', 'the mode is set');

done_testing;
