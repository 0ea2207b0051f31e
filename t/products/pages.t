# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# runs: first
# again: mysql
# Pages anywhere in the list, and the total: both agree with the database, whichever program writes.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(insert_products);

my $server = server()->start;
$server->api(GET => '/products');
my $db = $server->database;

# MySQL has no triggers that count what is written by SQL.
sub recount { ctl_for($server, 'recount') if driver eq 'mysql' }
sub by_sql { $db->do($_[0]); recount() }

# Inserts products from..to - 1. Thousands share a time; ids are not in the order of insertion.
sub insert { my ($from, $to) = @_; insert_products($db, $from, $to, '((1763717400000 + i - i % 3001) << 20) + i * 3299 % 1000003'); recount() }

# What check finds. The products of this test are in no index, which is filled meanwhile.
sub wrong { return join "\n", grep { !/^index: / } split /\n/, problems(ctl_for($server, 'check')) }

sub page {
    my ($limit, $page) = @_;
    my $r = $server->api(GET => "/products?limit=$limit&page=$page");
    my $json = $r->{json};
    return "$r->{status} $json->{error}" if $r->{status} != 200;
    return join ' ', $json->{pagination}{total}, map { $_->{id} } @{ $json->{data} };
}

sub exact {
    my ($name) = @_;
    my $ids = $db->selectcol_arrayref('SELECT id FROM products ORDER BY n DESC');
    my @pages = ([10, 1], [7, 9], [100, 3], (map { my $l = 1 + int rand 100; map { [$l, $_] } int(@$ids / $l) + 1, int(@$ids / $l) + 2 } 1 .. 3),
        (map { my $l = 1 + int rand 100; [$l, 1 + int rand(@$ids / $l + 1)] } 1 .. 40));
    my @wrong;
    for (@pages) {
        my ($limit, $page) = @$_;
        my $from = ($page - 1) * $limit;
        my $to = $from + $limit < @$ids ? $from + $limit : @$ids;
        my $is = page($limit, $page);
        push @wrong, "limit=$limit&page=$page: " . substr $is, 0, 100 if $is ne join ' ', scalar @$ids, @$ids[$from .. $to - 1];
    }
    is_deeply(\@wrong, [], "$name: " . @$ids . ' products');
}

exact('pages of an empty catalogue');
insert(0, 3000);
exact('pages of a few thousand new products');
insert(3000, 9000);
exact('pages of more products');
is(wrong(), '', 'catalogctl check finds no wrong count');
by_sql('DELETE FROM products WHERE (n >> 20) % 10 <> 1');
exact('pages after most products are deleted');
insert(9000, 12_000);
exact('pages after more insertions');
is(wrong(), '', 'catalogctl check finds no wrong count');

# Corrupted counts.
$db->do(q(UPDATE product_counts SET n = n + 1 WHERE name = 'products'));
like(wrong(), qr/^counts: \d+ are wrong; run: catalogctl recount$/,
    'catalogctl check finds wrong counts');
is_deeply(ctl_for($server, 'recount'), { status => 0, out => '', err => '' }, 'catalogctl recount succeeds');
is(wrong(), '', 'catalogctl check finds no wrong count');
exact('pages after catalogctl recount');

by_sql('DELETE FROM products');
exact('pages after all products are deleted');
if (driver eq 'pgsql') {
    insert(0, 3000);
    ok(wait_until(30, sub { eval { $db->do('TRUNCATE products') } }), 'TRUNCATE may meet the maintenance in a deadlock');
    exact('pages after TRUNCATE');
}

done_testing;
