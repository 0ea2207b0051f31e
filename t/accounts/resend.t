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
    answers($r, 202, { success => true, message => qr/./ }, 'asked for', 'set-cookie' => undef);
    $seen{ lines($r) }++;
}
is(scalar keys %seen, 1, 'the answers are the same, byte by byte') or diag explain \%seen;
my $second = mail_token($server, $waiting, 'confirm', 2);
answers($server->api(POST => '/auth/confirm', { token => $second }), 200, undef, 'the new link is good');
ok(wait_until(10, sub { !$server->database->selectrow_array('SELECT COUNT(*) FROM outbox') }),
    'all that was asked for is done with');
is(join(' ', map { links($_) } $waiting, $done, $unknown), '2 1 0', 'no mail went where none belongs');

# Not too often to one address, whoever asks; in any case of letters.
my $asked = register($server)->{user}{email};
answers(resend($_), 202, undef, "asked for $_") for $asked, uc $asked, $asked;
for ($asked, ucfirst $asked) {
    my $r = resend($_);
    answers($r, 429, refusal(error => qr/./), 'asked for too often', 'retry-after' => qr/^\d+$/,
        ratelimit => qr/^"address";r=0;t=\d+$/, 'ratelimit-policy' => '"address";q=3;w=3600');
    cmp_ok($r->{headers}{'retry-after'}, '<=', 1200, 'until when');
}
my $nobody = fresh() . '@example.com';
is_deeply([map { resend($nobody)->{status} } 1 .. 4], [202, 202, 202, 429],
    'an address that nobody has is treated alike');
answers(resend(register($server)->{user}{email}), 202, undef, 'others may ask');

# Not too often from one address.
my $here = '198.51.100.1';
is_deeply([map { resend(fresh() . '@example.com', $here)->{status} } 1 .. 4], [202, 202, 202, 429],
    'a client that asks for one after the other');
my $r = resend(fresh() . '@example.com', $here);
answers($r, 429, refusal(error => qr/./), 'how it is told', 'retry-after' => qr/^\d+$/,
    ratelimit => qr/^"mail";r=0;t=\d+$/, 'ratelimit-policy' => '"mail";q=3;w=3600');
ok(wait_until(10, sub { links($asked) == 4 }), 'what was allowed is sent');

# What is no address.
my @bad = ([{}, 'required'], [{ email => 'x' }, 'format'], [{ email => 5 }, 'type'], [{ email => undef }, 'null'],
    [{ email => "a\@x.test\r\nBcc: b\@x.test" }, 'format']);
answers($server->api(POST => '/auth/confirm/resend', $_->[0], from_network('203.0.113.' . ++$count)), 400,
    invalid(email => $_->[1]), "no address: $_->[1]") for @bad;
answers($server->api(GET => '/auth/confirm/resend'), 405, undef, 'GET', allow => 'POST, OPTIONS');

done_testing;
