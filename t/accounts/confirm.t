# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/confirm
# route: POST /auth/confirm
# A link opens a page; only its POST consumes the token.
use CatalogTest;
use CatalogAccounts;
use Digest::SHA ();

my $server = accounts();
my $good = { success => true, message => qr/./ };
my $bad = refusal(error => qr/./);
my $user = register($server);
my $token = mail_token($server, $user->{user}{email}, 'confirm');
sub look { $server->api(GET => "/auth/confirm?token=$_[0]") }
sub confirm { $server->api(POST => '/auth/confirm', { token => $_[0] }) }
sub is_confirmed { $server->api(GET => '/auth/me', token => $_[0]{token})->{json}{data}{emailVerified} ? 1 : 0 }

# A mail scanner that follows the link does not consume the token.
answers(look($token), 200, $good, 'the link is valid') for 1 .. 3;
answers($server->api(HEAD => "/auth/confirm?token=$token"), 200, '', 'HEAD is served');
answers($server->api(GET => '/auth/confirm', headers => { 'Link-Token' => $token }), 200, $good, 'the token may be in a header');
answers($server->api(OPTIONS => "/auth/confirm?token=$token"), 204, '', 'OPTIONS is served', allow => 'GET, HEAD, POST, OPTIONS');
is(is_confirmed($user), 0, 'none of these requests confirms the address');

# The token must be complete, and in the right field.
my @wrong = (substr($token, 1), "${token}x", ($token =~ tr/a-zA-Z/A-Za-z/r), 'x' x 43, '%00', "'",
    Digest::SHA::sha256_hex($token));
for (@wrong) {
    answers(look($_), 400, $bad, "GET is refused with $_");
    answers(confirm($_), 400, $bad, "POST is refused with $_");
}
answers($server->api(GET => '/auth/confirm'), 400, $bad, 'GET without a token is refused');
answers(look(''), 400, $bad, 'GET with an empty token is refused');
answers($server->api(POST => "/auth/confirm?token=$token", {}), 400, invalid(token => 'required'),
    'POST with the token in the query is refused');
answers($server->api(POST => '/auth/confirm', { token => $_->[0] }), 400, invalid(token => $_->[1]),
    "POST with an invalid token field is refused: $_->[1]")
    for [undef, 'null'], [5, 'type'], ['', 'too_short'], ['x' x 1001, 'too_long'];
answers($server->api(POST => '/auth/confirm'), 415, undef, 'POST without a body is refused');
is(is_confirmed($user), 0, 'the refused requests do not confirm the address');

# A confirmation needs no sign-in, and works once.
answers(confirm($token), 200, $good, 'the token confirms the address');
is(is_confirmed($user), 1, 'the user has a confirmed address');
answers(look($token), 400, $bad, 'GET refuses a used token');
answers(confirm($token), 400, $bad, 'POST refuses a used token');
is(is_confirmed($user), 1, 'the address stays confirmed');

# Of many at once, one succeeds.
$user = register($server);
$token = mail_token($server, $user->{user}{email}, 'confirm');
my $stranger = register($server);
my @answers = $server->burst((wire(POST => '/auth/confirm', { token => $token })) x 8);
is_deeply([sort map { $_->{status} } @answers], [200, (400) x 7], 'of eight confirmations at once one succeeds');
is(is_confirmed($user) . is_confirmed($stranger), '10', 'only that user is confirmed');

# The first confirmation invalidates all links of the user.
my @tokens = mail_token($server, $stranger->{user}{email}, 'confirm');
$server->api(POST => '/auth/confirm/resend', { email => $stranger->{user}{email} });
push @tokens, mail_token($server, $stranger->{user}{email}, 'confirm', 2);
isnt($tokens[0], $tokens[1], 'each mail has a token of its own');
answers(look($_), 200, $good, 'both links are valid') for @tokens;
answers(confirm($tokens[0]), 200, $good, 'the first token confirms the address');
answers(confirm($tokens[1]), 400, $bad, 'the other link no longer works');

# The database has only a hash; an expired token is invalid.
$user = register($server);
$token = mail_token($server, $user->{user}{email}, 'confirm');
my $db = $server->database;
my @where = ('WHERE token_hash = ?', undef, Digest::SHA::sha256_hex($token));
is($db->selectrow_array('SELECT expires_at - created_at FROM mail_tokens ' . $where[0], @where[1, 2]), 24 * 3600 * 1000,
    'the token is valid for 24 hours');
is($db->do('UPDATE mail_tokens SET expires_at = ? ' . $where[0], undef, time * 1000 - 1, $where[2]), 1,
    'the test makes the token expire');
answers(look($token), 400, $bad, 'GET refuses an expired token');
answers(confirm($token), 400, $bad, 'POST refuses an expired token');
is(is_confirmed($user), 0, 'an expired token does not confirm the address');

# A token for another purpose is invalid.
$server->api(POST => '/auth/password/forgot', { email => $user->{user}{email} });
my $reset = mail_token($server, $user->{user}{email}, 'reset');
answers(confirm($reset), 400, $bad, 'a token for a reset does not confirm the address');
answers($server->api(POST => '/auth/password/reset', { token => $reset, password => 'another horse' }), 200, $good,
    'the token is still valid for the reset');
is(is_confirmed(sign_in($server, $user->{user}{username}, 'another horse')->{json}), 1,
    'the reset confirms the address, as its owner has read the mail');

done_testing;
