#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the response header table with the code. Each header of a response has a row, so that pages of other origins
# may read it or the table says why not, and /openapi.json describes it. Each row is a header of some response.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $table = 'src/http/response_headers.def';
my %row = map { $_->{name} => 1 } rows($table, qr/^HEADER\((?:EXPOSED|SAFE|HIDDEN), "(?<name>[\w-]+)"/m);
my $name = qr/"([A-Z][\w-]*)"/;
# Places that set a header whose name is not a literal: the header of a kind of body, of a stored answer, of an answer.
my %by_variable = map { $_ => 1 } 'src/httpd/body.c: header', 'src/api/idempotency.c: name', 'src/httpd/reply.c: name';
my %sent;

for my $file (files(qr/\.c/, map { "src/$_" } qw(http httpd api))) {
    my $text = text($file);
    $sent{$1} //= $file while $text =~ /cat_answer_header\(\s*[^,;]+,\s*[^,;]+,\s*$name/g;
    $sent{$1} //= $file while $text =~ /apr_table_(?:set|merge|add)n?\(\s*(?:table|headers|r->(?:err_)?headers_out),\s*$name/g;
    $sent{$1} //= $file while $text =~ /refuse_type\([^;]*?$name/g;
    $sent{$1} //= $file while $file eq 'src/http/route.c' && $text =~ /^\s*\[CAT_\w+\] = \{"[^"]*", $name/mg;
    for ($text =~ /(?:cat_answer_header\(\s*[^,;]+,\s*[^,;]+|apr_table_(?:set|merge|add)n?\(\s*(?:table|headers|r->(?:err_)?headers_out)),\s*(\w+),/g) {
        fault($file, "the header $_ is no literal") if !$by_variable{"$file: $_"} && $file ne 'src/http/answer.c';
    }
}
fault($sent{$_}, "$_ has no row in $table") for grep { !$row{$_} } sort keys %sent;
fault($table, "no response has $_") for grep { !$sent{$_} } sort keys %row;
