# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Run;

# Runs the suite with Apache::Test. Apache::Test would write into its source directory, start one server for all test
# files and refuse to run as root. Here it only reads the command line, in a copy of t/ that the user of httpd's
# children can read. Each test file starts its own servers, so files can run in parallel and in any order.

use strict;
use warnings FATAL => 'all';

use parent 'Apache::TestRun';

use Cwd ();
use File::Basename qw(dirname);
use File::Temp ();
use FindBin ();
use TAP::Harness ();

use CatalogTest::Engine ();
use CatalogTest::Tools qw(setting settle slurp spew children_of);

my @MODULES = qw(
    access_compat alias auth_basic authn_core authn_file authz_core authz_host authz_user brotli dbd deflate dir env filter
    headers include mime proxy proxy_http reqtimeout request rewrite setenvif status unique_id
);

my %MARK = (db => qr/sqlite3|mysql|pgsql/, mpm => qr/event|worker|prefork/, runs => qr/first|last|alone/, again => qr/db|mysql|pgsql|mpm/, nightly => qr/only/, lasts => qr/\d+/, hashes => qr/real/);

# The tests forge tokens with this key.
my $KEY = 'kZ3v8Qm1Wc5Xn7Lp0Rt2Yh4Jd6Gf9Sb_Ae-Uo1Ii2Ee';

sub main {
    my ($class, @args) = @_;
    my $top = Cwd::realpath("$FindBin::RealBin/..");
    my $dir = File::Temp->newdir('catalog-test.XXXXXX', TMPDIR => 1, CLEANUP => !$ENV{KEEP});
    my $home = "$dir/t";
    my $self = $class->new;

    print "the suite runs in $dir\n" if $ENV{KEEP};
    chmod 0755, $dir;
    system('cp', '-R', "$top/t", $home) == 0 or die "$top/t cannot be copied\n";
    $ENV{CATALOG_TEST} = $home;
    settle(settings($top, $home));
    lay_out($home);
    s{^(?:\Q$top\E/)?(?:\./)?(?=t/)}{} for @args;

    $ENV{PERL5LIB} = join ':', "$home/lib", grep { defined } $ENV{PERL5LIB};
    $ENV{APACHE_TEST_ULIMIT_SET} = 1; # otherwise Apache::Test re-executes itself with a command line of its own
    local $0 = "$home/TEST";          # Apache::Test searches for everything there

    $self->run(@args);
    $self->{failed} = 1 if !compare_exchanges($home);
    chdir '/'; # the directory is about to be deleted
    return $self->{failed} ? 1 : 0;
}

# Compares the recorded requests and answers with the API descriptions; see CatalogTest::Exchange.
sub compare_exchanges {
    my ($home) = @_;
    return 1 unless glob "$home/exchanges/*.ndjson";
    return system('node', setting('top') . '/build/exchanges/validate.js', "$home/exchanges") == 0;
}

sub settings {
    my ($top, $home) = @_;
    my $apxs = sub { chomp(my $value = qx(apxs -q $_[0])); $value || die "apxs -q $_[0] tells nothing\n" };
    my $module = Cwd::realpath($ENV{MODULE} || "$top/build/mod_catalog.so");

    die "there is no $module: run make\n" unless $module && -f $module;
    my %chosen = (mpm => $ENV{MPM} || 'event', db => $ENV{DB} || 'sqlite3');
    $chosen{$_} =~ /^$MARK{$_}$/ or die uc, "=$chosen{$_} is not known\n" for keys %chosen;
    return (
        %chosen,
        top => $top,
        home => $home,
        apache => $ENV{HTTPD} || $apxs->('SBINDIR') . '/' . $apxs->('PROGNAME'),
        modules => $apxs->('LIBEXECDIR'),
        source_module => $module,
        ctl => dirname($module) . '/catalogctl',
        units => dirname($module) . '/tests/unit',
        preload => $ENV{PRELOAD} ? needed($module) : '',
        quick_hashes => $ENV{PRELOAD} ? "$home/argon2.so" : '',
        user => $> == 0 ? 'www-data' : scalar getpwuid $>,
        group => $> == 0 ? 'www-data' : scalar getgrgid +(split ' ', $))[0],
    );
}

