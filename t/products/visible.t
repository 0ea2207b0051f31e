# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: GET /products/export
# route: GET /categories
# CatalogVisible: which products those see who may not write products.
use CatalogTest;

my $server = server(mount => <<'END', conf => <<"END")->start;
CatalogWriteRole editor
CatalogCountLimit 5
CatalogVisible "price[gt]=1.5&category[ne]=hidden%20things"
END
<Location "/all">
    CatalogEnable   On
    CatalogKeyFile  @{[ key_path() ]}
</Location>
<Location "/stock">
    CatalogEnable   On
    CatalogKeyFile  @{[ key_path() ]}
    CatalogVisible  inStock=true
</Location>
<Location "/stock/products/export">
    CatalogVisible  all
</Location>
END
my $writer = forge(claims => claims(role => 'editor'));
my $user = forge(claims => claims(role => 'user'));

sub get { my ($path, @more) = @_; return $server->api(GET => $path, @more) }
sub names { my ($path, @more) = @_; return join ' ', map { $_->{name} } @{ get($path, @more)->{json}{data} } }
sub post { my (%product) = @_; return $server->api(POST => '/products', \%product, token => $writer)->{json}{data} }

my %made = map { $_->{name} => $_ } map { post(%$_) }
    { name => 'cheap', price => 1, category => 'tea' }, { name => 'kettle', price => 20, category => 'kitchen' },
    { name => 'hidden', price => 20, category => 'hidden things' }, { name => 'pot', price => 5, category => 'kitchen', inStock => false },
    { name => 'green tea', price => 2, category => 'tea', rating => 4 }, { name => 'free', price => 0, category => 'only free' };

# ---- one product ----

for my $round (1, 2) {
    for my $token (undef, $user) {
        is_deeply([map { get("/products/$made{$_}{id}", token => $token)->{status} } qw(cheap kettle hidden pot free)], [404, 200, 404, 200, 404],
            "readers get what they may see, round $round");
    }
    is_deeply([map { get("/products/$made{$_}{id}", token => $writer)->{status} } qw(cheap kettle hidden pot free)], [(200) x 5], "writers get all, round $round");
    is_deeply([map { get("/products/$made{$_}{id}", mount => '/all')->{status} } qw(cheap hidden)], [200, 200], "and so do all of a mount that hides nothing, round $round");
}
answers(get("/products/$made{cheap}{id}"), 404, refusal(), 'what is hidden is not found', vary => qr/Authorization/);
my $r = get("/products/$made{kettle}{id}");
answers($r, 200, { success => true, data => $made{kettle} }, 'a product that is not', vary => qr/Authorization/, 'cache-control' => 'no-cache');
is($r->{headers}{etag}, get("/products/$made{kettle}{id}", token => $writer)->{headers}{etag}, 'it is the same for all');
answers(get("/products/$made{kettle}{id}?fields=name"), 200, { success => true, data => { name => 'kettle' } }, 'fields of it');
answers(get("/products/$_"), 404, refusal(), "/products/$_ is not found") for 'x', $made{kettle}{id} . 'x', '%26price=1';

# ---- lists ----

for my $round (1, 2) {
    $r = get('/products');
    is(join(' ', map { $_->{name} } @{ $r->{json}{data} }), 'green tea pot kettle', "the list of readers, round $round");
    is_deeply($r->{json}{pagination}, { page => 1, limit => 10, total => 3, pages => 1 }, 'its total counts what they see');
    is(names('/products', token => $writer), 'free green tea pot hidden kettle cheap', 'that of writers');
    is(get('/products', token => $writer)->{json}{pagination}{total}, 6, 'with its total');
    is(names('/products', mount => '/all'), 'free green tea pot hidden kettle cheap', 'that of a mount that hides nothing');
}
is(names('/products?category=tea'), 'green tea', 'conditions are added to those of the client');
is(names('/products?price[gt]=3'), 'pot kettle', 'also on the same field');
is(names('/products?price=1'), '', 'none shows more');
is(names('/products?category=hidden%20things'), '', 'whatever it asks for');
is(names('/products?price[gt]=1&inStock=true&sort=price'), 'green tea kettle', 'in any order');
is(names('/products?q=te'), 'green tea', 'words find what is not hidden');
is(names('/products?q=hid'), '', 'and nothing else');
is_deeply(get('/products?facets=category,inStock')->{json}{facets},
    { category => [{ value => 'kitchen', count => 2 }, { value => 'tea', count => 1 }], inStock => [{ value => true, count => 2 }, { value => false, count => 1 }] }, 'facets count what they see');
is(get("/products?count=$_")->{json}{pagination}{total}, $_ eq 'none' ? undef : 3, "count=$_") for qw(exact capped none);
post(name => "more$_", price => 10 + $_, category => 'more') for 1 .. 4;
is_deeply(get('/products?limit=3')->{json}{pagination}, { page => 1, limit => 3, total => 5, totalRelation => 'gte', pages => 2 }, 'the total has the limit of one with conditions');
is(get('/products?limit=3&count=exact')->{json}{pagination}{total}, 7, 'unless it is to be exact');

