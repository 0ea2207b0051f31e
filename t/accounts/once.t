# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/refresh
# runs: first
# again: db
# Two requests use one refresh token at once, on one server or on two that share a database: without a grace period one of them
# succeeds, within it both get the same successor.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Http ();
use IO::Select ();

my $SESSIONS = 24;
my $many = "CatalogMaxSessions 1000\nCatalogRateLimit Off\nCatalogRefreshGrace";
my $one = server(mount => "$many 0")->start;
my $shared = 'CatalogDatabase @driver@ "' . $one->params . '"';
my $two = server(mount => "$many 0\n$shared")->start;
my $lenient = server(mount => "$many 300\n$shared")->start;
my $user = register($one);
my $db = $one->database;

# Sends each request to its server before it reads the first answer; returns the answers.
sub race {
    my (@pairs) = @_;
    my @sockets = map { CatalogTest::Http::connection($_->[0]->port) } @pairs;
    print { $sockets[$_] } wire(POST => '/auth/refresh', { refreshToken => $pairs[$_][1]{refreshToken} }) for 0 .. $#pairs;
    return map { CatalogTest::Http::parse(CatalogTest::Http::read_all($_)) } @sockets;
}

sub sessions { map { sign_in($one, $user->{user}{username}, $user->{password})->{json} } 1 .. $_[0] }
sub is_open { $db->selectrow_array('SELECT COUNT(*) FROM sessions WHERE id = ?', undef, claims_of($_[0]{token})->{sid}) }

for my $case (['one server', $one, $one], ['two servers', $one, $two], ['eight at once', ($one, $two) x 4]) {
    my ($name, @servers) = @$case;
    my %outcomes;
    my @sessions = sessions($SESSIONS / @servers * 2);
    for my $session (@sessions) {
        my $outcome = join ' ', sort map { $_->{status} } race(map { [$_, $session] } @servers);
        $outcomes{$outcome}++;
    }
    is_deeply(\%outcomes, { join(' ', 200, (401) x (@servers - 1)) => scalar @sessions }, "$name: one request succeeds each time");
    is(scalar(grep { is_open($_) } @sessions), 0, "$name: the other requests end the session");
}

my ($session) = sessions(1);
my @same = race(map { [$lenient, $session] } 1 .. 8);
is_deeply([map { $_->{status} } @same], [(200) x 8], 'within the grace period all requests succeed');
my %successors = map { $_->{json}{refreshToken} => 1 } @same;
is(scalar keys %successors, 1, 'they get the same successor');
my $lines = q(SELECT COUNT(*) FROM refresh_tokens WHERE session_id = ? AND used_at IS NULL);
is($db->selectrow_array($lines, undef, claims_of($session->{token})->{sid}), 1, 'the session has one unused refresh token');

expect_log(qr/CAT040: /);
done_testing;
