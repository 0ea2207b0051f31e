# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: GET /products/export
# route: PUT /products/:id
# route: GET /fields
# route: GET /openapi.json
# Private fields: writers see them everywhere, and for all others they do not exist.
use CatalogTest;

my $fields = <<'END';
CatalogField cost     number  private min=0
CatalogField brand    string
CatalogField supplier string  private detail label="Who sells it to us"
END
my $server = server(mount => "CatalogWriteRole editor\n$fields", conf => <<"END")->start;
<Location "/plain">
    CatalogEnable  On
    CatalogKeyFile @{[ key_path() ]}
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogWriteRole editor
</Location>
<Location "/brands">
    CatalogEnable  On
    CatalogKeyFile @{[ key_path() ]}
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogWriteRole editor
    CatalogField brand string detail
</Location>
END
my $writer = forge(claims => claims(role => 'editor'));
my %as = (writer => [token => $writer], user => [token => forge(claims => claims(role => 'user'))], nobody => []);

sub get { my ($who, $path, @more) = @_; return $server->api(GET => $path, @{ $as{$who} }, @more) }
sub post { my $r = $server->api(POST => '/products', { name => 'Kettle', price => 1, @_ }, token => $writer); return $r->{json}{data} }

my $made = post(cost => 0.5, brand => 'Acme', supplier => 'Ann & Co');
my $id = $made->{id};
my %public = map { $_ => $made->{$_} } grep { !/^(?:cost|supplier)$/ } keys %$made;
my %listed = map { $_ => $made->{$_} } grep { $_ ne 'supplier' } keys %$made;
is_deeply([@$made{qw(cost brand supplier)}], [0.5, 'Acme', 'Ann & Co'], 'a writer stores them, and gets them back');

# Twice, so that the second answer is from the cache.
for my $round (1, 2) {
    for my $who (qw(writer user nobody writer)) {
        my %seen = $who eq 'writer' ? %$made : %public;
        answers(get($who, "/products/$id"), 200, { success => true, data => \%seen }, "$who: a product, round $round", vary => qr/\bAuthorization\b/,
            'cache-control' => $who eq 'nobody' ? 'no-cache' : 'private, no-cache');
        my $r = get($who, '/products');
        is_deeply($r->{json}{data}, [$who eq 'writer' ? \%listed : \%public], "$who: the list");
        like("$r->{headers}{vary} $r->{headers}{'cache-control'}", $who eq 'nobody' ? qr/Authorization no-cache/ : qr/Authorization private, no-cache/, "$who: caches keep it apart");
        is_deeply(get($who, '/products?etags=true')->{json}{data}[0]{etag}, get($who, "/products/$id")->{headers}{etag}, "$who: etags=true has the tag that GET has");
    }
}
isnt(get('writer', "/products/$id")->{headers}{etag}, get('user', "/products/$id")->{headers}{etag}, 'the tags differ');
answers(get('user', "/products/$id", headers => { 'If-None-Match' => get('writer', "/products/$id")->{headers}{etag} }), 200, undef, "a reader's copy is not a writer's");

# ---- parameters ----

