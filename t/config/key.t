# SPDX-License-Identifier: Apache-2.0
# case: 36
# httpd -t refuses a weak or exposed key, with a message that says what to do.
use CatalogTest;

my $server = server(mount => undef, conf => <<'END');
<Location "/api">
    CatalogEnable On
    CatalogKeyFile "@dir@/token.key"
</Location>
END
my $file = $server->dir . '/token.key';
my $secret = 'S3cret' . join '', 'a' .. 'z'; # 32 bytes

sub key_is {
    my ($mode, $content) = @_;
    unlink $file;
    $server->write($file, $content);
    chmod $mode, $file;
    return $server->configtest;
}

my @bad = (
    ['empty', 0600, '', qr/32/], ['31 bytes', 0600, substr($secret, 1), qr/32/],
    ['31 bytes and a newline', 0600, substr($secret, 1) . "\n", qr/32/], ['a newline', 0600, "\n", qr/32/],
    ['CR LF at the end', 0600, "$secret\r\n", qr/CR/], ['readable by others', 0644, $secret, qr/chmod/],
    ['one byte, repeated', 0600, 'S3cret' . 'k' x 40, qr/16 different bytes.*openssl rand/], ['words', 0600, "$secret S3cret", qr/text.*openssl rand/],
    ['writable by others', 0602, $secret, qr/chmod/], ['readable and more', 0777, $secret, qr/chmod/],
);
for (@bad) {
    my ($name, $mode, $content, $words) = @$_;
    my ($status, $said) = key_is($mode, $content);
    isnt($status, 0, "$name: httpd -t refuses the key");
    like($said, qr/\Q$file\E.*$words/s, "$name: the message has the reason");
    like($said, qr/^AH00526: Syntax error on line \d+ of .*httpd\.conf:/m, "$name: the message has the line of the configuration");
    unlike($said, qr/S3cret|abcd/, "$name: the message does not have the key");
}

my @good = (
    ['32 bytes', 0600, $secret], ['32 bytes and a newline', 0600, "$secret\n"],
    ['readable by the group', 0640, $secret], ['readable by its owner alone', 0400, $secret],
    ['longer', 0600, $secret x 10], ['15 different hexadecimal digits', 0600, '0123456789abcde1' . 'e2d3c4b5a6978800' x 3],
);
is_deeply([key_is(@$_[1, 2])], [0, "Syntax OK\n"], "$_->[0]: httpd -t accepts the key") for @good;

unlink $file;
my ($status, $said) = $server->configtest;
isnt($status, 0, 'missing: httpd -t refuses it');
like($said, qr/\Q$file\E.*no such file/s, 'missing: the message has the reason');
mkdir $file;
($status, $said) = $server->configtest;
ok($status != 0 && $said =~ /\Q$file\E/, 'a directory: httpd -t refuses it');
rmdir $file;
symlink 'token.key', $file;
($status, $said) = $server->configtest;
isnt($status, 0, 'a link that leads back to itself: httpd -t refuses it');
like($said, qr/\Q$file\E: cannot be read: Too many levels of symbolic links/, 'a link: the message has the reason');
unlink $file;

my $without = server(mount => undef, conf => qq(<Location "/api">\nCatalogEnable On\n</Location>\n));
($status, $said) = $without->configtest;
ok($status != 0 && $said =~ /CatalogKeyFile/, 'no CatalogKeyFile: httpd -t refuses the mount');

# The key is the content without the newline.
key_is(0600, "$secret\n");
$server->start;
my $token = forge(key => $secret, claims => claims(iss => 'mod_catalog', aud => 'catalog'));
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 201, undef,
    'a token signed with the key is accepted');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => forge()), 401, undef,
    'a token signed with another key is refused');

done_testing;
