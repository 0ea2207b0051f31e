# SPDX-License-Identifier: Apache-2.0
package Lint;

# Functions that the lints share. A lint that cannot find its input fails.

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

# The files below the directories whose names end in the pattern. A file in place of a directory is returned itself.
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

# C code without its comments. The line numbers stay the same.
sub code {
    my ($file) = @_;
    my $text = text($file);
    $text =~ s{("(?:[^"\\]|\\.)*")|/\*(.*?)\*/}{ defined $1 ? $1 : $2 =~ tr/\n//cdr }gse;
    return $text;
}

# Every match of the pattern in a file that contains a table.
sub rows {
    my ($file, $pattern) = @_;
    my $text = code($file);
    my @rows;
    push @rows, {%+} while $text =~ /$pattern/g;
    @rows or die "$0: no row in $file\n";
    return @rows;
}

# The modules that a script of the pages imports when it is loaded, directly or through others, and the script; import() is not among them.
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
