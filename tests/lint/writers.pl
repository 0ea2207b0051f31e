#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Checks that only src/catalogue/product/products.c writes products: no other file outside src/db names the statements
# that do, or the function that invalidates cached responses.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $WRITER = 'src/catalogue/product/products.c';
my $WRITES = qr/\b(SQL_PRODUCT_(?:INSERT|UPDATE|DELETE)|cat_db_touch(?:_many)?)\b/;

code($WRITER) =~ $WRITES or fault($WRITER, 'writes nothing');
for my $file (grep { $_ ne $WRITER && !m{^src/db/} } files(qr/\.[ch]$/, 'src')) {
    fault($file, "names $1: only $WRITER writes products") if code($file) =~ $WRITES;
}
