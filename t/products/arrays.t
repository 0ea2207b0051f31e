# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: GET /products/export
# Lists of values as clients send arrays, a parameter for each value, with or without "[]" behind its name; and X-Total-Count.
use CatalogTest;

my $server = server(mount => "CatalogCountLimit 2\nCatalogAllowOrigin https://shop.example.com")->start;
my $token = register($server)->{token};
my %id;
for (['a', 1, 'tea'], ['b', 2, 'a,b'], ['c', 2, 'a'], ['d', 3, 'b\\'], ['e', 3, '']) {
    my $r = $server->api(POST => '/products', { name => $_->[0], price => $_->[1], category => $_->[2] }, token => $token);
    $id{ $_->[0] } = $r->{json}{data}{id};
}

sub get { my ($path, %args) = @_; return $server->api(GET => $path, %args) }
sub list { return get("/products?$_[0]") }
sub names { return join ' ', map { $_->{name} } @{ $_[0]{json}{data} } }

# ---- one question in several spellings ----

my @cases = (
    ['a b c', 'category[in]=tea,a\\,b,a&sort=name', 'category[in]=tea&sort=name&category[in]=a,b&category[in]=a',
        'category[in][]=tea&category%5Bin%5D%5B%5D=a,b&sort[]=name&category[in][]=a', 'category[in][]=a&category[in]=a,b&category[in]=tea&sort=name'],
    ['d e', 'category[in]=,b\\\\&sort=name', 'category[in]=b\\&category[in]=&sort=name', 'category[in][]=&category[in][]=b\\&sort=name'],
    ['b', 'category[in]=a\\,b', 'category[in][]=a,b', 'category[in]=a,b&category[in]=a,b'],
    ['a c b e d', 'sort=price,-name', 'sort=price&sort=-name', 'sort[]=price&sort[]=-name'],
    ['a', 'price[in]=1', 'price[in][]=1', 'price[in]=1.0&price[in]=1'],
    ['a c', "id[in]=$id{c},$id{a}&sort=id", "id[in]=$id{a}&id[in]=$id{c}&sort[]=id"],
    ['a b c d e', 'sort=id', 'sort[]=id'],
    ['e d c b a', 'sort=-id,name', 'sort=-id&sort=name'],
    ['e d c b a', 'inStock[in]=true,false', 'inStock[in]=false&inStock[in]=true'],
);
for (@cases) {
    my ($want, @spellings) = @$_;
    my @lists = map { list("$_&limit=5") } @spellings;
    is(names($_), $want, "the list: $spellings[0]") for @lists;
    is($_->{headers}{etag}, $lists[0]{headers}{etag}, 'in another spelling it has the same tag') for @lists;
    my @links = map { list("$_&limit=1&count=exact")->{headers}{link} } @spellings;
    is($_, $links[0], 'and the same links') for @links;
    my $next = list("$spellings[0]&limit=1&cursor=")->{json}{pagination}{nextCursor};
    my @rest = map { names(list("$_&cursor=" . ($next // ''))) } @spellings;
    is($_, $rest[0], 'a cursor continues it in each') for @rest;
}
is_deeply(list("fields=price&fields=name&limit=1")->{json}{data}, [{ name => 'e', price => 3 }], 'fields of a list');
is_deeply(list("fields[]=price&limit=1")->{json}{data}, [{ price => 3 }], 'fields[] of a list');
is_deeply(get("/products/$id{a}?fields=price&fields=name")->{json}{data}, { name => 'a', price => 1 }, 'fields of a product');
is_deeply(get("/products/$id{a}?fields%5B%5D=price")->{json}{data}, { price => 1 }, 'fields[] of a product');
answers(get("/products/$id{a}?fields[]=price&fields[]=x"), 400, invalid(fields => 'unknown'), 'a field that is none');
is_deeply([sort keys %{ list($_)->{json}{facets} }], [qw(category inStock)], $_) for 'facets=category&facets=inStock', 'facets[]=category&facets[]=inStock';
is(get('/products/export?format=csv&fields[]=name&fields[]=price&sort=price&sort=-name&category[in][]=a,b&category[in][]=tea')->{body},
    "name,price\r\na,1\r\nb,2\r\n", 'an export');

# ---- faults have the name without the mark ----

answers(list('category[in][]=' . 'x' x 101), 400, invalid('category[in]' => 'too_long'), 'a value that is too long');
answers(list(join '&', map { "price[in][]=$_" } 1 .. 101), 400, invalid('price[in]' => 'too_many'), 'too many values');
answers(list(join '&', map { "price[in]=$_" } 1 .. 100), 200, undef, 'a hundred values');
answers(list('sort[]=price&sort[]=colour'), 400, invalid(sort => 'unknown'), 'an order that is none');
answers(list('q[]=a'), 400, invalid('q[]' => 'unknown'), 'what is no list has no mark');
answers(list('count=none&count=none'), 400, invalid(count => 'duplicate'), 'and is there once');

# ---- X-Total-Count ----

sub counted { my ($query) = @_; return list($query)->{headers}{'x-total-count'} }
is(counted(''), 5, 'the number of products');
is(counted('limit=1'), 5, 'of any page');
is(counted('page=9'), 5, 'of one beyond the end');
is(counted('category=tea'), 1, 'of those that match');
is(counted('price[gt]=2'), 2, 'as far as they are counted');
is(counted('price[gt]=1&limit=1'), undef, 'no number where there may be more');
is(counted('price[gt]=1&count=exact'), 4, 'unless all are counted');
is(counted('price[gt]=1&count=exact'), 4, 'from the cache, too');
is(counted('count=none'), undef, 'no number where nothing is counted');
is(counted('cursor='), undef, 'nor by cursor');
is(counted('cursor=&count=exact'), 5, 'unless the client asks for it');
is($server->api(HEAD => '/products')->{headers}{'x-total-count'}, 5, 'HEAD has it');
is(get('/categories?limit=1')->{headers}{'x-total-count'}, 4, 'the list of categories has it');
like(get('/products', headers => { Origin => 'https://shop.example.com' })->{headers}{'access-control-expose-headers'}, qr/\bX-Total-Count\b/,
    'pages of other origins may read it');

done_testing;
