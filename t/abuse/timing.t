# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /auth/password/forgot
# route: POST /auth/confirm/resend
# runs: alone
# The time of an answer does not reveal either whether an account exists. Compares the lower quartiles of many alternating requests:
# slower ones show only the machine's load.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(time);

my $server = accounts();
my @users = map { register($server) } 1 .. 5;
my $confirmed = confirmed($server);

sub took {
    my ($route, $body, $status) = @_;
    my $start = time;
    my $r = $server->api(POST => $route, $body);
    my $time = time - $start;
    die "$route: $r->{status}\n" unless $r->{status} == $status;
    return $time;
}

# Alternates two kinds of requests, so that other load on the machine affects both.
sub compare {
    my ($what, $route, $status, $rounds, $one, $other) = @_;
    my (@first, @second);
    for my $i (1 .. $rounds) {
        push @first, took($route, $one->($i), $status);
        push @second, took($route, $other->($i), $status);
    }
    my ($first, $second) = (quartile(@first), quartile(@second));
    my $ratio = $first / $second;
    ok($ratio < 1.5 && $ratio > 1 / 1.5, sprintf '%s: %.1f ms, %.1f ms', $what, 1000 * $first, 1000 * $second);
    return $first;
}

# Five failures are free for each.
my @nobody = map { fresh() } @users;
sub login { return { login => $_[0], password => 'wrong horse' } }
my $guess = compare('a wrong password takes as long as an unknown user', '/auth/login', 401, 25,
    sub { login($users[$_[0] % 5]{user}{username}) }, sub { login($nobody[$_[0] % 5]) });
cmp_ok($guess, '>', 0.005, 'both take the time of a hash');
$server->database->do('UPDATE login_failures SET allowed_at = allowed_at + 60000');
compare('after too many failures, a wrong password takes as long as an unknown user', '/auth/login', 429, 60,
    sub { login($users[$_[0] % 5]{user}{username}) }, sub { login($nobody[$_[0] % 5]) });

my $known = $users[0]{user}{email};
sub address { return { email => fresh() . '@example.com' } }
for my $route ('/auth/password/forgot', '/auth/confirm/resend') {
    compare("$route: a user takes as long as an unknown address", $route, 202, 60, sub { { email => $known } }, \&address);
    compare("$route: a confirmed user takes as long as an unknown address", $route, 202, 60,
        sub { { email => $confirmed->{user}{email} } }, \&address);
}

done_testing;
