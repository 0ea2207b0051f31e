# SPDX-License-Identifier: Apache-2.0
package Load;

# Runs clients: each is a process with one kept-alive connection and a ledger of its answers.

use strict;
use warnings FATAL => 'all';

use POSIX ();
use Storable ();

use Client ();

# what: for each client the port and the work, a function of the client that it repeats until stop. Unless given, each client has its
# own address, because rate limits count per client.
sub start {
    my ($class, $dir, @what) = @_;
    mkdir $dir or die "$dir: $!\n";
    my $self = bless { dir => $dir }, $class;
    $self->{pids} = [map { $self->fork_client($_, @{ $what[$_] }) } 0 .. $#what];
    return $self;
}

sub fork_client {
    my ($self, $number, $port, $work, $address) = @_;
    my $parent = $$;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;

    my $stop = 0;
    $SIG{TERM} = sub { $stop = 1 };
    $SIG{INT} = 'IGNORE'; # the parent handles Ctrl-C
    $SIG{PIPE} = 'IGNORE';
    srand $$;
    my $client = Client->new($port, $number, $address // "127.0.1.@{[ $number + 1 ]}");
    eval {
        $work->($client) until $stop || getppid != $parent; # or until the test has died
        1;
    } or $client->lie("died: $@");
    Storable::store($client->ledger, "$self->{dir}/$number");
    POSIX::_exit(0);
}

# Ends the clients, each after its last answer; returns their ledgers.
sub stop {
    my ($self) = @_;
    kill TERM => @{ $self->{pids} };
    waitpid $_, 0 for @{ delete $self->{pids} };
    return map { Storable::retrieve($_) } glob "$self->{dir}/*";
}

sub DESTROY {
    local $?;
    $_[0]->stop if $_[0]{pids};
}

1;