for my $who (qw(user nobody)) {
    answers(get($who, '/products?fields=cost'), 400, invalid(fields => 'unknown'), "$who: fields=cost names no field");
    answers(get($who, '/products?sort=cost'), 400, invalid(sort => 'unknown'), "$who: sort=cost names none");
    answers(get($who, '/products?facets=cost'), 400, invalid(facets => 'unknown'), "$who: facets=cost names none");
    answers(get($who, '/products?cost[gt]=0'), 400, invalid('cost[gt]' => 'unknown'), "$who: a condition on it is none on a field");
    is_deeply([@{ get($who, '/products?cost=0.5') }{status}, get($who, '/products?cost=0.5')->{headers}{'catalog-ignored'}], [200, 'cost'], "$who: cost=0.5 is an unknown parameter");
    unlike(join(' ', map { get($who, $_)->{body} } '/products?fields=cost', '/products?sort=x', '/fields', '/openapi.json', '/products/export', '/products/export?format=csv'), qr/cost|supplier|Ann/,
        "$who: nothing tells of it");
    is_deeply(get($who, '/products/' . $id . '?fields=brand')->{json}{data}, { brand => 'Acme' }, "$who: fields of one product");
    answers(get($who, "/products/$id?fields=supplier"), 400, invalid(fields => 'unknown'), "$who: but not that one");
}
is_deeply(get('writer', '/products?fields=cost,supplier')->{json}{data}, [{ cost => 0.5, supplier => 'Ann & Co' }], 'writer: fields');
is_deeply(get('writer', "/products/$id?fields=supplier")->{json}{data}, { supplier => 'Ann & Co' }, 'writer: fields of one product');
like(get('writer', '/products/export')->{body}, qr/"brand":"Acme","cost":0.5,"supplier":"Ann & Co"/, 'writer: an export has them');
is_deeply([map { $_->{name} } grep { $_->{private} } @{ get('writer', '/fields')->{json}{data} }], [qw(cost supplier)], 'writer: /fields has them');
like(get('writer', '/openapi.json')->{body}, qr/"supplier":/, 'writer: the description has them');
isnt(get('writer', '/fields')->{headers}{etag}, get('user', '/fields')->{headers}{etag}, 'with another tag');

# ---- words ----

my $searched = server(mount => <<'END', conf => <<"END2")->start;
CatalogWriteRole editor
CatalogField supplier string private search
CatalogField about    text   search
END
<Location "/plain">
    CatalogEnable  On
    CatalogKeyFile @{[ key_path() ]}
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogWriteRole editor
</Location>
END2
for ([Pan => supplier => 'Zebulon Smith', about => 'Heavy'], ['Smith pot' => supplier => 'Zebulon'], ['Cup' => about => 'Zebra stripes, 1 litre'], ['1 zebra']) {
    my ($name, %own) = @$_;
    is($searched->api(POST => '/products', { name => $name, price => 1, %own }, token => $writer)->{status}, 201, "$name is there");
}
my @words = ( # q, what writers find, what readers do, what the mount without the fields does
    ['zeb', '1 zebra, Cup, Smith pot, Pan', '1 zebra, Cup', '1 zebra'], ['zebulon', 'Smith pot, Pan', '', ''], ['zebulon smith', 'Smith pot, Pan', '', ''],
    ['smith', 'Smith pot, Pan', 'Smith pot', 'Smith pot'], ['heavy', 'Pan', 'Pan', ''], ['heavy smith', 'Pan', '', ''], ['1', '1 zebra, Cup', '1 zebra, Cup', '1 zebra'], ['zebra 1', '1 zebra, Cup', '1 zebra, Cup', '1 zebra'],
);
sub found { my ($r) = @_; return join ', ', map { $_->{name} } @{ $r->{json}{data} } }
for my $case (@words) {
    my ($q, @want) = @$case;
    for my $more ('', '&sort=-createdAt,price', '&price=1', '&count=exact') {
        my $path = '/products?q=' . $q =~ s/ /+/gr . $more;
        my @answers = ($searched->api(GET => $path, token => $writer), $searched->api(GET => $path), $searched->api(GET => $path, mount => '/plain'));
        is_deeply([map { found($_) } @answers], \@want, "$path finds words of fields that one sees");
        is_deeply([map { $_->{json}{pagination}{total} } @answers], [map { scalar(() = /[^,]+/g) } @want], "$path counts them");
        is_deeply([map { $searched->api(GET => "$path&limit=1&fields=id", @$_)->{json}{pagination}{total} } [token => $writer], [], [mount => '/plain']],
            [map { $_->{json}{pagination}{total} } @answers], 'without reading them, too');
    }
}
is(join(' ', $searched->api(GET => '/products/export?q=zeb')->{body} =~ /"name":"([^"]*)"/g), '1 zebra Cup', 'so does an export');
is_deeply($searched->api(GET => '/products?q=zeb&facets=category&count=exact')->{json}{facets}{category}, [{ value => '', count => 2 }], 'and facets');

# ---- conditions of writes ----

sub put { my ($tag, $body) = @_; return $server->api(PUT => "/products/$id", $body, token => $writer, headers => { 'If-Match' => $tag }) }

