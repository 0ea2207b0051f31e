#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the directive table with the documents for administrators:
#   docs/directives.md   has a row for each directive, which begins "| `CatalogMaxBody` | 64 to 16777216 | 65536 | anywhere |"
#   conf/catalog.conf    has a line "CatalogMaxBody 65536" for each, possibly after a #, with the default if there is one
# No document names a directive that the table does not have.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my %place = (MOUNT => 'Location', ANYWHERE => 'anywhere', WHOLE => 'whole mount', GLOBAL => 'main server');
my @rows = (
    rows('src/httpd/directives.def', qr/^DIRECTIVE\((?<name>\w+),\s*(?<kind>\w+),\s*\w+,\s*(?<default>NULL|"[^"]*"),
        \s*(?<least>\d+),\s*(?<most>\d+),\s*(?<where>\w+),/mx),
    rows('src/httpd/directives.def', qr/^CHOICE\((?<name>\w+),\s*\w+,\s*(?<default>"[^"]*"),\s*(?<words>"[^"]*"|CAT_\w+),\s*(?<where>\w+),/m),
    rows('src/httpd/directives.def', qr/^(?<several>PAIRS|WORDS)\((?<name>\w+),\s*\w+,\s*(?<default>"[^"]*"),\s*(?<where>\w+),/m),
    rows('src/httpd/directives.def', qr/^(?<lines>LINES)\((?<name>\w+),\s*\w+,\s*(?<where>\w+),/m),
    rows('src/httpd/directives.def', qr/^TEXTS(?<texts>[23])\((?<name>\w+),\s*\w+,\s*(?<where>\w+),/m));
my %known = map { $_->{name} => 1 } @rows;
my @documents = grep { !m{^docs/(?:decisions/|ARCHITECTURE\.md)} } files(qr/\.md/, 'docs'); # these have names of the source, too
my %text = map { $_ => text($_) } 'conf/catalog.conf', 'README.md', @documents;

for my $row (@rows) {
    my $default = defined $row->{default} && $row->{default} =~ /^"(.*)"$/ ? $1 : undef;
    my $cells = sprintf '| `%s` | %s | %s | %s |', $row->{name}, value($row), $default // 'none', $place{ $row->{where} };
    my $line = defined $default ? qr/$row->{name}\s+"?\Q$default\E"?/ : qr/$row->{name}\s+\S.*/;

    fault('docs/directives.md', "no row that begins: $cells") if index("\n$text{'docs/directives.md'}", "\n$cells") < 0;
    fault('conf/catalog.conf', "no line: $row->{name} " . ($default // '...')) if $text{'conf/catalog.conf'} !~ /^\s*#?\s*$line$/m;
}

for my $file (sort keys %text) {
    my %named = map { $_ => 1 } $text{$file} =~ /\b(Catalog[A-Z]\w*)/g;
    fault($file, "$_ is no directive") for grep { !$known{$_} } sort keys %named;
}

sub value {
    my ($row) = @_;
    return "$row->{least} to $row->{most}" if ($row->{kind} // '') eq 'NUMBER';
    return { ON_OFF => 'On or Off', TEXT => 'text' }->{ $row->{kind} } if $row->{kind};
    return words($row->{words}) =~ s/\|(?=[^|]*$)/ or /r =~ s/\|/, /gr if $row->{words};
    return 'time, or Off' if $row->{name} eq 'CatalogHistory';
    return 'words, or none' if ($row->{several} // '') eq 'WORDS';
    return $row->{name} eq 'CatalogWebhook' ? 'URL, options' : 'name, type, options' if $row->{lines};
    return $row->{texts} ? ($row->{texts} == 2 ? 'two texts' : 'three texts') : 'pairs, or Off';
}

# Returns the choices of a directive: a string, or the expansion of a macro of src/accounts/role.h.
sub words {
    my ($words) = @_;
    my $text = $words =~ /^CAT_/ && text('src/accounts/role.h') =~ /^#define $words ("[^"]*")/m ? $1 : $words;
    return $text =~ tr/"//dr;
}
