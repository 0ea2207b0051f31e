# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# db: mysql pgsql
# again: db
# Products that are requested at once share a statement: each request gets what it asks for, as it is when the request comes.
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
    return $engine->admin->selectcol_arrayref(driver eq 'pgsql'
        ? q(SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT n, id, name%' AND wait_event_type = 'Lock')
        : q(SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for table%' AND info LIKE 'SELECT n, id, name%'));
}

sub ask {
    my ($server, @requests) = @_;
    return map { my $socket = $server->connection; print {$socket} $_; $socket } @requests;
}

# All requests come while another program has locked the table for some seconds; then do what is given.
sub together_on {
    my ($server, $seconds, $do, @requests) = @_;
    my $db = $server->database;
    $db->begin_work if driver eq 'pgsql';
    $db->do(driver eq 'pgsql' ? 'LOCK TABLE products IN ACCESS EXCLUSIVE MODE' : 'LOCK TABLES products WRITE');
    my @sockets = ask($server, @requests);
    sleep $seconds;
    $do->($db);
    driver eq 'pgsql' ? $db->commit : $db->do('UNLOCK TABLES');
    return map { CatalogTest::Http::parse(join '', readline $_) } @sockets;
}
sub together { my ($seconds, $do) = @_; return together_on($server, $seconds, $do, map { get($_) } @ids) }

# Returns the answers of an attempt that returns first how many reads there were for them. On a busy machine requests may wait for half
# a second, after which each reads alone: then there is another attempt.
sub shared {
    my ($attempt) = @_;
    my ($reads, @answers);
    for (1 .. 10) {
        ($reads, @answers) = $attempt->();
        next if grep { $_->{status} == 503 } @answers; # on a busy machine
        last if mpm() eq 'prefork' || $reads && $reads < @answers / 2; # prefork's children have one request each
    }
    cmp_ok($reads, '>', 0, 'there are reads');
    cmp_ok($reads, '<', @answers / 2, 'for several requests each') if mpm() ne 'prefork';
    return @answers;
}

sub right {
    my ($name, @answers) = @_;
    my @got = map { $_->{json}{data} ? "$_->{json}{data}{id} $_->{json}{data}{name}" : $_->{status} } @answers;
    is_deeply(\@got, [map { $name{$_} ? "$_ $name{$_}" : 404 } @ids], "$name: each gets its own");
}

# case: many at once
right('at once', shared(sub {
    my $sessions;
    my @answers = together(0.3, sub { $sessions = @{ waiting() } });
    return ($sessions, @answers);
}));

# case: the table is locked for longer than a request waits for others, which is half a second, but not for as long as it then waits for a
# connection, which is one
right('late', together(1, sub { }));

# case: the database ends the sessions that read
right('cut', together(0.3, sub {
    $engine->admin->do(driver eq 'pgsql' ? "SELECT pg_terminate_backend($_)" : "KILL $_") for @{ waiting() };
}));

# case: a product is changed while others read it
my ($id) = keys %name;
my @stale;
for my $n (1 .. 20) {
    my @others = ask($server, (get($id)) x 20);
    $server->talk(wire(PATCH => "/products/$id", { name => "name $n" }, token => $token));
    my $got = $server->talk(get($id))->{json}{data}{name};
    push @stale, "$got instead of name $n" if $got ne "name $n";
    readline $_ for @others;
}
is_deeply(\@stale, [], 'what is read after a write is not from before it');

# case: in one child, what others wait for fails
my $one_child = <<'END';
<IfModule !mpm_prefork_module>
    StartServers        1
    ServerLimit         1
    ThreadsPerChild     40
    MinSpareThreads     1
    MaxSpareThreads     40
    MaxRequestWorkers   40
</IfModule>
END
my $child = server(engine => $engine, mount => 'CatalogMaxConnections 32', conf => $one_child)->start;
my $one = get(create_on($child, register($child)->{token}, 'first name'));
my $logged = 0;
my $db = $child->database;
my @failed = shared(sub {
    my @answers = together_on($child, 0.3, sub { $_[0]->do('ALTER TABLE products RENAME TO named_products') }, ($one) x 30);
    $db->do('ALTER TABLE named_products RENAME TO products');
    my $before = $logged;
    $logged = () = $child->log_text =~ /CAT003: /g; # a line for each read
    return ($logged - $before, @answers);
});
is(join(' ', grep { $_ != 503 } map { $_->{status} } @failed), '', 'a product that cannot be read fails for all that ask for it');

# case: the database hangs: those that share its statements hang too, but no more of them than it has connections
if (mpm() ne 'prefork') {
    my $most = 4;
    my $few = server(engine => $engine, mount => "CatalogMaxConnections $most", conf => 'MaxRequestWorkers 64')->start;
    my $id = create_on($few, register($few)->{token}, 'product');
    $few->burst((get($id)) x 24);
    my $children = $few->children;
    $engine->hang;
    my $stuck = IO::Select->new(ask($few, (get($id)) x 40));
    my ($until, %status) = (time + 6);
    while (my @ready = $stuck->can_read(max(0, $until - time))) {
        for my $socket (@ready) {
            $stuck->remove($socket);
            $status{ join('', readline $socket) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 }++;
        }
    }
    cmp_ok($stuck->count, '<=', 2 * $most * $children, 'at most twice CatalogMaxConnections requests of each child hang');
    is(join(' ', grep { $_ != 503 } keys %status), '', 'all others get a 503') or diag explain \%status;
    $engine->resume;
    is(join(' ', grep { !/^(?:200|503)$/ } map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } $stuck->handles),
        '', 'when it resumes, those that hung get a 200 or 503');
}

allow_log(qr/CAT00[1256]: /, qr/CAT056: /, qr/\[dbd:error\]/, qr/CAT003: /);
done_testing;
