# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# Lists with conditions: what each operator compares, and what is refused.
use CatalogTest;
use CatalogTest::Ids qw(twin_of);
use Time::HiRes ();

my $server = server()->start;
my $token = register($server)->{token};
my (%made, @order);

# name, category, price, rating, inStock
my @products = (
    ['Red Kettle', 'tea', 5, 4.5, true],
    ["Red k\x{e9}ttle", 'Tea', 5.0, undef, false],
    ['teapot', 'tea', 19.99, 0, true],
    ['A, B', 'a,b', 0, 5, true],
    ['100 %', 'a\\', 1e300, undef, false],
    ["Stra\x{df}e", '', 7, 3, true],
);
for (@products) {
    my ($name, $category, $price, $rating, $stock) = @$_;
    Time::HiRes::sleep(0.002); # no two of the same millisecond
    my $r = $server->api(POST => '/products', { name => $name, category => $category, price => $price, inStock => $stock,
        defined $rating ? (rating => $rating) : () }, token => $token);
    $made{$name} = $r->{json}{data};
    unshift @order, $name;
}

sub list { $server->api(GET => "/products?$_[0]") }
sub time_of { $made{ $_[0] }{createdAt} }
sub id_of { $made{ $_[0] }{id} }

# query, numbers of the products that match
my @cases = (
    ['category=tea', 0, 2], ['category=Tea', 1], ['category=TEA'], ['category=', 5], ['name=teapot', 2], ['name=tea'],
    ['name=Red+k%C3%A9ttle', 1], ['name=Red%20Kettle', 0],
    ['category[ne]=tea', 1, 3, 4, 5], ['category%5Bne%5D=', 0 .. 4], ['category%5bne%5d=', 0 .. 4],
    ['name[gte]=STRASSE', 2, 5], ['name[gt]=strasse', 2], ['name[lt]=red%20kettle', 3, 4], ['name[lte]=RED+KETTLE', 0, 1, 3, 4],
    ['name[prefix]=red', 0, 1], ['name[prefix]=stras', 5], ['name[prefix]=STRA%C3%9F', 5], ['name[prefix]=100+%25', 4],
    ['name[prefix]=_'], ['category[prefix]=TEA', 0, 1, 2], ['category[prefix]=%25'],
    ['category[in]=tea,Tea', 0, 1, 2], ['category[in]=a%5C,b', 3], ['category[in]=a\\,b,', 3, 5], ['category[in]=a%5C%5C', 4],
    ['category[in]=a\\', 4], ['category[in]=a,b'], ['name[in]=teapot,teapot', 2],
    ['price=5', 0, 1], ['price=5.00', 0, 1], ['price=0.5e1', 0, 1], ['price=-5'], ['price[ne]=5', 2 .. 5], ['price[gte]=5', 0, 1, 2, 4, 5],
    ['price[gt]=5', 2, 4, 5], ['price[lt]=5', 3], ['price[lte]=5', 0, 1, 3], ['price[gte]=-1', 0 .. 5], ['price[lt]=-1'],
    ['price[lt]=1e-300', 3], ['price[in]=0,-0,0.0', 3], ['price[in]=5,7,19.99', 0, 1, 2, 5], ['price=1e300', 4], ['price=19.9900000000000000000', 2], ['price=19.990000001'],
    ['price[gt]=5&price[lt]=10', 5], ['price[gt]=10&price[lt]=5'],
    ['inStock=true', 0, 2, 3, 5], ['inStock=false', 1, 4], ['inStock[in]=true,false', 0 .. 5], ['inStock[in]=false', 1, 4],
    ['rating=0', 2], ['rating[exists]=true', 0, 2, 3, 5], ['rating[exists]=false', 1, 4], ['rating[lt]=3', 2], ['rating[ne]=3', 0, 2, 3],
    ['rating[gte]=-1', 0, 2, 3, 5], ['rating[lte]=-1'], ['rating=-1'], ['rating[in]=-1,3', 5], ['rating[ne]=-1', 0, 2, 3, 5],
    ['createdAt=' . time_of('teapot'), 2], ['createdAt[gt]=' . time_of('teapot'), 3 .. 5], ['createdAt[lte]=' . time_of('teapot'), 0 .. 2],
    ['createdAt[gte]=2000-02-29T00:00:00%2B01:00', 0 .. 5], ['createdAt[lt]=1999-12-31T23:59:59z'],
    ['createdAt[in]=' . join(',', map { time_of($_) } 'teapot', 'A, B'), 2, 3],
    ['id=' . id_of('teapot'), 2], ['id[in]=' . join(',', map { id_of($_) } 'A, B', 'teapot'), 2, 3],
    ['id=01a1fdf9-d28a-7c59-b8ec-c42b5a960857'], ['id=' . twin_of(id_of('teapot'))], ['id[in]=' . join(',', twin_of(id_of('teapot')), id_of('A, B')), 3],
    ['id=ffffffff-ffff-7fff-bfff-ffffffffffff'],
    ['category=tea&price[lt]=10&inStock=true&rating[exists]=true', 0],
);
for (@cases) {
    my ($query, @numbers) = @$_;
    my %is_wanted = map { $products[$_][0] => 1 } @numbers;
    my @data = map { $made{$_} } grep { $is_wanted{$_} } @order;
    answers(list($query), 200, { success => true, data => \@data,
        pagination => { page => 1, limit => 10, total => scalar @data, pages => @data ? 1 : 0 } }, "$query matches @numbers");
}

