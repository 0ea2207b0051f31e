# SPDX-License-Identifier: Apache-2.0
package Trace;

# What a confined program asked of the kernel, read from strace's record, in the terms of AppArmor: which hook of the kernel's
# security/apparmor/lsm.c each call meets, and what that asks of the profile. Calls that meet none (stat, access, readlink, getdents)
# ask for nothing.

use strict;
use warnings FATAL => 'all';

use File::Basename qw(basename dirname);

use Policy qw(R W A X L K M);

# strace -e trace=: all that names files, starts processes or changes who they are, and what else is mediated.
our @CALLS = qw(%file %process %creds fcntl flock ftruncate fallocate fchmod fchown mmap socket socketpair connect bind sendto sendmsg
    sendmmsg kill tkill tgkill ptrace);

my %FAMILY = (AF_UNIX => 1, AF_INET => 2, AF_INET6 => 10, AF_NETLINK => 16);
my %TYPE = (SOCK_STREAM => 1, SOCK_DGRAM => 2, SOCK_RAW => 3, SOCK_SEQPACKET => 5);
my %SIGNAL = (SIGHUP => 1, SIGINT => 2, SIGABRT => 6, SIGKILL => 9, SIGUSR1 => 10, SIGSEGV => 11, SIGUSR2 => 12, SIGTERM => 15,
    SIGCONT => 18, SIGWINCH => 28, SIGRT_1 => 0);

my $FD = qr{(?:AT_FDCWD|-?\d+)(?:<([^>]*)>)?(?:\(deleted\))?};
my $PATH = qr{"((?:[^"\\]|\\.)*)"};

# A call's arguments and its result, to what it does.
my %does = (
    (map { $_ => \&open_file } qw(open openat openat2 creat)),
    (map { $_ => \&lock_file } qw(fcntl flock)),
    (map { $_ => \&send_signal } qw(kill tkill tgkill)),
    (map { $_ => \&reach_socket } qw(connect bind sendto sendmsg sendmmsg)),
    (map { $_ => \&create_socket } qw(socket socketpair)),
    (map { my $call = $_; $call => sub { change_open_file($call, @_) } } qw(ftruncate fallocate fchmod fchown)),
    (map { my $call = $_; $call => sub { change_file($call, @_) } } qw(chmod fchmodat chown lchown fchownat truncate unlink unlinkat
        mkdir mkdirat rmdir mknod mknodat symlink symlinkat link linkat rename renameat renameat2)),
    mmap => \&map_file,
    execve => \&execute,
);

# Those that are not mediated, and those by which a process becomes another user; capabilities are the kernel's to check.
my %is_free = map { $_ => 1 } qw(access faccessat faccessat2 stat lstat newfstatat statx fstatat64 readlink readlinkat chdir fchdir getcwd
    statfs utime utimes utimensat futimesat getxattr lgetxattr listxattr llistxattr inotify_add_watch name_to_handle_at clone clone3 fork
    vfork exit exit_group wait4 waitid pidfd_open prctl capget setgid setregid
    setresgid setfsgid setgroups getuid geteuid getgid getegid getresuid getresgid getgroups capset kcmp);

# program: whose execution begins the confinement. root: the directory in which the trace was made. owners: of the files that were there
# before.
sub new {
    my ($class, %o) = @_;
    return bless { %o, accesses => {}, refused => {}, processes => {} }, $class;
}

