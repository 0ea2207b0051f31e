# SPDX-License-Identifier: Apache-2.0
# case: 12 20
# db: mysql pgsql
# again: db
# catalogctl migrate and check on MariaDB and PostgreSQL.
# runs: first
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for listed problems);

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine);

sub check { return ctl_for($server, 'check') }

# case: only migrate creates the schema, and no other command works without it
like(problems(check()), qr/^schema: version 0, version \d+ is required; run: catalogctl migrate$/,
    'check reports an empty database');
is(ctl_for($server, qw(user list))->{status}, 1, 'another command does not create the schema');
my $made = ctl_for($server, 'migrate');
is($made->{status}, 0, 'migrate creates the schema');
like($made->{err}, qr/\A\S+ CAT009: schema step 001_catalogue applied\n\z/, 'migrate prints the step it applies');
is_deeply(ctl_for($server, 'migrate'), { status => 0, out => $made->{out}, err => '' }, 'a second migrate applies nothing');
is(problems(check()), '', 'check finds no problem');
is(match([sort map { $_->{what} } listed(check())], [sort qw(configuration counts database index keys mail schema),
    driver eq 'pgsql' ? 'server_encoding' : 'character_set']), '', 'check lists what it checks');
$server->start;
register($server);
like(check()->{out}, qr/^ok\tmail\t1 pending, the oldest since \d{4}-/m, 'check lists the pending mail');
is(problems(check()), '', 'check finds no problem while the server runs');
$server->stop;

# case: check reports a database server that accepts no writes, refuses the parameters or is down, with the cause
$engine->read_only(1);
my $fixed = check();
is(problems($fixed), 'database: cannot be written; the cause is above', 'check reports a database that accepts no writes');
like($fixed->{err}, qr/^catalogctl: CAT003: .*read-only.*\n\z/, 'check prints the database\'s message');
$engine->read_only(0);
my $params = $server->params;
(my $nowhere = $params) =~ s/dbname=\w+/dbname=cat_nowhere/;
my $missing = ctl('--driver', CatalogTest::Database->driver, '--params', $nowhere, 'check');
is(problems($missing), 'database: cannot be read; the cause is above', 'check reports a missing database');
like($missing->{err}, qr/^catalogctl: CAT002: no connection to the \w+ database: \S.*cat_nowhere/,
    'check prints the driver\'s message about the missing database');
unlike("$missing->{out}$missing->{err}", qr/catalog-test/, 'no message has the password');
$engine->kill;
my $gone = check();
is(problems($gone), 'database: cannot be read; the cause is above', 'check reports a database server that is down');
like($gone->{err}, qr/CAT002: no connection to the \w+ database: \S/, 'check prints the driver\'s message about the server');
if (driver eq 'pgsql') {
    my $unread = ctl('--driver', 'pgsql', '--params', 'password=two sesame words', 'check');
    like($unread->{err}, qr/CAT002: .*: the driver cannot read its parameters$/m,
        'check reports parameters that libpq cannot read');
    unlike($unread->{err}, qr/sesame/, 'the message does not have these parameters');
}

# case: catalogctl and httpd's children connect with TLS although root's HOME is closed to their user, and with httpd's environment
if (driver eq 'pgsql' && $> == 0) {
    $engine->start;
    $engine->require_tls;
    my $home = $server->dir . '/root';
    mkdir $home, 0700 or die "$home: $!\n";
    local $ENV{HOME} = $home;
    is(problems(check()), '', 'catalogctl connects with TLS');
    $server->start;
    answers($server->api(GET => '/products'), 200, undef, 'httpd connects with TLS');
    $server->stop;
    $server->write($server->dir . '/apachectl', "#!/bin/sh\nexec env -u PGSSLMODE $CatalogTest::Ctl::HTTPD \"\$\@\"\n");
    chmod 0755, $server->dir . '/apachectl';
    local $ENV{PGSSLMODE} = 'disable';
    is(problems(ctl('--httpd', $server->dir . '/apachectl', '--config', $server->dir . '/httpd.conf', 'check')), '',
        'what only the shell of the administrator sets does not count');
}

done_testing;