# Links and cursors have what the client sent, and no more.
$r = get('/products?limit=2&count=none');
is($r->{headers}{link}, '<?page=1&count=none&limit=2>; rel="first", <?page=2&count=none&limit=2>; rel="next"', 'links do not have the conditions');
my ($cursor, @walked) = '';
while (defined $cursor) {
    $r = get("/products?limit=2&cursor=$cursor");
    push @walked, map { $_->{name} } @{ $r->{json}{data} };
    $cursor = $r->{json}{pagination}{nextCursor};
    is(scalar(() = get('/products?limit=2&cursor=' . ($cursor // ''), token => $writer)->{json}{data}), 1, 'a writer can go on with it') if @walked == 2;
}
is("@walked", 'more4 more3 more2 more1 green tea pot kettle', 'a cursor passes what is hidden');

# ---- categories ----

sub categories { return join ', ', map { "$_->{category} $_->{count}" } @{ get("/categories$_[0]", @_[1 .. $#_])->{json}{data} } }

for my $round (1, 2) {
    is(categories(''), 'kitchen 2, more 4, tea 1', "categories count what readers see, round $round");
    is(categories('', token => $writer), 'hidden things 1, kitchen 2, more 4, only free 1, tea 2', "writers have all, round $round");
}
is(categories('?sort=-count&limit=2'), 'more 4, kitchen 2', 'in another order');
is(categories('?category[prefix]=T'), 'tea 1', 'with a prefix');
is(categories('?page=2&limit=2'), 'tea 1', 'another page');
is(get('/categories?limit=2')->{json}{pagination}{total}, 3, 'their number');

# ---- files ----

is(join(' ', $server->api(GET => '/products/export')->{body} =~ /"name":"([^"]+)"/g), 'more4 more3 more2 more1 green tea pot kettle', 'an export has what they see');
is(scalar(() = $server->api(GET => '/products/export', token => $writer)->{body} =~ /"name"/g), 10, 'that of a writer has all');
is(join(' ', $server->api(GET => '/products/export?category=kitchen&sort=name')->{body} =~ /"name":"([^"]+)"/g), 'kettle pot', 'conditions are added there, too');

# ---- a product that becomes visible ----

sub put { my ($name, %changes) = @_; return $server->api(PUT => "/products/$made{$name}{id}", \%changes, token => $writer) }

put('cheap', price => 3);
is(get("/products/$made{cheap}{id}")->{json}{data}{price}, 3, 'a change shows a product at once');
is(get('/products?category=tea')->{json}{pagination}{total}, 2, 'in lists as well');
is(categories('?category[prefix]=tea'), 'tea 2', 'and in categories');
put('kettle', category => 'hidden things');
answers(get("/products/$made{kettle}{id}"), 404, refusal(), 'another one hides one');
answers(put('kettle', price => 21), 200, undef, 'writers still change it');
answers($server->api(PUT => "/products/$made{kettle}{id}", { price => 22 }, token => $writer, headers => { 'If-Match' => '*' }), 200, undef, 'under conditions as well');

# ---- settings ----

is(names('/products', mount => '/stock'), 'more4 more3 more2 more1 free green tea hidden kettle cheap', 'a mount has conditions of its own');
is(get("/products/$made{pot}{id}", mount => '/stock')->{status}, 404, 'for one product');
is(scalar(() = $server->api(GET => '/products/export', mount => '/stock')->{body} =~ /"name"/g), 10, 'a section within it can show all');

sub said { my ($status, $text) = server(mount => $_[0])->configtest; return $status == 0 ? 'OK' : $text }

is(said("CatalogVisible $_\n"), 'OK', "CatalogVisible $_ is accepted") for 'inStock=true', '"name[prefix]=a&rating[exists]=true"', 'category[in]=a,b', 'all', 'createdAt[lt]=2030-01-01T00:00:00Z';
for (['price[gt]=x', qr/price\[gt\] must be a number/], ['colour=red', qr/colour is not a field/], ['"category[like]=a"', qr/category\[like\] must have one of the operators/],
    ['&', qr/it must have a condition, such as published=true/], ['page=1', qr/page is not a field/], ['"price=1&price=2"', qr/price/]) {
    my ($text, $why) = @$_;
    like(said("CatalogVisible $text\n"), qr/CAT030: <Location "\/api"> of \S+ has a CatalogVisible that cannot be used: .*$why/, "CatalogVisible $text is refused");
}
like(said("CatalogIndex none\nCatalogVisible price=1\n"), qr/price is not available: this server has no index for the field/, 'without an index there are no conditions');
is(said("CatalogField published boolean index\nCatalogVisible published=true\n"), 'OK', 'conditions may be on fields of the shop\'s own');
is(said("CatalogField published boolean index private\nCatalogVisible published=true\n"), 'OK', 'which readers need not see');
like(said("CatalogField published boolean\nCatalogVisible published=true\n"), qr/published is not available/, 'if they have an index');
like(said("CatalogVisible published=true\n"), qr/published is not a field/, 'if there are any');

# A slip would show what is to be hidden.
my $choice = qq(CatalogField state choice values="shown|hidden" index private\n);
is(said(qq(${choice}CatalogVisible "$_"\n)), 'OK', "$_ is accepted") for 'state[ne]=hidden', 'state[in]=shown,hidden', 'state[exists]=true';
like(said(qq(${choice}CatalogVisible "$_"\n)), qr/that cannot be used: state must be shown or hidden/, "$_ is refused") for 'state[ne]=hiden', 'state[in]=shown,hiden', 'state=';

done_testing;
