# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# Lists with conditions, words and an order.
use CatalogTest;

my $server = server(mount => 'CatalogCountLimit 20')->start;
my $token = register($server)->{token};
my @products = (
    { name => 'Red kettle', price => 25, category => 'Kitchen', inStock => Cpanel::JSON::XS::true, rating => 4.5 },
    { name => 'red cup', price => 5, category => 'Kitchen', inStock => Cpanel::JSON::XS::false },
    { name => "Caf\x{e9} cup", price => 7.5, category => 'kitchen', rating => 2 },
    { name => 'Green tea', price => 5, category => 'Tea', rating => 4.5 },
    { name => 'Reddish teapot', price => 125, category => 'tea ', rating => 0 },
    { name => 'Plain', price => 1e6 },
);
for my $product (@products) {
    is($server->api(POST => '/products', $product, token => $token)->{status}, 201, "$product->{price} is created");
}

sub names {
    my ($query) = @_;
    my $answer = $server->api(GET => "/products?$query");
    return $answer->{status} == 200 ? join(',', map { $_->{name} } @{ $answer->{json}{data} }) : "$answer->{status}";
}

my @cases = (
    # query, names in order, why
    ['category=Kitchen', 'red cup,Red kettle', 'equality compares exact text'],
    ['category=tea', '', 'blanks at the end of a stored text count'],
    ['category=tea%20', 'Reddish teapot', 'blanks at the end of a value count'],
    ['category[prefix]=KIT', "Caf\x{e9} cup,red cup,Red kettle", 'a prefix is folded'],
    ['category[in]=Tea,Kitchen', 'Green tea,red cup,Red kettle', 'in takes several values'],
    ['category=', 'Plain', 'the empty category is a value'],
    ['price[gte]=5&price[lt]=25', "Green tea,Caf\x{e9} cup,red cup", 'a range of prices'],
    ['price=5.0', 'Green tea,red cup', 'numbers are equal however they are written'],
    ['price[ne]=5&category=Kitchen', 'Red kettle', 'conditions are joined by AND'],
    ['rating[exists]=false', 'Plain,red cup', 'a rating that is not set'],
    ['rating[lt]=3', "Reddish teapot,Caf\x{e9} cup", 'a rating that is not set is in no range'],
    ['inStock=false', 'red cup', 'booleans'],
    ['q=red', 'Reddish teapot,red cup,Red kettle', 'words are found by their beginning'],
    ['q=red+kit', 'red cup,Red kettle', 'every word must be there'],
    ['q=CAFE', "Caf\x{e9} cup", 'words are folded'],
    ['q=nothing', '', 'a word that no product has'],
    ['sort=price,name', "Green tea,red cup,Caf\x{e9} cup,Red kettle,Reddish teapot,Plain", 'order by two keys'],
    ['sort=-price', "Plain,Reddish teapot,Red kettle,Caf\x{e9} cup,Green tea,red cup", 'ties follow the first key'],
    ['sort=rating', "red cup,Plain,Reddish teapot,Caf\x{e9} cup,Red kettle,Green tea", 'a missing rating is the lowest'],
    ['sort=name&category[in]=Kitchen,Tea', 'Green tea,red cup,Red kettle', 'order by name with a condition'],
    ['sort=-inStock,price&limit=3', "Green tea,Caf\x{e9} cup,Red kettle", 'order by a boolean, then by price'],
);
is(names($_->[0]), $_->[1], "$_->[2]: $_->[0]") for @cases;

# case: the whole list by cursor, in each order, with and without conditions
for my $query ('sort=price', 'sort=-rating', 'sort=-price,name', 'sort=name&inStock=true', 'q=red&sort=name', 'sort=inStock', 'price[gte]=5') {
    my ($cursor, @found) = ('');
    for (1 .. 10) {
        my $json = $server->api(GET => "/products?$query&limit=2&cursor=$cursor")->{json};
        push @found, map { $_->{name} } @{ $json->{data} };
        $cursor = $json->{pagination}{nextCursor} // last;
    }
    is(join(',', @found), names($query), "all pages by cursor are the list: $query");
}

