# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: POST /register
# case: 10
# db: sqlite3
# A limit on the database's pages acts as a full disk. There is no history, which keeps what is deleted.
use CatalogTest;

my $server = server(mount => 'CatalogHistory Off', conf => 'DBDInitSQL "PRAGMA max_page_count=110"')->start;
my $user = register($server);
my $outage = { success => false, message => qr/./, error => 'database unavailable' };
my @made;

sub create { return $server->api(POST => '/products', { name => 'x' x 200, price => 1, category => 'y' x 100 },
    token => $user->{token}) }

my @answers = map { create() } 1 .. 400;
push @made, map { $_->{json}{data}{id} } grep { $_->{status} == 201 } @answers;
my @refused = grep { $_->{status} != 201 } @answers;
cmp_ok(scalar @made, '>', 10, 'more than ten products fit');
cmp_ok(scalar @refused, '>', 0, 'the database reaches its largest size');
answers($_, 500, $outage, 'a write to the full database gets a 500', 'retry-after' => qr/^[1-9]\d*$/) for @refused[0, -1];
is($server->api(GET => '/products')->{json}{pagination}{total}, scalar @made,
    'the database has exactly the acknowledged writes');
answers($server->api(GET => "/products/$made[0]"), 200, undef, 'a read is served');
my $users = sub { $server->database->selectrow_array('SELECT COUNT(*) FROM users') };
my @tried = map { $server->api(POST => '/register',
    { username => fresh(), email => fresh() . '@example.com', password => 'x' x 8 })->{status} } 1 .. 30;
is($users->(), 1 + grep({ $_ == 201 } @tried), 'a registration is stored as a whole or not at all');
is($server->database->selectrow_array('SELECT COUNT(*) FROM sessions'), $users->(), 'each registered user has a session');

$server->api(DELETE => "/products/$_", token => $user->{token}) for splice @made, 0, 20;
answers(create(), 201, undef, 'a write succeeds after deletions');

expect_log(qr/CAT003: .*full/);
done_testing;
