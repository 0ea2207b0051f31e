# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/password/reset
# route: POST /auth/password/reset
use CatalogTest;
use CatalogAccounts;

my $common = scratch() . '/common.txt';
spew($common, "correct battery\n");
# Four passwords are hashed at once, so that none waits for the others.
my $server = accounts(conf => "CatalogHashConcurrency 4\n", mount => qq(CatalogPasswordBlocklist "$common"));
my $bad = refusal(error => qr/./);
my %links;
sub link_for {
    my ($user) = @_;
    my $email = $user->{user}{email};
    $server->api(POST => '/auth/password/forgot', { email => $email });
    return mail_token($server, $email, 'reset', ++$links{$email});
}
sub reset_password {
    my ($token, $password) = @_;
    return $server->api(POST => '/auth/password/reset', { token => $token, password => $password });
}

sub look { return $server->api(GET => "/auth/password/reset?token=$_[0]") }

my $user = register($server);
my $name = $user->{user}{username};
my @sessions = ($user, map { sign_in($server, $name, 'correct horse')->{json} } 1 .. 2);
my $stranger = register($server);
my ($token, $second) = (link_for($user), link_for($user));

# A page, and a mail scanner, can ask whether a link is valid.
my $good = { success => true, message => qr/./ };
answers(look($_), 200, $good, 'a link is valid') for $token, $token, $second;
answers($server->api(HEAD => "/auth/password/reset?token=$token"), 200, '', 'HEAD is served');
answers($server->api(GET => '/auth/password/reset', headers => { 'Link-Token' => $token }), 200, $good, 'the token may be in a header');
answers($server->api(GET => '/auth/password/reset', headers => { 'Link-Token' => "${token}x" }), 400, $bad, 'a wrong one there is refused');
answers(look($_), 400, $bad, "refused: $_") for '', 'x', 'x' x 43, substr($token, 1), $user->{refreshToken}, mail_token($server, $user->{user}{email}, 'confirm');
answers($server->api(GET => '/auth/password/reset'), 400, $bad, 'a look without a token');

# An invalid password or half a token does not consume the token.
my @wrong = (['too_short', 'x' x 7], ['too_long', 'x' x 257], ['null', undef], ['type', 12345678],
    ['common', 'Correct Battery']);
answers(reset_password($token, $_->[1]), 400, invalid(password => $_->[0]), "an invalid password is refused: $_->[0]") for @wrong;
answers($server->api(POST => '/auth/password/reset', {}), 400, invalid(token => 'required', password => 'required'),
    'an empty object is refused');
answers(reset_password($_, 'another horse'), 400, $bad, 'an unknown token is refused')
    for 'x', 'x' x 43, substr($token, 1), "$token ", uc $token, $user->{refreshToken},
    mail_token($server, $user->{user}{email}, 'confirm');
ok(works($server, $_->{token}), 'the refused requests end no session') for @sessions;

answers(reset_password($token, 'another horse'), 200, { success => true, message => qr/./ }, 'a new password is set',
    'set-cookie' => undef);
answers(look($_), 400, $bad, 'no link is valid afterwards') for $token, $second;
answers(sign_in($server, $name, 'correct horse'), 401, undef, 'the old password is refused');
for (@sessions) {
    answers($server->api(GET => '/auth/me', token => $_->{token}), 401, undef, 'the access token of every session is refused',
        'www-authenticate' => failed());
    answers(refresh($server, $_->{refreshToken}), 401, undef, 'the refresh token of every session is refused',
        'www-authenticate' => failed());
}
my $now = sign_in($server, $name, 'another horse')->{json};
ok($now->{token}, 'the new password is accepted');
ok(works($server, $stranger->{token}), 'another user\'s session continues');

# A link works once, and its use invalidates the user's other reset links.
answers(reset_password($token, 'third horse here'), 400, $bad, 'the used link is refused');
answers(reset_password($second, 'third horse here'), 400, $bad, 'the user\'s other link is refused');
ok(works($server, $now->{token}), 'a used link ends no session');
answers(sign_in($server, $name, 'another horse'), 200, undef, 'a used link does not change the password');

# A mail informs the user.
my $told = sub { grep { /^Subject: .*\bchanged\b/m } mails($server, $user->{user}{email}) };
ok(wait_until(10, sub { $told->() == 1 }), 'a mail informs the user');
unlike(($told->())[0], qr/another horse|token=/, 'the mail has neither the password nor a link with a token');
is(scalar(() = grep { /changed/ } mails($server, $stranger->{user}{email})), 0, 'no other user receives such a mail');

# Of many at once, one succeeds.
$token = link_for($user);
my @bodies = map { +{ token => $token, password => "parallel horse $_" } } 1 .. 4;
my @answers = $server->burst(map { wire(POST => '/auth/password/reset', $_) } @bodies);
is_deeply([sort map { $_->{status} } @answers], [200, 400, 400, 400], 'of four resets at once one succeeds');
my @good = grep { sign_in($server, $name, "parallel horse $_")->{status} == 200 }
    grep { $answers[$_ - 1]{status} == 200 } 1 .. 4;
is(scalar @good, 1, 'that reset sets the password');

# A link expires after an hour.
$token = link_for($user);
$server->database->do(q(UPDATE mail_tokens SET expires_at = ? WHERE purpose = 'reset'), undef, time * 1000 - 1);
answers(reset_password($token, 'much too late'), 400, $bad, 'an expired link is refused');

# A reset lifts the limit on attempts, which a user who forgot the password has reached.
my $locked = register($server);
sign_in($server, $locked->{user}{username}, 'wrong horse') for 1 .. 6;
answers(sign_in($server, $locked->{user}{username}, 'correct horse'), 429, undef, 'too many failures delay the sign-in');
answers(reset_password(link_for($locked), 'another horse'), 200, undef, 'the user resets the password');
answers(sign_in($server, $locked->{user}{username}, 'another horse'), 200, undef,
    'the sign-in with the new password is not delayed');

done_testing;
