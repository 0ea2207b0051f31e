# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Server;

# An httpd: the main one that Apache::Test runs, or one that a test starts for itself, with a directory, a database and
# a log of its own.

use strict;
use warnings FATAL => 'all';

use Apache::TestConfig ();
use DBI ();
use POSIX ();
use Time::HiRes ();

use CatalogTest::Http ();
use CatalogTest::Log ();

my $START = 20; # seconds, also to stop

my $vars = Apache::TestConfig->thaw->{vars};
our $TOP = $vars->{catalog_top};
my %running; # by pid
$SIG{$_} = sub { exit 1 } for qw(INT TERM); # so that END stops them
my @all;

sub main { remember({ dir => $vars->{serverroot}, logs => $vars->{t_logs}, port => $vars->{port} }) }

sub remember {
    my $self = bless $_[0], __PACKAGE__;
    push @all, $self;
    return $self;
}

# conf: text for the server's scope. mount: text within <Location "/api">; undef: no such section is written.
# In both, @dir@ and @port@ stand for the server's own; files to be written by httpd's children belong in @dir@/data.
sub new {
    my ($class, %o) = @_;
    %o = (conf => '', mount => '', %o);
    my $dir = "$vars->{serverroot}/servers/" . join '-', $$, scalar @all;

    mkdir $_ or die "$_: $!\n" for $dir, map { "$dir/$_" } qw(logs htdocs data data/mail);
    hand_over(map { "$dir/$_" } qw(data data/mail));
    my $self = remember({ dir => $dir, logs => "$dir/logs", port => free_port() });
    $self->write("$dir/httpd.conf", head(), template(), "DBDParams \"$dir/data/catalog.db\"\n", mount($o{mount}),
        $o{conf});
    return $self;
}

# To the user that httpd's children run as.
sub hand_over {
    return if $> != 0;
    chown scalar getpwnam($vars->{catalog_user}), scalar getgrnam($vars->{catalog_group}), @_;
}

sub free_port { IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport }

sub head {
    return "User $vars->{catalog_user}\nGroup $vars->{catalog_group}\nInclude \"$vars->{t_conf}/modules.conf\"\n"
        . "TypesConfig \"$vars->{t_conf}/mime.types\"\n";
}

sub template {
    open my $in, '<', "$vars->{t_conf}/httpd.conf.in" or die "httpd.conf.in: $!\n";
    return <$in>;
}

sub mount {
    my ($more) = @_;
    return '' unless defined $more;
    return <<"END";
<Location "/api">
    CatalogEnable   On
    CatalogKeyFile  "$vars->{t_conf}/token.key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $more
</Location>
END
}

sub write {
    my ($self, $file, @text) = @_;
    my %token = (
        dir => $self->{dir}, port => $self->{port}, serverroot => $self->{dir}, documentroot => "$self->{dir}/htdocs",
        t_logs => $self->{logs}, t_pid_file => "$self->{logs}/httpd.pid", key => "$vars->{t_conf}/token.key");
    my $text = join '', @text;
    $text =~ s/@(\w+)@/exists $token{$1} ? $token{$1} : "\@$1\@"/ge;
    open my $out, '>', $file or die "$file: $!\n";
    print {$out} $text;
    close $out or die "$file: $!\n";
}

sub mpm { $vars->{catalog_mpm} }
sub dir { $_[0]{dir} }
sub port { $_[0]{port} }
sub pid { $_[0]{pid} }

sub command { ($vars->{catalog_apache}, '-d', $_[0]{dir}, '-f', "$_[0]{dir}/httpd.conf") }

# httpd -t: its exit status and all it said.
sub configtest {
    my ($self) = @_;
    my $pid = open my $out, '-|';
    defined $pid or die "fork: $!\n";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec $self->command, '-t' or POSIX::_exit(127);
    }
    my $text = join '', <$out>;
    close $out;
    return ($? >> 8, $text);
}

# Dies with what httpd said when it does not come up.
sub start { $_[0]->launch->wait_up }