# case: totals and facets
$server->burst(map { wire(POST => '/products', { name => "Many $_", price => $_, category => 'many' }, token => $token) } 1 .. 25);
my $json = $server->api(GET => '/products?q=many&limit=5&facets=category,inStock')->{json};
is_deeply($json->{pagination}, { page => 1, limit => 5, total => 20, pages => 4, totalRelation => 'gte' }, 'the count ends at CatalogCountLimit');
is($json->{facetsRelation}, 'gte', 'so do the facets');
$json = $server->api(GET => '/products?q=many&limit=5&count=exact')->{json};
is_deeply($json->{pagination}, { page => 1, limit => 5, total => 25, pages => 5 }, 'count=exact counts all');
$json = $server->api(GET => '/products?q=many&limit=5&count=none')->{json};
is_deeply($json->{pagination}, { page => 1, limit => 5 }, 'count=none counts nothing');
$json = $server->api(GET => '/products?q=red&facets=category,inStock')->{json};
is_deeply($json->{facets}, { category => [{ value => 'Kitchen', count => 2 }, { value => 'tea ', count => 1 }],
    inStock => [{ value => Cpanel::JSON::XS::true, count => 2 }, { value => Cpanel::JSON::XS::false, count => 1 }] }, 'facets count over all that match');

# case: a question without a letter or a digit matches nothing, and is no question for all products
for my $q ('', '%25', '+', '%2B', '-', '%22%22', '%27', '%E2%82%AC', '%F0%9F%98%80', '___', '%20-%20') {
    for my $more ('', '&match=exact', '&match=prefix', '&sort=-price', '&inStock=true', '&category[in]=Kitchen,Tea') {
        my $got = $server->api(GET => "/products?q=$q$more&facets=category&count=exact");
        answers($got, 200, sub { !@{ $_[0]{data} } && $_[0]{pagination}{total} == 0 && !@{ $_[0]{facets}{category} } && !$_[0]{corrected} }, "q=$q$more finds nothing");
    }
    is_deeply($server->api(GET => "/products?q=$q&limit=2&cursor=")->{json}{data}, [], "by cursor q=$q finds nothing");
    is_deeply($server->api(GET => "/products?q=$q&sort=relevance")->{json}{data}, [], "by relevance q=$q finds nothing");
    is($server->api(GET => "/products/export?q=$q", token => $token)->{body}, '', "an export of q=$q is empty");
    my $changed = $server->api(POST => '/products/batch', { where => "q=$q", delete => true }, token => $token);
    is($changed->{json}{matched}, 0, "where q=$q matches nothing") or diag($changed->{body});
}
is($server->api(GET => '/products?q=%C2%BD')->{status}, 200, 'a sign that has digits is a question');
is(names('q=%25+kettle'), names('q=kettle'), 'a word beside it counts');

# case: what CatalogIndex leaves out is refused, and finds no wrong list
my $few = server(mount => 'CatalogIndex category')->start;
is($few->api(GET => '/products?category=Kitchen')->{status}, 200, 'a condition that is indexed is answered');
is($few->api(GET => '/products?inStock=true')->{status}, 200, 'so is one that needs no index');
is($few->api(GET => "/products?$_")->{status}, 400, "$_ is refused") for 'price[gte]=1', 'q=red', 'sort=name';

# case: while a part of the index is filled, what reads it is refused. The job completes the part once a second; a child
# believes for a second that it is complete.
my $filling = server()->start;
$filling->api(GET => '/products');
my $refused = wait_until(60, sub {
    $filling->database->do(q(UPDATE product_indexes SET complete = 0, filled = 0 WHERE part = 'search'));
    my $got = $filling->api(GET => '/products?q=kettle');
    return $got->{status} == 503 && $got;
});
answers($refused, 503, { success => Cpanel::JSON::XS::false, message => 'Service unavailable', error => qr/^the products are being indexed: \d+ %$/ },
    'while the index is filled, 503 says how far it is');
is($refused->{headers}{'retry-after'}, 5, 'and when to try again');
is($filling->api(GET => "/products$_")->{status}, 200, "that does not concern /products$_") for '', '?category=Kitchen', '?sort=-price';
is(wait_until(60, sub { $filling->api(GET => '/products?q=kettle')->{status} == 200 }), 1, 'then 200');

# case: what is cached is invalidated by a write
my $before = names('category=Kitchen');
$server->api(POST => '/products', { name => 'Blue kettle', price => 1, category => 'Kitchen' }, token => $token);
is(names('category=Kitchen'), "Blue kettle,$before", 'a new product is in the list at once');
done_testing;
