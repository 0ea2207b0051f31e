# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# make install below DESTDIR, and make uninstall, which leaves what an administrator has edited. tools/deps, which installs packages.
use CatalogTest;

use CatalogTest::Ctl ();
use CatalogTest::Tools qw(setting);
use File::Basename qw(dirname);

my $top = setting('top');
my $build = dirname(setting('source_module'));
my $root = scratch();
my $sysconf = qx(apxs -q SYSCONFDIR) =~ s/\n//r;

sub tool {
    my ($argument) = @_;
    local $ENV{DESTDIR} = $root;
    return CatalogTest::Ctl::run({}, "$top/tools/install", $argument);
}
sub installed { return sort map { s/^\Q$root\E//r } split /\n/, qx(find $root -type f) }

my $conf = "$root$sysconf/mods-available/catalog.conf";
is_deeply(tool($build), { status => 0, out => '', err => '' }, 'install prints nothing');
my @files = installed();
ok(grep({ m{/mod_catalog\.so$} } @files) && grep({ m{/catalogctl$} } @files) && grep({ m{/www/index\.html$} } @files),
    'install copies the module, the command and the pages');
is_deeply([grep { m{/passwords} } @files], ['/usr/share/mod_catalog/passwords.txt'], 'and the list of common passwords');
like(slurp($conf), qr{^\s+CatalogPasswordBlocklist /usr/share/mod_catalog/passwords\.txt$}m, 'which the reference configuration sets');
ok(grep({ $_ eq "$sysconf/mods-available/catalog.load" } @files), 'install creates catalog.load');

my $pages = "$root/usr/share/mod_catalog/www";
my @assets = glob "$pages/assets-*";
is(scalar(@assets), 1, 'what the pages load is in one directory, named after its content');
my ($name) = $assets[0] =~ m{(assets-[0-9a-f]{12})$};
unlike(slurp("$pages/$_"), qr/"assets\//, "$_ names that directory") for map { s{.*/}{}r } glob "$pages/*.html";
my @loaded = map { slurp($_) =~ /"($name\/[^"]+)"/g } glob "$pages/*.html";
is_deeply([grep { !-f "$pages/$_" } @loaded], [], 'and what they name exists');
unlike(slurp("$assets[0]/style.css"), qr/\@import/, 'the style sheet is one file');
like(slurp("$pages/assets/style.css"), qr/^:root \{/m, 'which pages of the shop find at a path that stays');
ok(!-e "$pages/assets/style", 'its parts are not there');
mkdir "$pages/assets-000000000000";
tool($build);
is_deeply([glob "$pages/assets-*"], \@assets, 'another install removes the one of another version');

my $removed = tool('--remove');
is($removed->{status}, 0, 'uninstall succeeds');
is_deeply([installed()], [], 'uninstall leaves no file');
ok(!-e "$root/usr/share/mod_catalog", 'uninstall leaves no empty directory');
is(tool('--remove')->{status}, 0, 'a second uninstall succeeds');

tool($build);
spew($conf, slurp($conf), "CatalogStrict On\n");
spew("$pages/own/config.js", "export const API = '/shop';\n");
spew("$pages/own/legal.html", "<p>\n");
spew("$pages/mine.html", "<p>\n");
like(tool($build)->{out}, qr{kept \Q$conf\E; the new reference is \Q$conf\E\.new}, 'another install keeps an edited configuration');
like(slurp("$pages/own/config.js"), qr{/shop}, 'another install keeps the settings of the pages');
$removed = tool('--remove');
like($removed->{out}, qr{kept \Q$conf\E, which was edited\n}, 'uninstall keeps the edited configuration');
like($removed->{out}, qr{kept \Q$pages\E/own/config\.js}, 'uninstall keeps the edited settings of the pages');
is_deeply([installed()], [map { s/^\Q$root\E//r } sort $conf, "$pages/mine.html", "$pages/own/config.js", "$pages/own/legal.html"],
    'uninstall keeps no other file');

# tools/deps says how far apt-get is, and repeats what apt-get printed only if apt-get fails.
my $bin = scratch();
spew("$bin/dpkg-query", "#!/bin/sh\n");
spew("$bin/apt-get", <<'END');
#!/bin/sh
case "$*" in *APT::Status-Fd=3*) for n in 0.0 3.5 50.0 100.0; do echo "dlstatus:1:$n:Retrieving" >&3; done ;; esac
case "$*" in *" install "*) printf 'Unpacking curl\npmstatus:curl:7.5:Installing\npmstatus:curl:60.1:Installing\nE: %s\n' "$WHY"; [ -z "$WHY" ] ;; esac
END
spew("$bin/sudo", "#!/bin/sh\nexec 3>&-; exec \"\$\@\"\n");
chmod 0755, glob "$bin/*";
my %deps = map { $_ => CatalogTest::Ctl::run({}, 'env', "PATH=$bin:$ENV{PATH}", "WHY=$_", "$top/tools/deps", 'run') } '', 'no such package';
my $progress = join '', map { "deps: $_ %\n" } map({ my $what = $_; map { "downloading $what, $_" } 0, 50, 100 } qw(lists packages)),
    map { "unpacking and setting up packages, $_" } 0, 60;
is_deeply($deps{''}, { status => 0, out => "deps: installing apache2-bin curl libaprutil1-dbd-sqlite3 openssl\n$progress", err => '' }, 'deps prints how far it is');
is($deps{'no such package'}{status}, 1, 'deps fails if apt-get does');
like($deps{'no such package'}{err}, qr/^E: no such package$/m, 'and says why');
unlike($deps{'no such package'}{err}, qr/status:/, 'and only that');

done_testing;