# The records of several programs are put in the order of their times: what one creates, another may remove.
sub read {
    my ($self, @files) = @_;
    my (@lines, @calls, %begun, %parent);
    for my $file (@files) {
        open my $in, '<', $file or die "$file: $!\n";
        push @lines, map { [/^(\d+) +([\d.]+) (.*)$/] } <$in>;
    }
    @$_ == 3 or die "no line of strace's\n" for @lines;
    for (sort { $a->[1] <=> $b->[1] } @lines) {
        my ($process, $time, $rest) = @$_;
        if ($rest =~ /^(.*) <unfinished \.\.\.>$/) { $begun{$process} = $1; next }
        if ($rest =~ s/^<\.\.\. \w+ resumed>//) { $rest = (delete $begun{$process} // die "$process $time: $rest\n") . $rest }
        my ($call, $arguments, $result) = $rest =~ /^(\w+)\((.*)\) += (.*)$/ or next;
        push @calls, [$process, $call, $arguments, $result];
        $parent{$1} = $process if $call =~ /^(?:clone3?|v?fork)$/ && $result =~ /^(\d+)/;
    }
    my %state;
    for (@calls) {
        my ($process, $call, $arguments, $result) = @$_;
        $state{$process} //= { %{ $state{ $parent{$process} // '' } // { user => 0 } } };
        $self->judge($state{$process}, $process, $call, $arguments, $result);
    }
    return;
}

sub judge {
    my ($self, $state, $process, $call, $arguments, $result) = @_;
    $self->{now} = { %$state, call => $call };
    if ($call eq 'execve' && !$state->{is_confined}) {
        $state->{is_confined} = $result eq '0' && $arguments =~ /^"\Q$self->{program}\E"/;
        $self->want($self->{program}, R | M) if $self->{now}{is_confined} = $state->{is_confined};
        return;
    }
    return if !$state->{is_confined};
    $self->{processes}{$process} = 1;
    # That the children may not write to the keys is what the module asks for at start.
    my $asks = $call eq 'access' && $arguments =~ m{^"/etc/catalog/keys[/"].*W_OK};
    if ($result =~ /^-1 (EACCES|EPERM)/ && !$asks) { $self->{refused}{"$call($arguments) = $1"} = 1 }
    if ($call =~ /^set(?:re|res|fs)?uid$/ && $result eq '0') {
        my @ids = $arguments =~ /(-?\d+)/g;
        my $id = $ids[$call eq 'setreuid' || $call eq 'setresuid' ? 1 : 0];
        $state->{user} = $id if $id >= 0;
        return;
    }
    return if $is_free{$call} || $result =~ /^-1 E(?!INPROGRESS|AGAIN|CONNREFUSED|ACCES|PERM|INTR)/;
    my $does = $does{$call} or die "no rule for the call $call($arguments)\n";
    $does->($self, $arguments, $result);
    return;
}

# ---- what the calls ask for ----

sub open_file {
    my ($self, $arguments, $result) = @_;
    return if $arguments =~ /\bO_PATH\b/;
    my ($path) = $result =~ /^\d+<([^>]*)>/ or return;
    my %has = map { $_ => 1 } $arguments =~ /\bO_(\w+)/g;
    my $write = $has{APPEND} ? A : W;
    my $want = ($has{WRONLY} ? $write : $has{RDWR} ? R | $write : R) | ($has{CREAT} || $has{TRUNC} || $has{TMPFILE} ? W : 0);
    $self->want($path . ($has{DIRECTORY} && $path ne '/' ? '/' : ''), $want, $has{CREAT} || $has{TMPFILE});
    return;
}

sub map_file {
    my ($self, $arguments) = @_;
    my ($protection, $flags, $path) = $arguments =~ /^[^,]+, [^,]+, ([A-Z_|]+), ([A-Z_|]+)(?:<<[^,]*)?, \d+<([^>]*)>/ or return;
    my $want = ($protection =~ /READ/ ? R : 0) | ($protection =~ /EXEC/ ? M : 0);
    $want |= W if $protection =~ /WRITE/ && $flags =~ /SHARED/;
    $self->want($path, $want);
    return;
}

sub lock_file {
    my ($self, $arguments) = @_;
    my ($path, $rest) = $arguments =~ /^\d+<([^>]*)>(.*)/ or return;
    return if $rest !~ /LOCK_|SETLK/;
    $self->want($path, K | ($rest =~ /F_WRLCK/ ? W : 0));
    return;
}

sub change_open_file {
    my ($call, $self, $arguments) = @_;
    my ($path) = $arguments =~ /^\d+<([^>]*)>/ or return;
    $self->want($path, W);
    $self->{owners}{$path} = $1 if $call eq 'fchown' && $arguments =~ /, (\d+), -?\d+$/;
    return;
}

# The directories in a path may be links; the kernel asks for the file that it means.
sub change_file {
    my ($call, $self, $arguments) = @_;
    my @paths = map { $self->resolve($_) } named($arguments);
    my $owners = $self->{owners};
    if ($call =~ /^rename/) {
        $self->want($paths[0], R | W);
        $self->want($paths[1], W, 1);
        $owners->{ $paths[1] } = delete $owners->{ $paths[0] };
    }
    elsif ($call =~ /^(?:sym)?link/) { $self->want($paths[-1], $call =~ /^sym/ ? W : L | W, 1) }
    elsif ($call =~ /^mk/) { $self->want($paths[0] . ($call =~ /dir/ ? '/' : ''), W, 1) }
    elsif ($call =~ /^(?:unlink|rmdir)/) {
        $self->want($paths[0] . ($call eq 'rmdir' || $arguments =~ /AT_REMOVEDIR/ ? '/' : ''), W);
        delete $owners->{ $paths[0] };
    }
    else {
        $self->want($paths[0], W);
        $owners->{ $paths[0] } = $1 if $call =~ /chown/ && $arguments =~ /", (\d+), -?\d+/;
    }
    return;
}