# Returns the libraries that the module needs, to be preloaded. httpd loads and unloads the module twice when it starts,
# and its libraries with it. That takes a tenth of the processor time of a server that is started and stopped.
sub needed {
    my ($module) = @_;
    return join ' ', grep { !m{/(?:ld-linux|libc\.so|libm\.so|libpthread)} } qx(ldd '$module') =~ m{=> (/\S+)}g;
}

sub lay_out {
    my ($home) = @_;

    # Copies the module, because a child writes a sanitizer's report, and may not be able to read the checkout.
    system('cp', setting('source_module'), "$home/mod_catalog.so") == 0 or die "the module cannot be copied\n";
    if (my $quick = setting('quick_hashes')) {
        system('cp', dirname(setting('source_module')) . '/tests/preload/argon2.so', $quick) == 0 or die "tests/preload cannot be copied\n";
    }
    mkdir "$home/$_" or die "$home/$_: $!\n" for 'servers', $ENV{COMPARE} ? 'exchanges' : ();
    spew("$home/conf/mime.types", "text/html html\n");
    spew("$home/conf/modules-$_.conf", map { "$_\n" } load_lines("$home/mod_catalog.so", $_)) for grep { $_ } setting('mpm'), $ENV{MPM_AGAIN};
    spew("$home/conf/token.key", "$KEY\n");
    chmod 0600, "$home/conf/token.key";
}

# Returns the LoadModule lines. A module without a file is compiled into httpd.
sub load_lines {
    my ($module, $mpm) = @_;
    my $modules = setting('modules');
    my @names = grep { -e "$modules/mod_$_.so" } @MODULES;
    return ((map { qq(LoadModule ${_}_module "$modules/mod_$_.so") } "mpm_$mpm", @names),
        qq(LoadModule catalog_module "$module"));
}

# Otherwise, Apache::Test would probe and write the configuration of its own server here.
sub new_test_config { CatalogTest::Run::Config->new($_[0]{conf_opts}) }
sub configure { }

sub install_sighandlers {
    my ($self) = @_;
    $SIG{$_} = sub { $self->give_up } for qw(HUP INT TERM);
}

# Waits until the tests have stopped their servers, because the directory is deleted afterwards.
sub give_up {
    my ($self) = @_;
    my $engine = $self->{engine} ? $self->{engine}->pid : 0;
    my @tests = grep { $_ != $engine } children_of($$);
    kill TERM => @tests;
    waitpid $_, 0 for @tests;
    chdir '/';
    exit 1;
}

# Starts MariaDB or PostgreSQL, where each server gets its own database.
sub start {
    my ($self) = @_;
    return if setting('db') eq 'sqlite3';
    my $dir = setting('home') . '/engine';
    mkdir $dir or die "$dir: $!\n";
    $self->{engine} = CatalogTest::Engine->new($dir)->start;
    settle(engine => { dir => $dir, port => $self->{engine}{port} });
}

sub stop { $_[0]{engine}->stop if $_[0]{engine} }

