#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Each file of the catalogue and of the rooms below db has its unit tests.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

for my $file (files(qr/\.c/, map { "src/$_" } qw(catalogue shm http jose mail lib))) {
    my $test = $file =~ s{^src/\w+/}{tests/unit/test_}r;
    fault($file, "has no $test") if !-f $test;
}
