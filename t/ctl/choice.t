# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# How catalogctl chooses its catalogue, and its command line.
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for listed);

sub fails {
    my ($r, $status, $words, $name) = @_;
    is_deeply([@$r{qw(status out)}], [$status, ''], $name);
    like($r->{err}, $words, "$name: the message has the reason");
}

# The database that a command would use; it does not exist.
sub chosen { my ($server, @options) = @_; my $r = ctl_for($server, @options, qw(user list)); return $r->{err} =~ m{/data/(\S+)\.db: there is no such database} ? $1 : $r->{err} }

sub location { my ($path, $more) = @_; return qq(<Location "$path">\nCatalogEnable On\nCatalogKeyFile "\@key\@"\n) . ($more // '') . "</Location>\n" }
sub audience { my ($name) = @_; return qq(<Location "/api">\nCatalogAudience $name\n</Location>\n) }
sub host { my ($name, $text) = @_; return "<VirtualHost *:\@port\@>\nServerName $name\n$text</VirtualHost>\n" }
sub site { return server(mount => undef, conf => join '', @_) }

# One catalogue, with its settings in any place where mod_dbd finds them.
my $server = server();
is(chosen($server), 'catalog', 'the only catalogue is chosen');
$server->write($server->dir . '/more.conf', qq(DBDParams "\${PLACE}/given.db"\n));
my @defined = (qq(Define PLACE "\@dir\@/data"\n), qq(<IfModule dbd_module>\nInclude "\@dir\@/more.conf"\n</IfModule>\n));
my $conf = slurp($server->dir . '/httpd.conf');
$server->write($server->dir . '/httpd.conf', $conf, @defined);
is(chosen($server), 'given', 'settings in an included file, with a variable, after another value are found');
$server->write($server->dir . '/httpd.conf', $conf, qq(<IfDefine OTHER>\nDBDParams "\@dir\@/data/defined.db"\n</IfDefine>\n));
is(chosen($server), 'catalog', 'a section of <IfDefine> is ignored without its define');
is(chosen($server, '--define', 'OTHER'), 'defined', 'a section of <IfDefine> is read with --define');
is(chosen(site(qq(CatalogDatabase sqlite3 "\@dir\@/data/own.db"\n), location('/api'))), 'own', 'CatalogDatabase is found');

# Several.
my $two = site(location('/a'), location('/b', qq(CatalogAudience b\nCatalogDatabase sqlite3 "\@dir\@/data/b.db"\n)));
like(chosen($two), qr{several catalogues.*\n  --server 127\.0\.0\.1 --mount /a\n  --server 127\.0\.0\.1 --mount /b\n},
    'two mounts: the message lists them');
is(chosen($two, '--mount', '/a'), 'catalog', 'two mounts: --mount chooses the first');
is(chosen($two, '--mount', '/b'), 'b', 'two mounts: --mount chooses the second');
like(chosen($two, '--mount', '/c'), qr/has no such catalogue/, 'two mounts: an unknown --mount is refused');
my $hosts = site(host('one.test', qq(DBDParams "\@dir\@/data/one.db"\n) . location('/', "CatalogAudience one\n")), host('two.test', location('/')), location('/api', "CatalogEnable Off\n"));
like(chosen($hosts), qr/several catalogues/, 'two virtual hosts: one must be chosen');
is(chosen($hosts, '-s', 'ONE.test'), 'one', 'two virtual hosts: --server chooses the first, which has its own database');
is(chosen($hosts, '-s', 'two.test', '-m', '/'), 'catalog',
    'two virtual hosts: --server chooses the second, which has the main server\'s');
is(chosen(site(location('/api'), host('one.test', ''), host('two.test', ''))), 'catalog',
    'a mount that two virtual hosts inherit is one catalogue');
is(chosen(site(location('/api', "CatalogField sku string\n"), host('one.test', ''))), 'catalog', 'with its fields');
like(chosen(site(location('/api'), host('one.test', qq(<Location "/api">\nCatalogField sku string\n</Location>\n)))), qr/several catalogues/,
    'where the two have other fields, one must be chosen');
my $heirs = site(location('/api'), host('one.test', qq(DBDParams "\@dir\@/data/one.db"\n) . audience('one')), host('two.test', audience('two') . qq(<IfModule dbd_module>\nDBDParams "\@dir\@/data/two.db"\n</IfModule>\n)));
is(chosen($heirs, '-s', "$_.test"), $_, "$_.test, which has its own database, is another catalogue") for qw(one two);

# What httpd prints of a site with many fields, or many mounts, does not fit into one buffer of its output.
my @many = map { qq(CatalogField field$_ string help="${\ ('x' x 300)}"\n) } 1 .. 40;
is(chosen(site(location('/api', join '', @many[0 .. $_ - 1]))), 'catalog', "a catalogue with $_ fields is found") for 12, 40;
my $mounts = site(map { location("/m$_", "CatalogAudience m$_\nCatalogDatabase sqlite3 \"\@dir\@/data/m$_.db\"\n") } 1 .. 20);
is_deeply([chosen($mounts) =~ m{--mount /(m\d+)$}mg], [map { "m$_" } 1 .. 20], 'each of twenty catalogues is listed');

# None, or no configuration.
like(chosen(site()), qr/has no catalogue: no CatalogEnable On/, 'a configuration without a mount is refused');
like(chosen(site("CatalogDefaultLimit 0\n")), qr/refuses the configuration:\n.*CatalogDefaultLimit must be a whole number/s,
    'an error in the configuration is reported as httpd prints it');
like(chosen($server, '--httpd', '/nowhere/httpd'), qr{/nowhere/httpd cannot be run: .*No such file.*--httpd},
    'a missing httpd is reported');
like(ctl('--config', '/nowhere.conf', 'check')->{err}, qr{^catalogctl: /\S*bin/\w+ refuses the configuration:\n.*/nowhere\.conf}s,
    'without --httpd the installed httpd is run');
chdir $server->dir or die;
is(ctl('-x', $CatalogTest::Ctl::HTTPD, '-c', 'httpd.conf', 'migrate')->{status}, 0,
    'a relative path of the configuration is accepted');
chdir '/';

# A database by its own settings.
my $file = $server->dir . '/data/catalog.db';
is_deeply([listed(ctl('--driver', 'sqlite3', '--params', $file, qw(user list)))], [], '--driver and --params choose a database');
my $params = $server->dir . '/params';
$server->write($params, "$file\n");
chmod 0600, $params;
is(ctl('-d', 'sqlite3', '-p', "\@$params", qw(user list))->{status}, 0, 'the parameters can be in a file');
chmod 0644, $params;
fails(ctl('-d', 'sqlite3', '-p', "\@$params", qw(user list)), 1, qr/params: is accessible to others; run: chmod/,
    'a file of parameters that others may read is refused');
fails(ctl('-d', 'oracle', '-p', 'x', qw(user list)), 1, qr/driver oracle is not supported/, 'an unknown driver is refused');

# The command line.
my @misuses = (
    [[], qr/a command is missing/], [['users'], qr/no such command/], [['user'], qr/no such command/], [['user', 'make'], qr/no such command/], [['migrate', 'x'], qr/migrate takes no operand/],
    [['user', 'add', 'x'], qr/user add takes NAME EMAIL/], [['user', 'role', 'x', 'user', 'y'], qr/user role takes USER ROLE/], [['key', 'new', 'a', 'b'], qr/key new takes \[DIRECTORY\|FILE\]/],
    [['user', 'list', '--role', 'user'], qr/no option -r/], [['mail', 'retry', '--json'], qr/no option -j/], [['user', 'add', '--password', 'x', 'a', 'b'], qr/invalid option/], [['--params'], qr/argument/],
    [['--driver', 'sqlite3', 'check'], qr/go together/], [['-d', 'x', '-p', 'y', '-c', 'z', 'check'], qr/replace a configuration/],
);
fails(ctl(@{ $_->[0] }), 2, $_->[1], "misuse: @{ $_->[0] }") for @misuses;
my $help = ctl('user', 'list', '--help');
is($help->{status}, 0, '--help succeeds');
like($help->{out}, qr/^  $_ .*\w$/m,
    "--help has $_") for 'migrate', 'check', 'user list', 'user add', 'user role', 'user unlock', 'user delete', 'user revoke', 'key new', 'mail list', 'mail retry', 'export', 'import';
is_deeply(ctl('--version'), { status => 0, out => "catalogctl 0.1.0\n", err => '' }, '--version prints the version');

# A command whose output cannot be written fails.
my $full = ctl({ out => '/dev/full' }, '--help');
is($full->{status}, 1, 'a command fails if its output cannot be written');
like($full->{err}, qr/the output cannot be written/, 'the message says that the output cannot be written');

done_testing;
