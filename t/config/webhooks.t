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

my $url = 'https://a.example.com/';
my @wrong = (
    ['', qr/CatalogWebhook : must be a URL like https:/],
    ["$url", qr/CatalogWebhook \Q$url\E: requires secret=FILE/],
    ["$url $secret other", qr/takes a URL, secret=FILE and perhaps events=NAMES, each once; 'other' is none of them/],
    ["$url $secret $secret", qr/each once/],
    ["$url $secret events=product.changed", qr/'product\.changed' is none of them/],
    ["$url $secret events=", qr/events= must name at least one/],
    ["http://a.example.com/ $secret", qr{must begin with https://, because its host is not this machine}],
    ["https://user:pass\@a.example.com/ $secret", qr/may have neither a user nor a fragment/],
    ["a.example.com $secret", qr/must be a URL like/],
    ["$url secret=$dir/nowhere", qr/nowhere: /],
    ["$url " . file('open', $SECRET, 0644), qr/open: .*chmod/],
    ["$url " . file('plain', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), qr/plain: must have whsec_ and 24 to 64 octets in base64 on each line; create it with: /],
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
like(in_mount("CatalogWebhook $url $secret", "CatalogWebhook $url $secret"), qr/is there already/, 'a URL is named once in a section');
like(in_mount('CatalogHistory Off', "CatalogWebhook $url $secret"), qr/CAT030: .* has CatalogWebhook, but CatalogHistory Off/, 'without a history there is nothing to send');

done_testing;
