# SPDX-License-Identifier: Apache-2.0
# route: GET /health/ready
# route: POST /products
# case: 8 9 10
# db: sqlite3
# Ready means that the database accepts writes; the server checks this without writing.
use CatalogTest;
use File::Temp ();
use Time::HiRes qw(time);

my $token = forge();
my $writes = { success => false, message => 'Not ready', error => 'the database accepts no writes' };

sub create { $_[0]->api(POST => '/products', { name => 'x' x 200, price => 1 }, token => $token) }
sub ready { $_[0]->api(GET => '/health/ready') }
sub is_ready { my ($server, $name) = @_; answers(ready($server), 200, undef, "$name: ready") }
sub is_not_ready { my ($server, $name) = @_; answers(ready($server), 503, $writes, "$name: not ready") }

my $server = server()->start;
my $file = $server->dir . '/data/catalog.db';
create($server) for 1 .. 20;

# case: the check writes nothing, and neither waits for writers nor delays them
my @before = map { [(stat)[7, 9]] } $file, "$file-wal";
is_ready($server, 'a new database') for 1 .. 5;
is_deeply([map { [(stat)[7, 9]] } $file, "$file-wal"], \@before, 'the check does not write to the file');
my $db = $server->database;
$db->do('BEGIN IMMEDIATE');
my $start = time;
is_ready($server, 'while another program writes');
takes_less(time - $start, 1.5, 'the check does not wait for the other program');
$db->do('ROLLBACK');

# case: the file is read-only, then writable again
my $mode = (stat $file)[2] & 07777;
chmod 0444, $file;
is_not_ready($server, 'a read-only file');
chmod $mode, $file;
is_ready($server, 'the file writable again');

# case: during and after a checkpoint, the file has the right size
$db->do('PRAGMA wal_checkpoint(TRUNCATE)');
is_ready($server, 'after a checkpoint');
create($server) for 1 .. 5;
is_ready($server, 'with a WAL longer than the checkpointed part');
$db->do('VACUUM');
is_ready($server, 'after a VACUUM');
$db->do('PRAGMA wal_checkpoint(TRUNCATE)');
is_ready($server, 'after a VACUUM and a checkpoint');
$db->disconnect;

# case: the file was truncated
truncate $file, (-s $file) - 4096;
answers(ready($server), 503, refusal(message => 'Not ready', error => qr/./), 'a file that lacks a page: not ready');
ok(wait_until(20, sub { ready($server); $server->log_text =~ /CAT058: .*shorter/ }),
    'a child that has read the file before logs the cause'); # to the others, SQLite says that it is malformed
truncate $file, 4096 * 5;
answers(ready($server), 503, refusal(message => 'Not ready', error => qr/./), 'a file that lacks most: not ready');
truncate $file, 0;
answers(ready($server), 503, refusal(message => 'Not ready', error => qr/./), 'an empty file: not ready');
$server->stop;

# case: the database must not grow
my $limited = server(conf => "DBDInitSQL \"PRAGMA max_page_count=110\"\n")->start;
create($limited);
is_ready($limited, 'a database that can grow');
my $refused;
for (1 .. 400) {
    $refused = create($limited)->{status} == 507 and last;
}
ok($refused, 'the database reaches its largest size');
is_not_ready($limited, 'a full database');

# case: the disk is full, then has space again
SKIP: {
    my $disk = File::Temp->newdir('catalog-test.XXXXXX', TMPDIR => 1);
    skip 'no file system can be mounted here', 9 if system("mount -t tmpfs -o size=8m tmpfs $disk 2>/dev/null") != 0;
    CatalogTest::Server::hand_over("$disk");
    my $small = server(conf => "DBDParams $disk/catalog.db\n")->start;
    answers(create($small), 201, undef, 'a disk with space accepts a product');
    is_ready($small, 'a disk with space');
    open my $out, '>', "$disk/filler" or die "$disk: $!";
    1 while syswrite $out, 'x' x 4096;
    close $out;
    is_not_ready($small, 'a full disk');
    answers(create($small), 507, refusal(message => 'Disk full', error => qr/full/), 'a full disk refuses a product',
        'retry-after' => qr/^[1-9]\d*$/);
    answers($small->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == 1 }, 'it is read nevertheless');
    $small->stop;
    system("cat /dev/zero >>$disk/filler 2>/dev/null");
    $small->start_unready;
    answers(create($small), 507, refusal(message => 'Disk full', error => qr/full/), 'a server that starts on a full disk refuses a product');
    like($small->api(GET => '/products')->{status}, qr/^(?:200|503)$/, 'it reads, unless SQLite lacks room for its files');
    unlink "$disk/filler";
    is_ready($small, 'a disk with space again');
    answers(create($small), 201, undef, 'the disk accepts a product again');
    $small->stop;
    system("umount $disk") == 0 or diag "$disk is still mounted";
}

expect_log(qr/CAT003: .*full/, qr/CAT058: .*read-only/, qr/CAT058: .*shorter/, qr/CAT058: .*(?:full|max_page_count)/);
allow_log(qr/CAT003: .*malformed|CAT006: |CAT00[23]: /);
done_testing;
