# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: GET /health/ready
# db: pgsql
# again: db
# runs: first
# A stand-by of PostgreSQL is promoted, and the former primary comes back: it accepts writes, and the parameters name it first.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Tools qw(new_dir);

my $primary = CatalogTest::Database::engine();
my $stand_by = $primary->add_stand_by(new_dir());
my $server = server(engine => $primary);
$server->make_databases;
my $token = forge();
my $not_ready = { success => false, message => 'Service unavailable', error => qr/^the (?:database is not ready|server is too busy); try again$/ };

sub create { wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }
sub statuses { join ' ', map { $_->{status} } @_ }
sub stored { my ($engine) = @_; return $engine->connect($server->database_named->{name})->selectrow_array('SELECT COUNT(*) FROM products') }

# case: requests follow the promotion
$server->start;
is(statuses($server->burst(map { create("before $_") } 1 .. 8)), join(' ', (201) x 8), 'the primary takes writes');
ok(wait_until(20, sub { (eval { stored($stand_by) } // 0) == 8 }), 'the stand-by has them');
$primary->kill;
$stand_by->promote;
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 }), 'the server uses the new primary');
is(statuses($server->burst(map { create("promoted $_") } 1 .. 8)), join(' ', (201) x 8), 'the new primary takes writes');

# case: a primary whose commits would wait for a stand-by that is not there is not ready
$stand_by->admin->do($_) for q(ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (other)'), 'SELECT pg_reload_conf()';
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 503 }), 'without a stand-by for commits the server is not ready');
answers($server->api(GET => '/health/ready'), 503,
    refusal(message => 'Not ready', error => 'no stand-by is connected that could confirm a commit'), 'the answer says why');
answers($server->api(GET => '/products'), 200, undef, 'reads are served');
like(problems(ctl_for($server, 'check')), qr/^database: cannot be written; no stand-by is connected that could confirm a commit$/m, 'catalogctl check says so, too');

# case: a stand-by that may not confirm commits, here for its name, is none; who may not read the names learns it from a commit that waits
my $unnamed = $stand_by->add_stand_by(new_dir());
my $waits = $stand_by->connect($server->database_named->{name});
$waits->do('CREATE TABLE waits (id INTEGER)', { pg_async => 1 });
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 503 }), 'the server is not ready once a commit waits');
$unnamed->stop;
$stand_by->admin->do($_) for 'ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()';
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 }), 'without that setting it is ready again');

# case: the former primary comes back: whatever connections are opened, each request is served by the new one
$primary->start;
my %seen;
for my $round (1 .. 4) {
    $seen{ $_->{status} }++ for $server->burst((create("back $round"), wire(GET => '/products')) x 12);
    $stand_by->cut; # so that all connections are opened anew
}
is(join(' ', grep { !/^(?:200|201|503)$/ } keys %seen), '', 'each request is served by the new primary or gets a 503') or diag explain \%seen;
is(stored($primary), 8, 'the former primary stores nothing');
is(stored($stand_by), 16 + ($seen{201} // 0), 'the new one has each product that was acknowledged');
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 }), 'the server is ready');

# case: a server that has only just started asks all hosts, and so does catalogctl
$server->stop;
$server->start;
is(statuses($server->burst(map { create("started $_") } 1 .. 8)), join(' ', (201) x 8), 'a new server uses the new primary, too');
register($server, username => 'ada');
is(ctl_for($server, qw(user lock ada))->{status}, 0, 'and so does catalogctl');
is($stand_by->connect($server->database_named->{name})->selectrow_array('SELECT COUNT(*) FROM users WHERE locked_at IS NOT NULL'), 1, 'which says the truth');
is(stored($primary), 8, 'the former primary stores nothing');

# case: if the new primary cannot be reached, the former one is refused, with the reason in the log
my $there = stored($stand_by);
$stand_by->kill;
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 503 }), 'the server is not ready');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 503, $not_ready, 'a write is refused',
    'retry-after' => qr/^\d+$/);
answers($server->api(GET => '/products'), 503, $not_ready, 'so is a read', 'retry-after' => qr/^\d+$/);
is(stored($primary), 8, 'the former primary stores nothing');

# case: if no host can be reached, nothing can be stored
$primary->kill;
my $outage = { success => false, message => 'Service unavailable', error => 'database unavailable' };
answers($server->api(@$_, token => $token), 503, $outage, "without a host, $_->[0] gets a 503", 'retry-after' => qr/^\d+$/)
    for [GET => '/products'], [POST => '/products', { name => 'x', price => 1 }];
$primary->start;

# case: once the former primary is stopped and the new one runs, everything goes on without a restart
$primary->stop;
$stand_by->start;
ok(wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 }), 'the server is ready again');
is(statuses($server->burst(map { create("after $_") } 1 .. 8)), join(' ', (201) x 8), 'writes succeed');
is(stored($stand_by), $there + 8, 'on the new primary');

expect_log(qr/CAT003: .* timeline 1, .* timeline 2/, qr/CAT065: .* timeline 1, .* timeline 2/);
allow_log(qr/\[dbd:error\]/, qr/CAT00[0-9]: /);
done_testing;
