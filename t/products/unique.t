# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# again: db
# Unique fields of the shop's own, and the keys that products have of indexed ones.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(id_at n_of);
use Time::HiRes qw(sleep);

my $server = server(mount => qq(CatalogField sku string unique max=64\nCatalogField weight number index\nCatalogField tags strings index\n)
    . qq(CatalogField color choice values="red|green" index\nCatalogField seen time index\nCatalogField about text search))->start;
my $token = register($server)->{token};
my $db = $server->database;

sub made { my ($product, $name) = @_; return $server->api(POST => '/products', { name => 'cup', price => 1, %$product }, token => $token) }
sub keys_of {
    my ($id) = @_;
    return join ' ', map { join '=', map { $_ // '' } @$_ } @{ $db->selectall_arrayref('SELECT f.name, k.value_key, k.value FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE k.n = ? ORDER BY f.number, k.value_key', undef, n_of($id)) };
}
sub values_taken { return join ' ', map { $_->[0] } @{ $db->selectall_arrayref('SELECT value FROM product_unique ORDER BY value') } }

my $first = made({ sku => 'KT-1', weight => 2.5, tags => ['steel', 'red'], color => 'green', seen => '1970-01-01T00:00:00.001Z', about => 'A shiny thing' });
my $id = $first->{json}{data}{id};
is(keys_of($id), 'sku=kt-1=KT-1 weight=c004000000000000= tags=red= tags=steel= color=001= seen=8000000000000001=', 'a product has the keys of its fields');
is(values_taken(), 'KT-1', 'and its unique value');
is_deeply($server->api(GET => '/products?q=shiny')->{json}{data}[0]{id}, $id, 'words of a searched field are found');
my $taken = made({ sku => 'KT-1' });
answers($taken, 400, undef, 'a taken value is refused');
is_deeply($taken->{json}{errors}, [{ field => 'sku', code => 'taken', message => 'is already taken by another product' }], 'with the field');
my $second = made({ sku => 'kt-1', weight => -1 })->{json}{data}{id};
is(keys_of($second), 'sku=kt-1=kt-1 weight=400fffffffffffff= color== seen==', 'texts are compared exactly, and missing values have an empty key');
answers($server->api(PUT => "/products/$second", { sku => 'KT-1' }, token => $token), 400, undef, 'an update to a taken value is refused');
answers($server->api(PUT => "/products/$second", { sku => undef, tags => ['x'], about => 'dull' }, token => $token), 200, undef, 'a value is given up');
is(keys_of($second), 'sku== weight=400fffffffffffff= tags=x= color== seen==', 'the keys follow');
is(values_taken(), 'KT-1', 'and the unique values');
answers($server->api(PUT => "/products/$id", { sku => 'KT-1', weight => undef, name => 'pot' }, token => $token), 200, undef, 'a product may keep its value');
is(keys_of($id), 'sku=kt-1=KT-1 weight== tags=red= tags=steel= color=001= seen=8000000000000001=', 'the keys follow');
my $batch = $server->api(POST => '/products/batch', { atomic => Cpanel::JSON::XS::false, operations => [{ op => 'create', body => { name => 'x', price => 1, sku => 'KT-1' } }, { op => 'create', body => { name => 'x', price => 1, sku => 'KT-2' } }] }, token => $token);
is_deeply([map { $_->{status} } @{ $batch->{json}{results} }], [400, 201], 'an operation of a batch is refused alone');
is($batch->{json}{results}[0]{errors}[0]{code}, 'taken', 'with the code');
answers($server->api(DELETE => "/products/$id", undef, token => $token), 200, undef, 'a product is deleted');
is(keys_of($id), '', 'without leaving keys');
is(values_taken(), 'KT-2', 'or values');

# case: 32 writers want one value, by each kind of write
my @own = map { made({ sku => "own-$_" })->{json}{data}{id} } 1 .. 12;
for my $round (1 .. 4) {
    my $value = "ONE-$round";
    my %wanted = (name => 'n', price => 1, sku => $value);
    my @requests = (
        (map { [POST => '/products', { %wanted, name => "n$_" }] } 1 .. 12),
        (map { [PUT => "/products/$_", { sku => $value }] } @own),
        (map { [POST => '/products/batch', { operations => [{ op => 'create', body => { name => 'before', price => 1 } }, { op => 'create', body => \%wanted }] }] } 1 .. 4),
        (map { [POST => '/products/import', "name,price,sku\nbefore,1,\nn,1,$value\n", headers => { 'Content-Type' => 'text/csv' }] } 1 .. 4),
    );
    my @answers = $server->burst(map { wire(@$_, token => $token) } @requests);
    my @good = grep { $_->{status} =~ /^20[01]$/ } @answers;
    my @refused = grep { $_->{status} == 400 && $_->{body} =~ /"code":"taken"/ } @answers;
    is_deeply([scalar @good, scalar @refused], [1, 31], "one of 32 writers gets the value, the others are told, round $round")
        or diag map { "$_->{status} $_->{body}\n" } grep { $_->{status} !~ /^20[01]$/ && $_->{body} !~ /"code":"taken"/ } @answers;
    is($db->selectrow_array('SELECT COUNT(*) FROM product_unique WHERE value = ?', undef, $value), 1, 'it is stored once');
    my $list = $server->api(GET => "/products?sku=$value&fields=sku")->{json};
    is_deeply($list->{data}, [{ sku => $value }], 'one product has it');
    $server->api(PUT => "/products/sku=$value", { sku => undef }, token => $token) if $round < 4;
}
my $before = $server->api(GET => '/products?name=before&limit=1&count=exact')->{json}{pagination}{total};
cmp_ok($before, '<=', 4, 'what is refused leaves nothing else behind');

# case: 32 writers create the product of one name
my @named = $server->burst(map { wire(PUT => '/products/sku=NAMED', { name => "named $_", price => $_ }, token => $token) } 1 .. 32);
is_deeply([map { my $status = $_; scalar grep { $_->{status} == $status } @named } 201, 200], [1, 31], 'one of 32 writers creates the product of a name, the others change it')
    or diag map { "$_->{status} $_->{body}\n" } @named;
is($server->api(GET => '/products?name[prefix]=named')->{json}{pagination}{total}, 1, 'there is one');
is($server->api(DELETE => '/products/sku=NAMED', undef, token => $token)->{status}, 200, 'it is deleted');
is_deeply([sort(split / /, values_taken())], [sort('KT-2', 'ONE-4', grep { $_ && $_ ne 'ONE-4' } map { $server->api(GET => "/products/$_")->{json}{data}{sku} } @own)],
    'the values are those of the products');

# case: lines that are added later: a job gives the products their keys
my $taken_before = values_taken();
$server->stop; # it would add its fields again
$db->do(qq(DELETE FROM $_)) for qw(catalog_fields product_keys product_unique);
$db->disconnect;
my $more = server(mount => qq(CatalogField sku string unique\nCatalogField about text search\nCatalogField weight number index), conf => 'DBDParams "' . $server->params . "\"\n")->start;
$db = $server->database;
ok(wait_until(60, sub { ($db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 1'))[0] == 3 }), 'a server with other lines fills in the keys of its fields');
is(keys_of($second), 'sku== weight=400fffffffffffff=', 'a product has them');
is(values_taken(), $taken_before, 'and the unique values are there');

# case: a field becomes unique, while clients want the values of products that were there before
my $plain = server(mount => "CatalogField code string index\n")->start;
my $first_token = register($plain)->{token};
my $has_value = $plain->api(POST => '/products', { name => 'old', price => 1, code => 'C-1' }, token => $first_token)->{json}{data}{id};
my $strict = server(mount => "CatalogField code string unique\n", conf => 'DBDParams "' . $plain->params . "\"\n")->start_unready;
$strict->wait_up;
ok(wait_until(20, sub { $strict->api(GET => '/health/ready')->{status} == 200 }), 'another server of the database has the field as unique');
my $strict_token = register($strict)->{token};
my @early = map { [POST => '/products', { name => "new $_", price => 1, code => 'C-1' }] } 1 .. 16;
my %early = map { $_->{status} => $_ } $strict->burst(map { wire(@$_, token => $strict_token) } @early);
is_deeply([keys %early], [503], 'none of 16 writers gets the value of a product that was there before');
like($early{503}{body}, qr/the products are being indexed/, 'and is told why');
is($strict->api(PUT => "/products/code=C-1", { name => 'new', price => 1 }, token => $strict_token)->{status}, 503, 'nor does who names the product by it');
my @mixed = map { [POST => '/products', { name => "mixed $_", price => 1, $_ % 4 ? () : (code => "M-$_") }] } 1 .. 32;
is(join(' ', map { $_->{status} } $strict->burst(map { wire(@$_, token => $strict_token) } @mixed)), join(' ', map { $_ % 4 ? 201 : 503 } 1 .. 32),
    'of those that come at once, the ones without a value are created');
my @operations = ({ op => 'create', body => { name => 'plain', price => 1 } }, { op => 'create', body => { name => 'coded', price => 1, code => 'C-9' } },
    { op => 'update', id => 'code=C-1', body => { price => 3 } }, { op => 'update', id => $has_value, body => { price => 2 } });
my $several = $strict->api(POST => '/products/batch', { atomic => \0, operations => \@operations }, token => $strict_token);
is(join(' ', $several->{status}, map { $_->{status} } @{ $several->{json}{results} // [] }), '200 201 503 503 200', 'a batch that is not atomic does the others');
is($several->{json}{results}[1]{message}, 'Service unavailable', 'and says why not these');
is($strict->api(POST => '/products/batch', { operations => \@operations }, token => $strict_token)->{status}, 503, 'an atomic one does nothing');
is($strict->api(POST => '/products', { name => 'none', price => 1 }, token => $strict_token)->{status}, 201, 'a product without a value is created');
is($strict->api(PUT => "/products/$has_value", { name => 'older', code => 'C-1' }, token => $strict_token)->{status}, 200, 'and one that keeps its value changed');
my $of_plain = $plain->database;
ok(wait_until(60, sub { ($of_plain->selectrow_array(q(SELECT complete FROM catalog_fields WHERE name = 'code')))[0] }), 'the values are claimed');
sleep 1.1; # as long as a server goes by what it has read
is($strict->api(POST => '/products', { name => 'new', price => 1, code => 'C-1' }, token => $strict_token)->{json}{errors}[0]{code}, 'taken', 'then the value is taken');
is($strict->api(POST => '/products', { name => 'new', price => 1, code => 'C-2' }, token => $strict_token)->{status}, 201, 'and another one is free');
is($of_plain->selectrow_array(q(SELECT COUNT(*) FROM products WHERE extra LIKE '%C-1%')), 1, 'one product has the value');
$_->stop for $plain, $strict;

# ---- numbers ----

my $counted = server(mount => 'CatalogField code number unique')->start;
my $writer = register($counted)->{token};
sub coded { return $counted->api(POST => '/products', qq({"name":"cup","price":1,"code":$_[0]}), token => $writer) }
for (['1e15', '1000000000000000', '1.0E15', '1000000000000000.0'], ['-2.5e17', '-250000000000000000'], ['1e21', '1000e18', '1000000000000000000000'], ['0.00001', '1e-5']) {
    my ($one, @others) = @$_;
    answers(coded($one), 201, undef, "the number $one");
    is(coded($_)->{json}{errors}[0]{code}, 'taken', "$_ is the same one") for @others;
    answers($counted->api(GET => "/products/code=$_"), 200, undef, "and finds its product") for $one, @others;
}

# ---- products of other programs ----

my $shared = server(mount => "CatalogField sku string unique\nCatalogField brand string facet\nCatalogField tags strings search")->start;
$writer = register($shared)->{token};
my $own = $shared->api(POST => '/products', { name => 'own', price => 1, sku => 'OWN', brand => 'Acme' }, token => $writer)->{json}{data}{id};
my @foreign = map { id_at(1_763_731_170_000, $_) } 1 .. 2;
for (['NEW', $foreign[0]], ['OWN', $foreign[1]]) {
    my ($sku, $of) = @$_;
    $shared->database->do(q(INSERT INTO products (n, id, name, price, category, in_stock, extra) VALUES (?, ?, 'foreign', '3', 'Cups', 1, ?)), undef,
        n_of($of), $of, qq({"brand":"Acme","sku":"$sku","tags":["deep"]}));
}
ctl_for($shared, 'recount') if driver eq 'mysql'; # which has no triggers
like(problems(ctl_for($shared, 'check')), qr/^index: 2 products were written by another program/m, 'catalogctl check finds products of another program');
is(ctl_for($shared, 'index')->{status}, 0, 'catalogctl index mends them');
sub ids { return join ' ', map { $_->{id} } @{ $shared->api(GET => "/products?$_[0]")->{json}{data} } }
is(ids('brand=Acme'), "$own $foreign[1] $foreign[0]", 'their fields have keys');
is(ids('q=deep'), "$foreign[1] $foreign[0]", 'and words');
ok(wait_until(20, sub { ($shared->api(GET => '/products?facets=brand')->{json}{facets}{brand}[0]{count} // 0) == 3 }), 'their values are counted');
is($shared->api(GET => '/products/sku=NEW')->{json}{data}{id}, $foreign[0], 'a unique one finds its product');
is($shared->api(GET => '/products/sku=OWN')->{json}{data}{id}, $own, 'but stays with the product that had it');
unlike(problems(ctl_for($shared, 'check')), qr/^(?:index|counts)/m, 'check finds nothing more');

done_testing;
