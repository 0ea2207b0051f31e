#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Checks which file may include which. A room of src/ includes only rooms below it, neighbours never include each other,
# no header of httpd is included below src/httpd, and no two files include each other, directly or indirectly. The
# folders of a large room have floors as well, and a room above includes only the headers outside its folders. The
# compiler lists the includes of each file (gcc -M), so every spelling of an include is found. Headers of libraries are
# listed by name but not read (-MG), which would take ten times as long.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

# Rooms from top to bottom. Rooms on one line are neighbours.
my @FLOORS = ([qw(top)], [qw(httpd)], [qw(api ctl)], [qw(accounts catalogue)], [qw(db)], [qw(shm)], [qw(http jose mail)], [qw(lib)]);
# Floors inside each room with folders, from top to bottom.
my %INNER = (
    catalogue => [[''], [qw(webhooks)], [qw(list transfer bulk images)], [qw(changes)], [qw(search)], [qw(query)], [qw(product)]],
    db => [[''], [qw(work schema)], [qw(pool)], [qw(sqlite)], [qw(connection)], [qw(dialects)]],
);
my $APACHE = qr{^(?:httpd|http_\w+|mod_\w+|ap_\w+|util_\w+|scoreboard|unixd|mpm_common)\.h$};
my $BUILD = $ENV{BUILD} || 'build';

my %height;
for my $floor (0 .. $#FLOORS) {
    $height{$_} = @FLOORS - $floor for @{ $FLOORS[$floor] };
}
my %inner_height;
for my $room (keys %INNER) {
    my @floors = @{ $INNER{$room} };
    for my $floor (0 .. $#floors) {
        $inner_height{$room}{$_} = @floors - $floor for @{ $floors[$floor] };
    }
}
my @files = files(qr/\.[ch]$/, 'mod_catalog.c', 'src');
my %included = map { $_ => [included_by($_)] } @files;

for my $file (@files) {
    defined $height{ room($file) } or fault($file, 'is in no room'), next;
    $INNER{ room($file) } && !$inner_height{ room($file) }{ folder($file) } and fault($file, 'is in no folder of its room'), next;
    check_include($file, $_) for @{ $included{$file} };
    check_front($file, $_) for named_by($file);
}
fault(join(' and ', @$_), 'include each other') for cycles();

# Returns every file that the compiler opens for this file.
sub included_by {
    my ($file) = @_;
    my $rule = qx(gcc -M -MG -nostdinc -Isrc -I$BUILD -x c $file);
    $rule =~ s/^.*?:// or die "$0: gcc -M fails for $file\n";
    return grep { $_ ne $file } map { plain($_) } grep { $_ ne '\\' } split ' ', $rule;
}

# Returns the headers that the file itself names. Tables are ignored, because every room may include them.
sub named_by {
    my ($file) = @_;
    return map { plain("src/$_") } text($file) =~ /^#include "(.*\.h)"/mg;
}

# Returns a path without "." and "..": src/lib/../db/connection/handle.h is in db.
sub plain {
    my ($path) = @_;
    1 while $path =~ s{(?:^|/)\K\./}{} || $path =~ s{[^/]+(?<!\.\.)/\.\./}{};
    return $path;
}

sub room {
    my ($file) = @_;
    return $file =~ m{^src/(\w+)/} ? $1 : 'top';
}

# Returns the folder of a file in its room. Returns "" for a file directly in its room.
sub folder {
    my ($file) = @_;
    return $file =~ m{^src/\w+/(\w+)/} ? $1 : '';
}

sub check_include {
    my ($file, $other) = @_;
    my ($mine, $theirs) = (room($file), room($other));

    fault($file, "includes httpd's $other") if $other =~ $APACHE && $height{$mine} < $height{httpd};
    check_folders($file, $other, $inner_height{$mine}) if $inner_height{$mine} && $mine eq $theirs;
    return unless $other =~ m{^src/} && $mine ne $theirs;
    fault($file, "includes $other, which is above it") if $height{$theirs} > $height{$mine};
    fault($file, "includes $other, which is its neighbour's") if $height{$theirs} == $height{$mine};
    fault($file, "includes $other: only routes.c reaches into api/") if $theirs eq 'api' && $file ne 'src/httpd/routes.c';
}

sub check_front {
    my ($file, $other) = @_;
    return unless $INNER{ room($other) } && folder($other) && room($file) ne room($other);
    fault($file, "includes $other instead of a header in front of its room");
}

sub check_folders {
    my ($file, $other, $heights) = @_;
    my ($mine, $theirs) = map { $heights->{ folder($_) } } $file, $other;
    return unless defined $theirs && folder($file) ne folder($other);
    fault($file, "includes $other, which is above it") if $theirs > $mine;
    fault($file, "includes $other, which is its neighbour's") if $theirs == $mine;
}

# A source file and its header are one unit. Two units include each other if each is reached from the other.
sub cycles {
    my %reaches;
    for my $file (@files) {
        my $unit = unit($file);
        $reaches{$unit}{ unit($_) } = 1 for grep { m{^src/.*\.h$} } @{ $included{$file} };
        delete $reaches{$unit}{$unit};
    }
    my @pairs;
    for my $unit (sort keys %reaches) {
        push @pairs, map { [$unit, $_] } grep { $unit lt $_ && $reaches{$_}{$unit} } sort keys %{ $reaches{$unit} };
    }
    return @pairs;
}

sub unit {
    my ($file) = @_;
    return $file =~ s/\.[ch]$//r;
}
