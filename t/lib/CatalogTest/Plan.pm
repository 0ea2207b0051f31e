# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Plan;

# Measures how a database executes a select: how many rows it reads, most of which should be in the result. SQLite
# reports only the order in which it reads tables.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT_OK = qw(rows_read sqlite_plan);

# Returns SQLite's plan in one line.
sub sqlite_plan {
    my ($db, $text, @values) = @_;
    return join ' ', map { $_->[3] } @{ $db->selectall_arrayref("EXPLAIN QUERY PLAN $text", undef, @values) };
}

# Returns the number of rows or index entries that PostgreSQL or MariaDB reads. Returns at least `all` if PostgreSQL
# reads a whole table that matches the pattern `tables`.
sub rows_read {
    my ($db, $tables, $all, $text, @values) = @_;
    return pgsql_rows(@_) if $db->{Driver}{Name} eq 'Pg';
    my $before = handler_reads($db);
    $db->selectall_arrayref($text, undef, @values);
    return handler_reads($db) - $before;
}

sub pgsql_rows {
    my ($db, $tables, $all, $text, @values) = @_;
    my $plan = join "\n", @{ $db->selectcol_arrayref("EXPLAIN (ANALYZE, TIMING OFF) $text", undef, @values) };
    my $read = $plan =~ /Seq Scan on (?:$tables)/ ? $all : 0;
    $read += $1 while $plan =~ /(?:Rows Removed by Filter: |actual rows=)(\d+)/g;
    return $read;
}

sub handler_reads {
    my ($db) = @_;
    my $sum = 0;
    $sum += $_->[1] for @{ $db->selectall_arrayref(q(SHOW SESSION STATUS LIKE 'Handler_read%')) };
    return $sum;
}

1;
