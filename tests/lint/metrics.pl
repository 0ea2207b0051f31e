#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the metric table with the documents for administrators:
#   docs/metrics.md   has a row for each metric, "| `catalog_cache_hits_total` | counter | | Its help |", with its labels in the third cell
# Neither this document nor the examples name a metric that the table does not have. Each label value in docs/metrics.md
# exists.
#
# Each metric, with each value of its labels, is in a line "# moves: NAME VALUE ..." of a test file, which fails if it
# does not move the metric (CatalogTest::Metrics). If `engine` is another label, each value of `kind` and `reason` is
# tested on each engine that can have it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $table = 'src/shm/metrics.def';
my $document = 'docs/metrics.md';
my %type = (COUNTER => 'counter', TIMES => 'histogram', SIZES => 'histogram', LEVEL => 'gauge', GAUGE => 'gauge');
my @rows = rows($table, qr/^METRIC\(\w+,\s*(?<kind>\w+),\s*"(?<name>\w+)",\s*(?<labels>\w+,\s*\w+,\s*\w+),\s*"(?<help>[^"]*)"\)/m);
my %label = map { $_->{id} => $_->{name} } rows('src/shm/metrics.c', qr/\[CAT_LABEL_(?<id>\w+)\] = \{"(?<name>\w+)"/);
my %known = map { $_->{name} => $type{ $_->{kind} } } @rows;
my $text = text($document);

for my $row (@rows) {
    my $labels = join ', ', map { $label{$_} } grep { $_ ne 'NONE' } split /,\s*/, $row->{labels};
    my $cells = sprintf '| `%s` | %s | %s | %s |', $row->{name}, $type{ $row->{kind} }, $labels, $row->{help};
    fault($document, "no row: $cells") if index("\n$text", "\n$cells\n") < 0;
}

# docs/metrics.md has a row for each value of a label: | `catalog_mails_failed_total` | `reason` | `deferred` |
my %values = values_of_labels();
for my $row (@rows) {
    for my $id (grep { $values{$_} } split /,\s*/, $row->{labels}) {
        my @listed = $text =~ /^\| `$row->{name}` \| `$label{$id}` \| `(\w+)` \|/mg;
        fault($document, "the values of $label{$id} of $row->{name} are not: @{ $values{$id} }") if "@listed" ne "@{ $values{$id} }";
    }
}

for my $file ($document, 'conf/examples/catalog-alerts.yml', 'conf/examples/grafana-catalog.json') {
    my %named = map { $_ => 1 } text($file) =~ /\b(catalog_[a-z_]+[a-z])\b(?!\.)/g;
    for my $name (sort keys %named) {
        my $base = $name =~ s/_(?:bucket|sum|count)$//r;
        fault($file, "$name is no metric") unless $known{$name} || ($known{$base} // '') eq 'histogram' || $name eq 'catalog_refresh';
    }
}

# ---- the suite ----

# Values that an engine never reports: SQLite has no connection to lose and no conflicts, and only Galera refuses
# statements without a quorum.
my %never = map { $_ => 1 } 'sqlite3 lost', 'sqlite3 conflict', 'sqlite3 not_ready', 'pgsql not_ready';

# The label ROUTE needs only "unknown", because t/server/metrics.t sends a request to each route. VERSION has no values
# here, because the same file tests the version.
my @engines = @{ list_of_values('ENGINE') };
my %all = ((map { $_ => list_of_values($_) } qw(METHOD STATEMENT)), %values, CODE => codes(), LIMIT => limits(), ROUTE => ['unknown'], VERSION => [], ENGINE => []);
my %moved;
for my $file (files(qr/\.t/, 't')) {
    my $head = text($file);
    my @runs_on = $head =~ /^# db: (.*)$/m ? split ' ', $1 : @engines;
    for my $line ($head =~ /^# moves: (.*)$/mg) {
        my ($what, $places) = $line =~ /^([\w ]+?)(?: \(([\w ]+)\))?$/ or fault($file, "# moves: $line is not understood"), next;
        my ($name, @values) = split ' ', $what;
        my ($row) = grep { $_->{name} eq $name } @rows or fault($file, "$name is no metric"), next;
        my %exists = map { $_ => 1 } map { @{ $all{$_} // [] } } labels_of($row);
        my %place = map { $_ => 1 } split ' ', $places // '';
        my @here = grep { $place{$_} } @engines;
        fault($file, "$_ is no value of a label of $name") for grep { !$exists{$_} } @values;
        for my $engine (grep { !@here || $place{$_} } @runs_on) {
            $moved{$_}{$engine} = 1 for @values ? map { "$name $_" } @values : $name;
        }
    }
}
for my $row (@rows) {
    my @labels = labels_of($row);
    my @wanted = map { my $values = $all{$_} // die "$0: label $_ has no values\n"; map { "$row->{name} $_" } @$values } @labels;
    for my $what (@wanted ? @wanted : $row->{name}) {
        my $on = $moved{$what} or fault('t', "no file says: # moves: $what"), next;
        my ($value) = $what =~ / (\w+)$/;
        my @missing = (grep { $_ eq 'ENGINE' } @labels) ? grep { !$on->{$_} && !$never{"$_ $value"} } @engines : ();
        fault('t', "no file says where it runs on @missing: # moves: $what") if @missing;
    }
}

sub labels_of { return grep { $_ ne 'NONE' } split /,\s*/, $_[0]{labels} }

sub codes { return [text('src/shm/metrics.c') =~ /^static const char \*const codes\[\] = \{(.*), NULL\};$/m ? $1 =~ /"(\w+)"/g : die "$0: no codes\n"] }

sub limits {
    my $header = text('src/http/rate_limit.h');
    my ($names) = $header =~ /^#define CAT_RATE_LIMIT_NAMES (.*)$/m;
    return [$names =~ /"(\w+)"/g, $header =~ /^#define CAT_RATE_LIMIT_(?!NAMES)\w+ "(\w+)"$/mg];
}

sub list_of_values {
    my ($wanted) = @_;
    my $header = text('src/shm/metrics.h') =~ s/\\\n/ /gr;
    my ($list) = $header =~ /^#define CAT_${wanted}_VALUES\(VALUE\)(.*)$/m or die "$0: label $wanted has no values\n";
    return [$list =~ /VALUE\(\w+, "(\w+)"\)/g];
}

sub values_of_labels {
    my @ids = text('src/shm/metrics.h') =~ /^#define CAT_(\w+)_VALUES\(VALUE\)/mg;
    return map { $_ => list_of_values($_) } grep { !/^(?:METHOD|ENGINE|STATEMENT)$/ } @ids;
}
