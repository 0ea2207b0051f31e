# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Process;

# A program that serves in the foreground until the test stops it or ends, however the test ends. A subclass has the
# methods command, console (the file for its output) and is_up. It may override as (options of setpriv) and stop_signal.

use strict;
use warnings FATAL => 'all';

use POSIX ();
use Time::HiRes ();

use CatalogTest::Tools qw(children_of slurp wait_until);

my $PATIENCE = 20; # seconds to start, and to stop
my $SIGNALS = 3; # maximum number of signals to stop it

my %running; # programs by pid
my $owner = $$;
$SIG{$_} = sub { exit 1 } for qw(HUP INT PIPE TERM); # so that END stops them

sub as { () }
sub stop_signal { 'TERM' }
sub pid { $_[0]{pid} }

# Starts the program. Dies with its output if it does not come up.
sub start { $_[0]->launch->wait_up }

sub launch {
    my ($self) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        setpgrp 0, 0; # httpd in the foreground ends its whole process group when it stops
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', $self->console;
        open STDERR, '>&', \*STDOUT;
        exec 'setpriv', '--pdeathsig', $self->stop_signal, $self->as, $self->command or POSIX::_exit(127);
    }
    $self->{pid} = $pid;
    $running{$pid} = $self;
    return $self;
}

sub wait_up {
    my ($self) = @_;
    my $up = wait_until($PATIENCE, sub { $self->is_up || !$self->is_alive });
    return $self if $up && $self->is_alive;
    $self->stop;
    die "$self->{dir}: it did not start:\n" . $self->complaints;
}

sub complaints { slurp($_[0]->console) }

sub is_alive {
    my ($self) = @_;
    return $self->{pid} && waitpid($self->{pid}, POSIX::WNOHANG()) == 0;
}

sub ask_to_stop { CORE::kill($_[0]->stop_signal, $_[0]{pid}) }

# Stops the program. Returns the seconds that this took, or -1 if the program had to be killed.
sub stop {
    my ($self) = @_;
    my $pid = $self->{pid} or return 0;
    my $start = Time::HiRes::time();

    # httpd loses a signal that arrives while it restarts, which takes seconds under ThreadSanitizer.
    for (1 .. $SIGNALS) {
        $self->ask_to_stop;
        wait_until($PATIENCE / $SIGNALS, sub { waitpid($pid, POSIX::WNOHANG()) != 0 }) or next;
        delete $running{ delete $self->{pid} };
        return Time::HiRes::time() - $start;
    }
    $self->kill;
    $self->{stuck} = 1;
    return -1;
}

sub pids { ($_[0]{pid}, $_[0]->children) }
sub children { children_of($_[0]{pid}) }

# Stops processes with SIGSTOP, and returns when all their threads have stopped: on a busy machine a thread may serve
# another request before.
sub pause {
    my @pids = @_;
    CORE::kill(STOP => @pids);
    wait_until($PATIENCE, sub { !grep { slurp($_) !~ /\) [TXZ] / } map { glob "/proc/$_/task/*/stat" } @pids });
}

# Kills all processes of the program at once, as if the machine had crashed. Waits for threads that wait for the disk,
# because they keep the sockets of their process.
sub kill {
    my ($self) = @_;
    pause($self->{pid}); # so that the program starts no more children
    my @pids = $self->pids;
    CORE::kill(KILL => @pids);
    waitpid $self->{pid}, 0;
    wait_until($PATIENCE, sub { !grep { slurp($_) =~ /\) [^ZX] / } map { glob "/proc/$_/task/*/stat" } @pids });
    delete $running{ delete $self->{pid} };
}

# Makes the program neither answer nor close a connection until resume.
sub hang {
    my ($self) = @_;
    pause($self->{pid}); # so that the program starts no more children
    pause($self->children);
}

sub resume { CORE::kill(CONT => $_[0]->pids) }

# Stops the programs at the same time.
sub stop_all {
    my @all = grep { $_->{pid} } @_;
    $_->ask_to_stop for @all;
    $_->stop for @all;
}

END {
    local $?;
    stop_all(values %running) if $$ == $owner; # not in a forked child that ends
}

1;
