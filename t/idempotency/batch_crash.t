# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# mpm: event
# runs: first
# Children are killed in the middle of a batch, which is then sent again with its Idempotency-Key until it is answered: all of it is
# stored, once, and the answer is the one that was stored with it.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use Time::HiRes qw(sleep);

use constant { ROUNDS => 16, PRODUCTS => 200 };

my $server = server()->start;
my $token = register($server)->{token};
my $db = $server->database;

# Repeats a request that a child's end may have cut off, or a busy machine refused.
sub insist {
    my ($bytes) = @_;
    my $r;
    wait_until(60, sub { $r = eval { $server->talk($bytes) } // { status => 0 }; $r->{status} =~ /^[24]/ && $r->{status} != 409 });
    return $r;
}

my %n = (replayed => 0, served => 0);
my $kept = insist(wire(POST => '/products', { name => 'kept', price => 1 }, token => $token))->{json}{data}{id};
for my $round (1 .. ROUNDS) {
    my $gone = insist(wire(POST => '/products', { name => "gone $round", price => 1 }, token => $token))->{json}{data}{id};
    my @operations = ({ op => 'update', id => $kept, body => { price => $round } },
        (map { { op => 'create', body => { name => "new $round", price => $_ } } } 1 .. PRODUCTS), { op => 'delete', id => $gone });
    my $request = wire(POST => '/products/batch', { atomic => $round % 2 ? true : false, operations => \@operations }, token => $token,
        headers => { 'Idempotency-Key' => "\"round $round\"" });
    my $socket = $server->connection;
    print {$socket} $request;
    sleep 0.003 * $round;
    kill KILL => $server->children;
    close $socket;
    my $r = insist($request);
    is(join(' ', $r->{status}, map { $_->{status} } @{ $r->{json}{results} // [] }), join(' ', 200, 200, (201) x PRODUCTS, 200),
        "round $round: the repeated batch succeeds, its deletion included");
    $n{ $r->{headers}{'idempotency-replayed'} ? 'replayed' : 'served' }++;
    my $ids = $db->selectcol_arrayref('SELECT id FROM products WHERE name = ? ORDER BY id', undef, "new $round");
    is_deeply([map { $_->{data}{id} } grep { $_->{status} == 201 } @{ $r->{json}{results} }], $ids, 'its products are stored once, with the ids of the answer');
    my $again = insist($request);
    is($again->{headers}{'idempotency-replayed'}, 'true', 'from then on it is repeated');
    is($again->{body}, $r->{body}, 'octet by octet');
}
note "$n{replayed} batches were stored before their child was killed, $n{served} were not";
is($db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys WHERE part = 0'), ROUNDS, 'one key a batch is stored');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
