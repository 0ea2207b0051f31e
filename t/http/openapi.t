# SPDX-License-Identifier: Apache-2.0
# route: GET /openapi.json
# The description of the API. That what it says is what is served, the client library checks of every exchange of the suite.
use CatalogTest;

use CatalogTest::Tools qw(setting);

sub describe { return $_[0]->api(GET => ($_[1] // '') . '/openapi.json', mount => $_[2] // '/api')->{json} }

sub operations {
    my ($document) = @_;
    my %all;
    for my $path (keys %{ $document->{paths} }) {
        for my $method (keys %{ $document->{paths}{$path} }) {
            my %operation = %{ $document->{paths}{$path}{$method} };
            my %responses = %{ $operation{responses} };
            for (values %responses) {
                $_ = $document->{components}{responses}{$1} if ($_->{'$ref'} // '') =~ m{([^/]+)$};
            }
            $all{ uc($method) . " $path" } = { %operation, responses => \%responses };
        }
    }
    return \%all;
}

# A schema, or the one that it refers to.
sub meant { my ($components, $schema) = @_; return ($schema->{'$ref'} // '') =~ m{([^/]+)$} ? $components->{schemas}{$1} : $schema }

my $r = api(GET => '/openapi.json');
is("$r->{status} $r->{headers}{'content-type'} $r->{headers}{'cache-control'}", '200 application/json no-cache', 'the description is JSON');
like($r->{headers}{etag}, qr/^"[0-9a-f]{16}"$/, 'with an ETag');
answers(api(GET => '/openapi.json', headers => { 'If-None-Match' => $r->{headers}{etag} }), 304, '', 'it is cached by its ETag');
answers(api(GET => '/openapi.json', headers => { 'If-Match' => '"another"' }), 412, refusal(error => qr/./), 'If-Match holds for it');

my $document = $r->{json};
my $operations = operations($document);
is($document->{openapi}, '3.1.0', 'it is OpenAPI 3.1');
is($document->{servers}[0]{url}, '/api', 'its server is the mount');

my @rows = slurp(setting('top') . '/src/httpd/routes.c') =~ /^\s*\{ "([A-Z]+)",\s+"([^"]+)"/mg;
my %route;
while (my ($method, $path) = splice @rows, 0, 2) {
    $route{"$method " . $path =~ s/:(\w+)/{$1}/gr} = 1;
}
is_deeply([sort keys %$operations], [sort grep { !/images/ } keys %route], 'it has the routes of the route table, without those of pictures, and no others');

my (%ids, @wrong);
for my $name (sort keys %$operations) {
    my $operation = $operations->{$name};
    push @wrong, "$name lacks $_" for grep { !length($operation->{$_} // '') } qw(operationId summary);
    push @wrong, "$name has the operationId of $ids{ $operation->{operationId} }" if $ids{ $operation->{operationId} };
    $ids{ $operation->{operationId} } = $name;
    push @wrong, "$name has an unknown tag" unless grep { $_->{name} eq $operation->{tags}[0] } @{ $document->{tags} };
    push @wrong, "$name does not describe {$1}" if $name =~ /\{(\w+)\}/ && !grep { ($_->{'$ref'} // '') =~ m{/path\.[^/]*\.\Q$1\E$} } @{ $operation->{parameters} };
    push @wrong, "$name has no success" unless grep { /^2/ } keys %{ $operation->{responses} };
}
my $components = $document->{components};
for my $name (sort keys %{ $components->{schemas} }) {
    my $properties = $components->{schemas}{$name}{properties} or next;
    push @wrong, map { "$name does not describe $_" }
        grep { $_ ne 'op' && !$properties->{$_}{description} && !meant($components, $properties->{$_})->{description} } sort keys %$properties;
}
for my $name (sort keys %{ $components->{parameters} }) {
    push @wrong, map { "$name lacks $_" } grep { !defined $components->{parameters}{$name}{$_} } qw(description schema example);
}
is_deeply(\@wrong, [], 'everything is named and described');

my @references = $r->{body} =~ m{"\$ref":"#/components/(\w+/[^"]+)"}g;
my @dangling = grep { my ($kind, $name) = split m{/}; !$components->{$kind}{$name} } @references;
is_deeply(\@dangling, [], 'every reference leads to a component');

is_deeply([map { $_->{'$ref'} } grep { ($_->{'$ref'} // '') =~ /price/ } @{ $operations->{'GET /products'}{parameters} }],
    [map { "#/components/parameters/products.price$_" } '', qw(.ne .lt .lte .gt .gte .in)], 'a field has the conditions of its kind');
is_deeply($components->{schemas}{NewProduct}{required}, ['name', 'price'], 'a new product requires what its table says');
is_deeply($components->{schemas}{ProductChange}{properties}{rating}{type}, ['number', 'null'], 'a rating may be cleared');
is_deeply($operations->{'POST /products'}{security}, [{ accessToken => [] }, { key => [] }], 'every user may write, by default, and every key');
is_deeply($operations->{'GET /products'}{security}, [], 'anyone may read');
is_deeply($operations->{'GET /audit'}{security}, [{ accessToken => ['admin'] }], 'what is for administrators says so, and takes no key');
like($operations->{'GET /audit'}{description}, qr/Requires the role admin/, 'in words, too');
is($components->{parameters}{'products.limit'}{schema}{maximum}, 1000, 'the largest page is that of the settings');
ok(!exists $operations->{'GET /products'}{responses}{429}, 'reading has no limit');
ok($operations->{'PATCH /products/{id}'}{responses}{default}{headers}{'Accept-Patch'}, 'Accept-Patch of a 415, too');
ok($operations->{'GET /products'}{responses}{default}{headers}{Allow}, 'Allow of a 405 is described with the other failures');
cmp_ok(length $r->{body}, '<', 190_000, 'it is short'); # each operation takes 1,500 octets, of which most are its failures
unlike($r->{body}, qr/"not":|"oneOf":\[\{"required"|"anyOf"/, 'it says nothing that programs that make clients of it stumble over');
my $failures = $operations->{'GET /products'}{responses}{400};
is_deeply($components->{schemas}{ProductList}{properties}{data}{items}, { '$ref' => '#/components/schemas/Product' }, 'a list has products');
is($components->{schemas}{ProductAnswer}{properties}{data}{'$ref'}, '#/components/schemas/Product', 'and so has an answer about one');
ok($failures->{headers}{'Catalog-Problem'}, 'a failure has its name in a header');
my %schemas = %{ $components->{schemas} };
is_deeply($schemas{$_->[0]}{properties}{ $_->[1] }{enum}, $_->[2], "$_->[1] of $_->[0] is one of those") for ['ManagedUser', 'role', [qw(user editor admin)]],
    ['ManagedUserChange', 'role', [qw(user editor admin)]], ['Account', 'role', [qw(user editor admin)]], ['QueuedMail', 'state', [qw(pending sending dead)]],
    ['AuditEntry', 'source', [qw(http catalogctl)]], ['Pagination', 'totalRelation', ['gte']], ['ProductList', 'facetsRelation', ['gte']],
    ['Tokens', 'tokenType', ['Bearer']];
ok((grep { $_ eq 'too_long' } @{ $schemas{FieldError}{properties}{code}{enum} }), 'so is the code of a field error');
for (['Registration', 'email', 'email', 'a@b.example', 'a@b'], ['User', 'email', 'email', 'a@b.example', 'a b@c.example'], ['Registration', 'username', undef, 'a.b-c_1', 'a b'],
    ['Product', 'id', 'uuid', '01a1fee5-af25-7514-8a69-477230296f5b', '1']) {
    my ($schema, $field, $format, $good, $bad) = @$_;
    my $property = meant($components, $schemas{$schema}{properties}{$field});
    is($property->{format}, $format, "$field of $schema has the format");
    ok($good =~ /$property->{pattern}/ && $bad !~ /$property->{pattern}/, 'and a pattern that takes what is one');
}
is(meant($components, $components->{parameters}{'path.products.id'}{schema})->{format}, 'uuid', 'so has the id in a path');
for (['POST /products', 201, 400, 503], ['GET /products', 200, 304, 400], ['POST /products/import', 200, 400], ['POST /auth/login', 200, 401]) {
    my ($name, @statuses) = @$_;
    ok(($operations->{$name}{responses}{$_} // $operations->{$name}{responses}{default})->{headers}{'Preference-Applied'}, "$name: Preference-Applied of $_") for @statuses;
}
ok(!$operations->{'GET /auth/me'}{responses}{200}{headers}{'Preference-Applied'}, 'where nothing is unknown there is none');
ok($components->{parameters}{"products.$_"}{explode}, "$_ is sent as an array") for qw(sort fields facets category.in id.in);
for (['GET /products', 1], ['GET /products/export', '']) {
    my ($name, $expected) = @$_;
    my ($sort) = grep { $_->{name} eq 'sort' } map { $components->{parameters}{ $_->{'$ref'} =~ s{.*/}{}r } } @{ $operations->{$name}{parameters} };
    is(!!grep({ $_ eq 'relevance' } @{ $sort->{schema}{items}{enum} }), $expected, "$name: relevance is " . ($expected ? 'an' : 'no') . ' order');
}

# ---- settings ----

my $other = server(mount => <<'END', conf => <<'MORE')->start;
CatalogRegistration closed
CatalogWriteRole editor
CatalogMaxLimit 50
CatalogDefaultLimit 20
CatalogMaxBatch 7
CatalogMaxBody 4096
CatalogIndex category
CatalogRateLimit Off
END
<Location "/b r">
    CatalogEnable   On
    CatalogKeyFile  "@key@"
    CatalogMaxLimit 30
</Location>
<Location "/api/products">
    CatalogMaxLimit 40
</Location>
MORE
my $closed = describe($other);
$operations = operations($closed);
ok(!$operations->{'POST /register'} && !$operations->{'POST /users'}, 'closed registration has no routes');
is_deeply($operations->{'POST /products'}{security}, [{ accessToken => ['editor'] }, { key => [] }], 'the role that writes is named');
$components = $closed->{components};
is_deeply([@{ $components->{parameters}{'products.limit'}{schema} }{qw(maximum default)}], [50, 20], 'limits are those of the mount');
is($operations->{'POST /products/batch'}{requestBody}{content}{'application/json'}{schema}{'$ref'}, '#/components/schemas/NewBatch', 'a batch has a schema');
is($components->{schemas}{Operations}{properties}{operations}{maxItems}, 7, 'so is the size of a batch');
like($closed->{info}{description}, qr/A body has at most 4096 bytes/, 'and that of a body');
ok(!$components->{parameters}{'products.q'} && !$components->{parameters}{'products.price'} && $components->{parameters}{'products.category'},
    'what is not indexed is no condition');
is_deeply($components->{parameters}{'products.sort'}{schema}{items}{enum}, [map { ($_, "-$_") } qw(id category inStock createdAt)],
    'and no order');
ok(!$operations->{'POST /auth/login'}{responses}{200}{headers}{RateLimit}, 'without limits, no answer has their headers');

my $shared = describe(server(mount => 'CatalogAllowOrigin *')->start);
is_deeply([grep { /^Access-Control-/ } keys %{ $shared->{components}{headers} }], [], 'headers for browsers alone are not described');

my $limited = server(mount => 'CatalogRateLimit login 30/60 register 60/60')->start;
$operations = operations(describe($limited));
like($operations->{'POST /auth/login'}{description}, qr/At most 30 requests of a client in 60 seconds/, 'limits are described');
ok($operations->{'POST /auth/login'}{responses}{$_}{headers}{RateLimit}, "$_ has its headers") for 200, 401, 429;

my $second = describe($other, '', '/b%20r');
is($second->{servers}[0]{url}, '/b%20r', 'a second mount has a description of its own');
is($second->{components}{parameters}{'products.limit'}{schema}{maximum}, 30, 'with its settings');

done_testing;
