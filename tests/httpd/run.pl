#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Runs httpd's own tests, from Debian's source package, without this module and with it loaded and mounted in every virtual host: no
# subtest's result may differ. tests/httpd/run.pl MODULE [t/modules/alias.t ...]
#
# Needs Debian's apache2-dev and the source package. apt fetches that once into build/httpd-tests, from MIRROR; FRAMEWORK names an
# existing perl-framework, which needs no network. MPM is event, worker or prefork. The framework skips tests whose Perl modules are
# missing, in both runs. Its servers listen on 127.0.0.1, from port 8529 on, so only one run is possible at a time.
use strict;
use warnings FATAL => 'all';

use Cwd qw(realpath);
use File::Path qw(make_path);
use File::Temp ();
use FindBin ();

my $top = realpath("$FindBin::RealBin/../..");
my $kept = "$top/build/httpd-tests";
my ($module, @tests) = @ARGV;
my $mpm = $ENV{MPM} || 'event';

$module = $module && realpath($module);
die "usage: tests/httpd/run.pl MODULE [t/file.t ...]\n" unless $module && -f $module;
s{^\./}{} for @tests;

sub apxs { chomp(my $value = qx(apxs -q $_[0])); return $value || die "apxs -q $_[0] tells nothing\n" }

sub run {
    my (@command) = @_;
    system(@command) == 0 or die "failed: @command\n";
}

sub spew {
    my ($file, @text) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    print {$out} @text;
    close $out or die "$file: $!\n";
}

# ---- the framework ----

# Uses its own apt lists: the machine's may lack sources, and must not change.
sub apt_options {
    my ($dir) = @_;
    my ($codename) = qx(cat /etc/os-release) =~ /^VERSION_CODENAME=(\w+)$/m or die "/etc/os-release names no release\n";
    my $mirror = $ENV{MIRROR} || 'http://deb.debian.org';

    make_path("$dir/lists/partial");
    spew("$dir/sources.list", map { "deb-src $mirror/$_ main\n" } "debian $codename", "debian-security $codename-security");
    return map { ('-o', $_) } "Dir::Etc::sourcelist=$dir/sources.list", 'Dir::Etc::sourceparts=/dev/null',
        "Dir::State::Lists=$dir/lists", 'APT::Sandbox::User=root';
}

# The newest source on the mirror, which may lack the installed version.
sub fetch_framework {
    my $dir = "$kept/source";
    my @options = apt_options($dir);

    run(qw(apt-get -qq update), @options);
    chdir $dir or die "$dir: $!\n";
    open my $said, '-|', qw(apt-cache showsrc apache2), @options or die "apt-cache: $!\n";
    my @versions = map { /^Version: (\S+)$/ ? $1 : () } <$said>;
    close $said;
    for my $version (reverse sort @versions) {
        next if system(qw(apt-get -qq source --download-only --diff-only), @options, "apache2=$version");
        my ($archive) = glob "apache2_*.debian.tar.xz";
        run('tar', '-xJf', $archive, '-C', $kept, '--strip-components=1', 'debian/perl-framework');
        print "httpd-tests: those of apache2 $version\n";
        return;
    }
    die "no source of apache2 could be fetched; name a perl-framework of httpd's by FRAMEWORK=\n";
}

sub framework {
    return realpath($ENV{FRAMEWORK}) if $ENV{FRAMEWORK};
    make_path($kept);
    fetch_framework() unless -d "$kept/perl-framework";
    return "$kept/perl-framework";
}

# ---- one run ----

# All of httpd's modules, but only one MPM.
sub load_lines {
    my $dir = apxs('LIBEXECDIR');
    my @names = grep { !/^(?:mpm_.*|perl|php.*|apreq2|catalog)$/ } map { m{/mod_(\w+)\.so$} } sort glob "$dir/mod_*.so";
    return map { qq(LoadModule ${_}_module "$dir/mod_$_.so"\n) } "mpm_$mpm", @names;
}

