# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: POST /products/batch
# route: POST /users
# again: db
# Requests with one Idempotency-Key that come at once, to two servers that share a database: one of them writes.
use CatalogTest;
use CatalogTest::Http ();

my $settings = "CatalogRateLimit Off\nCatalogMaxConnections 32\n";
my $one = server(conf => 'CatalogHashConcurrency 16', mount => $settings)->start;
my $two = server(conf => 'CatalogHashConcurrency 16', mount => $settings . 'CatalogDatabase @driver@ "' . $one->params . '"')->start;
my $token = register($one)->{token};
my $db = $one->database;

# Sends all requests before it reads the first answer.
sub race {
    my (@requests) = @_;
    my @sockets = map { CatalogTest::Http::connection($_->[0]->port) } @requests;
    print { $sockets[$_] } $requests[$_][1] for 0 .. $#requests;
    return map { CatalogTest::Http::parse(CatalogTest::Http::read_all($_)) } @sockets;
}

# A busy machine may not get all of them done in time: those say so, and come again.
sub insist {
    my ($server, $request) = @_;
    my $answer;
    wait_until(60, sub { ($answer) = race([$server, $request]); $answer->{status} !~ /^(?:409|503)$/ });
    return $answer;
}

sub settle {
    my (@requests) = @_;
    my @answers = race(@requests);
    for (grep { $answers[$_]{status} =~ /^(?:409|503)$/ } 0 .. $#answers) {
        ok($answers[$_]{headers}{'retry-after'}, 'a request that has to wait is told how long');
        $answers[$_] = insist(@{ $requests[$_] });
    }
    return @answers;
}

sub twenty { my ($request) = @_; return map { [$_ % 2 ? $one : $two, $request] } 1 .. 20 }

for my $round (1 .. 10) {
    my $name = fresh('product');
    my @answers = settle(twenty(wire(POST => '/products', { name => $name, price => $round }, token => $token,
        headers => { 'Idempotency-Key' => "\"$name\"" })));
    is_deeply([grep { $_ != 201 } map { $_->{status} } @answers], [], "round $round: all of twenty identical requests are answered with 201");
    my %bodies = map { $_->{body} => 1 } @answers;
    is(scalar keys %bodies, 1, 'with the same product');
    is(scalar(grep { !$_->{headers}{'idempotency-replayed'} } @answers), 1, 'one answer is no replay');
    is($db->selectrow_array('SELECT COUNT(*) FROM products WHERE name = ?', undef, $name), 1, 'one product is stored');
}

# With different bodies, the one that is first decides.
for my $round (1 .. 5) {
    my $name = fresh('product');
    my @answers = settle(map { [$_ % 2 ? $one : $two, wire(POST => '/products', { name => $name, price => $_ }, token => $token,
        headers => { 'Idempotency-Key' => "\"$name\"" })] } 1 .. 10);
    my %n;
    $n{ $_->{status} }++ for @answers;
    is_deeply(\%n, { 201 => 1, 422 => 9 }, "round $round: one of ten different requests is served, the others are refused");
    is($db->selectrow_array('SELECT COUNT(*) FROM products WHERE name = ?', undef, $name), 1, 'one product is stored');
}

# A batch: updates of the same products, too, and without atomic an operation that fails.
my @ids = map { $one->api(POST => '/products', { name => 'shared', price => 1 }, token => $token)->{json}{data}{id} } 1 .. 3;
for my $round (1 .. 6) {
    my ($name, $atomic) = (fresh('product'), $round % 2 ? true : false);
    my @operations = ((map { { op => 'create', body => { name => $name, price => $_ } } } 1 .. 20),
        (map { { op => 'update', id => $_, body => { name => $name } } } @ids), $atomic ? () : { op => 'delete', id => 'none' });
    my @answers = settle(twenty(wire(POST => '/products/batch', { atomic => $atomic, operations => \@operations }, token => $token,
        headers => { 'Idempotency-Key' => "\"$name\"" })));
    is_deeply([grep { $_ != 200 } map { $_->{status} } @answers], [], "batch $round: all of twenty identical ones are answered with 200");
    my %bodies = map { $_->{body} => 1 } @answers;
    is(scalar keys %bodies, 1, 'with the same results');
    is(scalar(grep { !$_->{headers}{'idempotency-replayed'} } @answers), 1, 'one answer is no replay');
    is($db->selectrow_array('SELECT COUNT(*) FROM products WHERE name = ?', undef, $name), 23, 'its products are stored once');
}

my $name = fresh();
my @answers = settle(twenty(wire(POST => '/users', { username => $name, email => "$name\@example.com", password => 'correct horse' },
    headers => { 'Idempotency-Key' => "\"$name\"" })));
is_deeply([grep { $_ != 201 } map { $_->{status} } @answers], [], 'all of twenty identical users are answered with 201, none with 409');
is($db->selectrow_array('SELECT COUNT(*) FROM users WHERE username_key = ?', undef, $name), 1, 'one user is stored');
is($db->selectrow_array('SELECT COUNT(*) FROM outbox o JOIN users u ON u.id = o.user_id WHERE u.username_key = ?', undef, $name), 1,
    'with one mail');

allow_log(qr/CAT0(?:04|06|11): /);
done_testing;
