# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# route: PUT /products/:id
# route: DELETE /products/:id
# route: POST /register
# route: POST /auth/refresh
# case: 18 20 22
# db: mysql pgsql
# runs: first
# moves: catalog_database_faults_total conflict
# again: db
# Other programs hold locks on rows that a request needs.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ids qw(n_of);
use CatalogTest::Metrics qw(location moved_since);
use IO::Select ();
use List::Util qw(max);
use Time::HiRes qw(sleep time);

my $server = accounts(conf => location());
my $user = register($server);
my $token = $user->{token};
my ($db, $other) = map { $server->database } 1 .. 2;
my @ids = map { $server->api(POST => '/products', { name => "n$_", price => 1 }, token => $token)->{json}{data}{id} } 1 .. 40;
my $users = 0;
my ($path, $doomed) = map { "/products/$_" } @ids[0, 1];

sub ask { my $socket = $server->connection; print {$socket} wire(@_); return $socket }
sub answer { join('', readline $_[0]) =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0 }
sub waits { !IO::Select->new($_[0])->can_read($_[1]) }
sub insert_user {
    my ($db, $name) = @_;
    $db->do(q(INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)
        VALUES (?, ?, ?, ?, ?, '', 0)), undef, "01a1fd8d-47a8-77ac-9778-" . sprintf('%012d', ++$users), $name, $name,
        ("$name\@example.com") x 2);
}
sub registration { (POST => '/register', { username => $_[0], email => "$_[0]\@example.com", password => 'correct horse' }) }

# case: a write waits for a row that another session locks for a moment, and a read does not
$db->do('BEGIN');
$db->do('SELECT * FROM products WHERE n = ? FOR UPDATE', undef, n_of($ids[0]));
my $put = ask(PUT => $path, { price => 2 }, token => $token);
my $start = time;
answers($server->api(GET => $path), 200, undef, 'a read is served while another session locks the row');
takes_less(time - $start, 1, 'the read does not wait');
ok(waits($put, 0.5), 'a write waits');
$db->do('COMMIT');
is(answer($put), 200, 'the write succeeds once the lock is released');

# case: another session is registering the same name: the second registration waits for the outcome
for (['COMMIT', 409], ['ROLLBACK', 201]) {
    my ($end, $status) = @$_;
    my $name = lc "race-$end";
    $db->do('BEGIN');
    insert_user($db, $name);
    my $socket = ask(registration($name));
    ok(waits($socket, 0.5), "a registration of the same name waits for $end");
    $db->do($end);
    is(answer($socket), $status, "after $end it gets a $status");
}

# case: a row stays locked: the server refuses writes within seconds, with Retry-After, and stores nothing
$db->do('BEGIN');
$db->do('SELECT * FROM products WHERE n IN (?, ?) FOR UPDATE', undef, map { n_of($_) } @ids[0, 1]);
insert_user($db, 'held');
my $count = $other->selectrow_array('SELECT COUNT(*) FROM users');
my @refused = $server->burst(map { wire(@$_) } [PUT => $path, { price => 3 }, token => $token],
    [DELETE => $doomed, token => $token], [registration('held')]);
answers($_, 503, refusal(error => qr/busy/),
    'each write is refused while the rows stay locked', 'retry-after' => qr/^[1-9]\d*$/) for @refused;
takes_less(max(map { $_->{took} } @refused), 12, 'no write waits twelve seconds');
$db->do('ROLLBACK');
is($server->api(GET => $path)->{json}{data}{price}, 2, 'the refused update changes nothing');
is($server->api(GET => $doomed)->{status}, 200, 'the refused deletion deletes nothing');
is($other->selectrow_array('SELECT COUNT(*) FROM users'), $count, 'the refused registration creates no user');
is($server->api(registration('held'))->{status}, 201, 'the registration succeeds once the lock is released');
moved_since($server, {}, { qq(catalog_database_faults_total{engine="${\driver}",reason="conflict"}) => ['>=', 3] }, 'the metrics count conflicts');

# case: a deadlock: the request's transaction is the victim and runs again, unnoticed by the client
# PostgreSQL ends the session that looks for a deadlock first, a second after it began to wait. On a busy machine that may
# be the test's own session; and the victim may come back before the test's session has woken up, until it has no attempt
# left. Then the test tries again.
my ($refresh, $sid);
for my $try (1 .. 10) {
    my $owner = register($server);
    $sid = claims_of($owner->{token})->{sid};
    $db->do('BEGIN');
    $db->do('UPDATE products SET category = ?', undef, 'much'); # MySQL picks the transaction with fewer changes as the victim
    $db->do('SELECT * FROM refresh_tokens WHERE session_id = ? FOR UPDATE', undef, $sid);
    $refresh = ask(POST => '/auth/refresh', { refreshToken => $owner->{refreshToken} });
    ok(waits($refresh, 0.3), 'a refresh locks the session, and waits for the token');
    my $is_other = !eval { $db->do('UPDATE sessions SET agent = ? WHERE id = ?', undef, 'other', $sid); 1 };
    die $@ if $is_other && $@ !~ /deadlock/i;
    last if $try == 10 || !$is_other && waits($refresh, 0.3);
    $db->do('ROLLBACK');
    answer($refresh);
}
ok(waits($refresh, 0.3), 'the refresh is the victim of the deadlock, and waits for the session');
$db->do('COMMIT');
is(answer($refresh), 200, 'the refresh succeeds');
is($db->selectrow_array('SELECT COUNT(*) FROM refresh_tokens WHERE session_id = ?', undef, $sid), 2,
    'the refresh stores one token');

expect_log(driver eq 'mysql' ? qr/CAT003: .*Lock wait timeout/ : qr/CAT003: .*(?:lock timeout|deadlock detected)/);
done_testing;
