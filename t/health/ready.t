# SPDX-License-Identifier: Apache-2.0
# route: GET /health/ready
# again: mpm
use CatalogTest;

# case: ready, with the schema's version, and without mail fields while no mail waits
my $server = server(mount => '')->start; # no CatalogMail: mails wait
my $schema = sub { $_[0] =~ /^[1-9]\d*$/ };
answers($server->api(GET => '/health/ready'), 200, { success => true, data => { status => 'ready', schema => $schema } },
    'the server is ready', 'cache-control' => 'no-store');

# case: the answer has the creation time of the oldest waiting mail
my $user = register($server);
register($server);
my $r = $server->api(GET => '/health/ready');
answers($r, 200, { success => true, data => { status => 'ready', schema => $schema, oldestMail => $TIME } },
    'the answer has the time of the oldest mail');
my $asked = (sort map { $_->[0] } @{ $server->database->selectall_arrayref('SELECT created_at FROM outbox') })[0];
like($r->{json}{data}{oldestMail}, qr/\.@{[ sprintf '%03d', $asked % 1000 ]}Z$/, 'the time is that of the older of two mails');

# case: a trailing slash is the same route, HEAD works, other methods do not
answers($server->api(GET => '/health/ready/'), 200, undef, 'a trailing slash is accepted');
answers($server->api(HEAD => '/health/ready'), 200, '', 'HEAD is served');
answers($server->api(DELETE => '/health/ready'), 405, refusal(), 'DELETE is refused', allow => qr/GET/);

# case: a schema that is too old is not ready, and no other route works either
$server->stop;
$server->database->do('DELETE FROM schema_version');
my $old = server(mount => 'CatalogMigrate Off', conf => "DBDParams \"@{[ $server->params ]}\"\n")->start;
expect_log(qr/CAT010/);
answers($old->api(GET => '/health/ready'), 503,
    { success => false, message => 'Not ready', error => 'database unavailable' }, 'a server with an old schema is not ready');

done_testing;
