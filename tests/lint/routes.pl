#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the route table with the suite and docs/api.md. Each route has a test file with the line "# route: GET
# /products/:id", and a row of docs/api.md that begins "| GET /products/:id |". Neither names a route that does not
# exist.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my %route = map { ("$_->{method} $_->{path}" => 1) }
    rows('src/httpd/routes.c', qr/^\s*\{\s*"(?<method>[A-Z]+)",\s*"(?<path>[^"]+)",/m);
my %documented = map { $_ => 1 } text('docs/api.md') =~ /^\| ([A-Z]+ \/\S*) \|/mg;
my %tested;

fault('src/httpd/routes.c', "$_->{row} lacks its description") for grep { $_->{row} !~ /&cat_\w+_about\w* \}$/ }
    rows('src/httpd/routes.c', qr/^\s*(?<row>\{\s*"[A-Z]+",.*\}),$/m);

for my $file (files(qr/\.t/, 't')) {
    my @named = map { s/\s+$//r } text($file) =~ /^# route: (.*)$/mg;
    $tested{$_} = 1 for @named;
    fault($file, "$_ is no route") for grep { !$route{$_} } @named;
}
for (sort keys %route) {
    fault('t', "no file says: # route: $_") if !$tested{$_};
    fault('docs/api.md', "no row that begins: | $_ |") if !$documented{$_};
}
fault('docs/api.md', "$_ is no route") for grep { !$route{$_} } sort keys %documented;
