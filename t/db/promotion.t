# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: GET /health/ready
# db: pgsql
# runs: first
# again: db
# A stand-by of PostgreSQL is promoted while the former primary goes on: libpq connects to it first, and it accepts writes.
use CatalogLoad;
use CatalogTest;
use CatalogTest::Tools qw(new_dir);
use Time::HiRes qw(sleep time);

my $BOUND = 10; # seconds after the promotion, from which on the former primary acknowledges nothing
my $token = forge();

sub stored { my ($engine, $server) = @_; return { map { $_ => 1 } @{ $engine->connect($server->database_named->{name})->selectcol_arrayref('SELECT name FROM products') } } }

# Writes until the time; the result has [status, sent, answered, name] for each request.
sub write_until {
    my ($client, $number, $until) = @_;
    my @results;
    while ((my $sent = time) < $until) {
        my $name = join '-', 'writer', $number, scalar @results;
        my $r = $client->ask(POST => '/products', { name => $name, price => 1 }, token => $token);
        push @results, [$r->{status}, $sent, time, $name];
        sleep 0.02;
    }
    return \@results;
}

sub names { map { $_->[3] } @_ }
sub by_status { my ($status, @results) = @_; return grep { $_->[0] == $status } @results }
sub statuses { my %seen; $seen{ $_->{status} }++ for @_; return join ' ', map { "$_: $seen{$_}" } sort keys %seen }

my $former = CatalogTest::Database::engine();
my $promoted = $former->add_stand_by(new_dir());
my $server = server(engine => $former);
$server->make_databases;
$server->start;

# case: four writers follow the promotion within ten seconds, although the former primary lives
my $writers = clients($server, 4, sub { write_until(@_, time + $BOUND + 6) });
sleep 2;
my $behind = time;
$promoted->promote;
my $at = time;
my @results = map { @$_ } $writers->results;
my ($old, $new) = (stored($former, $server), stored($promoted, $server));
my @lost = grep { !$new->{ $_->[3] } } by_status(201, @results);
my ($last) = sort { $b <=> $a } map { $_->[2] - $at } @lost;
diag sprintf '%d of %d acknowledged writes are on the former primary alone; the last was acknowledged %.1f s after the promotion', scalar @lost,
    scalar by_status(201, @results), $last // 0;
is_deeply([grep { $_->[2] > $at + $BOUND } @lost], [], 'after ten seconds the former primary acknowledges no write');
my @late = grep { $_->[1] > $at + $BOUND } @results;
cmp_ok(scalar @late, '>', 20, 'the writers go on');
is(join(' ', grep { $_ != 201 } map { $_->[0] } @late), '', 'and succeed');
is_deeply([grep { $old->{$_} && !$new->{$_} } names(@late)], [], 'on the new primary');
is_deeply([grep { $old->{$_} || $new->{$_} } names(by_status(503, @results))], [], 'what got a 503 is stored nowhere');
answers($server->api(GET => '/health/ready'), 200, undef, 'the server is ready');

# case: after a restart of httpd, graceful or not, requests are served by the new primary at once
my $before = keys %{ stored($former, $server) };
$server->graceful;
my @answers;
for my $round (1 .. 8) {
    push @answers, $server->burst((wire(POST => '/products', { name => "graceful $round", price => 1 }, token => $token), wire(GET => '/products')) x 6);
    sleep 0.3;
}
is(statuses(@answers), '200: 48 201: 48', 'no request fails during a graceful restart');
$server->stop;
$server->start;
@answers = $server->burst((wire(POST => '/products', { name => 'restarted', price => 1 }, token => $token), wire(GET => '/products')) x 12);
is(statuses(@answers), '200: 12 201: 12', 'nor after a restart');
is(scalar keys %{ stored($former, $server) }, $before, 'nothing more is stored on the former primary');

# case: commits that wait for a stand-by are answered once another server is promoted; what may be stored gets a 500
my $next = $promoted->add_stand_by(new_dir());
my $other = server(engine => $promoted);
$other->make_databases;
$other->start;
ok(wait_until(20, sub { eval { stored($next, $other) } }), 'the next stand-by has the schema');
$promoted->admin->do($_) for q(ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (none)'), 'SELECT pg_reload_conf()';
ok(wait_until(20, sub { $promoted->admin->selectrow_array('SHOW synchronous_standby_names') }), 'commits wait');
$writers = clients($other, 4, sub { write_until(@_, time + $BOUND + 8) });
ok(wait_until(20, sub { $promoted->admin->selectrow_array(q(SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep')) }), 'a commit waits');
sleep 3;
$next->promote;
$at = time;
@results = map { @$_ } $writers->results;
$new = stored($next, $other);
my ($longest) = sort { $b <=> $a } map { $_->[2] - $at } @results[grep { $results[$_][1] < $at } 0 .. $#results];
diag sprintf 'the last request that waited was answered %.1f s after the promotion', $longest;
cmp_ok($longest, '<', $BOUND, 'requests that waited are answered');
@late = grep { $_->[1] > $at + $BOUND } @results;
cmp_ok(scalar @late, '>', 20, 'the writers go on');
is(join(' ', grep { $_ != 201 } map { $_->[0] } @late), '', 'and succeed');
is_deeply([grep { !$new->{$_} } names(by_status(201, @results))], [], 'what was acknowledged is stored');
is_deeply([grep { $new->{$_} } names(by_status(503, @results))], [], 'what got a 503 is not');
is(join(' ', grep { !/^(?:201|500|503)$/ } map { $_->[0] } @results), '', 'nothing else happens');

expect_log(qr/CAT065: .* timeline 1, .* timeline 2/, qr/CAT065: .* timeline 2, .* timeline 3/);
allow_log(qr/\[dbd:error\]/, qr/CAT00[0-9]: /);
done_testing;
