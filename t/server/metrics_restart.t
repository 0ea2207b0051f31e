# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# runs: first
# moves: catalog_database_connections (sqlite3)
# moves: catalog_database_write_queue (sqlite3 event worker)
# again: mpm
# Metrics over children, graceful restarts, killed children and a stop: nothing is lost, and no counter goes back.
use CatalogTest;
use CatalogTest::Metrics qw(location scrape moves moved_since);
use Time::HiRes qw(sleep time);

my $conf = location();
my $server = server(mount => '', conf => $conf)->start;
my %token = (token => forge());
my $get = 'catalog_requests_total{route="/products/:id",method="GET",code="4xx"}';
my $post = 'catalog_requests_total{route="/products",method="POST",code="2xx"}';

sub reads { return map { wire(GET => '/products/none') } 1 .. $_[0] }
sub create { return wire(POST => '/products', { name => 'x', price => 1 }, %token) }
sub settled { my ($series, $want) = @_; return wait_until(10, sub { (scrape($server)->{$series} // 0) == $want }) }
sub backwards { my ($before) = @_; my $by = moves($before, scrape($server)); return [grep { /_(?:total|bucket|count|sum)\b/ && $by->{$_} < 0 } keys %$by] }

# ---- several children ----

register($server);
$server->burst(reads(32)) for 1 .. 4;
ok(settled($get, 128), 'each request is counted once, whichever child serves it');
my $now = scrape($server);
is($now->{'catalog_request_duration_seconds_count{route="/products/:id",method="GET"}'}, 128, 'and is in the histogram');

# ---- graceful restarts ----

for my $round (1 .. 3) {
    my %old = map { $_ => 1 } $server->children;
    my $before = scrape($server);
    my @open = map { my $s = $server->connection; print {$s} substr(create(), 0, -1); $s } 1 .. 3;
    sleep 0.2; # a child has accepted them
    $server->graceful;
    ok(wait_until(10, sub { grep { !$old{$_} } $server->children }), "restart $round: there are new children");
    is_deeply(backwards($before), [], "restart $round: no counter has gone back");
    print {$_} '}' for @open;
    my @answers = map { my $s = $_; join '', <$s> } @open;
    is(scalar(grep { m{^HTTP/1\.1 201 } } @answers), 3, "restart $round: requests of old children are served");
    ok(settled($post, 3 * $round), "restart $round: and counted");
    $server->burst(reads(8));
    ok(settled($get, 128 + 8 * $round), "restart $round: so are those of new children");
}

# ---- killed children ----

my $before = scrape($server);
my $holder = driver eq 'sqlite3' && $server->database;
$holder->do('BEGIN IMMEDIATE') if $holder;
my @cut = map { my $s = $server->connection; print {$s} create(); $s } 1 .. 6;
my $queue = mpm() eq 'prefork' ? {} : { catalog_database_write_queue => ['>=', 1] };
moved_since($server, {}, { catalog_database_connections => ['>=', 1], %$queue }, 'writes that wait are in the gauges') if $holder;
kill KILL => $server->children;
$holder->do('ROLLBACK') if $holder;
ok(wait_until(10, sub { eval { $server->talk(create())->{status} == 201 } }), 'new children serve');
is_deeply(backwards($before), [], 'no counter has gone back');
ok(wait_until(10, sub { my $m = scrape($server); !grep { $m->{"catalog_$_"} != 0 } qw(database_connections database_write_queue password_hash_queue) }),
    'what the killed children had is no longer in the gauges');
cmp_ok(scrape($server)->{$get}, '>=', 152, 'what they counted is');

# ---- a stop ----

$server->stop;
$server->start;
is(scrape($server)->{$get} // 0, 0, 'after a stop the counts begin anew');

# ---- no mount, and no database ----

my $bare = server(mount => undef, conf => $conf)->start;
is(scrape($bare)->{catalog_password_hashes_total}, 0, 'a server without a mount has metrics');
my $nowhere = server(mount => qq(CatalogDatabase \@driver\@ "\@nowhere\@"), conf => $conf)->start;
my $start = time;
scrape($nowhere) for 1 .. 20;
takes_less(time - $start, 3, 'a reader of metrics does not wait for a database');

allow_kills();
allow_log(qr/CAT002: /, qr/CAT003: /, qr/CAT056: /, qr/CAT008: /);
done_testing;
