# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/logout
use CatalogTest;
use CatalogAccounts;

my $done = { success => true, message => qr/./ };
my %product = (name => 'x', price => 1);
my $user = register();
my $name = $user->{user}{username};
sub session { sign_in(main, $name, $user->{password})->{json} }
sub leave { my ($session, @body) = @_; return api(POST => '/auth/logout', @body, token => $session->{token}) }

sub is_over {
    my ($session, $what) = @_;
    my $invalid = failed();
    answers(api(GET => '/auth/me', token => $session->{token}), 401, refusal(error => qr/./),
        "$what: the access token is refused", 'www-authenticate' => $invalid);
    answers(api(POST => '/products', \%product, token => $session->{token}), 401, undef,
        "$what: the access token is refused on every route",
        'www-authenticate' => $invalid);
    answers(api(POST => '/auth/logout', token => $session->{token}), 401, undef,
        "$what: the access token is refused on logout, too",
        'www-authenticate' => $invalid);
    answers(refresh(main, $session->{refreshToken}), 401, undef, "$what: the refresh token is refused",
        'www-authenticate' => $invalid);
}
sub goes_on { ok(works(main, $_[0]{token}), "$_[1] continues") }

# One session, with all its tokens.
my ($one, $two) = (session(), session());
my $renewed = refresh(main, $one->{refreshToken})->{json};
answers(leave($renewed), 200, $done, 'a logout ends one session', 'set-cookie' => undef);
is_over($one, 'the first tokens of the session');
is_over($renewed, 'the refreshed tokens');
goes_on($two, 'another session');
goes_on($user, 'the session of the registration');

# The bodies that a client may send.
answers(leave($two, { refreshToken => $two->{refreshToken} }), 200, $done, 'a logout can send the session\'s refresh token, too');
is_over($two, 'a logout with both tokens');
my ($three, $four) = (session(), session());
answers(leave($three, { refreshToken => $four->{refreshToken}, all => false }), 200, $done,
    'a logout can send another session\'s refresh token');
is_over($three, 'the session of the access token');
goes_on($four, 'the session of the refresh token');
answers(leave($four, { all => 'yes' }), 400, invalid(all => 'type'), 'all must be a boolean');
answers(leave($four, { refreshToken => 1 }), 400, invalid(refreshToken => 'type'), 'the refresh token must be a string');
answers(leave($four, '{'), 400, undef, 'a body that is not JSON is refused');
answers(leave($four, { x => 1 }, headers => { Prefer => 'handling=strict' }), 400, invalid(x => 'unknown'),
    'an unknown field is refused with Prefer: handling=strict');
goes_on($four, 'a session whose logout was refused');

# A refresh token alone is enough: for clients whose access token has expired, or whose page was closed.
my ($six, $seven, $eight, $nine) = map { session() } 1 .. 4;
sub give_back { my ($token, %o) = @_; return api(POST => '/auth/logout', { refreshToken => $token }, %o) }
answers(give_back($six->{refreshToken}), 200, $done, 'a refresh token alone ends the session', 'set-cookie' => undef);
is_over($six, 'a logout with a refresh token alone');
answers(give_back($seven->{refreshToken}, token => $six->{token}), 200, $done,
    'a refresh token beside an invalid access token ends the session');
is_over($seven, 'a logout beside an invalid access token');
my $newer = refresh(main, $eight->{refreshToken})->{json};
answers(give_back($eight->{refreshToken}), 200, $done, 'a used refresh token ends the session');
is_over($newer, 'a logout with a used refresh token');
answers(give_back($_), 401, refusal(error => qr/./), 'an invalid refresh token is refused', 'www-authenticate' => failed(),
    'set-cookie' => undef) for $six->{refreshToken}, $eight->{refreshToken}, 'x', 'x' x 43;
answers(give_back($_->[1]), 400, invalid(refreshToken => $_->[0]),
    "an invalid field refreshToken is refused: $_->[0]") for ['type', 5], ['too_short', ''];
goes_on($nine, 'another session');
my %told = map { $_->{status} => 1 } burst((wire(POST => '/auth/logout', { refreshToken => $nine->{refreshToken} })) x 5);
ok($told{200} && !grep({ !/^(?:200|401)$/ } keys %told), 'of five logouts at once one succeeds');
is_over($nine, 'five logouts at once');

# All sessions of this user at once, and no other user's.
my $stranger = register();
my $five = session();
answers(leave($five, { all => true }), 200, $done, 'a logout can end all sessions');
is_over($_, 'a logout of all sessions') for $user, $four, $five;
my ($first, $second) = (session(), session());
answers(api(POST => '/auth/logout', { refreshToken => $first->{refreshToken}, all => true }), 200, $done,
    'a refresh token alone can end all sessions');
is_over($_, 'a logout of all sessions with a refresh token alone') for $first, $second;
goes_on($stranger, 'another user\'s session');
ok(works(main, session()->{token}), 'the user can sign in again');

# Without credentials, the server signs nobody out.
answers(api(POST => '/auth/logout'), 401, refusal(error => qr/./), 'a logout without a token is refused',
    'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
answers(api(POST => '/auth/logout', token => forge(key => 'another key of thirty-two bytes!!')), 401, undef,
    'a logout with a forged token is refused', 'www-authenticate' => failed());
answers(api(GET => '/auth/logout', token => $stranger->{token}), 405, undef, 'GET is refused', allow => 'POST, OPTIONS');
goes_on($stranger, 'the other user\'s session');

done_testing;
