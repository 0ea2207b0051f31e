# SPDX-License-Identifier: Apache-2.0
# route: GET /fields/:name/values
use utf8;
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);

my $server = server(mount => qq(CatalogField brand string facet\nCatalogField tags strings facet\nCatalogField color choice values="red|green" facet\n)
    . qq(CatalogField pages integer facet\nCatalogField used boolean facet\nCatalogField maker string index\nCatalogCountLimit 10))->start;
my $token = register($server)->{token};
my @ids;

sub made { push @ids, $server->api(POST => '/products', { name => 'x', price => 1, @_ }, token => $token)->{json}{data}{id} }
sub listed { my ($field, $query) = @_; return join ', ', map { "$_->{value} $_->{count}" } @{ $server->api(GET => "/fields/$field/values" . ($query // ''))->{json}{data} } }

answers($server->api(GET => '/fields/brand/values'), 200,
    { success => true, data => [], pagination => { page => 1, limit => 10, total => 0, pages => 0 } }, 'an empty catalogue has no values');
made(brand => $_) for 'tea', 'Tea', 'Coffee', 'Tools', 'tea', 'Étoiles', 'Coffee', 'tea', 'tea ';
made(category => 'kitchen', tags => ['steel', 'red'], color => 'green', pages => 9, used => true);
made(category => 'kitchen', tags => ['red'], color => 'red', pages => 10, used => false);
made(category => 'tea', pages => -3, used => true);
is(listed('brand'), 'Coffee 2, Étoiles 1, Tea 1, tea 3, tea  1, Tools 1', 'values are listed in their order');
is(listed('brand', '?sort=-value'), 'Tools 1, tea  1, tea 3, Tea 1, Étoiles 1, Coffee 2', 'and in the reverse order');
is(listed('brand', '?sort=-count&limit=4'), 'tea 3, Coffee 2, Tea 1, Tools 1', 'the most frequent first');
is(listed('brand', '?sort=count'), 'Étoiles 1, tea  1, Tools 1, Tea 1, Coffee 2, tea 3', 'and last');
is(listed('brand', '?prefix=TE'), 'Tea 1, tea 3, tea  1', 'a prefix is compared folded');
is(listed('brand', '?prefix=te&sort=-count'), 'tea 3, Tea 1, tea  1', 'in each order');
is(listed('brand', '?prefix=%C3%89t'), 'Étoiles 1', 'and may be percent-encoded');
is(listed('brand', '?prefix=none'), '', 'there may be none');
is(listed('tags'), 'red 2, steel 1', 'of a list each text');
is(listed('color'), 'green 1, red 1', 'choices are in the order of their texts');
is(listed('pages'), '-3 1, 9 1, 10 1', 'numbers in the order of their values');
is_deeply($server->api(GET => '/fields/used/values?sort=-count')->{json}{data}, [{ value => true, count => 2 }, { value => false, count => 1 }], 'booleans');
is(listed('category'), 'kitchen 2, tea 1', 'categories');
is(listed('category', '?sort=-value&prefix=K'), 'kitchen 2', 'with the same parameters');

my $page = $server->api(GET => '/fields/brand/values?page=2&limit=4&sort=-count&prefix=t');
answers($page, 200, { success => true, data => [], pagination => { page => 2, limit => 4, total => 4, pages => 1 } }, 'a page behind the last one is empty');
$page = $server->api(GET => '/fields/brand/values?page=2&limit=4&sort=-count');
answers($page, 200, { success => true, data => [{ value => 'tea ', count => 1 }, { value => 'Étoiles', count => 1 }],
    pagination => { page => 2, limit => 4, total => 6, pages => 2 } }, 'a page');
like($page->{headers}{link} // '', qr/<\?page=1&limit=4&sort=-count>; rel="first"/, 'Link leads to the others');
is(listed('brand', '?page=9007199254740991&limit=1000'), '', 'a page far behind is empty');
is(listed('brand', '?page=x&limit=-3'), listed('brand'), 'an unusable page or limit counts as absent');

# case: the tag, which follows the counts
my $tag = $server->api(GET => '/fields/brand/values')->{headers}{etag};
answers($server->api(GET => '/fields/brand/values', undef, headers => { 'If-None-Match' => $tag }), 304, undef, 'with the tag a client need not read it again');
$server->api(PUT => "/products/$ids[0]", { brand => 'Tools' }, token => $token);
$server->api(DELETE => "/products/$ids[2]", undef, token => $token);
answers($server->api(GET => '/fields/brand/values', undef, headers => { 'If-None-Match' => $tag }), 200, undef, 'a write changes it');
is(listed('brand'), 'Coffee 1, Étoiles 1, Tea 1, tea 2, tea  1, Tools 2', 'and the counts');

# case: more values than CatalogCountLimit
made(brand => sprintf 'many %02d', $_) for 1 .. 14;
$page = $server->api(GET => '/fields/brand/values?prefix=many&limit=4&page=3')->{json};
is_deeply($page->{pagination}, { page => 3, limit => 4, total => 10, pages => 3, totalRelation => 'gte' }, 'so many are counted');
is_deeply([map { $_->{value} } @{ $page->{data} }], ['many 09', 'many 10', 'many 11', 'many 12'], 'but all are listed');

# case: counts that have changed a moment ago: pages are those of the whole list, wherever they begin
made(tags => [map { sprintf 't%02d', $_ % 40 } $_ .. $_ + $_ % 9]) for 1 .. 30;
sleep 2; # the maintenance, once a second, has taken them into the counts
my $hold = $server->database;
if (driver ne 'sqlite3') { # so that it takes no more
    $hold->begin_work;
    $hold->do('UPDATE product_counts SET n = n + 1 WHERE name = \'lock\'');
}
$server->api(PUT => "/products/$ids[-$_]", { tags => [map { sprintf 't%02d', $_ * 7 % 55 } $_ .. $_ + 3] }, token => $token) for 1 .. 12;
my %count;
$count{$_}++ for map { @{ $_->{tags} // [] } } @{ $server->api(GET => '/products?limit=100&fields=tags')->{json}{data} };
my %orders = (value => sub { $_[0] cmp $_[1] }, count => sub { $count{ $_[0] } <=> $count{ $_[1] } || $_[1] cmp $_[0] });
for my $order (sort keys %orders) {
    my @sorted = sort { $orders{$order}->($a, $b) } keys %count;
    for my $limit (1, 7) {
        for my $descending (0, 1) {
            my @pages = map { listed('tags', "?limit=$limit&page=$_&sort=" . ($descending ? '-' : '') . $order) } 1 .. 2 + @sorted / $limit;
            is(join(', ', grep { length } @pages), join(', ', map { "$_ $count{$_}" } $descending ? reverse @sorted : @sorted), "pages of $limit by $order" . ($descending ? ', descending' : ''));
        }
    }
}
$hold->rollback if driver ne 'sqlite3';
$hold->disconnect;

for (['sort=name', 'sort' => 'invalid'], ['sort=count&sort=count', 'sort' => 'duplicate'], ['prefix=%FF', 'prefix' => 'encoding']) {
    my ($query, @errors) = @$_;
    answers($server->api(GET => "/fields/brand/values?$query"), 400, invalid(@errors), "$query is refused");
}
answers($server->api(GET => "/fields/$_/values?prefix=1"), 400, invalid(prefix => 'type'), "$_ has no texts") for 'pages', 'used';
is($server->api(GET => '/fields/brand/values?colour=red')->{headers}{'catalog-ignored'}, 'colour', 'an unknown parameter is named');
answers($server->api(GET => "/fields/$_/values"), 404, { success => false, message => 'Field not found' }, "$_ has no list of its values")
    for 'maker', 'name', 'inStock', 'Brand', 'none', '%20';
answers($server->api(POST => '/fields/brand/values', {}, token => $token), 405, undef, 'values are only read');

# case: readers see the values of the products that they see, and none of a private field
my $shop = server(mount => qq(CatalogField brand string facet\nCatalogField secret string facet private\nCatalogVisible inStock=true\nCatalogWriteRole editor))->start;
my $user = register($shop);
ctl_for($shop, 'user', 'role', $user->{user}{username}, 'editor');
my $writer = $shop->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token};
$shop->api(POST => '/products', { name => 'x', price => 1, brand => $_->[0], secret => 's', inStock => $_->[1] }, token => $writer) for ['tea', true], ['tea', false], ['Cup', true], ['new', false];
is_deeply($shop->api(GET => '/fields/brand/values')->{json}, { success => true, data => [{ value => 'Cup', count => 1 }, { value => 'tea', count => 1 }], pagination => { page => 1, limit => 10, total => 2, pages => 1 } }, 'readers');
is_deeply($shop->api(GET => '/fields/brand/values?sort=-count&prefix=t')->{json}{data}, [{ value => 'tea', count => 1 }], 'in another order');
is_deeply($shop->api(GET => '/products?facets=brand')->{json}{facets}{brand}, [{ value => 'Cup', count => 1 }, { value => 'tea', count => 1 }], 'and their facets');
is_deeply([map { "$_->{value} $_->{count}" } @{ $shop->api(GET => '/fields/brand/values', undef, token => $writer)->{json}{data} }], ['Cup 1', 'new 1', 'tea 2'], 'writers see all');
answers($shop->api(GET => '/fields/secret/values'), 404, { success => false, message => 'Field not found' }, 'a private field is hidden from readers');
is_deeply($shop->api(GET => '/fields/secret/values', undef, token => $writer)->{json}{data}, [{ value => 's', count => 4 }], 'but not from writers');

done_testing;
