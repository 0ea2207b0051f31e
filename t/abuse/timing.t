# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /auth/password/forgot
# route: POST /auth/confirm/resend
# runs: alone
# hashes: real
# The time of an answer does not reveal either whether an account exists. Compares the lower quartiles of many alternating requests,
# because slower ones show only the machine's load, and measures again where they differ: load passes, a difference of the code stays.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(time);

my $server = accounts();
my @users = map { register($server) } 1 .. 5;
my $confirmed = confirmed($server);

sub took {
    my ($send) = @_;
    my $start = time;
    $send->();
    return time - $start;
}

# Alternates two kinds of requests, each as often the first of the two, so that other load on the machine affects both.
sub quartiles {
    my ($rounds, @kinds) = @_;
    my @times = ([], []);
    for my $i (1 .. $rounds) {
        push @{ $times[$_] }, took(sub { $kinds[$_]->($i) }) for $i % 2 ? (0, 1) : (1, 0);
    }
    return map { quartile(@$_) } @times;
}

# Whether two kinds of requests take the same time in one of three measurements, each of which is prepared; then the times of the last one.
sub alike {
    my ($prepare, @what) = @_;
    my @times;
    for (1 .. 3) {
        $prepare->();
        @times = quartiles(@what);
        return (1, @times) if $times[0] < 1.5 * $times[1] && $times[1] < 1.5 * $times[0];
    }
    return (0, @times);
}

sub compare {
    my ($what, $route, $status, $rounds, $one, $other, $prepare) = @_;
    my ($same, @times) = alike($prepare // sub { }, $rounds, map { request($route, $status, $_) } $one, $other);
    ok($same, sprintf '%s: %.1f ms, %.1f ms', $what, map { 1000 * $_ } @times);
    return $times[0];
}

# A function that sends the request whose body another one makes.
sub request {
    my ($route, $status, $body) = @_;
    return sub {
        my $r = $server->api(POST => $route, $body->(@_));
        die "$route: $r->{status}\n" unless $r->{status} == $status;
    };
}

# Five failures are free for each, in each measurement.
my @nobody = map { fresh() } @users;
sub login { return { login => $_[0], password => 'wrong horse' } }
my $guess = compare('a wrong password takes as long as an unknown user', '/auth/login', 401, 25,
    sub { login($users[$_[0] % 5]{user}{username}) }, sub { login($nobody[$_[0] % 5]) },
    sub { $server->database->do('DELETE FROM login_failures') });
cmp_ok($guess, '>', 0.005, 'both take the time of a hash');
$server->database->do('UPDATE login_failures SET allowed_at = allowed_at + 60000');
compare('after too many failures, a wrong password takes as long as an unknown user', '/auth/login', 429, 60,
    sub { login($users[$_[0] % 5]{user}{username}) }, sub { login($nobody[$_[0] % 5]) });

my $known = $users[0]{user}{email};
sub address { return { email => fresh() . '@example.com' } }
my $forgot = request('/auth/password/forgot', 202, \&address);
ok(!(alike(sub { }, 60, sub { $forgot->() for 1 .. 2 }, $forgot))[0], 'twice the work is noticed');
for my $route ('/auth/password/forgot', '/auth/confirm/resend') {
    compare("$route: a user takes as long as an unknown address", $route, 202, 60, sub { { email => $known } }, \&address);
    compare("$route: a confirmed user takes as long as an unknown address", $route, 202, 60,
        sub { { email => $confirmed->{user}{email} } }, \&address);
}

done_testing;
