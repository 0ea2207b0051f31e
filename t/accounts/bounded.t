# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/refresh
# route: POST /auth/login
# The rows of an account are bounded: refreshes of a session, its used refresh tokens, a user's sessions.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

my $server = server(conf => 'CatalogHashConcurrency 5', mount => <<'END')->start;
CatalogMaxSessions  3
CatalogRefreshGrace 1
CatalogRateLimit    refresh 8/16 login Off
END
my $db = $server->database;
sub sid { claims_of($_[0]{token})->{sid} }
sub renew { refresh($server, $_[0]{refreshToken}) }
sub session { sleep 0.002; return sign_in($server, $_[0]{user}{username}, $_[0]{password})->{json} }
sub rows { $db->selectrow_array('SELECT COUNT(*) FROM refresh_tokens WHERE session_id = ?', undef, sid($_[0])) }
sub age { $db->do('UPDATE refresh_tokens SET used_at = used_at - 2000 WHERE session_id = ?', undef, sid($_[0])) }

# The database keeps the last used token; the server recognizes older ones by the part that all tokens of a session share.
my $user = register($server);
my @line = ($user);
for (1 .. 5) {
    push @line, renew($line[-1])->{json};
    age($user);
}
cmp_ok(rows($user), '<=', 2, 'after five refreshes at most two refresh tokens are stored');
answers(refresh($server, substr($line[1]{refreshToken}, 0, 42)), 401, undef, 'a truncated token is refused');
answers(refresh($server, $line[1]{refreshToken} =~ s/^(.)/$1 eq 'A' ? 'B' : 'A'/er), 401, undef,
    'a token of no session is refused');
ok(works($server, $line[5]{token}), 'the two refused tokens do not end the session');
answers(renew($line[1]), 401, refusal(error => qr/./),
    'a replayed token whose row has been deleted is refused', 'www-authenticate' => failed());
ok(!works($server, $_->{token}), 'the replay ends the session') for @line[0, 5];
answers(renew($line[5]), 401, undef, 'the newest refresh token is refused, too');
expect_log(qr/CAT040: /);

# A session allows eight refreshes at once, then one every two seconds. On a busy machine nine may take longer than that.
my $other = register($server);
my ($busy, $r, $ninth);
for my $try (1 .. 20) {
    $busy = register($server);
    my ($begun, $last) = (time, $busy);
    $last = renew($last)->{json} for 1 .. 7;
    $r = renew($last);
    $ninth = renew($r->{json});
    last if time - $begun < 2;
}
answers($r, 200, tokens(),
    'the eighth refresh is accepted', ratelimit => qr/^"refresh";r=0;t=\d+$/, 'ratelimit-policy' => '"refresh";q=8;w=16');
answers($ninth, 429, refusal(error => qr/./), 'the ninth refresh is refused', 'retry-after' => qr/^[12]$/,
    ratelimit => qr/^"refresh";r=0;t=\d+$/);
ok(works($server, $r->{json}{token}), 'the session continues');
answers(renew($other), 200, undef, 'another session is not limited');
sleep 2.1;
answers(renew($r->{json}), 200, undef, 'after two seconds one more refresh is accepted');
answers(renew($busy), 401, undef, 'the limit does not delay a replay');
ok(!works($server, $r->{json}{token}), 'the replay ends the session over its limit');

# A user may have three sessions; a fourth ends the least recently used one.
my $owner = register($server);
my @sessions = ($owner, session($owner), session($owner));
ok(works($server, $_->{token}), 'a user can have three sessions') for @sessions;
sleep 0.002;
$sessions[0] = renew($sessions[0])->{json};
my $fourth = session($owner);
ok(works($server, $_->{token}), 'after a fourth sign-in the sessions used last continue') for $sessions[0], $sessions[2], $fourth;
answers($server->api(GET => '/auth/me', token => $sessions[1]{token}), 401, undef,
    'the access token of the least recently used session is refused',
    'www-authenticate' => failed());
answers(renew($sessions[1]), 401, undef, 'its refresh token is refused, too', 'www-authenticate' => failed());
my $list = sub { $server->api(GET => '/auth/sessions', token => $_[0]{token})->{json}{data} };
is_deeply([sort map { $_->{id} } @{ $list->($fourth) }], [sort map { sid($_) } $sessions[0], $sessions[2], $fourth],
    'the list has three sessions');
answers(sign_in($server, $other->{user}{username}, 'wrong horse'), 401, undef, 'a sign-in with a wrong password is refused');
ok(works($server, $_->{token}), 'a failed sign-in ends no session') for $sessions[0], $sessions[2], $other;

# Many sign-ins at once.
my %login = (login => $owner->{user}{username}, password => $owner->{password});
my @answers = $server->burst((wire(POST => '/auth/login', \%login)) x 5);
is(scalar(grep { $_->{status} == 200 } @answers), 5, 'five sign-ins at once succeed');
is($db->selectrow_array('SELECT COUNT(*) FROM sessions WHERE user_id = ?', undef, $owner->{user}{id}), 3, 'three sessions remain');
is(scalar(grep { works($server, $_->{json}{token}) } @answers), 3, 'the access tokens of three sessions are accepted');

done_testing;
