# SPDX-License-Identifier: Apache-2.0
# runs: first
# For each directive: the values that httpd -t accepts and refuses, and the contexts that allow it.
use CatalogTest;

my $key = key_path;

sub said { my ($status, $text) = server(@_)->configtest; return $status == 0 ? "OK" : $text }
sub in_server { said(mount => undef, conf => "$_[0]\n") }
sub in_mount { said(mount => "$_[0]\n") }

my $numbers = {
    CatalogTokenTTL => [1, 86400], CatalogRefreshTTL => [1, 31536000], CatalogMaxLimit => [1, 1000],
    CatalogMaxBody => [64, 16777216], CatalogMaxBatch => [1, 10000],
    CatalogMaxConnections => [1, 4096], CatalogConfirmTTL => [60, 2592000], CatalogHashConcurrency => [0, 1024],
    CatalogCacheMaxAge => [0, 86400], CatalogMaxSearches => [0, 1024], CatalogExportTimeout => [1, 86400],
    CatalogExportRate => [0, 1073741824], CatalogExportWAL => [1048576, 2147483647],
};
is(in_server(join "\n", map { my $name = $_; map { "$name $_" } @{ $numbers->{$name} } } sort keys %$numbers), 'OK', 'all ends of ranges are accepted');
for my $name (sort keys %$numbers) {
    my ($least, $most) = @{ $numbers->{$name} };
    like(in_server("$name $_"), qr/$name must be a whole number/, "$name $_ is refused") for $least - 1, $most + 1;
}
like(in_server("CatalogMaxBatch $_"), qr/CatalogMaxBatch must be a whole number/, "CatalogMaxBatch $_ is refused") for 'many', '1.5', '9' x 30, '"5 "', '0x10';
like(in_server('CatalogMaxBatch'), qr/CatalogMaxBatch takes one argument/, 'CatalogMaxBatch alone is refused');
like(in_server('CatalogMaxLimit 0'), qr/from 1 to/, 'the message has the range');
is(in_mount('CatalogDefaultLimit 1000'), 'OK', 'a CatalogDefaultLimit as large as CatalogMaxLimit is accepted');
like(in_mount("CatalogDefaultLimit 101\nCatalogMaxLimit 100"), qr/CatalogDefaultLimit of 101 above its CatalogMaxLimit of 100/,
    'a CatalogDefaultLimit above CatalogMaxLimit is refused');
is(in_server("CatalogCacheSize $_"), 'OK', "CatalogCacheSize $_ is accepted") for 0, 65536;
like(in_server("CatalogCacheSize $_"), qr/CatalogCacheSize must be .*\b$_\b/, "CatalogCacheSize $_ is refused") for 1, 65535, 1073741825, '16M';
like(in_mount('CatalogDefaultLimit 0'), qr/must be a whole number/, 'CatalogDefaultLimit 0 is refused');

for my $name (qw(CatalogStrict CatalogServerTiming CatalogMigrate CatalogMailTLS)) {
    is(in_server(join "\n", map { "$name $_" } 'On', 'Off', 'on', 'OFF'), 'OK', "$name is accepted, On or Off");
    like(in_server("$name $_"), qr/$name must be On or Off/, "$name $_ is refused") for $name eq 'CatalogStrict' ? ('yes', '1') : (), 'Onn';
}
for my $name (qw(CatalogIssuer CatalogAudience)) {
    is(in_server("$name https://x.test/"), 'OK', "$name is accepted");
    like(in_server("$name \"\""), qr/$name takes one argument/, "$name empty is refused");
}

is(in_server("CatalogCookieSameSite $_"), 'OK', "CatalogCookieSameSite $_ is accepted") for qw(Strict lax NONE);
like(in_server('CatalogCookieSameSite Secure'), qr/must be one of Strict\|Lax\|None/, 'another CatalogCookieSameSite is refused');
my $origins = join ' ', 'https://shop.test', 'http://localhost:3000', 'http://[::1]:8080', 'https://xn--caf-dma.test', 'capacitor://localhost';
is(in_server("CatalogAllowOrigin $_"), 'OK', "CatalogAllowOrigin $_ is accepted") for $origins, '*', 'none';
my %no_origin = ('https://shop.test/' => 'slash', 'https://shop.test/pages' => 'path', 'https://*.shop.test' => 'asterisk',
    'https://a.test *' => 'asterisk', '* https://a.test' => 'asterisk', 'none https://a.test' => 'only word', 'shop.test' => 'not an origin',
    'null' => 'not an origin', 'https://' => 'not an origin', 'https://Shop.test' => 'capital', 'https://shop.test:443' => 'port of its scheme',
    'http://shop.test:80' => 'port of its scheme', 'https://shop.test:0' => 'port', 'https://shop.test:99999' => 'port',
    'https://user@shop.test' => 'not an origin', '"https://shop.test https://b.test"' => 'path', '""' => 'takes',
    'https://[::1' => 'not an origin', '' => 'takes');
