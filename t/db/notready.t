# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: PUT /products/:id
# route: POST /register
# route: GET /health/ready
# db: mysql
# runs: first
# moves: catalog_database_faults_total not_ready
# again: db
# A Galera node refuses all statements while it has no quorum. The server waits for a moment, and never runs a write twice.
use CatalogTest;
use CatalogTest::Metrics qw(location moved_since);
use IO::Select ();
use Time::HiRes qw(sleep time);

my $PATIENCE = 2; # seconds

my $engine = CatalogTest::Database::engine(galera => 1);
my $server = server(engine => $engine, conf => location())->start;
my $user = register($server);
my $token = $user->{token};
my $db = $server->database;
my $path = '/products/' . $server->api(POST => '/products', { name => 'first', price => 1 }, token => $token)->{json}{data}{id};

sub count { $server->database->selectrow_array("SELECT COUNT(*) FROM $_[0]") }
sub create { wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }
sub sign_up { wire(POST => '/register', { username => $_[0], email => "$_[0]\@example.com", password => 'correct horse' }) }

sub send_all {
    my @sockets = map { my $socket = $server->connection; print {$socket} $_; $socket } @_;
    return @sockets;
}
sub statuses { join ' ', map { join('', readline $_) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 } @_ }

# Requests arrive while there is no quorum for a moment. Returns their statuses, and for how many seconds it was lost.
sub ask_meanwhile {
    my ($name, $price) = @_;
    my $lost = time;
    $engine->refuse(1);
    my @sockets = send_all((wire(GET => '/products'), create($name), wire(PUT => $path, { price => $price }, token => $token)) x 4,
        sign_up($name), wire(GET => '/health/ready'));
    ok(!IO::Select->new(@sockets)->can_read(0.3), "$name: no request is refused at once");
    $engine->refuse(0);
    $lost = time - $lost;
    return (statuses(@sockets), $lost);
}

# A moment without a quorum: all requests succeed. On a busy machine the moment may last too long, and is tried again.
my ($made, $registered) = (1, 1);
for my $round (1 .. 3) {
    my ($statuses, $lost, $tries);
    do {
        ($statuses, $lost) = ask_meanwhile('moment' . $round . 'a' x ++$tries, $round * 10 + $tries);
        my @each = split ' ', $statuses;
        $made += grep { $_ == 201 } @each[1, 4, 7, 10];
        $registered += $each[12] == 201;
    } while ($statuses =~ /503/ && $lost > $PATIENCE && $tries < 10);
    is($statuses, join(' ', (200, 201, 200) x 4, 201, 200), "round $round: all requests succeed with the quorum back");
}
is(count('products'), $made, 'each product is stored once');
is(count('users'), $registered, 'each user is stored once');

# A longer time: the refusal guarantees that nothing was stored. Later requests do not wait.
my ($products, $users) = (count('products'), count('users'));
my $refused = { success => false, message => 'Service unavailable', error => qr/^the (?:database is not ready|server is too busy); try again$/ };
$engine->refuse(1);
$server->burst((wire(GET => '/products')) x 24); # until each child has noticed
my $start = time;
answers($server->talk($_->[1]), 503, $refused, "no quorum: $_->[0]", 'retry-after' => qr/^[1-9]\d*$/)
    for ['the list', wire(GET => '/products')], ['one product', wire(GET => $path)], ['a new one', create('lost')],
    ['an update', wire(PUT => $path, { price => 9 }, token => $token)], ['a registration', sign_up('lost')];
answers($server->api(GET => '/health/ready'), 503, { success => false, message => 'Not ready', error => 'database unavailable' },
    'no quorum: the server is not ready');
takes_less(time - $start, $PATIENCE, 'no quorum: later requests do not wait');
moved_since($server, {}, { 'catalog_database_faults_total{engine="mysql",reason="not_ready"}' => ['>=', 5] }, 'no quorum: the metrics count it');
$engine->refuse(0);
is(statuses(send_all((wire(GET => '/products')) x 12)), join(' ', (200) x 12), 'with the quorum back all requests are served');
is(count('products'), $products, 'the refused requests create no product');
is(count('users'), $users, 'the refused requests create no user');

# A registration waits for another one of its address, and goes on while there is no quorum: its first statement succeeds, the next is
# refused. Returns its status, whether it was answered before the quorum was back, and for how many seconds that was lost.
sub register_meanwhile {
    my ($name, $patience) = @_;
    my $holder = $server->database;
    $holder->do('BEGIN');
    $holder->do(q(INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)
        VALUES ('01a1fd8d-47a8-77ac-9778-38d2c78c295b', 'x', 'x', ?, ?, '', 0)), undef, ("$name\@example.com") x 2);
    my ($socket) = send_all(sign_up($name));
    ok(!IO::Select->new($socket)->can_read(0.5), 'a registration waits for another one of that address');
    my $lost = time;
    $engine->refuse(1);
    $holder->disconnect; # rolls back
    my $early = IO::Select->new($socket)->can_read($patience);
    $engine->refuse(0);
    return (statuses($socket), $early, time - $lost);
}

# In the middle of a transaction: the server neither leaves it open nor commits it with the next one on its connection.
for my $over (0, 1) {
    my ($name, $tries) = ("middle$over", 0);
    my ($status, $early, $lost) = register_meanwhile($name, $over ? $PATIENCE + 3 : 0.5);
    while (!$over && $status != 201 && $lost > $PATIENCE && ++$tries < 10) { # on a busy machine a short loss may be a long one
        ($status, $early, $lost) = register_meanwhile($name, 0.5);
    }
    is($status, $over ? 503 : 201,
        $over ? 'a registration during a long loss of the quorum is refused'
            : 'a registration during a short loss of the quorum succeeds');
    ok($over || !$early, 'the registration does not succeed before the quorum is back');
    is(join(' ', map { $_->{status} } $server->burst(map { sign_up("after$over$_") } 1 .. 4)), '201 201 201 201',
        'other users can register');
    my ($there) = $server->database->selectrow_array(
        q(SELECT COUNT(*) FROM outbox o JOIN users u ON u.id = o.user_id WHERE u.username = ?), undef, $name);
    is($there, $over ? 0 : 1, $over ? 'the refused registration stores nothing' : 'the registration is stored once');
}
is(count('users'), $users + 9, 'the database has exactly the acknowledged users');
is(count('outbox'), count('users'), 'each user has one mail');

expect_log(qr/CAT003: .* 1047: /);
allow_log(qr/\[dbd:error\]/);
done_testing;
