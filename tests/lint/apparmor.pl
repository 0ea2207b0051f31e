#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Checks that the AppArmor profile compiles with the abstractions of the installed package, and that it grants access to
# the files of an installation that docs/operations.md lists.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../apparmor";
use Lint;
use Policy ();

my $profile = 'conf/examples/apparmor-apache2';
my $policy = eval { Policy->compile($profile) };
fault($profile, $@) if !$policy;

my ($files) = text('docs/operations.md') =~ /^### Files\n(.*?)^### /ms or fault('docs/operations.md', 'has no section Files');
for my $path ($policy ? ($files // '') =~ m{^\| `(/[^`]+)`}mg : ()) {
    fault($profile, "does not grant $path, which docs/operations.md lists") if !($policy->file($path, 1) & Policy::R);
}
