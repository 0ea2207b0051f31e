#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Each file of the catalogue, of db and of the rooms below it has its unit tests. Those of the dialects are test_dialect.c and
# test_statements.c, which runs every statement; those of the executors and of SQLite's own functions are test_statement.c and t/db.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

for my $file (grep { !m{^src/db/(?:dialects/|connection/(?:dbd|libpq)|sqlite/sqlite_native)} } files(qr/\.c/, map { "src/$_" } qw(catalogue db shm http jose mail lib))) {
    my $test = $file =~ s{^src/.*/}{tests/unit/test_}r;
    fault($file, "has no $test") if !-f $test;
}
