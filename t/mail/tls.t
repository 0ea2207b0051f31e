# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# runs: first
# STARTTLS and AUTH: the client sends credentials only over TLS, and only to a server with a trusted certificate.
use CatalogTest;
use CatalogTest::Smtp;
use Cpanel::JSON::XS ();

my $home = scratch();
my $count = 0;
sub smtp { return CatalogTest::Smtp->new("$home/" . ++$count, @_) }

sub mailing {
    my ($url, $credentials, $more) = @_;
    my $login = $credentials ? 'CatalogMailCredentials "@dir@/credentials"' : '';
    my $server = server(mount => <<"END");
CatalogMail     $url
CatalogMailFrom shop\@catalog.test
CatalogBaseURL  https://shop.test
$more
$login
END
    $server->write($server->dir . '/credentials', "$credentials\n");
    chmod 0600, $server->dir . '/credentials';
    return $server->start;
}

# the server's options, the URL's scheme, credentials, further directives; the result
my $tls = "$home/tls";
my $ca = "CatalogMailCA $tls/cert.pem";
my @cases = (
    ['STARTTLS and AUTH', ['--tls', $tls, '--require-tls', '--auth', 'shop:secret word'], 'smtp', 'shop:secret word',
        $ca, 'shop'],
    ['smtps and AUTH', ['--tls', $tls, '--smtps', '--auth', 'shop:secret word'], 'smtps', 'shop:secret word', $ca,
        'shop'],
    ['STARTTLS without AUTH', ['--tls', $tls, '--require-tls'], 'smtp', '', $ca, undef],
    ['a wrong password', ['--tls', $tls, '--auth', 'shop:secret word'], 'smtp', 'shop:bad word', $ca, 0],
    ['a certificate of an unknown authority', ['--tls', $tls, '--auth', 'shop:secret word'], 'smtp',
        'shop:secret word', '', 0],
    ['a certificate for another name', ['--tls', $tls, '--names', 'DNS:else.test', '--auth', 'shop:secret word'],
        'smtp', 'shop:secret word', $ca, 0],
    ['no STARTTLS, but credentials', ['--auth', 'shop:secret word'], 'smtp', 'shop:secret word', '', 0],
    ['smtps to a server without TLS', [], 'smtps', '', $ca, 0],
);
for (@cases) {
    my ($name, $options, $scheme, $credentials, $more, $as) = @$_;
    my $smtp = smtp(@$options);
    my $server = mailing("$scheme://127.0.0.1:" . $smtp->port, $credentials, $more);
    my $address = register($server)->{user}{email};
    if (defined $as && !$as) {
        ok(wait_until(15, sub { $server->log_text =~ /CAT015: / }), "$name: the failure is logged");
        is(scalar $smtp->received, 0, "$name: no mail is sent");
        is($server->database->selectrow_array(q(SELECT COUNT(*) FROM outbox WHERE state = 'pending')), 1,
            "$name: the mail stays in the outbox");
        unlike($server->log_text, qr/secret word|bad word/, "$name: the log does not have the password");
    } else {
        ok(wait_until(15, sub { $smtp->received }), "$name: the mail is sent") or diag $server->log_text;
        my ($mail) = ($smtp->received, {});
        is(match({ tls => $mail->{tls}, to => "@{ $mail->{rcpt_tos} }" }, { tls => Cpanel::JSON::XS::true, to => $address }),
            '', "$name: the mail is sent over TLS");
        is($mail->{auth}, $as, "$name: the client authenticates as configured");
    }
    $server->stop;
    $smtp->kill;
}

expect_log(qr/CAT015: /);
done_testing;
