# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Changes;

# Compares the stored products of a server before and after changes were undone.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT_OK = qw(state_of difference);

# Returns all rows of products and all rows derived from them, except the times of the last change (a field `updatedAt`)
# and their index keys.
sub state_of {
    my ($server) = @_;
    my $db = $server->database;
    my ($number) = $db->selectrow_array(q(SELECT number FROM catalog_fields WHERE name = 'updatedAt'));
    my @rows = map { rows($db, @$_) } ['SELECT * FROM products ORDER BY n'], ['SELECT * FROM product_unique ORDER BY 1, 2'],
        ['SELECT * FROM product_words ORDER BY 1, 2'], ['SELECT * FROM product_keys WHERE field <> ? ORDER BY 1, 2, 3, 4', $number // 0];
    return join "\n", map { s/\n/\\n/gr } @rows;
}

# Returns the first lines that only one of two states has. Returns '' if there are none.
sub difference {
    my ($before, $after) = @_;
    my (%count, @lines);
    $count{$_}-- for split /\n/, $before;
    $count{$_}++ for split /\n/, $after;
    @lines = map { ($count{$_} < 0 ? '-' : '+') . $_ } grep { $count{$_} } sort keys %count;
    return join "\n", @lines > 10 ? @lines[0 .. 9] : @lines;
}

sub rows {
    my ($db, $select, @values) = @_;
    return map { join '|', map { defined ? s/,?"updatedAt":\d+//r : 'NULL' } @$_ } @{ $db->selectall_arrayref($select, undef, @values) };
}

1;
