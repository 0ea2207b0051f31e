# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/me
# route: PATCH /auth/me
# route: DELETE /auth/me
# What users change of their own accounts.
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => "CatalogRateLimit Off\n");
my $db = $server->database;
my $user = register($server);
my ($other, $name) = (register($server), $user->{user}{username});
sub update { my ($body, %o) = @_; return $server->api(PATCH => '/auth/me', $body, token => $user->{token}, %o) }
sub profile { return { success => true, data => { %{ $user->{user} }, emailVerified => false, role => 'user', mayWrite => true, @_ }, message => qr/./ } }

# The name.
my @bad = (
    [{}, '' => 'required'], [{ email => 'x@example.org', role => 'admin' }, '' => 'required'], [{ username => 'ab' }, username => 'too_short'],
    [{ username => 'a b c' }, username => 'format'], [{ username => undef }, username => 'null'], [{ username => 'x' x 65 }, username => 'too_long'],
);
answers(update($_->[0]), 400, invalid(@{$_}[1 .. $#$_]), 'refused: ' . substr Cpanel::JSON::XS->new->canonical->encode($_->[0]), 0, 60) for @bad;
answers(update({ username => uc $other->{user}{username} }), 409, { %{ invalid(username => 'taken') }, message => 'User already exists' },
    'a name that is taken is refused');
answers(update({ username => uc $name }), 200, profile(username => uc $name), 'the case of the own name is changed');
my $me = $server->api(GET => '/auth/me', token => $user->{token})->{json}{data};
answers(update({ %$me, username => "$name-2", colour => 'blue', role => 'admin' }), 200, profile(username => "$name-2"),
    'what was read can be sent back; the role stays', 'catalog-ignored' => 'colour');
answers(update({ username => "$name-3" }, headers => { 'Content-Type' => 'application/merge-patch+json' }), 200, profile(username => "$name-3"),
    'a merge patch');
answers(sign_in($server, "$name-2", 'correct horse'), 401, undef, 'the former name is free');
answers(sign_in($server, uc "$name-3", 'correct horse'), 200, sub { $_[0]{user}{username} eq "$name-3" }, 'the new one signs in');
is(claims_of(refresh($server, $user->{refreshToken})->{json}{token})->{username}, "$name-3", 'the next access token has the new name');
answers($server->api(PATCH => '/auth/me', { username => 'nobody' }), 401, refusal(error => qr/./), 'a token is required', 'www-authenticate' => qr/^Bearer/);

# The same name, twenty times at once.
my @tokens = map { register($server)->{token} } 1 .. 8;
my %status;
$status{ $_->{status} }++ for $server->burst(map { wire(PATCH => '/auth/me', '{"username":"highlander"}', token => $_) } @tokens);
is_deeply(\%status, { 200 => 1, 409 => 7 }, 'of eight users who want a name at once one gets it');

# The account.
sub remove { my ($password, %o) = @_; return $server->api(DELETE => '/auth/me', { password => $password }, token => $user->{token}, %o) }
answers($server->api(DELETE => '/auth/me', {}, token => $user->{token}), 400, invalid(password => 'required'), 'deletion requires the password');
answers(remove('wrong horse'), 400, invalid(password => 'wrong'), 'a wrong password is refused');
ok(works($server, $user->{token}), 'nothing has happened');
my $second = sign_in($server, "$name-3", 'correct horse')->{json};
answers(remove('correct horse', headers => { Cookie => '__Host-catalog_refresh%2fapi=x' }), 200, { success => true, message => qr/./ }, 'the account is deleted',
    'set-cookie' => qr/^__Host-catalog_refresh%2fapi=; .*Max-Age=0/);
answers($server->api(GET => '/auth/me', token => $_->{token}), 401, undef, 'a session has ended', 'www-authenticate' => failed()) for $user, $second;
answers(remove('correct horse'), 401, undef, 'a second deletion is refused', 'www-authenticate' => failed());
answers(sign_in($server, "$name-3", 'correct horse'), 401, undef, 'nobody can sign in');
is_deeply([map { $db->selectrow_array("SELECT COUNT(*) FROM $_ WHERE user_id = ?", undef, $user->{user}{id}) } qw(sessions outbox mail_tokens)], [0, 0, 0],
    'nothing of the user is left');
answers($server->api(POST => '/users', { username => "$name-3", email => $user->{user}{email}, password => 'correct horse' }), 201, undef,
    'the name and the address are free');

# A thief at an open browser cannot guess without limit.
$user = register($server);
is_deeply([map { remove("guess $_")->{status} } 1 .. 5], [(400) x 5], 'five guesses are answered');
answers(remove('correct horse'), 429, refusal(error => qr/./), 'the next attempt is delayed', 'retry-after' => qr/^[123]$/);
ok(works($server, $user->{token}), 'and the account is there');
done_testing;
