# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: GET /health/live
# route: GET /health/ready
# case: 12 14 15
# db: mysql pgsql
# runs: first
# moves: catalog_database_connection_failures_total busy (mysql event worker)
# again: db
# The database server, or the network to it, hangs: it neither refuses nor answers.
use CatalogTest;
use CatalogTest::Metrics qw(location moved_since);
use IO::Select ();
use IO::Socket::INET ();
use List::Util qw(max);
use Time::HiRes qw(time);

my $MAX = 3;
my $few = mpm() eq 'prefork' ? 'MaxRequestWorkers 12' : 'MaxRequestWorkers 64'; # httpd starts no more children
my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine, mount => "CatalogMaxConnections $MAX", conf => $few)->start;
my $token = register($server)->{token};
my $late = server(engine => $engine, conf => location() . CatalogTest::Server::one_child());
$late->make_databases;
my $list = wire(GET => '/products');

# The server answers requests that need no database at once.
sub is_responsive {
    my ($server, $why) = @_;
    $server->write($server->dir . '/htdocs/index.html', "outside\n");
    my $start = time;
    is($server->api(GET => '/index.html', mount => '')->{status}, 200, "$why: a file is served");
    answers($server->api(GET => '/health/live'), 200, undef, "$why: the server is live");
    takes_less(time - $start, 1, "$why: both answers take less than a second");
}

# case: the engine hangs: in each child, as many requests as it may have connections hang; all others are refused within seconds
$server->burst(($list) x 24);
if (mpm() ne 'prefork') { # whose children have one request each
    my $children = $server->children;
    $engine->hang;
    my $start = time;
    my @sockets = map { my $socket = $server->connection; print {$socket} $list; $socket } 1 .. 20; # a child has threads left for others
    is_responsive($server, 'while the database hangs');
    is_responsive($late->start_unready, 'a server that starts now');
    my @early = map { my $socket = $late->connection; print {$socket} $list; $socket } 1 .. 3;
    my $stuck = IO::Select->new(@sockets);
    my %status;
    # In a child that starts now, requests wait three seconds for the first one to connect.
    while (my @ready = $stuck->can_read(max(0, 6 - (time - $start)))) {
        for my $socket (@ready) {
            $stuck->remove($socket);
            $status{ join('', readline $socket) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 }++;
        }
    }
    cmp_ok($stuck->count, '<=', $MAX * $children, 'at most CatalogMaxConnections requests of each child hang');
    is(join(' ', grep { $_ != 503 } keys %status), '', 'all other requests get a 503') or diag explain \%status;
    is_responsive($server, 'after the refusals');
    is_responsive($late, 'the server that has started');
    # PostgreSQL's library gives up before the other requests do.
    my $reason = driver eq 'pgsql' ? 'down' : 'busy';
    moved_since($late, {}, { qq(catalog_database_connection_failures_total{reason="$reason"}) => ['>=', 1] },
        'its metrics count who waited for another thread to connect');

    # case: the engine resumes: the requests that hung are answered, and all others succeed
    $engine->resume;
    my @late = map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } $stuck->handles;
    is(join(' ', grep { !/^(?:200|503)$/ } @late), '', 'the requests that hung get a 200 or 503');
}
else {
    $engine->hang;
    my @stuck = map { my $socket = $server->connection; print {$socket} $list; $socket } 1 .. 2;
    is_responsive($server, 'while the database hangs');
    is_responsive($late->start_unready, 'a server that starts now');
    $engine->resume;
    is(join(' ', grep { join('', readline $_) !~ m{^HTTP/1\.1 200 } } @stuck), '', 'the requests that hung are served');
}
is(join(' ', grep { $_->{status} != 200 } $server->burst(($list) x 6)), '', 'all new requests are served');
ok(wait_until(10, sub { $late->api(GET => '/products')->{status} == 200 }), 'the server that started meanwhile serves requests');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 201, undef, 'a write succeeds');
$server->stop;

# case: the peer accepts the connection and stays silent: every request gets a 5xx within the connect time-out
my $mute = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 100, Proto => 'tcp') or die $!;
my $params = $server->params =~ s/port=\K\d+/$mute->sockport/er;
if (driver eq 'mysql') {
    $server->write($server->dir . '/my.cnf', "[catalog]\nconnect-timeout=1\n");
    $params .= ',group=catalog';
    $ENV{MYSQL_HOME} = $server->dir;
}
my $lost = server(conf => qq(DBDParams "$params"\n), engine => $engine)->start_unready;
my @answers = $lost->burst(($list) x (mpm() eq 'prefork' ? 4 : 16)); # a prefork child serves one at a time
is(join(' ', grep { $_->{status} != 503 } @answers), '', 'mute: all requests get a 503');
takes_less(max(map { $_->{took} } @answers), 5, 'mute: no request waits five seconds');
is_responsive($lost, 'mute');
answers($lost->api(GET => '/health/ready'), 503, undef, 'mute: the server is not ready');
my $stop = $lost->stop;
takes_less($stop, 5, 'mute: the server stops within five seconds');

expect_log(qr/CAT002: /);
expect_log(qr/CAT001: /) if mpm() ne 'prefork';
# AH00045: a child that waits for the database when the server stops.
allow_log(qr/\[dbd:error\]/, qr/CAT0(?:0[1358]|56): /, qr/AH00(?:045|161): /);
done_testing;
