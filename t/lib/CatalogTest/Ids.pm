# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Ids;

# Ids of products, and the numbers `n` that the database makes of them. An id is a UUIDv7; its number is the milliseconds, the next 12 bits
# and the first 8 random bits, without version and variant. Here these 20 bits are a counter, and the other bits of the id are 0.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use CatalogTest::Database ();

our @EXPORT_OK = qw(n_at id_at id_of n_of twin_of sql_id insert_products);

sub n_at { my ($milliseconds, $counter) = @_; return $milliseconds << 20 | ($counter // 0) }
sub id_at { return id_of(n_at(@_)) }
sub id_of { my ($n) = @_; return sprintf '%08x-%04x-7%03x-%04x-000000000000', $n >> 36, $n >> 20 & 0xffff, $n >> 8 & 0xfff, 0x8000 | ($n & 0xff) << 6 }

sub n_of {
    my ($id) = @_;
    my ($first, $second, $third, $fourth) = map { hex } (split /-/, $id)[0 .. 3];
    return $first << 36 | $second << 20 | ($third & 0xfff) << 8 | ($fourth & 0x3fff) >> 6;
}

# Another id with the same number.
sub twin_of { my ($id) = @_; return $id =~ s/(.)\z/$1 ? 0 : 1/er }

# SQL that makes the id of a number.
sub sql_id {
    my ($n) = @_;
    my @parts = ("$n >> 36", "($n >> 20) & 65535", "28672 | (($n >> 8) & 4095)", "32768 | (($n & 255) << 6)");
    my $driver = CatalogTest::Database::driver();
    return q{printf('%08x-%04x-%04x-%04x-000000000000', } . join(', ', @parts) . ')' if $driver eq 'sqlite3';
    my $hex = $driver eq 'pgsql' ? 'to_hex' : 'HEX';
    return 'LOWER(' . join(q( || '-' || ), "LPAD($hex($parts[0]), 8, '0')", "LPAD($hex($parts[1]), 4, '0')", "$hex($parts[2])", "$hex($parts[3])", q('000000000000')) . ')';
}

# Inserts a product, and nothing that is derived of it, for each i from `from` to `to` - 1. n: SQL that makes the product's number of i. more:
# columns and SQL for their values.
sub insert_products {
    my ($db, $from, $to, $n, %more) = @_;
    my %row = (name => q('x'), price => q('1'), category => q(''), in_stock => 1, %more);
    my @columns = sort keys %row;
    return $db->do('INSERT INTO products (' . join(', ', 'n', 'id', @columns) . ") WITH RECURSIVE numbers (i) AS (SELECT $from UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < $to),"
        . " made (i, n) AS (SELECT i, $n FROM numbers) SELECT " . join(', ', 'n', sql_id('n'), @row{@columns}) . ' FROM made');
}

1;
