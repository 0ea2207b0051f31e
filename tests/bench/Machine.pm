# SPDX-License-Identifier: Apache-2.0
package Machine;

# What the kernel reports about processes and the machine.

use strict;
use warnings FATAL => 'all';

use POSIX ();

use CatalogTest::Tools qw(slurp);

my $TICKS = POSIX::sysconf(POSIX::_SC_CLK_TCK());

# Fields of /proc/PID/stat from the state on, of all processes, by pid.
sub processes {
    my %all;
    for (glob '/proc/[0-9]*/stat') {
        my ($pid, $rest) = slurp($_) =~ /^(\d+) \(.*\) (.*)/s or next; # the process may have ended
        $all{$pid} = [split ' ', $rest];
    }
    return \%all;
}

# These processes and all their descendants.
sub tree {
    my ($processes, @pids) = @_;
    my %children;
    push @{ $children{ $processes->{$_}[1] } }, $_ for keys %$processes;
    my @tree;
    while (defined(my $pid = shift @pids)) {
        push @tree, $pid if $processes->{$pid};
        push @pids, @{ $children{$pid} // [] };
    }
    return @tree;
}

# User and system seconds of these processes and their descendants, including children that have ended.
sub cpu {
    my $processes = processes();
    my $ticks = 0;
    $ticks += $_ for map { @{ $processes->{$_} }[11 .. 14] } tree($processes, @_);
    return $ticks / $TICKS;
}

# Bytes of memory that they hold, shared pages counted once, mapped files excluded. kinds: Anon (private) and Shmem (shared).
sub memory {
    my ($pid, @kinds) = @_;
    my $kilobytes = 0;
    for my $process (tree(processes(), $pid)) {
        my %all = slurp("/proc/$process/smaps_rollup") =~ /^Pss_(\w+): +(\d+)/mg;
        $kilobytes += $_ // 0 for @all{@kinds};
    }
    return 1024 * $kilobytes;
}

sub facts {
    my ($model) = slurp('/proc/cpuinfo') =~ /^model name\s*: (.*)/m;
    my ($memory) = slurp('/proc/meminfo') =~ /^MemTotal: +(\d+)/m;
    my ($system) = slurp('/etc/os-release') =~ /^PRETTY_NAME="(.*)"/m;
    my $cores = () = slurp('/proc/cpuinfo') =~ /^processor\s*:/mg;
    return {
        processor => $model // (POSIX::uname())[4], cores => $cores, memory_mib => int($memory / 1024),
        system => $system // 'unknown', kernel => (POSIX::uname())[2], versions => versions(),
        load => (split ' ', slurp('/proc/loadavg'))[0] + 0,
    };
}

sub versions {
    my %say = (
        httpd => '$(apxs -q SBINDIR)/$(apxs -q PROGNAME) -v', nginx => '/usr/sbin/nginx -v', node => 'node --version',
        php => 'php -v', mariadb => 'mariadbd --version',
        postgresql => '$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/postgres --version');
    return { map { $_ => qx($say{$_} 2>&1) =~ /(\d+\.\d+(?:\.\d+)?)/ ? $1 : 'unknown' } keys %say };
}

1;
