# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Plan;

# How a database reads what a select finds: how many rows it looks at, of which most should be found; SQLite only says in which order it looks.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT_OK = qw(rows_read sqlite_plan);

# Of SQLite, in one line.
sub sqlite_plan {
    my ($db, $text, @values) = @_;
    return join ' ', map { $_->[3] } @{ $db->selectall_arrayref("EXPLAIN QUERY PLAN $text", undef, @values) };
}

# How many rows, or entries of indexes, PostgreSQL or MariaDB reads; at least $all if PostgreSQL reads one of the tables, a pattern, as a whole.
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
