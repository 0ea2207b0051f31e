# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/email/change
# route: GET /auth/confirm
# route: POST /auth/confirm
# A new e-mail address: a link to the new one, a notice to the old one.
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => "CatalogRateLimit Off\n");
my $db = $server->database;
my $user = confirmed($server);
my $old = $user->{user}{email};
my $count = 0;
sub address { return 'new-' . ++$count . "-$$\@example.net" }
sub change { my ($to, $password, $who) = @_; return $server->api(POST => '/auth/email/change', { newEmail => $to, password => $password // 'correct horse' }, token => ($who // $user)->{token}) }
sub confirm { return $server->api(POST => '/auth/confirm', { token => $_[0] }) }
sub email { my ($who) = @_; return @{ $server->api(GET => '/auth/me', token => ($who // $user)->{token})->{json}{data} }{qw(email emailVerified)} }
sub sent { ok(wait_until(10, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox') }), $_[0]) }
my $queued = { success => true, message => qr/./ };
my $invalid = refusal(message => 'Invalid or expired link', error => qr/./);

# Refused.
answers($server->api(POST => '/auth/email/change', {}, token => $user->{token}), 400, invalid(newEmail => 'required', password => 'required'), 'both fields are required');
answers(change('nobody'), 400, invalid(newEmail => 'format'), 'the address must be one');
answers(change(address(), 'wrong horse'), 400, invalid(password => 'wrong'), 'the password must be right');
answers($server->api(POST => '/auth/email/change', { newEmail => address(), password => 'correct horse' }), 401, refusal(error => qr/./), 'a token is required',
    'www-authenticate' => qr/^Bearer/);
sent('none of that sends a mail');
is(scalar(grep { /address is about/ } mails($server, $old)), 0, 'nor a notice');

# Changed.
my $new = address();
answers(change($new), 202, $queued, 'a change is asked for');
my $token = mail_token($server, $new, 'confirm');
sent('both mails are sent');
my ($notice) = grep { /^Subject: .*about to be changed/m } mails($server, $old);
ok($notice, 'the old address gets a notice');
unlike($notice, qr/token=|\Q$new/, 'without link and new address');
like((mails($server, $new))[0], qr/^Subject: .*new e-mail address.*\Q$user->{user}{username}/ms, 'the mail with the link names the user');
is_deeply([email()], [$old, true], 'the address is still the old one');
answers($server->api(GET => "/auth/confirm?token=$token"), 200, undef, 'the link is valid');
$server->api(POST => '/auth/password/forgot', { email => $old });
my $reset = mail_token($server, $old, 'reset');
answers(confirm($token), 200, { success => true, message => qr/./ }, 'the link is followed');
is_deeply([email()], [$new, true], 'the address is the new one, and confirmed');
answers(confirm($token), 400, $invalid, 'the link works once');
answers($server->api(GET => "/auth/confirm?token=$token"), 400, $invalid, 'and is not valid any more');
answers($server->api(POST => '/auth/password/reset', { token => $reset, password => 'another horse' }), 400, $invalid, 'a link that was sent to the old address is not either');
answers(sign_in($server, $new, 'correct horse'), 200, undef, 'the new address signs in');
answers(sign_in($server, $old, 'correct horse'), 401, undef, 'the old one does not');
ok(works($server, $user->{token}), 'the session continues');

# Whether an address has an account: the answer does not tell, and its owner gets no mail.
my $owner = register($server);
my @answers = map { change($_) } $owner->{user}{email}, address();
is_deeply([map { [@{$_}{qw(status body)}] } @answers], [([202, $answers[0]{body}]) x 2], 'the answers for a taken and a free address are the same');
sent('the outbox is emptied');
is(scalar(grep { /new e-mail address/ } mails($server, $owner->{user}{email})), 0, 'nothing is sent to a taken address');

# Only the link to the address that was asked for last is valid.
my ($first, $last) = (address(), address());
change($first);
my $stale = mail_token($server, $first, 'confirm');
change($last);
$token = mail_token($server, $last, 'confirm');
answers(confirm($stale), 400, $invalid, 'the link to the address before is not valid');
answers(confirm($token), 200, undef, 'the one to the last is');
is_deeply([email()], [$last, true], 'whose address it becomes');

# Somebody registers with the address before the link is followed.
my $wanted = address();
change($wanted);
$token = mail_token($server, $wanted, 'confirm');
my $faster = register($server, email => uc $wanted);
answers(confirm($token), 409, refusal(message => 'User already exists', error => qr/./), 'the address is taken meanwhile');
is_deeply([email()], [$last, true], 'and stays with who was faster');

# A new password takes the link back.
change(my $stolen = address());
$token = mail_token($server, $stolen, 'confirm');
$server->api(POST => '/auth/password/change', { currentPassword => 'correct horse', newPassword => 'another horse' }, token => $user->{token});
answers(confirm($token), 400, $invalid, 'a new password makes the link invalid');

# An unconfirmed address may be somebody else's: it gets no notice.
my $unsure = register($server);
answers(change(my $right = address(), undef, $unsure), 202, $queued, 'an unconfirmed address is replaced');
answers(confirm(mail_token($server, $right, 'confirm')), 200, undef, 'by the link');
is_deeply([email($unsure)], [$right, true], 'the new one is confirmed');
is(scalar(grep { /about to be/ } mails($server, $unsure->{user}{email})), 0, 'the old one got no notice');

# A link dies with its account.
my $gone = register($server);
change(my $late = address(), undef, $gone);
$token = mail_token($server, $late, 'confirm');
$server->api(DELETE => '/auth/me', { password => 'correct horse' }, token => $gone->{token});
answers(confirm($token), 400, $invalid, 'the link of a deleted account is not valid');
done_testing;
