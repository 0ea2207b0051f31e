# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# case: 12 13
# runs: first
# moves: catalog_database_connection_failures_total limit (event worker)
# moves: catalog_database_connection_wait_seconds (event worker)
# again: mpm pgsql
use CatalogTest;
use CatalogTest::Metrics qw(location moved_since);
use IO::Select ();
use IO::Socket::INET ();
use POSIX ();
use Socket qw(SOL_SOCKET SO_RCVBUF);

# Slow queries, few connections: some requests succeed, the others get a 503 with Retry-After; none hangs.
# Under prefork each request has a child: readiness finds one that is free.
my $server = server(mount => 'CatalogMaxConnections 3', conf => "CatalogCacheSize 0\n" . location() . <<'END')->start;
<IfModule mpm_prefork_module>
    StartServers    30
    MinSpareServers 30
</IfModule>
END
my $token = register($server)->{token};
my $db = $server->database;
$server->api(POST => '/products', { name => 'x', price => 1 }, token => $token);
my $rows = mpm() eq 'prefork' ? int 50_000 / slowness() : 400_000; # prefork runs all at once

# A view of the products that takes long. MariaDB takes no name of an index for a view, so there another session locks the table for a while.
my @lockers;
sub slow_down {
    return if driver ne 'mysql';
    pipe my $locked, my $tell or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        my $other = $server->database;
        $other->do('LOCK TABLES products WRITE');
        syswrite $tell, 'x';
        sleep 2;
        $other->do('UNLOCK TABLES');
        POSIX::_exit(0);
    }
    sysread $locked, my $mark, 1;
    push @lockers, $pid;
}
$db->do($_) for driver eq 'mysql' ? () : ('ALTER TABLE products RENAME TO goods', qq(
    CREATE VIEW products AS SELECT goods.* FROM goods, (
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows) SELECT MAX(i) AS rows_read FROM n) slow));
slow_down();
my $single = $server->talk(wire(GET => '/products'));
answers($single, 200, sub { @{ $_[0]{data} } == 1 }, 'a slow query succeeds');

# Each asks for another list, because one read may answer requests for the same.
slow_down();
my @answers = $server->burst(map { wire(GET => "/products?limit=$_") } 1 .. 50);
my %count;
$count{ $_->{status} }++ for @answers;
is(($count{200} // 0) + ($count{503} // 0), 50, 'each gets a 200 or a 503') or diag explain \%count;
cmp_ok($count{200} // 0, '>=', 2, 'at least two requests are served');
my @later = grep { $_->{status} == 503 } @answers;
cmp_ok(scalar @later, '>', 0,
    'at least one request gets a 503') if mpm() ne 'prefork'; # whose children have one connection each
answers($_, 503, refusal(error => qr/busy/), 'the 503 has Retry-After', 'retry-after' => qr/^[1-9]\d*$/) for @later;
my ($longest) = sort { $b <=> $a } map { $_->{took} } @answers;
takes_less($longest, 15, 'no request hangs');
answers($server->api(GET => '/products?limit=1'), 200, undef, 'the next request is served');

# Readiness has a connection of its own, and does not wait for those who wait for the others.
slow_down();
my @crowd = map { my $socket = $server->connection; print {$socket} wire(GET => "/products?limit=$_"); $socket } 51 .. 70;
my $waiting = IO::Select->new(@crowd);
answers($server->api(GET => '/health/ready'), 200, undef, 'a busy server is ready');
cmp_ok(scalar(() = $waiting->can_read(0)), '<', @crowd, 'it says so before all of them are served') if mpm() ne 'prefork';
$_->sysread(my $answer, 65536) for @crowd;
waitpid $_, 0 for @lockers;
my $waiters = ['>=', scalar @later]; # or jobs
moved_since($server, {}, { 'catalog_database_connection_failures_total{reason="limit"}' => $waiters,
    catalog_database_connection_wait_seconds_count => $waiters }, 'the metrics count who waited for a connection, and got none') if mpm() ne 'prefork';
$server->stop;

# Slow readers hold no connection: a large page, small buffers, one connection a child.
$server = server(mount => 'CatalogMaxConnections 1', conf => <<'END')->start;
SendBufferSize 4096
<IfModule mpm_prefork_module>
    StartServers 30
</IfModule>
END
$token = register($server)->{token};
my %large = (name => "\x{1fad6}" x 200, price => 1, category => "\x{1fad6}" x 100);
$server->api(POST => '/products', \%large, token => $token) for 1 .. 100;
my @slow = map {
    my $socket = IO::Socket::INET->new(Proto => 'tcp', PeerAddr => '127.0.0.1', PeerPort => $server->port);
    $socket->setsockopt(SOL_SOCKET, SO_RCVBUF, 2048);
    print {$socket} wire(GET => '/products?limit=100');
    $socket;
} 1 .. 20;
ok(wait_until(20, sub { @slow == (() = IO::Select->new(@slow)->can_read(0)) }), 'twenty slow clients have answers to read');
answers($server->api(GET => '/products?limit=1'), 200, undef, 'a read beside them is served');
answers($server->api(POST => '/products', \%large, token => $token), 201, undef, 'a write beside them succeeds');
my $text = join '', readline $slow[0];
like($text, qr{^HTTP/1\.1 200 .*\}$}s, 'a slow client receives the whole answer');
close $_ for @slow; # or httpd waits for them to read on

expect_log(qr/CAT001: /) if mpm() ne 'prefork';
done_testing;
