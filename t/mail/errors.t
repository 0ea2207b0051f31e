# SPDX-License-Identifier: Apache-2.0
# route: GET /mails
# runs: first
# Administrators see why a mail could not be sent, whatever the cause, without anything that is secret.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Smtp;
use CatalogTest::Tools qw(free_port);

my $home = scratch();
my $tls = "$home/tls";
my $count = 0;
sub smtp { return CatalogTest::Smtp->new("$home/" . ++$count, @_) }

# mail: the value of CatalogMail. more: credentials, further directives, and prepare, which is called when the server runs.
sub failing {
    my ($name, $mail, $want, %more) = @_;
    my $login = $more{credentials} ? 'CatalogMailCredentials "@dir@/credentials"' : '';
    my $server = server(mount => <<"END");
CatalogMail     "$mail"
CatalogMailFrom shop\@catalog.test
CatalogBaseURL  https://shop.test
$login
@{[ $more{directives} // '' ]}
END
    $server->write($server->dir . '/credentials', "$more{credentials}\n") if $more{credentials};
    chmod 0600, $server->dir . '/credentials' if $more{credentials};
    $server->start;
    ok(wait_until(10, sub { $server->api(GET => '/health/ready')->{status} == 200 }), "$name: the server runs"); # its configuration has been read
    $more{prepare}->() if $more{prepare};
    my $admin = register($server, username => 'boss', email => 'boss@example.com');
    set_role($server, 'boss', 'admin');
    $admin = sign_in($server, 'boss', 'correct horse')->{json}{token};
    my $error;
    ok(wait_until(15, sub { defined($error = $server->api(GET => '/mails?state=pending', token => $admin)->{json}{data}[0]{error}) }), "$name: the mail has an error");
    like($error, $want, "$name: the error says why");
    unlike($error, qr/@|example\.com|secret|bad word/, "$name: it has no address and no password");
    $server->stop;
    return $error;
}

my $port = free_port();
failing('no connection', "smtp://127.0.0.1:$port", qr/^Failed to connect to 127\.0\.0\.1 port $port\b.*\(last reply: 0\)$/);
failing('a temporary refusal', smtp('--reply', 'boss=451')->url, qr/^the server answered 451 to the message$/);
failing('a fault of the protocol', smtp('--reply', 'boss=504 5.5.2')->url, qr/^the server answered 504 5\.5\.2 to the message$/);
failing('a fault of the protocol without an enhanced code', smtp('--reply', 'boss=504')->url . '/mail.shop.test', qr/^the server answered 504 to the message$/);
my $smtp = smtp('--tls', $tls, '--auth', 'shop:secret word');
my $ca = "CatalogMailCA $tls/cert.pem";
failing('a wrong password', $smtp->url, qr/^the server answered 535 5\.7\.8 before it accepted a recipient$/, credentials => 'shop:bad word', directives => $ca);
failing('a certificate of an unknown authority', $smtp->url, qr/certificate/, credentials => 'shop:secret word');
failing('smtps without TLS', 'smtps://127.0.0.1:' . smtp()->port, qr/SSL/);
failing('no STARTTLS, but credentials', smtp('--auth', 'shop:secret word')->url, qr/STARTTLS/, credentials => 'shop:secret word');

# A directory that is gone; what can be read of a long path has at most 255 characters.
my ($short, $long) = ("$home/short", join '/', "$home/long", ("\xc3\xb6" x 120) x 2);
my @outboxes = ($short, "$home/long", $long =~ s{/[^/]*\z}{}r, $long);
mkdir $_ for @outboxes;
CatalogTest::Tools::hand_over(@outboxes);
failing('a directory that is gone', "file:$short", qr{^No such file or directory: \Q$short\E/[\da-f-]{36}\.eml$}, prepare => sub { rmdir $short });
my $error = failing('a long path', "file:$long", qr{^No such file or directory: \Q$home\E/long/\x{f6}}, prepare => sub { rmdir $long });
is(length $error, 255, 'a long error is cut');

expect_log(qr/CAT015: /);
done_testing;
