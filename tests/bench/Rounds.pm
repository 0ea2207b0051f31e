# SPDX-License-Identifier: Apache-2.0
package Rounds;

# Many things measured in turn, again and again, so that what else the machine does meets all of them alike.

use strict;
use warnings FATAL => 'all';

use Load ();

sub new {
    my ($class, %o) = @_; # rounds, seconds
    return bless {%o}, $class;
}

# cells: name => { what Load::run takes }, in their order; warm: so many runs before the first round, for caches and compilers. The
# result: for each name what Load::run gives, each value the median of the rounds but for the sums in requests and failed; and each:
# the values of each round, by the same keys.
sub measure {
    my ($self, @cells) = @_;
    my (@names, %cell, %runs, %figures);
    while (my ($name, $load) = splice @cells, 0, 2) {
        push @names, $name;
        $cell{$name} = $load;
    }
    $self->run_once($_) for map { ($_) x ($_->{warm} // 0) } @cell{@names};
    for (1 .. $self->{rounds}) {
        push @{ $runs{$_} }, $self->run_once($cell{$_}) for @names;
    }
    for my $name (@names) {
        my @runs = @{ $runs{$name} };
        my %each = map { my $key = $_; $key => [map { $_->{$key} } @runs] } qw(cpu rate p50 p99);
        my $figure = $figures{$name} = { each => \%each, map { $_ => median(@{ $each{$_} }) } keys %each };
        for my $key (qw(requests failed)) {
            $figure->{$key} += $_->{$key} for @runs;
        }
        printf "%-32s %8.1f us %9.0f/s  p99 %7.2f ms%s\n", $name, @$figure{qw(cpu rate p99)},
            $figure->{failed} ? "  $figure->{failed} FAILED" : '';
    }
    return %figures;
}

sub run_once { my ($self, $cell) = @_; return Load::run(seconds => $self->{seconds}, %$cell) }

# Of two figures of one measurement: the median of what each round says, which met the same machine.
sub ratio {
    my ($member, $one, $other) = @_;
    my @pair = map { $_->{each}{$member} } $one, $other;
    return median(map { $pair[0][$_] / $pair[1][$_] } 0 .. $#{ $pair[0] });
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

1;
