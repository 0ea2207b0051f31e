# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# Conditions on indexed fields of the shop's own: what each operator of each type compares, and what is refused.
use CatalogTest;
use Cpanel::JSON::XS ();
use Encode ();

my $json = Cpanel::JSON::XS->new->utf8;

my $fields = join "\n", map { "CatalogField $_" } 'brand string facet', 'code string min=3 unique', 'link url index', 'born date index', 'weight number index',
    'quantity integer index', 'published boolean index', 'color choice values="red|green|blue" index', 'seen time index', 'tags strings facet',
    'updated modified index', 'about text', 'box json', 'plain string';
my $server = server(mount => $fields)->start;
my $token = register($server)->{token};
my (@ids, %number);
my @products = (
    { brand => 'Acme', code => 'AAA-1', weight => -2.5, quantity => 0, published => true, color => 'blue', tags => ['red', 'steel'], born => '2026-01-31' },
    { brand => 'acme', weight => 0, quantity => -5, published => false, color => 'red', tags => ['steel'], seen => '1969-12-31T23:59:59.999Z' },
    { brand => "\x{c9}clair", code => 'aab-1', weight => 1e300, quantity => 9007199254740991, tags => ['a,b', 'red'], seen => '2026-11-21T09:30:00Z', inStock => false },
    { brand => "\x{301}", weight => 0.25, color => 'green', link => 'https://shop.example.com/A', born => '1970-01-01' },
    {},
    { brand => 'Zeta', weight => -1e-9, tags => ['steel', 'red', 'x'], published => true, link => 'http://a.example.com/' },
);
for my $number (0 .. $#products) {
    my $r = $server->api(POST => '/products', { name => "kettle $number", price => $number, category => $number % 2 ? 'odd' : 'even', %{ $products[$number] } }, token => $token);
    die $r->{body} if $r->{status} != 201;
    push @ids, $r->{json}{data}{id};
    $number{ $ids[-1] } = $number;
}

