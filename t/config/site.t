# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# Mistakes around the module: httpd -t refuses what cannot work, and warns of what works and is dangerous; catalogctl check repeats the
# warnings.
use CatalogTest;

use CatalogTest::Ctl qw(ctl_for listed);
use CatalogTest::Tools qw(setting hand_over);

my $key = key_path;
my $modules = setting('modules');
sub said { my ($server) = @_; my ($status, $text) = $server->configtest; return $status ? $text : $text =~ s/Syntax OK\n//r || 'OK' }
sub site { return server(mount => undef, conf => join '', @_) }
sub location { my ($path, $lines) = @_; return qq(<Location "$path">\n$lines</Location>\n) }
my $mount = qq(CatalogEnable On\nCatalogKeyFile "$key"\n);

# ---- sections that no request reaches ----

for (['api', '/api'], ['api/v1', '/api/v1'], ['//api', '/api'], ['/shop//api', '/shop/api'], ['/shop/./api', '/shop/api'], ['/x/../api', '/api']) {
    my ($path, $right) = @$_;
    like(said(site(location($path, $mount))),
        qr{CAT030: <Location "\Q$path\E"> of 127\.0\.0\.1 \(line \d+ of \S+httpd\.conf\) is never reached by a request; write: <Location "\Q$right\E">$}m,
        "a mount at '$path' is refused");
}
is(said(site(location('/api', $mount), location($_, "AuthType Basic\nRequire all denied\n"))), 'OK', "a section '$_' of the site is its own affair")
    for 'reports', '//x';
like(said(site("CatalogKeyFile \"$key\"\n", location('reports', $_))), qr/<Location "reports"> .* never reached/, "a guard that guards nothing is refused: " . s/\n/ /gr)
    for "AuthType Catalog\nRequire valid-user\n", "AuthType \"Catalog\"\nRequire valid-user\n", "AuthType Bearer\nRequire valid-user\n",
    "SetHandler catalog-metrics\nRequire local\n", "AuthType Basic\n<RequireAll>\nRequire not catalog-role admin\nRequire all granted\n</RequireAll>\n", "AuthType Catalog\nRequire catalog-role admin\n", "CatalogWriteRole admin\n",
    "<RequireAny>\nAuthType Catalog\nRequire catalog-verified\n</RequireAny>\n" =~ s/(<RequireAny>\n)(AuthType Catalog\n)/$2$1/r;
is(said(site(location($_, $mount))), 'OK', "a mount at '$_' is accepted") for '/api', '/api/', '/', '/a b', '/a/b.c/..d';
is(said(server(conf => "CatalogKeyFile \"$key\"\n<LocationMatch \"^/x//\">\nAuthType Catalog\nRequire valid-user\n</LocationMatch>\n")), 'OK',
    'a section with a pattern is accepted');

# ---- addresses of clients ----

my $remote = qq(LoadModule remoteip_module "$modules/mod_remoteip.so"\nRemoteIPHeader X-Forwarded-For\n);
my $trusting = server(conf => $remote);
my $warning = qr{\[catalog:warn\] .* CAT077: RemoteIPHeader X-Forwarded-For of 127\.0\.0\.1 without a trusted proxy: };
like(said($trusting), $warning, 'a RemoteIPHeader without a trusted proxy is a warning');
my ($found) = grep { $_->{detail} =~ /CAT077/ } listed(ctl_for($trusting, 'check'));
is($found->{state} . $found->{what}, 'problemconfiguration', 'catalogctl check repeats it');
is(said(server(conf => "$remote$_ 127.0.0.1\n")), 'OK', "with $_ there is none") for qw(RemoteIPTrustedProxy RemoteIPInternalProxy);
is(said(site($remote)), 'OK', 'nor without a mount');
like(said(site("LoadModule remoteip_module \"$modules/mod_remoteip.so\"\n",
    "<VirtualHost *:\@port\@>\nServerName x.test\nRemoteIPHeader X-Real-IP\n", location('/api', $mount), "</VirtualHost>\n")),
    qr/CAT077: RemoteIPHeader X-Real-IP of x\.test/, 'one in a virtual host is found');
$trusting->start;
like($trusting->log_text, $warning, 'the log has it, too');
is(() = $trusting->log_text =~ /CAT077/g, 1, 'once');
expect_log(qr/CAT077/);

# ---- pages without their policy ----

my $pages = setting('top') . '/www';
my ($policy) = slurp(setting('top') . '/conf/catalog.conf') =~ /^(#    Header set Content-Security-Policy .*?[^\\]\n)/ms;
$policy =~ s/^#//mg;
sub directory { my ($path, $lines) = @_; return qq(<Directory "$path">\n$lines</Directory>\n) }
my $alias = qq(Alias /catalogue "$pages"\n);
my $open = qr{CAT084: (?:Alias|DocumentRoot) on line \d+ of \S+httpd\.conf serves the catalogue's pages without .*<Directory "\Q$pages\E/?">$}m;
like(said(site($_)), $open, 'pages without their policy are a warning: ' . s/\n.*//sr)
    for $alias, qq(Alias /catalogue/ "$pages/"\n), qq(<Location /catalogue>\nAlias "$pages"\n</Location>\n), $alias . directory('/srv', $policy),
    $alias . directory($pages, "Header set X-Content-Type-Options nosniff\n"), "<VirtualHost *:\@port\@>\nDocumentRoot \"$pages\"\n</VirtualHost>\n",
    "<VirtualHost *:\@port\@>\n$alias</VirtualHost>\n<VirtualHost *:\@port\@>\nServerName x.test\n$policy</VirtualHost>\n";
is(said(site($_)), 'OK', 'with it there is none')
    for $alias . directory($pages, $policy), $alias . directory('/', $policy), "$alias<Location /catalogue>\n$policy</Location>\n",
    "$alias$policy", "<VirtualHost *:\@port\@>\n$alias$policy</VirtualHost>\n", qq(Alias /else "\@dir\@"\n);
like(ctl_for(server(conf => $alias), 'check')->{out}, qr/^problem\tconfiguration\tCAT084: /m, 'catalogctl check repeats the warning');

# ---- secrets, and files of the children ----

if ($> == 0) {
    my ($user, $group) = map { setting($_) } 'user', 'group';
    my $server = server(mount => qq(CatalogKeyFile "\@dir\@/own.key"\nCatalogMail smtp://127.0.0.1\nCatalogMailFrom x\@x.test
        CatalogBaseURL https://x.test\nCatalogMailCredentials "\@dir\@/own mail"
        CatalogWebhook https://x.test "secret=\@dir\@/hook secret"\n));
    my $dir = $server->dir;
    spew("$dir/own.key", 'abcdefghijklmnopqrstuvwxyz012345');
    spew("$dir/own mail", 'user:password');
    spew("$dir/hook secret", 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    chmod 0600, "$dir/own.key", "$dir/own mail", "$dir/hook secret";
    is(said($server), 'OK', 'secrets of root are accepted');
    for (['own.key', 'CatalogKeyFile'], ['own mail', 'CatalogMailCredentials'], ['hook secret', 'CatalogWebhook']) {
        my ($file, $directive) = @$_;
        my $quoted = $file =~ / / ? "'$dir/$file'" : "$dir/$file";
        hand_over("$dir/$file");
        like(said($server), qr{CAT076: $directive \Q$dir/$file\E: .* run: chown root:root \Q$quoted\E && chmod 600 \Q$quoted\E$}m,
            "$directive: a file of the children's user is a warning");
        chown 0, scalar getgrnam($group), "$dir/$file";
        chmod 0640, "$dir/$file";
        like(said($server), qr/CAT076: $directive /, "$directive: so is one that its group may read");
        like(ctl_for($server, 'check')->{out}, qr/^problem\tconfiguration\tCAT076: $directive /m, "$directive: catalogctl check repeats it");
        chown 0, 0, "$dir/$file";
        is(said($server), 'OK', "$directive: it is accepted once root alone may read it");
    }
    chmod 0644, "$dir/own.key";

    my $several = server(mount => qq(CatalogKeyDir "\@dir\@/keys"\n));
    my $keys = $several->dir . '/keys';
    mkdir $keys;
    spew("$keys/1.key", 'abcdefghijklmnopqrstuvwxyz012345');
    chmod 0640, "$keys/1.key";
    chown 0, scalar getgrnam($group), $keys, "$keys/1.key";
    is(said($several), 'OK', 'a key directory that the children may read is accepted');
    for ($keys, "$keys/1.key") {
        hand_over($_);
        like(said($several), qr{CAT076: CatalogKeyDir \Q$keys\E: the user of httpd's children may change \Q$_\E, .* run: chown -R root:$group \Q$keys\E && chmod -R u=rwX,g=rX,o= \Q$keys\E$}m,
            'one that they may change is a warning');
        chown 0, scalar getgrnam($group), $_;
    }
    is(said($several), 'OK', 'and none afterwards');

    # The line to run does what it says, whatever the files had.
    hand_over($keys);
    hand_over("$keys/1.key");
    chmod 0600, "$keys/1.key";
    my ($line) = said($several) =~ /run: (chown -R .*)$/m;
    is(system($line), 0, 'the line can be run');
    is(said($several), 'OK', 'the children can change the keys no more');
    like(ctl_for($several, 'check')->{out}, qr/^ok\tkeys\t/m, 'and can read them');

    my $guarding = server(conf => qq(<Location "/guarded">\nCatalogKeyFile "\@dir\@/guard.key"\nAuthType Catalog\nRequire valid-user\n</Location>\n));
    spew($guarding->dir . '/guard.key', 'abcdefghijklmnopqrstuvwxyz012345');
    chmod 0600, $guarding->dir . '/guard.key';
    is(said($guarding), 'OK', 'the key of a guarded section');
    hand_over($guarding->dir . '/guard.key');
    like(said($guarding), qr{CAT076: CatalogKeyFile \S+/guard\.key: }, 'may not be the children\'s either');

    my $mail = "CatalogMailFrom x\@x.test\nCatalogBaseURL https://x.test\n";
    my $folder = server(mount => qq(${mail}CatalogMail "file:\@dir\@/outbox"\n));
    mkdir $folder->dir . '/outbox';
    like(said($folder), qr{CAT030: .* has a CatalogMail that the user of httpd's children may not write to: .*/outbox/\.: Permission denied$}m,
        'a directory for mails that the children may not write to is refused');
    hand_over($folder->dir . '/outbox');
    is(said($folder), 'OK', 'and accepted once they may');
    my $ca = server(mount => qq(${mail}CatalogMail smtp://127.0.0.1\nCatalogMailCA "\@dir\@/ca.pem"\n));
    spew($ca->dir . '/ca.pem', '');
    chmod 0600, $ca->dir . '/ca.pem';
    like(said($ca), qr/CAT030: .* has a CatalogMailCA that the user of httpd's children may not read: /, 'certificates that they may not read are refused');

    # A driver that is not installed: its directory is hidden from this process.
    my ($drivers) = glob '/usr/lib/*/apr-util-1';
    # Within a chroot there is no mount of the root whose propagation could be changed, and its maker has done it.
    my @hidden = (qw(unshare --mount --propagation unchanged sh -c),
        'mount --make-rprivate / 2>/dev/null; mount -t tmpfs none "$0" && exec "$@" 2>&1', $drivers);
    my $r = CatalogTest::Ctl::run({}, @hidden, server()->httpd, '-t');
    like($r->{out}, qr/CAT075: DBDriver sqlite3 on line \d+ of \S+httpd\.conf: the driver cannot be loaded; on Debian run: apt-get install libaprutil1-dbd-sqlite3\n/,
        'the package of a driver that is not installed is named');
    like($r->{out}, qr/Can't load driver file apr_dbd_sqlite3\.so/, 'beside mod_dbd\'s own message');
}

done_testing;
