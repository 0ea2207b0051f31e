# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# db: mysql pgsql
# again: db
# Idempotency-Key while a request with the same key is still running: 409. On SQLite, which has one writer at a time, the second
# request waits like every other one.
use CatalogTest;
use Digest::SHA qw(sha256_hex);

my $user = register();
my $key = 'busy';
my $db = main->database;

# What a server that is slow, or hangs, has done so far.
my $hash = sha256_hex(join "\n", 'POST /products', CatalogTest::ISSUER, $user->{user}{id}, $key);
sub hold { $db->begin_work; $db->do(q(INSERT INTO idempotency_keys (key_hash, part, content, expires_at) VALUES (?, 0, 'x', 9000000000000)), undef, $hash) }
sub create { wire(POST => '/products', { name => 'busy', price => 1 }, token => $user->{token}, headers => { 'Idempotency-Key' => "\"$key\"" }) }

hold();
my $other = api(POST => '/products', { name => 'other', price => 1 }, token => $user->{token}, headers => { 'Idempotency-Key' => '"other"' });
answers($other, 201, undef, 'a request with another key does not wait');
my @answers = burst((create()) x 3);
answers($_, 409, refusal(message => 'Request still running', error => qr/./), 'a request with the same key is refused',
    'retry-after' => qr/^[1-9]\d*$/, 'idempotency-replayed' => undef) for @answers;
$db->rollback;
is($db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE name = 'busy')), 0, 'and creates nothing');

# The running request fails: one that waits takes its place.
hold();
my $socket = main->connection;
print {$socket} create();
my $waits = driver eq 'pgsql' ? q(SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO idempotency_keys%')
    : q(SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'INSERT INTO idempotency_keys%' AND info NOT LIKE 'SELECT%');
my $admin = driver eq 'pgsql' ? main->database : CatalogTest::Engine->shared->admin;
ok(wait_until(10, sub { $admin->selectrow_array($waits) }), 'a request waits for the one that runs');
$db->rollback;
my $answer = CatalogTest::Http::parse(join '', <$socket>);
answers($answer, 201, undef, 'when that one has failed, it is served', 'idempotency-replayed' => undef);
answers(talk(create()), 201, $answer->{body}, 'and its answer stored', 'idempotency-replayed' => 'true');

done_testing;