# Runs the files. Long files start first, the longest before the others, so that none remains alone at the end. Then
# come the files that make much load, two at a time, and then those that measure time, one by one: TAP::Harness runs
# files that its rules do not name in this way.
sub run_tests {
    my ($self) = @_;
    my @files = $self->choose;
    my %runs = (first => [], '' => [], last => [], alone => []);
    push @{ $runs{ marked($_, 'runs') } }, $_ for @files;
    @{ $runs{first} } = sort { (marked($b, 'lasts') || 0) <=> (marked($a, 'lasts') || 0) } @{ $runs{first} };
    my @side_by_side = (@{ $runs{first} }, @{ $runs{''} });
    my @lanes;
    push @{ $lanes[$_ % 2] }, $runs{last}[$_] for 0 .. $#{ $runs{last} };
    my @groups = map { { par => $_ } } grep { @$_ } \@side_by_side, [map { { seq => $_ } } @lanes];
    my $jobs = $self->{opts}{verbose} || @files == 1 ? 1 : $ENV{JOBS} || 8;
    my $perl = sub { ('env', 'MPM=' . mpm_of($_[0]), hashes_of($_[0]), 'setpriv', '--pdeathsig', 'TERM', $^X) };
    my $harness = TAP::Harness->new({
        verbosity => $self->{opts}{verbose} ? 1 : 0, failures => 1, timer => 1, jobs => $jobs,
        rules => { seq => \@groups },
        exec => sub { $jobs == 1 ? [$perl->($_[1]), $_[1]] : ['sh', '-c', 'exec "$@" 3>&2 2>"$0"', complaints($_[1]), $perl->($_[1]), $_[1]] },
    });
    my $results = $harness->runtests(@side_by_side, @{ $runs{last} }, @{ $runs{alone} });
    my @wrong;

    my %failed = map { $_ => 1 } $results->failed, $results->parse_errors, $results->exit;
    print "\n$_:\n", slurp(complaints($_)) for sort grep { -s complaints($_) } keys %failed;
    push @wrong, 'a file failed' unless $results->all_passed;
    push @wrong, 'there was no test' unless $results->total;
    push @wrong, 'a file or a test was skipped: ' . join ' ', $results->skipped if $results->skipped;
    $self->{failed} = @wrong;
    print "t/TEST: $_\n" for @wrong;
}

# Returns the file for a test file's stderr. When files run in parallel, it is printed at the end. Descriptor 3 keeps
# the pipe to TAP::Harness open: at its end of file, TAP::Harness would wait for this test alone.
sub complaints { setting('home') . '/' . $_[0] =~ tr{/}{-}r . '.err' }

# Returns the files that the command line names, or all, except those for another database or MPM. AGAIN selects the
# files that "# again:" marks with its value; AGAIN=db also selects those marked for this database only. MPM_AGAIN adds
# the files marked mpm, to run under this MPM. BRIEF leaves out the files that "# nightly:" marks.
sub choose {
    my ($self) = @_;
    my @files = @{ $self->{tests} } ? @{ $self->{tests} } : sort glob 't/*/*.t';
    @files = grep { !marked($_, 'nightly') } @files if $ENV{BRIEF};
    my $wanted = ($ENV{AGAIN} // '') eq 'db' ? 'db|' . setting('db') : $ENV{AGAIN};
    @files = grep { marked($_, 'again') =~ /\b(?:$wanted)\b/ || runs_under_other($_) } @files if $wanted;
    for my $what (qw(db mpm)) {
        my $is = sub { $what eq 'db' ? setting('db') : mpm_of($_[0]) };
        my @fitting = grep { my $here = $is->($_); (marked($_, $what) || $here) =~ /\b$here\b/ } @files;
        printf "t/TEST: %d files are not for %s\n", @files - @fitting, $is->('') if @fitting != @files;
        @files = @fitting;
    }
    return @files;
}

sub runs_under_other { my ($file) = @_; return $ENV{MPM_AGAIN} && $file && marked($file, 'again') =~ /\bmpm\b/ }
sub mpm_of { my ($file) = @_; return runs_under_other($file) ? $ENV{MPM_AGAIN} : setting('mpm') }

# Preloads a fast replacement of password hashing unless the file needs the real one; see tests/preload/argon2.c.
sub hashes_of {
    my ($file) = @_;
    my $quick = setting('quick_hashes');
    return !$quick || marked($file, 'hashes') ? () : 'LD_PRELOAD=' . join ' ', $ENV{LD_PRELOAD} // (), $quick;
}

# Returns the value of a test file's mark, such as "# db: mysql pgsql".
sub marked {
    my ($file, $name) = @_;
    my ($words) = slurp($file) =~ /^# $name: (.+)$/m or return '';
    $words =~ /^(?:$MARK{$name}(?: |$))+$/ or die "$file: # $name: $words means nothing\n";
    return $words;
}

package CatalogTest::Run::Config;

use parent -norequire, 'Apache::TestConfig';

sub httpd_config { $_[0] }

1;
