# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Linear;

# Finds out whether the answers about one product could have been given one after the other. Each operation has `start`,
# `end` and `kind`, and depending on the kind
#     value   the value that it read, wrote or restored; undef for no product
#     key     its name as a change, if other operations refer to it
#     target  the key of another change: restore goes back to the state before it, undo undoes it, and nothing says
#             that no product existed before it
#     failed  true for an undo that changed nothing, because the product had changed since
#     maybe   true if there was no answer: the operation was done at any time after its start, or never

use strict;
use warnings FATAL => 'all';

# Returns the state after a change: the product, the key of its last change, and its value before each change that some
# operation refers to.
sub set {
    my ($state, $value, $key, $targets) = @_;
    return { value => $value, last => $key, before => $targets->{$key} ? { %{ $state->{before} }, $key => $state->{value} } : $state->{before} };
}

sub is_same { my ($one, $other) = @_; return defined $one ? defined $other && $one eq $other : !defined $other }

my %AFTER = (
    read => sub { my ($s, $op) = @_; return is_same($s->{value}, $op->{value}) && $s },
    create => sub { my ($s, $op, $targets) = @_; return !defined $s->{value} && set($s, $op->{value}, $op->{key}, $targets) },
    update => sub { my ($s, $op, $targets) = @_; return defined $s->{value} && set($s, $op->{value}, $op->{key}, $targets) },
    delete => sub { my ($s, $op, $targets) = @_; return defined $s->{value} && set($s, undef, $op->{key}, $targets) },
    nothing => sub { my ($s, $op) = @_; return exists $s->{before}{ $op->{target} } && !defined $s->{before}{ $op->{target} } && $s },
    restore => sub {
        my ($s, $op, $targets) = @_;
        my $value = $s->{before}{ $op->{target} };
        return undef if !defined $value || (!$op->{maybe} && $value ne $op->{value});
        return is_same($s->{value}, $value) ? $s : set($s, $value, $op->{key}, $targets);
    },
    undo => sub {
        my ($s, $op, $targets) = @_;
        my $can = $s->{last} eq $op->{target};
        return $op->{failed} ? !$can && $s : $can && set($s, $s->{before}{ $op->{target} }, $op->{key}, $targets);
    },
);

sub is_reading { my ($op) = @_; return $op->{failed} || $op->{kind} =~ /^(?:read|nothing)$/ }

sub write_state { my ($s) = @_; return join ' ', $s->{value} // '-', $s->{last}, map { $_ . '=' . ($s->{before}{$_} // '-') } sort keys %{ $s->{before} } }

# Searches for an order. @ops must be sorted by start. Each step tries the operations that began before the earliest end
# of the operations not done yet. An operation that changes nothing is done at once if it fits. A state that was reached
# before in another order is not tried again.
sub is_linearizable {
    my (@ops) = @_;
    my %targets = map { defined $_->{target} ? ($_->{target} => 1) : () } @ops;
    my %seen;
    my $search;
    $search = sub {
        no warnings 'recursion';
        my ($done, $state) = @_;
        my ($end, @next, $other);
        for (my $i = index $done, '0'; $i >= 0; $i = index $done, '0', $i + 1) {
            last if defined $end && $ops[$i]{start} > $end;
            push @next, $i;
            next if $ops[$i]{maybe};
            $end = $ops[$i]{end} if !defined $end || $ops[$i]{end} < $end;
        }
        return 1 unless defined $end;
        return 0 if $seen{"$done " . write_state($state)}++;
        my @ways;
        for my $i (grep { $ops[$_]{start} <= $end } @next) {
            my $after = $AFTER{ $ops[$i]{kind} }->($state, $ops[$i], \%targets) or next;
            next if $after == $state && $ops[$i]{maybe};
            my $with = $done;
            substr $with, $i, 1, '1';
            return $search->($with, $state) if is_reading($ops[$i]);
            push @ways, [$with, $after];
        }
        for my $way (@ways) {
            return 1 if $search->(@$way);
        }
        return 0;
    };
    my $is = $search->('0' x @ops, { last => '', before => {} });
    undef $search;
    return $is;
}

sub describe {
    my (@ops) = @_;
    my $begin = $ops[0]{start};
    return join '', map { sprintf "  %.4f %.4f %s\n", $_->{start} - $begin, $_->{end} - $begin,
        join ' ', map { defined $_ ? $_ : '-' } @$_{qw(kind key value target)}, $_->{failed} ? 'failed' : (), $_->{maybe} ? 'maybe' : () } @ops;
}

1;
