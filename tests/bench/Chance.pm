# SPDX-License-Identifier: Apache-2.0
package Chance;

# Words and numbers for products like a real shop's, by Perl's own pseudo-random numbers.

use strict;
use warnings FATAL => 'all';

my $WORDS = 50_000;
my @words;

# Words whose frequencies follow Zipf's law.
sub word {
    my $rank = int $WORDS**rand;
    return $words[$rank] //= word_of($rank);
}

# The word of a rank: three syllables. Neighbours in rank differ from the first syllable on.
sub word_of {
    my ($rank) = @_;
    my $number = $rank * 7919 % 1_000_000;
    return join '', map { substr('bcdfghjklmnprstvwxyz', $_ / 5, 1) . substr('aeiou', $_ % 5, 1) }
        int($number / 10_000), $number / 100 % 100, $number % 100;
}

# A normally distributed number (Box and Muller).
sub normal { return sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand) }

1;
