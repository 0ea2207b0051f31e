# SPDX-License-Identifier: Apache-2.0
package Rounds;

# Measures cells in turn, in many rounds, so that other load on the machine affects all of them alike.

use strict;
use warnings FATAL => 'all';

use List::Util qw(shuffle sum);
use Time::HiRes qw(sleep);

use Load ();

sub new {
    my ($class, %o) = @_; # rounds, seconds
    return bless {%o}, $class;
}

# Measure a cell in every n-th round: ALWAYS or OFTEN if runs vary and the target is close, SELDOM if even twice the cost would not
# matter.
use constant { ALWAYS => 1, OFTEN => 2, USUALLY => 3, SELDOM => 9 };

# cells: name => { what Load::run takes }, or { statement => one of Native.pm }; and warm: the number of runs before the first round, for caches and compilers; every: one
# of the constants above. Shuffles each round, so that no cell always follows the same one. Returns, for each name, what Load::run
# returns, over all rounds; of latencies, the median.
sub measure {
    my ($self, @cells) = @_;
    my (@names, %cell, %runs, %figures);
    while (my ($name, $load) = splice @cells, 0, 2) {
        push @names, $name;
        $cell{$name} = $load;
    }
    $self->run_once($_) for map { ($_) x ($_->{warm} // 0) } @cell{@names};
    for my $round (0 .. $self->{rounds} - 1) {
        for my $name (shuffle grep { $round % ($cell{$_}{every} // USUALLY) == 0 } @names) {
            $self->run_once($cell{$name}) if grows_cold($cell{$name});
            push @{ $runs{$name} }, $self->run_once($cell{$name});
        }
    }
    for my $name (@names) {
        my @runs = @{ $runs{$name} };
        show($name, $figures{$name} = together(@runs));
    }
    return %figures;
}

# Of requests, or of anything that took seconds.
sub show {
    my ($name, $figure) = @_;
    return printf "%-32s %8.1f s\n", $name, $figure->{seconds} if defined $figure->{seconds};
    printf "%-32s %8.1f us %9.0f/s  p99 %7.2f ms%s\n", $name, @$figure{qw(cpu rate p99)},
        $figure->{failed} ? "  $figure->{failed} FAILED" : '';
    return;
}

# V8 drops code and memory of a server that is idle for minutes, which doubles the cost of its next run.
sub grows_cold {
    my ($cell) = @_;
    return ($cell->{every} // USUALLY) == SELDOM && $cell->{server} && $cell->{server}->warm_up > 1;
}

# Lets httpd close the previous run's connections: an event child with more connections than threads drops some.
use constant PAUSE => 0.02; # seconds

sub run_once {
    my ($self, $cell) = @_;
    sleep PAUSE;
    return $cell->{statement}->run($self->{seconds}) if $cell->{statement};
    my $run = Load::run(seconds => $self->{seconds}, %$cell);
    print $cell->{server}->name, ": $cell->{requests}[0]: $run->{failed} failed, $run->{status} of them by their status\n"
        if $run->{failed};
    return $run;
}

# CPU is the total over all requests, as in one long run: that varies half as much as the median of the rounds.
sub together {
    my (@runs) = @_;
    my ($requests, $failed) = map { my $key = $_; sum(map { $_->{$key} } @runs) } qw(requests failed);
    return {
        requests => $requests, failed => $failed,
        cpu => sum(map { $_->{cpu} * $_->{requests} } @runs) / $requests,
        rate => sum(map { $_->{rate} } @runs) / @runs,
        map { my $key = $_; $key => median(map { $_->{$key} } @runs) } qw(p50 p99),
    };
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

1;