sub write_mount {
    my ($dir) = @_;
    spew("$dir/key", 'A-secret,-of-at-least-thirty-two-bytes');
    chmod 0600, "$dir/key";
    spew("$dir/perl-framework/t/conf/mod_catalog.conf.in", <<"END");
<Location "/mod_catalog">
    CatalogEnable   On
    CatalogKeyFile  "$dir/key"
    CatalogDatabase sqlite3 "$dir/catalog.db"
</Location>
END
}

# The framework refuses to run as root.
sub as_user { $> == 0 ? (qw(setpriv --reuid=www-data --regid=www-data --clear-groups env), "HOME=$_[0]") : () }

# file and number of each subtest => whether it passed.
sub results {
    my ($log) = @_;
    my ($file, %result) = '';
    open my $in, '<', $log or die "$log: $!\n";
    while (<$in>) {
        $file = $1 if m{^(t/\S+\.t) \.+};
        $result{"$file $2"} = $1 ? 'not ok' : 'ok' if /^(not )?ok (\d+)\b/;
    }
    close $in;
    return \%result;
}

# A copy that the user may write to, with httpd's modules and, in the second run, this one.
sub lay_out {
    my ($dir, $framework, $is_with) = @_;
    my @conf = (load_lines(), "TypesConfig /etc/mime.types\nServerName localhost\n");

    chmod 0755, $dir;
    run('cp', '-R', $framework, "$dir/perl-framework");
    if ($is_with) {
        run('cp', $module, "$dir/mod_catalog.so");
        push @conf, qq(LoadModule catalog_module "$dir/mod_catalog.so"\n);
        write_mount($dir);
    }
    spew("$dir/httpd.conf", @conf);
    run('chown', '-R', 'www-data:', $dir) if $> == 0;
}

# Runs a command as the user and appends its output to the log; returns whether it succeeded.
sub logged {
    my ($log, $home, @command) = @_;
    return system('sh', '-c', 'log=$1; shift; exec "$@" >>"$log" 2>&1', 'sh', $log, as_user($home), @command) == 0;
}

sub run_framework {
    my ($name, $framework) = @_;
    my $dir = File::Temp->newdir('httpd-tests.XXXXXX', TMPDIR => 1, CLEANUP => !$ENV{KEEP});
    my $log = "$kept/$name.log";
    my @set_up = ($^X, 'Makefile.PL', '-apxs', apxs('BINDIR') . '/apxs', '-httpd_conf', "$dir/httpd.conf");

    print "httpd-tests: $name the module; all that is said goes to $log\n";
    lay_out("$dir", $framework, $name eq 'with');
    make_path($kept);
    spew($log, '');
    chdir "$dir/perl-framework" or die "$dir: $!\n";
    local @ENV{qw(HARNESS_VERBOSE LANG)} = (1, 'C');
    logged($log, $dir, @set_up) or die "httpd-tests: the framework cannot be set up, see $log\n";
    logged($log, $dir, 't/TEST', @tests); # some tests may fail without the module, too
    die "httpd-tests: the mount was not served, see $log\n"
        if $name eq 'with' && system('grep', '-q', 'CAT009: ', "$dir/perl-framework/t/logs/error_log");
    chdir $top;
    return results($log);
}

my $framework = framework();
my $without = run_framework('without', $framework);
my $with = run_framework('with', $framework);
my %all = (%$without, %$with);
my @different = grep { ($without->{$_} // 'missing') ne ($with->{$_} // 'missing') } sort keys %all;

die "httpd-tests: no subtest was run\n" unless %all;
printf "%s: %s without, %s with the module\n", $_, $without->{$_} // 'missing', $with->{$_} // 'missing' for @different;
printf "httpd-tests: %d subtests under %s, %d not ok without the module; %d differ with it\n", scalar keys %all, $mpm,
    scalar(grep { $_ eq 'not ok' } values %$without), scalar @different;
exit !!@different;
