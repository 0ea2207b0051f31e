# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: PATCH /products/:id
# route: POST /products/batch
# route: GET /products
# Fields of the shop's own, of every type, through all that reads and writes products.
use utf8;
use CatalogTest;

my $server = server(mount => <<'END')->start;
CatalogMaxBody 262144
CatalogField sku         string   max=8 pattern="[A-Z]{2}-\d+" label="Article number"
CatalogField slug        string   from=name max=20
CatalogField description text     max=30000 detail
CatalogField picture     url
CatalogField tags        strings
CatalogField weight      number   min=0
CatalogField quantity    integer  min=-5 max=100
CatalogField color       choice   values="red|green|blue"
CatalogField published   boolean  default=false
CatalogField seen        time
CatalogField bestBefore  date
CatalogField meta        json
CatalogField updatedAt   modified
CatalogField note        text     max=30000
END
my $token = forge();

sub ask { my ($method, $path, @more) = @_; return $server->api($method, $path, @more % 2 ? @more : (undef, @more), token => $token) }
sub post { ask(POST => '/products', { name => 'Kettle', price => 1, @_ }) }
sub got { my ($id, $query) = @_; return ask(GET => "/products/$id" . ($query // ''))->{json}{data} }

my %all = (sku => 'KT-1', slug => 'the-kettle', description => "Two\nlines “ü”", picture => 'https://shop.test/k.jpg', tags => ['red', "st|e\"el"],
    weight => 2.5, quantity => -3, color => 'blue', published => true, seen => '2026-11-21T16:17:07.877Z', bestBefore => '2027-02-28',
    meta => { b => [1, undef, 'x'], a => 1.50 });
my $r = post(%all);
my $id = $r->{json}{data}{id};
my %kettle = (id => $id, name => 'Kettle', price => 1, category => '', inStock => true, createdAt => $TIME);
my %whole = (%kettle, %all, updatedAt => $TIME);
answers($r, 201, { success => true, data => \%whole, message => qr/./ }, 'a product with all fields is created');
is($r->{json}{data}{updatedAt}, $r->{json}{data}{createdAt}, 'when it was changed last is when it was created');
like($r->{body}, qr/"createdAt":"[^"]+","sku":"KT-1","slug":.*"bestBefore":"2027-02-28","meta":\{"a":1.5,"b":\[1,null,"x"\]\},"updatedAt":/,
    'its own fields follow in the order of the configuration');
is($r->{headers}{etag}, ask(GET => "/products/$id")->{headers}{etag}, 'the tag is that of GET');
is_deeply(got($id), $r->{json}{data}, 'GET has what was stored');

# ---- lists ----

my %listed = %{ $r->{json}{data} };
delete $listed{description};
is_deeply(ask(GET => '/products')->{json}{data}, [\%listed], 'a list has all fields but those of detail');
is_deeply(ask(GET => '/products?fields=description,weight')->{json}{data}, [{ description => $all{description}, weight => 2.5 }],
    'unless fields names them');
is_deeply(got($id, '?fields=tags,name'), { name => 'Kettle', tags => $all{tags} }, 'fields of one product');
answers(ask(GET => '/products?fields=colour'), 400, invalid(fields => 'unknown'), 'fields refuses a name that is no field');

# ---- absent, null and defaults ----

$r = post();
my $plain = $r->{json}{data}{id};
answers($r, 201, { success => true, data => { %kettle, id => $ID, slug => 'kettle', published => false, updatedAt => $TIME }, message => qr/./ },
    'what is not sent is absent, or its default');
answers(post(map { $_ => undef } keys %all), 201,
    { success => true, data => { %kettle, id => $ID, slug => 'kettle', published => false, updatedAt => $TIME }, message => qr/./ },
    'null is as good as absent where a product is created');
answers(post(sku => undef, note => '', tags => [], slug => ''), 201, undef, '"" and [] are, too');

# ---- from ----

for (['Ölkanne  Nº 5!', 'olkanne-no-5'], ['x' x 40, 'x' x 20], ['Straße', 'strasse'], ['¡¿!', undef], ['漢字 a', '漢字-a']) {
    my ($name, $slug) = @$_;
    is(post(name => $name)->{json}{data}{slug}, $slug, 'slug of ' . $name);
}
ask(PUT => "/products/$plain", { name => 'Pot' });
is(got($plain)->{slug}, 'kettle', 'a change of the name leaves it alone');

# ---- updates ----

sub touched { my ($before, $after) = @_; return $after gt $before ? 'later' : $after eq $before ? 'same' : 'earlier' }

my $before = got($id)->{updatedAt};
select undef, undef, undef, 0.005;
$r = ask(PUT => "/products/$id", { weight => 2.25, color => 'red', tags => ['x'] });
%whole = (%whole, weight => 2.25, color => 'red', tags => ['x']);
answers($r, 200, { success => true, data => \%whole, message => qr/./ }, 'PUT changes what is sent');
is(touched($before, $r->{json}{data}{updatedAt}), 'later', 'and notes when');
is_deeply(got($id), $r->{json}{data}, 'GET has it');
$before = $r->{json}{data}{updatedAt};
select undef, undef, undef, 0.005;
$r = ask(PUT => "/products/$id", { %all, weight => 2.25, color => 'red', tags => ['x'], name => 'Kettle', price => 1.0 });
answers($r, 200, { success => true, data => \%whole, message => qr/./ }, 'what is as it was changes nothing');
is(touched($before, $r->{json}{data}{updatedAt}), 'same', 'not even the time');
$r = ask(PATCH => "/products/$id", { price => 2 }, headers => { 'Content-Type' => 'application/merge-patch+json' });
is(touched($before, $r->{json}{data}{updatedAt}), 'later', 'a change of a built-in field counts');
is($r->{headers}{etag}, ask(GET => "/products/$id")->{headers}{etag}, 'PATCH has the new tag');
$r = ask(PATCH => "/products/$id", { map { $_ => undef } grep { $_ ne 'slug' } keys %all });
answers($r, 200, { success => true, data => { %kettle, price => 2, slug => 'the-kettle', updatedAt => $TIME }, message => qr/./ }, 'null clears each of them');
is_deeply(got($id), $r->{json}{data}, 'GET has none of them');
answers(ask(PUT => "/products/$id", { slug => '', note => 'n' }), 200, { success => true, data => { %kettle, price => 2, note => 'n', updatedAt => $TIME }, message => qr/./ },
    '"" clears a text');
answers(ask(PUT => "/products/$id", { updatedAt => '2020-01-01T00:00:00Z', note => 'm' }), 200, undef, 'the time is ignored where it is sent', 'catalog-ignored' => undef);
like(got($id)->{updatedAt}, qr/^20(?!20)/, 'the server sets it');

# ---- a json field: merged by a merge patch, replaced otherwise ----

my %patch = (headers => { 'Content-Type' => 'application/merge-patch+json' });
my $spec = { size => { w => 19.99, h => 1 }, tags => [1, 2], note => 'x', big => 100000000000000000000 };
my $boxed = post(name => 'Box', meta => $spec)->{json}{data}{id};
sub meta_of { return ask(GET => "/products/$_[0]?fields=meta")->{body} =~ /"meta":(.*)\}\}$/s ? $1 : undef }
sub merged {
    my ($name, $sent, $expected) = @_;
    my $answer = ask(PATCH => "/products/$boxed", qq({"meta":$sent}), %patch);
    is($answer->{status}, 200, "$name: 200") or diag($answer->{body});
    is(meta_of($boxed), $expected, $name);
    is($answer->{headers}{etag}, ask(GET => "/products/$boxed")->{headers}{etag}, "$name: its tag is that of GET");
}
ask(PUT => "/products/$boxed", '{"meta":{"size":{"w":19.99,"h":1},"tags":[1,2],"note":"x","big":100000000000000000000}}');
merged('members are merged, null removes one', '{"size":{"h":2.5,"d":null},"note":null,"new":{"a":null,"b":0.1}}',
    '{"size":{"w":19.99,"h":2.5},"tags":[1,2],"big":1e+20,"new":{"b":0.1}}');
