# SPDX-License-Identifier: Apache-2.0
# route: GET /products/export
# mpm: event worker
# runs: first
# lasts: 120
# An export ends, incomplete, when its client is too slow, when it has taken too long, and on SQLite when the -wal file has grown too large.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Ids qw(insert_products);
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Time::HiRes qw(sleep time);

use constant { PRODUCTS => 60_000, ONE => "StartServers 1\nServerLimit 1\nMaxRequestWorkers 32\nSendBufferSize 16384\n" };

sub filled {
    my ($settings) = @_;
    my $server = server(conf => ONE, mount => $settings)->start;
    $server->api(GET => '/products');
    my $db = $server->database;
    $db->do('SET SESSION max_recursive_iterations = 1000000') if driver eq 'mysql';
    for my $from (map { $_ * 20_000 } 0 .. PRODUCTS / 20_000 - 1) {
        insert_products($db, $from, $from + 20_000, '(1763717400000 + i) << 20', name => q('a product of the large catalogue'));
    }
    ctl_for($server, 'recount') if driver eq 'mysql';
    return $server;
}

# A client with small buffers, which has read the beginning.
sub begin_export {
    my ($server) = @_;
    my $socket = $server->connection;
    $socket->setsockopt(SOL_SOCKET, SO_RCVBUF, 4096);
    print {$socket} CatalogTest::Http::request_bytes('GET', '/api/products/export');
    sysread $socket, my ($text), 2000;
    return { socket => $socket, text => $text };
}

sub whole_export {
    my ($server) = @_;
    my $socket = $server->connection;
    print {$socket} CatalogTest::Http::request_bytes('GET', '/api/products/export');
    return CatalogTest::Http::read_all($socket);
}

# Reads 18 KB a second from each client until its server has ended the export. Returns the seconds that each took.
sub read_slowly {
    my (@pairs) = @_; # of a server and its client
    my ($begun, %took) = time;
    until (keys %took == @pairs || time - $begun > 120) {
        for my $i (grep { !defined $took{$_} } 0 .. $#pairs) {
            my ($server, $client) = @{ $pairs[$i] };
            sysread $client->{socket}, $client->{text}, 900, length $client->{text};
            $took{$i} = time - $begun if $server->log_text =~ /CAT081: /;
        }
        sleep 0.05;
    }
    return map { $took{$_} // 120 } 0 .. $#pairs;
}

sub rest { my ($c) = @_; return $c->{text} . CatalogTest::Http::read_all($c->{socket}) }
sub is_whole { $_[0] =~ /\r\n0\r\n\r\n\z/ }

sub is_stopped {
    my ($server, $client, $why, $name) = @_;
    my $text = rest($client);
    like($text, qr{^HTTP/1\.1 200 }, "$name: it began as a 200");
    ok(!is_whole($text), "$name: the client sees that it is incomplete");
    like($server->log_text, qr/CAT081: .*: an export ended before its last product: $why/, "$name: the log says why");
    ok(is_whole(whole_export($server)), "$name: a later export is complete");
    expect_log(qr/CAT081: .*$why/);
}

my @late = map { $_, begin_export($_) } filled("CatalogExportTimeout 12\n");
ok(is_whole(whole_export($late[0])), 'a client that reads on gets the whole file');
my @slow = map { $_, begin_export($_) } filled("CatalogExportRate 1000000\n");
my (undef, $too_slow) = read_slowly(\@late, \@slow);
takes_less($too_slow, 60, 'a client that reads 18 KB a second is too slow before a minute has passed');
is_stopped(@late, 'it has taken longer than CatalogExportTimeout', 'too late');
is_stopped(@slow, 'its client reads more slowly than CatalogExportRate', 'too slow');

if (driver eq 'sqlite3') {
    my $writes = filled("CatalogExportWAL 1048576\n");
    my $user = register($writes);
    my $wal = $writes->database->sqlite_db_filename . '-wal';
    my $client = begin_export($writes);
    my $before = -s $wal;
    my $batch = { operations => [map { { op => 'create', body => { name => "a product $_", price => $_ } } } 1 .. 500] };
    ok(wait_until(60, sub { $writes->api(POST => '/products/batch', $batch, token => $user->{token}); -s $wal > $before }), 'the -wal file grows');
    read_slowly([$writes, $client]);
    is_stopped($writes, $client, 'the -wal file has grown beyond CatalogExportWAL', 'too much is written');
}

done_testing;
