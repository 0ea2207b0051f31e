# SPDX-License-Identifier: Apache-2.0
package Tokens;

# The cost of accepting a token: the first time, and again.

use strict;
use warnings FATAL => 'all';

use JSON::PP ();

use CatalogTest::Tools qw(setting);
use Catalogue ();

my @TYPES = qw(HS256 RS256 ES256);

sub run {
    my ($c) = @_;
    my $home = setting('home');
    my %figures;
    for my $type (@TYPES) {
        Catalogue::capture(setting('ctl'), 'key', 'new', '-t', lc $type, "$home/$type.key");
        my $times = JSON::PP::decode_json(Catalogue::capture("$c->{dir}/tokens", "$home/$type.key"));
        $figures{"$type, first"} = { us => $times->{first} };
        $figures{"$type, again"} = { us => $times->{again} };
    }
    printf "%-32s %8.2f us\n", $_, $figures{$_}{us} for sort keys %figures;
    $c->{results}->add(tokens => %figures);
}

1;
