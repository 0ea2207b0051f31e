# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: GET /products
# The list keeps the order in which products were created, however many share a millisecond.
use CatalogTest;
use File::Temp ();

# SQLite waits for the disk at each commit; in memory, more products share a millisecond.
my $memory = driver eq 'sqlite3' && -w '/dev/shm' ? File::Temp->newdir('catalog-test.XXXXXX', DIR => '/dev/shm') : undef;
CatalogTest::Server::hand_over("$memory") if $memory;
my $server = server(conf => "MaxKeepAliveRequests 0\n" . ($memory ? "DBDParams $memory/catalog.db\n" : ''))->start;
my $token = register($server)->{token};
my ($connections, $each) = (4, 150);

# Pipelined, so that the server creates a connection's next product as soon as it has stored the previous one.
my $requests = sub {
    my ($connection) = @_;
    my @requests = map { wire(POST => '/products', { name => "c$connection-$_", price => $_ }, token => $token) } 1 .. $each;
    s/Connection: close\r\n// for @requests[0 .. $each - 2];
    return join '', @requests;
};
my @texts = map { $_->{text} } $server->burst(map { $requests->($_) } 1 .. $connections);
is(scalar(() = join('', @texts) =~ m{HTTP/1\.1 201 }g), $connections * $each, 'all products are created');

my (@listed, $cursor);
do {
    my $page = $server->api(GET => '/products?limit=100&cursor=' . ($cursor // ''))->{json};
    push @listed, @{ $page->{data} };
    $cursor = $page->{pagination}{nextCursor};
} while defined $cursor;
is(scalar @listed, $connections * $each, 'all products are listed');

my ($shared, @wrong) = (0);
for my $connection (1 .. $connections) {
    my @own = grep { $_->{name} =~ /^c$connection-/ } reverse @listed; # the oldest first
    $shared += grep { $own[$_]{createdAt} eq $own[$_ - 1]{createdAt} } 1 .. $#own;
    push @wrong, map { "$own[$_ - 1]{name} before $own[$_]{name}" } grep { $own[$_ - 1]{price} > $own[$_]{price} } 1 .. $#own;
}
note "$shared of a connection's products share a millisecond with the one before";
is_deeply(\@wrong, [], 'the list has each connection\'s products in the order of creation');

done_testing;
