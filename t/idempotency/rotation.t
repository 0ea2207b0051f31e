# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# Bodies are stored as a MAC by the key that signs. After it has been replaced, a request that is repeated is neither refused as
# another one nor served a second time.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Keys qw(put_key with_keys);

my $keys = scratch();
put_key($keys, '1.key', 'The-first-secret,-of-thirty-two-bytes-or-more', 1000);

my $server = with_keys($keys);
my $user = register($server);
my $db = $server->database;

my $session = $user;
sub sign { $session = refresh($server, $session->{refreshToken})->{json}; return $session->{token} }
sub kid { header_of(sign())->{kid} }

sub create {
    my ($key, $price) = @_;
    return $server->api(POST => '/products', { name => $key, price => $price }, token => sign(),
        headers => { 'Idempotency-Key' => "\"$key\"" });
}

# All children must have read the directory, so several answers in a row have to be the expected one.
sub settles { my ($check) = @_; my $n = 0; return wait_until(30, sub { $n = $check->() ? $n + 1 : 0; $n >= 24 }) }

my $first = create('first', 1);
answers($first, 201, undef, 'a product is created under the first key');
put_key($keys, '2.key', 'The-second-secret,-of-thirty-two-bytes-or-more');
ok(settles(sub { kid() eq '2' }), 'a second key signs');
answers(create('first', 1), 201, $first->{body}, 'the request is repeated while the first one is still there', 'idempotency-replayed' => 'true');
answers(create('first', 2), 422, undef, 'and another one refused');
my $second = create('second', 1);
answers($second, 201, undef, 'a product is created under the second key');

unlink "$keys/1.key";
my $gone = refusal(message => 'Request already processed', error => qr/key has been replaced/);
ok(settles(sub { create('first', 1)->{status} == 409 }), 'the first key is deleted');
answers(create('first', $_), 409, $gone, 'then nobody knows whether the request is the same: it is refused, but not as another one',
    'idempotency-replayed' => undef, 'retry-after' => undef) for 1, 2;
answers(create('second', 1), 201, $second->{body}, 'a request under the second key is repeated', 'idempotency-replayed' => 'true');

# A file that gets another secret keeps its name, which is the id of the key.
put_key($keys, '2.key', 'The-third-secret,-of-thirty-two-bytes-or-more');
ok(settles(sub { create('second', 1)->{status} == 409 }), 'the second key is replaced by another one of its name');
answers(create('second', 1), 409, $gone, 'which is noticed', 'idempotency-replayed' => undef);
is($db->selectrow_array('SELECT COUNT(*) FROM products'), 2, 'nothing was created twice');

done_testing;