merged('an array is replaced', '{"tags":[{"a":null}],"size":7,"new":null}', '{"size":7,"tags":[{"a":null}],"big":1e+20}');
merged('an empty object changes nothing', '{}', '{"size":7,"tags":[{"a":null}],"big":1e+20}');
merged('what is no object replaces the whole', '[1,null]', '[1,null]');
merged('an object replaces what is none', '{"a":{"b":null}}', '{"a":{}}');
merged('null clears the field', 'null', undef);
merged('a patch of an absent field creates it', '{"a":1,"b":null}', '{"a":1}');
$before = got($boxed)->{updatedAt};
select undef, undef, undef, 0.005;
merged('a patch without a difference', '{"a":1}', '{"a":1}');
is(touched($before, got($boxed)->{updatedAt}), 'same', 'is no change');
answers(ask(PATCH => "/products/$boxed", { meta => { b => 2 } }), 200, undef, 'PATCH as application/json');
is(meta_of($boxed), '{"b":2}', 'replaces it');
ask(PUT => "/products/$boxed", { meta => { c => 3 } });
is(meta_of($boxed), '{"c":3}', 'as PUT does');
ask(POST => '/products/batch', { operations => [{ op => 'update', id => $boxed, body => { meta => { d => 4 } } }] });
is(meta_of($boxed), '{"d":4}', 'and an update of a batch');