sub launch {
    my ($self) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        setpgrp 0, 0; # httpd in the foreground ends its whole process group when it is told to stop
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', "$self->{logs}/console";
        open STDERR, '>&', \*STDOUT;
        exec $self->command, '-DFOREGROUND' or POSIX::_exit(127);
    }
    $self->{pid} = $pid;
    $running{$pid} = $self;
    return $self;
}

sub wait_up {
    my ($self) = @_;
    my $up = wait_until($START, sub { eval { $self->connection } || !$self->is_alive });
    return $self if $up && $self->is_alive;
    $self->stop;
    die "httpd did not start:\n" . join '', map { slurp("$self->{logs}/$_") } qw(console error_log);
}

sub is_alive {
    my ($self) = @_;
    return $self->{pid} && waitpid($self->{pid}, POSIX::WNOHANG()) == 0;
}

# Seconds that it took; -1 when it had to be killed.
sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return 0;
    my $start = Time::HiRes::time();
    my $took = -1;

    delete $running{$pid};
    kill TERM => $pid;
    if (wait_until($START, sub { waitpid($pid, POSIX::WNOHANG()) != 0 })) {
        $took = Time::HiRes::time() - $start;
    } else {
        kill KILL => $pid;
        waitpid $pid, 0;
        $self->{stuck} = 1;
    }
    return $took;
}

sub graceful { kill USR1 => $_[0]{pid} }

# The processes that serve.
sub children {
    my ($self) = @_;
    my $parent = $self->{pid} // pid_in("$self->{logs}/httpd.pid");
    return map { /^\d+ \(.*\) \S (\d+)/s && $1 == $parent ? /^(\d+)/ : () } map { slurp($_) } glob '/proc/[0-9]*/stat';
}

sub pid_in {
    my ($file) = @_;
    chomp(my $pid = slurp($file));
    return $pid;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or return '';
    local $/;
    return <$in> // '';
}

sub wait_until {
    my ($seconds, $done) = @_;
    my $end = Time::HiRes::time() + $seconds;
    while (1) {
        my $value = $done->();
        return $value if $value || Time::HiRes::time() > $end;
        Time::HiRes::sleep(0.02);
    }
}

sub connection { CatalogTest::Http::connection($_[0]{port}) }

# api(GET => '/products'), api(POST => '/products', { ... }, token => $t); mount => '' for a path outside /api.
sub api {
    my ($self, $method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    my %o = (mount => '/api', @more);
    return CatalogTest::Http::request($self->{port}, $method, "$o{mount}$path", $body, %o);
}

sub talk { my $self = shift; CatalogTest::Http::talk($self->{port}, @_) }
sub burst { my $self = shift; CatalogTest::Http::burst($self->{port}, @_) }

sub log_text { slurp("$_[0]{logs}/error_log") }
sub access_text { slurp("$_[0]{logs}/access_log") }

# A connection of the test's own to the database. A busy machine's server may answer on its port before a child has made the
# file: made here it would be the test's user's, and the children could not write it.
sub database {
    my ($self, $file) = @_;
    $file //= "$self->{dir}/data/catalog.db";
    for (1 .. 200) { last if -s $file; select undef, undef, undef, 0.05 }
    return DBI->connect("dbi:SQLite:dbname=$file", '', '',
        { RaiseError => 1, PrintError => 0, sqlite_use_immediate_transaction => 0 });
}

# Stops what this test file started; what is wrong with the servers and their logs.
sub faults {
    my @faults;
    $_->stop for values %running;
    for my $self (@all) {
        push @faults, "httpd had to be killed ($self->{dir})" if $self->{stuck};
        my $log = "$self->{logs}/error_log";
        push @faults, CatalogTest::Log::faults(CatalogTest::Log::unread($log)) if -e $log;
        push @faults, map { "httpd said: $_" } split /\n/, slurp("$self->{logs}/console");
    }
    return (@faults, CatalogTest::Log::missing());
}

END {
    local $?;
    $_->stop for values %running;
}

1;