like(in_server("CatalogAllowOrigin $_"), qr/CatalogAllowOrigin.*$no_origin{$_}/, "CatalogAllowOrigin $_ is refused") for sort keys %no_origin;

is(in_server("CatalogReservedNames $_"), 'OK', "CatalogReservedNames $_ is accepted") for 'none', 'NONE', 'boss', 'Boss x.y-z_1 hr';
like(in_server("CatalogReservedNames $_"), qr/CatalogReservedNames takes user names, or none/, "CatalogReservedNames $_ is refused")
    for '', '"the boss"', 'boss@example.com', 'größe', '01a1fee5-af25-7514-8a69-477230296f5b';
is(in_server("CatalogAllowHeaders $_"), 'OK', "CatalogAllowHeaders $_ is accepted") for 'traceparent', 'traceparent tracestate X-My_Header', 'none';
like(in_server("CatalogAllowHeaders $_"), qr/CatalogAllowHeaders takes names/, "CatalogAllowHeaders $_ is refused") for '', '*', 'none baggage',
    '"a b"', 'a:b', "a,b";

my $mail = "CatalogBaseURL https://shop.test\nCatalogMailFrom a\@x.test\n";
my @texts = (
    # directive, valid values, invalid values
    ['CatalogMail',
        [qw(smtp://127.0.0.1 smtp://mail.x.test:25 smtps://mail.x.test smtp://[::1]:2525 smtp://x/shop.test "file:@dir@/data")],
        [qw(smtp: smtp:// http://x mail.x.test smtp://user:pass@x smtp://x/path smtp://x:0x smtp://x:99999),
            qw(file: file:/nowhere "file:@dir@/httpd.conf" "file:@dir@/loop" /tmp)]],
    ['CatalogMailFrom', ['a@x.test', '"The Shop <a@x.test>"', '"<a@x.test>"'],
        ['a', '"a@x.test, b@x.test"', '"a@x.test>"', '"The Shop"', '"The Shop <a>"']],
    ['CatalogBaseURL', ['http://x.test', 'https://x.test/', 'https://x.test:8443/shop'],
        ['x.test', '/shop', 'ftp://x.test', 'https://', '"https://x.test/a b"', 'https://x.test/?a',
            'https://x.test/#a', 'https://x.test/%zz', 'https://u:p@x.test']],
    ['CatalogPagesURL', ['https://x.test:8443/shop/'], ['x.test', '/shop', 'https://x.test/#a']],
    ['CatalogLink', ['confirm https://x.test/verify#%t', 'reset "https://x.test/a%20b?token=%t"', 'new_email http://x.test/%t/x'],
        ['confirm', 'changed https://x.test/#%t', 'Confirm https://x.test/#%t', 'confirm https://x.test/verify', 'confirm /verify#%t',
            'confirm ftp://x.test/#%t', 'confirm https://%t/', 'confirm "https://x.test/ #%t"', 'confirm https://u:p@x.test/#%t']],
    ['CatalogCurrency', [qw(EUR XTS)], [qw(eur EURO EU E1R), '""', '"EU "']],
    ['CatalogMailCA', ['/etc/passwd'], ['/nowhere.pem', '"@dir@"', '"@dir@/loop"']],
    ['CatalogMailCredentials', ['"@dir@/good"'],
        ['/nowhere', '"@dir@/open"', '"@dir@/no-colon"', '"@dir@/two-lines"', '"@dir@"', '"@dir@/loop"']],
    ['CatalogMailTemplates', ['"@dir@/templates"', '"@dir@"'],
        ['/nowhere', '"@dir@/unknown"', '"@dir@/no-subject"', '"@dir@/good"', '"@dir@/loop"', '"@dir@/looping"']],
    ['CatalogPasswordBlocklist', ['"@dir@/good"'], ['/nowhere', '"@dir@"', '"@dir@/loop"']],
    ['CatalogKeyDir', ['"@dir@/keys"'], ['/nowhere', '"@dir@/templates"', '"@dir@/good"', '"@dir@/loop"', '"@dir@/looping"']],
    ['CatalogDatabase', ['sqlite3 "@dir@/data/x.db"'], ['sqlite3', 'oracle x', 'SQLITE x']],
);
sub with_files {
    my ($conf) = @_;
    my $server = server(mount => $conf);
    my $dir = $server->dir;
    $server->write("$dir/$_->[0]", $_->[1]) for ['good', "user:pass word:x\n"], ['open', "user:password\n"],
        ['no-colon', "user\n"], ['two-lines', "user:password\nmore\n"];
    chmod 0600, map { "$dir/$_" } qw(good no-colon two-lines);
    mkdir "$dir/$_" for qw(templates unknown no-subject looping keys);
    symlink $_->[0], "$dir/$_->[1]" for ['loop', 'loop'], ['1.key', 'looping/1.key'], ['confirm.txt', 'looping/confirm.txt'];
    $server->write("$dir/keys/1.key", 'abcdefghijklmnopqrstuvwxyz012345');
    chmod 0600, "$dir/keys/1.key";
    $server->write("$dir/templates/confirm.txt", "Subject: Welcome\n\n{{link}}\n");
    $server->write("$dir/unknown/confirm.txt", "Subject: Welcome\n\n{{lnik}}\n");
    $server->write("$dir/no-subject/confirm.txt", "Welcome\n\n{{link}}\n");
    my ($status, $said) = $server->configtest;
    return $status == 0 ? 'OK' : $said;
}
for (@texts) {
    my ($name, $good, $bad) = @$_;
    my $others = join "\n", grep { !/^$name / } split /\n/, $mail;
    is(with_files("$name $_\n$others"), 'OK', "$name $_ is accepted") for @$good;
    like(with_files("$name $_\n$others"), qr/Syntax error on line \d+ of/, "$name $_ is refused") for @$bad;
}
unlike(with_files("CatalogMailCredentials \"\@dir\@/open\"\n$mail"), qr/password/, 'the message does not have the credentials');
like(in_mount('CatalogMail "file:@dir@/data"'), qr/CatalogMail but no CatalogBaseURL/,
    'CatalogMail needs CatalogBaseURL');
like(in_mount("CatalogMail \"file:\@dir\@/data\"\nCatalogBaseURL https://x.test"),
    qr/CatalogMail but no CatalogMailFrom/, 'CatalogMail needs CatalogMailFrom');
my @links = map { "CatalogLink $_ https://app.test/$_#%t\n" } qw(confirm reset new_email);
is(in_mount(join '', "CatalogMail \"file:\@dir\@/data\"\nCatalogMailFrom a\@x.test\n", @links), 'OK', 'or a CatalogLink for each kind of link');
like(in_mount(join '', "CatalogMail \"file:\@dir\@/data\"\nCatalogMailFrom a\@x.test\n", @links[0, 1]), qr/no CatalogBaseURL/, 'not for some of them');

# The contexts that allow them.
my $enable = "CatalogEnable On\nCatalogKeyFile \"$key\"\n";
my @places = (
    ['CatalogEnable in the server', "CatalogEnable On\n"],
    ['CatalogEnable in <Directory>', "<Directory />\n$enable</Directory>\n"],
    ['CatalogEnable in <Files>', "<Files x>\n$enable</Files>\n"],
    ['CatalogEnable in <LocationMatch>', "<LocationMatch \"^/api\">\n$enable</LocationMatch>\n"],
    ['CatalogEnable in <Location ~>', "<Location ~ \"^/api\">\n$enable</Location>\n"],
    ['CatalogEnable below a pattern', "<Location \"/api*\">\n$enable</Location>\n"],
    ['CatalogEnable below an encoded path', "<Location \"/my%20shop\">\n$enable</Location>\n"],
    ['CatalogEnable below a path that no cookie can name', "<Location \"/a;b\">\n$enable</Location>\n"],
    ['CatalogEnable in <Limit>', "<Location /x>\n<Limit GET>\n$enable</Limit>\n</Location>\n"],
    ['CatalogEnable maybe', "<Location /x>\nCatalogEnable Maybe\n</Location>\n"],
    ['CatalogHashConcurrency in <Location>', "<Location /x>\nCatalogHashConcurrency 2\n</Location>\n"],
    ['CatalogHashConcurrency in <VirtualHost>', "<VirtualHost *>\nCatalogHashConcurrency 2\n</VirtualHost>\n"],
    ['CatalogCacheSize in <Location>', "<Location /x>\nCatalogCacheSize 65536\n</Location>\n"],
    ['CatalogStrict in <Directory>', "<Directory />\nCatalogStrict On\n</Directory>\n"],
    ['CatalogDatabase in <Directory>', "<Directory />\nCatalogDatabase sqlite3 x\n</Directory>\n"],
    ['an unknown directive', "CatalogEverything On\n"],
);
like(said(conf => $_->[1]), qr/Syntax error|AH00526|Invalid command/, "$_->[0] is refused") for @places;

# Settings that jobs and the description need as well hold for a mount as a whole.
my %whole = (CatalogField => 'sku string', CatalogIndex => 'none', CatalogHistory => 'Off', CatalogImages => 'Off', CatalogMigrate => 'Off', CatalogMailTLS => 'Off');
for my $name (sort keys %whole) {
    my $line = "$name $whole{$name}\n";
    like(said(conf => "$_\n$line</" . (/^<(\w+)/)[0] . ">\n"), qr{has a $name, which is for a mount as a whole; move it to the section with CatalogEnable, or to the server}, "$name in $_ is refused")
        for '<Location "/api/products">', '<LocationMatch "^/api">', '<Location "/ap*">';
    is(said(conf => "$_\n$line</" . (/^<(\w+)/)[0] . ">\n"), 'OK', "$name in $_ is accepted") for '<Location "/">', '<Location "/api/">', '<VirtualHost *>', '<Location "/other">';
}
is(said(conf => qq(<Location "/api/b2b">\n${enable}CatalogAudience b2b\nCatalogField sku string\n</Location>\n)), 'OK', 'a mount below another one has its own fields');
is(said(conf => qq(<Location "/api/old">\nCatalogEnable Off\nCatalogField sku string\n</Location>\n)), 'OK', 'a part that no mount serves may have any setting');
is(said(conf => qq(<Location "/api">\nCatalogField sku string\n</Location>\n<VirtualHost *>\nServerName shop\n<Location "/">\n${enable}CatalogAudience shop\n</Location>\n</VirtualHost>\n)), 'OK',
    'a virtual host with a mount above one of the main server inherits its settings');
like(said(conf => qq(<Location "/shop/new">\nCatalogField sku string\n</Location>\n<VirtualHost *>\nServerName shop\n<Location "/shop">\n${enable}CatalogAudience shop\n</Location>\n</VirtualHost>\n)),
    qr{<Location "/shop/new"> of shop has a CatalogField}, 'and settings for a part of its own mount, which are refused');
is(said(conf => qq(<Location "/api/products">\nCatalogStrict On\n</Location>\n)), 'OK', 'and a part of a mount settings of its requests');

# For a newcomer's typical mistakes, the message has the right line.
like(said(conf => $_), qr{CatalogEnable belongs in the <Location>.*write: <Location "/api">, CatalogEnable On, </Location>},
    'the message says where CatalogEnable belongs')
    for "CatalogEnable On\n", "<VirtualHost *>\nCatalogEnable On\n</VirtualHost>\n", "<Directory />\nCatalogEnable On\n</Directory>\n";
my %example = (oracle => 'sqlite3 /var/lib/catalog/catalog.db', 'oracle x/y@z' => 'sqlite3 /var/lib/catalog/catalog.db',
    sqlite3 => 'sqlite3 /var/lib/catalog/catalog.db', mysql => 'mysql "host=127.0.0.1,', pgsql => 'pgsql "host=127.0.0.1 ');
like(in_mount("CatalogDatabase $_"), qr/CatalogDatabase takes a driver .*write: CatalogDatabase \Q$example{$_}\E/,
    "CatalogDatabase $_ is refused with an example")
    for sort keys %example;
like(in_mount('CatalogDatabase oracle x'), qr/there is no driver oracle;/, 'the message names the unknown driver');

# Require without an AuthType, which would refuse every request.
my $reports = "<Location /reports>\n%s\n</Location>\n";
for my $require ('Require catalog-role editor', 'Require catalog-verified', "<RequireAny>\nRequire ip 10.0.0.1\nRequire catalog-role admin\n</RequireAny>") {
    my ($provider) = $require =~ /(catalog-\w+)/;
    like(said(conf => sprintf $reports, $require), qr/Require $provider: no AuthType is set here.*add: AuthType Catalog/,
        "$provider without AuthType is refused");
    is(said(conf => sprintf $reports, "$require\nAuthType Catalog"), 'OK', "$provider with AuthType is accepted");
    is(said(conf => sprintf("<Location />\nAuthType Catalog\n</Location>\n$reports", $require)), 'OK',
        "$provider with the AuthType of an enclosing section is accepted");
    is(said(conf => sprintf("<LocationMatch ^/r>\nAuthType Catalog\n</LocationMatch>\n$reports", $require)), 'OK',
        "$provider with the AuthType of a pattern that may match is accepted");
    like(said(conf => sprintf("<Location /report>\nAuthType Catalog\n</Location>\n$reports", $require)), qr/no AuthType/,
        "$provider with the AuthType of another section is refused");
    like(said(conf => sprintf($reports, "$require\nAuthType None")), qr/no AuthType/, "$provider with AuthType None is refused");
    is(in_mount($require), 'OK', "$provider in a mount is accepted");
    is(said(conf => "<Location /api/products>\n$require\n</Location>\n"), 'OK', "$provider below a mount is accepted");
}

my @fine = (
    ['in <VirtualHost>', "<VirtualHost *>\n<Location /x>\n$enable</Location>\n</VirtualHost>\n"],
    ['in the server', "CatalogKeyFile \"$key\"\n<Location /x>\nCatalogEnable On\n</Location>\n"],
    ['switched off', "<Location /x>\nCatalogEnable Off\n</Location>\n"],
    ['in <Location "/">', "<Location \"/\">\n$enable</Location>\n"],
);
is(said(conf => $_->[1]), 'OK', "a mount $_->[0] is accepted") for @fine;
like(said(conf => "<Location \"/my%20shop\">\n$enable</Location>\n"), qr{<Location "/my shop">},
    'the message has the decoded path to write');

my $unloaded = server();
my $conf = slurp($unloaded->dir . '/httpd.conf') =~ s/^DBD.*\n//mgr;
my $modules = CatalogTest::Server::modules() =~ s/^LoadModule dbd_module.*\n//mr;
$unloaded->write($unloaded->dir . '/httpd.conf', $conf =~ s/^Include .*modules\.conf"\n/$modules/mr);
my ($status, $said) = $unloaded->configtest;
ok($status != 0 && $said =~ /mod_dbd/, 'a mount without mod_dbd and CatalogDatabase is refused');
my $driverless = server();
$driverless->write($driverless->dir . '/httpd.conf', slurp($driverless->dir . '/httpd.conf') =~ s/^DBDriver.*\n//mr);
($status, $said) = $driverless->configtest;
ok($status != 0 && $said =~ /set DBDriver and DBDParams/, 'a mount without DBDriver is refused') or diag $said;

# Parameters with which MySQL's driver would always fail, or report an update to equal values as an unknown product
for (['none of the parameters', '', ',reconnect=0,flags=CLIENT_FOUND_ROWS'],
    ['no reconnect=0', ',flags=CLIENT_FOUND_ROWS', ',reconnect=0'],
    ['no CLIENT_FOUND_ROWS', ',reconnect=0', ',flags=CLIENT_FOUND_ROWS']) {
    my ($name, $given, $lacks) = @$_;
    my $params = "host=127.0.0.1,user=u,pass=hidden,dbname=d$given";
    for (qq(DBDriver mysql\nDBDParams "$params"\n), qq(CatalogDatabase mysql "$params"\n)) {
        my $words = said(conf => $_);
        like($words, qr/add to them: (?:DBDParams|CatalogDatabase mysql) "\.\.\.\Q$lacks\E"/,
            "$name: the message has the parameters to add");
        unlike($words, qr/hidden/, "$name: the message does not have the password");
        my ($directive) = /^(DBDParams|CatalogDatabase mysql)/m;
        like($words, qr/add to them: $directive /, "$name: the message names the directive that is set");
    }
}

# Above DBDMax, mod_dbd would let requests wait without limit, except under prefork.
my $above = mpm() eq 'prefork' ? qr/^OK$/ : qr/CatalogMaxConnections of 32 above the DBDMax of 9/;
like(said(conf => "DBDMax 9\n"), $above, 'more connections than DBDMax are refused, except under prefork');
like(said(conf => "<VirtualHost *>\nDBDMax 9\n</VirtualHost>\n"), $above,
    'more than the DBDMax of a virtual host are refused, except under prefork');
is(said(conf => "DBDMax 9\n", mount => "CatalogMaxConnections 9\n"), 'OK', 'as many connections as DBDMax are accepted');
is(said(conf => "DBDMax 9\n", mount => "CatalogDatabase \@driver\@ \"\@params:own\@\"\n"), 'OK',
    'a mount with its own CatalogDatabase is not limited by DBDMax');
my $silent = server(conf => "CatalogMaxConnections 11\n");
$silent->write($silent->dir . '/httpd.conf', slurp($silent->dir . '/httpd.conf') =~ s/^DBDMax.*\n//mr);
($status, $said) = $silent->configtest;
my $told = $said =~ /CatalogMaxConnections of 11 above the DBDMax of 10/;
ok(mpm() eq 'prefork' ? $status == 0 && !$told : $status != 0 && $told,
    'more than the default of DBDMax are refused, except under prefork');

done_testing;
