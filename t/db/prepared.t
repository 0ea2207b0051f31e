# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# db: pgsql
# runs: first
# again: db
# PostgreSQL parses a statement once on each connection, and is asked nothing else.
use CatalogTest;

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine, mount => 'CatalogMaxConnections 2', conf => CatalogTest::Server::one_child())->start;
my $token = register($server)->{token};
my $path = '/products/' . $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id};

sub set { my $admin = $engine->admin; $admin->do("ALTER SYSTEM SET $_[0]"); $admin->do('SELECT pg_reload_conf()') }
sub all_work {
    my @answers = map { $server->api(@$_) } [GET => '/products'], [GET => '/products?page=40'], [GET => $path],
        [POST => '/products', { name => 'x', price => 1 }, token => $token], [PUT => $path, { price => 2 }, token => $token];
    return join ' ', map { $_->{status} } @answers;
}

# What the database was sent during work, without the background jobs' statements.
sub sent {
    my ($work) = @_;
    my $before = length $engine->complaints;
    $work->();
    return grep { /products|SELECT 1/ && !/product_deltas ORDER BY seq/ } substr($engine->complaints, $before) =~ /duration: .*? ms  (.*)/g;
}

$server->burst((wire(GET => '/products'), wire(POST => '/products', { name => 'x', price => 1 }, token => $token)) x 4);
all_work() for 1 .. 6;
set('log_min_duration_statement = 0');

# Requests may get another connection while a background job has the usual one. A write on one that was idle for ten seconds asks whether
# it works.
my @sent;
sub is_settled { @sent = sent(\&all_work); return @sent && !grep { /^parse|unnamed|SELECT 1/ } @sent }

ok(wait_until(10, \&is_settled), 'no statement is parsed a second time, and no write is preceded by a SELECT 1') or diag explain \@sent;
is(scalar(grep { /^execute catalog_[0-9a-f]{16}: INSERT INTO products/ } @sent), 1, 'a creation is one statement');

# case: the types of a result change: prepared statements are refused, and no request fails
my $db = $server->database;
for my $change ('ALTER TABLE products ALTER COLUMN name TYPE VARCHAR(1000)', 'ALTER TABLE products ALTER COLUMN name TYPE TEXT') {
    $db->do($change);
    is(all_work(), '200 200 200 201 200', "all requests succeed after $change") for 1 .. 3;
}
ok(wait_until(10, \&is_settled), 'the statements are prepared again, and no more') or diag explain \@sent;
allow_log(qr/AH00161: |AH00286: |AH10159: /); # there are few workers
done_testing;