answers(put(get('nobody', "/products/$id")->{headers}{etag}, { price => 2 }), 200, undef, 'If-Match takes the tag that readers have');
answers(put(get('writer', "/products/$id")->{headers}{etag}, { price => 3 }), 200, undef, 'and the one that writers have');
my $tag = get('user', "/products/$id")->{headers}{etag};
my $r = put(get('nobody', '/products')->{headers}{etag}, { price => 4 });
answers($r, 412, refusal(error => qr/./), 'but no other', etag => get('writer', "/products/$id")->{headers}{etag});
my $batch = { operations => [{ op => 'update', id => $id, ifMatch => $tag, body => { brand => 'Other' } }] };
answers($server->api(POST => '/products/batch', $batch, token => $writer), 200, undef, 'a batch takes it as well');
is_deeply($server->api(POST => '/products/batch', $batch, token => $writer)->{json}{results}[0]{status}, 412, 'until the product is another one');
is(get('nobody', "/products/$id")->{json}{data}{brand}, 'Other', 'a write makes the answers of readers stale');
is(get('writer', "/products/$id")->{json}{data}{brand}, 'Other', 'and those of writers');

# ---- tokens ----

for (['bad', 'x.y.z'], ['expired', forge(claims => claims(role => 'editor', exp => time - 300))]) {
    my ($what, $token) = @$_;
    for my $path ("/products/$id", '/products', '/products/export', '/categories', '/fields', '/openapi.json') {
        answers($server->api(GET => $path, token => $token), 401, refusal(error => qr/./), "a token that is $what is refused: $path",
            'www-authenticate' => qr/error="invalid_token"/, vary => qr/\bAuthorization\b/);
    }
}
answers($server->api(GET => "/products/$id", headers => { Authorization => 'Basic eDp5' }), 200, undef, 'credentials of another kind are no token');

# ---- mounts with other fields, on one database ----

for my $round (1, 2) {
    my %at = (map { my $mount = $_; $mount => $server->api(GET => "/products/$id", mount => $mount) } qw(/api /plain /brands));
    is_deeply([map { join ' ', sort keys %{ $at{$_}{json}{data} } } qw(/api /plain /brands)],
        [map { join ' ', sort qw(id name price category inStock createdAt), @$_ } ['brand'], [], ['brand']], "mounts have their own fields, round $round");
    is($at{'/plain'}{headers}{vary}, undef, 'a mount that hides nothing varies by nothing');
    is_deeply([map { exists $_->{brand} ? 1 : 0 } map { $server->api(GET => '/products', mount => $_)->{json}{data}[0] } qw(/api /plain /brands)], [1, 0, 0], 'in lists as well');
}
answers($server->api(GET => "/products/$id", mount => '/plain', token => 'x.y.z'), 200, undef, 'where nothing is hidden, no token is looked at', 'cache-control' => 'no-cache');
my $view = (grep { /^\{/ } split /\n/, $server->api(GET => "/products/%2F$id", mount => '/plain')->{body})[0];
like($view, qr/not found/i, 'no name of a product is that of another answer');
answers($server->api(PUT => "/products/$id", { name => 'Pot' }, token => $writer, mount => '/plain'), 200, undef, 'such a mount can change it');
is_deeply([map { $server->api(GET => "/products/$id", mount => $_, token => $writer)->{json}{data}{name} } qw(/api /plain /brands)], [('Pot') x 3], 'a write through one mount is seen by all');
is(get('writer', "/products/$id")->{json}{data}{cost}, 0.5, 'and keeps what that mount does not know');

# ---- names ----

my $named = server(mount => <<'END')->start;
CatalogWriteRole editor
CatalogVisible   inStock=true
CatalogField     sku  string unique
CatalogField     code string unique private
END
for ([sku => 'A', code => 'X'], [sku => 'B', code => 'Y', inStock => false]) {
    answers($named->api(POST => '/products', { name => 'Named', price => 1, @$_ }, token => $writer), 201);
}
for my $round (1, 2) {
    is_deeply([map { my $name = $_; map { $named->api(GET => "/products/$name", token => $_)->{status} } $writer, undef } qw(sku=A sku=B code=X code=Y)],
        [200, 200, 200, 404, 200, 404, 200, 404], "readers know products by the names that they see, of products that they see, round $round");
}

done_testing;
