# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# case: 53
# runs: first
# A real SMTP server receives the mails.
use CatalogTest;
use CatalogTest::Smtp;

my $home = scratch();
my $count = 0;
sub smtp { return CatalogTest::Smtp->new("$home/" . ++$count, @_) }
sub mailing {
    my ($url) = @_;
    return server(mount => <<"END");
CatalogMail     $url
CatalogMailFrom "Shop <shop\@catalog.test>"
CatalogBaseURL  https://shop.test
END
}
sub id_of { return $_[0]{data} =~ /^Message-ID: (\S+)/mi ? $1 : '' }

# The normal case: one message per mail, to one recipient, from the sender's address.
my $smtp = smtp('--require-domain', '--reply', 'later=451', '--reply', 'never=550');
my $server = mailing($smtp->url)->start;
my @users = map { register($server)->{user}{email} } 1 .. 7;
my $odd = register($server, email => "o'neil+{x}!#\$%&*/=?^_`|~\@example.com")->{user}{email};
ok(wait_until(15, sub { $smtp->received >= 8 }), 'all mails arrive');
for my $address (@users, $odd) {
    my @mine = $smtp->received_by($address);
    is(scalar @mine, 1, "one mail is sent to $address");
    is($mine[0]{mail_from}, 'shop@catalog.test', 'the sender is the address of CatalogMailFrom');
}
is_deeply([map { $_->{helo} } $smtp->received], [('shop.test') x 8], 'EHLO has the host of CatalogBaseURL, which the server requires');
is(scalar $smtp->received, 8, 'no other recipient receives a mail');
my %ids = map { id_of($_) => 1 } $smtp->received;
is(scalar keys %ids, 8, 'each mail has a Message-ID of its own');

# Addresses that would inject a second command never reach SMTP.
my @hostile = ("a\@example.com>\r\nRCPT TO:<evil\@example.com", "a\@example.com\nDATA", 'a@example.com> SIZE=1',
    'a@example.com,b@example.com', '<evil@example.com>');
is_deeply([map { $server->api(POST => '/register',
    { username => fresh(), email => $_, password => 'x' x 8 })->{status} } @hostile], [(400) x @hostile],
        'hostile addresses are refused');

# Temporary and permanent refusals.
my $db = $server->database;
register($server, email => 'later@example.com');
register($server, email => 'never@example.com');
my $after = register($server)->{user}{email};
ok(wait_until(15, sub { $smtp->received_by($after) }), 'a refused mail does not delay the next one');
ok(wait_until(10, sub { $db->selectrow_array(q(SELECT COUNT(*) FROM outbox WHERE state = 'dead')) }),
    'after a 550 the mail is dead');
ok(wait_until(10, sub { ($db->selectrow_array(q(SELECT attempts FROM outbox WHERE state = 'pending')) // 0) >= 2 }),
    'after a 451 the mail is sent again');
ok(wait_until(10, sub { $db->selectrow_array('SELECT COUNT(*) FROM outbox') == 2 }), 'the outbox has only these two mails');
is(scalar(() = $server->log_text =~ /CAT017: /g), 1, 'the server logs the dead mail once');
unlike($server->log_text, qr/later\@|never\@/, 'the log does not have the address');
takes_less($server->stop, 20, 'the server stops within 20 seconds');

# The server is killed and restarted while it sends: no mail is lost.
$smtp = smtp();
$server = mailing($smtp->url)->start;
$smtp->kill;
@users = map { register($server)->{user}{email} } 1 .. 3;
ok(wait_until(10, sub { $server->log_text =~ /CAT015: / }), 'a mail server that is down is logged');
$smtp->start;
ok(wait_until(20, sub { $smtp->received >= 3 }), 'all mails arrive once the mail server is back');
is_deeply([map { scalar $smtp->received_by($_) } @users], [1, 1, 1], 'each user receives one mail');

# The SMTP reply is lost: the message is sent again with the same Message-ID.
$smtp->kill;
$smtp = smtp('--hang', 'DATA');
$server->stop;
$server = mailing($smtp->url)->start;
register($server);
sleep 2;
takes_less($server->stop, 20, 'httpd stops although the mail server does not answer');
is($server->database->selectrow_array(q(SELECT COUNT(*) FROM outbox WHERE state = 'pending')), 1, 'the mail stays in the outbox');

expect_log(qr/CAT015: /, qr/CAT017: /);
done_testing;