sub create_socket {
    my ($self, $arguments) = @_;
    my ($family, $type) = $arguments =~ /^AF_(\w+), (SOCK_\w+)/ or die "no rule for the socket $arguments\n";
    my @numbers = ($FAMILY{"AF_$family"}, $TYPE{$type});
    2 == grep { defined } @numbers or die "no rule for the socket $arguments\n";
    $self->note('socket', "@numbers", "network \L$family\E " . lc $type =~ s/SOCK_//r);
    return;
}

# A socket in a file is one more access to that file.
sub reach_socket {
    my ($self, $arguments) = @_;
    $arguments =~ /sa_family=AF_UNIX, sun_path=(@?)$PATH/ or return;
    die "no rule for the socket $arguments\n" if $1;
    $self->want($self->resolve($2), $self->{now}{call} eq 'connect' ? R | W : W, $self->{now}{call} eq 'bind');
    return;
}

sub send_signal {
    my ($self, $arguments) = @_;
    my ($signal) = $arguments =~ /, (SIG\w+|0)$/ or die "no rule for the signal $arguments\n";
    my $number = $signal eq '0' ? 0 : $SIGNAL{$signal} // die "no rule for the signal $signal\n";
    $self->note('signal', $number, "signal $signal");
    return;
}

sub execute {
    my ($self, $arguments) = @_;
    my ($path) = named($arguments);
    $self->want($self->resolve($path), X);
    return;
}

# ---- paths ----

# The paths among the arguments of a call, each after the directory that it is relative to, if it has one.
sub named {
    my ($arguments) = @_;
    my @paths;
    while ($arguments =~ /(?:$FD, )?$PATH/g) {
        my ($directory, $path) = ($1, $2 =~ s/\\([0-7]{1,3})/chr oct $1/ger =~ s/\\(.)/$1/gr);
        push @paths, $path =~ m{^/} ? $path : (defined $directory ? "$directory/" : '/') . $path;
    }
    return @paths;
}

sub resolve {
    my ($self, $path) = @_;
    my ($name, $done, @rest) = (basename($path), '', grep { length && $_ ne '.' } split m{/}, dirname($path));
    my $links = 0;
    while (defined(my $part = shift @rest)) {
        if ($part eq '..') { $done =~ s{/[^/]*$}{}; next }
        my $target = readlink "$self->{root}$done/$part";
        if (!defined $target || $links++ > 40) { $done .= "/$part"; next }
        $done = '' if $target =~ m{^/};
        unshift @rest, grep { length && $_ ne '.' } split m{/}, $target;
    }
    return "$done/$name";
}

# ---- what was asked for ----

sub want {
    my ($self, $path, $rights, $is_new) = @_;
    return if $path !~ m{^/} || $path =~ m{^/(?:memfd:|SYSV|dev/zero\b.*deleted)}; # pipes, memory and so on have no path
    $path =~ s/ ?\(deleted\)$//;
    my ($owners, $user) = ($self->{owners}, $self->{now}{user});
    $owners->{$path} = $user if $is_new && !defined $owners->{$path};
    $path .= '/' if $path !~ m{/$} && -d "$self->{root}$path";
    my $is_owner = ($owners->{ $path =~ s{(?<=.)/$}{}r } // -1) == $user;
    my $access = $self->{accesses}{ join ' ', $path, $is_owner ? 1 : 0 } //= { path => $path, is_owner => $is_owner, rights => 0 };
    for my $right (grep { $rights & $_ && !($access->{rights} & $_) } R, W, A, X, L, K, M) {
        $access->{by}{$right} = "$self->{now}{call} by user $user";
    }
    $access->{rights} |= $rights;
    return;
}

sub note {
    my ($self, $kind, $key, $name) = @_;
    $self->{$kind}{$key} //= "$name ($self->{now}{call} by user $self->{now}{user})";
    return;
}

1;
