# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/password/forgot
use CatalogTest;
use CatalogAccounts;
use Digest::SHA ();

my $server = accounts(mount => 'CatalogRateLimit mail 3/3600 login Off register Off', conf => moderate());
my $count = 0;
sub forgot {
    my ($email, %headers) = @_;
    my $client = '192.0.2.' . ++$count;
    return $server->talk(wire(POST => '/auth/password/forgot', { email => $email },
        headers => { 'X-Client' => $client, %headers }));
}

my $user = register($server);
my $email = $user->{user}{email};
my $unknown = fresh() . '@example.com';
my %seen;
for ($email, uc $email, $unknown) {
    my $r = forgot($_);
    answers($r, 202, { success => true, message => qr/./ }, 'a request for a reset gets a 202', 'set-cookie' => undef);
    $seen{ lines($r) }++;
}
is(scalar keys %seen, 1, 'all answers are identical') or diag explain \%seen;

# The mail goes to the owner, at the stored address.
my $token = mail_token($server, $email, 'reset', 2);
ok(wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }),
    'the outbox is emptied');
my @mails = grep { /reset\.html/ } mails($server, $email);
is(scalar @mails, 2, 'the owner receives a mail for each request');
is(scalar(() = mails($server, $unknown)), 0, 'an unknown address gets no mail');
like($mails[0], qr/\b\Q$user->{user}{username}\E\b/, 'the mail names the user');
like($mails[0], qr/\b1 hour/, 'the mail says how long the link is valid');
my $stored = 'SELECT purpose, expires_at - created_at FROM mail_tokens WHERE token_hash = ?';
is(join(' ', $server->database->selectrow_array($stored, undef, Digest::SHA::sha256_hex($token))), 'reset 3600000',
    'the database has the token\'s hash, valid for an hour');

# The request itself changes nothing.
ok(works($server, $user->{token}), 'the session continues');
answers(sign_in($server, $user->{user}{username}, $user->{password}), 200, undef, 'the password is still accepted');

# The link's base is from the configuration.
my $other = register($server)->{user}{email};
forgot($other, Host => 'evil.test', 'X-Forwarded-Host' => 'evil.test', Forwarded => 'host=evil.test',
    Origin => 'https://evil.test');
ok(mail_token($server, $other, 'reset'), 'a mail is sent whatever the request\'s headers');
unlike(join('', mails($server, $other)), qr/evil/, 'no header of the client changes the link');

# However often clients ask, the mailbox receives few mails, and the last link is valid, so the owner can still reset.
my $victim = confirmed($server);
my $address = $victim->{user}{email};
sub quiet { wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }) }
sub resets { grep { m{/reset\.html#} } mails($server, $address) }
answers($server->talk(wire(POST => '/auth/confirm/resend', { email => $address }, from_network("203.0.113.$_"))), 202,
    undef, 'an attacker\'s request for a confirmation gets a 202') for 1 .. 5;
answers(forgot($address), 202, undef, 'the owner\'s request for a reset gets a 202');
mail_token($server, $address, 'reset'); # wait for the mail
answers(forgot($address), 202, undef, 'an attacker\'s request for a reset gets a 202') for 1 .. 10;
answers(forgot($address), 202, undef, 'the owner\'s second request gets a 202');
ok(quiet(), 'the outbox is emptied, the limited mails included');
is(scalar resets(), 3, 'the address receives no more mails than its limit');
my $link = mail_token($server, $address, 'reset', 3);
answers($server->api(POST => '/auth/password/reset', { token => $link, password => 'another horse' }), 200, undef,
    'the last link that was sent is valid');
answers(sign_in($server, $victim->{user}{username}, 'another horse'), 200, undef, 'the new password is accepted');

# Not too often from one client.
is_deeply([map { forgot(fresh() . '@example.com', 'X-Client' => '198.51.100.1')->{status} } 1 .. 4],
    [202, 202, 202, 429], 'a client that asks for many addresses is limited');
answers(forgot('x'), 400, invalid(email => 'format'), 'an invalid address is refused');

done_testing;
