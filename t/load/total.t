# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: DELETE /products/:id
# runs: first
# The total of the list while clients and another program write and children are killed: no answer contradicts itself, and at the end
# the total is right. SECONDS=60 makes it last longer.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(id_of insert_products n_at);
use POSIX ();
use Time::HiRes qw(sleep);

use constant { WRITERS => 4, SECONDS => $ENV{SECONDS} // 3 };

my $server = server()->start;
my $token = register($server)->{token};
my $db = $server->database;
my $count = 0;

# Runs a function repeatedly for some seconds, in another process.
sub beside {
    my ($do) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    my $end = time + SECONDS;
    my $done = eval { $do->() while time < $end; 1 };
    print STDERR $@ unless $done;
    POSIX::_exit($done ? 0 : 1);
}

# Creates some products and deletes half of them.
sub write_some {
    my @made = map { /"data":\{"id":"([^"]+)"/ } map { $_->{body} }
        eval { $server->burst((wire(POST => '/products', { name => 'x', price => 1 }, token => $token)) x 6) };
    eval { $server->burst(map { wire(DELETE => "/products/$_", token => $token) } @made[0 .. $#made / 2]) };
}

# Writes like an administrator with SQL, also among older products.
my $other;
sub write_sql {
    $other //= $server->database;
    my $time = 1_763_717_400_000 + int rand 5000;
    my $counter = 8 + ($$ * 7919 + $count++) % 1_000_000;
    my ($first, $moved) = map { n_at($_, $counter) } $time, $time + 3;
    eval {
        $other->begin_work;
        $other->do(q(INSERT INTO products (n, id, name, price, category, in_stock) VALUES (?, ?, 'x', '1', '', 1)), undef, $first, id_of($first));
        $other->do('UPDATE products SET n = ?, id = ? WHERE n = ?', undef, $moved, id_of($moved), $first);
        $other->do('DELETE FROM products WHERE n >= ? AND n < ?', undef, n_at($time - 1), n_at($time));
        rand() < 0.2 ? $other->rollback : $other->commit;
        1;
    } or eval { $other->rollback };
    sleep 0.005;
}

# Pages past the end are empty, pages before the last are full. Follows the last page as it moves, and looks into the middle.
my %seen;
sub look {
    my ($limit, $page) = (10, rand() < 0.5 ? ($seen{last} // 1) + int rand 3 : 1000 + int rand 1000);
    my $json = $server->api(GET => "/products?limit=$limit&page=$page")->{json};
    my ($total, $rows) = ($json->{pagination}{total}, scalar @{ $json->{data} });
    my $rest = $total - ($page - 1) * $limit;
    my $want = $rest < 0 ? 0 : $rest < $limit ? $rest : $limit;
    die "page $page of $total has $rows rows\n" if $rows != $want;
    $seen{last} = int($total / $limit);
}

sub right {
    my ($name) = @_;
    my ($rows) = $db->selectrow_array('SELECT COUNT(*) FROM products');
    is($server->api(GET => '/products')->{json}{pagination}{total}, $rows, "$name: the total is $rows");
    ctl_for($server, 'index'); # of what was written by SQL
    is(problems(ctl_for($server, 'check')), '', "$name: catalogctl check finds no wrong count");
}

insert_products($db, 0, 30_000, '((1763717400000 + i - i % 3) << 20) + i % 3');
ctl_for($server, 'recount') if driver eq 'mysql'; # which has no triggers that count it
my @sql = driver eq 'mysql' ? () : map { beside(\&write_sql) } 1 .. 2;
my @pids = (@sql, (map { beside(\&write_some) } 1 .. WRITERS), map { beside(\&look) } 1 .. 2);
my @failed = grep { waitpid($_, 0) != $_ || $? } @pids;
is(scalar @failed, 0, 'each page has as many products as its total allows');
right('after concurrent writes');

@pids = map { beside(\&write_some) } 1 .. WRITERS;
for (1 .. 2 * SECONDS) {
    sleep 0.4;
    kill KILL => $server->children;
}
waitpid $_, 0 for @pids;
ok(wait_until(10, sub { eval { $server->api(GET => '/products')->{status} == 200 } }), 'the server answers again');
right('after killed children');

allow_log(qr/CAT008: /, qr/CAT003: .*database is locked/) if driver eq 'sqlite3'; # while the other program writes
allow_kills();
allow_log(qr/CAT011: /);
allow_log(qr/CAT003: .*SQL_COUNTS_\w+ failed.*(?:max_statement_time|statement timeout)/); # a job on a slow machine, which repeats it
done_testing;
