# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# CatalogIdempotencyTTL: how long an answer is stored.
use CatalogTest;

my $server = server()->start;
my $hour = server(mount => 'CatalogIdempotencyTTL 3600' . "\n" . 'CatalogDatabase @driver@ "' . $server->params . '"')->start;
my $token = register($server)->{token};
my $db = $server->database;

sub create {
    my ($key, $price, $at) = @_;
    return ($at // $server)->api(POST => '/products', { name => $key, price => $price }, token => $token,
        headers => { 'Idempotency-Key' => "\"$key\"" });
}

sub lifetimes { map { $_ / 1000 } @{ $db->selectcol_arrayref('SELECT DISTINCT expires_at FROM idempotency_keys') } }

my $now = time;
my $first = create('day', 1);
my ($until) = lifetimes();
ok($until >= $now + 86400 && $until <= time + 86401, 'an answer is stored for a day by default') or diag $until - $now;
$db->do('DELETE FROM idempotency_keys');
$now = time;
create('hour', 1, $hour);
($until) = lifetimes();
ok($until >= $now + 3600 && $until <= time + 3601, 'or for as long as CatalogIdempotencyTTL says') or diag $until - $now;

# All that is stored expires.
$db->do('DELETE FROM idempotency_keys');
$first = create('old', 1);
$db->do('UPDATE idempotency_keys SET expires_at = ?', undef, (time - 1) * 1000);
my $second = create('old', 2);
answers($second, 201, undef, 'after that the key is free for another request', 'idempotency-replayed' => undef);
isnt($second->{json}{data}{id}, $first->{json}{data}{id}, 'which creates another product');
answers(create('old', 2), 201, $second->{body}, 'and is stored', 'idempotency-replayed' => 'true');
is($db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys WHERE part = 0'), 1, 'in place of the one that has expired');

# The purge deletes in portions, so some rows of a key may be there without the others.
$db->do('UPDATE idempotency_keys SET expires_at = ?', undef, (time - 1) * 1000);
$db->do('DELETE FROM idempotency_keys WHERE part = 0');
answers(create('old', 3), 201, undef, 'what is left of an expired answer is in nobody\'s way', 'idempotency-replayed' => undef);
answers(create('old', 3), 201, undef, 'the new one is stored', 'idempotency-replayed' => 'true');

# Ten at once find the same expired answer.
$db->do('UPDATE idempotency_keys SET expires_at = ?', undef, (time - 1) * 1000);
my @answers = $server->burst((wire(POST => '/products', { name => 'old', price => 4 }, token => $token,
    headers => { 'Idempotency-Key' => '"old"' })) x 10);
is(scalar(grep { $_->{status} == 201 && !$_->{headers}{'idempotency-replayed'} } @answers), 1, 'one of ten requests takes its place')
    or diag explain [map { $_->{status} } @answers];
is($db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE price = '4')), 1, 'and creates a product');

done_testing;
