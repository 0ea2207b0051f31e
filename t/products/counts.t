# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# The parameter count, and CatalogCountLimit.
use CatalogTest;

my $server = server(mount => 'CatalogCountLimit 5')->start;
my $token = register($server)->{token};
$server->api(POST => '/products', { name => "p$_", price => $_, category => $_ % 2 ? 'odd' : 'even' }, token => $token) for 1 .. 14;

sub pagination { return $server->api(GET => "/products?$_[0]")->{json}{pagination} }
sub numbers { my ($page, $limit, $total) = @_; return { page => $page, limit => $limit, total => $total, pages => int(($total + $limit - 1) / $limit) } }

my $capped = { %{ numbers(1, 2, 5) }, totalRelation => 'gte' };
my @cases = (
    ['', numbers(1, 10, 14), 'without conditions the total is exact'],
    ['limit=2', numbers(1, 2, 14), 'on each page'],
    ['limit=2&sort=name', numbers(1, 2, 14), 'in each order'],
    ['limit=2&count=exact', numbers(1, 2, 14), 'with count=exact too'],
    ['limit=2&count=capped', numbers(1, 2, 14), 'with count=capped too'],
    ['limit=2&count=none', { page => 1, limit => 2 }, 'count=none leaves it out'],
    ['limit=2&category=odd', numbers(1, 2, 7), 'of a category too'],
    ['limit=2&category[in]=even,none,odd', numbers(1, 2, 14), 'and of several'],
    ['limit=2&price[gte]=3', $capped, 'with other conditions it is capped'],
    ['limit=2&price[gte]=3&category[in]=even,odd', $capped, 'of several categories too'],
    ['limit=2&price[gte]=3&count=capped', $capped, 'with count=capped too'],
    ['limit=2&price[gte]=3&count=exact', numbers(1, 2, 12), 'count=exact counts all'],
    ['limit=2&price[gte]=3&count=none', { page => 1, limit => 2 }, 'count=none leaves it out with conditions'],
    ['limit=2&price[gte]=10', numbers(1, 2, 5), 'a total up to the limit is exact'],
    ['limit=2&q=p', $capped, 'a search is capped'],
    ['cursor=&limit=20', { limit => 20 }, 'by cursor there is no total'],
    ['cursor=&limit=20&price[gte]=3', { limit => 20 }, 'with conditions neither'],
    ['cursor=&limit=20&price[gte]=3&count=exact', { limit => 20, total => 12 }, 'but with count=exact'],
    ['cursor=&limit=20&count=capped', { limit => 20, total => 14 }, 'and with count=capped'],
);
for (@cases) {
    my ($query, $want, $name) = @$_;
    is_deeply(pagination($query), $want, "$name: ?$query");
}

# ---- pages beyond what is counted ----

my @ids = map { map { $_->{name} } @{ $server->api(GET => "/products?price[gte]=3&limit=4&page=$_")->{json}{data} } } 1 .. 4;
is_deeply(\@ids, [map { "p$_" } reverse 3 .. 14], 'pages beyond what is counted have their products');
my $r = $server->api(GET => '/products?price[gte]=3&limit=2&page=2');
is($r->{headers}{link}, join(', ', map { my ($page, $rel) = @$_; qq(<?page=$page&price%5Bgte%5D=3&limit=2>; rel="$rel") }
    [1, 'first'], [1, 'prev'], [3, 'next']), 'a list whose end is not known has no last page');
$r = $server->api(GET => '/products?price[gte]=3&limit=2&count=none');
like($r->{headers}{link}, qr/rel="first", <\?page=2&price%5Bgte%5D=3&count=none&limit=2>; rel="next"$/, 'nor has one that is not counted');

for my $bad ('', 'all', 'EXACT', '%ff') {
    answers($server->api(GET => "/products?count=$bad"), 400, invalid(count => 'unknown'), "count=$bad is refused");
}
answers($server->api(GET => '/products?count=none&count=none'), 400, invalid(count => 'duplicate'), 'count twice is refused');

done_testing;
