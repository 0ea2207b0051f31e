#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Each message for the error log begins with a unique id, CATnnn, and docs/error-log.md has a row "| CATnnn | ..." for it. AH
# numbers belong to httpd.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $passes_on = 'src/httpd/log.c'; # forwards messages of other files
my %first;

for my $file (files(qr/\.c/, 'mod_catalog.c', 'src')) {
    my $code = code($file);
    fault($file, "has $1") while $code =~ /(APLOGNO|"AH\d{5})/g;
    next if $file eq $passes_on;

    while ($code =~ /\b((?:ap_log_[rpc]?error|cat_log)\([^;"]*"([^"]*))/g) {
        my ($where, $message) = ("$file:" . line_of($code, $-[0]), $2);
        my ($id) = $message =~ /^(CAT\d{3}): / or fault($where, "\"$message\" has no id"), next;
        fault($where, "$id is at $first{$id} too") if $first{$id};
        $first{$id} //= $where;
    }
}
%first or die "$0: no message found\n";

my %explained;
$explained{$_}++ for text('docs/error-log.md') =~ /^\| (CAT\d{3}) \|/mg;
fault('docs/error-log.md', "explains $_ more than once") for grep { $explained{$_} > 1 } sort keys %explained;
fault($first{$_}, "docs/error-log.md does not explain $_") for grep { !$explained{$_} } sort keys %first;
fault('docs/error-log.md', "nothing logs $_") for grep { !$first{$_} } sort keys %explained;

sub line_of {
    my ($code, $offset) = @_;
    return 1 + (substr($code, 0, $offset) =~ tr/\n//);
}
