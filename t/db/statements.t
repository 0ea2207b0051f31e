# SPDX-License-Identifier: Apache-2.0
# db: mysql pgsql
# mpm: event
# again: db
# Every statement of src/db/dialects/sql.def runs, in the database's dialect, and so do texts made at run time. For
# SQLite, "make unit" runs the same program. No httpd serves requests, so the MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(run);
use CatalogTest::Tools qw(setting);

my $program = setting('units') . '/test_statements';
my $table = slurp(setting('top') . '/src/db/dialects/sql.def');
my $statements = (() = $table =~ /^STATEMENT\(/mg) + 6 * (() = $table =~ /^STATEMENTS\(/mg);
my $server = server();
$server->make_databases;
my $r = run({}, $program, driver, $server->params);

is($r->{status}, 0, 'all statements run') or diag "$r->{out}$r->{err}";
like("$r->{out}$r->{err}", qr/^$statements statements on ${\driver}$/m, "the program runs $statements statements");
done_testing;
