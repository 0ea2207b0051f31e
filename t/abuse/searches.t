# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /health/ready
# route: POST /auth/login
# mpm: event worker
# runs: last
# A network that floods the server with lists that take the database long keeps no connection from other networks, nor from
# /health/ready, and does not fill the error log.
use CatalogTest;
use CatalogTest::Ids qw(insert_products);
use CatalogAccounts;
use CatalogLoad;
use Time::HiRes qw(sleep time);

my ($PRODUCTS, $PORTION, $CLIENTS) = (40_000, 4000, 40);
my $server = server(conf => moderate() . <<'END_CONF')->start;
CatalogMaxConnections 10
StartServers        1
ServerLimit         1
ThreadsPerChild     64
MaxRequestWorkers   64
MinSpareThreads     1
MaxSpareThreads     64
END_CONF
my $owner = register($server);
my $db = $server->database;
my $id = $server->api(POST => '/products', { name => 'Kettle', price => 1, category => 'kitchen' }, token => $owner->{token})->{json}{data}{id};

# Copies it, without what is derived of it.
my $row = $db->selectrow_hashref('SELECT * FROM products WHERE id = ?', undef, $id);
my %columns = map { $_ => $db->quote($row->{$_}) } grep { !/^(?:n|id)$|_key$/ } keys %$row;
my $before = $row->{n} - $PRODUCTS;
for (my $first = 0; $first < $PRODUCTS; $first += $PORTION) {
    insert_products($db, $first, $first + $PORTION, "$before + i", %columns);
}

my ($done, $quiet) = map { $server->dir . "/$_" } qw(done quiet);
my $flood = clients($server, $CLIENTS, sub {
    my ($client, $number) = @_;
    my %count;
    for (my $i = 0; !-e $done; $i++) {
        sleep 0.1 while -e $quiet && !-e $done;
        my $r = $client->ask(GET => "/products?name[ne]=x$number-$i&category[ne]=y&price[ne]=7&count=exact&facets=category&sort=-name",
            from_network('192.0.2.1'));
        $count{ $r->{status} }++;
        sleep 0.02 if $r->{status} == 503;
    }
    return \%count;
});
my $start = time;
ok(wait_until(30, sub { $server->log_text =~ /CAT079: / }), 'more lists arrive than may be read at once');

my ($number, %longest) = 1;
sub elsewhere { from_network('198.51.100.' . ++$number % 200) }
my %others = (
    'a product' => [200, sub { $server->api(GET => "/products/$id", elsewhere()) }],
    'a list' => [200, sub { $server->api(GET => '/products?page=' . ++$number, elsewhere()) }],
    'a list with a condition' => [200, sub { $server->api(GET => '/products?count=none&category=z' . ++$number, elsewhere()) }],
    'a write' => [201, sub { $server->api(POST => '/products', { name => 'x', price => 1 }, token => $owner->{token}, elsewhere()) }],
    'a sign-in' => [200, sub { $server->api(POST => '/auth/login', { login => $owner->{user}{username}, password => $owner->{password} }, elsewhere()) }],
    'readiness' => [200, sub { $server->api(GET => '/health/ready', elsewhere()) }],
);
my @refused;
for my $round (1 .. 6) {
    for my $what (sort keys %others) {
        my ($status, $ask) = @{ $others{$what} };
        my $begun = time;
        my $r = $ask->();
        my $took = time - $begun;
        push @refused, "$what: $r->{status}" if $r->{status} != $status;
        $longest{$what} = $took if $took > ($longest{$what} // 0);
    }
}
is(join(', ', @refused), '', 'other networks are served meanwhile');
takes_less($longest{$_}, 3, "$_ takes less than three seconds") for sort keys %longest;
note join ', ', map { sprintf '%s at most %.2f s', $_, $longest{$_} } sort keys %longest;
is($server->api(GET => '/health/ready', from_network('192.0.2.1'))->{status}, 200, 'readiness is answered to any network');

# The next line comes ten seconds after the first, of which the flood need not keep the processors busy.
$server->write($quiet);
wait_until(30, sub { time > $start + 10 });
unlink $quiet;
ok(wait_until(30, sub { $server->log_text =~ /CAT079: .*, and \d+ more in the last \d+ s/ }), 'the log sums up the refusals');
$server->write($done);
my %count;
for my $client ($flood->results) {
    $count{$_} += $client->{$_} for keys %$client;
}
my @lines = $server->log_text =~ /CAT079: /g;
note join ', ', (map { "$count{$_} answers $_" } sort keys %count), sprintf '%d lines in %.0f s', scalar @lines, time - $start;
cmp_ok($count{200}, '>', 0, 'the flood is served too');
cmp_ok($count{503}, '>', 10, 'but not all of it');
cmp_ok(scalar @lines, '<=', 2 + (time - $start) / 10, 'the server logs at most one line in ten seconds');

expect_log(qr/CAT079: /);
done_testing;
