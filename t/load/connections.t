# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# case: 12
# db: sqlite3
# mpm: event
# runs: last
# Fifty clients, two connections a child, and another process that locks the database: each request is answered within seconds.
use CatalogLoad;
use CatalogTest;
use List::Util qw(max);
use Time::HiRes qw(time);

my $few = { conf => "DBDKeep 2\nDBDMax 2\n", mount => 'CatalogMaxConnections 2' };

sub count { my %n; $n{ $_->{status} }++ for @_; return join ', ', map { "$n{$_} $_" } sort keys %n }
sub longest { return max(map { $_->{took} } @_) }

# ---- locked for writers ----

my $server = server(%$few)->start;
my $token = register($server)->{token};
my $write = wire(POST => '/products', { name => 'x', price => 1 }, token => $token);
my $read = wire(GET => '/products');

my $db = $server->database;
$db->do('BEGIN IMMEDIATE');
my $readers = clients($server, 5, sub {
    my ($client) = @_;
    return [map { my $r = $client->ask(GET => '/products'); { status => $r->{status}, took => $r->{took} } } 1 .. 200];
});
my @writers = $server->burst(($write) x 45);
my @readers = map { @$_ } $readers->results;
$db->do('ROLLBACK');

note sprintf 'writers: %s, longest %.1f s', count(@writers), longest(@writers);
note sprintf 'readers: %s, longest %.2f s', count(@readers), longest(@readers);
is(scalar(grep { $_->{status} != 503 } @writers), 0, 'each write is refused');
is(scalar(grep { ($_->{headers}{'retry-after'} // '') !~ /^[1-9]\d*$/ } @writers), 0, 'each refused write has Retry-After');
takes_less(longest(@writers), 5, 'no write waits five seconds');
is(count(@readers), '1000 200', 'all reads are served');
takes_less(longest(@readers), 2, 'no read waits two seconds');
is($server->api(GET => '/products')->{json}{pagination}{total}, 0, 'the refused writes store nothing');
is(count($server->burst(($write) x 45)), '45 201', 'once the lock is released all writes succeed');
$server->stop;

# ---- locked for all, from the start ----

$server = server(%$few)->start;
register($server); # creates the database
$server->stop;
$db = $server->database;
$db->do('PRAGMA locking_mode = EXCLUSIVE');
$db->do('BEGIN EXCLUSIVE');
$db->do('COMMIT'); # but keeps the lock
$server->start;
my @refused = $server->burst(($read) x 50);
note sprintf '%s, longest %.1f s', count(@refused), longest(@refused);
is(scalar(grep { $_->{status} != 503 } @refused), 0, 'each read is refused while the database is locked for all');
is(scalar(grep { ($_->{headers}{'retry-after'} // '') !~ /^[1-9]\d*$/ } @refused), 0, 'each refused read has Retry-After');
takes_less(longest(@refused), 5, 'no read waits five seconds');
$db->disconnect;
ok(wait_until(5, sub { $server->talk($read)->{status} == 200 }), 'once the lock is released a read is served');
is(count($server->burst(($read) x 50)), '50 200', 'once the lock is released all reads are served');

expect_log(qr/CAT003: .*database is locked/);
allow_log(qr/CAT001: /, qr/CAT008: /);
done_testing;
