# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# runs: last
# again: mpm
# Readers race writers while children are killed and the server restarts: no answer is older than a write that was acknowledged before
# its request. Runs for some seconds, or longer: make one T=t/load/cache.t SECONDS=60.
use CatalogLoad;
use CatalogTest;
use List::Util qw(sum0);
use Time::HiRes qw(sleep time);

use constant { PRODUCTS => 12, WRITERS => 3, READERS => 5, LIFE => $ENV{SECONDS} // 5, AGE => 2 };

my $is_file = driver eq 'sqlite3';
my $server = server(conf => <<'END', mount => $is_file ? '' : 'CatalogCacheMaxAge ' . AGE)->start;
<Location "/server-status">
    SetHandler server-status
</Location>
END
my %token = (token => forge());
my @ids = map { $server->api(POST => '/products', { name => 'v0', price => 0 }, %token)->{json}{data}{id} } 1 .. PRODUCTS;
my %number = map { $ids[$_] => $_ } 0 .. $#ids;
my $end = time + LIFE;

# ---- shared by all processes: for each product, the last price that was sent and the last that was acknowledged ----

my $ledger = scratch() . '/ledger';
spew($ledger, pack 'Q*', (0) x (2 * PRODUCTS));
my $file;

sub ledger { $file //= do { open my $f, '+<:raw', $ledger or die "$ledger: $!\n"; $f } }
sub note_price { my ($place, $n) = @_; sysseek ledger(), 8 * $place, 0; syswrite ledger(), pack 'Q', $n }

sub prices {
    sysseek ledger(), 0, 0;
    sysread ledger(), my $text, 16 * PRODUCTS;
    my @all = unpack 'Q*', $text;
    return ([@all[PRODUCTS .. $#all]], [@all[0 .. PRODUCTS - 1]]);
}

sub sends { note_price($_[0], $_[1]) }
sub acknowledged { note_price($_[0] + PRODUCTS, $_[1]) }

# ---- the clients ----

# Each product has one writer, so its prices only rise.
sub write_products {
    my ($client, $number) = @_;
    my %journal = (wrong => [], writes => 0);
    for (my $n = 1; time < $end; $n++) {
        for my $product (grep { $_ % WRITERS == $number } 0 .. ($is_file ? PRODUCTS - 3 : PRODUCTS - 1)) {
            sends($product, $n);
            my $r = $client->ask_once(PUT => "/products/$ids[$product]", { name => "v$n", price => $n }, %token);
            acknowledged($product, $n) if $r->{status} == 200;
            $journal{writes} += $r->{status} == 200;
            push @{ $journal{wrong} }, "PUT: $r->{text}" unless $r->{status} =~ /^(?:200|0|503)$/;
        }
        come_and_go($client, \%journal, $n) if $n % 5 == 0;
        sleep 0.003;
    }
    return \%journal;
}

sub come_and_go {
    my ($client, $journal, $n) = @_;
    my $r = $client->ask_once(POST => '/products', { name => "new $n", price => 1 }, %token);
    return if $r->{status} != 201;
    my $id = $r->{json}{data}{id};
    my $found = sub { my $r = $client->ask_once(@_); return $r->{status} == 200 ? index($r->{body}, $id) >= 0 : undef };
    push @{ $journal->{wrong} }, "$id is not in the list" if !($found->(GET => '/products?limit=100') // 1);
    push @{ $journal->{wrong} }, "$id is not there" if !($found->(GET => "/products/$id") // 1);
    $r = $client->ask_once(DELETE => "/products/$id", %token);
    return if $r->{status} != 200;
    push @{ $journal->{wrong} }, "$id is in the list" if $found->(GET => '/products?limit=100');
    push @{ $journal->{wrong} }, "$id is still there" if $found->(GET => "/products/$id");
}

sub read_products {
    my ($client) = @_;
    my %journal = (wrong => [], reads => 0);
    my @lists = map { "/products?limit=100$_" } '', '&page=1', '&cursor=';
    while (time < $end) {
        my $path = rand() < 0.8 ? "/products/$ids[rand @ids]" : $lists[rand @lists];
        my ($least) = prices();
        my $r = $client->ask_once(GET => $path);
        next if $r->{status} == 0 || $r->{status} == 503;
        my (undef, $most) = prices();
        $journal{reads}++;
        my $data = $r->{json}{data};
        my @shown = grep { exists $number{ $_->{id} } } ref $data eq 'ARRAY' ? @$data : $data;
        push @{ $journal{wrong} }, "$path lacks some: $r->{text}" if ref $data eq 'ARRAY' && @shown != PRODUCTS;
        for (@shown) {
            my $n = $number{ $_->{id} };
            push @{ $journal{wrong} }, "$path: $_->{id} costs $_->{price}, not $least->[$n] to $most->[$n]"
                if $_->{price} < $least->[$n] || $_->{price} > $most->[$n] || $_->{name} ne "v$_->{price}";
        }
    }
    return \%journal;
}

# Another program writes to the same database's file.
sub write_behind {
    my %journal = (wrong => [], writes => 0);
    my $db = $server->database;
    $db->sqlite_busy_timeout(5000);
    for (my $n = 1; time < $end; $n++) {
        for my $product (PRODUCTS - 2, PRODUCTS - 1) {
            sends($product, $n);
            $db->do('UPDATE products SET price = ?, name = ? WHERE id = ?', undef, $n, "v$n", $ids[$product]);
            acknowledged($product, $n);
            $journal{writes}++;
        }
        $db->do('PRAGMA wal_checkpoint(TRUNCATE)') if $n % 50 == 0;
        sleep rand 0.1;
    }
    return \%journal;
}

# ---- the race ----

my $clients = clients($server, WRITERS + READERS + $is_file, sub {
    my ($client, $number) = @_;
    return $number < WRITERS ? write_products($client, $number)
        : $number < WRITERS + READERS ? read_products($client) : write_behind();
});
my $hits = 0;
for (my $second = 1; $clients->are_running; $second++) {
    sleep 1;
    my @children = $server->children;
    $second % 3 ? kill(KILL => $children[rand @children]) : $server->graceful;
    my $status = eval { $server->api(GET => '/server-status?auto', mount => '')->{body} } // '';
    $hits = $1 if $status =~ /^CatalogCacheHits: (\d+)/m && $1 > $hits; # a restart resets the counter
}
my @journals = $clients->results;
my @wrong = map { @{ $_->{wrong} } } @journals;
my ($reads, $writes) = map { my $what = $_; sum0(map { $_->{$what} // 0 } @journals) } qw(reads writes);
note "$reads reads, $hits of them and more from memory, $writes writes";
is_deeply([splice @wrong, 0, 5], [], 'no answer is older than an acknowledged write, or mixes two');
my $slowness = slowness();
cmp_ok($reads, '>', 100 * LIFE / $slowness, 'clients read at least 100 times a second, of an idle machine');
cmp_ok($writes, '>', 20 * LIFE / $slowness, 'clients write at least 20 times a second, of an idle machine');
cmp_ok($hits, '>', $reads / 50, 'the cache answers at least one read in 50');

ok(wait_until(10, sub { (eval { $server->api(GET => '/products')->{status} } // 0) == 200 }), 'the server answers again');
sleep AGE + 1 if !$is_file;
my $stored = { map { $_->[0] => "$_->[1] $_->[2]" } @{ $server->database->selectall_arrayref('SELECT id, name, price FROM products') } };
my $shown = { map { $_->{id} => "$_->{name} $_->{price}" }
    map { @{ $server->api(GET => "/products?limit=100&page=$_")->{json}{data} } } 1 .. 3 };
is_deeply($shown, $stored, 'the list has the stored products in the end');

allow_kills();
allow_log(qr/AH10159: /, qr/CAT008: /, qr/CAT00[35]: /);
done_testing;
