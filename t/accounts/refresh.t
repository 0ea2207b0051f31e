# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/refresh
# case: 35
# Refresh tokens rotate; a replay after the grace period ends the family; idle sessions end early, all sessions end eventually.
use CatalogTest;
use CatalogAccounts;
use Digest::SHA ();
use Time::HiRes qw(sleep time);

my $key = key_path;
my %mounts = (
    '/idle' => 'CatalogRefreshTTL 3', '/short' => "CatalogSessionTTL 4\nCatalogTokenTTL 7",
    '/strict' => 'CatalogRefreshGrace 0',
);
my $server = accounts(mount => 'CatalogRefreshGrace 2', conf => join '', map { <<"END" } sort keys %mounts);
<Location "$_">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $mounts{$_}
</Location>
END

sub session {
    my ($user, $mount) = @_;
    my %body = (login => $user->{user}{username}, password => $user->{password});
    return $server->api(POST => '/auth/login', \%body, mount => $mount // '/api')->{json};
}
sub renew { my ($token, $mount) = @_; return refresh($server, $token, mount => $mount // '/api') }
sub refused { answers($_[0], 401, refusal(error => qr/./), $_[1], 'www-authenticate' => failed()) }

my $user = register($server);
my %started = (idle => session($user, '/idle'), short => session($user, '/short'));
my $begun = time;

# A new pair, the same session.
my $r = renew($user->{refreshToken});
my $first_use = time;
answers($r, 200, tokens(user => $user->{user}),
    'a refresh returns a new pair', 'cache-control' => 'no-store', 'set-cookie' => undef);
my ($old, $new) = (claims_of($user->{token}), claims_of($r->{json}{token}));
is($new->{sid}, $old->{sid}, 'the session stays the same');
isnt($new->{jti}, $old->{jti}, 'the access token is a new one');
isnt($r->{json}{refreshToken}, $user->{refreshToken}, 'the refresh token is a new one');
ok(works($server, $_), 'both access tokens are accepted') for $user->{token}, $r->{json}{token};
my $next = renew($r->{json}{refreshToken})->{json};
ok($next->{token}, 'the new refresh token is accepted');

my $short = renew($started{short}{refreshToken}, '/short')->{json};
ok($short->{token}, 'a session with a short CatalogSessionTTL is refreshed, too');

# The first token again within the grace period, as from another tab.
my $tab = renew($user->{refreshToken});
answers($tab, 200, tokens(user => $user->{user}), 'the first refresh token is accepted again within the grace period');
is($tab->{json}{refreshToken}, $next->{refreshToken}, 'it returns the successor that has not been used');
$tab = renew($r->{json}{refreshToken});
is($tab->{json}{refreshToken}, $next->{refreshToken}, 'so does its first successor');
ok(works($server, $user->{token}), 'the session continues');

# The next access token has the user's stored fields of that time.
my $changed = confirmed($server);
my $before = session($changed);
set_role($server, $changed->{user}{username}, 'editor');
my $claims = claims_of(renew($before->{refreshToken})->{json}{token});
is("$claims->{role} $claims->{email_verified}", 'editor 1', 'the next access token has the new role and the confirmed address');

# Invalid and expired refresh tokens.
my $gone = register($server);
my $db = $server->database;
$db->do('DELETE FROM users WHERE id = ?', undef, $gone->{user}{id});
my @bad = (
    ['an access token', $user->{token}], ['a malformed token', 'nonsense'], ['a long malformed token', 'x' x 1000],
    ['a truncated token', substr $next->{refreshToken}, 1], ['a token in lower case', lc $next->{refreshToken}],
    ['the hash of a token', Digest::SHA::sha256_hex($next->{refreshToken})],
    ['a deleted user\'s token', $gone->{refreshToken}],
);
refused(renew($_->[1]), "$_->[0] is refused") for @bad;
refused($server->api(POST => '/auth/refresh'), 'a refresh without a body is refused');
refused($server->api(POST => '/auth/refresh', {}), 'a refresh without a token is refused');
answers(renew(''), 400, invalid(refreshToken => 'too_short'), 'an empty token is refused');
answers(renew($_), 400, invalid(refreshToken => 'type'), 'a token that is no string is refused') for 5, [$next->{refreshToken}];
refused($server->api(POST => '/auth/refresh', token => $user->{token}), 'an access token in the header is no refresh token');
refused(renew($next->{refreshToken} . "\x{ff}"), 'a token with trailing bytes is refused');

# Without a grace period, the second use is a replay.
my $strict = session($user, '/strict');
answers(renew($strict->{refreshToken}, '/strict'), 200, undef, 'no grace period: the first use is accepted');
sleep 0.01;
refused(renew($strict->{refreshToken}, '/strict'), 'no grace period: the second use is refused');
ok(!works($server, $strict->{token}), 'no grace period: the second use ends the session');

# Idle sessions end; those in use continue until their maximum age. If a busy machine refreshes too late, the test tries again.
my $in_use;
for my $try (1 .. 10) {
    my ($used, $is_late) = (time, 0);
    my $token = session($user, '/idle')->{refreshToken};
    for (1, 2) {
        sleep 1.6;
        my $asked = time;
        $in_use = renew($token, '/idle');
        $is_late ||= time - $used > 2.9;
        ($used, $token) = ($asked, $in_use->{json}{refreshToken} // '');
    }
    last if !$is_late;
}
answers($in_use, 200, undef, 'a session in use outlives CatalogRefreshTTL');
refused(renew($started{idle}{refreshToken}, '/idle'), 'a session idle for CatalogRefreshTTL has ended');

# A use after the grace period means that a copy exists.
sleep 0.1 while time < $first_use + 2.2;
my $other = session($user);
my $newest = renew($next->{refreshToken})->{json};
ok($newest->{token}, 'the session that was refreshed continues');
refused(renew($user->{refreshToken}), 'a replay of the first refresh token after the grace period is refused');
refused(renew($newest->{refreshToken}), 'the replay invalidates the newest refresh token');
refused(renew($tab->{json}{refreshToken}), 'the replay invalidates the other tab\'s refresh token');
for ($user->{token}, $next->{token}, $tab->{json}{token}, $newest->{token}) {
    answers($server->api(GET => '/auth/me', token => $_), 401, refusal(error => qr/./),
        'the replay invalidates each access token of the session', 'www-authenticate' => failed());
}
ok(works($server, $other->{token}), 'another session of the user continues');
answers(renew($other->{refreshToken}), 200, undef, 'the other session can be refreshed');

sleep 0.1 while time < $begun + 4.2;
refused(renew($short->{refreshToken}, '/short'), 'a session ends after CatalogSessionTTL even if it is in use');

expect_log(qr/CAT040: /);
done_testing;
