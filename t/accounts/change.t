# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/password/change
use CatalogTest;
use CatalogAccounts;

my $server = accounts();
my $user = confirmed($server);
my ($name, $email) = @{ $user->{user} }{qw(username email)};
my ($mine, $other) = map { sign_in($server, $name, 'correct horse')->{json} } 1 .. 2;
sub change {
    my ($from, $to, $token) = @_;
    return $server->api(POST => '/auth/password/change', { currentPassword => $from, newPassword => $to },
        token => $token // $mine->{token});
}

my @bad = (
    ['the current password is wrong', ['wrong horse', 'another horse'], [currentPassword => 'wrong']],
    ['the new password is too short', ['correct horse', 'x' x 7], [newPassword => 'too_short']],
    ['the new password is too long', ['correct horse', 'x' x 257], [newPassword => 'too_long']],
    ['the new password is the current one', ['correct horse', 'correct horse'], [newPassword => 'unchanged']],
    ['both passwords are invalid', [5, undef], [currentPassword => 'type', newPassword => 'null']],
);
answers(change(@{ $_->[1] }), 400, invalid(@{ $_->[2] }), "refused: $_->[0]") for @bad;
answers($server->api(POST => '/auth/password/change', {}, token => $mine->{token}), 400,
    invalid(currentPassword => 'required', newPassword => 'required'), 'refused: an empty object');
ok(works($server, $_->{token}), 'the refused requests end no session') for $mine, $other, $user;

answers(change('correct horse', 'another horse'), 200, { success => true, message => qr/./ }, 'the password is changed',
    'set-cookie' => undef);
ok(works($server, $mine->{token}), 'the session of the request continues');
$mine = refresh($server, $mine->{refreshToken})->{json};
ok($mine->{token}, 'the session of the request can be refreshed');
for ($other, $user) {
    answers($server->api(GET => '/auth/me', token => $_->{token}), 401, undef,
        'the access tokens of the other sessions are refused',
        'www-authenticate' => failed());
    answers(refresh($server, $_->{refreshToken}), 401, undef, 'the refresh tokens of the other sessions are refused',
        'www-authenticate' => failed());
}
answers(sign_in($server, $name, 'correct horse'), 401, undef, 'the old password is refused');
answers(sign_in($server, $name, 'another horse'), 200, undef, 'the new password is accepted');

# The change invalidates reset links, also those in mails that are not yet sent.
my $forgetful = register($server);
my $address = $forgetful->{user}{email};
$server->api(POST => '/auth/password/forgot', { email => $address });
my $link = mail_token($server, $address, 'reset');
my $waiting = q(SELECT COUNT(*) FROM outbox WHERE template = 'reset');
$server->database->do('INSERT INTO outbox (id, template, email_key, next_at, created_at) VALUES (?, ?, ?, ?, ?)', undef,
    '01a1fd8d-47a8-77ac-9778-38d2c78c295b', 'reset', $address, 9_000_000_000_000, 1);
is($server->database->selectrow_array($waiting), 1, 'one link was sent, another is in the outbox');
answers(change('correct horse', 'another horse', $forgetful->{token}), 200, undef,
    'the password of the user with the links is changed');
answers($server->api(POST => '/auth/password/reset', { token => $link, password => 'a thief\'s horse' }), 400,
    refusal(error => qr/./), 'the link that was sent is refused');
is($server->database->selectrow_array($waiting), 0, 'the other link is deleted from the outbox');
answers(sign_in($server, $forgetful->{user}{username}, 'another horse'), 200, undef, 'the changed password is accepted');

# A mail informs the user.
my $told = sub { grep { /^Subject: .*\bchanged\b/m } mails($server, $email) };
ok(wait_until(10, sub { $told->() == 1 }), 'a mail informs the user');
like(($told->())[0], qr/\b\Q$name\E\b/, 'the mail names the user');
unlike(($told->())[0], qr/horse|token=/, 'the mail has no password and no link with a token');

# Only if the user has confirmed the address.
my $unconfirmed = register($server);
answers($server->api(POST => '/auth/password/change', { currentPassword => 'correct horse', newPassword => 'another horse' },
    token => $unconfirmed->{token}), 200, undef, 'a user with an unconfirmed address can change the password');
ok(wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }), 'the outbox is emptied');
is(scalar(grep { /\bchanged\b/ } mails($server, $unconfirmed->{user}{email})), 0, 'the unconfirmed address receives no mail');

# A new key is told of, too, to a confirmed address, and in the user's language.
my $key = $server->api(POST => '/auth/keys', { name => 'ERP', password => 'another horse' }, token => $mine->{token});
is($key->{status}, 201, 'the user creates a key');
is($server->api(POST => '/auth/keys', { name => 'ERP', password => 'another horse' }, token => $unconfirmed->{token})->{status}, 201, 'and so does the other one');
my $of_key = sub { grep { /^Subject: A key was created/m } mails($server, $_[0]) };
ok(wait_until(10, sub { $of_key->($email) == 1 }), 'a mail informs the user');
unlike(($of_key->($email))[0], qr/\Q$key->{json}{token}\E|ERP/, 'it has neither the key nor its name');
$server->api(POST => '/auth/login', { login => $name, password => 'another horse' }, headers => { 'Accept-Language' => 'de' });
$server->api(POST => '/auth/keys', { name => 'ERP', password => 'another horse' }, token => $mine->{token});
ok(wait_until(10, sub { grep { /^Subject: =\?UTF-8\?B\?RsO8ciBJaHIgS29udG8/m } mails($server, $email) }), 'in German, if the user prefers that');
ok(wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }), 'the outbox is emptied');
is(scalar $of_key->($unconfirmed->{user}{email}), 0, 'the unconfirmed address receives no mail');

# A thief at an open browser cannot guess without limit.
is_deeply([map { change("guess $_", 'third horse here')->{status} } 1 .. 5], [(400) x 5],
    'five guesses at the current password are answered');
answers(change('another horse', 'third horse here'), 429, refusal(error => qr/./), 'the next attempt is delayed',
    'retry-after' => qr/^[123]$/, ratelimit => undef, 'ratelimit-policy' => undef);
answers(sign_in($server, $name, 'another horse'), 200, undef, 'a sign-in is not: these guesses count for the user\'s id');
ok(works($server, $mine->{token}), 'the session continues');

answers(change('x', 'third horse here', ''), 401, refusal(error => qr/./), 'a request without a token is refused',
    'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
answers(change('correct horse', 'third horse here', $other->{token}), 401, undef, 'the token of an ended session is refused',
    'www-authenticate' => failed());
my $gone = register($server);
my $db = $server->database;
$db->do('DELETE FROM users WHERE id = ?', undef, $gone->{user}{id});
answers(change('correct horse', 'third horse here', $gone->{token}), 401, refusal(error => qr/./),
    'the token of a deleted user is refused',
    'www-authenticate' => failed());

done_testing;
