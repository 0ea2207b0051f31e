#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares THE METRIC TABLE with what administrators read:
#   docs/operations.md   a row for each that is "| `catalog_cache_hits_total` | counter | | Its help |", with its labels in the third cell
# Neither it nor the examples name a metric that the table does not have. Each label value that docs/operations.md lists exists.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $table = 'src/shm/metrics.def';
my $document = 'docs/operations.md';
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

# A label's values are listed as: `reason` of `catalog_mails_failed_total`: `deferred`, ...
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

sub values_of_labels {
    my %of;
    my $header = text('src/shm/metrics.h') =~ s/\\\n/ /gr;
    while ($header =~ /^#define CAT_(\w+)_VALUES\(VALUE\)(.*)$/mg) {
        my ($id, $list) = ($1, $2);
        $of{$id} = [$list =~ /VALUE\(\w+, "(\w+)"\)/g] if $id !~ /^(?:METHOD|ENGINE|STATEMENT)$/;
    }
    return %of;
}
