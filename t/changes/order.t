# SPDX-License-Identifier: Apache-2.0
# route: GET /changes
# again: db
# runs: first
# Whoever follows the changes misses none and gets none twice, while 16 clients write at once, and other transactions that write stay open, and
# are committed or rolled back when those that began later are long done.
use CatalogTest;
use Time::HiRes qw(sleep time);

my ($WRITERS, $WRITES, $SHARED) = (16, 30, 12);
my $server = server(conf => "CatalogCacheSize 0\n")->start;
my $token = register($server)->{token};

sub call { my ($method, $path, $body) = @_; return $server->api($method => $path, $body, token => $token, patience => 60) }
sub created { call(POST => '/products', { name => "n$_[0]", price => $_[0] + 0 })->{json}{data}{id} }

my @shared = map { created($_) } 1 .. $SHARED;

# Creates, changes and deletes products: those that all writers change, and its own.
sub write_products {
    my ($number) = @_;
    my @own;
    srand $number;
    for my $n (1 .. $WRITES) {
        my $one = rand;
        push @own, created("$number$n") if $one < 0.3;
        call(PUT => "/products/$shared[rand @shared]", { price => "$number.$n" + 0 }) if $one >= 0.3 && $one < 0.7;
        call(PUT => "/products/$own[rand @own]", { name => "w$number-$n" }) if @own && $one >= 0.7 && $one < 0.85;
        call(DELETE => '/products/' . splice @own, rand @own, 1) if @own && $one >= 0.85;
    }
}

# Transactions of another program that notes its changes as the server does.
sub hold_transactions {
    my $db = $server->database;
    for my $n (1 .. 5) {
        my $id = sprintf '01a1fee5-af25-7514-8a69-%012d', $n;
        my @now = (1_795_000_000_000 + $n);
        $db->do(driver eq 'sqlite3' ? 'BEGIN IMMEDIATE' : 'BEGIN');
        $db->do(q(INSERT INTO products (id, name, price, category, in_stock, created_at) VALUES (?, 'held', '1', '', 1, ?)), undef, $id, @now);
        $db->do(q(INSERT INTO changes (product_id, at, batch, op) VALUES (?, ?, 1, 'create')), undef, $id, @now);
        sleep(driver eq 'sqlite3' ? 0.1 : 0.8);
        $db->do($n % 2 ? 'COMMIT' : 'ROLLBACK');
        sleep 0.2;
    }
}

sub in_another { my ($work) = @_; my $pid = fork // die "fork: $!\n"; return $pid if $pid; eval { $work->(); 1 } or warn $@; POSIX::_exit($@ ? 1 : 0) }
require POSIX;

my @running = ((map { my $n = $_; in_another(sub { write_products($n) }) } 1 .. $WRITERS), in_another(\&hold_transactions));
my (%copy, %op, @faults);
my ($next, $last, $count, $failed) = (0, 0, 0, 0);

# What a program that keeps a copy does.
sub follow {
    my $answer = call(GET => "/changes?since=$next&limit=70&include=product")->{json};
    for my $change (@{ $answer->{data} }) {
        push @faults, "$change->{seq} follows $last" if $change->{seq} <= $last;
        push @faults, "$change->{id}: $change->{op} after " . ($op{ $change->{id} } // 'nothing')
            if $change->{op} eq 'create' xor !defined $op{ $change->{id} } or ($op{ $change->{id} } // '') eq 'delete';
        ($last, $op{ $change->{id} }) = @$change{qw(seq op)};
        $copy{ $change->{id} } = $change->{product};
        delete $copy{ $change->{id} } if !$change->{product};
        $count++;
    }
    $next = $answer->{next};
    return scalar @{ $answer->{data} };
}
while (@running) {
    follow() or sleep 0.02;
    @running = grep { my $left = waitpid $_, POSIX::WNOHANG(); $failed += $left && $? != 0; !$left } @running;
}
is($failed, 0, 'all have written');
my $db = $server->database;
my $noted = $db->selectrow_array('SELECT COUNT(*) FROM changes');
cmp_ok($noted, '>', 200, 'the history has many changes');
wait_until(20, sub { follow(); return $count >= $noted });
sleep 1.2;
follow();
is($count, $noted, 'each is read once');
is_deeply(\@faults, [], 'in the order of their numbers and of the changes of each product') or diag join "\n", @faults[0 .. 5];
my %table = map { $_->{id} => $_ } @{ call(GET => '/products?limit=1000')->{json}{data} };
is(scalar(keys %copy), scalar(keys %table), 'the copy has as many products as the table');
is_deeply(\%copy, \%table, 'and they are the same');

# case: whoever has noted changes and takes long to commit them holds up nobody
if (driver ne 'sqlite3') {
    $db->do('BEGIN');
    $db->do(q(INSERT INTO changes (product_id, at, batch, op) VALUES ('held', 0, 1, 'create')));
    my $began = time;
    is(call(PUT => "/products/$shared[0]", { price => 77 })->{status}, 200, 'another product is changed');
    is(call(POST => '/products', { name => 'new', price => 1 })->{status}, 201, 'and one is created');
    cmp_ok(time - $began, '<', 2, 'at once');
    $db->do('ROLLBACK');
}
done_testing;
