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
        "$what: its access token is refused", 'www-authenticate' => $invalid);
    answers(api(POST => '/products', \%product, token => $session->{token}), 401, undef, "$what: on every route",
        'www-authenticate' => $invalid);
    answers(api(POST => '/auth/logout', token => $session->{token}), 401, undef, "$what: on logout, too",
        'www-authenticate' => $invalid);
    answers(refresh(main, $session->{refreshToken}), 401, undef, "$what: so is its refresh token",
        'www-authenticate' => $invalid);
}
sub goes_on { ok(works(main, $_[0]{token}), "$_[1] goes on") }

# One session, with all its tokens.
my ($one, $two) = (session(), session());
my $renewed = refresh(main, $one->{refreshToken})->{json};
answers(leave($renewed), 200, $done, 'one session ends', 'set-cookie' => undef);
is_over($one, 'what it began with');
is_over($renewed, 'what it was refreshed to');
goes_on($two, 'another session');
goes_on($user, 'the session of the registration');

# The bodies that a client may send.
answers(leave($two, { refreshToken => $two->{refreshToken} }), 200, $done, 'with its refresh token');
is_over($two, 'with its refresh token');
my ($three, $four) = (session(), session());
answers(leave($three, { refreshToken => $four->{refreshToken}, all => false }), 200, $done,
    'with another session\'s refresh token');
is_over($three, 'the session of the access token');
goes_on($four, 'the other');
answers(leave($four, { all => 'yes' }), 400, invalid(all => 'type'), 'all must be a boolean');
answers(leave($four, { refreshToken => 1 }), 400, invalid(refreshToken => 'type'), 'a refresh token must be a text');
answers(leave($four, '{'), 400, undef, 'a body that is no JSON');
answers(leave($four, { x => 1 }, headers => { Prefer => 'handling=strict' }), 400, invalid(x => 'unknown'),
    'an unknown field, strictly');
goes_on($four, 'a session, after requests that were refused,');

# A refresh token alone is enough: for clients whose access token has expired, or whose page was closed.
my ($six, $seven, $eight, $nine) = map { session() } 1 .. 4;
sub give_back { my ($token, %o) = @_; return api(POST => '/auth/logout', { refreshToken => $token }, %o) }
answers(give_back($six->{refreshToken}), 200, $done, 'with a refresh token alone', 'set-cookie' => undef);
is_over($six, 'with a refresh token alone');
answers(give_back($seven->{refreshToken}, token => $six->{token}), 200, $done, 'beside an access token that is refused');
is_over($seven, 'beside an access token that is refused');
my $newer = refresh(main, $eight->{refreshToken})->{json};
answers(give_back($eight->{refreshToken}), 200, $done, 'with one that was used');
is_over($newer, 'with one that was used');
answers(give_back($_), 401, refusal(error => qr/./), 'with one that is good for nothing', 'www-authenticate' => failed(),
    'set-cookie' => undef) for $six->{refreshToken}, $eight->{refreshToken}, 'x', 'x' x 43;
answers(give_back($_->[1]), 400, invalid(refreshToken => $_->[0]), "with one that is $_->[0]") for ['type', 5], ['too_short', ''];
goes_on($nine, 'another session');
my %told = map { $_->{status} => 1 } burst((wire(POST => '/auth/logout', { refreshToken => $nine->{refreshToken} })) x 5);
ok($told{200} && !grep({ !/^(?:200|401)$/ } keys %told), 'five at once: signed out');
is_over($nine, 'five at once');

# All sessions of this user at once, and no other user's.
my $stranger = register();
my $five = session();
answers(leave($five, { all => true }), 200, $done, 'all sessions end');
is_over($_, 'all') for $user, $four, $five;
my ($first, $second) = (session(), session());
answers(api(POST => '/auth/logout', { refreshToken => $first->{refreshToken}, all => true }), 200, $done,
    'all sessions end, with a refresh token alone');
is_over($_, 'all, with a refresh token alone') for $first, $second;
goes_on($stranger, 'another user\'s session');
ok(works(main, session()->{token}), 'signing in works again');

# Without credentials, the server signs nobody out.
answers(api(POST => '/auth/logout'), 401, refusal(error => qr/./), 'without a token',
    'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
answers(api(POST => '/auth/logout', token => forge(key => 'another key of thirty-two bytes!!')), 401, undef,
    'with a forged one', 'www-authenticate' => failed());
answers(api(GET => '/auth/logout', token => $stranger->{token}), 405, undef, 'GET', allow => 'POST, OPTIONS');
goes_on($stranger, 'the stranger\'s session');

done_testing;
