# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# route: POST /register
# mpm: event
# runs: last
# hashes: real
# 4,000 writes of products (10,000 in make nightly; 2,000 where the database is a process of its own, which the test does not kill) and 80
# registrations, whose cost is the hashing of passwords, from 32 connections while a child is killed each second, or less often on a slow machine:
# every acknowledged write is stored exactly once.
use CatalogLoad;
use CatalogTest;
use List::Util qw(sum0 uniq);
use Time::HiRes qw(sleep time);

# No more registrars than one child's queue allows, as one child may get all connections. A cycle is five writes.
use constant WRITES => $ENV{CATALOG_WRITES} // (driver eq 'sqlite3' ? 4000 : 2000);
use constant { REGISTRARS => 8, REGISTRATIONS => 10, WRITERS => 24, CYCLES => WRITES / 24 / 5 + 1 };

my $server = server(mount => <<'END')->start;
    CatalogBaseURL  https://shop.test
    CatalogMail     "file:@dir@/data/mail"
    CatalogMailFrom catalogue@catalog.test
END
my $first = register($server);
my %token = (token => $first->{token});

# ---- a client ----

sub ask {
    my ($client, $journal, @request) = @_;
    my $r = $client->ask_once(@request);
    $journal->{answers}{"$request[0] $r->{status}"}++;
    sleep $r->{headers}{'retry-after'} if $r->{status} == 503;
    return $r;
}

# Repeats the request until an answer other than 503 arrives; returns it and the number of requests without an answer.
sub insist {
    my ($client, $journal, @request) = @_;
    my $lost = 0;
    for (1 .. 100) {
        my $r = ask($client, $journal, @request);
        return ($r, $lost) unless $r->{status} == 0 || $r->{status} == 503;
        $lost++ if $r->{status} == 0;
    }
    die "no answer to $request[0] $request[1] after 100 tries\n";
}

sub wrong { push @{ $_[0]{wrong} }, "$_[1]: $_[2]{text}" }

# Does not repeat a creation without an answer, which might create two products: the next one has another name.
sub create {
    my ($client, $journal) = @_;
    while (1) {
        my $name = fresh('product');
        my $r = ask($client, $journal, POST => '/products', { name => $name, price => 1 }, %token);
        if ($r->{status} == 201) {
            $journal->{products}{ $r->{json}{data}{id} } = "$name 1";
            return ($name, $r->{json}{data}{id});
        }
        $journal->{unanswered}{"$name 1"} = 1 if $r->{status} == 0;
        wrong($journal, POST => $r) unless $r->{status} == 0 || $r->{status} == 503;
    }
}

sub update {
    my ($client, $journal, $name, $id, $price) = @_;
    my ($r) = insist($client, $journal, PUT => "/products/$id", { price => $price }, %token);
    wrong($journal, PUT => $r) unless $r->{status} == 200;
    $journal->{products}{$id} = "$name $price";
}

sub remove {
    my ($client, $journal, $id) = @_;
    my ($r, $lost) = insist($client, $journal, DELETE => "/products/$id", %token);
    wrong($journal, DELETE => $r) unless $r->{status} == 200 || $r->{status} == 404 && $lost;
    delete $journal->{products}{$id};
}

sub enroll {
    my ($client, $journal) = @_;
    my $name = fresh();
    my %user = (username => $name, email => "$name\@example.com", password => 'correct horse');
    my ($r, $lost) = insist($client, $journal, POST => '/register', \%user);
    wrong($journal, register => $r) unless $r->{status} == 201 || $r->{status} == 409 && $lost;
    push @{ $journal->{users} }, $name;
}

sub work {
    my ($client, $number) = @_;
    my %journal = (answers => {}, products => {}, unanswered => {}, users => [], wrong => []);
    if ($number < REGISTRARS) {
        enroll($client, \%journal) for 1 .. REGISTRATIONS;
        return \%journal;
    }
    for my $cycle (1 .. CYCLES) {
        my ($name, $id) = create($client, \%journal);
        update($client, \%journal, $name, $id, $cycle);
        update($client, \%journal, create($client, \%journal), $cycle + 0.5);
        remove($client, \%journal, $id);
    }
    return \%journal;
}

