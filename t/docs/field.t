# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# runs: first
# nightly: only
# "Add a product field" of CONTRIBUTING.md, step by step in a copy of the source: the server that is built of it is asked for all that a field
# can do. A second field has no key: conditions on it and orders by it are refused.
use CatalogTest;
use CatalogTest::Copy ();
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Document ();
use CatalogTest::Tools qw(setting);
use Cpanel::JSON::XS ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my $copy = CatalogTest::Copy->new;

# ---- the recipe ----

my @blocks = map { s/^ {3}//gmr } slurp(setting('top') . '/CONTRIBUTING.md') =~ /^ {3}```\w+\n(.*?)^ {3}```$/gms;
sub block { my ($begin) = @_; my ($found) = grep { /^\Q$begin\E/ } @blocks; return $found // die "CONTRIBUTING.md has no block that begins with $begin\n" }

my $row = block('ROW(SKU') =~ s/^/    /gmr;
my $note = $row =~ s/SKU/NOTE/r =~ s/"sku"/"note"/gr =~ s/KEYED/NONE/r;
$copy->edit('src/db/dialects/product.def', sub { s{(?=^ *ROW\(RATING)}{$row$note}m });
$copy->add_step(sqlite3 => 'sku', block('ALTER TABLE products ADD COLUMN sku') . "ALTER TABLE products ADD COLUMN note TEXT;\n");
$copy->edit('src/catalogue/search/index_table.c', sub { my $index = block('{"products_by_sku"'); s/^(?=    \{"products_by_price")/    $index/m });
$copy->edit('src/catalogue/search/index_table.h', sub { s/(#define CAT_INDEX_COUNT) (\d+)/"$1 " . ($2 + 1)/e });
$copy->edit('src/httpd/directives.def', sub { s/^(WORDS\(CatalogIndex,.*? rating )(search",)/$1sku $2/m });

is(my $wrong = $copy->make, '', 'the source with the field compiles');
done_testing, exit if $wrong;

# ---- a server of it, on a database that has a product already ----

my $before = server()->start;
my $old = $before->api(POST => '/products', { name => 'old', price => 1 }, token => register($before)->{token})->{json}{data}{id};
$before->stop;
my $server = server(build => $copy->build, conf => 'DBDParams "' . $before->params . "\"\n")->start;
my %user = (token => register($server)->{token});
sub ctl { my ($in, @words) = @_; return ctl_for($server, { in => $in }, @words) }

my @asked;
sub ask {
    my ($method, $path, @more) = @_;
    my $r = $server->api($method, $path, @more);
    push @asked, "$r->{status} $method $path" if $r->{status} >= 500;
    return $r;
}
sub post { my ($body) = @_; return ask(POST => '/products', $body, %user) }
sub listed { my ($query) = @_; my $r = ask(GET => "/products?$query"); return $r->{status} == 200 ? join ' ', map { $_->{name} } @{ $r->{json}{data} } : "$r->{status} $r->{body}" }

ok(wait_until(30, sub { $server->api(GET => '/products?sku%5Bexists%5D=false')->{status} == 200 }), 'the part of the field is filled in');
is(listed('sku%5Bexists%5D=false'), 'old', 'the product does not have the field');
is(ask(DELETE => "/products/$old", undef, %user)->{status}, 200, 'it is deleted');

my %sku = (a => 'KT-1', b => 'kt-2', c => 'ab', d => undef, e => "\x{c9}1", f => undef);
my %id;
for my $name (sort keys %sku) {
    my $r = post({ name => $name, price => 1, defined $sku{$name} ? (sku => $sku{$name}) : (), note => "of $name" });
    is($r->{status}, 201, "created: $name") or diag $r->{body};
    is_deeply([@{ $r->{json}{data} }{qw(sku note)}], [$sku{$name}, "of $name"], 'with the value of the field');
    $id{$name} = $r->{json}{data}{id};
}
answers(post({ name => 'x', price => 1, sku => $_->[0] }), 400, invalid(sku => $_->[1]), "refused: $_->[1]")
    for [5, 'type'], ['', 'too_short'], [' ', 'blank'], ['x' x 41, 'too_long'];
my $unset = post({ name => 'x', price => 1, sku => undef });
ok($unset->{status} == 201 && !exists $unset->{json}{data}{sku}, 'null in a new product counts as absent');
is(ask(DELETE => "/products/$unset->{json}{data}{id}", undef, %user)->{status}, 200, 'and is deleted again');
is(ask(GET => "/products/$id{a}")->{json}{data}{sku}, 'KT-1', 'GET has it');
is(ask(PUT => "/products/$id{a}", { sku => 'KT-9' }, %user)->{json}{data}{sku}, 'KT-9', 'PUT changes it');
is(ask(PATCH => "/products/$id{a}", { sku => undef }, %user)->{json}{data}{sku}, undef, 'null clears it');
is(listed('sku%5Bexists%5D=false&sort=name'), 'a d f', 'then it is not set');
is(ask(PATCH => "/products/$id{a}", { sku => 'KT-1' }, %user)->{json}{data}{sku}, 'KT-1', 'PATCH sets it');

# ---- conditions, orders and what else a list takes ----

my @lists = (
    ['sku=KT-1', 'a'], ['sku=kt-1', ''], ['sku[ne]=KT-1', 'b c e'], ['sku[in]=ab,kt-2,zz', 'b c'], ['sku[prefix]=kt', 'a b'], ['sku[prefix]=e', 'e'],
    ['sku[lt]=kt-1', 'c e'], ['sku[lte]=KT-1', 'a c e'], ['sku[gt]=kt-1', 'b'], ['sku[gte]=kt-1', 'a b'], ['sku[exists]=true', 'a b c e'],
    ['sku[exists]=false', 'd f'], ['sku[gt]=a&sku[lt]=l&name[ne]=b', 'a c e'], ['sku=KT-1&category=&price=1', 'a'], ['sku[prefix]=k&q=a', 'a'],
    ['sku[in]=KT-1,kt-2&price[gte]=0&inStock=true', 'a b'], ['id=' . $id{e} . '&sku[exists]=true', 'e'],
);
for (@lists) {
    my ($query, $want) = @$_;
    for my $more ('&sort=name', '&sort=name&count=exact&facets=category,inStock') {
        is(listed(($query =~ s/\[/%5B/gr =~ s/\]/%5D/gr) . $more), $want, "$query$more");
    }
    my $by_sku = listed("$query&sort=sku" =~ s/\[/%5B/gr =~ s/\]/%5D/gr);
    is(join(' ', sort split / /, $by_sku), $want, "$query, ordered by the field");
    is(join(' ', reverse split / /, listed("$query&sort=-sku" =~ s/\[/%5B/gr =~ s/\]/%5D/gr)), $by_sku, 'and backwards');
}
is(listed('sort=sku'), 'd f c e a b', 'sort=sku: those without it first');
is(listed('sort=-sku,name'), 'b a e c d f', 'with another field');
for my $sort ('sku', '-sku', 'category,sku', '-inStock,-sku') {
    my ($cursor, @names) = ('');
    do {
        my $r = ask(GET => "/products?sort=$sort&limit=2&cursor=$cursor");
        push @names, map { $_->{name} } @{ $r->{json}{data} };
        $cursor = $r->{json}{pagination}{nextCursor};
    } while (defined $cursor);
    is("@names", listed("sort=$sort"), "by cursor: sort=$sort");
}
is_deeply(ask(GET => '/products?fields=sku&sort=-sku&limit=1')->{json}{data}, [{ sku => 'kt-2' }], 'fields=sku');
is_deeply(ask(GET => "/products/$id{d}?fields=name,sku,note")->{json}{data}, { name => 'd', note => 'of d' }, 'of one product');
answers(ask(GET => '/products?facets=sku'), 400, invalid(facets => 'unknown'), 'facets are of other fields');
answers(ask(GET => '/products?sku%5Bprefix%5D='), 400, invalid('sku[prefix]' => 'too_short'), 'an empty prefix');
answers(ask(GET => '/products?sku%5Bfoo%5D=1'), 400, invalid('sku[foo]' => 'operator'), 'an unknown operator');

# ---- a field without a key ----

answers(ask(GET => "/products?note$_=true"), 400, undef, "no condition: note$_") for '', map { "%5B$_%5D" } qw(ne lt lte gt gte in prefix exists);
answers(ask(GET => '/products?sort=note'), 400, invalid(sort => 'no_index'), 'no order by it');
my $parameters = $json->encode(ask(GET => '/openapi.json')->{json}{paths}{'/products'}{get}{parameters});
like($parameters, qr/products\.sku\.prefix"/, 'conditions on the one field are described');
unlike($parameters, qr/products\.note/, 'those on the other are not');

# ---- files and batches ----

for my $format (qw(ndjson csv)) {
    my $file = ask(GET => "/products/export?format=$format")->{body};
    like($file, qr/KT-1/, "$format has it");
    my $r = ask(POST => '/products/batch', { operations => [map { { op => 'update', id => $_, body => { sku => 'other', note => undef } } } @id{qw(a d)}] }, %user);
    is($r->{status}, 200, 'a batch changes it') or diag $r->{body};
    my $imported = ask(POST => '/products/import?mode=upsert', $file, %user, headers => { 'Content-Type' => $format eq 'csv' ? 'text/csv' : 'application/x-ndjson' });
    is($imported->{status}, 200, "$format is imported") or diag $imported->{body};
    is(ask(GET => "/products/$id{a}")->{json}{data}{sku}, 'KT-1', 'with the field');
    is(ctl($file, 'import', '--products', $format, '--upsert', '--dry-run')->{out} =~ s/,.*//sr, '6 rows', "catalogctl reads $format");
}
is(ask(POST => '/products/import', "Name;price;S-K U\nz;1;Z-1\n", %user, headers => { 'Content-Type' => 'text/csv' })->{status}, 400, 'a file with other cells');
my $sheet = ask(POST => '/products/import?delimiter=semicolon', "Name;price;S_K U\nz;1;Z-1\n", %user, headers => { 'Content-Type' => 'text/csv' });
is($sheet->{status}, 200, 'a file of a spreadsheet') or diag $sheet->{body};
is(listed('sku=Z-1'), 'z', 'has the field as well');
is(ask(DELETE => "/products/$id{b}", undef, %user)->{status}, 200, 'deleted');
is(listed('sku%5Bprefix%5D=kt'), 'a', 'then no condition finds it');

is(problems(ctl('', 'check')), '', 'catalogctl check finds nothing');
my $all = ctl('', 'export');
is($all->{status}, 0, 'catalogctl export');
like($all->{out}, qr/"sku":"KT-1"/, 'has it');
is_deeply(\@asked, [], 'nothing was a 500');

done_testing;
