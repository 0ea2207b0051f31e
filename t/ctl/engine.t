# SPDX-License-Identifier: Apache-2.0
# case: 12 20
# db: mysql pgsql
# catalogctl migrate and check on MariaDB and PostgreSQL.
# runs: first
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for listed problems);

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine);

sub check { return ctl_for($server, 'check') }

# case: only migrate creates the schema, and no other command works without it
like(problems(check()), qr/^schema: version 0, version \d+ is required; run: catalogctl migrate$/, 'the database is empty');
is(ctl_for($server, qw(user list))->{status}, 1, 'another command does not make the schema');
my $made = ctl_for($server, 'migrate');
is($made->{status}, 0, 'migrate makes it');
like($made->{err}, qr/CAT009: schema step 001_catalogue applied\n.*CAT009: schema step 002_accounts applied\n/, 'and tells the steps');
is_deeply(ctl_for($server, 'migrate'), { status => 0, out => $made->{out}, err => '' }, 'a second time it finds nothing to do');
is(problems(check()), '', 'all is well');
is(match([sort map { $_->{what} } listed(check())], [sort qw(configuration counts database keys mail schema),
    driver eq 'pgsql' ? 'server_encoding' : 'character_set']), '', 'this was looked at');
$server->start;
register($server);
like(check()->{out}, qr/^ok\tmail\t1 pending, the oldest since \d{4}-/m, 'and the mail that waits');
is(problems(check()), '', 'all is well beside a running server');
$server->stop;

# case: check reports a database server that accepts no writes, refuses the parameters or is down, with the cause
$engine->read_only(1);
my $fixed = check();
is(problems($fixed), 'database: cannot be written; the cause is above', 'it takes no writes');
like($fixed->{err}, qr/^catalogctl: CAT003: .*read-only.*\n\z/, 'and why');
$engine->read_only(0);
my $params = $server->params;
(my $nowhere = $params) =~ s/dbname=\w+/dbname=cat_nowhere/;
my $missing = ctl('--driver', CatalogTest::Database->driver, '--params', $nowhere, 'check');
is(problems($missing), 'database: cannot be read; the cause is above', 'there is no such database');
like($missing->{err}, qr/^catalogctl: CAT002: no connection to the \w+ database: \S.*cat_nowhere/, 'which is told in the driver\'s words');
unlike("$missing->{out}$missing->{err}", qr/catalog-test/, 'without the password');
$engine->kill;
my $gone = check();
is(problems($gone), 'database: cannot be read; the cause is above', 'there is no server');
like($gone->{err}, qr/CAT002: no connection to the \w+ database: \S/, 'which is told');
if (driver eq 'pgsql') {
    my $unread = ctl('--driver', 'pgsql', '--params', 'password=two sesame words', 'check');
    like($unread->{err}, qr/CAT002: .*: the driver cannot read its parameters$/m, 'parameters that libpq cannot read');
    unlike($unread->{err}, qr/sesame/, 'are not told');
}

done_testing;
