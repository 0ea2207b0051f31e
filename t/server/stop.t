# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# runs: first
# again: mpm
# A server that stops under load ends its children in order, and loses no acknowledged write. Under prefork the signal interrupts a
# child wherever it is.
use CatalogLoad;
use CatalogTest;
use Time::HiRes qw(sleep);

# No more clients than connections, which take more than a second to open where the engine is busy.
use constant { CLIENTS => 10, ROUNDS => 8 };

my $server = server(conf => 'StartServers 8');
my $token = forge();

sub create {
    my ($client, $created) = @_;
    my $r = $client->ask_once(POST => '/products', { name => 'x', price => 1 }, token => $token);
    push @$created, $r->{json}{data}{id} if $r->{status} == 201;
    return $r->{status};
}

sub list { return $_[0]->ask_once(GET => "/products?limit=5&sort=name&q=x&page=$_[1]")->{status} }

# Writes and reads until the server is gone. The ids of the products that were acknowledged.
sub work {
    my ($client) = @_;
    my @created;
    1 while eval { create($client, \@created) && list($client, scalar @created) };
    return \@created;
}

my @created;
for my $round (1 .. ROUNDS) {
    $server->start;
    my $clients = clients($server, CLIENTS, \&work);
    sleep 0.3 + 0.05 * $round;
    $server->stop;
    push @created, map { @$_ } $clients->results;
}
cmp_ok(scalar @created, '>', ROUNDS, 'writes were acknowledged before each stop');

$server->start;
my %stored = map { $_ => 1 } @{ $server->database->selectcol_arrayref('SELECT id FROM products') };
is_deeply([grep { !$stored{$_} } @created], [], scalar(@created) . ' acknowledged writes are stored');

# Nor does a client that has sent a part of its body delay the end of a child. Other MPMs wait for the thread that reads.
if (mpm() eq 'prefork') {
    my $slow = $server->connection;
    print {$slow} substr wire(POST => '/products', { name => 'slow', price => 1 }, token => $token), 0, -5;
    sleep 0.5;
    takes_less($server->stop, 5, 'a slow client does not delay the stop');
}

done_testing;
