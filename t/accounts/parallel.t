# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/refresh
# runs: last
# hashes: real
# Fifty clients refresh with one token at once, like the tabs of a browser that has just woken up.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

my $GRACE = 4 * int slowness(); # seconds, in which fifty requests must be answered
my $server = accounts(mount => "CatalogRefreshGrace $GRACE\nCatalogMaxConnections 32\nCatalogRateLimit refresh Off", conf => <<'END');
<IfModule mpm_prefork_module>
    StartServers 50
</IfModule>
END
my ($user, $other) = (register($server), register($server));
my $second = refresh($server, $other->{refreshToken})->{json};
my $sid = claims_of($user->{token})->{sid};
my @requests = (wire(POST => '/auth/refresh', { refreshToken => $user->{refreshToken} })) x 50;
sub count { my %count; $count{ $_->{status} }++ for @_; return \%count }
sub distinct { my %seen = map { $_ => 1 } @_; return scalar keys %seen }

my $start = time;
my @answers = $server->burst(@requests);
cmp_ok(time - $start, '<', $GRACE, 'all requests are answered within the grace period');
is_deeply(count(@answers), { 200 => 50 }, 'all requests get a new pair');
my @pairs = map { $_->{json} } @answers;
is(distinct(map { $_->{refreshToken} } @pairs), 1, 'all pairs have the same refresh token');
is(distinct(map { $_->{token} } @pairs), 50, 'each pair has an access token of its own');
is(distinct($sid, map { claims_of($_->{token})->{sid} } @pairs), 1, 'all pairs are of one session');
is_deeply([map { $_->{id} } @{ $server->api(GET => '/auth/sessions', token => $pairs[0]{token})->{json}{data} }],
    [$sid], 'the session is listed');

# All continue with the new token, again at the same time.
my @next = $server->burst(map { wire(POST => '/auth/refresh', { refreshToken => $_->{refreshToken} }) } @pairs);
is_deeply(count(@next), { 200 => 50 }, 'all requests with the new refresh token succeed');
is(distinct(map { $_->{json}{refreshToken} } @next), 1, 'it has one successor');
is($server->database->selectrow_array('SELECT COUNT(*) FROM refresh_tokens WHERE session_id = ? AND used_at IS NULL', undef, $sid),
    1, 'one unused refresh token is stored');
my @tokens = map { $_->{token} } $user, @pairs, map { $_->{json} } @next;
my @asked = map { wire(GET => '/auth/me', token => $_) } @tokens;
is_deeply(count($server->burst(@asked)), { 200 => 101 }, 'all access tokens are accepted');

# A thief's copy, after the grace period.
sleep 0.1 while time < $start + $GRACE + 1.5;
my @replays = $server->burst((wire(POST => '/auth/refresh', { refreshToken => $user->{refreshToken} })) x 5);
is_deeply(count(@replays), { 401 => 5 }, 'the first refresh token is refused after the grace period');
is_deeply(count($server->burst(@asked)), { 401 => 101 }, 'every access token of the session is refused');
my @family = map { wire(POST => '/auth/refresh', { refreshToken => $_->{json}{refreshToken} }) } @next;
is_deeply(count($server->burst(@family)), { 401 => 50 }, 'every refresh token of the session is refused');
is($server->database->selectrow_array('SELECT COUNT(*) FROM sessions WHERE id = ?', undef, $sid), 0,
    'the session has ended');
is(scalar(() = $server->log_text =~ /CAT040: /g), 1, 'the server logs the replay once');

# A replay and honest refreshes at the same time: afterwards the family has ended, whichever came first.
my @mixed = (($second) x 5, $other, ($second) x 5);
$server->burst(map { wire(POST => '/auth/refresh', { refreshToken => $_->{refreshToken} }) } @mixed);
ok(!works($server, $_->{token}), 'a replay among valid requests ends the session') for $other, $second;

expect_log(qr/CAT040: /);
allow_log(qr/AH00161: |AH00286: |AH00484: |AH10159: /); # all workers were busy, as each MPM calls it
done_testing;
