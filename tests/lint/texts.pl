#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# The texts of the pages, in a file for each language, and those of pages with desk.css in another: the files of all languages have the same
# keys in the same order, with the same values in braces and the same kinds of forms; each key that a page or a script names exists, and each
# that exists is named; a page's English is that of en.js.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $FOLDER = 'www/assets/texts';
my $STRING = qr/'((?:[^'\\]|\\.)*)'/;
my %texts = map { $_ => [entries($_)] } files(qr/\.js/, $FOLDER);
my @english = grep { m{/en\.js$} } sort keys %texts;
my %all = map { map { @$_ } @{ $texts{$_} } } @english;
my %named;

for my $file (sort keys %texts) {
    my $ENGLISH = $file =~ s/\w+\.js$/en.js/r;
    my %english = map { @$_ } @{ $texts{$ENGLISH} };
    my @keys = map { $_->[0] } @{ $texts{$file} };
    my %text = map { @$_ } @{ $texts{$file} };

    fault($file, "$_ is there twice") for grep { my $key = $_; 1 < grep { $_ eq $key } @keys } sort keys %text;
    fault($file, "lacks $_") for grep { !exists $text{$_} } sort keys %english;
    fault($file, "has $_, which $ENGLISH lacks") for grep { !exists $english{$_} } sort keys %text;
    fault($file, 'has the keys in another order than en.js') if "@keys" ne "@{[map { $_->[0] } @{ $texts{$ENGLISH} }]}";
    for my $key (grep { exists $text{$_} } sort keys %english) {
        fault($file, "$key has other values in braces than in en.js") if values_of($text{$key}) ne values_of($english{$key});
        fault($file, "$key has forms in one language only") if ($text{$key} =~ /^\{/) != ($english{$key} =~ /^\{/);
    }
}
check_script($_) for grep { !m{^\Q$FOLDER\E/} } files(qr/\.js/, 'www/assets');
check_page($_) for files(qr/\.html/, 'www');
for my $key (sort keys %all) {
    fault($FOLDER, "nothing names $key") if !$named{$key} && !grep { /\.$/ && index($key, $_) == 0 } keys %named;
}

# [key, text or {forms}] in the file's order.
sub entries {
    my ($file) = @_;
    my $text = text($file);
    my @found;
    push @found, [$1 // $2, $3] while $text =~ /^ {4}(?:(\w+)|'([\w.-]+)'):\s+($STRING|\{[^}]*?(?:\{\w+\}[^}]*?)*\}),$/mg;
    my $lines = () = $text =~ /^ {4}(?:\w+|'[\w.-]+'):/mg;
    fault($file, 'an entry is not understood') if @found != $lines;
    return @found;
}

sub values_of {
    my ($text) = @_;
    my %value = map { $_ => 1 } $text =~ /\{(\w+)\}/g;
    return join ' ', sort keys %value;
}

sub note {
    my ($file, $key) = @_;
    $named{$key} = 1;
    my $exists = $key =~ /\.$/ ? grep({ index($_, $key) == 0 } keys %all) : exists $all{$key};
    fault($file, "there is no text $key") if !$exists;
}

# t('key'), and keys in tables; a key that is put together, `problem.${name}`, stands for all that begin so.
sub check_script {
    my ($file) = @_;
    my $text = text($file);
    my $groups = join '|', sort map { /^(\w+)\./ } keys %{ { map { s/\..*/./r => 1 } grep { /\./ } keys %all } };

    note($file, $1) while $text =~ /\b(?:t|pieces)\(\s*$STRING/g;
    note($file, $_) for grep { !/\.html$/ } $text =~ /'((?:$groups)\.[\w-]+(?:\.[\w-]+)*)'/g;
    note($file, $1) while $text =~ /`((?:$groups)\.)\$\{/g;
}

sub check_page {
    my ($file) = @_;
    my $text = text($file);

    note($file, $1) while $text =~ /\bdata-t-\w+="([^"]+)"/g;
    for ([qr/<\w+[^>]*?\bdata-t="([^"]+)"[^>]*>([^<]*)</, sub { $_[0] }],
        [qr/<title data-title="([^"]+)">([^<]*)</, sub { $_[0] =~ s/ \x{b7} \Q@{[plain('brand')]}\E$//r }],
        [qr/<\w+(?=[^>]*? data-t-label="([^"]+)")[^>]*? aria-label="([^"]*)"/, sub { $_[0] }],
        [qr/<\w+(?=[^>]*? data-t-placeholder="([^"]+)")[^>]*? placeholder="([^"]*)"/, sub { $_[0] }]) {
        my ($pattern, $strip) = @$_;
        while ($text =~ /$pattern/g) {
            my ($key, $words) = ($1, $2);
            $words = $words =~ s/\s+/ /gr =~ s/^ | $//gr =~ s/&amp;/&/gr;
            note($file, $key);
            fault($file, "$key: \"$words\" is not the text of en.js") if $strip->($words) ne (plain($key) // '');
        }
    }
}

# The English text, without quotes.
sub plain {
    my ($key) = @_;
    return ($all{$key} // '') =~ /^$STRING$/ ? $1 =~ s/\\(.)/$1/gr : undef;
}
