# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: GET /products
# case: 4 18
# db: mysql pgsql
# again: db
# Products that are created at once share a transaction, or a statement: each succeeds or fails by itself, and is counted.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Metrics qw(location scrape);
use CatalogTest::Tools qw(wait_until);
use Time::HiRes qw(sleep);

my $engine = CatalogTest::Database::engine();
# On PostgreSQL, products without words share a statement.
my $index = driver eq 'pgsql' ? 'none' : 'category price name rating search';
my $server = server(engine => $engine, conf => location(), mount => "CatalogMaxConnections 32\nCatalogIndex $index")->start;
my $token = register($server)->{token};
my @ids;

sub create { return wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }
sub statuses { my %n; $n{ $_->{status} }++ for @_; return join ', ', map { "$n{$_} $_" } sort keys %n }
sub stored { return sort @{ $server->database->selectcol_arrayref('SELECT id FROM products') } }

# On PostgreSQL, xmin is the transaction that has inserted the row.
sub transactions {
    return driver eq 'pgsql' ? $server->database->selectrow_array('SELECT COUNT(DISTINCT xmin::text) FROM products')
        : ($engine->admin->selectrow_array(q(SHOW GLOBAL STATUS LIKE 'Com_commit')))[1];
}

# Those in the queue wait for a request that writes for them, of which each child may have one; but not for longer than a second. On a slow
# machine they may be gone before anybody has looked.
my $are_queued;

sub most_wait {
    my ($count) = @_;
    return $are_queued = scrape($server)->{catalog_database_write_queue} >= $count / 2;
}

# All arrive while another program locks the end of the list, for some seconds at least; then do what is given.
sub once {
    my ($seconds, $requests, $do) = @_;
    my $db = $server->database;
    $db->do('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ') if driver eq 'mysql';
    $db->begin_work;
    $db->do(driver eq 'pgsql' ? 'LOCK TABLE products IN SHARE MODE' : 'SELECT id FROM products WHERE n > 1 FOR UPDATE');
    my @sockets = map { my $socket = $server->connection; print {$socket} $_; $socket } @$requests;
    wait_until(1, sub { most_wait(scalar @$requests) }) if mpm() ne 'prefork'; # whose children have one request each
    sleep $seconds;
    $do->() if $do;
    eval { $db->rollback };
    my @answers = map { CatalogTest::Http::parse(join '', readline $_) } @sockets;
    push @ids, map { $_->{json}{data}{id} } grep { $_->{status} == 201 } @answers;
    return @answers;
}

# On a busy machine the lock may be held for longer than the server waits for it.
sub together {
    my (@args) = @_;
    my ($tries, @answers) = (0);
    do { @answers = once(@args) } while ((grep { $_->{status} == 503 } @answers) && ++$tries < 5 && slowness() > 2);
    return @answers;
}

sub right {
    my ($name) = @_;
    is_deeply([stored()], [sort @ids], "$name: each is there once");
    is($server->api(GET => '/products')->{json}{pagination}{total}, scalar @ids, "$name: the total is right");
    is(problems(ctl_for($server, 'check')), '', "$name: so are all counts");
}

push @ids, $server->talk(create('first'))->{json}{data}{id};

# case: many at once share a transaction
# On a busy machine few may have arrived when the first one goes on.
my $count = 40;
for my $try (1 .. (mpm() eq 'prefork' ? 1 : 5)) {
    my $before = transactions();
    is(statuses(together(0.3, [map { create("shared $_") } 1 .. 40])), '40 201', 'forty products are created');
    last if ($count = transactions() - $before) < 40;
}
if ($are_queued || mpm() ne 'prefork' && slowness() < 3) {
    cmp_ok($count, '<', 40, 'by fewer transactions');
}
right('shared');

# case: the database refuses one of them
$server->database->do(q(ALTER TABLE products ADD CONSTRAINT no_eve CHECK (name <> 'eve')));
is(statuses(together(0.3, [map { create($_ == 7 ? 'eve' : "beside $_") } 1 .. 20])), '19 201, 1 400', 'only that one fails');
right('refused');

# case: the lock is held for longer than anyone waits for the others
is(statuses(together(1.5, [map { create("late $_") } 1 .. 20])), '20 201', 'all are created when it is released');
right('late');

# case: the database ends the sessions that insert
sub cut {
    my $admin = $engine->admin;
    my $waiting = $admin->selectcol_arrayref(driver eq 'pgsql'
        ? q(SELECT pid FROM pg_stat_activity WHERE query LIKE 'INSERT INTO products%' AND wait_event_type = 'Lock')
        : q(SELECT id FROM information_schema.processlist WHERE info LIKE 'INSERT INTO products%'));
    cmp_ok(scalar @$waiting, '>', 0, 'sessions wait');
    $admin->do(driver eq 'pgsql' ? "SELECT pg_terminate_backend($_)" : "KILL $_") for @$waiting;
}
is(statuses(together(0.3, [map { create("cut $_") } 1 .. 20], \&cut)), '20 201', 'and run again when they are cut off');
right('cut');

expect_log(qr/CAT003: .*no_eve/);
allow_log(qr/\[dbd:error\]/, qr/CAT003: /);
done_testing;
