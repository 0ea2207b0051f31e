# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# route: PUT /products/:id
# route: PATCH /products/:id
# route: DELETE /products/:id
# route: POST /products/batch
# again: pgsql
# Names for products that people know, sku=KT-1, and fields that are made of others.
use CatalogTest;

my $server = server(mount => qq(CatalogField sku string unique max=500 pattern="[^!]+"\nCatalogField gtin integer unique\nCatalogField color string index\n)
    . qq(CatalogField title string\nCatalogField slug string unique max=20 from=name\nCatalogField short string from=title\n))->start;
my $token = register($server)->{token};
my $db = $server->database;

sub call { my ($method, $path, $body, %more) = @_; return $server->api($method => "/products$path", $body, token => $token, %more) }
sub made { my ($product) = @_; return call(POST => '', { name => 'cup', price => 1, %$product }) }

# case: reading
my $id = made({ sku => 'KT-1', gtin => 4006381333931 })->{json}{data}{id};
my $by_id = call(GET => "/$id");
for my $name ('sku=KT-1', 'gtin=4006381333931', 'sku=%4BT-1', 'sku=KT-1') {
    my $found = call(GET => "/$name");
    is_deeply([@$found{qw(status content)}, $found->{headers}{etag}], [200, $by_id->{content}, $by_id->{headers}{etag}], "GET $name answers as GET of the id does");
}
answers($server->api(GET => '/products/sku=KT-1'), 200, undef, 'everybody may read by a name');
is_deeply(call(GET => '/sku=KT-1?fields=id,sku')->{json}{data}, { id => $id, sku => 'KT-1' }, 'fields are chosen');
answers(call(GET => '/sku=KT-1', undef, headers => { 'If-None-Match' => $by_id->{headers}{etag} }), 304, undef, 'conditions hold as for an id');
for my $name ('sku=kt-1', 'sku=', 'sku', 'SKU=KT-1', 'color=red', 'name=cup', 'gtin=x', 'gtin=1.5', 'nosuch=1', 'sku=a!', '=KT-1', 'id=' . $id) {
    is(call(GET => "/$name")->{status}, 404, "$name is no name of a product");
    is(call(PATCH => "/$name", { price => 2 })->{status}, 404, 'nor to change it');
}
for my $odd (q(a b+c&d;e'f"g?h#i), "\x{e4}\x{1f600}", '%41', 'a=b', 'x' x 500) {
    my $made = made({ sku => $odd })->{json}{data}{id};
    my $octets = $odd;
    utf8::encode($octets);
    my $escaped = $octets =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger;
    is(call(GET => "/sku=$escaped")->{json}{data}{id}, $made, 'a name may have any characters');
}

# case: what a name stands for changes
my $second = made({ sku => 'KT-2' })->{json}{data}{id};
is(call(GET => '/sku=KT-2')->{json}{data}{id}, $second, 'a product has a name');
answers(call(PATCH => '/sku=KT-2', { sku => 'KT-3' }), 200, undef, 'a product is renamed by its name');
answers(call(GET => '/sku=KT-2'), 404, undef, 'the old name is gone at once');
is(call(GET => '/sku=KT-3')->{json}{data}{id}, $second, 'the new one is there');
answers(call(PUT => '/sku=KT-1', { sku => 'KT-2' }), 200, undef, 'another product takes the old name');
is(call(GET => '/sku=KT-2')->{json}{data}{id}, $id, 'which stands for it now');
answers(call(PATCH => '/sku=KT-2', { sku => 'KT-3' }), 400, undef, 'a name that is taken is refused');
answers(call(PATCH => '/sku=KT-2', { price => 3 }, headers => { 'If-Match' => '"x"' }), 412, undef, 'conditions of a write are judged');
answers(call(PATCH => '/sku=KT-2', { price => 'x' }), 400, undef, 'as is the body');
answers(call(DELETE => '/sku=KT-3'), 200, undef, 'a product is deleted by its name');
answers(call(DELETE => '/sku=KT-3'), 404, undef, 'once');
answers(call(GET => '/sku=KT-3'), 404, undef, 'and the name is gone');
answers(call(GET => "/$second"), 404, undef, 'with the product');

# case: PUT creates
my $created = call(PUT => '/sku=NEW%2D1', { name => 'pan', price => 5 });
answers($created, 201, undef, 'PUT creates the product of a name that none has');
is($created->{json}{data}{sku}, 'NEW-1', 'with the value of the name');
like($created->{headers}{location}, qr(/products/\Q$created->{json}{data}{id}\E\z), 'and says where it is');
is($created->{headers}{etag}, undef, 'without an ETag, as what is stored is not what was sent');
answers(call(PUT => '/sku=NEW-1', { price => 6 }), 200, undef, 'PUT again changes it');
is(call(PUT => '/gtin=42', { name => 'x', price => 1, gtin => 42, sku => 'NEW-2' })->{json}{data}{gtin}, 42, 'the body may have the value as well');
my $other = call(PUT => '/sku=NEW-3', { name => 'x', price => 1, sku => 'NEW-4' });
answers($other, 400, undef, 'but not another one');
is($other->{json}{errors}[0]{field}, 'sku', 'and the answer names the field');
is_deeply([map { $_->{field} } @{ call(PUT => '/sku=NEW-3', {})->{json}{errors} }], ['name', 'price'], 'a product that is created needs all that products need');
answers(call(PUT => '/sku=NEW-3', { name => 'x', price => 1 }, headers => { 'If-Match' => $_ }), 412, undef, "If-Match: $_ refuses that") for '*', '"x"';
answers(call(PUT => '/sku=NEW-3', { name => 'x', price => 1 }, headers => { 'If-None-Match' => '*' }), 201, undef, 'If-None-Match: * asks for it');
answers(call(PUT => '/sku=NEW-3', { name => 'x', price => 1 }, headers => { 'If-None-Match' => '*' }), 412, undef, 'and only for that');
answers(call(PUT => '/sku=NEW-5', { name => 'x', price => 1, gtin => 42 }), 400, undef, 'another unique value that is taken is refused');
answers(call(PUT => "/$second", { name => 'x', price => 1 }), 404, undef, 'PUT on an id creates nothing');
answers($server->api(PUT => '/products/sku=NEW-6', { name => 'x', price => 1 }), 401, undef, 'nor does it without a token');
my @answers = $server->burst(map { wire(PUT => '/products/sku=RACE', { name => "n$_", price => 1 }, token => $token) } 1 .. 12);
is(scalar(grep { $_->{status} == 201 } @answers), 1, 'one of many writers creates');
is(scalar(grep { $_->{status} == 200 } @answers), 11, 'the others change');
is($db->selectrow_array(q(SELECT COUNT(*) FROM product_unique WHERE value = 'RACE')), 1, 'one product');

# case: a batch
sub batch { my ($atomic, @operations) = @_; return call(POST => '/batch', { atomic => $atomic ? Cpanel::JSON::XS::true : Cpanel::JSON::XS::false, operations => \@operations }) }
sub statuses { return join ' ', map { $_->{status} } @{ $_[0]{json}{results} } }
for my $atomic (0, 1) {
    my $batch = batch($atomic,
        { op => 'create', body => { name => 'a', price => 1, sku => "B$atomic" } },
        { op => 'update', id => "sku=B$atomic", body => { price => 2, sku => "C$atomic" } },
        { op => 'update', id => "sku=C$atomic", body => { color => 'red' } },
        { op => 'create', body => { name => 'b', price => 1, sku => "B$atomic" } },
        { op => 'delete', id => "sku=B$atomic" });
    is(statuses($batch), '201 200 200 201 200', "names stand for what the operations before have made, atomic $atomic");
    is_deeply([@{ call(GET => "/sku=C$atomic")->{json}{data} }{qw(price color)}], [2, 'red'], 'all is stored');
    answers(call(GET => "/sku=B$atomic"), 404, undef, 'and deleted');
}
is(statuses(batch(0, { op => 'update', id => 'sku=none', body => { price => 2 } }, { op => 'delete', id => 'color=red' }, { op => 'update', id => 'sku=C0', body => { price => 7 } })), '404 404 200', 'unknown names are unknown products');
is(statuses(batch(1, { op => 'update', id => 'sku=C0', body => { sku => 'C9' } }, { op => 'delete', id => 'sku=none' }, { op => 'delete', id => 'sku=C9' })), '424 404 424', 'those after a failure are judged by what would be there');
is(statuses(batch(0, { op => 'update', id => 'sku=C0', ifMatch => '"x"', body => { price => 2 } }, { op => 'update', id => 'sku=C0', body => { sku => 'C1' } })), '412 400', 'conditions and values are judged');
is(call(GET => '/sku=C0')->{json}{data}{price}, 7, 'and nothing is stored');

# case: fields that are made
is(call(GET => "/$id")->{json}{data}{slug}, 'cup', 'a field is made of another');
is(made({ name => "  Caf\x{e9} & <Kettle>,  2 l " })->{json}{data}{slug}, 'cafe-kettle-2-l', 'of its words, folded');
is(made({ name => 'One two three four five' })->{json}{data}{slug}, 'one-two-three-four-f', 'cut to the length');
is(made({ name => 'One two three four five' })->{json}{data}{slug}, 'one-two-three-four-2', 'with a suffix where it is taken');
is(made({ name => '???' })->{json}{data}{slug}, undef, 'a text without words makes nothing');
is(made({ name => 'pot', slug => 'mine' })->{json}{data}{slug}, 'mine', 'a value that is sent stays');
is_deeply([@{ made({ name => 'pot', title => 'My Pot' })->{json}{data} }{qw(slug short)}], ['pot', 'my-pot'], 'one that need not be unique is made as well');
my $kept = call(PATCH => '/slug=pot', { name => 'jug' });
is($kept->{json}{data}{slug}, 'pot', 'an update makes nothing');
my @many = $server->burst(map { wire(POST => '/products', { name => 'Many', price => 1 }, token => $token) } 1 .. 12);
is(scalar(grep { $_->{status} == 201 } @many), 12, 'writers at once get values of their own');
is($db->selectrow_array(q(SELECT COUNT(*) FROM product_unique WHERE value LIKE 'many%')), 12, 'each once');
my $slugs = batch(1, map { { op => 'create', body => { name => 'Many', price => 1 } } } 1 .. 3);
my %distinct = map { $_->{data}{slug} => 1 } @{ $slugs->{json}{results} };
is(scalar(keys %distinct), 3, 'and the operations of a batch');
is(call(GET => "/slug=$_->{data}{slug}")->{json}{data}{id}, $_->{data}{id}, 'by which they are found') for @{ $slugs->{json}{results} };
my @keyed = map { call(POST => '', { name => 'Many', price => 1 }, headers => { 'Idempotency-Key' => '"slug"' }) } 1 .. 2;
is($keyed[0]{content}, $keyed[1]{content}, 'an answer that is repeated has the value that was stored');
is(call(GET => "/slug=$keyed[0]{json}{data}{slug}")->{json}{data}{id}, $keyed[0]{json}{data}{id}, 'which is the one of the product');

done_testing;
