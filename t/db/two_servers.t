# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# again: db
# runs: first
# Two servers of one database have different lines of CatalogField, which change all the time, while both restart gracefully, one of them is
# killed while keys are filled in, and clients of both write. What is kept of the fields is that of the products in the end.
# CATALOG_ROUNDS=20 changes the lines more often; CATALOG_SEED=N changes them as before.
BEGIN { delete $ENV{COMPARE} } # the description that an answer would be compared with changes all the time
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Model qw(choose_fields);
use List::Util qw(shuffle);
use POSIX ();
use Time::HiRes qw(sleep time);

my $rounds = $ENV{CATALOG_ROUNDS} // ($ENV{AGAIN} ? 2 : 3);
my $seed = $ENV{CATALOG_SEED} // int rand 2**31;
srand $seed;
diag "CATALOG_SEED=$seed";

my $lines = "Include \"\@dir\@/fields.conf\"\nCatalogCountLimit 50";
my $one = server(mount => $lines);
my $other = server(mount => $lines, conf => 'DBDParams "' . $one->params . "\"\n");
my @servers = ($one, $other);
sub pick { return $_[int rand @_] }

# None of the field that is to be dropped, and none is required, so that each takes what the other one has created.
sub write_lines {
    my ($server, $dropped) = @_;
    my @lines = map { s/ required//r } choose_fields();
    @lines = map { s/ by=$dropped\b//r } grep { !/^CatalogField $dropped / } @lines if $dropped;
    spew($server->dir . '/fields.conf', join '', map { "$_\n" } @lines);
}
write_lines($_) for @servers;
$_->start for @servers;
my @tokens = map { register($_)->{token} } @servers;
my $db = $one->database;
$db->{AutoInactiveDestroy} = 1;
allow_kills();
allow_log(qr/CAT08[789]|CAT09[45]|AH00098: pid file .* overwritten|database is locked|CAT0\d\d: .*(?i:lock|busy|another)/);

# ---- clients ----

my $unique = 0;

sub random_values {
    my ($number) = @_;
    my %values = (
        sku => 'S-' . $number * 100_000 . '-' . ++$unique, brand => pick('Acme', 'acme', 'Bolt', undef), note => pick('red tea', 'Tea', undef),
        tags => pick(['red'], ['red', 'steel'], []), weight => pick(1, 2.5, -1, undef), quantity => int(rand(40)) - 20, color => pick('red', 'green', 'blue'),
        about => pick('kettle of steel', 'teapot', undef), born => '2020-01-0' . (1 + int rand 9), published => pick(Cpanel::JSON::XS::true, Cpanel::JSON::XS::false),
    );
    delete @values{ (shuffle(sort keys %values))[0 .. rand 5] };
    return \%values;
}

# On SQLite a write may wait too long for that of the other server (docs/sqlite.md), and is to be sent again.
sub is_fault {
    my ($r) = @_;
    return $r->{status} == 500 || (driver ne 'sqlite3' && $r->{status} == 503 && $r->{body} =~ /database unavailable/);
}

# Ends with 1 at an answer that is a fault of the server's.
sub write_products {
    my ($number, $which) = @_;
    srand $seed + $number;
    my ($server, $token, @ids) = ($servers[$which], $tokens[$which]);
    for (my $until = time + 600; time < $until; sleep 0.03) {
        my $kind = @ids < 20 ? 0 : int rand 4;
        my ($id) = $kind ? splice @ids, int rand @ids, 1 : ();
        my $r = eval {
            $kind == 0 ? $server->api(POST => '/products', { name => "n$unique", price => 1 + int rand 5, %{ random_values($number) } }, token => $token)
            : $kind == 1 ? $server->api(DELETE => "/products/$id", undef, token => $token)
            : $server->api(PUT => "/products/$id", { price => 1 + int rand 5, %{ random_values($number) } }, token => $token);
        } or next; # it has just been killed
        POSIX::_exit(1) if is_fault($r);
        push(@ids, $id // ()), next if $r->{status} == 503;
        push @ids, $kind ? $id : $r->{json}{data}{id} // () if $kind != 1;
    }
}

sub start_client {
    my ($number, $which) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    @SIG{qw(INT TERM)} = qw(DEFAULT DEFAULT);
    eval { write_products($number, $which) };
    POSIX::_exit(2);
}

my @clients = map { start_client($_, $_ % 2) } 1 .. 4;

# ---- the lines change ----

sub is_filling { return $db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0') }

# Old children would make the field anew that is dropped.
sub restart {
    my @children = map { $_->children } @servers;
    $_->graceful for @servers;
    wait_until(60, sub { !grep { kill 0, $_ } @children }) or die "old children do not end\n";
}

my ($kills, $drops) = (0, 0);
for (1 .. $rounds) {
    my $dropped = pick(qw(sku brand note weight tags color about born));
    write_lines($_, $dropped) for @servers;
    restart();
    $drops += ctl_for(pick(@servers), 'fields', 'drop', $dropped)->{status} == 0;
    write_lines($_) for @servers;
    $_->graceful for @servers;
    if (wait_until(20, \&is_filling)) {
        sleep rand 7; # the keys are filled in after five seconds
        my $victim = pick(@servers);
        $victim->kill;
        $kills++;
        $victim->start_unready;
        $victim->wait_up;
    }
    sleep rand 4;
}
cmp_ok($drops, '>', 0, 'fields were dropped');
cmp_ok($kills, '>', 0, 'a server was killed while keys were to be filled in');

# ---- the end ----

# Products with a field that has no line just now are refused, so on a busy machine there may be few.
sub count_products { return scalar $db->selectrow_array('SELECT COUNT(*) FROM products') }
ok(wait_until(120, sub { count_products() > 20 }), 'clients have written products');
kill TERM => @clients;
is_deeply([map { waitpid $_, 0; $? & 127 } @clients], [map { 15 } @clients], 'no client saw a fault of the server');
for my $server (@servers) {
    spew($server->dir . '/fields.conf', join "\n", choose_fields(1), '');
    $server->stop;
    $server->start_unready;
    $server->wait_up;
}
ok(wait_until(120, sub { $one->api(GET => '/products?sort=sku')->{status} == 200 && !is_filling() }), 'all keys of them are filled in');
for my $server (@servers) {
    is(problems(ctl_for($server, 'check')), '', 'catalogctl check finds no problem') or diag "CATALOG_SEED=$seed";
}

done_testing;
