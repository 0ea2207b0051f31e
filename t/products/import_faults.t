# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# case: 4
# runs: first
# again: pgsql
# Children, sessions and clients that go away in the middle of an import: all of a transaction is stored, or nothing of it.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for command_for problems);
use POSIX ();
use Time::HiRes ();

use constant { ALL => 9000, MANY => 60_000, BEGUN => 2000 };

my $engine = driver eq 'sqlite3' ? undef : CatalogTest::Database::engine();
my $server = server($engine ? (engine => $engine) : ())->start;
my $token = register($server)->{token};
my $db = $server->database;
my $locked = $server->api(POST => '/products', { name => 'locked', price => 1 }, token => $token)->{json}{data}{id};

sub stored { my ($name) = @_; return $db->selectrow_array('SELECT COUNT(*) FROM products WHERE name LIKE ?', undef, "$name %") }
sub price { return $db->selectrow_array('SELECT price FROM products WHERE id = ?', undef, $locked) + 0 }

sub rows { my ($name, $first, $last) = @_; return map { ",$name $_,$_,kind $name\n" } $first .. $last }

# With an update in its middle.
sub file { my ($name) = @_; return join '', "id,name,price,category\n", rows($name, 1, ALL / 2), "$locked,,5,\n", rows($name, ALL / 2 + 1, ALL) }

# Without.
sub long_file { my ($name) = @_; return join '', "id,name,price,category\n", rows($name, 1, MANY) }

sub request {
    my ($file, $query) = @_;
    return wire(POST => "/products/import?mode=upsert$query", $file, token => $token, headers => { 'Content-Type' => 'text/csv' });
}

sub begin_import {
    my ($socket, $bytes) = ($server->connection, request(@_));
    print {$socket} $bytes;
    return $socket;
}

sub kill_children {
    kill KILL => $server->children;
    wait_until(30, sub { eval { $server->api(GET => '/health/ready')->{status} } == 200 });
}

# ---- the middle of a transaction ----

# How many sessions of the engine have a transaction. InnoDB renews its table of them only if nobody has read it for 0.1 s.
sub transactions {
    Time::HiRes::sleep(0.15) if driver eq 'mysql';
    my $ask = driver eq 'mysql' ? 'SELECT COUNT(*) FROM information_schema.innodb_trx'
        : q(SELECT COUNT(*) FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend');
    return $engine->admin->selectrow_array($ask);
}

# Whether somebody has SQLite's write lock, and what would show that something was committed.
my $other = $engine ? undef : $server->database;
$other->sqlite_busy_timeout(0) if $other;
sub is_locked { return !eval { $other->do('BEGIN IMMEDIATE') && $other->do('ROLLBACK') } }
sub wal_state { return join ' ', (Time::HiRes::stat($server->dir . '/data/catalog.db-wal'))[7, 9] }

# Calls act in the middle of an import, and returns the import's name and socket. On SQLite the children are stopped while one of them has
# the write lock and has not begun to write the WAL, as it does with its commit; an import that was committed before they were stopped
# is followed by another one. On the other databases the import waits for a row that the test has locked.
sub in_the_middle {
    my ($name, $act) = @_;
    return $engine ? in_the_middle_of_waiting($name, $act) : in_the_middle_of_writing($name, $act);
}

sub in_the_middle_of_writing {
    my ($base, $act) = @_;
    for my $try ('a' .. 'z') {
        my $name = "$base$try";
        my $before = wal_state();
        my $socket = begin_import(file($name), '');
        wait_until(60, sub { is_locked() });
        Time::HiRes::sleep(0.1);
        my @children = $server->children;
        CatalogTest::Process::pause(@children);
        if (is_locked() && wal_state() eq $before) {
            pass("$name: it is stopped before its commit");
            $act->();
            return ($name, $socket);
        }
        kill CONT => @children;
        () = readline $socket;
        $server->api(PUT => "/products/$locked", { price => 1 }, token => $token);
    }
    die "no import was met in the middle of its transaction\n";
}

sub in_the_middle_of_waiting {
    my ($name, $act) = @_;
    my $holder = $server->database;
    $holder->begin_work;
    $holder->do(q(UPDATE products SET name = 'held' WHERE id = ?), undef, $locked);
    my $socket = begin_import(file($name), '');
    ok(wait_until(60, sub { $engine->lock_waits($db) }), "$name: half of it is written");
    $act->();
    eval { $holder->rollback; $holder->disconnect };
    return ($name, $socket);
}

# case: a child is killed in the middle
for my $round (1 .. 3) {
    my ($name) = in_the_middle("killed$round", \&kill_children);
    ok(wait_until(30, sub { !transactions() }), "$name: the database has noticed") if $engine;
    is(stored($name), 0, "$name: nothing of it is stored");
    is(price(), 1, "$name: nor has it updated anything");
}

# case: the database ends its session in the middle
if ($engine) {
    my (undef, $socket) = in_the_middle('cut', sub { $engine->cut });
    like(join('', readline $socket), qr{^HTTP/1.1 200 .*"rows":9001,"created":9000,"updated":1}s, 'an import whose session was ended is repeated');
    $db = $server->database;
    is(stored('cut'), ALL, 'each row is stored once');
    is(price(), 5, 'and the update');
}

# case: portions
$_->[1]->($_->[0]) for ['portions', sub {
    my ($name) = @_;
    begin_import(long_file($name), '&atomic=false');
    ok(wait_until(60, sub { stored($name) >= BEGUN }), 'portions are stored one after the other');
    kill_children();
}], ['command', sub {
    my ($name) = @_;
    my $file = scratch() . '/rows.csv';
    spew($file, long_file($name));
    my @command = command_for($server, 'import', '--products', 'csv', '--upsert');
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDIN, '<', $file;
        open $_, '>', '/dev/null' for *STDOUT, *STDERR;
        exec @command or POSIX::_exit(127);
    }
    ok(wait_until(60, sub { stored($name) >= BEGUN }), 'catalogctl import stores portions');
    kill KILL => $pid;
    waitpid $pid, 0;
}];
for my $name (qw(portions command)) {
    ok(wait_until(30, sub { !transactions() }), "$name: the database has noticed the end") if $engine;
    my $count = stored($name);
    is($count % ($engine ? 1000 : 100), 0, "$name: when the process is killed, whole portions are stored");
    cmp_ok($count, '<', MANY, "$name: not all of them");
    is(stored($name), $db->selectrow_array('SELECT COUNT(*) FROM products WHERE name LIKE ? AND CAST(price AS DECIMAL(20, 6)) <= ?', undef, "$name %", $count), "$name: those of the first rows");
}

# case: a client that goes away before the end of the file
my $bytes = request(long_file('gone'), '&atomic=false');
my $socket = $server->connection;
print {$socket} substr $bytes, 0, 0.7 * length $bytes;
close $socket;
ok(wait_until(30, sub { $server->access_text =~ m{^POST /api/products/import\S* 400 }m }), 'a client that goes away');
is(stored('gone'), 0, 'leaves nothing, although many of its rows had come');

ok(wait_until(60, sub { problems(ctl_for($server, 'check')) eq '' }), 'all that is derived of the products is right in the end')
    or diag problems(ctl_for($server, 'check'));

allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
