# SPDX-License-Identifier: Apache-2.0
package Process;

# The processes that the test starts, each in its own process group. However the test ends, it ends them by their pids.

use strict;
use warnings FATAL => 'all';

use POSIX ();

use CatalogTest::Tools qw(slurp wait_until);

my $main = $$;
my %running; # pid => what is running
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP); # so that END runs and ends them

# user: the process's user, if we are root. dies_by: the signal that it gets if we are killed. env: variables.
sub spawn {
    my ($class, %o) = @_;
    my @as = ($o{user} && $> == 0) ? ("--reuid=$o{user}", '--regid=' . group_of($o{user}), '--clear-groups') : ();
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        setpgrp 0, 0;
        %ENV = (%ENV, %{ $o{env} || {} });
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', $o{log};
        open STDERR, '>&', \*STDOUT;
        exec 'setpriv', '--pdeathsig', $o{dies_by} // 'KILL', @as, @{ $o{command} } or POSIX::_exit(127);
    }
    $running{$pid} = 1;
    return bless { pid => $pid }, $class;
}

sub group_of { getgrgid((getpwnam $_[0])[3]) }

# Runs a command and waits for its end.
sub run {
    my ($class, %o) = @_;
    my $self = $class->spawn(%o);
    waitpid $self->{pid}, 0;
    delete $running{ $self->{pid} };
    die "@{$o{command}}: exit status $?\n" . slurp($o{log}) if $?;
}

sub pid { $_[0]{pid} }

sub is_alive { waitpid($_[0]{pid}, POSIX::WNOHANG()) == 0 }

# Kills the process and all of its children at once. One whose thread waits for the disk keeps its port until that is over.
sub crash {
    my ($self) = @_;
    kill KILL => -$self->{pid};
    waitpid $self->{pid}, 0;
    wait_until(10, sub { !kill 0 => -$self->{pid} });
    delete $running{ $self->{pid} };
}

sub suspend { kill STOP => $_[0]{pid} }
sub resume { kill CONT => $_[0]{pid} }

sub stop {
    my ($self, $signal) = @_;
    kill $signal // 'TERM' => $self->{pid};
    wait_until(20, sub { !$self->is_alive });
    $self->crash;
}

END {
    if ($$ == $main) {
        local $?;
        kill KILL => -$_ for keys %running;
        waitpid $_, 0 for keys %running;
    }
}

1;
