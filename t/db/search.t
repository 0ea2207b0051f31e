# SPDX-License-Identifier: Apache-2.0
# db: mysql pgsql
# again: db
# mpm: event
# runs: first
# Lists with conditions, words and orders drawn at random are those of a loop over all products, and no plan of the database reads a
# table as a whole or sorts more than it should. For SQLite, "make unit" runs the same program. No httpd
# serves requests, so the MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(run);
use CatalogTest::Tools qw(setting);

my $program = setting('units') . '/test_search';
$ENV{CATALOG_QUESTIONS} //= 300 if $ENV{BRIEF}; # half of what it asks by itself
my $server = server();
$server->make_databases;
my $r = run({}, $program, driver, $server->params);

is($r->{status}, 0, 'all answers and plans are right') or diag substr("$r->{out}$r->{err}", -3000);
done_testing;
