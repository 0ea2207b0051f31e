# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: POST /auth/login
# case: 2 3 12
# db: mysql
# runs: first
# again: mpm
# A child keeps connections for a moment, without a check between two requests: it neither uses a dead one for long nor keeps them from
# others.
use CatalogLoad;
use CatalogTest;
use MIME::Base64 qw(encode_base64);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

my $engine = CatalogTest::Database::engine();
my ($modules) = CatalogTest::Server::modules() =~ m{^LoadModule authz_core_module "(.*)/mod_authz_core\.so"$}m;

sub status { my ($name) = @_; return ($engine->admin->selectrow_array("SHOW GLOBAL STATUS LIKE '$name'"))[1] // 0 }
sub connections { return scalar @{ $engine->admin->selectcol_arrayref(q(SELECT id FROM information_schema.processlist WHERE user = 'catalog')) } }

# ---- without a check ----

my $server = server(engine => $engine)->start;
my $user = register($server);
my $token = $user->{token};
my $path = '/products/' . $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id};
my $client = client($server);

# case: of requests in quick succession, few ask whether the connection is alive
my ($before, $start) = (status('Com_admin_commands'), time);
$client->ask(GET => $path) for 1 .. 300;
my ($checks, $took) = (status('Com_admin_commands') - $before, time - $start);
note sprintf '%d checks in %.2f s', $checks, $took;
SKIP: {
    skip 'the machine is busy', 1 if $took > 10;
    cmp_ok($checks, '<', 250, '300 requests: fewer checks');
}

# case: sessions end right after they were used
my %is = (read => [GET => $path], update => [PUT => $path, { price => 2 }, token => $token],
    creation => [POST => '/products', { name => 'y', price => 1 }, token => $token],
    'wrong password' => [POST => '/auth/login', { login => $user->{user}{username}, password => 'not this one' }]);
for my $kind (sort keys %is) {
    my %seen;
    for (1 .. 5) {
        $client->ask(GET => $path);
        $engine->cut;
        $seen{ $client->ask(@{ $is{$kind} })->{status} }++;
    }
    my $want = { read => 200, update => 200, creation => 201, 'wrong password' => 401 }->{$kind};
    delete $seen{429};
    is(join(' ', keys %seen), $want, "$kind: nobody notices");
}
is($server->api(GET => '/products')->{json}{pagination}{total}, 6, 'each product is there once');

# case: the database is restarted right after the connections were used
$server->burst((wire(GET => $path)) x 24);
$engine->kill;
$engine->start;
my @answers = $server->burst((wire(GET => $path)) x 24);
is(join(' ', grep { $_->{status} != 200 } @answers), '', 'restarted: nobody notices');

# case: the server ends its connections when it stops
$server->burst((wire(GET => $path)) x 8);
$before = status('Aborted_clients');
kill WINCH => $server->pid;
ok(wait_until(20, sub { waitpid($server->pid, WNOHANG) != 0 }), 'a server stops gracefully');
is(connections(), 0, 'it keeps no connection');
is(status('Aborted_clients'), $before, 'and has closed each properly');
$server->stop;

# ---- with few connections, and another module that uses them ----

for my $max (1, 2) {
    my $shared = server(engine => $engine, mount => "CatalogMaxConnections $max", conf => join "\n",
        (map { qq(LoadModule ${_}_module "$modules/mod_$_.so") } qw(authn_dbd)),
        "DBDMin 0\nDBDKeep $max\nDBDMax $max", <<'END')->start;
<Location "/private">
    AuthType           Basic
    AuthName           site
    AuthBasicProvider  dbd
    AuthDBDUserPWQuery "SELECT '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=' FROM DUAL WHERE %s <> ''"
    Require            valid-user
</Location>
END
    mkdir $shared->dir . '/htdocs/private';
    $shared->write($shared->dir . '/htdocs/private/index.html', "inside\n");
    my @private = (GET => '/private/index.html', mount => '', headers => { Authorization => 'Basic ' . encode_base64('sue:secret', '') });
    is($shared->api(@private)->{status}, 200, "DBDMax $max: the other module is served");

    # case: another module's request under load
    my $end = time + 2.5;
    my $load = clients($shared, 6, sub {
        my ($own) = @_;
        my %seen;
        while (time < $end) { $seen{ $own->ask(GET => '/products')->{status} }++ }
        return [%seen];
    });
    sleep 0.3;
    my $longest = 0;
    my %seen;
    do {
        my $from = time;
        $seen{ $shared->api(@private)->{status} }++;
        $longest = time - $from if time - $from > $longest;
    } while (time < $end - 1);
    my %all = map { $_ => 1 } map { my %h = @$_; keys %h } $load->results;
    is(join(' ', keys %seen), '200', "DBDMax $max, under load: it is served");
    takes_less($longest, 2, sprintf 'and never waits long: %.2f s at most', $longest);
    is(join(' ', grep { !/^(?:200|503)$/ } keys %all), '', 'so are the others');

    # case: another module's request when nobody uses the catalogue
    $shared->burst((wire(GET => '/products')) x 6);
    sleep 1;
    is($shared->api(@private)->{status}, 200, "DBDMax $max, idle: it is served");
    $shared->stop;
}

# ---- without a pool ----

# case: DBDPersist Off: no connection outlives its request
my $alone = server(engine => $engine, conf => "DBDPersist Off\n")->start;
$token = register($alone)->{token};
is($alone->api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{status}, 201, 'DBDPersist Off: a write');
is(join(' ', map { $_->{status} } $alone->burst((wire(GET => '/products')) x 6)), join(' ', (200) x 6), 'and reads');
ok(wait_until(5, sub { connections() == 0 }), 'no connection is left');

expect_log(qr/\[dbd:error\]/);
allow_log(qr/CAT00[1235]: /);
done_testing;
