# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# again: mysql
# How many statements a list sends, as each is a round trip, and which lists need no transaction.
use CatalogTest;
use CatalogTest::Metrics qw(location scrape);
use CatalogTest::Tools qw(wait_until);
use List::Util qw(min sum);

my $server = server(
    conf => CatalogTest::Server::one_child() . "CatalogCacheSize 0\n" . location(),
    mount => "CatalogField brand string facet\nCatalogField weight number index\n")->start;
my $token = register($server)->{token};
$server->api(POST => '/products', { name => 'cup', price => 1, brand => "brand $_", weight => $_ }, token => $token) for 1 .. 12;

# Jobs send statements as well, so the least of several requests counts.
sub sent {
    my ($query) = @_;
    my @counts = map {
        my $before = scrape($server);
        $server->api(GET => "/products$query");
        my $after = scrape($server);
        +{ map { $_ => ($after->{ statement($_) } // 0) - ($before->{ statement($_) } // 0) } qw(select rollback) };
    } 1 .. 5;
    return join ' ', map { my $kind = $_; min map { $_->{$kind} } @counts } qw(select rollback);
}

sub statement { my ($kind) = @_; return qq(catalog_database_statements_total{engine="${\driver}",kind="$kind"}) }

my $only_rows = driver() eq 'mysql' ? 0 : 1; # transactions, where one select alone has the answer
ok(wait_until(60, sub { sent('?facets=brand') eq '2 1' }), 'facets of a field: the products, then the values with the total')
    || diag(sent('?facets=brand'));
is($server->api(GET => '/products?facets=brand')->{json}{pagination}{total}, 12, 'which is right');
ok(wait_until(60, sub { sent('?facets=brand,inStock') eq '3 1' }), 'products in stock are counted by a table of their own');
ok(wait_until(60, sub { sent('?weight[gte]=3&cursor=') eq "2 $only_rows" }), 'a list by cursor: how many products, then these')
    || diag(sent('?weight[gte]=3&cursor='));
ok(wait_until(60, sub { sent('?weight[gte]=3&limit=2') eq '3 1' }), 'with a total it is one state of the database');
ok(wait_until(60, sub { sent('?sort=-weight,name&cursor=') =~ / 1$/ }), 'and so it is where a bound is read first');
ok(wait_until(60, sub { sent('?q=cup&sort=relevance&cursor=') =~ / 1$/ }), 'or the ids of the products, by relevance');

$server->api(POST => '/products', { name => $_, price => 1 }, token => $token) for 'Red kettle', 'Kettledrum';
ok(wait_until(60, sub { sent('/suggest?q=kett') eq "3 $only_rows" }), 'suggestions: the fields, the words that begin so, then their products')
    || diag(sent('/suggest?q=kett'));

# The fields are read once for all steps of a search. A look finds what begins with a word.
$server->api(POST => '/products', { name => 'Silver spoon', price => 1 }, token => $token);
my %selects = (
    '?q=spoom&cursor=' => [5, 'a slip: the fields, a look, the dictionary, a look for the only word that is like it, the products'],
    '?q=poon&cursor=' => [4, 'inside a word: no second look, as the dictionary tells that a product has the whole word'],
    '?q=ettl&cursor=' => [4, 'inside two words, too'],
);
for my $query (sort keys %selects) {
    my ($wanted, $name) = @{ $selects{$query} };
    ok(wait_until(60, sub { sent($query) eq "$wanted $only_rows" }), "$query: $name") || diag(sent($query));
}

# ---- rows ----

# Other files use the engine at the same time, so one of several requests has to read few. MariaDB sorts what is equal in an order, too.
if (driver() eq 'mysql') {
    my $file = join '', "name,price\n", map { "mug $_,1\n" } 1 .. 3_000;
    is($server->api(POST => '/products/import', $file, headers => { 'Content-Type' => 'text/csv' }, token => $token)->{status}, 200, 'many mugs');
    my $db = $server->database;
    for my $query ('?q=mug&match=exact&cursor=', '?q=mug&sort=relevance&cursor=', '/suggest?q=m', '/suggest?q=mug') {
        my $of_one = sub { my $before = rows_read($db); $server->api(GET => "/products$query"); return rows_read($db) - $before };
        ok(wait_until(60, sub { $of_one->() < 2_000 }), "$query: not all mugs are read");
    }
}

sub rows_read { my ($db) = @_; return sum(map { $_->[1] } @{ $db->selectall_arrayref(q(SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_rnd_next'))) }) }

done_testing;
