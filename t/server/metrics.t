# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# runs: first
# moves: catalog_requests_total 2xx 3xx 4xx 5xx GET HEAD POST PUT PATCH DELETE OPTIONS other unknown
# moves: catalog_request_duration_seconds GET HEAD POST PUT PATCH DELETE OPTIONS other unknown
# moves: catalog_database_statements_total select write commit rollback
# moves: catalog_database_faults_total failed value
# moves: catalog_database_connection_failures_total down
# moves: catalog_database_write_wait_seconds
# moves: catalog_database_write_batch_size
# moves: catalog_cache_hits_total (sqlite3)
# moves: catalog_cache_misses_total (sqlite3)
# moves: catalog_cache_stored_total (sqlite3)
# moves: catalog_cache_invalidations_total product lists
# moves: catalog_cache_size_bytes
# moves: catalog_cache_used_bytes (sqlite3)
# moves: catalog_password_hashes_total
# moves: catalog_password_hash_queue
# moves: catalog_password_hash_wait_seconds
# moves: catalog_password_hash_refusals_total (event worker)
# moves: catalog_rate_limit_refusals_total login register mail refresh delay
# moves: catalog_token_failures_total request too_long malformed expired revoked invalid undecided
# moves: catalog_mails_pending
# moves: catalog_mails_dead
# moves: catalog_mails_oldest_age_seconds
# moves: catalog_mails_sent_total
# moves: catalog_mails_failed_total deferred refused expired
# moves: catalog_schema_version
# moves: catalog_build_info
# again: mpm
# hashes: real
# SetHandler catalog-metrics: every series counts what it says, over all children.
use CatalogLoad;
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Metrics qw(scrape moves moved moved_since judge);
use CatalogTest::Smtp;
use Time::HiRes qw(sleep time);

my $key = key_path;
my $smtp = CatalogTest::Smtp->new(scratch(), '--reply', 'never=550', '--reply', 'later=451');
my $mount = <<"END";
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
END
my $server = server(mount => <<"END1", conf => <<"END2")->start;
CatalogMail      @{[ $smtp->url ]}
CatalogMailFrom  shop\@catalog.test
CatalogBaseURL   https://shop.test
CatalogRateLimit login 100/60 register Off mail Off refresh 1/60
END1
CatalogHashConcurrency 1
TraceEnable Off
<IfModule mpm_prefork_module>
    StartServers 30
</IfModule>
<Location "/metrics">
    SetHandler catalog-metrics
</Location>
<Location "/admins">
    SetHandler      catalog-metrics
    AuthType        Catalog
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    Require         catalog-role admin
</Location>
<Location "/server-status">
    SetHandler server-status
</Location>
<Location "/nowhere">
$mount
    CatalogAudience nowhere
    CatalogDatabase \@driver\@ "\@nowhere\@"
</Location>
<Location "/limited">
$mount
    CatalogRateLimit login 3/60 register 1/60 mail 1/60
</Location>
<Location "/few">
$mount
    CatalogAudience       few
    CatalogDatabase       \@driver\@ "\@params:few\@"
    CatalogMaxConnections 1
</Location>
END2

sub request { my ($route, $method, $code) = @_; return qq(catalog_requests_total{route="$route",method="$method",code="$code"}) }
sub timed { my ($route, $method) = @_; return qq(catalog_request_duration_seconds_count{route="$route",method="$method"}) }
sub statement { my ($kind) = @_; return qq(catalog_database_statements_total{engine="${\driver}",kind="$kind"}) }
sub limit { return qq(catalog_rate_limit_refusals_total{limit="$_[0]"}) }
sub token_failure { return qq(catalog_token_failures_total{reason="$_[0]"}) }
sub mail_failure { return qq(catalog_mails_failed_total{reason="$_[0]"}) }
sub here { my ($method, $path, @more) = @_; return sub { $server->api($method => $path, @more) } }
sub counts { my ($what, $want, $name) = @_; return moved($server, $what, $want, $name) }

# ---- the handler ----

my $r = $server->api(GET => '/metrics', mount => '');
is_deeply([$r->{status}, @{ $r->{headers} }{qw(content-type cache-control vary x-content-type-options)}],
    [200, 'text/plain; version=0.0.4; charset=utf-8', 'no-store', 'Accept', 'nosniff'], 'GET returns text that nobody stores');
