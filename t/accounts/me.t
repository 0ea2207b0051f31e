# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/me
# route: POST /auth/password/change
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => 'CatalogWriteRole editor');
sub me { $server->api(GET => '/auth/me', token => $_[0]) }

my $user = register($server);
my %me = (%{ $user->{user} }, emailVerified => false, role => 'user', mayWrite => false);
answers(me($user->{token}), 200, { success => true, data => \%me }, 'the answer has the user\'s stored fields');
answers(sign_in($server, $user->{user}{username}, $user->{password}), 200, tokens(user => \%me), 'signing in returns them, too');
answers($server->api(HEAD => '/auth/me', token => $user->{token}), 200, '', 'HEAD is served');

# The answer has the stored fields, whatever the token says; only mayWrite depends on the token.
$server->api(POST => '/auth/confirm', { token => mail_token($server, $user->{user}{email}, 'confirm') });
set_role($server, $user->{user}{username}, 'admin');
answers(me($user->{token}), 200, { success => true, data => { %me, emailVerified => true, role => 'admin' } },
    'the answer has fields that changed since the token was issued');
my $in = sign_in($server, $user->{user}{username}, $user->{password});
my $refreshed = refresh($server, $user->{refreshToken});
my %admin = (%me, emailVerified => true, role => 'admin', mayWrite => true);
answers($in, 200, tokens(user => \%admin), 'signing in tells the role and what it allows');
answers($refreshed, 200, tokens(user => \%admin), 'so does a refresh');
my $next = $refreshed->{json}{token};
answers(me($next), 200, { success => true, data => { %me, emailVerified => true, role => 'admin', mayWrite => true } },
    'mayWrite follows the new token');

my $none = qr/^Bearer realm="[^"]+"$/;
answers(me(), 401, refusal(error => qr/./), 'a request without a token is refused', 'www-authenticate' => $none);
answers(me($user->{refreshToken}), 401, undef, 'a refresh token is refused', 'www-authenticate' => failed());
answers(me(forge(claims => claims(exp => time - 60))), 401, undef, 'an expired token is refused', 'www-authenticate' => failed());
my $db = $server->database;
$db->do('DELETE FROM users WHERE id = ?', undef, $user->{user}{id});
answers(me($next), 401, refusal(error => qr/./), 'the token of a deleted user is refused', 'www-authenticate' => failed());
my %change = (currentPassword => $user->{password}, newPassword => 'another horse');
answers($server->api(POST => '/auth/password/change', \%change, token => $next), 401, refusal(error => qr/./),
    'a deleted user cannot change the password', 'www-authenticate' => failed());
answers($server->api(POST => '/auth/me', {}, token => $next), 405, undef, 'POST is refused', allow => 'GET, HEAD, PATCH, DELETE, OPTIONS');

done_testing;
