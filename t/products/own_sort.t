# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# Lists in the order of fields of the shop's own, in pages and by cursors, forwards and backwards; and the job that gives products that
# exist the keys of a field.
use CatalogTest;

my $fields = join "\n", map { "CatalogField $_" } 'brand string index', 'weight number index', 'color choice values="red|green|blue" index', 'published boolean index',
    'seen time index', 'born date index', 'tags strings index', 'about text', 'plain number';
my $server = server(mount => $fields)->start;
my $token = register($server)->{token};
my @rows = (
    { brand => 'b', weight => 2, color => 'blue', published => true, tags => ['x', 'y'] },
    { brand => 'a', weight => -1, seen => '2026-01-01T00:00:00Z', tags => ['y'] },
    { weight => 10, color => 'green', published => false, born => '2026-05-05' },
    { brand => "\x{c1}", weight => -20, color => 'red', published => true, seen => '1969-01-01T00:00:00Z', tags => ['x'] },
    { brand => 'C', color => 'red', published => true, born => '1999-12-31', tags => ['z', 'x', 'y'] },
    { brand => 'b', weight => 2, published => false, seen => '2026-01-01T00:00:00Z' },
);
my %number;
for my $number (0 .. $#rows) {
    my $r = $server->api(POST => '/products', { name => $number % 2 ? 'odd' : 'even', price => $number % 3, inStock => $number % 4 ? true : false, %{ $rows[$number] } }, token => $token);
    die $r->{body} if $r->{status} != 201;
    $number{ $r->{json}{data}{id} } = $number;
}

sub list { $server->api(GET => "/products?$_[0]") }
sub numbers { join ' ', map { $number{ $_->{id} } } @{ $_[0]{json}{data} // [] } }

# The order, and its reverse: a missing value comes before all others.
my @cases = (
    ['brand', '2 1 3 0 5 4'], ['weight', '4 3 1 0 5 2'], ['color', '1 5 3 4 2 0'], ['published', '1 2 5 0 3 4'], ['seen', '0 2 4 3 1 5'], ['born', '0 1 3 5 4 2'],
);
for (@cases) {
    my ($field, $order) = @$_;
    is(numbers(list("sort=$field")), $order, "sort=$field");
    is(numbers(list("sort=-$field")), join(' ', reverse split / /, $order), "sort=-$field is exactly the reverse");
}
@cases = (
    ['brand,-weight', '2 1 3 0 5 4'], ['-color,weight', '0 2 4 3 1 5'], ['name,weight', '4 0 2 3 1 5'], ['weight,name', '4 3 1 0 5 2'], ['-published,brand,-seen', '3 0 4 2 5 1'], ['inStock,weight', '4 0 3 1 5 2'],
    ['-inStock,-weight,brand', '2 5 1 3 0 4'], ['weight,-id', '4 3 1 5 0 2'], ['-weight,createdAt', '2 0 5 1 3 4'], ['price,-brand', '0 3 4 1 5 2'],
);
is(numbers(list("sort=$_->[0]")), $_->[1], "sort=$_->[0]") for @cases;

# ---- with conditions: in the order of their own field and of another one ----

@cases = (
    ['weight[gte]=-1&sort=weight', '1 0 5 2'], ['weight[gte]=-1&sort=-weight', '2 5 0 1'], ['weight[lt]=5&sort=brand', '1 3 0 5'], ['brand=b&sort=weight', '0 5'], ['brand=b&sort=-brand', '5 0'],
    ['brand[prefix]=a&sort=-brand', '3 1'], ['tags=x&sort=weight', '4 3 0'], ['tags[in]=x,z&sort=-weight', '0 3 4'], ['tags[all]=x,y&sort=brand', '0 4'], ['weight[exists]=true&sort=weight,-price', '3 1 5 0 2'],
    ['color[in]=red,blue&sort=-color,brand', '0 3 4'], ['brand[in]=b,C&sort=brand,weight', '0 5 4'], ['inStock=true&sort=-weight', '2 5 1 3'], ['q=odd&sort=weight', '3 1 5'], ['published=true&sort=createdAt,-weight', '0 3 4'],
    ['price=2&sort=-weight', '2 5'], ['weight[gt]=-5&sort=createdAt', '0 1 2 5'], ['weight[exists]=false&sort=weight', '4'], ['brand=b&brand[gte]=b&sort=-weight', '5 0'],
);
is(numbers(list($_->[0])), $_->[1], $_->[0]) for @cases;

# ---- pages and cursors ----

for my $sort ('brand', '-brand', 'weight', '-weight', 'color,-weight', '-published,brand', 'inStock,weight', '-inStock,-weight,brand', 'name,-seen', '-born', 'brand&weight[exists]=true', '-weight&brand[gte]=a',
    'weight&tags[in]=x,y,z', '-createdAt&tags[in]=x,y,z', '-brand,price&color[exists]=true', 'createdAt&weight[gt]=-5') {
    my $all = numbers(list("sort=$sort"));
    for my $limit (1 .. 6) {
        my @pages = map { numbers(list("sort=$sort&limit=$limit&page=$_")) } 1 .. 7;
        is(join(' ', grep { length } @pages), $all, "pages of $limit in the order $sort have each product once");
        my ($next, @walked) = '';
        while (defined $next) {
            my $r = list("sort=$sort&limit=$limit&cursor=$next");
            push @walked, numbers($r);
            $next = $r->{json}{pagination}{nextCursor};
        }
        is(join(' ', @walked), $all, "cursors of $limit too");
    }
}
my $next = list('sort=weight&limit=2&cursor=')->{json}{pagination}{nextCursor};
answers(list("sort=$_&cursor=$next"), 400, refusal(message => 'Invalid cursor', error => qr/./), "a cursor is none of sort=$_") for '-weight', 'brand', 'weight,brand';
answers(list("sort=$_"), 400, invalid(sort => 'no_index'), "sort=$_ is refused") for 'tags', 'about', 'plain';

# ---- case: a field that is added later cannot be used before all products have its keys ----

$server->stop;
my $more = server(mount => "$fields\nCatalogField height number index", conf => 'DBDParams "' . $server->params . "\"\n");
my $db = $server->database;
$db->do(q(INSERT INTO catalog_fields (number, name, definition, complete, counted, n, filled) VALUES (99, 'height', 'number index', 0, 0, 9223372036854775807, 3)));
$db->disconnect;
$more->start;
my $early = $more->api(GET => '/products?height[gt]=1');
ok($early->{status} == 200 || ($early->{status} == 503 && $early->{json}{error} =~ /being indexed: \d+ %/), 'a list by a new field is refused until it is complete') or diag $early->{body};
ok(wait_until(30, sub { @{ $more->api(GET => '/products?sort=height')->{json}{data} // [] } == 6 }), 'then it is served, with all products');

done_testing;
