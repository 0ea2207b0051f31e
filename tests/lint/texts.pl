#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Checks the texts of the pages. The files of all languages have the same keys in the same order, with the same values
# in braces and the same plural forms. Each key that a page or a script names exists, and each existing key is named.
# The English text in a page is that of en.js. Texts in desk/ are only for pages with desk.css; a group of keys is
# either there or not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $FOLDER = 'www/assets/texts';
my $STRING = qr/'((?:[^'\\]|\\.)*)'/;
my @ENGLISH = ("$FOLDER/en.js", "$FOLDER/desk/en.js");
my %texts = map { $_ => [entries($_)] } files(qr/\.js/, $FOLDER);
my %english = map { @$_ } map { @{ $texts{$_} } } @ENGLISH;
my %desk = map { group($_->[0]) => 1 } @{ $texts{ $ENGLISH[1] } };
my %named; # keys by file

fault($ENGLISH[0], "$_ is of a group in desk/") for grep { $desk{ group($_) } } map { $_->[0] } @{ $texts{ $ENGLISH[0] } };
compare($_, $_ =~ s/\w+(?=\.js)/en/r) for sort keys %texts;
check_script($_) for grep { !m{^\Q$FOLDER\E/} } files(qr/\.js/, 'www/assets');
check_page($_) for files(qr/\.html/, 'www');
for my $page (files(qr/\.html/, 'www')) {
    my ($text, %used) = (text($page));
    my ($script) = $text =~ m{src="(assets/pages/\w+\.js)"};
    $used{$_} = 1 for map { @{ $named{$_} // [] } } $page, "www/$script", imports("www/$script");
    my @strangers = grep { $desk{ group($_) } } sort keys %used;
    fault($page, "has @strangers, but not desk.css") if @strangers && $text !~ /desk\.css/;
}
my %all = map { $_ => 1 } map { @$_ } values %named;
for my $key (sort keys %english) {
    fault('www/assets/texts', "nothing names $key") if !$all{$key} && !grep { /\.$/ && index($key, $_) == 0 } keys %all;
}

sub group { return $_[0] =~ s/\..*//r }

# Compares a file with the English file of the same texts.
sub compare {
    my ($file, $model) = @_;
    my @keys = map { $_->[0] } @{ $texts{$file} };
    my %text = map { @$_ } @{ $texts{$file} };
    my %model = map { @$_ } @{ $texts{$model} };

    fault($file, "$_ is there twice") for grep { my $key = $_; 1 < grep { $_ eq $key } @keys } sort keys %text;
    fault($file, "lacks $_") for grep { !exists $text{$_} } sort keys %model;
    fault($file, "has $_, which $model lacks") for grep { !exists $model{$_} } sort keys %text;
    fault($file, "has the keys in another order than $model") if "@keys" ne "@{[map { $_->[0] } @{ $texts{$model} }]}";
    for my $key (grep { exists $text{$_} } sort keys %model) {
        fault($file, "$key has other values in braces than in $model") if values_of($text{$key}) ne values_of($model{$key});
        fault($file, "$key has forms in one language only") if ($text{$key} =~ /^\{/) != ($model{$key} =~ /^\{/);
    }
}

# Returns [key, text or {forms}] in the file's order.
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
    push @{ $named{$file} }, $key;
    my $exists = $key =~ /\.$/ ? grep({ index($_, $key) == 0 } keys %english) : exists $english{$key};
    fault($file, "there is no text $key") if !$exists;
}

# Finds t('key') and keys in tables. A composed key, `problem.${name}`, names all keys with this beginning.
sub check_script {
    my ($file) = @_;
    my $text = text($file);
    my $groups = join '|', sort map { /^(\w+)\./ } keys %{ { map { s/\..*/./r => 1 } grep { /\./ } keys %english } };

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

# Returns the English text without quotes.
sub plain {
    my ($key) = @_;
    return ($english{$key} // '') =~ /^$STRING$/ ? $1 =~ s/\\(.)/$1/gr : undef;
}