# ---- pages, links, tags, cache ----

my $r = list('price[gte]=5&category[ne]=tea&limit=1&page=2');
answers($r, 200, { success => true, data => [$made{'100 %'}], pagination => { page => 2, limit => 1, total => 3, pages => 3 } },
    'conditions and pages go together');
is($r->{headers}{link}, join(', ', map { my ($page, $rel) = @$_; qq(<?page=$page&price%5Bgte%5D=5&category%5Bne%5D=tea&limit=1>; rel="$rel") }
    [1, 'first'], [1, 'prev'], [3, 'next'], [3, 'last']), 'links have all parameters');
is(list('category%5Bne%5D=tea&page=2&price%5bgte%5D=5.0&limit=1')->{headers}{etag}, $r->{headers}{etag}, 'the same question has the same tag');
answers($server->api(GET => '/products?price[gte]=5&category[ne]=tea&limit=1&page=2', headers => { 'If-None-Match' => $r->{headers}{etag} }),
    304, '', 'its tag is compared');
$server->api(PUT => '/products/' . id_of('teapot'), { category => 'pots' }, token => $token);
is(list('category=tea')->{json}{pagination}{total}, 1, 'an update takes a product out of a list');
is(list('category=pots')->{json}{pagination}{total}, 1, 'and puts it into another one');
$server->api(DELETE => '/products/' . id_of('teapot'), token => $token);
is(list('category=pots')->{json}{pagination}{total}, 0, 'a deleted product is in none');
is(list('id[in]=' . join ',', map { sprintf '01a1fdf9-d28a-7c59-b8ec-%012x', $_ } 1 .. 100)->{headers}{link}, undef,
    'a question of kilobytes has no Link');

# ---- by cursor ----

my $first = list('price[gte]=5&limit=2&cursor=');
my $next = $first->{json}{pagination}{nextCursor};
is_deeply([map { $_->{name} } map { @{ list("price[gte]=5&limit=9&cursor=$_")->{json}{data} } } '', $next],
    ["Stra\x{df}e", '100 %', "Red k\x{e9}ttle", 'Red Kettle', "Red k\x{e9}ttle", 'Red Kettle'], 'a cursor continues a list with conditions');
for my $other ('', '&price[gte]=6', '&price[gt]=5', '&price[gte]=5&sort=name', '&price[gte]=5&q=red', '&price[gte]=5&inStock=true') {
    answers(list("cursor=$next$other"), 400, refusal(message => 'Invalid cursor', error => qr/other conditions/), "its cursor is none of ?$other");
}

# ---- faults ----

