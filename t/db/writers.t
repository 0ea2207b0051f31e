# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# route: POST /users
# case: 10 20 22
# db: sqlite3
# Queued writes share a transaction: each succeeds or fails by itself, and every acknowledged write is stored exactly once.
use CatalogLoad;
use CatalogTest;
use Time::HiRes qw(sleep);

use constant { CLIENTS => 32, EACH => 25 };

my $server = server(conf => 'DBDInitSQL "PRAGMA max_page_count=400"')->start;
my $token = register($server)->{token};
my $db = $server->database;

sub request { return wire(@_, token => $token) }
sub create { return request(POST => '/products', { name => $_[0], price => 1 }) }
sub made { return map { $_->{json}{data}{id} } grep { $_->{status} == 201 } @_ }
sub statuses { my %n; $n{ $_->{status} }++ for @_; return join ', ', map { "$n{$_} $_" } sort keys %n }
sub stored { return sort @{ $db->selectcol_arrayref('SELECT id FROM products') } }

# All arrive while the test locks the database: the first of each child waits for the lock, and the child's others behind it.
sub together {
    my (@requests) = @_;
    $db->do('BEGIN IMMEDIATE');
    my @sockets = map { my $s = $server->connection; print {$s} $_; $s } @requests;
    sleep 0.7;
    $db->do('COMMIT');
    return map { CatalogTest::Http::parse(join '', readline $_) } @sockets;
}

# In SQLite's write-ahead log, only the last frame of a commit has a non-zero database size.
sub commits {
    my $log = slurp($server->params . '-wal');
    my $frame = 24 + unpack 'x8N', $log;
    return scalar grep { unpack 'x4N', substr $log, 32 + $_ * $frame, 8 } 0 .. (length($log) - 32) / $frame - 1;
}

# ---- sharing ----

my $before = commits();
my @created = together(map { create("first $_") } 1 .. 40);
is(statuses(@created), '40 201', 'forty products are created');
my @ids = made(@created);
is_deeply([stored()], [sort @ids], 'each product is stored once');
my $commits = commits() - $before;
if (mpm eq 'prefork') {
    is($commits, 40, 'prefork\'s children write them in forty commits');
} else {
    cmp_ok($commits, '<=', 12, 'the children write them in few commits'); # two per child, if no request is late
}

# ---- each by itself ----

my ($changed, $removed, $nobody) = (@ids[0, 1], CatalogTest::Token::uuid());
my %same = (username => 'ada', email => 'ada@example.com', password => 'correct horse');
my @answers = together(
    (map { (create("second $_"), request(PUT => "/products/$nobody", { price => 1 }),
        request(PUT => "/products/$changed", { price => $_ }), request(DELETE => "/products/$removed"),
        wire(POST => '/users', \%same), request(DELETE => "/products/$nobody")) } 1 .. 4));
my @of = map { my $kind = $_; [map { $answers[$_ * 6 + $kind] } 0 .. 3] } 0 .. 5;
is(statuses(@{ $of[0] }), '4 201', 'creations among other writes succeed');
is(statuses(@{ $of[1] }, @{ $of[5] }), '8 404', 'writes of unknown products get a 404');
is(join(' ', map { $_->{json}{data}{price} } @{ $of[2] }), '1 2 3 4', 'each update returns its own result');
is(statuses(@{ $of[3] }), '1 200, 3 404', 'one of several deletions succeeds');
is(statuses(@{ $of[4] }), '1 201, 3 409', 'one of several registrations of a name succeeds');
push @ids, made(@{ $of[0] });
@ids = grep { $_ ne $removed } @ids;
is_deeply([stored()], [sort @ids], 'the database has exactly the acknowledged products');
is($db->selectrow_array(q(SELECT COUNT(*) FROM users JOIN outbox ON user_id = users.id WHERE username = 'ada')), 1,
    'the user is stored with one mail');

# ---- faults of one ----

# The first fault rolls back its statement, the second the whole transaction, like a full disk.
my %fault = (eve => q(ABORT, 'CHECK constraint failed: eve'), mallory => q(ROLLBACK, 'mallory was here'));
$db->do("CREATE TRIGGER $_ BEFORE INSERT ON outbox WHEN (SELECT username FROM users WHERE id = NEW.user_id) = '$_'"
    . " BEGIN SELECT RAISE($fault{$_}); END") for keys %fault;
sub user { return wire(POST => '/users', { username => $_[0], email => "$_[0]\@example.com", password => 'correct horse' }) }
for (['eve', 400], ['mallory', 503]) {
    my ($name, $status) = @$_;
    is($server->talk(user($name))->{status}, $status, "$name alone gets $status");
    my @others = map { create("beside $name $_") } 1 .. 12;
    my @around = together(splice(@others, 0, 6), user($name), user("not-$name"), @others);
    my ($faulty, $user) = splice @around, 6, 2;
    is("$faulty->{status} $user->{status}", "$status 201", "$name among other writes gets $status");
    is(statuses(@around), '12 201', "the fault of $name affects no other write");
    is_deeply($db->selectcol_arrayref('SELECT username FROM users WHERE username LIKE ?', undef, "%$name"), ["not-$name"],
        "the fault of $name leaves no row");
    push @ids, made(@around);
    is_deeply([stored()], [sort @ids], 'all other products are stored once');
}

# ---- many at once ----

my @results = clients($server, CLIENTS, sub {
    my ($client, $number) = @_;
    return [map {
        my $r = $client->ask(POST => '/products', { name => "third $number", price => $_ }, token => $token);
        { status => $r->{status}, id => $r->{json}{data}{id} }
    } 1 .. EACH];
})->results;
my @done = map { @$_ } @results;
is(statuses(@done), CLIENTS * EACH . ' 201', 'all writes of many clients succeed');
push @ids, map { $_->{id} } @done;
is_deeply([stored()], [sort @ids], 'all these products are stored once');

# ---- no room for all ----

my $text = 'x' x 100;
my @large = map { request(POST => '/products', { name => $text x 2, category => $text, price => $_ }) } 1 .. 24;
my @full;
for (1 .. 100) {
    @full = $server->burst(@large);
    push @ids, made(@full);
    last if statuses(@full) =~ /507/;
}
like(statuses(@full), qr/507/, 'the database is full');
my @doomed = splice @ids, 0, 8;
my @last = together((map { request(DELETE => "/products/$_") } @doomed), @large);
is(statuses(@last[0 .. 7]), '8 200', 'deletions in the full database succeed');
push @ids, made(@last);
is_deeply([stored()], [sort @ids], 'the database has exactly the acknowledged writes');
is($db->selectrow_array('PRAGMA integrity_check'), 'ok', 'the database passes the integrity check');

expect_log(qr/CAT003: .*full/, qr/CAT003: .*CHECK constraint failed: eve/, qr/CAT003: .*mallory was here/);
allow_log(qr/CAT008: /);
done_testing;
