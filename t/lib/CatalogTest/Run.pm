# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Run;

# Apache::Test writes beside its sources and gives up when root runs it. Here it gets a copy of t/ in a directory of its
# own, which the user that root's children run as can read, and in which that user owns what httpd's children write to.

use strict;
use warnings FATAL => 'all';

use parent 'Apache::TestRun';

use Cwd ();
use File::Basename qw(dirname);
use File::Temp ();
use FindBin ();
use IO::Socket::INET ();
use TAP::Harness ();

use Apache::TestHarness ();
use CatalogTest::Log ();

my @MODULES = qw(
    access_compat alias auth_basic authn_core authn_file authz_core authz_host authz_user dbd deflate dir env filter
    headers include mime proxy proxy_http reqtimeout request rewrite setenvif status unique_id
);

# Readable by the tests, which forge tokens with it.
my $KEY = 'kZ3v8Qm1Wc5Xn7Lp0Rt2Yh4Jd6Gf9Sb_Ae-Uo1Ii2Ee';

sub main {
    my ($class, @args) = @_;
    my $top = Cwd::realpath("$FindBin::RealBin/..");
    my $dir = File::Temp->newdir('catalog-test.XXXXXX', TMPDIR => 1, CLEANUP => !$ENV{KEEP});
    my $home = "$dir";
    my $self = $class->new;

    print "the suite runs in $home\n" if $ENV{KEEP};
    $self->{catalog} = settings($top, $home);
    lay_out($self->{catalog});
    s{^(?:\Q$top\E/)?(?:\./)?(?=t/)}{} for @args;

    $ENV{CATALOG_TOP} = $top;
    $ENV{PERL5LIB} = join ':', "$home/t/lib", grep { defined } $ENV{PERL5LIB};
    $ENV{APACHE_TEST_ULIMIT_SET} = 1; # or it starts itself again by its own idea of the command line
    $SIG{TERM} = sub { exit 1 };      # so that what END blocks do is done
    local $0 = "$home/t/TEST";        # where Apache::Test looks for everything

    $self->run(server_options($self->{catalog}), @args);
    chdir $top; # the directory is about to go away
    return $self->{failed} ? 1 : 0;
}

sub settings {
    my ($top, $home) = @_;
    my $apxs = sub { chomp(my $value = qx(apxs -q $_[0])); $value || die "apxs -q $_[0] tells nothing\n" };
    my $module = Cwd::realpath($ENV{MODULE} || "$top/build/mod_catalog.so");

    die "there is no $module: run make\n" unless $module && -f $module;
    return {
        top => $top,
        home => $home,
        mpm => $ENV{MPM} || 'event',
        apache => $ENV{HTTPD} || $apxs->('SBINDIR') . '/' . $apxs->('PROGNAME'),
        modules => $apxs->('LIBEXECDIR'),
        source_module => $module,
        ctl => dirname($module) . '/catalogctl',
        user => $> == 0 ? 'www-data' : scalar getpwuid $>,
        group => $> == 0 ? 'www-data' : scalar getgrgid +(split ' ', $))[0],
    };
}

sub lay_out {
    my ($c) = @_;
    my $t = "$c->{home}/t";

    chmod 0755, $c->{home};
    system('cp', '-R', "$c->{top}/t", $t) == 0 or die "$c->{top}/t cannot be copied\n";
    # A copy, because a sanitizer's report is written by a child, which may not be able to read the checkout.
    system('cp', $c->{source_module}, "$t/mod_catalog.so") == 0 or die "the module cannot be copied\n";
    mkdir "$t/$_" or die "$t/$_: $!\n" for qw(logs htdocs servers data data/mail);
    chown scalar getpwnam($c->{user}), scalar getgrnam($c->{group}), map { "$t/$_" } qw(data data/mail) if $> == 0;
    write_file("$t/htdocs/index.html", 0644, "outside the mount\n");
    write_file("$t/conf/token.key", 0600, "$KEY\n");
    write_file("$t/conf/modules.conf", 0644, map { "$_\n" } load_lines($c, "$t/mod_catalog.so"));
}

# What is not there as a file is compiled into httpd.
sub load_lines {
    my ($c, $module) = @_;
    my @names = grep { -e "$c->{modules}/mod_$_.so" } @MODULES;
    return ((map { qq(LoadModule ${_}_module "$c->{modules}/mod_$_.so") } "mpm_$c->{mpm}", @names),
        qq(LoadModule catalog_module "$module"));
}

sub write_file {
    my ($file, $mode, @text) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    chmod $mode, $file;
    print {$out} @text;
    close $out or die "$file: $!\n";
}

sub server_options {
    my ($c) = @_;
    my $t = "$c->{home}/t";
    my $port = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
    return ('-httpd' => $c->{apache}, '-apxs' => 'apxs', '-httpd_conf' => "$t/conf/modules.conf", '-port' => $port,
        '-servername' => '127.0.0.1', '-user' => $c->{user}, '-group' => $c->{group});
}

# What tests and *.in files can ask for beside Apache::Test's own.
sub new_test_config {
    my ($self) = @_;
    $self->{conf_opts}{"catalog_$_"} = $self->{catalog}{$_} for qw(top mpm user group apache ctl);
    return $self->SUPER::new_test_config;
}

sub check_runtime_user { 1 } # root is welcome: its children run as another user

sub run_tests {
    my ($self) = @_;
    my $wanted = { tests => $self->{tests}, order => $self->{opts}{order} };
    my @files = Apache::TestHarness->get_tests($wanted);
    my $results = TAP::Harness->new({ verbosity => $self->{opts}{verbose} ? 1 : 0, failures => 1 })->runtests(@files);
    my @wrong;

    push @wrong, 'a file failed' unless $results->all_passed;
    push @wrong, 'there was no test' unless $results->total;
    push @wrong, 'a file or a test was skipped: ' . join ' ', $results->skipped if $results->skipped;
    $self->{failed} = @wrong;
    print "t/TEST: $_\n" for @wrong;
}

sub stop {
    my ($self) = @_;
    $self->SUPER::stop;
    my @lines = CatalogTest::Log::unread("$self->{catalog}{home}/t/logs/error_log");
    print "t/TEST: unexpected in the error log: $_\n" for @lines;
    $self->{failed} = 1 if @lines;
}

1;
