# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# The parameter fields: some fields of each product.
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};
my @values = ([price => 19.99], [price => 1e300], [price => 9007199254740993], [price => 0.1, rating => 4.5]);
my @made = map { $server->api(POST => '/products', { name => "a \"b\" \\ \x{fc}", category => 'tea', @$_ }, token => $token)->{json}{data} } @values;
my @newest = reverse @made;
my $all = 'id,name,price,category,inStock,rating,createdAt';

sub get { $server->api(GET => $_[0], @_[1 .. $#_]) }
sub only { my ($product, @names) = @_; return { map { ($_ => $product->{$_}) } grep { exists $product->{$_} } @names } }

for my $names ('name', 'price,name', 'rating', 'createdAt,id', 'inStock,price', 'name,name', $all) {
    my @names = split /,/, $names;
    my $list = get("/products?fields=$names");
    answers($list, 200, { success => true, data => [map { only($_, @names) } @newest],
        pagination => { page => 1, limit => 10, total => 4, pages => 1 } }, "a list with fields=$names has these fields");
    for my $product (@made) {
        my $whole = get("/products/$product->{id}");
        my $r = get("/products/$product->{id}?fields=$names");
        answers($r, 200, { success => true, data => only($product, @names) }, "a product with fields=$names has these fields");
        like($list->{body}, qr/\Q@{[ substr $r->{body}, length '{"success":true,"data":', -1 ]}\E/, 'a list has the same text');
        is($r->{headers}{etag} eq $whole->{headers}{etag}, $names eq $all, 'another text has another tag');
        my $same = get("/products/$product->{id}?fields=$names", headers => { 'If-None-Match' => $r->{headers}{etag} });
        answers($same, 304, '', 'the tag is compared with that of the same fields');
    }
}
is(get("/products/$made[3]{id}?fields=rating,price,name")->{body}, qq({"success":true,"data":{"name":"a \\"b\\" \\\\ \xc3\xbc","price":0.1,"rating":4.5}}),
    'the fields are in the order of the product');
is(get('/products?fields=createdAt,category&limit=1')->{headers}{link},
    '<?page=1&fields=category,createdAt&limit=1>; rel="first", <?page=2&fields=category,createdAt&limit=1>; rel="next", '
    . '<?page=4&fields=category,createdAt&limit=1>; rel="last"', 'links keep the fields');

my ($next, @walked) = '';
while (defined $next) {
    my $r = get("/products?cursor=$next&limit=3&fields=id");
    push @walked, map { $_->{id} } @{ $r->{json}{data} };
    $next = $r->{json}{pagination}{nextCursor};
}
is_deeply(\@walked, [map { $_->{id} } @newest], 'a cursor works with fields');

# ---- a change ----

my $path = "/products/$made[0]{id}";
my $tag = get("$path?fields=name")->{headers}{etag};
$server->api(PUT => $path, { price => 3 }, token => $token);
is(get("$path?fields=name")->{headers}{etag}, $tag, 'a change of another field keeps the tag');
is(get("$path?fields=price")->{json}{data}{price}, 3, 'a changed field is read anew');
is(get('/products?fields=price')->{json}{data}[3]{price}, 3, 'a list has the changed field');
answers($server->api(PUT => $path, { price => 4 }, token => $token, headers => { 'If-Match' => $tag }), 412, undef,
    'the tag of some fields is none of the product');
answers($server->api(HEAD => "$path?fields=name"), 200, '', 'HEAD has the tag of the fields', etag => $tag);

# ---- faults ----

for my $where ('/products', $path, '/products/unknown') {
    for my $bad ('fields=', 'fields', 'fields=name,', 'fields=colour', 'fields=name,colour', 'fields=Name', 'fields=%zz', 'fields=name%00') {
        answers(get("$where?$bad"), 400, invalid(fields => 'unknown'), "$where?$bad is refused");
    }
    answers(get("$where?fields=name&fields=price,id"), 400, invalid(fields => 'unknown'), "$where?fields=name&fields=price,id is refused");
}
like(get("$path?fields=x")->{json}{error}, qr/\Qfields must name only these fields: $all\E/, 'the error has the names');
answers(get('/products/unknown?fields=name'), 404, refusal(message => 'Product not found'), 'an unknown product is a 404 with fields too');

done_testing;
