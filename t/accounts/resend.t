# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/confirm/resend
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => 'CatalogRateLimit mail 3/3600 login Off register Off', conf => moderate());
my $count = 0;

# Each time from elsewhere, so that only what is asked for counts.
sub resend {
    my ($email, $from) = @_;
    return $server->talk(wire(POST => '/auth/confirm/resend', { email => $email },
        from_network($from // '192.0.2.' . ++$count)));
}
sub links { scalar(() = join('', mails($server, $_[0])) =~ m{/confirm\.html#token=}g) }

my ($waiting, $done, $unknown) = (register($server)->{user}{email}, confirmed($server)->{user}{email},
    fresh() . '@example.com');
my $first = mail_token($server, $waiting, 'confirm');

# Nobody learns who has an account, or who is confirmed.
my %seen;
for ($waiting, $done, $unknown) {
    my $r = resend($_);
    answers($r, 202, { success => true, message => qr/./ }, 'a request for a confirmation gets a 202', 'set-cookie' => undef);
    $seen{ lines($r) }++;
}
is(scalar keys %seen, 1, 'all answers are identical') or diag explain \%seen;
my $second = mail_token($server, $waiting, 'confirm', 2);
answers($server->api(POST => '/auth/confirm', { token => $second }), 200, undef, 'the new link is valid');
ok(wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }),
    'the outbox is emptied');
is(join(' ', map { links($_) } $waiting, $done, $unknown), '2 1 0', 'only the unconfirmed user receives another mail');

# Not too often to one address, whoever asks, in any case of letters: the registration sent the first. Nobody is told.
my $asked = register($server)->{user}{email};
my $nobody = fresh() . '@example.com';
for my $address ($asked, uc $asked, ($asked) x 4, ($nobody) x 5) {
    answers(resend($address), 202, undef, "a request for $address gets a 202", ratelimit => qr/^"mail";/);
}

# Not too often from one address.
my $here = '198.51.100.1';
is_deeply([map { resend(fresh() . '@example.com', $here)->{status} } 1 .. 4], [202, 202, 202, 429],
    'a client that asks for many addresses is limited');
my $r = resend(fresh() . '@example.com', $here);
answers($r, 429, refusal(error => qr/./), 'the refusal says when to retry', 'retry-after' => qr/^\d+$/,
    ratelimit => qr/^"mail";r=0;t=\d+$/, 'ratelimit-policy' => '"mail";q=3;w=3600');
ok(wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }),
    'the outbox is emptied, the limited mails included');
is(links($asked), 3, 'the address receives the mails within its limit');
like($server->log_text, qr/CAT018: mail \S+ was dropped/, 'the log has the dropped mails');

# What is no address.
my @bad = ([{}, 'required'], [{ email => 'x' }, 'format'], [{ email => 5 }, 'type'], [{ email => undef }, 'null'],
    [{ email => "a\@x.test\r\nBcc: b\@x.test" }, 'format']);
answers($server->api(POST => '/auth/confirm/resend', $_->[0], from_network('203.0.113.' . ++$count)), 400,
    invalid(email => $_->[1]), "an invalid address is refused: $_->[1]") for @bad;
answers($server->api(GET => '/auth/confirm/resend'), 405, undef, 'GET is refused', allow => 'POST, OPTIONS');

done_testing;
