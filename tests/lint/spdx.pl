#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Checks that each source file names its licence once, in its first lines. Inputs of fuzz targets are data and need not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my @places = qw(Makefile mod_catalog.c src t tests tools conf www);
for my $file (grep { !m{^tests/fuzz/corpus/} } files(qr/(?:^|\/)(?:[A-Za-z]+|[\w.-]+\.(?:c|h|def|pl|pm|t|py|sh|conf|in|html|css|js|svg))/, @places)) {
    my @lines = split /\n/, text($file);
    my $count = grep { defined && /SPDX-License-Identifier: Apache-2\.0/ } @lines[0 .. 1];
    fault($file, 'its first lines hold no "SPDX-License-Identifier: Apache-2.0"') if $count != 1;
}
