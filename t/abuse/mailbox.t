# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /users
# route: POST /auth/password/forgot
# route: POST /auth/password/change
# moves: catalog_rate_limit_refusals_total address
# moves: catalog_mails_failed_total dropped
# An attacker can neither flood another user's mailbox nor keep mails from it.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Metrics qw(location moved_since);

my $server = accounts(mount => 'CatalogRateLimit mail 3/3600 login Off register Off', conf => moderate() . location());
my $count = 0;
sub from_anywhere { from_network('192.0.2.' . ++$count) }
sub subjects { map { /^Subject: (.*)\r$/m } grep { /^To: <?\Q$_[0]\E/m } map { slurp($_) } glob $server->dir . '/data/mail/*.eml' }
sub quiet { wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }) }
sub registration {
    my ($email, $from) = @_;
    my $route = ++$count % 2 ? '/register' : '/users';
    return $server->talk(wire(POST => $route, { username => fresh(), email => $email, password => 'correct horse' },
        ref $from ? %$from : from_network($from)));
}

register($server); # by when a busy machine has created the schema, too

# Sub-addresses of one mailbox, from one network: requests refused for other reasons do not count.
my $here = '198.51.100.1';
answers(registration("victim\@example.com", $here), 201, undef, 'the mailbox\'s own address is not counted');
answers(registration("victim+1\@example.com", $here), 201, undef, 'the first sub-address is registered');
answers(registration($_, $here), 409, undef, 'an address that exists is refused, and not counted') for ('VICTIM+1@example.com') x 3;
answers(registration("victim+$_\@example.com", $here), 201, undef, 'another sub-address is registered') for 2, 3;
answers(registration($_, $here), 429, refusal(error => qr/./), "$_ is over the mailbox's limit", 'retry-after' => qr/^1\d\d\d$/,
    ratelimit => qr/^"address";r=0;t=\d+$/, 'ratelimit-policy' => '"address";q=3;w=3600')
    for 'victim+4@example.com', 'Victim+5@Example.com', 'victim+@example.com', 'victim++4@example.com';
answers(registration($_, $here), 201, undef, "$_ is another mailbox")
    for 'victim+4@example.org', 'victim4@example.com', 'another+4@example.com';

# From many networks: the users are registered, but their mailbox gets no more mails.
answers(registration("victim+$_\@example.com", { from_anywhere() }), 201, undef,
    'another network registers a sub-address') for 6 .. 20;
ok(quiet(), 'the outbox is emptied');
is(scalar(map { subjects("victim+$_\@example.com") } 1 .. 20), 3, 'three of twenty sub-addresses receive a mail');
is(scalar(subjects('victim@example.com')), 1, 'the mailbox\'s own address receives its mail');

moved_since($server, {}, { 'catalog_rate_limit_refusals_total{limit="address"}' => 4, 'catalog_mails_failed_total{reason="dropped"}' => 15 },
    'the metrics count the refused registrations, and the mails that were not sent');

# The owner of the mailbox still gets mails.
my $forgot = sub { $server->talk(wire(POST => '/auth/password/forgot', { email => $_[0] }, from_anywhere())) };
answers($forgot->("victim+$_\@example.com"), 202, undef, 'a reset for a sub-address is accepted') for 1 .. 10;
answers($forgot->('victim@example.com'), 202, undef, 'a reset for the mailbox\'s own address is accepted');
mail_token($server, 'victim@example.com', 'reset');
ok(quiet(), 'the outbox is emptied');
is(scalar(grep { !/onfirm/ } map { subjects("victim+$_\@example.com") } 1 .. 20), 3, 'three resets reach the sub-addresses');

# A confirmed sub-address has its own count.
my $mine = confirmed_as('victim+mine@example.org');
answers($forgot->('victim+4@example.org'), 202, undef, 'resets for a neighbouring sub-address are accepted') for 1 .. 5;
answers($forgot->('victim+mine@example.org'), 202, undef, 'a reset for the confirmed sub-address is accepted');
mail_token($server, 'victim+mine@example.org', 'reset');
pass('the reset reaches the confirmed sub-address');

sub confirmed_as {
    my ($email) = @_;
    my $user = register($server, email => $email);
    my $link = mail_token($server, $email, 'confirm');
    answers($server->api(POST => '/auth/confirm', { token => $link }), 200, undef, "$email is confirmed");
    return $user;
}

# Changing the password again and again.
my ($password, $next) = ('correct horse', 'another horse');
for (1 .. 8) {
    answers($server->api(POST => '/auth/password/change', { currentPassword => $password, newPassword => $next },
        token => $mine->{token}), 200, undef, 'the password is changed');
    ($password, $next) = ($next, $password);
}
ok(quiet(), 'the outbox is emptied');
is(scalar(grep { /changed/ } subjects('victim+mine@example.org')), 3, 'the user receives three mails about eight changes');

done_testing;