my $tag = ask(GET => "/products/$boxed")->{headers}{etag};
answers(ask(PATCH => "/products/$boxed", { meta => { e => 5 } }, headers => { %{ $patch{headers} }, 'If-Match' => '"other"' }), 412, undef, 'If-Match that fails');
answers(ask(PATCH => "/products/$boxed", { meta => { e => 5 } }, headers => { %{ $patch{headers} }, 'If-Match' => $tag }), 200, undef, 'If-Match that holds');
is(meta_of($boxed), '{"d":4,"e":5}', 'is merged');
is_deeply(ask(GET => "/products/$boxed/history")->{json}{data}[0]{changes}{meta}, { from => { d => 4 }, to => { d => 4, e => 5 } }, "as its history has it");
ask(PATCH => "/products/$boxed", { meta => { t => 'x' x 16000 } }, %patch);
answers(ask(PATCH => "/products/$boxed", { meta => { u => 'x' x 400 } }, %patch), 400, invalid(meta => 'too_long'), 'the limit holds for the merged value');
answers(ask(PATCH => "/products/$boxed", { meta => { t => 'y' x 16000, map { ("no$_" => undef) } 1 .. 50 }, price => -1 }, %patch), 400,
    invalid(price => 'too_small'), 'other faults are reported as always');
answers(ask(PATCH => "/products/$boxed", { meta => { t => undef, map { ('no' x 100 . $_ => undef) } 1 .. 100 } }, %patch), 200, undef,
    'a long patch may make it shorter');
is(meta_of($boxed), '{"d":4,"e":5}', 'which it has');
answers(ask(PATCH => "/products/$boxed", '{"meta":{"x":99999999999999.99}}', %patch), 400, invalid(meta => 'precision'), 'a number that would change is refused');
my ($deep, $shut) = ('{"a":' x 31, '}' x 31);
answers(ask(PATCH => "/products/$boxed", qq({"meta":${deep}1$shut}), %patch), 200, undef, 'as deep as a body may be');
answers(ask(PATCH => "/products/$boxed", qq({"meta":$deep\{"b":1}$shut}), %patch), 400, undef, 'not deeper');
ask(PATCH => "/products/$boxed", { meta => { a => undef } }, %patch);
my @merges = $server->burst(map { wire(PATCH => "/products/$boxed", { meta => { "w$_" => $_ } }, token => $token, %patch) } 1 .. 16);
is_deeply([grep { $_->{status} != 200 } @merges], [], 'of several writers at once, each merges its member');
is_deeply(got($boxed)->{meta}, { d => 4, e => 5, map { ("w$_" => $_) } 1 .. 16 }, 'and none is lost');

# ---- faults ----

my @faults = (
    [sku => 'kt-1', 'format'], [sku => 'KT-123456', 'too_long'], [sku => 5, 'type'], [description => 'x' x 30001, 'too_long'],
    [picture => 'ftp://x/', 'format'], [picture => 'x', 'format'], [tags => 'red', 'type'], [tags => [1], 'type'], [tags => ['a', 'a'], 'duplicate'],
    [tags => [''], 'too_short'], [tags => ['x' x 101], 'too_long'], [tags => [1 .. 33], 'too_many'], [weight => -1, 'too_small'], [weight => '2,5', 'type'],
    [quantity => 1.5, 'type'], [quantity => 101, 'too_large'], [color => 'pink', 'format'], [published => 1, 'type'], [seen => 'now', 'format'], [seen => 5, 'type'],
    [bestBefore => '2027-02-29', 'format'], [meta => { a => 'x' x 16384 }, 'too_long'],
);
for (@faults) {
    my ($field, $value, $code) = @$_;
    answers(post($field => $value), 400, invalid($field => $code), "POST: $field is $code");
    answers(ask(PUT => "/products/$id", { $field => $value }), 400, invalid($field => $code), "PUT: $field is $code");
}
answers(post(sku => 'x', weight => -1, colour => 'red', slug => 7), 400, invalid(sku => 'format', slug => 'type', weight => 'too_small'), 'all faults at once');
answers(post(colour => 'red', Weight => 1), 201, undef, 'a name that is no field is ignored and named', 'catalog-ignored' => qr/^(?:colour, Weight|Weight, colour)$/);
answers(ask(POST => '/products', { name => 'a', price => 1, colour => 'red' }, headers => { Prefer => 'handling=strict' }), 400, invalid(colour => 'unknown'), 'or refused');

