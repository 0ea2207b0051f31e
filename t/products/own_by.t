# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# The option by=: lists of one value in the order of another field are right after every kind of change, while the keys of products that
# were there before are filled in, and after a field is renamed or dropped.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for run);
use CatalogTest::Tools qw(setting);

my $plain = "CatalogField brand string index\nCatalogField weight number index\nCatalogField tags strings index\n";
my $ordered = $plain =~ s/(string index)/$1 by=price/r =~ s/(strings index)/$1 by=weight/r;
my $server = server(mount => $plain)->start;
my $token = register($server)->{token};
my %number;

sub create {
    my (%product) = @_;
    my $r = $server->api(POST => '/products', { category => 'c', inStock => true, %product }, token => $token);
    die $r->{body} if $r->{status} != 201;
    return $r->{json}{data}{id};
}

sub names { my ($query) = @_; my $r = $server->api(GET => "/products?$query"); return join ' ', map { $_->{name} } @{ $r->{json}{data} // [] } }

# By page, and by cursor one at a time.
sub is_list {
    my ($query, $names, $what) = @_;
    is(names($query), $names, "$what: $query");
    is(names("$query&limit=2&page=2"), join(' ', grep { defined } (split / /, $names)[2, 3]), "$what: page 2");
    my ($cursor, @seen) = '';
    while (defined $cursor && @seen < 20) {
        my $r = $server->api(GET => "/products?$query&limit=1&cursor=$cursor")->{json};
        push @seen, map { $_->{name} } @{ $r->{data} };
        $cursor = $r->{pagination}{nextCursor};
    }
    is("@seen", $names, "$what: by cursor");
}

my %id = map { my ($name, $brand, $price, $weight, @tags) = @$_; $name => create(name => $name, price => $price, $brand ? (brand => $brand) : (), defined $weight ? (weight => $weight) : (), @tags ? (tags => \@tags) : ()) }
    ['one', 'Acme', 5, 2, 'red', 'steel'], ['two', 'Acme', 3, -1, 'red'], ['three', 'acme', 1, undef, 'steel', 'red'], ['four', 'Bolt', 2, 7, 'red'], ['five', 'Acme', 10, 0.5], ['six', undef, 4, 3, 'redder'];

sub is_all {
    my ($what) = @_;
    is_list('brand=Acme&sort=price', 'two one five', $what);
    is_list('brand=Acme&sort=-price', 'five one two', $what);
    is_list('tags=red&sort=weight', 'three two one four', $what);
    is_list('tags=red&sort=-weight', 'four one two three', $what);
    is_list('brand=Acme&tags=red&sort=price', 'two one', $what);
    is_list('brand=Acme&price[gt]=3&sort=price', 'one five', $what);
    is_list('brand=Acme&sort=price,name', 'two one five', $what);
    is($server->api(GET => '/products?brand=Acme&sort=price&limit=1')->{json}{pagination}{total}, 3, "$what: total");
}

# The server's lines from now on.
sub restart_with {
    my ($lines) = @_;
    my $file = $server->dir . '/httpd.conf';
    my $text = slurp($file);
    my $first = 1;
    $text =~ s/^\s*CatalogField .*\n/$first-- > 0 ? $lines : ''/gme;
    $server->stop;
    spew($file, $text);
    $server->start;
}

my $db = $server->database;
sub keys_of { my ($name) = @_; return $db->selectrow_array('SELECT COUNT(*) FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE f.name = ?', undef, $name) }

is_all('without the option');
restart_with($ordered);
is_all('while keys are filled in');
ok(wait_until(60, sub { $db->selectrow_array(q(SELECT COUNT(*) FROM catalog_fields WHERE name LIKE '%,%' AND complete = 1)) == 2 }), 'the job fills the keys in');
is(keys_of('brand,price'), 5, 'of products that have a brand');
is(keys_of('tags,weight'), 7, 'and of each element');
sleep 2;
is_all('with keys');

# case: changes
sub change { my ($method, $name, $body) = @_; my $r = $server->api($method => "/products/$id{$name}", $body, token => $token); is($r->{status}, 200, "$method $name") }
change(PATCH => 'five', { price => 4 });
is_list('brand=Acme&sort=price', 'two five one', 'another price');
change(PUT => 'one', { brand => 'Bolt' });
is_list('brand=Acme&sort=-price', 'five two', 'another brand');
is_list('brand=Bolt&sort=price', 'four one', 'and there');
change(PATCH => 'two', { tags => ['steel'], weight => 9 });
is_list('tags=red&sort=weight', 'three one four', 'another tag');
is_list('tags=steel&sort=weight', 'three one two', 'and another weight');
change(PATCH => 'four', { weight => undef });
is_list('tags=red&sort=-weight', 'one four three', 'no weight');
is($server->api(DELETE => "/products/$id{three}", undef, token => $token)->{status}, 200, 'one is deleted');
is_list('tags=red&sort=-weight', 'one four', 'and in no list');
$id{seven} = create(name => 'seven', price => 0.5, brand => 'Acme', tags => ['red'], weight => -100);
is_list('brand=Acme&sort=price', 'seven two five', 'a new one');
is_list('tags=red&sort=weight', 'four seven one', 'and by weight');
is(keys_of('brand,price'), 5, 'no key is left over');

like(run({}, setting('ctl'), '-d', driver, '-p', $server->params, 'export', '-f', 'csv')->{out}, qr/^[^\n]*createdAt,brand,weight,tags\r?\n/, 'an export without a configuration has no columns of pairs');

# case: the field gets another name, and is dropped
restart_with($ordered =~ s/brand/maker/r);
is(ctl_for($server, 'fields', 'rename', 'brand', 'maker')->{status}, 0, 'the field is renamed');
ok(wait_until(60, sub { keys_of('maker,price') == 5 && !keys_of('brand,price') && !$db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0') }), 'and its pair');
sleep 2;
is_list('maker=Acme&sort=price', 'seven two five', 'by the new name');
restart_with($plain =~ s/brand/maker/r);
is(ctl_for($server, 'fields', 'drop', 'maker,price')->{status}, 0, 'the pair is dropped alone');
is(keys_of('maker,price'), 0, 'with its keys');
is_list('maker=Acme&sort=price', 'seven two five', 'and the list is right');
restart_with($ordered =~ s/brand/maker/r);
is(ctl_for($server, 'fields', 'drop', 'maker,price')->{status}, 1, 'one with a line is not');
restart_with("CatalogField weight number index\n");
is(ctl_for($server, 'fields', 'drop', 'maker')->{status}, 0, 'it is dropped');
is(keys_of('maker,price'), 0, 'with the pair');
is($db->selectrow_array(q(SELECT COUNT(*) FROM catalog_fields WHERE name = 'maker,price')), 0, 'of which the database knows nothing more');

done_testing;
