# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: POST /register
# case: 10
# db: sqlite3
# A limit on the database's pages acts as a full disk. There is no history, which keeps what is deleted.
use CatalogTest;

my $server = server(mount => 'CatalogHistory Off', conf => 'DBDInitSQL "PRAGMA max_page_count=110"')->start;
my $user = register($server);
my $full = { success => false, message => 'Disk full', error => 'a disk of the server or of its database is full; ask the administrator for room' };
my @made;

sub create { return $server->api(POST => '/products', { name => 'x' x 200, price => 1, category => 'y' x 100 },
    token => $user->{token}) }

my @answers = map { create() } 1 .. 400;
push @made, map { $_->{json}{data}{id} } grep { $_->{status} == 201 } @answers;
my @refused = grep { $_->{status} != 201 } @answers;
cmp_ok(scalar @made, '>', 10, 'more than ten products fit');
cmp_ok(scalar @refused, '>', 0, 'the database reaches its largest size');
answers($_, 507, $full, 'a write to the full database gets a 507', 'retry-after' => qr/^[1-9]\d*$/) for @refused[0, -1];
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
# case: the history takes room for what a deletion takes away, until it is switched off
my $kept = server(mount => "CatalogHistory 30d\nCatalogRateLimit Off", conf => 'DBDInitSQL "PRAGMA max_page_count=140"')->start;
$user = register($kept);
my %token = (token => $user->{token});
my %product = (name => 'x' x 200, price => 1, category => 'y' x 100);
my (@ids, $r);
while (1) {
    $r = $kept->api(POST => '/products', \%product, %token);
    last if $r->{status} != 201;
    push @ids, $r->{json}{data}{id};
}
is($r->{status}, 507, 'the database is full');
my @scattered = @ids[map { my $n = $_; grep { $_ % 7 == $n } 0 .. $#ids } 0 .. 6]; # none of the first ones empties a page
my @deleted = map { $kept->api(DELETE => "/products/$_", undef, %token)->{status} } @scattered;
ok(scalar(grep { $_ == 507 } @deleted), 'and deletions are refused');
my $file = $kept->dir . '/httpd.conf';
spew($file, slurp($file) =~ s/CatalogHistory 30d/CatalogHistory Off/r);
$kept->graceful;
@ids = map { $_->{id} } @{ $kept->api(GET => '/products?limit=1000')->{json}{data} };
ok(wait_until(20, sub { $kept->api(DELETE => "/products/$ids[0]", undef, %token)->{status} == 200 }), 'without a history a deletion is not') && shift @ids;
is(join(' ', map { $kept->api(DELETE => "/products/$_", undef, %token)->{status} } @ids), join(' ', (200) x @ids), 'nor are the others');

done_testing;
