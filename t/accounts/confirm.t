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
answers(look($token), 200, $good, 'the link is good') for 1 .. 3;
answers($server->api(HEAD => "/auth/confirm?token=$token"), 200, '', 'HEAD');
answers($server->api(OPTIONS => "/auth/confirm?token=$token"), 204, '', 'OPTIONS', allow => 'GET, HEAD, POST, OPTIONS');
is(is_confirmed($user), 0, 'looking confirms nothing');

# The token must be complete, and in the right field.
my @wrong = (substr($token, 1), "${token}x", ($token =~ tr/a-zA-Z/A-Za-z/r), 'x' x 43, '%00', "'",
    Digest::SHA::sha256_hex($token));
for (@wrong) {
    answers(look($_), 400, $bad, "look: $_");
    answers(confirm($_), 400, $bad, "confirm: $_");
}
answers($server->api(GET => '/auth/confirm'), 400, $bad, 'look without a token');
answers(look(''), 400, $bad, 'look at an empty one');
answers($server->api(POST => "/auth/confirm?token=$token", {}), 400, invalid(token => 'required'),
    'POST with it in the query');
answers($server->api(POST => '/auth/confirm', { token => $_->[0] }), 400, invalid(token => $_->[1]),
    "a token of another kind: $_->[1]")
    for [undef, 'null'], [5, 'type'], ['', 'too_short'], ['x' x 1001, 'too_long'];
answers($server->api(POST => '/auth/confirm'), 415, undef, 'no body');
is(is_confirmed($user), 0, 'none of it confirms anything');

# A confirmation needs no sign-in, and works once.
answers(confirm($token), 200, $good, 'confirmed');
is(is_confirmed($user), 1, 'the address is confirmed');
answers(look($token), 400, $bad, 'the link is no longer good');
answers(confirm($token), 400, $bad, 'a second time');
is(is_confirmed($user), 1, 'it stays confirmed');

# Of many at once, one succeeds.
$user = register($server);
$token = mail_token($server, $user->{user}{email}, 'confirm');
my $stranger = register($server);
my @answers = $server->burst((wire(POST => '/auth/confirm', { token => $token })) x 8);
is_deeply([sort map { $_->{status} } @answers], [200, (400) x 7], 'eight at once: one 200');
is(is_confirmed($user) . is_confirmed($stranger), '10', 'that user is confirmed, no other');

# The first confirmation invalidates all links of the user.
my @tokens = mail_token($server, $stranger->{user}{email}, 'confirm');
$server->api(POST => '/auth/confirm/resend', { email => $stranger->{user}{email} });
push @tokens, mail_token($server, $stranger->{user}{email}, 'confirm', 2);
isnt($tokens[0], $tokens[1], 'each mail has a token of its own');
answers(look($_), 200, $good, 'both are good') for @tokens;
answers(confirm($tokens[0]), 200, $good, 'one is used');
answers(confirm($tokens[1]), 400, $bad, 'the other link no longer works');

# The database has only a hash; an expired token is invalid.
$user = register($server);
$token = mail_token($server, $user->{user}{email}, 'confirm');
my $db = $server->database;
my @where = ('WHERE token_hash = ?', undef, Digest::SHA::sha256_hex($token));
is($db->selectrow_array('SELECT expires_at - created_at FROM mail_tokens ' . $where[0], @where[1, 2]), 24 * 3600 * 1000,
    'it is good for 24 hours');
is($db->do('UPDATE mail_tokens SET expires_at = ? ' . $where[0], undef, time * 1000 - 1, $where[2]), 1, 'a day passes');
answers(look($token), 400, $bad, 'an old link is not good');
answers(confirm($token), 400, $bad, 'nor does it confirm');
is(is_confirmed($user), 0, 'nothing is confirmed by it');

# A token for another purpose is invalid.
$server->api(POST => '/auth/password/forgot', { email => $user->{user}{email} });
my $reset = mail_token($server, $user->{user}{email}, 'reset');
answers(confirm($reset), 400, $bad, 'a token to set a password confirms nothing');
answers($server->api(POST => '/auth/password/reset', { token => $reset, password => 'another horse' }), 200, $good,
    'and is still good for that');
is(is_confirmed(sign_in($server, $user->{user}{username}, 'another horse')->{json}), 1,
    'which confirms the address: its owner has read the mail');

done_testing;
