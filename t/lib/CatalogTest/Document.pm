# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Document;

# Reads the ``` blocks of a document: configuration, commands and transcripts. A transcript is marked "console". In it,
# the output of a command follows the line "$ command".

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(slurp spew);

# Returns the commands of the transcripts in order: [{ command, printed, line }].
sub steps {
    my ($file) = @_;
    my (@steps, $inside);
    my $number = 0;

    for my $line (split /^/, slurp($file)) {
        $number++;
        if ($line =~ /^```/) {
            $inside = $line =~ /^```console$/;
        } elsif ($inside && $line =~ /^\$ (.*)/) {
            push @steps, { command => $1, printed => '', line => $number };
        } elsif ($inside && @steps) {
            $steps[-1]{printed} .= $line;
        }
    }
    return \@steps;
}

# Returns the texts of the other blocks in order: configuration and commands.
sub blocks {
    my ($file) = @_;
    return slurp($file) =~ /^```\n(.*?)^```$/msg;
}

# Runs all commands in one shell in the directory, without a pause. Adds the output of each step as `got`.
sub type_in {
    my ($steps, $dir) = @_;
    my $end = "--- end of step $$ ---";

    spew("$dir/pasted", map { "$_->{command}\nprintf '\\n%s\\n' '$end'\n" } @$steps);
    my $out = qx(cd '$dir' && exec timeout 120 bash pasted 2>&1 </dev/null);
    my @parts = split /\n\Q$end\E\n/, $out, -1;
    $_->{got} = shift @parts // 'the shell has ended' for @$steps;
}

# Replaces ids, times, ETags and tokens, so that two runs of a transcript are equal. A transcript may shorten tokens to
# "...". $ids is a hash for one transcript that numbers the ids.
sub shape {
    my ($text, $ids) = @_;
    my $uuid = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

    for ($text) {
        s/\r//g;
        s/\s+\z//;
        s/($uuid)/sprintf 'ID-%d', $ids->{$1} \/\/= 1 + keys %$ids/ge;
        s/\d{4}-\d\d-\d\dT[\d:.]+Z/TIME/g;
        s/^(Date|X-Request-Id|Content-Length|Catalog-Batch): .*/$1: .../mg;
        s/^(ETag: (?:W\/)?)"[0-9a-f]+"/$1"..."/mg;
        s/("etag":"\\")[0-9a-f]+/$1.../g;
        s/^(RateLimit: "\w+").*/$1.../mg;
        s/"((?:t|refreshT)oken|nextCursor|requestId)":"[^"]+"/"$1":"..."/g;
        s/catalog_refresh=[^;]+/catalog_refresh=.../g;
        s/curl\/[\d.]+/curl/g;
    }
    return $text;
}

1;
