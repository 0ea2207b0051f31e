# SPDX-License-Identifier: Apache-2.0
package Lint;

# Functions that the lints share. A lint fails if it does not find its input.

use strict;
use warnings FATAL => 'all';

use Cwd ();
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find ();
use FindBin ();

our @EXPORT = qw(files text code rows imports fault);

chdir Cwd::realpath("$FindBin::RealBin/../..") or die "$!\n";
my $faults = 0;

# Returns the files below the directories whose names match the pattern at their end. A place that is a file is returned
# itself.
sub files {
    my ($ending, @places) = @_;
    my @found;
    for my $place (@places) {
        -e $place or die "$0: there is no $place\n";
        File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if -f && /$ending$/ } }, $place);
    }
    @found or die "$0: no file in @places\n";
    return sort @found;
}

sub text {
    my ($file) = @_;
    open my $in, '<:encoding(UTF-8)', $file or die "$0: $file: $!\n";
    local $/;
    return <$in>;
}

# Returns C code without comments. Line numbers stay the same.
sub code {
    my ($file) = @_;
    my $text = text($file);
    $text =~ s{("(?:[^"\\]|\\.)*")|/\*(.*?)\*/}{ defined $1 ? $1 : $2 =~ tr/\n//cdr }gse;
    return $text;
}

# Returns the matches of the pattern in a file that contains a table.
sub rows {
    my ($file, $pattern) = @_;
    my $text = code($file);
    my @rows;
    push @rows, {%+} while $text =~ /$pattern/g;
    @rows or die "$0: no row in $file\n";
    return @rows;
}

# Returns a script of the pages and the modules that it imports when it is loaded, directly or indirectly. Ignores
# import().
sub imports {
    my ($file, %seen) = @_;
    my @all = ($file);
    for (my $i = 0; $i < @all; $i++) {
        my $folder = dirname($all[$i]);
        for my $path (text($all[$i]) =~ /^(?:import|export)\b[^;]*?from '([^']+)';/mg) {
            my $found = "$folder/$path";
            1 while $found =~ s{/\./}{/} || $found =~ s{[^/]+(?<!\.\.)/\.\./}{};
            push @all, $found if !$seen{$found}++;
        }
    }
    return @all;
}

sub fault {
    my ($where, $what) = @_;
    print STDERR "$where: $what\n";
    $faults++;
}

END { $? ||= 1 if $faults }

1;
