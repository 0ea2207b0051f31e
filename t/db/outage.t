# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: GET /products/:id
# route: GET /health/live
# route: GET /health/ready
# case: 1 2
# db: mysql pgsql
# runs: first
# again: db
# The database server stops and comes back.
use CatalogTest;
use Time::HiRes qw(time);

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine, mount => 'CatalogMaxConnections 32'); # one of which is kept for readiness
my $token = forge();
my $outage = { success => false, message => qr/./, error => 'database unavailable' };
my $unknown = '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b';

sub create { wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }
sub total { $server->api(GET => '/products')->{json}{pagination}{total} }
sub is_out {
    my ($why) = @_;
    my $start = time;
    answers($server->talk($_->[1]), 503, $outage, "$why: $_->[0]", 'retry-after' => qr/^[1-9]\d*$/)
        for ['the list', wire(GET => '/products')], ['one product', wire(GET => $unknown)], ['a new one', create('lost')];
    answers($server->api(GET => '/health/ready'), 503,
        { success => false, message => 'Not ready', error => 'database unavailable' }, "$why: the server is not ready");
    answers($server->api(GET => '/health/live'), 200, undef, "$why: the server is live");
    my @many = $server->burst((wire(GET => $unknown), create('lost')) x 12);
    is(scalar(grep { $_->{status} == 503 } @many), 24, "$why: 24 requests at once get a 503");
    takes_less(time - $start, 3, "$why: no request waits for the database");
}

# Uses every connection that was opened before, and leaves some for jobs, which may have one each for longer: none fails, even once.
sub all_is_well {
    my ($why) = @_;
    my @answers = $server->burst((wire(GET => '/products')) x 20, map { create("$why $_") } 1 .. 7);
    is(join(' ', map { $_->{status} } @answers), join(' ', (200) x 20, (201) x 7), "$why: no client gets an error")
        or diag grep { !/dbd:error/ } ($server->log_text =~ /^.*:error\].*\n/mg)[-40 .. -1];
}

# case: the database is down when httpd starts; once it is up, the server creates the schema and all requests succeed
$server->make_databases;
$engine->kill;
$server->start;
is_out('down at the start');
$engine->start;
ok(wait_until(60, sub { $server->is_ready }), 'the schema is there'); # on a busy machine that takes longer than a request waits
all_is_well('up');
is(total(), 7, 'the database has exactly the acknowledged writes');
answers($server->api(GET => '/health/ready'), 200, undef, 'the server is ready');

# case: it is killed and restarted while pooled connections are idle: no client notices
for my $round (1 .. 2) {
    $server->burst((wire(GET => '/products')) x 24);
    $engine->kill;
    $engine->start;
    all_is_well("restarted $round");
}
is(total(), 21, 'each product is stored once');

# case: requests arrive while it is down; once it is up, no connection fails
my @before = $server->children;
$server->burst((wire(GET => '/products')) x 24);
$engine->kill;
my $killed = time;
is($server->api(GET => '/products')->{status}, 503, 'killed: the first request gets a 503');
cmp_ok(time - $killed, '>=', 1, 'after a second, in which a front can turn to another server');
$server->burst((wire(GET => '/products')) x 24); # so that each child knows
sleep 2;
is_out('killed');
$engine->start;
all_is_well('back');
is(total(), 28, 'the requests of the outage store nothing');

# case: it is killed in the middle of reads and writes
my @sockets = map { $server->connection } 1 .. 24;
my @sent = map { $_ % 3 ? wire(GET => '/products') : create("middle $_") } 0 .. 23;
print { $sockets[$_] } $sent[$_] for 0 .. 11;
$engine->kill;
print { $sockets[$_] } $sent[$_] for 12 .. 23;
my @statuses = map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } @sockets;
is(join(' ', grep { !/^(?:20[01]|50[03])$/ } @statuses), '', 'each request succeeds or gets a 500 or 503');
$engine->start;
all_is_well('afterwards');
my $served = grep { $_ == 201 } @statuses;
my $there = grep { $_->{name} =~ /^middle/ } @{ $server->api(GET => '/products?limit=100')->{json}{data} };
cmp_ok($there, '>=', $served, 'the database has every acknowledged write');
my %now = map { $_ => 1 } $server->children; # to which httpd may have added one
is(join(' ', grep { !$now{$_} } @before), '', 'no child crashes') if mpm() ne 'prefork';

# case: it is killed while it runs a write that commits by itself, and a transaction before its commit
my $slow = driver eq 'pgsql' ? q(CREATE FUNCTION slow() RETURNS trigger AS $$BEGIN PERFORM pg_sleep(20); RETURN NEW; END$$ LANGUAGE plpgsql) : undef;
my $db = $server->database;
$db->do($slow) if $slow;
$db->do("CREATE TRIGGER slow_$_ BEFORE INSERT ON $_ FOR EACH ROW " . ($slow ? 'EXECUTE FUNCTION slow()' : 'SET @slept = SLEEP(20)')) for qw(login_failures outbox);
@sockets = map { $server->connection } 1, 2;
print { $sockets[0] } wire(POST => '/auth/login', { username => 'eve', password => 'battery staple' });
print { $sockets[1] } wire(POST => '/register', { username => 'ada', email => 'ada@example.com', password => 'correct horse' });
sub running { $engine->admin->selectrow_array(driver eq 'pgsql' ? q(SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep')
    : q(SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep')) }
ok(wait_until(4, sub { running() == 2 }), 'two writes are running');
$engine->kill;
my ($single, $whole) = map { join '', readline $_ } @sockets;
like($single, qr{^HTTP/1\.1 500 .*\r\nRetry-After: [1-9].*may have been stored or not}si, 'the answer to a single write is a 500, which says so');
like($whole, qr{^HTTP/1\.1 503 .*\r\nRetry-After: [1-9].*database unavailable}si, 'that to a transaction which was not committed is a 503');
$engine->start;
ok(wait_until(60, sub { $server->is_ready }), 'the server is ready again');
is($server->database->selectrow_array('SELECT COUNT(*) FROM users'), 0, 'the transaction is not stored');

expect_log(qr/CAT002: /);
allow_log(qr/\[dbd:error\]/, qr/CAT00[35]: /);
done_testing;