# ---- too long for a row ----

my $long = 'x' x 30000;
my $most = 40000 - length qq({"slug":"kettle","description":"","meta":"","updatedAt":1790000000000,"published":false});
is(post(slug => 'kettle', description => $long, meta => 'x' x ($most - 30000))->{status}, 201, 'own fields may have 40,000 octets together');
answers(post(slug => 'kettle', description => $long, meta => 'x' x ($most - 29999)), 400, invalid('' => 'too_long'), 'one more is refused');
ask(PUT => "/products/$plain", { description => $long, meta => 'x' x 8000 });
$r = ask(PUT => "/products/$plain", { note => $long });
answers($r, 400, invalid('' => 'too_long'), 'PUT refuses what makes a product longer');
is(got($plain)->{note}, undef, 'and changes nothing');

# ---- a batch ----

$r = ask(POST => '/products/batch', { atomic => false, operations => [
    { op => 'create', body => { name => 'One', price => 1, %all } },
    { op => 'update', id => $id, body => { weight => 7, note => undef } },
    { op => 'update', id => $plain, body => { note => $long } },
    { op => 'create', body => { name => 'Two', price => 1, weight => -1 } },
    { op => 'create', body => { name => 'Two', price => 1, colour => 'red' } },
] });
my @results = @{ $r->{json}{results} };
is_deeply([map { $_->{status} } @results], [201, 200, 400, 400, 201], 'operations of a batch succeed and fail alone');
ok(!match($results[0]{data}, { %kettle, id => $ID, name => 'One', %all, updatedAt => $TIME }), 'one creates a product with all fields');
is_deeply($results[1]{data}, got($id), 'one updates them');
is($results[1]{data}{weight}, 7, 'as it says');
ok(!match($results[2]{errors}, [{ field => '', code => 'too_long', message => qr/40000/ }]), 'one would make a product too long');
is($r->{headers}{'catalog-ignored'}, 'colour', 'what is ignored is named');
$r = ask(POST => '/products/batch', { operations => [{ op => 'update', id => $id, body => { weight => 8 } }, { op => 'update', id => $plain, body => { note => $long } }] });
answers($r, 400, undef, 'an atomic batch fails as a whole');
is(got($id)->{weight}, 7, 'and stores nothing');

# ---- files ----

$r = $server->api(POST => '/products/import', qq({"name":"Import","price":1,"tags":["a"],"seen":"2026-11-21T17:17:07.877+01:00"}\n{"name":"Bad","price":1,"weight":-1}\n),
    token => $token, headers => { 'Content-Type' => 'application/x-ndjson' });
ok(!match($r->{json}{errors}, [{ row => 2, line => 2, field => 'weight', code => 'too_small', message => qr/./ }]), 'an import checks them');
$r = $server->api(POST => '/products/import', "name,price,seen,published\nImported thing,1,2026-11-21T17:17:07.877+01:00,true\n", token => $token, headers => { 'Content-Type' => 'text/csv' });
is($r->{status}, 200, 'an import stores them');
my ($imported) = grep { $_->{name} eq 'Imported thing' } @{ ask(GET => '/products')->{json}{data} };
is("$imported->{seen} $imported->{slug} $imported->{published}", '2026-11-21T16:17:07.877Z imported-thing 1', 'with what is made of them');
like($imported->{updatedAt}, qr/^20\d\d-/, 'and the time');
my ($exported) = grep { /Imported/ } split /\n/, $server->api(GET => '/products/export')->{body};
like($exported, qr/"slug":"imported-thing","published":true,"seen":"2026-11-21T16:17:07.877Z","updatedAt":/, 'an export has them');
for (["{\"id\":\"$imported->{id}\",\"published\":true}\n", 'same'], ["{\"id\":\"$imported->{id}\",\"published\":false}\n", 'later']) {
    my ($line, $what) = @$_;
    select undef, undef, undef, 0.005;
    $server->api(POST => '/products/import?mode=upsert', $line, token => $token, headers => { 'Content-Type' => 'application/x-ndjson' });
    is(touched($imported->{updatedAt}, got($imported->{id})->{updatedAt}), $what, "an upsert: the time is $what");
}
$r = $server->api(POST => '/products/import?mode=upsert', qq({"id":"$plain","note":"$long"}\n), token => $token, headers => { 'Content-Type' => 'application/x-ndjson' });
is_deeply([$r->{status}, map { "$_->{row} $_->{field} $_->{code}" } @{ $r->{json}{errors} }], [400, '1  too_long'], 'an upsert refuses what is too long');

done_testing;
