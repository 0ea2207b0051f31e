#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the type table and the option table of CatalogField with docs/directives.md: each type and each option has a
# row there, an option with the types that can have it, and the document's tables have no other rows. The pages have a
# row for each type. The pages avoid exactly the names that no field may have, and these include all parameters of lists
# and exports.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my ($source, $document) = ('src/catalogue/product/own_field.c', 'docs/directives.md');
my %type = map { $_->{name} => bits($_->{options}) }
    rows($source, qr/^    \{"(?<name>\w+)",\s+CAT_\w+,.*?\n\s+(?<options>[A-Z][^\n]*),\s+(?:NULL|")/m);
my %option = map { $_->{id} => $_->{name} } rows($source, qr/^    \[(?<id>[A-Z]+)\] = \{"(?<name>\w+=?)",/m);
my $types = table(qr/^\| Type \| In JSON \|\n\|.*\n/m);
my $options = table(qr/^\| Option \| Types \| Meaning \|\n\|.*\n/m);

compare($types, 'type', sort keys %type);
compare($options, 'option', map { $option{$_} } sort keys %option);
for my $id (sort keys %option) {
    my $said = said($options->{ $option{$id} } // '');
    my $can = join ' ', grep { $type{$_}{$id} } sort keys %type;
    fault($document, "$option{$id} is for $can, not for $said") if $said ne $can;
}

my $pages = 'www/assets/product/fields.js';
my ($rows) = text($pages) =~ /^const TYPES = \{\n(.*?)^\};/ms;
my %shown = map { $_ => 1 } $rows =~ /^    (\w+)[:,]/mg;
fault($pages, "no row of the type $_") for grep { !$shown{$_} } sort keys %type;

my %reserved = map { $_ => 1 } text($source) =~ /^static const char \*const reserved\[\] = \{(.*?)NULL\};/ms ? $1 =~ /"(\w+)"/g : ();
my ($lines, %avoided) = 'www/assets/import/lines.js';
@avoided{ $1 =~ /'(\w+)'/g } = () if text($lines) =~ /^const RESERVED = \[(.*?)^\];/ms;
fault($lines, "$_ is reserved here or in $source, not in both") for grep { $reserved{$_} xor exists $avoided{$_} } sort keys %{ { %reserved, %avoided } };
for my $file (['src/catalogue/query/query.c', 'ROW_PAGE'], ['src/api/transfer.c', 'FORMAT']) {
    my ($table) = code($file->[0]) =~ /^(    \[$file->[1]\] =.*?)^\};/ms or die "$0: no parameters in $file->[0]\n";
    fault($source, "the parameter $_ of $file->[0] is not reserved") for grep { !$reserved{$_} } $table =~ /^    \[[A-Z_]+\] =\s+\{"(\w+)",/mg;
}

# Returns the rows of a table in the document: a hash from each name in the first cell to the second cell.
sub table {
    my ($head) = @_;
    my ($body) = text($document) =~ /$head((?:\|.*\n)+)/ or return {};
    my %row;
    for my $line (split /\n/, $body) {
        my ($names, $next) = $line =~ /^\| (.*?) \| (.*?) \|/;
        $row{$_} = $next for $names =~ /`([^`]+)`/g;
    }
    return \%row;
}

sub compare {
    my ($documented, $what, @names) = @_;
    my %known = map { $_ => 1 } @names;
    fault($document, "no row of the $what $_") for grep { !exists $documented->{$_} } @names;
    fault($document, "$_ is no $what") for grep { !$known{$_} } sort keys %$documented;
}

# Returns the types that a cell names, or all others if it begins with "all".
sub said {
    my ($cell) = @_;
    my %named = map { $_ => 1 } $cell =~ /`(\w+)`/g;
    return join ' ', grep { $cell =~ /^all/ ? !$named{$_} : $named{$_} } sort keys %type;
}

# Returns the options of an expression such as "INPUT | O(INDEX)", with the macros expanded.
sub bits {
    my ($text) = @_;
    my %macro = map { $_->{name} => $_->{value} } rows($source, qr/^#define (?<name>SHOWN|INPUT|BOUNDS|KEYED) \((?<value>.*)\)$/m);
    1 while $text =~ s/\b(SHOWN|INPUT|BOUNDS|KEYED)\b/$macro{$1}/;
    return { map { $_ => 1 } $text =~ /O\((\w+)\)/g };
}