my @faults = (
    ['price=x', 'price' => 'type'], ['price=', 'price' => 'type'], ['price=05', 'price' => 'type'], ['price=%2B5', 'price' => 'type'],
    ['price=1e999', 'price' => 'type'], ['inStock=1', 'inStock' => 'type'], ['rating[exists]=maybe', 'rating[exists]' => 'type'],
    ['createdAt[gt]=2026-11-21', 'createdAt[gt]' => 'format'], ['id=1', 'id' => 'format'], ['name=', 'name' => 'too_short'],
    ['name[prefix]=', 'name[prefix]' => 'too_short'], ['category=' . 'x' x 101, 'category' => 'too_long'], ['category=%ff', 'category' => 'encoding'],
    ['price[foo]=1', 'price[foo]' => 'operator'], ['price[]=1', 'price[]' => 'operator'], ['price[eq]=1', 'price[eq]' => 'operator'],
    ['inStock[ne]=true', 'inStock[ne]' => 'operator'], ['id[gt]=x', 'id[gt]' => 'operator'], ['name[exists]=true', 'name[exists]' => 'operator'],
    ['price[prefix]=1', 'price[prefix]' => 'operator'], ['price[gte=1', 'price[gte' => 'operator'],
    ['colour[gte]=1', 'colour[gte]' => 'unknown'], ['%5Bgte%5D=1', '[gte]' => 'unknown'],
    ['price=1&price=1', 'price' => 'duplicate'], ['price[gte]=1&price%5Bgte%5D=2', 'price[gte]' => 'duplicate'],
    ['price[in]=' . join(',', 1 .. 101), 'price[in]' => 'too_many'],
    (map { ["$_\[in]=", "$_\[in]" => 'too_short'], ["$_\[in][]=&$_\[in][]=", "$_\[in]" => 'too_short'] } qw(id name price category inStock rating createdAt)),
    [join('&', map { my $f = $_; map { "$f\[$_]=1" } qw(ne lt lte gt gte) } qw(name category price rating)) . '&name=x', 'name' => 'too_many'],
    ['price=x&colour[gte]=1&price[foo]=1&fields=x&inStock=2',
        'price' => 'type', 'colour[gte]' => 'unknown', 'price[foo]' => 'operator', 'fields' => 'unknown', 'inStock' => 'type'],
    ['category[in]=' . join(',', map { $_ . '+' x 98 } 10 .. 60), 'parameters' => 'too_long'],
);
for (@faults) {
    my ($query, @errors) = @$_;
    answers(list($query), 400, invalid(@errors), substr($query, 0, 60) . ' is refused');
}
answers(list('inStock[ne]=true&rating[foo]=1'), 400, { %{ invalid('inStock[ne]' => 'operator', 'rating[foo]' => 'operator') },
    error => 'inStock[ne] must have the operator in; rating[foo] must have one of the operators ne, exists, lt, lte, gt, gte, in' },
    'the operators of the field are named');
answers(list('price[in]=' . join ',', 1 .. 100), 200, undef, 'a hundred values are accepted');
answers(list(join '&', map { my $f = $_; map { "$f\[$_]=1" } qw(ne lt lte gt gte) } qw(name category price rating)), 200, undef,
    'twenty conditions are accepted');
answers(list('page[]=2&limit[gte]=1'), 200, undef, 'page and limit stay forgiving', 'catalog-ignored' => 'page%5B%5D, limit%5Bgte%5D');

# ---- what is not indexed ----

my $few = server(mount => 'CatalogIndex category')->start;
answers($few->api(GET => '/products?category=x&inStock=true&sort=category,inStock,createdAt'), 200, undef, 'what is indexed can be asked for');
answers($few->api(GET => '/products?price=1&name[prefix]=x&rating[exists]=true&q=x'), 400,
    invalid(price => 'no_index', 'name[prefix]' => 'no_index', 'rating[exists]' => 'no_index', q => 'no_index'),
    'what is not indexed is refused');
answers($few->api(GET => '/products?sort=price'), 400, invalid(sort => 'no_index'), 'so is an order');

done_testing;
