# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# The text of the mail is the administrator's.
use utf8;
use CatalogTest;
use Encode ();
use MIME::Base64 ();
use MIME::QuotedPrint ();

my $mail = <<'END';
CatalogBaseURL       http://127.0.0.1:@port@/
CatalogMailFrom      no-reply@x.test
CatalogMail          "file:@dir@/data/mail"
CatalogMailTemplates "@dir@/templates"
CatalogConfirmTTL    7200
END
sub mail_of {
    my ($template) = @_;
    my $server = server(mount => $mail);
    mkdir my $dir = $server->dir . '/templates';
    $server->write("$dir/confirm.txt", Encode::encode('UTF-8', $template));
    $server->start;
    my $user = register($server);
    my ($file) = wait_until(10, sub { glob $server->dir . '/data/mail/*.eml' });
    $server->stop;
    return ($user->{user}{username}, split /\r\n\r\n/, slurp($file), 2);
}

my ($name, $head, $body) = mail_of("Subject: Hi {{username}}\n\n{{username}}: {{link}} ({{hours}} h)\n.\n.dot\n");
like($head, qr/^Subject: Hi \Q$name\E\r?$/m, 'the subject is from the template');
like($head, qr/^From: <?no-reply\@x\.test>?\r?$/m, 'CatalogMailFrom can be a bare address');
like($body, qr{^\Q$name\E: http://127\.0\.0\.1:\d+/[^/]\S*token=[\w-]{43} \(2 h\)\r\n\.\r\n\.dot\r\n$},
    'the text is from the template, and the link has no double slash');

($name, $head, $body) = mail_of("Subject: Grüße, {{username}} 🫖\n\nGrüß Gott, {{username}}: {{link}}\n");
unlike($head, qr/[^\x00-\x7f]/, 'the headers are ASCII');
my ($subject) = $head =~ /^Subject: (.*(?:\n[ \t].*)*)/m;
is(Encode::decode('MIME-Header', $subject) =~ s/\r$//r, "Grüße, $name 🫖",
    'a subject beyond ASCII is encoded by RFC 2047');
my ($coding) = $head =~ /^Content-Transfer-Encoding: (\S+)/m;
my %decode = (base64 => \&MIME::Base64::decode_base64, 'quoted-printable' => \&MIME::QuotedPrint::decode_qp,
    '8bit' => sub { $_[0] });
like(Encode::decode('UTF-8', $decode{$coding}->($body)), qr/^Grüß Gott, \Q$name\E: http/,
    'the text arrives unchanged');
like($head, qr/^Content-Type: text\/plain; ?charset="?utf-8"?/mi, 'Content-Type has the charset');

done_testing;
