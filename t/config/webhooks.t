# SPDX-License-Identifier: Apache-2.0
# CatalogWebhook: what httpd -t says of a line, and which URLs a mount has.
use CatalogTest;

my $dir = scratch();
my $SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
sub file { my ($name, $text, $mode) = @_; spew("$dir/$name", $text); chmod $mode // 0600, "$dir/$name"; return qq("secret=$dir/$name") }
sub said { my ($status, $text) = server(@_)->configtest; return $status == 0 ? 'OK' : $text }
sub in_server { said(conf => join "\n", @_, '') }
sub in_mount { said(mount => join "\n", @_, '') }

my $secret = file('good', "$SECRET\n");
is(in_mount("CatalogWebhook https://a.example.com/hooks?x=1 $secret", "CatalogWebhook http://localhost:1/ $secret events=product.created,product.deleted"), 'OK', 'lines in a mount');
is(in_server("CatalogWebhook https://a.example.com/ $secret", '<VirtualHost *>', "CatalogWebhook https://a.example.com/ $secret", '</VirtualHost>'), 'OK', 'in the server and in a virtual host');
like(in_server('<Directory />', "CatalogWebhook https://a.example.com/ $secret", '</Directory>'), qr/Syntax error/, 'but not in <Directory>');
is(in_mount("CatalogWebhook https://a.example.com/ " . file('two', "$SECRET\nwhsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n")), 'OK', 'two secrets, while one is changed');
is(in_mount("CatalogWebhook https://a.example.com/ " . file('whsec_erp', $SECRET)), 'OK', 'a file may be called as secrets begin');

my $url = 'https://a.example.com/';
my @wrong = (
    ['', qr/CatalogWebhook : must be a URL like https:/],
    ["$url", qr/CatalogWebhook \Q$url\E: requires secret=FILE/],
    ["$url $secret other", qr/takes a URL, secret=FILE and optionally events=NAMES, each once; 'other' is none of them/],
    ["$url $secret secre=MfKQ", qr/'secre' is none of them/],
    ["$url secret=$SECRET", qr/takes secret=FILE, the name of a file with the secret, and not the secret itself/],
    ["$url $SECRET", qr/and not the secret itself/],
    ["$url $secret $secret", qr/each once/],
    ["$url $secret events=product.changed", qr/'product\.changed' is none of them/],
    ["$url $secret events=", qr/events= must name at least one/],
    ["http://a.example.com/ $secret", qr{must begin with https://, because its host is not this machine}],
    ["https://user:MfKQ\@a.example.com/ $secret", qr{^CatalogWebhook https://a\.example\.com/: may have neither a user nor a fragment}m],
    ["ftp://us\@er:MfKQ\@a.example.com/?key=MfKQ#MfKQ $secret", qr{^CatalogWebhook ftp://a\.example\.com/: must be a URL}m],
    ["https://a.example.com/#MfKQ $secret", qr/nor a fragment/],
    ["a.example.com $secret", qr/must be a URL like/],
    ["$url secret=$dir/nowhere", qr/nowhere: /],
    ["$url " . file('open', $SECRET, 0644), qr/open: .*chmod/],
    ["$url " . file('plain', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), qr/plain: must have whsec_ and 24 to 64 bytes in base64 on each line; create it with: /],
    ["$url " . file('short', 'whsec_c2hvcnQ='), qr/short: must have whsec_/],
    ["$url " . file('empty', ''), qr/empty: must have one secret/],
    ["$url " . file('windows', "$SECRET\r\n"), qr/windows: ends in CR LF/],
);
for (@wrong) {
    my ($line, $words) = @$_;
    my $text = in_mount("CatalogWebhook $line");
    like($text, $words, "refused: CatalogWebhook $line");
    unlike($text, qr/MfKQ|c2hv/, 'without a word of the secret');
}
like(in_mount("CatalogWebhook $url $secret", "CatalogWebhook $url $secret"), qr/another line has this URL already/, 'a URL is named once in a section');
like(in_mount("CatalogWebhook https://a.example.com/?x=1 $secret", "CatalogWebhook $_ $secret"), qr/another line has this URL already/, "$_ is that URL")
    for qw(HTTPS://a.example.com/?x=1 https://A.Example.com?x=1 https://a.example.com:443/?x=1);
is(in_mount("CatalogWebhook https://a.example.com/?x=1 $secret", map { "CatalogWebhook $_ $secret" } qw(https://a.example.com/?x=2 https://a.example.com:444/?x=1 https://a.example.com/X?x=1)),
    'OK', 'others are others');

# ---- what stands in the place of something else ----

unlike(in_server($_), qr/hunter2/, "without the password: $_") for 'CatalogDatabase "host=db user=catalog password=hunter2"', 'CatalogMail smtp:/ada:hunter2@mail.example.com/x',
    'CatalogMail smpt://ada:hunter2@mail.example.com', 'CatalogMailCredentials ada:hunter2', 'CatalogBaseURL https://ada:hunter2@shop.example.com/',
    'CatalogLink confirm https://ada:hunter2@shop.example.com/#%t', 'CatalogAllowOrigin https://ada:hunter2@shop.example.com';
like(in_server('CatalogMailCredentials ada:hunter2'), qr/takes the name of a file/, 'but with what to write');

like(in_mount('CatalogHistory Off', "CatalogWebhook $url $secret"), qr/CAT030: .* has CatalogWebhook but CatalogHistory Off; set CatalogHistory/, 'without a history there is nothing to send');

done_testing;