# ---- load ----

my ($pause, $start, $kills) = (slowness(), time, 0);
my $clients = clients($server, REGISTRARS + WRITERS, \&work);
while ($clients->are_running) {
    sleep $pause; # httpd needs that long to replace a child
    my @children = $server->children;
    $kills += kill KILL => $children[rand @children];
}
my @journals = $clients->results;
my $took = time - $start;

my %answers;
for my $journal (@journals) {
    $answers{$_} += $journal->{answers}{$_} for keys %{ $journal->{answers} };
}
my @users = map { @{ $_->{users} } } @journals;
my %products = map { %{ $_->{products} } } @journals;
my %unanswered = map { %{ $_->{unanswered} } } @journals;
note sprintf '%.1f s, %d kills: %s', $took, $kills, join ', ', map { "$answers{$_} $_" } sort keys %answers;
cmp_ok($kills, '>=', $took / $pause / 2, 'at least one child is killed every two seconds, of an idle machine');
is(scalar @users, REGISTRARS * REGISTRATIONS, 'all registrations succeed');
my $writes = sum0(map { $answers{$_} // 0 } 'POST 201', 'PUT 200', 'DELETE 200') - @users;
cmp_ok($writes, '>=', WRITES, 'so do all writes');
my @wrong = map { @{ $_->{wrong} } } @journals;
ok(!@wrong, 'no answer has an unexpected status') or diag join "\n", @wrong;

# ---- the stored rows ----

my $db = $server->database;
is($db->selectrow_array('PRAGMA integrity_check'), 'ok', 'the database passes the integrity check') if driver eq 'sqlite3';

my %stored = map { $_->[0] => "$_->[1] $_->[2]" } @{ $db->selectall_arrayref('SELECT id, name, price FROM products') };
my %known = map { $_ => $stored{$_} } grep { exists $products{$_} } keys %stored;
my @others = map { $stored{$_} } grep { !exists $products{$_} } keys %stored;
is_deeply(\%known, \%products, 'the database has each product as it was acknowledged last');
is_deeply([grep { !$unanswered{$_} } @others], [], 'only unanswered requests created other products');
is(scalar(uniq values %stored), scalar(keys %stored), 'no product is stored twice');

my %listed;
for (my $page = 1, my $pages = 1; $page <= $pages; $page++) {
    my $r = $server->api(GET => "/products?limit=100&page=$page");
    $listed{ $_->{id} } .= "$_->{name} $_->{price}" for @{ $r->{json}{data} };
    $pages = $r->{json}{pagination}{pages};
}
is_deeply(\%listed, \%stored, 'the list has the stored products, each once');

my @names = sort $first->{user}{username}, @users;
is_deeply([sort @{ $db->selectcol_arrayref('SELECT username FROM users') }], \@names, 'each user is stored once');
my ($sessions) = $db->selectrow_array('SELECT COUNT(*) FROM users JOIN sessions ON user_id = users.id');
is($sessions, scalar @names, 'each user has one session');

# ---- mail ----

# A child that is killed while it sends leaves the mail leased: expire the lease at once.
takes_less($server->stop, 5, 'the server stops within five seconds');
$db->do("UPDATE outbox SET next_at = created_at WHERE lease != ''");
$start = time;
$server->start;
my $left = sub { $db->selectrow_array('SELECT COUNT(*) FROM outbox') };
ok(wait_until(30, sub { !$left->() }), 'the outbox is emptied') or diag $left->() . ' mails are left';
note sprintf '%.1f s for the mail', time - $start;
my @recipients = map { slurp($_) =~ /^To: <?([^>\r]+)/m } glob "$server->{dir}/data/mail/*.eml";
is_deeply([sort @recipients], [sort map { "$_\@example.com" } @names], 'each user receives one mail');

allow_kills();
allow_log(qr/CAT011: /, qr/AH10159: /); # waiting to hash; a killed child counts until httpd has replaced it
done_testing;
