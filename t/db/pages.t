# SPDX-License-Identifier: Apache-2.0
# db: mysql pgsql
# again: db
# mpm: event
# The database reads few rows for a page, wherever in the list that begins. For SQLite, "make unit" runs the same program. No httpd
# serves requests, so the MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(run);
use CatalogTest::Tools qw(setting);

my $program = setting('units') . '/test_list_page';
my $server = server();
$server->make_databases;
my $r = run({}, $program, driver, $server->params);

is($r->{status}, 0, 'few rows are read') or diag substr("$r->{out}$r->{err}", -3000);
done_testing;
