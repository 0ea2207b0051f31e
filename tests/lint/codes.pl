#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the table of field errors with the code and with docs/api.md: each code of a refusal has a row, and each row
# is used and documented.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $table = 'src/http/field_errors.def';
my %row = map { $_->{name} => 1 } rows($table, qr/^CODE\("(?<name>\w+)"\)/m);
my ($list) = text('docs/api.md') =~ /^(\| `code` \|.*?)\n\n/ms;
my %documented = map { $_ => 1 } ($list // '') =~ /^\| `([a-z]+(?:_[a-z]+)*)` \|/mg;
delete $documented{code};
my $message = qr/"(?:must|is|has|was) |apr_p(?:sprintf|strcat)|name_operators|list_words|cat_number_explain|fault\)|CAT_\w+_FAULT|is_number_with_comma/;
my %used;

for my $file (files(qr/\.c/, map { "src/$_" } qw(api accounts catalogue http lib))) {
    next if $file eq 'src/http/schema.c'; # names of JSON Schema
    my $text = code($file);
    $used{$1} //= $file while $text =~ /"([a-z]+(?:_[a-z]+)*)",\s*(?:$message)/g;
    $used{$1} //= $file while $text =~ /\brefuse_bound\(pool, "(\w+)"/g;
}
fault($used{$_}, "the code $_ has no row in $table") for grep { !$row{$_} } sort keys %used;
fault($table, "no refusal has the code $_") for grep { !$used{$_} } sort keys %row;
fault('docs/api.md', "does not say what the code $_ means") for grep { !$documented{$_} } sort keys %row;
fault('docs/api.md', "explains the code $_, which is not in $table") for grep { !$row{$_} } sort keys %documented;
