# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Copy;

# A copy of the source that a test changes and builds, to get another version of the module and of catalogctl.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Ctl ();
use CatalogTest::Tools qw(setting new_dir slurp spew);

# Copies the source and the objects of the last build, so that make compiles only files that depend on the changes.
sub new {
    my ($class) = @_;
    my ($top, $dir) = (setting('top'), new_dir());
    system('cp', '-a', map({ "$top/$_" } qw(Makefile mod_catalog.c conf src tools)), $dir) == 0 or die "the source cannot be copied\n";
    mkdir "$dir/build";
    for my $built ('src', 'cflags', 'mod_catalog.o', 'mod_catalog.d', 'common.a', 'places.inc', 'templates.inc') {
        system('cp', '-a', "$top/build/$built", "$dir/build/") if -e "$top/build/$built";
    }
    return bless { dir => $dir }, $class;
}

sub build { "$_[0]{dir}/build" }

# Edits a file. $change works on $_, the file's text, and returns true if it found the text to change.
sub edit {
    my ($self, $file, $change) = @_;
    local $_ = slurp("$self->{dir}/$file");
    $change->() or die "$file has another form\n";
    spew("$self->{dir}/$file", $_);
}

# Adds the next migration step to a database's schema.
sub add_step {
    my ($self, $driver, $name, $text) = @_;
    my @steps = glob "$self->{dir}/conf/schema/$driver/*.sql";
    spew(sprintf('%s/conf/schema/%s/%03d_%s.sql', $self->{dir}, $driver, @steps + 1, $name), $text);
}

# Builds the copy. Returns the output of make if it fails, otherwise ''. Hides the variables of a make that runs the
# suite, such as BUILD.
sub make {
    my ($self) = @_;
    delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
    my $made = CatalogTest::Ctl::run({}, 'make', '--no-print-directory', '-s', '-j2', '-C', $self->{dir}, 'CFLAGS=-O0 -g0', 'all');
    return $made->{status} ? substr("$made->{out}$made->{err}", 0, 4000) : '';
}

1;
