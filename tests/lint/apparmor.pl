#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# The AppArmor profile compiles, with the abstractions of the installed package, and grants what docs/operations.md lists as the files
# of an installation.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $profile = 'conf/examples/apparmor-apache2';
my $said = qx(PATH="\$PATH:/sbin:/usr/sbin" apparmor_parser --skip-kernel-load --skip-cache --quiet $profile 2>&1);
fault($profile, "apparmor_parser: $said") if $?;

my ($files) = text('docs/operations.md') =~ /^## Files\n(.*?)^## /ms or fault('docs/operations.md', 'has no section Files');
my @granted = map { pattern($_) } text($profile) =~ m{^\s+(?:owner )?(/\S+) [a-z]+,}mg;
for my $path (($files // '') =~ m{^\| `(/[^`]+)`}mg) {
    fault($profile, "does not grant $path, which docs/operations.md lists") if !grep { $path =~ $_ } @granted;
}

# A rule's path as a regular expression: ** is anything, * and ? stay within a directory.
sub pattern {
    my ($rule) = @_;
    my $text = join '', map { $_ eq '**' ? '.*' : $_ eq '*' ? '[^/]*' : $_ eq '?' ? '[^/]' : quotemeta } $rule =~ /\*\*|[*?]|[^*?]+/g;
    return qr/^$text$/;
}
