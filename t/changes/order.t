# SPDX-License-Identifier: Apache-2.0
# route: GET /changes
# again: db
# runs: first
# Whoever follows the changes misses none and gets none twice, while 16 clients write, restore and undo through three servers, which are killed,
# and other transactions stay open, and are committed or rolled back when those that began later are long done. What clients are told
# of each product is as if it had been done one after the other: CatalogTest::Histories says what is checked.
# CATALOG_ROUNDS=100 does it more often; CATALOG_SEED=N chooses the requests as before.
use CatalogTest;
use CatalogTest::Histories;
use CatalogTest::Ids qw(n_of);
use CatalogTest::Linear;
use POSIX ();
use Time::HiRes qw(sleep time);

# case: what is looked for
{
    my @written = ({ kind => 'create', key => 'a', value => 'a', start => 0, end => 1 }, { kind => 'update', key => 'b', value => 'b', start => 2, end => 3 });
    my $is_possible = sub { return CatalogTest::Linear::is_linearizable(@written, map { { start => 4, end => 5, %$_ } } @_) };
    ok($is_possible->(@$_), 'possible answers') for [{ kind => 'read', value => 'b' }], [{ kind => 'delete', key => 'd' }, { kind => 'read' }, { kind => 'read', value => 'b' }],
        [{ kind => 'undo', key => 'u', target => 'b' }, { kind => 'read', value => 'a', start => 6, end => 7 }], [{ kind => 'undo', key => 'u', target => 'a', failed => 1 }],
        [{ kind => 'restore', key => 'r', target => 'b', value => 'a' }], [{ kind => 'nothing', target => 'a' }],
        [{ kind => 'update', key => 'c', value => 'c', maybe => 1 }, { kind => 'read', value => 'c', start => 8, end => 9 }];
    ok(!$is_possible->(@$_), 'impossible ones') for [{ kind => 'read', value => 'a' }], [{ kind => 'read' }], [{ kind => 'undo', key => 'u', target => 'a' }],
        [{ kind => 'undo', key => 'u', target => 'b' }, { kind => 'read', value => 'b', start => 6, end => 7 }], [{ kind => 'undo', key => 'u', target => 'b', failed => 1 }],
        [{ kind => 'restore', key => 'r', target => 'b', value => 'b' }], [{ kind => 'nothing', target => 'b' }],
        [{ kind => 'update', key => 'c', value => 'c' }, { kind => 'undo', key => 'u', target => 'b', start => 6, end => 7 }];
}

my $rounds = $ENV{CATALOG_ROUNDS} // 1;
my @conf = (mount => "CatalogRateLimit Off\nCatalogMaxLimit 1000", conf => "CatalogCacheSize 0\n");
my $server = server(@conf);
my @servers = ($server, map { server(@conf, conf => "$conf[3]DBDParams \"" . $server->params . "\"\n") } 1 .. (driver eq 'sqlite3' ? 1 : 2));
$_->start for @servers;
allow_kills();
allow_log(qr/AH00098: pid file .* overwritten|database is locked|CAT0\d\d: .*(?:lock|busy|another)/);

my $histories = CatalogTest::Histories->new(ports => [map { $_->port } @servers], connect => sub { $server->database }, driver => driver, dir => scratch(),
    $ENV{CATALOG_SEED} ? (seed => $ENV{CATALOG_SEED}) : ());

# Twice in a round, a server is gone at once.
sub kill_servers {
    for (1, 2) {
        sleep 0.3 + rand 0.7;
        my $victim = $servers[rand @servers];
        $victim->kill;
        sleep rand 0.5;
        $victim->start_unready;
        $victim->wait_up;
    }
}

my $passed = 0;
for my $round (1 .. $rounds) {
    my $begin = time;
    my @faults = $histories->round(disturb => \&kill_servers);
    $passed += !@faults;
    ok(!@faults, sprintf 'round %d, %.1f s', $round, time - $begin) or diag "CATALOG_SEED=$histories->{seed}\n", join "\n", @faults[0 .. ($#faults < 20 ? $#faults : 20)];
}
note "$passed of $rounds rounds passed; $histories->{read} changes were followed; ", join ', ', map { "$_: $histories->{checked}{$_}" } sort keys %{ $histories->{checked} };
ok(grep({ /^$_/ } keys %{ $histories->{checked} }), "$_: was answered") for qw(update restore undo);

my $token = register($server)->{token};
my $write = sub { $server->api(@_, token => $token) };
my $id = $write->(POST => '/products', { name => 'old', price => 1 })->{json}{data}{id};
my $db = $server->database;

# case: another transaction puts a product back, and is committed while one waits that has found none
if (driver ne 'sqlite3') {
    $write->(DELETE => "/products/$id");
    my $seq = $write->(GET => "/products/$id/history")->{json}{data}[0]{seq};
    $db->do('BEGIN');
    $db->do(q(INSERT INTO products (n, id, name, price, category, in_stock) VALUES (?, ?, 'other', '2', '', 1)), undef, n_of($id), $id);
    my $restorer = fork // die "fork: $!\n";
    POSIX::_exit($write->(POST => "/products/$id/restore", { seq => $seq })->{status} != 200) if !$restorer;
    my ($engine, $watch) = (CatalogTest::Engine->shared, $server->database);
    ok(wait_until(20, sub { $engine->lock_waits($watch) }), 'a restore waits');
    $db->do('COMMIT');
    waitpid $restorer, 0;
    is($?, 0, 'a product that somebody else puts back meanwhile is restored all the same');
    is($write->(GET => "/products/$id")->{json}{data}{name}, 'old', 'as it was');
}

# case: whoever has noted changes and takes long to commit them holds up nobody
if (driver ne 'sqlite3') {
    $db->do('BEGIN');
    $db->do(q(INSERT INTO changes (product_id, at, batch, op) VALUES ('held', 0, 1, 'create')));
    my $began = time;
    is($write->(PUT => "/products/$id", { price => 77 })->{status}, 200, 'another product is changed');
    is($write->(POST => '/products', { name => 'new', price => 1 })->{status}, 201, 'and one is created');
    takes_less(time - $began, 2, 'at once');
    $db->do('ROLLBACK');
}
done_testing;
