# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# again: mysql
# runs: first
# Facets of the shop's own fields, and the counts of their values after each kind of write.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);

my $fields = qq(CatalogField brand string facet\nCatalogField tags strings facet\nCatalogField color choice values="red|green" facet\n)
    . qq(CatalogField pages integer facet\nCatalogField used boolean facet\nCatalogField maker string index\nCatalogCountLimit 20);
my $server = server(mount => $fields)->start;
my $token = register($server)->{token};
my $db = $server->database;

sub made { return $server->api(POST => '/products', { name => 'cup', price => 1, @_ }, token => $token)->{json}{data}{id} }
sub list { return $server->api(GET => "/products?$_[0]")->{json} }
sub facet { my ($name, $query) = @_; return join ', ', map { ref $_->{value} ? ($_->{value} ? 'true' : 'false') . " $_->{count}" : "$_->{value} $_->{count}" } @{ list("facets=$name" . ($query // ''))->{facets}{ $name =~ s/:.*//r } } }

# What the counts should be, of the products that the API returns.
sub counted {
    my ($name) = @_;
    my (%count, $after);
    for (my $cursor = ''; defined $cursor; $cursor = $after) {
        my $r = $server->api(GET => "/products?limit=100&fields=id,$name&cursor=$cursor")->{json};
        for my $value (map { ref $_->{$name} eq 'ARRAY' ? @{ $_->{$name} } : $_->{$name} // () } @{ $r->{data} }) {
            $count{$value}++;
        }
        $after = $r->{pagination}{nextCursor};
    }
    return join ', ', map { "$_ $count{$_}" } sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
}

sub agrees {
    my ($name) = @_;
    is(facet("$_:1000"), counted($_), "$name: the counts of $_ are those of the products") for qw(brand tags);
    my $check = ctl_for($server, 'check');
    like($check->{out}, qr/ok\tcounts\tmatch the products/, "$name: catalogctl check agrees");
}

my $kettle = made(brand => 'Acme', tags => ['red', 'steel'], color => 'red', pages => 12, used => true);
my $pot = made(brand => 'Acme', tags => ['steel'], color => 'green', pages => 3, used => false);
my $cup = made(brand => 'acme', tags => [], used => true);
my $bare = made();
is(facet('brand'), 'Acme 2, acme 1', 'texts are counted as they are');
is(facet('tags'), 'steel 2, red 1', 'of a list each text');
is(facet('color'), 'green 1, red 1', 'choices');
is(facet('pages'), '12 1, 3 1', 'whole numbers, in the order of their texts where the counts are equal');
is(facet('used'), 'true 2, false 1', 'booleans');
is_deeply(list('facets=used,pages:1')->{facets}, { pages => [{ value => 12, count => 1 }], used => [{ value => true, count => 2 }, { value => false, count => 1 }] }, 'as JSON has them');
is_deeply(list('facets=pages:1,brand,tags:1')->{facetsMore}, ['tags', 'pages'], 'facetsMore names those that have more values');
ok(!exists list('facets=tags:2,brand')->{facetsMore}, 'and is absent otherwise');
is_deeply(list('facets=category:1')->{facetsMore}, undef, 'of a category, too');
like($server->api(GET => '/products?facets=tags:2,brand:50,color')->{headers}{link}, qr/facets=brand,tags:2,color&/, 'links keep the numbers');
answers($server->api(GET => "/products?facets=$_"), 400, invalid(facets => 'invalid'), "facets=$_ is refused") for 'brand:0', 'brand:1001', 'tags,brand:x', 'brand:';
answers($server->api(GET => "/products?facets=$_"), 400, invalid(facets => 'unknown'), "facets=$_ is refused") for 'maker', 'brand,maker:3', ':3';

# ---- each kind of write ----

$server->api(PUT => "/products/$kettle", { brand => 'Bolt', tags => ['red', 'new'] }, token => $token);
is(facet('brand'), 'Acme 1, Bolt 1, acme 1', 'an update moves a product to another value');
is(facet('tags'), 'new 1, red 1, steel 1', 'of a list it moves only what changes');
$server->api(PUT => "/products/$kettle", { brand => undef, name => 'kettle' }, token => $token);
is(facet('brand'), 'Acme 1, acme 1', 'without a value it is not counted');
$server->api(DELETE => "/products/$pot", undef, token => $token);
is(facet('brand'), 'acme 1', 'a deletion is counted');
is(facet('tags'), 'new 1, red 1', 'of each text');
my $batch = $server->api(POST => '/products/batch', { operations => [{ op => 'create', body => { name => 'a', price => 1, brand => 'Cone' } },
    { op => 'update', id => $cup, body => { brand => 'Cone' } }, { op => 'delete', id => $kettle }] }, token => $token);
is($batch->{status}, 200, 'a batch');
is(facet('brand'), 'Cone 2', 'is counted');
$server->api(POST => '/products/batch', { operations => [{ op => 'create', body => { name => 'a', price => 1, brand => 'Lost' } }, { op => 'delete', id => $kettle }] }, token => $token);
is(facet('brand'), 'Cone 2', 'one that fails is not');
$server->api(POST => '/products/batch', { where => 'name=cup', set => { brand => 'Dart', tags => ['x'] } }, token => $token);
is(facet('brand'), 'Dart 2, Cone 1', 'a change of all that match is counted');
my $csv = "name,price,brand,tags\n" . join('', map { "n$_,1,b" . $_ % 7 . ",t" . $_ % 3 . "\n" } 1 .. 70);
answers($server->api(POST => '/products/import', $csv, token => $token, headers => { 'Content-Type' => 'text/csv' }), 200, undef, 'an import');
is(facet('brand'), join(', ', (map { "b$_ 10" } 0 .. 6), 'Dart 2', 'Cone 1'), 'is counted');
is_deeply([map { list('facets=brand,tags')->{$_} } qw(facetsRelation facetsMore)], [undef, undef], 'of the whole list the facets are exact, whatever its length');
agrees('after writes of each kind');

made(brand => 'y' x 200, tags => ["\x{e9}" x 100]);
is(facet('tags', '&sort=name') =~ /\x{e9}{100} 1/ ? 1 : 0, 1, 'long texts are counted');

# ---- beside conditions ----

is(list('facets=brand&price=1')->{facetsRelation}, 'gte', 'with conditions so many products are counted as CatalogCountLimit says');
is(facet('brand', '&price=1&count=exact'), counted('brand'), 'with count=exact all are');
ok(!exists list('facets=tags&price=1&count=exact')->{facetsRelation}, 'and the answer does not say otherwise');
is(facet('tags', '&name=n3'), 't0 1', 'of a list, too');
is(facet('used', '&name=cup'), 'true 1', 'and of booleans');
is(facet('category', '&price=1&count=exact'), ' ' . list('count=exact')->{pagination}{total}, 'and of categories');

# ---- writers at once ----

my @answers = $server->burst(map { wire(POST => '/products', { name => "w$_", price => 1, brand => 'Hot', tags => ['hot', "h" . $_ % 4] }, token => $token) } 1 .. 24);
is(scalar(grep { $_->{status} == 201 } @answers), 24, 'writers of the same value do not keep each other from writing');
my @ids = map { $_->{id} } @{ list('name[prefix]=w&limit=100')->{data} };
$server->burst((map { wire(PUT => "/products/$ids[$_]", { brand => 'Hot' . $_ % 3, tags => ['hot'] }, token => $token) } 0 .. 11),
    (map { wire(DELETE => "/products/$ids[$_]", undef, token => $token) } 6 .. 17));
agrees('after writers at once');

# ---- counting anew ----

wait_until(30, sub { $db->do(q(UPDATE value_counts SET n = n + 1 WHERE value = 'Dart')) > 0 }) or fail('the values are counted'); # by the job, on a server
$db->do(q(DELETE FROM value_counts WHERE value = 'b3'));
wait_until(30, sub { ctl_for($server, 'check')->{out} =~ /counts\t\d+ are wrong; run: catalogctl recount/ }) or fail('catalogctl check finds wrong counts');
is(ctl_for($server, 'recount')->{status}, 0, 'catalogctl recount');
$server->api(PUT => "/products/$bare", { name => 'again' }, token => $token); # makes cached answers stale
agrees('after a recount');

# ---- a facet that is added when there are products, and children that are killed while its keys are filled in ----

is_deeply($server->api(GET => "/products?facets=maker")->{status}, 400, 'a field that is no facet');
my $many = "name,price,maker\n" . join('', map { "m$_,2,M" . $_ % 5 . "\n" } 1 .. 3000);
answers($server->api(POST => '/products/import', $many, token => $token, headers => { 'Content-Type' => 'text/csv' }), 200, undef, 'products with another field');
my $params = $server->params;
$db->disconnect;
$server->stop;
allow_kills();
my $more = server(mount => $fields =~ s/maker string index/maker string facet/r, conf => qq(DBDParams "$params"\n))->start;
$db = $server->database;
sub known { return ($db->selectrow_array(qq(SELECT $_[0] FROM catalog_fields WHERE name = 'maker')))[0] }
my ($writes, $kills, $filled) = (0, 0, -1);
wait_until(120, sub {
    if (known('counted') && !known('complete') && known('filled') > $filled && $kills < 4) {
        $kills++;
        $filled = known('filled');
        kill KILL => $more->children;
    }
    my $r = eval { $more->api(POST => '/products', { name => 'late', price => 2, maker => 'M1' }, token => $token) };
    if ($r && $r->{status} == 201) {
        $writes++;
        eval { $more->api(PUT => "/products/$r->{json}{data}{id}", { maker => 'M' . $writes % 3 }, token => $token) };
    }
    return known('complete');
}) or fail('the keys are filled in');
ok($kills > 0 && $writes > 0, "children were killed $kills times, and $writes products written, meanwhile");
# All products are gone through again.
my $begin = q(UPDATE catalog_fields SET complete = 0, n = 9223372036854775807, filled = 0 WHERE name = 'maker');
my $refused = wait_until(60, sub { $db->do($begin); my $r = $more->api(GET => '/fields/maker/values'); return $r->{status} == 503 && $r });
answers($refused, 503, { success => false, message => 'Service unavailable', error => qr/^the products are being indexed: \d+ %$/ }, 'until all keys are filled in, there is no list of the values');
my $relation = wait_until(60, sub { $db->do($begin); $more->api(GET => '/products?facets=maker')->{json}{facetsRelation} }); # the job may be done at once
is($relation, 'gte', 'and the facet is of some products');
wait_until(120, sub { known('complete') }) or fail('the keys are filled in again');
$server = $more;
ok(wait_until(30, sub { facet('maker') eq counted('maker') }), 'each product is counted once, in the answers of all children');
agrees('after that');

# ---- more values change at once than the first values are read with ----

my @many = map { { op => 'create', body => { name => 'm', price => 1, brand => "many$_" } } } map { ($_) x ($_ == 7 ? 90 : $_ == 9 ? 80 : 1) } 1 .. 20;
is($server->api(POST => '/products/batch', { operations => [splice @many, 0, 100] }, token => $token)->{status}, 200, 'values change') while @many;
is(facet('brand:2'), join(', ', (split /, /, counted('brand'))[0, 1]), 'the first values are right at once');

done_testing;
