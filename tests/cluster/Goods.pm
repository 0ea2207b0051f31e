# SPDX-License-Identifier: Apache-2.0
package Goods;

# Products and users whose name determines every field, so that a half-written one is noticed.

use strict;
use warnings FATAL => 'all';

use JSON::PP ();

use constant PASSWORD => 'correct horse';

my @MEMBERS = qw(name price category inStock rating sku brand);

# Of the shop's own fields, one that no two products may have the same value of, and one whose values are counted.
use constant FIELDS => "CatalogField sku string unique\nCatalogField brand string facet\n";
my $json = JSON::PP->new->canonical->allow_nonref;

# Each version of a product changes every field.
sub product {
    my ($stem, $version) = @_;
    return {
        name => "$stem v$version", price => $version + 0.25, category => "category $version",
        inStock => $version % 2 ? JSON::PP::true : JSON::PP::false,
        $version % 3 || $version == 1 ? (rating => $version % 5) : (rating => undef),
        sku => "$stem-$version", brand => 'brand ' . $version % 7,
    };
}

# The product's name and version; nothing if the name is not ours.
sub named { $_[0] =~ /^(.*) v(\d+)$/ ? ($1, $2) : () }

sub user { return { username => $_[0], email => "$_[0]\@shop.test", password => PASSWORD } }

# Compares an answer, or a row converted to one, with the expected product; undef if they are equal.
sub difference {
    my ($got, $want) = @_;
    my ($is, $should) = map { my $p = $_; $json->encode([map { $p->{$_} } @MEMBERS]) } $got, $want;
    return $is eq $should ? undef : "$is, not $should";
}

# Converts a row of the table to an answer's fields.
sub from_row {
    my ($row) = @_;
    my $own = $json->decode($row->{extra} // '{}');
    return {
        sku => $own->{sku}, brand => $own->{brand},
        name => $row->{name}, price => $row->{price} + 0, category => $row->{category},
        inStock => $row->{in_stock} ? JSON::PP::true : JSON::PP::false,
        rating => defined $row->{rating} ? $row->{rating} + 0 : undef,
    };
}

1;
