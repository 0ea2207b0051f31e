# SPDX-License-Identifier: Apache-2.0
package Goods;

# Products and users whose every member follows from their name, so that half of one is recognized.

use strict;
use warnings FATAL => 'all';

use JSON::PP ();

use constant PASSWORD => 'correct horse';

my @MEMBERS = qw(name price category inStock rating);
my $json = JSON::PP->new->canonical->allow_nonref;

# A product is changed as a whole, from version to version.
sub product {
    my ($stem, $version) = @_;
    return {
        name => "$stem v$version", price => $version + 0.25, category => "category $version",
        inStock => $version % 2 ? JSON::PP::true : JSON::PP::false,
        $version % 3 || $version == 1 ? (rating => $version % 5) : (rating => undef),
    };
}

# As name and version; nothing where the name is none of ours.
sub named { $_[0] =~ /^(.*) v(\d+)$/ ? ($1, $2) : () }

sub user { return { username => $_[0], email => "$_[0]\@shop.test", password => PASSWORD } }

# What an answer has, or a row made into one, against what it should; undef when they are the same.
sub difference {
    my ($got, $want) = @_;
    my ($is, $should) = map { my $p = $_; $json->encode([map { $p->{$_} } @MEMBERS]) } $got, $want;
    return $is eq $should ? undef : "$is, not $should";
}

# A row of the table as an answer has it.
sub from_row {
    my ($row) = @_;
    return {
        name => $row->{name}, price => $row->{price} + 0, category => $row->{category},
        inStock => $row->{in_stock} ? JSON::PP::true : JSON::PP::false,
        rating => defined $row->{rating} ? $row->{rating} + 0 : undef,
    };
}

1;
