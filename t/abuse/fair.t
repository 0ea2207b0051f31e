# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /register
# db: sqlite3
# runs: last
# hashes: real
# A network that floods the queue of password hashes neither blocks other networks nor fills the error log.
use CatalogTest;
use CatalogAccounts;
use CatalogLoad;
use Time::HiRes qw(sleep time);

my $server = server(conf => moderate() . "CatalogHashConcurrency 1\n")->start;
my @owners = map { register($server) } 1 .. 10;

# More clients than the queue allows. Each guesses at another account each time, so no delay stops it.
my ($done, $quiet) = map { $server->dir . "/$_" } qw(done quiet);
my $flood = clients($server, 44, sub {
    my ($client) = @_;
    my %count;
    until (-e $done) {
        sleep 0.1 while -e $quiet && !-e $done;
        my $r = $client->ask(POST => '/auth/login', { login => fresh('flood'), password => 'wrong horse' },
            from_network('192.0.2.1'));
        $count{ $r->{status} }++;
        sleep 0.05 if $r->{status} == 503;
    }
    return \%count;
});
my $start = time;
ok(wait_until(20, sub { $server->log_text =~ /CAT011: / }), 'the queue is full');

my $number = 1;
sub from_elsewhere { from_network('198.51.100.' . ++$number) }

# The status at the third attempt at the latest: on a busy machine, one password may wait for too long, but not one after the other.
sub status_of {
    my ($ask) = @_;
    for (1, 2) {
        my $status = $ask->();
        return $status if $status != 503;
    }
    return $ask->();
}
my @statuses = map {
    my %login = (login => $_->{user}{username}, password => $_->{password});
    status_of(sub { $server->api(POST => '/auth/login', \%login, from_elsewhere())->{status} });
} @owners;
is("@statuses", join(' ', (200) x 10), 'users on other networks sign in');
@statuses = map {
    my $name = fresh();
    status_of(sub { $server->api(POST => '/register', { username => $name, email => "$name\@example.com", password => 'correct horse' },
        from_elsewhere())->{status} });
} 1 .. 5;
is("@statuses", join(' ', (201) x 5), 'clients on other networks register');
# The next line comes ten seconds after the first, of which the flood need not keep a processor busy.
$server->write($quiet);
wait_until(30, sub { time > $start + 10 });
unlink $quiet;
ok(wait_until(30, sub { $server->log_text =~ /CAT011: .*, and \d+ more in the last \d+ s/ }), 'the log summarizes the refusals');

$server->write($done);
my %count;
for my $client ($flood->results) {
    $count{$_} += $client->{$_} for keys %$client;
}
my @lines = $server->log_text =~ /CAT011: /g;
note join ', ', (map { "$count{$_} answers $_" } sort keys %count), sprintf '%d lines in %.0f s', scalar @lines, time - $start;
is(join(' ', sort keys %count), '401 503', 'requests of the flood get 401 or 503');
cmp_ok($count{503}, '>', 20, 'more than 20 requests of the flood get 503');
cmp_ok(scalar @lines, '<=', 2 + (time - $start) / 10, 'the server logs at most one line in ten seconds');

expect_log(qr/CAT011: /);
done_testing;
