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

# One session, with all that came of it.
my ($one, $two) = (session(), session());
my $renewed = refresh(main, $one->{refreshToken})->{json};
answers(leave($renewed), 200, $done, 'one session ends', 'set-cookie' => undef);
is_over($one, 'what it began with');
is_over($renewed, 'what it was refreshed to');
goes_on($two, 'another session');
goes_on($user, 'the session of the registration');

# What a client may send with it.
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
    'an unknown member, strictly');
goes_on($four, 'a session, after requests that were refused,');

# All at once, of this user alone.
my $stranger = register();
my $five = session();
answers(leave($five, { all => true }), 200, $done, 'all sessions end');
is_over($_, 'all') for $user, $four, $five;
goes_on($stranger, 'another user\'s session');
ok(works(main, session()->{token}), 'signing in works again');

# Nobody is signed out by nobody.
answers(api(POST => '/auth/logout'), 401, refusal(error => qr/./), 'without a token',
    'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
answers(api(POST => '/auth/logout', token => forge(key => 'another key of thirty-two bytes!!')), 401, undef,
    'with a forged one', 'www-authenticate' => failed());
answers(api(GET => '/auth/logout', token => $stranger->{token}), 405, undef, 'GET', allow => 'POST, OPTIONS');
goes_on($stranger, 'the stranger\'s session');

done_testing;
