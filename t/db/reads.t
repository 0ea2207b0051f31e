# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# db: mysql pgsql
# Products that are requested at once share a statement: each request gets its own, as it is when the request comes.
use CatalogTest;
use IO::Select ();
use List::Util qw(max);
use Time::HiRes qw(sleep time);

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine, mount => 'CatalogMaxConnections 32')->start;
my $token = register($server)->{token};
my $absent = '01a1fdf9-d28a-7c59-b8ec-000000000000';

sub create_on {
    my ($server, $token, $name) = @_;
    return $server->talk(wire(POST => '/products', { name => $name, price => 1 }, token => $token))->{json}{data}{id};
}
sub create { return create_on($server, $token, $_[0]) }
sub get { return wire(GET => "/products/$_[0]") }

my %name = map { (create("product $_") => "product $_") } 1 .. 30;
my @ids = (keys %name, (keys %name)[0 .. 7], $absent, $absent);

# Sessions that wait for the table.
sub waiting {
    my ($columns) = @_;
    return $engine->admin->selectcol_arrayref(driver eq 'pgsql'
        ? q(SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT id, name%' AND wait_event_type = 'Lock')
        : q(SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for table%' AND info LIKE 'SELECT id, name%'));
}

# All requests come while another program has locked the table for some seconds; then do what is given.
sub together {
    my ($seconds, $do) = @_;
    my $db = $server->database;
    $db->begin_work if driver eq 'pgsql';
    $db->do(driver eq 'pgsql' ? 'LOCK TABLE products IN ACCESS EXCLUSIVE MODE' : 'LOCK TABLES products WRITE');
    my @sockets = map { my $socket = $server->connection; print {$socket} get($_); $socket } @ids;
    sleep $seconds;
    $do->();
    driver eq 'pgsql' ? $db->rollback : $db->do('UNLOCK TABLES');
    return map { CatalogTest::Http::parse(join '', readline $_) } @sockets;
}

sub right {
    my ($name, @answers) = @_;
    my @got = map { $_->{json}{data} ? "$_->{json}{data}{id} $_->{json}{data}{name}" : $_->{status} } @answers;
    is_deeply(\@got, [map { $name{$_} ? "$_ $name{$_}" : 404 } @ids], "$name: each gets its own");
}

# case: many at once
right('at once', together(0.3, sub {
    my $sessions = @{ waiting() };
    cmp_ok($sessions, '>', 0, 'sessions wait');
    cmp_ok($sessions, '<', @ids / 2, 'for several requests each') if mpm() ne 'prefork'; # whose children have one request each
}));

# case: the table is locked for longer than a request waits for others
right('late', together(1.5, sub { }));

# case: the database ends the sessions that read
right('cut', together(0.3, sub {
    $engine->admin->do(driver eq 'pgsql' ? "SELECT pg_terminate_backend($_)" : "KILL $_") for @{ waiting() };
}));

# case: a product is changed while others read it
my ($id) = keys %name;
my @stale;
for my $n (1 .. 20) {
    my @others = map { my $socket = $server->connection; print {$socket} get($id); $socket } 1 .. 20;
    $server->talk(wire(PATCH => "/products/$id", { name => "name $n" }, token => $token));
    my $got = $server->talk(get($id))->{json}{data}{name};
    push @stale, "$got instead of name $n" if $got ne "name $n";
    readline $_ for @others;
}
is_deeply(\@stale, [], 'what is read after a write is not from before it');

# case: the database hangs: those that share its statements hang too, but no more of them than it has connections
if (mpm() ne 'prefork') {
    my $most = 4;
    my $few = server(engine => $engine, mount => "CatalogMaxConnections $most", conf => 'MaxRequestWorkers 64')->start;
    my $id = create_on($few, register($few)->{token}, 'product');
    $few->burst((get($id)) x 24);
    my $children = $few->children;
    $engine->hang;
    my $stuck = IO::Select->new(map { my $socket = $few->connection; print {$socket} get($id); $socket } 1 .. 40);
    my ($until, %status) = (time + 6);
    while (my @ready = $stuck->can_read(max(0, $until - time))) {
        for my $socket (@ready) {
            $stuck->remove($socket);
            $status{ join('', readline $socket) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 }++;
        }
    }
    cmp_ok($stuck->count, '<=', 2 * $most * $children, 'at most twice CatalogMaxConnections requests of each child hang');
    is(join(' ', grep { !/^50[03]$/ } keys %status), '', 'all others get a 500 or 503') or diag explain \%status;
    $engine->resume;
    is(join(' ', grep { !/^(?:200|500)$/ } map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } $stuck->handles),
        '', 'when it resumes, those that hung get a 200 or 500');
}

allow_log(qr/CAT00[1256]: /, qr/CAT056: /, qr/\[dbd:error\]/, qr/CAT003: /);
done_testing;
