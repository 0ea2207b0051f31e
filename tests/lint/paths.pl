#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Checks that every path of this tree in a document exists (NNN is any number), and every heading that a link names.
# docs/ARCHITECTURE.md has a row for each room of src/.
use strict;
use warnings FATAL => 'all';

use File::Basename qw(dirname);
use FindBin;
use lib $FindBin::RealBin;
use Lint;

my @documents = (files(qr/\.md/, 'docs'), grep { -f } qw(README.md CONTRIBUTING.md SECURITY.md));
my $PATH = qr{(?:src|conf|docs|t|tests|tools|www)/[\w./-]*};

for my $document (@documents) {
    my $prose = text($document) =~ s/^```.*?^```$//msgr;
    check_path($document, $_) for $prose =~ /`($PATH)`/g;
    check_link($document, $_) for $prose =~ /\]\(([^)\s]+)\)/g;
}

my $rooms = text('docs/ARCHITECTURE.md');
fault('docs/ARCHITECTURE.md', "no row that begins: | `$_/` |") for grep { -d && index($rooms, "\n| `$_/` |") < 0 } glob 'src/*';

sub check_path {
    my ($document, $path) = @_;
    fault($document, "there is no $path") if $path !~ /NNN/ && !-e $path;
}

sub check_link {
    my ($document, $link) = @_;
    return if $link =~ /^\w+:/;
    my ($path, $heading) = split /#/, $link, 2;
    my $target = length $path ? resolved(dirname($document) . "/$path") : $document;

    if (!-e $target) {
        fault($document, "there is no $link");
    } elsif (defined $heading && !grep { $_ eq $heading } anchors($target)) {
        fault($document, "there is no heading for $link");
    }
}

# Returns the path without "./" and "folder/..".
sub resolved {
    my ($path) = @_;
    1 while $path =~ s{(?:^|(?<=/))\./}{} || $path =~ s{[^/]+/\.\./}{};
    return $path;
}

# Returns the headings as links name them: in lower case, without punctuation, with hyphens for blanks.
sub anchors {
    my ($file) = @_;
    my $prose = text($file) =~ s/^```.*?^```$//msgr;
    return map { lc($_) =~ s/[^\w\s-]//gr =~ s/\s/-/gr } $prose =~ /^#+ (.*)$/mg;
}
