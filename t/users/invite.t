# SPDX-License-Identifier: Apache-2.0
# route: POST /users/invite
# route: GET /auth/password/reset
# route: POST /auth/password/reset
# Invitations: an account whose user sets the first password with a link, in a mail or in the answer.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for);

my $server = accounts(mount => "CatalogRateLimit Off\nCatalogReservedNames support\n");
my $db = $server->database;
sub admin_of {
    my ($server) = @_;
    my $user = register($server);
    set_role($server, $user->{user}{username}, 'admin');
    return sign_in($server, $user->{user}{username}, $user->{password})->{json};
}
my $admin = admin_of($server);
my $count = 0;
sub address { return 'guest' . ++$count . "-$$\@example.net" }
sub invite { my (%body) = @_; return $server->api(POST => '/users/invite', \%body, token => $admin->{token}) }
sub links { my ($address) = @_; return map { m{^\s*https://shop\.test/reset\.html\?invite#token=([\w-]{43})\r$}m ? $1 : () } mails($server, $address) }
sub link_to { my ($address) = @_; ok(wait_until(20, sub { links($address) }), 'a mail has the link'); return (links($address))[0] }
sub set { my ($token, $password, $on) = @_; return ($on // $server)->api(POST => '/auth/password/reset', { token => $token, password => $password }) }
sub state { my ($id) = @_; my $user = $server->api(GET => "/users/$id", token => $admin->{token})->{json}{data}; return [@$user{qw(emailVerified role lastSignInAt)}] }

# Who may, and what.
my $plain = register($server);
answers($server->api(POST => '/users/invite', { email => address() }), 401, undef, 'nobody without a token invites', 'www-authenticate' => qr/^Bearer/);
answers($server->api(POST => '/users/invite', { email => address() }, token => $plain->{token}), 403, undef, 'nor does a user', 'www-authenticate' => qr/insufficient_scope/);
answers(invite(), 400, invalid(email => 'required'), 'an address is required');
answers(invite(email => 'nobody'), 400, invalid(email => 'format'), 'that is one');
answers(invite(email => address(), role => 'root'), 400, invalid(role => 'format'), 'a role must be one');
answers(invite(email => address(), username => 'ab'), 400, invalid(username => 'too_short'), 'a name must be one');
answers(invite(email => address(), username => 'Support'), 400, invalid(username => 'reserved'), 'and not reserved');
answers(invite(email => uc $plain->{user}{email}), 409, refusal(error => qr/taken/, errors => [{ field => 'email', code => 'taken', message => qr/./ }]), 'an address that exists is refused');
answers(invite(email => address(), username => $plain->{user}{username}), 409, refusal(error => qr/taken/, errors => [{ field => 'username', code => 'taken', message => qr/./ }]), 'and so is a name');

# Invited, by mail.
my $email = address();
my $r = invite(email => $email, role => 'editor');
my ($name) = $email =~ /^(.*)@/;
answers($r, 201, { success => true, message => qr/./, data => { id => $ID, username => $name, email => $email, emailVerified => false, role => 'editor', locked => false, createdAt => $TIME } },
    'an administrator invites, and the name is made of the address; no link');
my $id = $r->{json}{data}{id};
my $token = link_to($email);
like((mails($server, $email))[0], qr/^Subject: You are invited\r.*\Q$name\E/ms, 'the mail names the user');
is(scalar(mails($server, $email)), 1, 'and is the only one');
answers(invite(email => $email), 409, undef, 'a second invitation is refused');
is_deeply(state($id), [false, 'editor', undef], 'until then the user has not confirmed the address and never signed in');
answers(sign_in($server, $name, $_), 401, undef, 'nobody can sign in') for 'x', $name;
answers($server->api(GET => '/auth/password/reset', headers => { 'Link-Token' => $token }), 200, undef, 'the link is valid');
answers(set($token, 'short'), 400, invalid(password => 'too_short'), 'the rules of passwords hold');
answers(set($token, $email), 400, invalid(password => 'personal'), 'all of them');
answers(set($token, 'battery staple'), 200, undef, 'the user sets the password');
answers(set($token, 'battery stapler'), 400, refusal(message => 'Invalid or expired link', error => qr/./), 'the link works once');
answers(sign_in($server, $email, 'battery staple'), 200, undef, 'and signs in');
is(state($id)->[0], true, 'the address is confirmed');
is_deeply($db->selectcol_arrayref('SELECT action FROM audit WHERE target_id = ? ORDER BY id', undef, $id), ['user.create', 'user.password'], 'the audit trail has both');

# A name that is taken or reserved gets digits.
for my $local ($name, 'support', '!!') {
    my $made = invite(email => "$local\@other$$.example")->{json}{data}{username};
    my $begin = $local eq '!!' ? 'user' : $local;
    like($made, $local eq '!!' ? qr/^user(?:-[0-9a-f]{6})?$/ : qr/^\Q$begin\E-[0-9a-f]{6}$/, "the name for $local");
}

# A link for a new password replaces the invitation, as does an administrator's lock.
my ($late, $locked) = map { address() } 1, 2;
my @ids = map { invite(email => $_)->{json}{data}{id} } $late, $locked;
my @tokens = map { link_to($_) } $late, $locked;
$db->do('UPDATE mail_tokens SET expires_at = 1 WHERE user_id = ?', undef, $ids[0]);
answers(set($tokens[0], 'battery staple'), 400, refusal(error => qr/./), 'a link expires');
$server->api(POST => '/auth/password/forgot', { email => $late });
answers(set(mail_token($server, $late, 'reset'), 'battery staple'), 200, undef, 'the user then asks for another one');
$server->api(PATCH => "/users/$ids[1]", { locked => true }, token => $admin->{token});
answers(set($tokens[1], 'battery staple'), 400, refusal(error => qr/./), 'a lock withdraws it');

# Without mail the answer has the link, and so has catalogctl.
my $silent = server(mount => "CatalogRateLimit Off\nCatalogBaseURL https://shop.test\n")->start;
my $root = admin_of($silent);
my $guest = address();
$r = $silent->api(POST => '/users/invite', { email => $guest, username => "guest.$$" }, token => $root->{token});
answers($r, 201, sub { $_[0]{link} =~ m{^https://shop\.test/reset\.html\?invite#token=[\w-]{43}$} }, 'without mail the answer has the link');
is($silent->database->selectrow_array('SELECT COUNT(*) FROM outbox WHERE user_id = ?', undef, $r->{json}{data}{id}), 0, 'and no mail waits');
answers(set($r->{json}{link} =~ /=(.*)/, 'battery staple', $silent), 200, undef, 'which works');
my $told = address();
my $said = ctl_for($silent, 'user', 'invite', $told, '--role', 'editor', '--name', "told.$$");
like($said->{out}, qr{^[0-9a-f-]{36}\thttps://shop\.test/reset\.html\?invite#token=[\w-]{43}\n\z}, 'catalogctl user invite prints the id and the link');
answers(set($said->{out} =~ /token=(.*)\n/, 'battery staple', $silent), 200, undef, 'which works');
answers(sign_in($silent, "told.$$", 'battery staple'), 200, sub { $_[0]{user}{role} eq 'editor' }, 'with the name and the role');
like(ctl_for($silent, 'user', 'invite', $told)->{err}, qr/taken/, 'a second one is refused');
like(ctl_for($silent, 'user', 'invite', @$_)->{err}, qr/^catalogctl: .*(?:email must|is not a role|username must)/, "refused: @$_") for ['nobody'], ['x@y.example', '--role', 'root'], ['x@y.example', '--name', 'a'];
my $mailed = address();
like(ctl_for($server, 'user', 'invite', $mailed)->{out}, qr/^[0-9a-f-]{36}\n\z/, 'with mail only the id');
link_to($mailed);

done_testing;
