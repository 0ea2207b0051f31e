# SPDX-License-Identifier: Apache-2.0
# route: GET /fields
# The fields of products, as programs read them.
use CatalogTest;

my @built_in = (
    { name => 'id', type => 'string', help => qr/./, unique => true, index => true, readOnly => true },
    { name => 'name', type => 'string', help => qr/./, required => true, index => true, search => true, min => 1, max => 200 },
    { name => 'price', type => 'number', help => qr/./, required => true, index => true, min => 0 },
    { name => 'category', type => 'string', help => qr/./, index => true, search => true, facet => true, max => 100, default => '' },
    { name => 'inStock', type => 'boolean', help => qr/./, index => true, facet => true, default => true },
    { name => 'rating', type => 'number', help => qr/./, index => true, min => 0, max => 5 },
    { name => 'createdAt', type => 'time', help => qr/./, index => true, readOnly => true },
);
my $r = api(GET => '/fields');
answers($r, 200, { success => true, data => \@built_in }, 'without CatalogField there are the built-in ones', 'cache-control' => 'no-cache', vary => undef);
like($r->{headers}{etag}, qr/^"[0-9a-f]{16}"$/, 'with an ETag');
answers(api(GET => '/fields', headers => { 'If-None-Match' => $r->{headers}{etag} }), 304, '', 'for conditions');
answers(api(POST => '/fields', {}), 405, refusal(), 'they are only read', allow => 'GET, HEAD, OPTIONS');

my $server = server(mount => <<'END')->start;
CatalogIndex category price
CatalogField sku         string   unique max=64 pattern="[A-Z]{2}-\d+" label="Article number"
CatalogField slug        string   from=name
CatalogField description text     search detail
CatalogField picture     url
CatalogField tags        strings  index facet
CatalogField weight      number   index min=-0.5 help="In kilograms."
CatalogField quantity    integer  index min=0 default=1
CatalogField color       choice   values="red|light green" facet default="light green"
CatalogField published   boolean  index default=false
CatalogField seen        time     default=2026-11-21T17:17:07.877+01:00
CatalogField bestBefore  date     required
CatalogField baking      duration index min=PT5M max=P1D
CatalogField meta        json     default="{\"a\":[1.50]}"
CatalogField updatedAt   modified index
END
my @own = (
    { name => 'sku', type => 'string', label => 'Article number', unique => true, index => true, max => 64, pattern => '[A-Z]{2}-\d+' },
    { name => 'slug', type => 'string', max => 200 },
    { name => 'description', type => 'text', search => true, detail => true, max => 5000 },
    { name => 'picture', type => 'url', max => 1000 },
    { name => 'tags', type => 'strings', index => true, facet => true },
    { name => 'weight', type => 'number', help => 'In kilograms.', index => true, min => -0.5 },
    { name => 'quantity', type => 'integer', index => true, min => 0, max => 9007199254740991, default => 1 },
    { name => 'color', type => 'choice', index => true, facet => true, values => ['red', 'light green'], default => 'light green' },
    { name => 'published', type => 'boolean', index => true, default => false },
    { name => 'seen', type => 'time', default => '2026-11-21T16:17:07.877Z' },
    { name => 'bestBefore', type => 'date', required => true },
    { name => 'baking', type => 'duration', index => true, min => 'PT5M', max => 'P1D' },
    { name => 'meta', type => 'json', default => { a => [1.5] } },
    { name => 'updatedAt', type => 'modified', index => true, readOnly => true },
);
delete $built_in[1]{$_} for qw(index search);
delete $built_in[5]{index};
delete $built_in[3]{search};
answers($server->api(GET => '/fields'), 200, { success => true, data => [@built_in, @own] }, 'the fields of the shop\'s own follow; CatalogIndex says what is indexed');

# ---- the description of the API ----

my $document = $server->api(GET => '/openapi.json')->{json};
my ($product, $new, $change) = map { $document->{components}{schemas}{$_} } qw(Product NewProduct ProductChange);
my @names = map { $_->{name} } @own;
is_deeply([grep { !$product->{properties}{$_} } @names], [], 'a product has them');
is_deeply($new->{required}, [qw(name price bestBefore)], 'a new one must have those that are required');
is_deeply([grep { !$new->{properties}{$_} } @names], ['updatedAt'], 'and may have those that clients set');
is_deeply([map { $new->{properties}{$_}{default} } qw(quantity color seen meta)], [1, 'light green', '2026-11-21T16:17:07.877Z', { a => [1.5] }], 'with their defaults');
is($product->{properties}{sku}{description}, 'Article number.', 'a label describes a field');
is($product->{properties}{weight}{description}, 'In kilograms.', 'its help does so better');
like($new->{properties}{sku}{pattern}, qr/\[A-Z\]\{2\}-\\d\+/, 'its pattern is there');
is_deeply([grep { exists $product->{properties}{$_->[0]}{ $_->[1] } } ['sku', 'pattern'], ['color', 'enum'], map { [$_, 'minimum'], [$_, 'maxLength'] } @names], [],
    'but not for what is stored, which may be older than its line');
is_deeply($_->{properties}{color}{enum}, ['red', 'light green', undef], 'its values are, too, and may be cleared') for $new, $change;
is_deeply([sort keys %{ $document->{components}{schemas}{Facets}{properties} }], [qw(category color inStock tags)], 'facets are described');
cmp_ok(length $server->api(GET => '/openapi.json')->{body}, '<', 200 * 1024, 'it stays short');

done_testing;
