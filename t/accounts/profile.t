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
sub renew { $user = { %$user, %{ refresh($server, $user->{refreshToken})->{json} } } }
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
my $former = $user->{token};
answers(update({ username => uc $name }), 200, profile(username => uc $name), 'the case of the own name is changed');
answers($server->api(GET => '/auth/me', token => $former), 401, refusal(message => 'Invalid token', error => qr/ended/), 'the access token with the former name is refused',
    'www-authenticate' => failed());
renew();
is(claims_of($user->{token})->{username}, uc $name, 'the session continues, and the next access token has the new name');
isnt(claims_of($user->{token})->{sid}, claims_of($former)->{sid}, 'under another id');
answers(update({ username => uc $name }), 200, profile(username => uc $name), 'the name that is there already changes nothing');
ok(works($server, $user->{token}), 'and ends no token');
my $twin = sign_in($server, $name, 'correct horse')->{json};
my $me = $server->api(GET => '/auth/me', token => $user->{token})->{json}{data};
answers(update({ %$me, username => "$name-2", colour => 'blue', role => 'admin' }), 200, profile(username => "$name-2"),
    'what was read can be sent back; the role stays', 'catalog-ignored' => 'colour');
answers($server->api(GET => '/auth/me', token => $twin->{token}), 401, undef, 'the access tokens of the other sessions are refused too', 'www-authenticate' => failed());
answers(refresh($server, $twin->{refreshToken}), 200, tokens(), 'which continue as well');
renew();
answers(update({ username => "$name-3" }, headers => { 'Content-Type' => 'application/merge-patch+json' }), 200, profile(username => "$name-3"),
    'a merge patch');
renew();
answers(sign_in($server, "$name-2", 'correct horse'), 401, undef, 'the former name does not sign in');
answers(sign_in($server, uc "$name-3", 'correct horse'), 200, sub { $_[0]{user}{username} eq "$name-3" }, 'the new one signs in');

# A former name is its owner's.
my $claim = { %{ invalid(username => 'taken') }, message => 'User already exists' };
answers($server->api(POST => '/users', { username => uc "$name-2", email => "x$$\@example.com", password => 'correct horse' }), 409, $claim, 'nobody registers with a former name');
answers($server->api(PATCH => '/auth/me', { username => "$name-2" }, token => $other->{token}), 409, $claim, 'nor takes it');
answers(update({ username => "$name-2" }), 200, profile(username => "$name-2"), 'its former owner takes it back');
renew();
answers(update({ username => "$name-3" }), 200, profile(username => "$name-3"), 'and gives it up again');
renew();
is($db->selectrow_array(q(SELECT COUNT(*) FROM released_names WHERE user_id = ?), undef, $user->{user}{id}), 2, 'the database has both former names');
is($db->selectrow_array(q(SELECT COUNT(*) FROM released_names WHERE name_hash LIKE ?), undef, "%$name%"), 0, 'as digests');
$db->do('UPDATE released_names SET expires_at = 1 WHERE user_id = ?', undef, $user->{user}{id});
answers($server->api(PATCH => '/auth/me', { username => "$name-2" }, token => $other->{token}), 200, undef, 'after its time anybody may take it');
$other = { %$other, %{ refresh($server, $other->{refreshToken})->{json} } };

# Reserved names, and names that look like ids.
answers($server->api(PATCH => '/auth/me', { username => $_ }, token => $other->{token}), 400, invalid(username => 'reserved'), "$_ is reserved") for qw(admin Postmaster SUPPORT);
answers($server->api(PATCH => '/auth/me', { username => $_ }, token => $other->{token}), 400, invalid(username => 'format'), "$_ looks like an id") for $other->{user}{id}, uc $user->{user}{id};
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
answers($server->api(POST => '/users', { username => "$name-3", email => $user->{user}{email}, password => 'correct horse' }), 409, $claim,
    'the name stays reserved');
answers($server->api(POST => '/users', { username => fresh(), email => $user->{user}{email}, password => 'correct horse' }), 201, undef, 'the address is free');

# A thief at an open browser cannot guess without limit.
$user = register($server);
is_deeply([map { remove("guess $_")->{status} } 1 .. 5], [(400) x 5], 'five guesses are answered');
answers(remove('correct horse'), 429, refusal(error => qr/./), 'the next attempt is delayed', 'retry-after' => qr/^[123]$/);
ok(works($server, $user->{token}), 'and the account is there');
for my $own ([POST => '/auth/password/change', { currentPassword => 'wrong horse', newPassword => 'another horse' }],
    [POST => '/auth/email/change', { newEmail => "new$$\@example.com", password => 'wrong horse' }]) {
    answers($server->api(@$own, token => $user->{token}), 429, undef, "$own->[1] is delayed by the same guesses");
}
answers(update({ username => fresh() }), 200, undef, 'the name is changed');
renew();
answers(remove('correct horse'), 429, undef, 'a new name does not lift the delay');

# Nor that of sign-ins with the name.
my $guessed = register($server);
is_deeply([map { sign_in($server, $guessed->{user}{username}, "guess $_")->{status} } 1 .. 5], [(401) x 5], 'five guesses are answered');
answers($server->api(PATCH => '/auth/me', { username => my $new = fresh() }, token => $guessed->{token}), 200, undef, 'the name is changed');
answers(sign_in($server, $new, 'correct horse'), 429, undef, 'the delay goes with the account');

# A mail tells the user.
my $told = confirmed($server);
answers($server->api(PATCH => '/auth/me', { username => my $next = fresh() }, token => $told->{token}), 200, undef, 'a user with a confirmed address changes the name');
ok(wait_until(10, sub { grep { /^Subject: Your user name was changed.*Hello \Q$next\E,/ms } mails($server, $told->{user}{email}) }), 'a mail tells the user');
is(scalar(grep { /user name was changed/ } map { mails($server, $_->{user}{email}) } $other, $guessed), 0, 'unconfirmed addresses get none');
done_testing;
