# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/me
# route: POST /auth/password/change
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => 'CatalogWriteRole editor');
sub me { $server->api(GET => '/auth/me', token => $_[0]) }

my $user = register($server);
my %me = (%{ $user->{user} }, emailVerified => false, role => 'user', mayWrite => false);
answers(me($user->{token}), 200, { success => true, data => \%me }, 'who I am');
answers($server->api(HEAD => '/auth/me', token => $user->{token}), 200, '', 'HEAD');

# The answer has the stored fields, whatever the token says; only mayWrite depends on the token.
$server->api(POST => '/auth/confirm', { token => mail_token($server, $user->{user}{email}, 'confirm') });
set_role($server, $user->{user}{username}, 'admin');
answers(me($user->{token}), 200, { success => true, data => { %me, emailVerified => true, role => 'admin' } },
    'what has changed since');
my $next = refresh($server, $user->{refreshToken})->{json}{token};
answers(me($next), 200, { success => true, data => { %me, emailVerified => true, role => 'admin', mayWrite => true } },
    'with a new token');

my $none = qr/^Bearer realm="[^"]+"$/;
answers(me(), 401, refusal(error => qr/./), 'nobody', 'www-authenticate' => $none);
answers(me($user->{refreshToken}), 401, undef, 'a refresh token', 'www-authenticate' => failed());
answers(me(forge(claims => claims(exp => time - 60))), 401, undef, 'an expired token', 'www-authenticate' => failed());
my $db = $server->database;
$db->do('DELETE FROM users WHERE id = ?', undef, $user->{user}{id});
answers(me($next), 401, refusal(error => qr/./), 'a deleted user', 'www-authenticate' => failed());
my %change = (currentPassword => $user->{password}, newPassword => 'another horse');
answers($server->api(POST => '/auth/password/change', \%change, token => $next), 401, refusal(error => qr/./),
    'and wants to change the password', 'www-authenticate' => failed());
answers($server->api(POST => '/auth/me', {}, token => $next), 405, undef, 'POST', allow => 'GET, HEAD, OPTIONS');

done_testing;
