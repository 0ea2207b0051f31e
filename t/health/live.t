# SPDX-License-Identifier: Apache-2.0
# route: GET /health/live
use CatalogTest;

# case: a server that answers is live, and the answer is not stored
answers(api(GET => '/health/live'), 200, { success => true, data => { status => 'live' } }, 'the server is live',
    'cache-control' => 'no-store');
answers(api(HEAD => '/health/live'), 200, '', 'HEAD is served');
answers(api(POST => '/health/live', {}), 405, refusal(), 'POST is refused', allow => qr/GET/);

# case: without a database, it is live but not ready
my $server = server(conf => qq(DBDParams "\@nowhere\@"\n), mount => '')->start;
expect_log(qr/CAT002/);
allow_log(qr/AH0\d+/);
answers($server->api(GET => '/health/live'), 200, { success => true, data => { status => 'live' } },
    'the server is live without a database');
answers($server->api(GET => '/health/ready'), 503,
    { success => false, message => 'Not ready', error => 'database unavailable' },
    'the server is not ready without a database', 'retry-after' => qr/^\d+$/);

done_testing;
