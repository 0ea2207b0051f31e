# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products/batch
# The parameter etags: the tags of many products, as conditions of a batch.
use CatalogTest;

my $server = server()->start;
my $token = register($server)->{token};
my @made = map { $server->api(POST => '/products', $_, token => $token)->{json}{data} } { name => 'a "b" \\ ü', price => 19.99, category => 'tea' },
    { name => 'cup', price => 1e300, rating => 4.5 }, { name => 'pot', price => 0.1, inStock => false };

sub get { $server->api(GET => $_[0], @_[1 .. $#_]) }
sub tag_of { get("/products/$_[0]{id}")->{headers}{etag} }

my $ids = join ',', map { $_->{id} } @made;
my @tagged = map { { %$_, etag => tag_of($_) } } reverse @made;
answers(get("/products?id[in]=$ids&etags=true"), 200, { success => true, data => \@tagged, pagination => { page => 1, limit => 10, total => 3, pages => 1 } },
    'each product has the tag that GET of it has') for 1 .. 2;
is_deeply(get("/products?id[in]=$ids&etags=false")->{json}{data}, [reverse @made], 'etags=false is as none');
is_deeply(get("/products?id[in]=$ids")->{json}{data}, [reverse @made], 'without the parameter there are none');
is_deeply(get('/products?etags=true&fields=rating')->{json}{data}, [map { { exists $_->{rating} ? (rating => $_->{rating}) : (), etag => $_->{etag} } } @tagged],
    'the tag is that of the whole product, whichever fields are chosen');
is(get('/products?etags=true&limit=2')->{headers}{link},
    '<?page=1&etags=true&limit=2>; rel="first", <?page=2&etags=true&limit=2>; rel="next", <?page=2&etags=true&limit=2>; rel="last"', 'links keep it');

my ($next, @walked) = '';
while (defined $next) {
    my $r = get("/products?sort=name&cursor=$next&limit=1&etags=true");
    push @walked, map { $_->{etag} } @{ $r->{json}{data} };
    $next = $r->{json}{pagination}{nextCursor};
}
is_deeply(\@walked, [map { tag_of($_) } sort { $a->{name} cmp $b->{name} } @made], 'a cursor works with it');

# ---- a batch with them ----

answers($server->api(PUT => "/products/$made[1]{id}", { price => 5 }, token => $token), 200);
my @operations = map { { op => 'update', id => $_->{id}, ifMatch => $_->{etag}, body => { category => 'china' } } } @tagged;
my $batch = { atomic => false, operations => \@operations };
my $results = $server->api(POST => '/products/batch', $batch, token => $token)->{json}{results};
is_deeply([map { $_->{status} } @$results], [200, 412, 200], 'a batch takes the tags, and notices the product that has changed');
my $now = get("/products?id[in]=$ids&etags=true")->{json}{data};
is_deeply([map { $_->{etag} } @$now], [map { tag_of($_) } reverse @made], 'the list has the new tags');

# ---- faults ----

for my $value ('', '1', 'TRUE', '%FF') {
    answers(get("/products?etags=$value"), 400, { success => false, message => 'Validation failed', error => 'etags must be true or false',
        errors => [{ field => 'etags', code => 'type', message => 'must be true or false' }] }, "etags=$value is refused");
}
answers(get('/products?etags=true&etags=true'), 400, undef, 'it is sent once');
answers(get('/products/export?etags=true', headers => { Prefer => 'handling=strict' }), 400, undef, 'an export has none');

done_testing;
