# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/logout
# runs: first
# A session with very many refresh tokens, as earlier versions left behind, ends at once and delays no other request.
use CatalogTest;
use CatalogAccounts;
use CatalogLoad;
use Time::HiRes qw(time);

my $TOKENS = 200_000;
my $server = server(mount => 'CatalogMaxConnections 32')->start;
my ($user, $writer) = (register($server), register($server));
my $sid = claims_of($user->{token})->{sid};
my $db = $server->database;
sub count { $db->selectrow_array("SELECT COUNT(*) FROM $_[0] = ?", undef, $sid) }

# 64 digits, in any order, as digests are.
my %digest = (
    sqlite3 => q(lower(hex(randomblob(32)))), mysql => q(SHA2(CONCAT(RAND(), n), 256)),
    pgsql => q(encode(sha256(CAST(CAST(n AS TEXT) AS BYTEA)), 'hex')),
);
my $insert = $db->prepare("INSERT INTO refresh_tokens (token_hash, session_id, created_at, expires_at, used_at)"
    . " WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $TOKENS)"
    . " SELECT $digest{driver()}, ?, 1, 9000000000000, 1 FROM numbers");
$insert->execute($sid);
cmp_ok(count('refresh_tokens WHERE session_id'), '>', $TOKENS, 'a session has very many tokens');

my $renewed = refresh($server, $user->{refreshToken})->{json};
ok($renewed->{token}, 'the session can be refreshed');

# Other clients write meanwhile.
my $writers = clients($server, 4, sub {
    my ($client) = @_;
    my ($end, @statuses) = time + 3;
    while (time < $end) {
        push @statuses, $client->ask(POST => '/products', { name => 'x', price => 1 }, token => $writer->{token})->{status};
    }
    return \@statuses;
});
answers($server->api(POST => '/auth/logout', token => $renewed->{token}), 200, undef, 'the session can be ended');
cmp_ok(count('refresh_tokens WHERE session_id'), '>', $TOKENS - 1000, 'the logout deletes only few of its refresh tokens');
ok(!works($server, $renewed->{token}), 'its access tokens are refused');
answers(refresh($server, $renewed->{refreshToken}), 401, undef, 'its refresh token is refused', 'www-authenticate' => failed());
answers($server->api(POST => '/auth/logout', { refreshToken => $renewed->{refreshToken} }), 401, undef,
    'a second logout is refused');
my $again = sign_in($server, $user->{user}{username}, $user->{password})->{json};
is_deeply([map { $_->{id} } @{ $server->api(GET => '/auth/sessions', token => $again->{token})->{json}{data} }],
    [claims_of($again->{token})->{sid}], 'the list does not have the session');
answers($server->api(DELETE => "/auth/sessions/$sid", token => $again->{token}), 404, undef, 'ending the session again gets a 404');
my %statuses = map { $_ => 1 } map { @$_ } $writers->results;
is_deeply([keys %statuses], [201], 'writes of other clients succeed meanwhile');

done_testing;
