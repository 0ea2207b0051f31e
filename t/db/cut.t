# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: POST /register
# case: 3 4
# db: mysql pgsql
# runs: first
# moves: catalog_database_faults_total lost
# again: mpm pgsql
# The database ends sessions, idle ones and busy ones.
use CatalogTest;
use CatalogTest::Metrics qw(location moved_since);
use IO::Select ();

my $engine = CatalogTest::Database::engine();
# However few processors there are, no registration is refused because of the others.
my $server = server(engine => $engine, conf => location() . "CatalogHashConcurrency 4\n")->start;
my $token = register($server)->{token};
my $db = $server->database;

sub create { wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }
sub statuses { my %n; $n{ $_->{status} }++ for @_; return \%n }

# Ends all sessions; reopens the test's own.
sub cut { $engine->cut; $db = $server->database }

my $path = '/products/' . $server->talk(create('first'))->{json}{data}{id};
$server->burst((wire(GET => '/products')) x 24);
my $children = join ' ', sort $server->children;

# case: the database ends all idle sessions: lists are complete, products are found, writes succeed
for my $round (1 .. 3) {
    cut();
    my @lists = $server->burst((wire(GET => '/products')) x 12);
    is(scalar(grep { $_->{status} == 200 && $_->{json}{pagination}{total} == 1 } @lists), 12, "round $round: all lists are served");
    cut();
    is_deeply(statuses($server->burst((wire(GET => $path)) x 12)), { 200 => 12 },
        "round $round: all reads of a product are served");
    cut();
    is_deeply(statuses($server->burst(map { wire(PUT => $path, { price => $_ }, token => $token) } 1 .. 6)), { 200 => 6 },
        "round $round: all updates succeed");
}
cut();
is_deeply(statuses($server->burst(map { create("idle $_") } 1 .. 6)), { 201 => 6 }, 'all creations succeed');
cut();
is_deeply(statuses($server->burst(map { wire(POST => '/register', { username => "cut$_", email => "cut$_\@example.com",
    password => 'correct horse' }) } 1 .. 4)), { 201 => 4 }, 'all registrations succeed');
is($db->selectrow_array('SELECT COUNT(*) FROM products'), 7, 'each product is stored once');
is($db->selectrow_array('SELECT COUNT(*) FROM outbox'), 5, 'each user has one mail');

# case: the database ends busy sessions: reads succeed, a write gets a 500 at worst
for my $round (1 .. 4) {
    my @sent = map { $_ % 2 ? wire(GET => $path) : create("busy $round $_") } 1 .. 24;
    my @sockets = map { $server->connection } @sent;
    print { $sockets[$_] } $sent[$_] for 0 .. $#sent;
    cut();
    my @status = map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } @sockets;
    is(join(' ', map { $status[ 2 * $_ ] } 0 .. 11), join(' ', (200) x 12), "busy $round: all reads are served")
        or diag $server->log_text =~ /^.*(?:CAT00|dbd:error).*\n/mg;
    my @writes = map { $status[ 2 * $_ + 1 ] } 0 .. 11;
    is(join(' ', grep { !/^(?:201|500)$/ } @writes), '', "busy $round: each write gets a 201 or a 500");
    my $there = $db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE name LIKE ?), undef, "busy $round %");
    my $acknowledged = grep { $_ == 201 } @writes;
    ok($there >= $acknowledged && $there <= 12, "busy $round: each acknowledged product is stored, and none twice")
        or diag "$there there, $acknowledged acknowledged";
}

# case: the database ends a session in the middle of a transaction, which runs again: one user, one mail
$db->do('BEGIN');
$db->do(q(INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)
    VALUES ('01a1fd8d-47a8-77ac-9778-38d2c78c295b', 'x', 'x', 'mid@example.com', 'mid@example.com', '', 0)));
my $socket = $server->connection;
print {$socket} wire(POST => '/register', { username => 'mid', email => 'mid@example.com', password => 'correct horse' });
ok(!IO::Select->new($socket)->can_read(0.5), 'a registration waits for another one of that address');
cut();
like(join('', <$socket>), qr{^HTTP/1\.1 201 }, 'the registration succeeds');
is($db->selectrow_array(q(SELECT COUNT(*) FROM outbox o JOIN users u ON u.id = o.user_id WHERE u.email = 'mid@example.com')),
    1, 'the registration is stored once');
is(join(' ', sort $server->children), $children, 'no child crashes') if mpm() ne 'prefork';
moved_since($server, {}, { qq(catalog_database_faults_total{engine="${\driver}",reason="lost"}) => ['>=', 1] }, 'the metrics count cut connections');

allow_log(qr/\[dbd:error\]/, qr/CAT003: /);
done_testing;
