# SPDX-License-Identifier: Apache-2.0
# route: GET /categories
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# case: 4 23
use utf8;
use CatalogTest;

my $token = token();
my @ids;

sub made { my ($category) = @_; push @ids, api(POST => '/products', { name => 'x', price => 1, category => $category }, token => $token)->{json}{data}{id} }
sub listed { my ($query) = @_; return join ', ', map { "$_->{category} $_->{count}" } @{ api(GET => "/categories$query")->{json}{data} } }

answers(api(GET => '/categories'), 200,
    { success => true, data => [], pagination => { page => 1, limit => 10, total => 0, pages => 0 } }, 'an empty catalogue has no category');
made($_) for 'tea', 'Tea', 'Coffee', 'Tools', 'tea', '', 'Étoiles', 'Coffee', 'tea', 'tea ';
is(listed(''), 'Coffee 2, Étoiles 1, Tea 1, tea 3, tea  1, Tools 1', 'categories are listed by name, without the empty one');
is(listed('?sort=-category'), 'Tools 1, tea  1, tea 3, Tea 1, Étoiles 1, Coffee 2', 'and in the reverse order');
is(listed('?sort=-count&limit=3'), 'tea 3, Coffee 2, Étoiles 1', 'the most frequent first');
is(listed('?category[prefix]=TE'), 'Tea 1, tea 3, tea  1', 'a prefix is compared folded');
is(listed('?category%5Bprefix%5D=%C3%89t'), 'Étoiles 1', 'and may be percent-encoded');

my $page = api(GET => '/categories?page=2&limit=4&sort=count');
answers($page, 200, { success => true, data => [{ category => 'Coffee', count => 2 }, { category => 'tea', count => 3 }],
    pagination => { page => 2, limit => 4, total => 6, pages => 2 } }, 'a page');
like($page->{headers}{link} // '', qr/<\?page=1&limit=4&sort=count>; rel="first"/, 'Link leads to the others');
is(listed('?page=9'), '', 'a page beyond the end is empty');
is(listed('?page=x&limit=-3'), listed(''), 'an unusable page or limit counts as absent');

# case: the counts follow each write
api(PUT => "/products/$ids[0]", { category => 'Tools' }, token => $token);
api(DELETE => "/products/$ids[2]", undef, token => $token);
is(listed(''), 'Coffee 1, Étoiles 1, Tea 1, tea 2, tea  1, Tools 2', 'an update and a deletion are counted');

# case: the tag, which follows the counts
my $tag = api(GET => '/categories')->{headers}{etag};
like($tag, qr{^W/"[0-9a-f]{16}"$}, 'the list has a tag');
is(api(GET => '/categories')->{headers}{etag}, $tag, 'the same again');
answers(api(GET => '/categories', undef, headers => { 'If-None-Match' => $tag }), 304, undef, 'with which a client need not read it again');
isnt(api(GET => '/categories?sort=-category')->{headers}{etag}, $tag, 'another order has another tag');
made('Tea');
answers(api(GET => '/categories', undef, headers => { 'If-None-Match' => $tag }), 200, undef, 'a new product changes the tag',
    etag => sub { $_[0] ne $tag });
is(listed(''), 'Coffee 1, Étoiles 1, Tea 2, tea 2, tea  1, Tools 2', 'and the counts');

for (['sort=name', 'sort' => 'invalid'], ['sort=-', 'sort' => 'invalid'], ['sort=count&sort=count', 'sort' => 'duplicate'],
    ['category[prefix]=%FF', 'category[prefix]' => 'encoding'], ['category[ne]=tea', 'category[ne]' => 'unknown'],
    ['category%5Bprefix=te', 'category[prefix' => 'unknown'], ['count[gte]=2&sort=x', 'count[gte]' => 'unknown', 'sort' => 'invalid']) {
    my ($query, @errors) = @$_;
    answers(api(GET => "/categories?$query"), 400, invalid(@errors), "$query is refused");
}
is(listed('?page[]=2&limit[x]=1'), listed(''), 'page and limit stay forgiving');
my $ignored = api(GET => '/categories?colour=red');
is($ignored->{status}, 200, 'an unknown parameter is ignored');
is($ignored->{headers}{'catalog-ignored'}, 'colour', 'and named');
answers(api(POST => '/categories', {}, token => $token), 405, undef, 'categories are only read');

# Without the part of the index, and while it is filled.
my $without = server(mount => 'CatalogIndex price')->start;
answers($without->api(GET => '/categories'), 400, { success => false, message => 'Not indexed', error => qr/CatalogIndex/ },
    'without the index there are no counts');

# The job completes the part once a second; a child believes for a second that it is complete.
my $filling = server()->start;
$filling->api(GET => '/products');
my $db = $filling->database;
my $answer = wait_until(60, sub {
    $db->do(q(UPDATE product_indexes SET complete = 0, filled = 0 WHERE part = 'category'));
    my $got = $filling->api(GET => '/categories');
    return $got->{status} == 503 && $got;
});
answers($answer, 503, { success => false, message => 'Service unavailable', error => qr/^the products are being indexed: \d+ %$/ },
    'while the index is filled, 503 says how far it is');
is($answer->{headers}{'retry-after'}, 5, 'and when to try again');
is(wait_until(60, sub { $filling->api(GET => '/categories')->{status} == 200 }), 1, 'then 200');

done_testing;
