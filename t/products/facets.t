# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# The parameter facets.
use CatalogTest;

my $server = server(mount => 'CatalogCountLimit 80')->start;
my $token = register($server)->{token};
my @rows = (['tea', true], ['tea', false], ['', true], ['b "x"', true], ['tea', true], ['b "x"', true]);
$server->api(POST => '/products', { name => 'p', price => 1, category => $_->[0], inStock => $_->[1] }, token => $token) for @rows;

sub list { $server->api(GET => "/products?$_[0]") }
sub counts { my @all = @_; return [map { { value => $all[2 * $_], count => $all[2 * $_ + 1] } } 0 .. @all / 2 - 1] }

my $category = counts(tea => 3, 'b "x"' => 2, '' => 1);
my $stock = counts(true, 5, false, 1);
is_deeply(list('facets=category')->{json}{facets}, { category => $category }, 'facets=category counts the categories');
is_deeply(list('facets=inStock')->{json}{facets}, { inStock => $stock }, 'facets=inStock counts both values');
is_deeply(list($_)->{json}{facets}, { category => $category, inStock => $stock }, "$_ counts both")
    for 'facets=category,inStock', 'facets=inStock,category&limit=1&page=3', 'facets=category,inStock&cursor=&limit=1', 'facets=category,inStock&page=9';
is_deeply(list('facets=category,inStock&category=tea')->{json}{facets}, { category => counts(tea => 3), inStock => counts(true, 2, false, 1) },
    'facets are of what matches');
is_deeply(list('facets=category,inStock&q=nothing')->{json}{facets}, { category => [], inStock => [] }, 'nothing has no values');
is_deeply(list('')->{json}{facets}, undef, 'without the parameter there are none');
like(list('facets=inStock,category')->{body}, qr/,"pagination":\{[^}]*\},"facets":\{"category":.*"inStock":.*\}\}$/, 'they stand beside pagination, in the order of a product');
like(list('facets=inStock,category')->{headers}{link}, qr/facets=category,inStock/, 'links keep them');

$server->api(POST => '/products', { name => 'q', price => 1, category => sprintf 'c%02d', $_ % 60 }, token => $token) for 1 .. 74;
my $r = list('facets=category,inStock&price=1')->{json};
is(scalar @{ $r->{facets}{category} }, 50, 'the most frequent fifty values are counted');
ok(!exists $r->{facetsRelation}, 'up to CatalogCountLimit the facets are of all products');
is_deeply([map { $_->{count} } @{ $r->{facets}{category} }], [3, (2) x 15, (1) x 34], 'the most frequent are first');
$server->api(POST => '/products', { name => 'q', price => 1 }, token => $token);
is(list('facets=category&price=1')->{json}{facetsRelation}, 'gte', 'beyond it they are of so many only');

$r = list('facets=category')->{json};
ok(!exists $r->{facetsRelation}, 'but there the categories are counted, however many products there are');
is_deeply([map { $_->{count} } @{ $r->{facets}{category} }], [3, (2) x 16, (1) x 33], 'all of them');
for (['', counts(true, 80, false, 1)], ['&inStock=true', counts(true, 80)], ['&inStock=false', counts(false, 1)], ['&category=tea', counts(true, 2, false, 1)],
    ['&category[in]=tea,c01,none', counts(true, 4, false, 1)]) {
    my ($query, $want) = @$_;
    $r = list("facets=category,inStock$query")->{json};
    is_deeply($r->{facets}{inStock}, $want, "products in stock are counted too: ?$query");
    ok(!exists $r->{facetsRelation}, "all of them: ?$query");
}
is_deeply(list('facets=category&inStock=false')->{json}{facets}{category}, counts(tea => 1), 'and those of each category');
is_deeply(list('facets=category&category[in]=c01,none,tea')->{json}{facets}{category}, counts(tea => 3, c01 => 2), 'those of several categories');
is_deeply(list('facets=category&inStock=true&category[in]=c01,tea')->{json}{facets}{category}, counts(c01 => 2, tea => 2), 'in stock');
is_deeply(list('facets=category&inStock=false&category=c01')->{json}{facets}{category}, [], 'of which there may be none');

answers(list("facets=$_"), 400, invalid(facets => 'unknown'), "facets=$_ is refused") for '', 'name', 'category,price', 'Category';

# What is longer is counted by its newest products, in whichever order it is.
$server->api(POST => '/products', { name => "Lamp $_", price => $_, category => $_ <= 20 ? 'old' : 'new', inStock => $_ > 30 ? true : false }, token => $token) for 1 .. 100;
for my $query ('', '&sort=createdAt', '&sort=name', '&sort=-price', '&sort=category,-name', '&sort=relevance', '&page=3', '&limit=90', '&cursor=', '&cursor=&count=capped') {
    $r = list("facets=category,inStock&q=lamp$query")->{json};
    is_deeply([@$r{qw(facets facetsRelation)}], [{ category => counts(new => 80), inStock => counts(true, 70, false, 10) }, 'gte'], "the newest are counted: $query");
}
$r = list('facets=category&price[gt]=1&inStock=false')->{json};
is_deeply([@$r{qw(facets facetsRelation)}], [{ category => counts(old => 19, new => 10) }, undef], 'all of fewer');
$r = list('facets=category&q=lamp&limit=30&page=4')->{json};
is_deeply([$r->{pagination}{total}, $r->{facetsRelation}], [100, 'gte'], 'the last page knows the total, though not all are counted');

done_testing;