sub list { $server->api(GET => "/products?$_[0]") }
sub numbers { join ' ', sort map { $number{ $_->{id} } } @{ $_[0]{json}{data} // [] } }

# query, numbers of the products that match
my @cases = (
    ['brand=Acme', 0], ['brand=acme', 1], ['brand=ACME'], ['brand=%CC%81', 3], ['brand='], ['brand[ne]=Acme', 1, 2, 3, 5], ['brand[in]=Acme,Zeta,none', 0, 5],
    ['brand[lt]=eclair', 0, 1, 3], ['brand[lte]=ECLAIR', 0, 1, 2, 3], ['brand[gt]=acme', 2, 5], ['brand[gte]=ACME', 0, 1, 2, 5], ['brand[gte]=', 0, 1, 2, 3, 5], ['brand[lt]='],
    ['brand[prefix]=%C3%89', 2], ['brand[prefix]=AC', 0, 1], ['brand[exists]=true', 0, 1, 2, 3, 5], ['brand[exists]=false', 4],
    ['code=AAA-1', 0], ['code[prefix]=a', 0, 2], ['code[prefix]=aaa', 0], ['code[ne]=AAA-1', 2],
    ['link[prefix]=https', 3], ['link=http://a.example.com/', 5], ['born[lt]=2026-01-31', 3], ['born[lte]=2026-01-31', 0, 3], ['born[prefix]=2026', 0],
    ['weight=0', 1], ['weight=-0', 1], ['weight=-2.5', 0], ['weight[lt]=0', 0, 5], ['weight[lte]=0', 0, 1, 5], ['weight[gt]=-2.5', 1, 2, 3, 5], ['weight[gte]=-2.5', 0, 1, 2, 3, 5],
    ['weight[ne]=0', 0, 2, 3, 5], ['weight[in]=0,-2.5', 0, 1], ['weight=0.3'], ['weight=2.5e-1', 3], ['weight[exists]=false', 4], ['weight[gt]=-1&weight[lt]=1', 1, 3, 5],
    ['quantity[gte]=0', 0, 2], ['quantity[lt]=0', 1], ['quantity=9007199254740991', 2], ['quantity[lt]=0.5', 0, 1],
    ['published=true', 0, 5], ['published=false', 1], ['published[exists]=false', 2, 3, 4], ['published[in]=true,false', 0, 1, 5],
    ['color=red', 1], ['color[ne]=red', 0, 3], ['color[in]=red,green', 1, 3], ['color[exists]=true', 0, 1, 3],
    ['seen[lt]=1970-01-01T00:00:00Z', 1], ['seen[gte]=2026-11-21T10:30:00%2B01:00', 2], ['seen[exists]=true', 1, 2], ['seen[ne]=2026-11-21T09:30:00Z', 1],
    ['tags=red', 0, 2, 5], ['tags=Red'], ['tags=a,b', 2], ['tags[in]=steel,x', 0, 1, 5], ['tags[in]=a%5C,b,none', 2], ['tags[in][]=a,b', 2], ['tags[all]=red,steel', 0, 5],
    ['tags[all]=red,steel,x', 5], ['tags[all]=red', 0, 2, 5], ['tags[all][]=a,b&tags[all][]=red', 2], ['tags[all]=red,none'], ['tags[exists]=true', 0, 1, 2, 5], ['tags[exists]=false', 3, 4],
    ['tags=red&tags[all]=steel,x', 5], ['tags=red&tags[in]=a%5C,b,x', 2, 5],
    ['brand=Acme&weight[lt]=0', 0], ['tags=steel&q=kettle', 0, 1, 5], ['tags=red&inStock=true&price[lt]=4', 0], ['category=even&tags=red', 0, 2], ['weight[lt]=1&category=odd', 1, 3, 5],
    ['color[ne]=red&weight[gt]=0', 3], ['brand[lt]=b&q=kettle&sort=price', 0, 1, 3], ['tags[in]=red,steel&sort=-weight&limit=100', 0, 1, 2, 5],
);
for (@cases) {
    my ($query, @want) = @$_;
    my $r = list("$query&count=exact");
    is(numbers($r), "@want", $query) or diag $r->{body};
    is($r->{json}{pagination}{total}, scalar @want, "the total of $query");
    is(numbers(list("$query&cursor=")), "@want", "$query by cursor") if $query !~ /sort/;
}
$server->api(PUT => "/products/$ids[4]", { brand => 'New', tags => ['red'] }, token => $token);
answers(list('updated[gte]=2020-01-01T00:00:00Z&sort=-updated'), 200, undef, 'the time of the last change is a time');
is(numbers(list('tags=red')), '0 2 4 5', 'conditions find what an update has made');

# ---- exports, and changes of all that match ----

is(join(' ', sort map { $number{ $json->decode($_)->{id} } } split /\n/, $server->api(GET => '/products/export?tags[all]=red,steel&sort=-weight')->{body}), '0 5', 'exports have the conditions');
my $bulk = $server->api(POST => '/products/batch', { where => 'tags=x&weight[lt]=0', set => { color => 'green' } }, token => $token);
is($bulk->{json}{matched}, 1, 'so do changes of all that match') or diag $bulk->{body};
is(numbers(list('color=green')), '3 5', 'which change these');

# ---- one spelling ----

like(list('tags[all]=steel,red,red&weight[gt]=-0&limit=1')->{headers}{link}, qr/<\?page=1&weight%5Bgt%5D=0&tags%5Ball%5D=red,steel&limit=1>/, 'links have one spelling of them');
is(list('tags[all][]=steel&tags[all][]=red')->{headers}{etag}, list('tags[all]=red,steel,red')->{headers}{etag}, 'the same question has the same answer');

# ---- times of more digits than are stored ----

my $micro = $server->api(POST => '/products', { name => 'micro', price => 1, seen => '2001-02-03T04:05:06.7899999Z' }, token => $token)->{json}{data};
is($micro->{seen}, '2001-02-03T04:05:06.789Z', 'a time is cut to milliseconds');
my $csv = $server->api(POST => '/products/import', "name,price,seen\nnano,1,2001-02-03T05:05:06.789123456+01:00\n", token => $token, headers => { 'Content-Type' => 'text/csv' });
is($csv->{status}, 200, 'in a file, too') or diag $csv->{body};
for ('seen=2001-02-03T04:05:06.789000001Z', 'seen[in]=2001-02-03T04:05:06.7891Z', 'seen[gte]=2001-02-03T04:05:06.7891Z&seen[lt]=2001-02-03T04:05:06.790000Z') {
    is(join(' ', sort map { $_->{name} } @{ list($_)->{json}{data} }), 'micro nano', $_);
}
$server->api(DELETE => "/products/$_->{id}", token => $token) for @{ list('seen=2001-02-03T04:05:06.789Z')->{json}{data} };

# ---- URLs, which are stored as browsers send them ----

my $sent = "http://u.example.com/a b|c^{d}.jpg?x=\xc3\xb6";
my $spelled = 'http://u.example.com/a%20b%7Cc%5E%7Bd%7D.jpg?x=%C3%B6';
my $url = $server->api(POST => '/products', { name => 'url', price => 1, link => Encode::decode('UTF-8', $sent) }, token => $token)->{json}{data};
is($url->{link}, $spelled, 'a URL is stored percent-encoded');
sub escaped { return $_[0] =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }
for my $text ($sent, $spelled) {
    for my $condition ('link=', 'link[in]=', 'link[prefix]=', 'link[gte]=http://u&link[lte]=') {
        is(join(' ', map { $_->{name} } @{ list($condition . escaped($text))->{json}{data} }), 'url', "$condition$text");
    }
}
is(join(' ', map { $_->{name} } @{ list('link[prefix]=' . escaped('http://u.example.com/a b|'))->{json}{data} }), 'url', 'a beginning finds it as well');
$csv = $server->api(POST => '/products/import', qq(name,price,link\nurl,1,"$sent"\n), token => $token, headers => { 'Content-Type' => 'text/csv' });
is_deeply([map { $_->{link} } @{ list('link=' . escaped($sent))->{json}{data} }], [$spelled, $spelled], 'an import stores it alike') or diag $csv->{body};
$server->api(PUT => "/products/$url->{id}", { link => $spelled }, token => $token);
is($server->api(GET => "/products/$url->{id}")->{json}{data}{link}, $spelled, 'what is encoded stays');
$server->api(DELETE => "/products/$_->{id}", token => $token) for @{ list('link[prefix]=http://u.')->{json}{data} };

# ---- faults ----

@cases = (
    ['plain=x', plain => 'no_index'], ['about[exists]=true', 'about[exists]' => 'no_index'], ['plain[prefix]=x', 'plain[prefix]' => 'no_index'],
    ['weight=x', weight => 'type'], ['weight[prefix]=1', 'weight[prefix]' => 'operator'], ['published=yes', published => 'type'], ['published[lt]=true', 'published[lt]' => 'operator'],
    ['color[lt]=red', 'color[lt]' => 'operator'], ['seen=today', seen => 'format'],
    ['tags[ne]=red', 'tags[ne]' => 'operator'], ['brand[all]=red', 'brand[all]' => 'operator'], ['tags[lt]=x', 'tags[lt]' => 'operator'], ['tags[exists]=1', 'tags[exists]' => 'type'],
    ['brand=' . 'x' x 1001, brand => 'too_long'], ['tags=' . 'x' x 101, tags => 'too_long'], ['weight=0.30000000000000000001', weight => 'precision'], ['brand[prefix]=', 'brand[prefix]' => 'too_short'],
    ['tags=red&tags=x', tags => 'duplicate'], ['born=2026-02-30', born => 'format'], ['born[gte]=2026', 'born[gte]' => 'format'], ['born[in]=2026-01-31,x', 'born[in]' => 'format'],
);
answers(list($_->[0]), 400, invalid(@$_[1, 2]), "$_->[0] is refused") for @cases;
for my $field (qw(brand code link born weight quantity published color seen tags updated)) {
    for my $operator ('in', $field eq 'tags' ? 'all' : ()) {
        answers(list("$field\[$operator]=$_"), 400, invalid("$field\[$operator]" => 'too_short'), "$field\[$operator]=$_ is refused") for '', ',';
    }
}

sub told { return list($_[0])->{json}{errors}[0]{message} }
is(told('id[exists]=true'), 'must have the operator in', 'the operators are named');
is(told('sort=nosuch'), 'must name only these fields: id,name,price,category,inStock,rating,createdAt,brand,code,link,born,weight,quantity,published,color,seen,updated, each with "-" before it for descending order',
    'fields that have an order are named');
is(told('sort=tags'), 'cannot use tags, which has no order', 'a list has none');
is(told('sort=plain'), 'cannot use plain, which is not indexed on this server', 'a field without an index is called so');
is(numbers(list('quantity=0.0')), '0', 'a whole number may be written with a fraction of zero');
my $whole = $server->api(POST => '/products', '{"name":"whole","price":1,"quantity":5.0}', token => $token);
is($whole->{json}{data}{quantity}, 5, 'so may one that is stored');
is($server->api(PUT => "/products/$whole->{json}{data}{id}", '{"quantity":6e0}', token => $token)->{json}{data}{quantity}, 6, 'with an exponent, too');
$server->api(POST => '/products/import', "name,price,quantity\ncell,1,7.0\n", headers => { 'Content-Type' => 'text/csv' }, token => $token);
is(list('name=cell')->{json}{data}[0]{quantity}, 7, 'and that of a cell');
answers($server->api(POST => '/products/batch', '{"where":"name=cell","adjust":{"quantity":{"percent":10.0,"round":0.0}},"expect":1.0}', token => $token), 200, undef,
    'and those of a change of all that match');

done_testing;
