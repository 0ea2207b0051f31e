#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Each file of src/lib has its unit tests.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

for my $file (files(qr/\.c/, 'src/lib')) {
    my $test = $file =~ s{^src/lib/}{tests/unit/test_}r;
    fault($file, "has no $test") if !-f $test;
}
