#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# THE ROUTE TABLE against the suite and the README: each route has a test file with the line "# route: GET /products/:id", and
# README.md has "GET /products/:id"; no test file names a route that is not there.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my %route = map { ("$_->{method} $_->{path}" => 1) }
    rows('src/httpd/routes.c', qr/^\s*\{\s*"(?<method>[A-Z]+)",\s*"(?<path>[^"]+)",/m);
my $readme = text('README.md');
my %tested;

for my $file (files(qr/\.t/, 't')) {
    my @named = map { s/\s+$//r } text($file) =~ /^# route: (.*)$/mg;
    $tested{$_} = 1 for @named;
    fault($file, "$_ is no route") for grep { !$route{$_} } @named;
}
for (sort keys %route) {
    fault('t', "no file says: # route: $_") if !$tested{$_};
    fault('README.md', "does not have: $_") if $readme !~ /\b\Q$_\E(?![\w\/])/;
}
