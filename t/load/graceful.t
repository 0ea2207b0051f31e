# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: PUT /products/:id
# route: POST /register
# case: 60 66
# mpm: event
# runs: last
# hashes: real
# Twelve graceful restarts under load, or more until some have closed idle connections just as clients use them: that is all that
# clients notice.
use CatalogLoad;
use CatalogTest;
use List::Util qw(max);
use Time::HiRes qw(sleep time);

use constant { READERS => 6, WRITERS => 6, REGISTRARS => 2, RESTARTS => 12, RESTARTS_MOST => 60, REPEATED => 10 };

# Children of several generations run side by side.
my $server = server(conf => "ServerLimit 16\nMaxRequestWorkers 512\n", mount => <<'END')->start;
    CatalogBaseURL  https://shop.test
    CatalogMail     "file:@dir@/data/mail"
    CatalogMailFrom catalogue@catalog.test
END
my $first = register($server);
my %token = (token => $first->{token});
my $end = $server->dir . '/end'; # the clients run until it exists
my $again = $server->dir . '/again'; # has a byte for each request that a client has repeated

# ---- a client ----

sub expect {
    my ($journal, $status, $r) = @_;
    $journal->{answers}{$r->{status}}++;
    push @{ $journal->{wrong} }, sprintf '%d after %.1f s: %s', @$r{qw(status took text)}
        unless $r->{status} == $status;
    return $r->{status} == $status;
}

sub read_list {
    my ($client, $journal) = @_;
    expect($journal, 200, $client->ask(GET => '/products?limit=2'));
}

# If a client repeats a POST that the server had processed, a second product remains, with the price 1.
sub write_product {
    my ($client, $journal) = @_;
    my $name = fresh('product');
    my $r = $client->ask(POST => '/products', { name => $name, price => 1 }, %token);
    expect($journal, 201, $r) or return;
    my $id = $r->{json}{data}{id};
    expect($journal, 200, $client->ask(PUT => "/products/$id", { price => 2 }, %token));
    $journal->{products}{$id} = "$name 2";
}

# If a client repeats a registration that the server had processed, it gets a 409. On a slow machine passwords may wait too long to be
# hashed.
sub enroll {
    my ($client, $journal) = @_;
    my $name = fresh();
    my @request = (POST => '/register', { username => $name, email => "$name\@example.com", password => 'correct horse' });
    my $r = $client->ask(@request);
    while ($r->{status} == 503) {
        sleep $r->{headers}{'retry-after'};
        $r = $client->ask(@request);
    }
    push @{ $journal->{users} }, $name if expect($journal, 201, $r);
}

sub work {
    my ($client, $number) = @_;
    my %journal = (answers => {}, wrong => [], products => {}, users => []);
    my $one = $number < READERS ? \&read_list : $number < READERS + WRITERS ? \&write_product : \&enroll;
    open my $repeated, '>>', $again or die "$again: $!\n";
    my $noted = 0;
    do {
        $one->($client, \%journal);
        syswrite $repeated, '.' x ($client->again - $noted);
        $noted = $client->again;
    } until -e $end;
    return \%journal;
}

# ---- load ----

sub generations { scalar(() = $server->log_text =~ /resuming normal operations/g) }

sub memory {
    my ($kib) = slurp('/proc/' . $server->pid . '/status') =~ /^VmRSS:\s+(\d+) kB/m;
    return $kib;
}

my $start = time;
my $clients = clients($server, READERS + WRITERS + REGISTRARS, \&work);
my (@memory, $took);
while (@memory < RESTARTS || (@memory < RESTARTS_MOST && -s $again < REPEATED)) {
    sleep max(0.3, $took // 0); # on a busy machine clients need longer to connect again, too
    my $begun = time;
    $server->graceful;
    wait_until(10, sub { generations() >= @memory + 2 });
    $took = time - $begun;
    push @memory, memory();
}
is(generations(), @memory + 1, 'the server restarts gracefully twelve times, or more');
sleep 0.3;
$server->write($end);
my @journals = $clients->results;

my %answers;
for my $journal (@journals) {
    $answers{$_} += $journal->{answers}{$_} for keys %{ $journal->{answers} };
}
my $repeated = -s $again;
note sprintf '%.1f s: %d repeated, %s', time - $start, $repeated, join ', ', map { "$answers{$_} $_" } sort keys %answers;
note "the parent's memory in KiB: @memory";
my @wrong = map { @{ $_->{wrong} } } @journals;
ok(!@wrong, 'no request failed') or diag join "\n", @wrong;
unlike($server->log_text, qr/exit signal/, 'no child crashed');
# Twenty restarts made clients repeat 54 to 114 requests, idle or with 30 busy loops beside, but once only 6.
cmp_ok($repeated, '>=', REPEATED, 'a restart closes idle connections just as clients use them');
cmp_ok($memory[-1] - $memory[4], '<', 4096, 'the memory of the parent does not grow') if !is_under_tsan && !is_under_asan;

# ---- the stored rows ----

my $db = $server->database;
my %stored = map { $_->[0] => "$_->[1] $_->[2]" } @{ $db->selectall_arrayref('SELECT id, name, price FROM products') };
is_deeply(\%stored, { map { %{ $_->{products} } } @journals }, 'the database has exactly the acknowledged writes');
my @users = sort $first->{user}{username}, map { @{ $_->{users} } } @journals;
is_deeply([sort @{ $db->selectcol_arrayref('SELECT username FROM users') }], \@users,
    'the database has exactly the acknowledged users');
is($db->selectrow_array('PRAGMA integrity_check'), 'ok', 'the database passes the integrity check') if driver eq 'sqlite3';

# No child ends while it sends a mail, which would then wait for its lease to expire.
ok(wait_until(20, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox') }), 'the outbox is emptied');
my @recipients = map { slurp($_) =~ /^To: <?([^>\r]+)/m } glob "$server->{dir}/data/mail/*.eml";
is_deeply([sort @recipients], [sort map { "$_\@example.com" } @users], 'each user receives one mail');

allow_log(qr/CAT011: /); # too many passwords to hash
done_testing;
