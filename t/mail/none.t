# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /auth/password/forgot
# route: POST /auth/confirm/resend
# Without CatalogMail: no answer promises a mail, and the administrator learns of it.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for listed);

my $server = server()->start;
my $name = fresh();
answers($server->api(POST => '/register', { username => $name, email => "$name\@example.com", password => 'correct horse' }),
    201, sub { $_[0]{message} eq 'User registered' }, 'without CatalogMail a registration promises no mail');
answers($server->api(POST => $_, { email => "$name\@example.com" }), 202,
    { success => true, message => 'If there is such an account, a mail is queued for it' }, "$_ gets a 202")
    for '/auth/password/forgot', '/auth/confirm/resend';
my $notice = qr{\[catalog:notice\] .*CAT036: <Location "/api"> of 127\.0\.0\.1 has no CatalogMail: };
is(scalar(() = $server->log_text =~ /$notice/g), 1, 'the server logs a notice at the start');

sub sending { join "\n", map { "$_->{state}: $_->{detail}" } grep { $_->{what} eq 'mail' } listed(ctl_for($_[0], 'check')) }
like(sending($server), qr/^problem: CatalogMail is not set: /m, 'catalogctl check reports that CatalogMail is not set');
is(ctl_for($server, 'check')->{status}, 1, 'catalogctl check fails');
$server->stop;

my $mailing = accounts();
$name = fresh();
answers($mailing->api(POST => '/register', { username => $name, email => "$name\@example.com", password => 'correct horse' }),
    201, sub { $_[0]{message} =~ /e-mail is on its way/ }, 'with CatalogMail a registration promises a mail');
mail_token($mailing, "$name\@example.com", 'confirm');
unlike($mailing->log_text, qr/CAT036/, 'with CatalogMail the server logs no notice');
is(sending($mailing), 'ok: file:' . $mailing->dir . '/data/mail', 'catalogctl check prints where mails go');

# Of several mounts on one database, any may send the mail.
my $two = server(mount => mailing(), conf => <<'END')->start;
<Location "/more">
    CatalogEnable  On
    CatalogKeyFile "@key@"
</Location>
END
like(sending($two), qr/^ok: file:/, 'another mount\'s CatalogMail sends the mails of both');
# A server accepts connections a moment before it logs.
ok(wait_until(10, sub { $two->log_text =~ m{CAT036: <Location "/more">} }), 'the notice names the mount without CatalogMail')
    or diag $two->log_text;

done_testing;
