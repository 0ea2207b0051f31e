# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# mpm: event
# runs: first
# again: pgsql
# Clients repeat each creation with its Idempotency-Key until it is answered, while a child is killed again and again: each product is
# there once, and a key is stored with its product or neither is.
use CatalogLoad;
use CatalogTest;
use Time::HiRes qw(sleep);

use constant { CLIENTS => 8, PRODUCTS => 300, KILLS => 8 };

my $server = server()->start;
my $token = register($server)->{token};

# An answer is replayed if the one before it was lost on its way.
sub work {
    my ($client, $number) = @_;
    my %journal = (ids => {}, lost => 0, replayed => 0, wrong => []);
    for my $i (1 .. PRODUCTS) {
        my $name = "product $number $i";
        my $r;
        for (1 .. 200) {
            $r = $client->ask_once(POST => '/products', { name => $name, price => $i }, token => $token,
                headers => { 'Idempotency-Key' => "\"$name\"" });
            $journal{lost}++ if $r->{status} == 0;
            last unless $r->{status} == 0 || $r->{status} == 409 || $r->{status} >= 500;
            sleep 0.1;
        }
        push @{ $journal{wrong} }, "$name: $r->{text}" unless $r->{status} == 201;
        $journal{replayed}++ if $r->{headers}{'idempotency-replayed'};
        $journal{ids}{$name} = $r->{json}{data}{id};
    }
    return \%journal;
}

my $clients = clients($server, CLIENTS, \&work);
my $kills = 0;
while ($clients->are_running && $kills < KILLS) {
    sleep 0.3;
    my @children = $server->children;
    $kills += kill KILL => $children[rand @children] if @children; # else the parent has not replaced it yet
}
my @journals = $clients->results;
my %ids = map { %{ $_->{ids} } } @journals;
my $total = CLIENTS * PRODUCTS;
is_deeply([map { @{ $_->{wrong} } } @journals], [], 'each creation is answered with 201 in the end');

my $db = $server->database;
my $stored = $db->selectall_hashref('SELECT id, name FROM products', 'id');
is(scalar keys %$stored, $total, 'each product is stored once');
is_deeply({ map { $stored->{$_}{name} => $_ } keys %$stored }, \%ids, 'with the id that its client was told');
is($db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys WHERE part = 0'), $total, 'each with its key');
is($db->selectrow_array('SELECT COUNT(DISTINCT key_hash) FROM idempotency_keys WHERE part = 1'), $total, 'and its answer');
note sprintf '%d kills, %d answers lost, %d replayed', $kills, map { my $what = $_; my $n = 0; $n += $_->{$what} for @journals; $n } qw(lost replayed);

allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
