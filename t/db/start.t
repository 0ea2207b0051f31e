# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# case: 23
# runs: first
# again: db
use CatalogTest;

# case: five servers start at once on an empty database: they create one schema, and none logs an error
my $first = server();
my @servers = ($first, map { server(conf => 'DBDParams "' . $first->params . "\"\n") } 2 .. 5);
$_->launch for @servers;
$_->wait_up for @servers;
ok(wait_until(60, sub { !grep { !$_->is_ready } @servers }), 'all are ready');
my $token = forge();
for my $server (@servers) {
    answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 201, undef,
        'a server creates a product');
}
is(join(' ', map { $_->api(GET => '/products')->{json}{pagination}{total} } @servers), '5 5 5 5 5',
    'all servers have the same products');
my $steps = $first->database->selectcol_arrayref('SELECT version FROM schema_version ORDER BY version');
is(join(' ', @$steps), join(' ', 1 .. @$steps), 'each schema step is stored once');
my $log = join '', map { $_->log_text } @servers;
is(scalar(() = $log =~ /CAT009: /g), scalar @$steps, 'each schema step is applied once');

done_testing;