is(judge($r->{body}, qw(promtool check metrics)), '', 'promtool has nothing against it');
my $head = $server->api(HEAD => '/metrics', mount => '');
is("$head->{status} $head->{headers}{'content-type'} $head->{body}", "200 $r->{headers}{'content-type'} ", 'HEAD has no body');
for my $method (qw(POST PUT DELETE PATCH OPTIONS FOO)) {
    my $refused = $server->api($method => '/metrics', mount => '');
    is("$refused->{status} " . join(',', sort split /,/, $refused->{headers}{allow} // ''), '405 GET,HEAD', "$method is a 405 with Allow");
}
my $accept = sub { $server->api(GET => '/metrics', mount => '', headers => { Accept => $_[0] }) };
my $open = $accept->('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1');
is($open->{headers}{'content-type'}, 'application/openmetrics-text; version=1.0.0; charset=utf-8', 'OpenMetrics on request');
is(judge($open->{body}, '/usr/bin/python3', '-c', <<'END'), '', 'the parser of Prometheus\' client library takes it');
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
assert len(list(text_string_to_metric_families(sys.stdin.read()))) > 20
END
like($accept->($_)->{headers}{'content-type'}, qr{^text/plain}, "Accept: $_ gets the usual text")
    for '*/*', 'text/plain', 'application/openmetrics-text;q=0', 'application/openmetrics-text;q=0.5, text/plain';

my $admin = register($server);
set_role($server, $admin->{user}{username}, 'admin');
$admin = sign_in($server, $admin->{user}{username}, $admin->{password})->{json};
my $user = register($server);
my $as = sub { $server->api(GET => '/admins', mount => '', @_)->{status} };
is($as->(), 401, 'Require catalog-role: nobody is refused');
is($as->(token => $user->{token}), 403, 'Require catalog-role: a user is refused');
is($as->(token => $admin->{token}), 200, 'Require catalog-role: an administrator is served');

# ---- requests ----

my %token = (token => forge());
sub token_for { return (token => forge(claims => claims(aud => $_[0]))) }
my $id = $server->api(POST => '/products', { name => 'x', price => 1 }, %token)->{json}{data}{id};
my @requests = (
    [here(GET => '/products'), '/products', 'GET', '2xx'],
    [here(GET => '/products/'), '/products', 'GET', '2xx'],
    [here(HEAD => '/products'), '/products', 'HEAD', '2xx'],
    [here(OPTIONS => '/products'), '/products', 'OPTIONS', '2xx'],
    [here(PUT => '/products'), '/products', 'PUT', '4xx'],
    [here(FOO => '/products'), '/products', 'other', '4xx'],
    [here(POST => '/products', {}), '/products', 'POST', '4xx'],
    [here(POST => '/products', { name => 'y', price => 1 }, %token), '/products', 'POST', '2xx'],
    [here(GET => "/products/$id"), '/products/:id', 'GET', '2xx'],
    [here(GET => '/products/secret'), '/products/:id', 'GET', '4xx'],
    [here(GET => "/products/$id", headers => { 'If-None-Match' => '*' }), '/products/:id', 'GET', '3xx'],
    [here(PATCH => '/products/secret', {}), '/products/:id', 'PATCH', '4xx'],
    [here(DELETE => '/products/secret'), '/products/:id', 'DELETE', '4xx'],
    [here(GET => '/secret'), 'unknown', 'GET', '4xx'],
    [here(PROPFIND => '/secret'), 'unknown', 'other', '4xx'],
    [here(GET => '/products/%2F'), 'unknown', 'GET', '4xx'],
    [here(GET => '/%zz'), 'unknown', 'GET', '4xx'],
    [sub { $server->talk("GET /api/products HTTP/1.1\r\n\r\n") }, 'unknown', 'GET', '4xx'],
    [sub { $server->talk("GET /api/products HTTP/1.1\r\nHost: x\r\nX: " . 'x' x 9000 . "\r\n\r\n") }, 'unknown', 'GET', '4xx'],
    [here(GET => '/auth/me', mount => '/nowhere', token_for('nowhere')), '/auth/me', 'GET', '5xx'],
);
for (@requests) {
    my ($ask, @labels) = @$_;
    counts($ask, { request(@labels) => 1, timed(@labels[0, 1]) => 1 }, "a request counts as @labels");
}
# Each row of the route table has a series from the start.
my @rows = sort map { /^catalog_requests_total\{route="([^"]*)",method="([^"]*)",code="4xx"\}$/ && $1 ne 'unknown' ? "$2 $1" : () } keys %{ scrape($server) };
cmp_ok(scalar @rows, '>', 40, 'all routes are there');
my @sent = map { my ($method, $route) = split; [$method, $route, wire($method => $route =~ s/:\w+/none/gr)] } @rows;
my @bursts = map { $_->[2] } @sent;
counts(sub { $server->burst(splice @bursts, 0, 6) while @bursts },
    { map { timed(@$_[1, 0]) => ['>=', 1] } @sent }, 'each route counts as itself');
my $before = scrape($server);
$server->api(GET => '/metrics', mount => '');
$server->api(GET => '/nothing', mount => '');
$server->api(GET => '/api/products', mount => '');
my $counted = sub { [grep { /^catalog_requests_total/ } keys %{ moves($before, scrape($server)) }] };
wait_until(10, sub { @{ $counted->() } }); # the client has the answer before it is counted
is_deeply($counted->(), [request('/products', 'GET', '2xx')],
    'requests outside of mounts are not counted');
unlike($server->api(GET => '/metrics', mount => '')->{body}, qr/secret|FOO|PROPFIND|$id/, 'no series has a client\'s words');

# ---- the cache ----

my $page = '/products?limit=7';
counts(sub { $server->api(GET => $page) for 1 .. 40 }, { catalog_cache_hits_total => ['>=', 10],
    catalog_cache_misses_total => ['>=', 1], catalog_cache_stored_total => ['>=', 1] }, 'the cache counts hits, misses and stores')
    if driver eq 'sqlite3';
counts(here(PUT => "/products/$id", { price => 2 }, %token), { 'catalog_cache_invalidations_total{scope="product"}' => 1 },
    'an update invalidates a product');
counts(here(POST => '/products', { name => 'z', price => 1 }, %token), { 'catalog_cache_invalidations_total{scope="lists"}' => 1 },
    'a new product invalidates the lists');
$server->database->do(q(UPDATE products SET name = 'other'));
counts(here(GET => $page), { catalog_cache_misses_total => ['>=', 1] }, 'another program invalidates everything') if driver eq 'sqlite3';
my $now = scrape($server);
cmp_ok($now->{catalog_cache_size_bytes}, '>=', $now->{catalog_cache_used_bytes}, 'the cache uses no more than it has');
moved_since($server, {}, { catalog_cache_size_bytes => ['>=', 1], driver eq 'sqlite3' ? (catalog_cache_used_bytes => ['>=', 1]) : () }, 'the cache uses memory');

# ---- the database ----

counts(sub { $server->api(GET => "/products?limit=3&price[gte]=$_") for 1 .. 5 }, { statement('select') => ['>=', 5] }, 'selects');
counts(sub { $server->burst(map { wire(POST => '/products', { name => "p$_", price => 1 }, %token) } 1 .. 12) },
    { statement('write') => ['>=', 1], catalog_database_write_wait_seconds_count => ['>=', 12],
        catalog_database_write_batch_size_sum => ['>=', 12] }, 'writes, their waits and how many are stored together');
counts(sub { $server->api(POST => '/products/batch', { operations => [{ op => 'delete', id => $id }, { op => 'delete', id => $id }] }, %token) },
    { statement('rollback') => ['>=', 1] }, 'a rollback') if driver ne 'sqlite3';
counts(here(GET => '/auth/me', mount => '/nowhere', token_for('nowhere')), { 'catalog_database_connection_failures_total{reason="down"}' => ['>=', 1] },
    'a database that is down');
$server->api(GET => '/products', mount => '/few');
my $few = $server->database('few');
$few->do('ALTER TABLE products RENAME TO gone');
counts(sub { $server->api(GET => "/products?limit=$_", mount => '/few') for 21 .. 24 },
    { qq(catalog_database_faults_total{engine="${\driver}",reason="failed"}) => ['>=', 4] }, 'a statement that fails');
$few->do('ALTER TABLE gone RENAME TO products');
$few->do(driver eq 'sqlite3' ? q(CREATE TRIGGER no_eve BEFORE INSERT ON products WHEN new.name = 'eve'
    BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: no_eve'); END) : q(ALTER TABLE products ADD CONSTRAINT no_eve CHECK (name <> 'eve')));
counts(here(POST => '/products', { name => 'eve', price => 1 }, mount => '/few', token_for('few')),
    { qq(catalog_database_faults_total{engine="${\driver}",reason="value"}) => ['>=', 1], driver eq 'sqlite3' ? (statement('rollback') => ['>=', 1]) : () },
    'a value that the database refuses');
$few->disconnect;

# ---- passwords and limits ----

my $new = sub { my $name = fresh(); return { username => $name, email => "$name\@example.com", password => 'correct horse' } };
counts(here(POST => '/register', $new->()), { catalog_password_hashes_total => 1, catalog_password_hash_wait_seconds_count => 1,
    statement('commit') => ['>=', 1] }, 'a password is hashed, and the user stored');
$before = scrape($server);
my $done = $server->dir . '/done';
my $many = clients($server, mpm() eq 'prefork' ? 6 : 30, sub { # each of whose children connects to the database
    my ($client) = @_;
    do { $client->ask(POST => '/users', $new->()) } until -e $done;
    return {};
});
moved_since($server, $before, { catalog_password_hash_queue => ['>=', 1] }, 'passwords that wait to be hashed');
moved_since($server, $before, { catalog_password_hash_refusals_total => ['>=', 1] }, 'passwords that cannot be hashed') if mpm() ne 'prefork';
$server->write($done);
$many->results;
my $login = sub { $server->api(POST => '/auth/login', { login => $_[0], password => 'wrong horse' }, mount => $_[1] // '/api') };
my $ann = fresh();
$login->($ann) for 1 .. 5;
counts(sub { $login->($ann) for 1 .. 5 }, { limit('delay') => ['>=', 1] }, 'a delay after wrong passwords'); # the first one may be over
$login->(fresh(), '/limited') for 1 .. 3;
counts(sub { $login->(fresh(), '/limited') }, { limit('login') => 1 }, 'the limit on signing in');
counts(sub { $server->api(POST => '/users', $new->(), mount => '/limited') for 1 .. 2 }, { limit('register') => 1 }, 'the limit on registering');
counts(sub { $server->api(POST => '/auth/password/forgot', { email => 'x@example.com' }, mount => '/limited') for 1 .. 2 },
    { limit('mail') => 1 }, 'the limit on mail');
my $session = $user;
counts(sub { $session = refresh($server, $session->{refreshToken})->{json} for 1 .. 1; refresh($server, $session->{refreshToken}) },
    { limit('refresh') => 1 }, 'the limit on refreshing');

# ---- tokens ----

my %bad = (
    request => { headers => { Authorization => 'Bearer a"b' } },
    too_long => { token => 'x' x 4097 },
    malformed => { token => 'x' },
    expired => { token => forge(claims => claims(exp => int(time) - 100)) },
    invalid => { token => forge(key => 'another key of thirty-two bytes!!') },
    undecided => { token_for('nowhere'), mount => '/nowhere' },
);
counts(here(GET => '/auth/me', %{ $bad{$_} }), { token_failure($_) => 1 }, "a token that is $_") for sort keys %bad;
my $ended = register($server);
$server->api(POST => '/auth/logout', {}, token => $ended->{token});
counts(here(GET => '/auth/me', token => $ended->{token}), { token_failure('revoked') => 1 }, 'a token whose session has ended');

# ---- mail ----

my $count = sub { my ($address) = @_; return here(POST => '/register', { %{ $new->() }, email => $address }) };
counts($count->(fresh() . '@example.com'), { catalog_mails_sent_total => ['>=', 1] }, 'a mail that is sent');
counts($count->('never@example.com'), { mail_failure('refused') => 1 }, 'a mail that is refused');
counts($count->('later@example.com'), { mail_failure('deferred') => ['>=', 1] }, 'a mail that is put off');
moved_since($server, {}, { catalog_mails_pending => 1, catalog_mails_dead => 1, catalog_mails_oldest_age_seconds => ['>=', 0.001] },
    'the gauges of mail follow the database');
counts(sub { $server->database->do(q(UPDATE outbox SET created_at = 1, next_at = 1 WHERE state = 'pending')) }, { mail_failure('expired') => 1 },
    'a mail that is given up');
moved_since($server, {}, { catalog_mails_pending => 0, catalog_mails_dead => 2 }, 'so do they then');

# ---- the rest ----

$now = scrape($server);
my ($schema) = $server->database->selectrow_array('SELECT MAX(version) FROM schema_version');
moved_since($server, {}, { catalog_schema_version => $schema }, 'the version of the schema');
my @build = grep { /^catalog_build_info/ } keys %$now;
is_deeply([map { s/"[0-9.]+"/VERSION/r } @build], ['catalog_build_info{version=VERSION}'], 'the version');
moved_since($server, {}, { $build[0] => 1 }, 'it is 1');
is_deeply([grep { $now->{$_} < 0 } keys %$now], [], 'no series is negative');
my $brief = $server->api(GET => '/server-status?auto', mount => '')->{body};
my %sum;
/^(catalog_\w+_total)/ and $sum{$1} += $now->{$_} for keys %$now;
for my $name (sort keys %sum) {
    my $shown = join '', map { ucfirst } split /_/, $name =~ s/_total$//r;
    ok($brief =~ /^\Q$shown\E: (\d+)$/m && $1 >= $sum{$name}, "mod_status has $shown");
}
like($server->api(GET => '/server-status', mount => '')->{body}, qr{<tr><td>CatalogRequests</td><td>\d+</td><td>Requests below}, 'its page too');

expect_log(qr/CAT002: /, qr/CAT003: /, qr/CAT015: /, qr/CAT017: /);
allow_log(qr/CAT011: /, qr/CAT001: /, qr/CAT056: /, qr/CAT014: /, qr/CAT048: /, qr/AH01631: .*authorization failure for "\/admins"/, qr/AH10244: invalid URI path/);
done_testing;
