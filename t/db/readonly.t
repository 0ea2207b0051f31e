# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: POST /register
# route: GET /health/ready
# case: 9
# db: mysql pgsql
# runs: first
# again: db
# The database server accepts no writes: it is a replica, or an administrator has made it read-only.
use CatalogTest;

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine)->start;
my $token = register($server)->{token};
my $refused = { success => false, message => 'Service unavailable', error => 'the database accepts no writes' };

sub create { $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token) }
sub tables { my $db = $server->database; map { scalar $db->selectrow_array("SELECT COUNT(*) FROM $_") } qw(products users outbox) }

# case: writes get a 503 and store nothing; reads succeed, and the server is not ready
is(create()->{status}, 201, 'a product is created');
my @before = tables();
$engine->read_only(1);
wait_until(5, sub { $server->api(GET => '/health/ready')->{status} == 503 });
answers($server->api(GET => '/health/ready'), 503,
    { success => false, message => 'Not ready', error => 'the database accepts no writes' }, 'the server is not ready');
answers(create(), 503, $refused, 'a write gets a 503', 'retry-after' => qr/^[1-9]\d*$/);
answers($server->api(POST => '/register', { username => 'late', email => 'late@example.com', password => 'x' x 8 }), 503,
    $refused, 'a transaction gets a 503', 'retry-after' => qr/^[1-9]\d*$/);
answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == 1 }, 'a read is served');
is(join(' ', tables()), "@before", 'the refused writes store nothing');

# case: as soon as it accepts writes again, they succeed on every connection
$engine->read_only(0);
wait_until(5, sub { $server->api(GET => '/health/ready')->{status} == 200 });
is(create()->{status}, 201, 'a write succeeds again') for 1 .. 8;
answers($server->api(GET => '/health/ready'), 200, undef, 'the server is ready again');

# case: sessions that were opened while the database was read-only are replaced once it accepts writes again
my $database = $server->database_named->{name};
my @requests = (wire(POST => '/products', { name => 'y', price => 1 }, token => $token), wire(GET => '/products')) x 12;
$engine->sessions_read_only($database, 1);
$engine->cut;
$server->burst(@requests); # may still meet the end of a session
my %seen;
$seen{ $_->{status} }++ for $server->burst(@requests);
is_deeply([sort keys %seen], [200, 503], 'new sessions read and refuse writes') or diag explain \%seen;
$engine->sessions_read_only($database, 0);
is(create()->{status}, 201, 'a write succeeds again') for 1 .. 8;
%seen = ();
$seen{ $_->{status} }++ for $server->burst(@requests);
is_deeply([sort keys %seen], [200, 201], 'on every connection') or diag explain \%seen;
ok(wait_until(5, sub { $server->api(GET => '/health/ready')->{status} == 200 }), 'the server is ready again');

# case: readiness alone replaces them, where a load balancer sends no writes meanwhile
$engine->sessions_read_only($database, 1);
$engine->cut;
wait_until(5, sub { $server->api(GET => '/products')->{status} == 200 });
$engine->sessions_read_only($database, 0);
ok(wait_until(10, sub { $server->api(GET => '/health/ready')->{status} == 200 }), 'the server gets ready');

expect_log(qr/CAT003: .*read[- ]only/i);
allow_log(qr/\[dbd:error\]/);
done_testing;
