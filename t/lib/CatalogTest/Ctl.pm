# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Ctl;

# Runs catalogctl as an administrator does, with or without a server.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Cpanel::JSON::XS ();
use POSIX ();

use CatalogTest::Tools qw(setting new_dir slurp spew);

our @EXPORT_OK = qw(ctl ctl_for command command_for at_terminal run listed problems);

our $HTTPD = setting('apache');
my $dir;

sub command { return (setting('ctl'), @_) }

# Returns the command line of catalogctl with the options that name the server's configuration.
sub command_for {
    my ($server, @words) = @_;
    $server->make_databases;
    return ($server->catalogctl, '--httpd', $HTTPD, '--config', $server->dir . '/httpd.conf', @words);
}

# Run catalogctl. The first argument may be { in => standard input, out => file }. Return { status, out, err }.
sub ctl_for { my ($server, @words) = @_; return run(ref $words[0] ? shift @words : {}, command_for($server, @words)) }
sub ctl { my (@words) = @_; return run(ref $words[0] ? shift @words : {}, command(@words)) }

# Returns a command line that runs a command at a terminal and prints what the terminal shows. In a bare root file
# system without /dev/pts, it mounts one first.
sub at_terminal {
    my @words = ('script', '-qec', join(' ', map { "'$_'" } @_), '/dev/null');
    return @words if -e '/dev/pts/ptmx';
    return (qw(unshare --mount --propagation unchanged sh -c),
        'mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts && exec "$@"', 'sh', @words);
}

sub run {
    my ($o, @command) = @_;
    $dir //= new_dir();
    my %file = map { $_ => "$dir/$_" } qw(in out err);

    unlink $file{out};
    spew($file{in}, $o->{in} // '');
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDIN, '<', $file{in};
        open STDOUT, '>', $o->{out} // $file{out};
        open STDERR, '>', $file{err};
        exec @command or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? "signal $?" : $? >> 8;
    return { status => $status, map { $_ => slurp($file{$_}) } qw(out err) };
}

# Returns the rows of a list as hashes whose keys are in the list's header.
sub listed {
    my ($r) = @_;
    my ($head, @lines) = split /\n/, $r->{out};
    my @names = split /\t/, $head;
    return map { my %row; @row{@names} = split /\t/, $_, -1; \%row } @lines;
}

# Returns the problems that catalogctl check reports. Returns "" if there are none and the exit code agrees. Ignores a
# missing CatalogMail, because most servers of the suite have none.
sub problems {
    my ($r) = @_;
    my @wrong = map { "$_->{what}: $_->{detail}" } grep { $_->{state} eq 'problem' } listed($r);
    return "exit $r->{status}" if $r->{status} != (@wrong ? 1 : 0);
    return join "\n", grep { !/^mail: CatalogMail is not set/ } @wrong;
}

1;
