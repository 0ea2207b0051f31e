# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: GET /products
# case: 6 7
# db: sqlite3
# runs: first
# again: mpm
# Another process locks the database: a backup, a shell, another server, the children from before a restart.
use CatalogTest;
use List::Util qw(max);
use Time::HiRes qw(time sleep);

my $server = server()->start;
my $token = register($server)->{token};
my $db = $server->database;

sub create { return wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }
sub total { return $server->api(GET => '/products')->{json}{pagination}{total} }
sub timed { my $start = time; my @r = $_[0]->(); return ($r[0], time - $start) }

# A lock of one second: the write waits. A busy machine may hold it for longer than a write waits; then there is another try.
my ($start, $read, $took, $answer);
for my $try (1 .. 10) {
    $db->do('BEGIN IMMEDIATE');
    my $socket = $server->connection;
    $start = time;
    print {$socket} create('patient');
    ($read, $took) = timed(sub { $server->api(GET => '/products') });
    sleep max(0, 1 - (time - $start));
    $db->do('COMMIT');
    my $held = time - $start;
    $answer = join '', <$socket>;
    last if $held < 1.5 || $answer =~ /^HTTP\S+ 201 /;
}
answers($read, 200, undef, 'a read does not wait');
takes_less($took, 0.8, 'the read takes less than a second');
like($answer, qr{^HTTP/1\.1 201 }, 'a write succeeds once the lock is released');
cmp_ok(time - $start, '>=', 1, 'the write waits for the lock');
is(total(), 1, 'the write is stored');

# A lock that lasts too long: the write fails, and nothing is stored.
$db->do('BEGIN IMMEDIATE');
(my $refused, $took) = timed(sub { $server->talk(create('impatient')) });
answers($refused, 503, { success => false, message => qr/./, error => 'database unavailable' },
    'a write that waits too long gets a 503', 'retry-after' => qr/^[1-9]\d*$/);
takes_less($took, 4, 'the write waits less than four seconds');
my @writers = $server->burst(map { create("w$_") } 1 .. 8);
my %statuses = map { $_->{status} => 1 } @writers;
is_deeply([grep { $_ != 503 } keys %statuses], [], 'several writes get a 503');
is(scalar(grep { !$_->{headers}{'retry-after'} } @writers), 0, 'each refused write has Retry-After');
my ($longest) = sort { $b <=> $a } map { $_->{took} } @writers;
takes_less($longest, 6, 'no write waits six seconds');
($read, $took) = timed(sub { $server->api(GET => '/products') });
answers($read, 200, undef, 'a read is served');
takes_less($took, 0.8, 'the read does not wait');
is(register_status(), 503, 'a registration gets a 503');
$db->do('ROLLBACK');
sub register_status { return $server->api(POST => '/register',
    { username => fresh(), email => fresh() . '@example.com', password => 'x' x 8 })->{status} }

is(total(), 1, 'the refused requests store nothing');
answers($server->talk(create('next')), 201, undef, 'a write succeeds once the lock is released');
is(register_status(), 201, 'a registration succeeds once the lock is released');

# A write that arrives while another one waits has the same time limit, which starts on arrival, not with its turn.
$db->do('BEGIN IMMEDIATE');
my $first = $server->connection;
print {$first} create('first');
sleep 0.7;
my $second = $server->connection;
print {$second} create('second');
like(join('', <$first>), qr{^HTTP/1\.1 503 }, 'the first write reaches its limit');
$start = time;
like(join('', <$second>), qr{^HTTP/1\.1 503 }, 'the write behind it reaches its own limit');
takes_less(time - $start, 1.5, 'which began when it came');
$db->do('ROLLBACK');

# A write whose turn comes just before its limit still gets a moment to take the lock. Again, if the machine let that moment pass.
my @second;
for (1 .. 5) {
    $db->do('BEGIN IMMEDIATE');
    my @both = map { my $socket = $server->connection; print {$socket} create("both $_"); sleep 0.02; $socket } 1, 2;
    like(join('', readline $both[0]), qr{^HTTP/1\.1 503 }, 'the first of two writes reaches its limit');
    sleep 0.2;
    $db->do('ROLLBACK');
    push @second, join('', readline $both[1]) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0;
    last if $second[-1] == 201;
}
is($second[-1], 201, 'the second write succeeds');

# Writes from before and after a graceful restart share one queue: the limit of each starts on its arrival.
sub generations { scalar(() = $server->log_text =~ /resuming normal operations/g) }

# Again, if the machine took so long to restart that the second one reached its limit, too.
my @new;
for my $try (1 .. 5) {
    my $restarts = generations();
    $db->do('BEGIN IMMEDIATE');
    my $old = $server->connection;
    print {$old} create("old $try");
    sleep 1;
    $server->graceful;
    ok(wait_until(10, sub { generations() > $restarts }), 'the server restarts gracefully');
    my $new = $server->connection;
    print {$new} create("new $try");
    like(join('', <$old>), qr{^HTTP/1\.1 503 }, 'the write from before the restart reaches its limit');
    $db->do('ROLLBACK');
    push @new, join('', <$new>) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0;
    last if $new[-1] == 201;
}
is($new[-1], 201, 'the write from after the restart succeeds within its own limit');

# A long read transaction blocks no writer.
$db->do('BEGIN');
my $seen = $db->selectrow_array('SELECT COUNT(*) FROM products');
my @made = $server->burst(map { create("r$_") } 1 .. 8);
is(scalar(grep { $_->{status} == 201 } @made), 8, 'writes succeed beside a read transaction');
is($db->selectrow_array('SELECT COUNT(*) FROM products'), $seen, 'the read transaction still sees its snapshot');
$db->do('COMMIT');
is(total(), $seen + 8, 'all products are stored');
$db->do('BEGIN IMMEDIATE');
ok(1, 'the server leaves no lock behind');
$db->do('ROLLBACK');

expect_log(qr/CAT003: .*database is locked/);
allow_log(qr/CAT008: /);
done_testing;
