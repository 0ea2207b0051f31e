# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# case: 4 18
# runs: first
# again: mysql
# Batches that meet, and children and sessions that are ended in the middle of one: all of a batch is stored, or nothing.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use IO::Select ();
use Time::HiRes qw(sleep);

my $engine = driver eq 'sqlite3' ? undef : CatalogTest::Database::engine();
my $server = server($engine ? (engine => $engine) : ())->start;
my $token = register($server)->{token};

sub request { return wire(POST => '/products/batch', { operations => $_[0], @_[1 .. $#_] }, token => $token) }
sub create { return { op => 'create', body => { name => $_[0], price => 1 } } }
sub update { return { op => 'update', id => $_[0], body => { price => $_[1], name => $_[2] } } }
sub remove { return { op => 'delete', id => $_[0] } }
sub statuses { my %n; $n{ $_->{status} }++ for @_; return join ', ', map { "$n{$_} $_" } sort keys %n }

# Repeats a request that a child's end may have cut off, or a busy machine refused.
sub insist {
    my ($bytes) = @_;
    my $r;
    wait_until(30, sub { $r = eval { $server->talk($bytes) } // { status => 0 }; $r->{status} =~ /^[24]/ });
    return $r;
}

# On a slow machine, those that waited too long for others are sent again.
sub patiently {
    my ($requests, $answers) = @_;
    return @$answers if !(grep { $_->{status} >= 500 } @$answers) || slowness() < 2;
    return map { $answers->[$_]{status} >= 500 ? insist($requests->[$_]) : $answers->[$_] } 0 .. $#$answers;
}

sub rows { return { map { $_->[0] => "$_->[1] $_->[2]" } @{ $server->database->selectall_arrayref('SELECT id, name, price FROM products') } } }
sub made { return map { $_->{data}{id} } @{ insist(request([map { create($_) } @_]))->{json}{results} } }

# ---- batches that change the same products ----

my @ids = made(map { "p$_" } 1 .. 60);
is(scalar @ids, 60, 'products are created');
for my $round (1 .. 5) {
    my @requests = map { my $n = $_; my @order = $n % 2 ? @ids : reverse @ids; request([map { update($_, $n, "b$n") } @order]) } 1 .. 8;
    my @answers = $server->burst(@requests);
    is(statuses(patiently(\@requests, \@answers)), '8 200', "round $round: all batches succeed, in whichever order they name the products");
    my %seen;
    $seen{$_}++ for values %{ rows() };
    is(join(' ', values %seen), 60, "round $round: one of them was the last for all products");
}
my @requests = map { request([map { remove($_) } @ids[0 .. 29]]) } 1 .. 6;
my @answers = patiently(\@requests, [$server->burst(@requests)]);
is(statuses(@answers), '1 200, 5 400', 'of several batches that delete the same products one succeeds');
@requests = ((map { request([map { remove($_) } $_ % 2 ? @ids[30 .. 59] : reverse @ids[30 .. 59]], atomic => false) } 1 .. 4),
    (map { wire(PUT => "/products/$_", { price => 99 }, token => $token) } @ids[30 .. 39]));
@answers = patiently(\@requests, [$server->burst(@requests)]);
is(scalar(grep { $_->{status} == 200 } @answers[0 .. 3]), 4, 'batches without atomic all succeed');
is(scalar(grep { $_->{status} == 200 } map { @{ $_->{json}{results} } } @answers[0 .. 3]), 30, 'each product is deleted once');
is(scalar(grep { $_->{status} !~ /^(?:200|404)$/ } @answers[4 .. 13]), 0, 'single updates succeed, or find no product');
is(keys %{ rows() }, 0, 'no product is left');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# ---- a child is killed ----

my ($keep) = made('keep');
my ($all, $none) = (0, 0);
for my $round (1 .. 12) {
    my ($gone) = made("gone $round");
    my $socket = $server->connection;
    print {$socket} request([update($keep, $round, "kept $round"), (map { create("new $round") } 1 .. 400), remove($gone)]);
    sleep 0.002 * $round;
    kill KILL => $server->children;
    close $socket;
    insist(wire(GET => '/products?limit=1'));
    # One state of the database: a new child may still find the request in the queue of its socket.
    my $rows = rows();
    my $created = grep { /^new $round / } values %$rows;
    my $is_stored = $created > 0;
    is($created, $is_stored ? 400 : 0, "round $round: all or none of the products are created");
    is($rows->{$keep} eq "kept $round $round" ? 1 : 0, $is_stored ? 1 : 0, "round $round: so is the update");
    is(exists $rows->{$gone} ? 0 : 1, $is_stored ? 1 : 0, "round $round: so is the deletion");
    $is_stored ? $all++ : $none++;
}
note "$all batches were stored, $none were not";
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# ---- the database ends the session, or a child is killed, while a batch has done half of its work ----

if ($engine) {
    my $is_mysql = driver eq 'mysql';
    my $in_the_middle = sub {
        my ($name, $do) = @_;
        my ($one, $two) = made("one $name", "two $name");
        my $db = $server->database;
        $db->begin_work if !$is_mysql;
        $db->do($is_mysql ? 'LOCK TABLES product_deltas READ' : 'LOCK TABLE product_deltas IN EXCLUSIVE MODE');
        my $waiting = $is_mysql ? q(SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table%lock%')
            : q(SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock');
        my $socket = $server->connection;
        print {$socket} request([update($one, 5, "new $name"), (map { create("more $name") } 1 .. 3), remove($two)]);
        ok(wait_until(20, sub { $engine->admin->selectrow_array($waiting) }), "$name: the batch waits for another program after its update");
        $do->();
        eval { $is_mysql ? $db->do('UNLOCK TABLES') : $db->rollback };
        my $r = CatalogTest::Http::parse(join '', readline $socket);
        insist(wire(GET => '/products?limit=1'));
        my $rows = rows();
        return ($r, $rows->{$one}, scalar(grep { /^more $name / } values %$rows), exists $rows->{$two} ? 1 : 0);
    };
    my ($r, @left) = $in_the_middle->('cut', sub { $engine->cut });
    is($r->{status}, 200, 'a batch whose session was ended is run again');
    is_deeply(\@left, ['new cut 5', 3, 0], 'all of it is stored, once');

    ($r, @left) = $in_the_middle->('killed', sub { kill KILL => $server->children });
    is($r->{status}, 0, 'a batch whose child was killed has no answer');
    is_deeply(\@left, ['one killed 1', 0, 1], 'nothing of it is stored');
    is(problems(ctl_for($server, 'check')), '', 'all counts are right');
}

# ---- the database refuses a value ----

my ($eve) = made('adam');
if ($engine) {
    my $name = $server->database->selectrow_array(driver eq 'mysql' ? 'SELECT DATABASE()' : 'SELECT current_database()');
    driver eq 'mysql' ? $engine->admin->do("ALTER TABLE $name.products ADD CONSTRAINT no_eve CHECK (name <> 'eve')")
        : $server->database->do("ALTER TABLE products ADD CONSTRAINT no_eve CHECK (name <> 'eve')");
} else {
    $server->database->do(q(CREATE TRIGGER no_eve BEFORE UPDATE ON products WHEN new.name = 'eve'
        BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: no_eve'); END));
}
my @operations = (create('beside'), update($eve, 2, 'eve'), update($eve, 3, 'adam'));
my $r = $server->talk(request(\@operations));
is(join(' ', $r->{status}, map { $_->{status} } @{ $r->{json}{results} }), '400 424 400 424', 'a value that the database refuses takes all back');
$r = $server->talk(request(\@operations, atomic => false));
is(join(' ', $r->{status}, map { $_->{status} } @{ $r->{json}{results} }), '200 201 400 200', 'or fails by itself');
is(rows()->{$eve}, 'adam 3', 'what came after it is stored');

expect_log(qr/CAT003: .*no_eve/);
allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT003: /, qr/CAT00\d: /);
done_testing;
