# SPDX-License-Identifier: Apache-2.0
# Files of products with fields of the shop's own: what is exported can be imported, whatever the format and its options, with and
# without a server.
use utf8;
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for);
use Cpanel::JSON::XS ();
use Encode ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my @fields = split /\n/, <<'END';
sku string unique max=64 label="Article number"
description text search detail
picture url
tags strings index facet
batch string pattern="[A-Z]\d+"
weight number index min=0
quantity integer index
color choice values="red|green|dark blue" facet
published boolean index
seen time
bestBefore date
meta json
cost number private
updatedAt modified index
END
my $server = server(mount => join '', map { "CatalogField $_\n" } @fields)->start;
my %user = (token => register($server)->{token});
my %type = (csv => 'text/csv', ndjson => 'application/x-ndjson');

sub import_file {
    my ($kind, $text, $query) = @_;
    utf8::encode($text) if utf8::is_utf8($text);
    return $server->api(POST => '/products/import' . ($query ? "?$query" : ''), $text, %user, headers => { 'Content-Type' => $type{$kind} });
}
sub export { my ($query) = @_; return $server->api(GET => "/products/export?$query", %user)->{body} }
sub listed { map { $json->decode($_) } split /\n/, export('format=ndjson') }
sub summary {
    my ($created, $updated, $unchanged) = @_;
    return { success => true, message => qr/./, summary => { rows => $created + $updated + $unchanged, created => $created, updated => $updated,
        unchanged => $unchanged } };
}
sub refused { my (@faults) = @_;
    return { success => false, message => 'Validation failed', error => qr/^row \d+: /, summary => { rows => 4, failed => 3, stored => 0 }, errors => [map { my ($row, $line, $field, $code) = split / /;
        { row => $row + 0, line => $line + 0, field => $field, code => $code, message => qr/./ } } @faults] };
}
sub without { my ($product, @names) = @_; my %copy = %$product; delete @copy{@names}; return \%copy }
sub values_of { map { without($_, qw(id createdAt updatedAt)) } @_ }

# ---- every type, and what its cells have to be careful with ----

my @products = (
    { name => 'none of them', price => 1 },
    { name => 'all', price => 19.99, sku => 'KT-1', description => qq(Two lines,\r\nwith "quotes"; and a \ttab), picture => 'https://shop.example.com/a?b=1,2',
        tags => ['red', 'dark blue', 'a|b', 'c\\d', ' e ', 'f,g', 'h;i', '|', '\\', '"'], weight => 2.5, quantity => -3, color => 'dark blue', published => false,
        seen => '2026-11-21T16:17:07.877Z', bestBefore => '2027-02-28', meta => { b => [1, 2.5, 'x', undef, true], a => { 'c,d' => 'e;"f' } }, cost => 0.1 },
    { name => 'formulas', price => 2, sku => '=1+1', description => '@x', tags => ['-1', '+2'], meta => '=3', weight => 1e-7, quantity => 9007199254740991 },
    { name => 'letters', price => 3, sku => "\x{20ac}\x{fc}", tags => ["\x{1fad6}", "\x{e9}"], meta => "\x{1fad6}" },
    { name => 'kinds of JSON', price => 4, meta => 'null', tags => ['null'] },
    { name => 'a number', price => 5, meta => 19.99 }, { name => 'false', price => 6, meta => false }, { name => 'nothing', price => 7, meta => [] },
);
answers(import_file(ndjson => join '', map { $json->encode($_) . "\n" } @products), 200, summary(scalar @products, 0, 0), 'NDJSON has values of every type');
my @stored = listed();
is_deeply([values_of(reverse @stored)], [map { { category => '', inStock => true, %$_ } } @products], 'they are stored');

like($_->{updatedAt}, $TIME, "$_->{name} has the time of its change") for @stored;

my $ndjson = export('format=ndjson');
is_deeply($json->decode(export('format=json')), \@stored, 'the export in JSON has them');
is_deeply($server->api(POST => '/products/batch', { operations => [map { { op => 'update', id => $_->{id}, body => $_ } } @stored] }, %user)->{json}{results},
    [map { { index => $_, status => 200, data => $stored[$_] } } keys @stored], 'whose products can be sent back');
answers(import_file(ndjson => $ndjson, 'mode=upsert'), 200, summary(0, 0, scalar @stored), 'nor does NDJSON change anything when it is imported again');
for my $style ('', map({ "delimiter=$_" } qw(comma semicolon tab)), map({ "$_&decimal=comma" } '', map { "delimiter=$_" } qw(semicolon tab)), 'delimiter=semicolon&decimal=comma&bom=true') {
    my $csv = export("format=csv&$style");
    my $how = 'mode=upsert&' . $style =~ s/&?bom=true//r;
    answers(import_file(csv => $csv, $how), 200, summary(0, 0, scalar @stored), "nor does CSV: $style");
    answers(import_file(csv => $csv, "$how&dryRun=true"), 200, summary(0, 0, scalar @stored), "nor would it: $style");
}
is(export('format=ndjson'), $ndjson, 'nothing has changed');
like(export('format=csv&fields=name,sku,tags,meta&safe=1'), qr/^formulas,'=1\+1,"'-1\|'\+2","'""=3"""\r$/m, 'safe=1 holds for own fields, too');

# Created once more: the ids and times differ. `unique` values would be taken.
my $copies = export('format=csv&fields=' . join ',', 'name', 'price', 'category', 'inStock', grep { !/^(?:sku|updatedAt)$/ } map { /^(\w+)/ } @fields);
answers(import_file(csv => $copies, 'dryRun=true'), 200, summary(scalar @stored, 0, 0), 'a dry run of new products stores nothing');
is(export('format=ndjson'), $ndjson, 'indeed');
answers(import_file(csv => $copies), 200, summary(scalar @stored, 0, 0), 'CSV creates products with own fields');
is_deeply([values_of((listed())[0 .. $#stored])], [map { without($_, 'sku') } values_of(reverse @stored)], 'with the same values');

# ---- files of other programs ----

my ($last) = @stored;
sub stores { my ($what, $file, $query, @want) = @_;
    answers(import_file(csv => $file, $query), 200, summary(scalar @want, 0, 0), $what);
    my @new = reverse((listed())[0 .. $#want]);
    for my $i (keys @want) {
        my %got = map { $_ => $new[$i]{$_} } keys %{ $want[$i] };
        is_deeply(\%got, $want[$i], "$what: product $i");
    }
}

stores('a spreadsheet with a decimal comma', "Name;PRICE;Best before;tags;Meta;SEEN;published;Color;Weight;quantity;description\n"
    . qq(a;1,5;2026-11-21; red | dark\\|blue ||green ;"{ ""a"" : 1,50 }";2026-11-21T17:17:07+01:00; Ja ;red;1.299,50;1.000;\x80\xfc\n) =~ s/1,50 /1.50 /r
    . "b;2;;;;;0;dark blue;,5;-3;\n;;;;;;\n", 'delimiter=semicolon&decimal=comma&encoding=windows-1252',
    { price => 1.5, bestBefore => '2026-11-21', tags => ['red', 'dark|blue', 'green'], meta => { a => 1.5 }, seen => '2026-11-21T16:17:07.000Z', published => true, color => 'red',
        weight => 1299.5, quantity => 1000, description => "\x{20ac}\x{fc}" },
    { name => 'b', published => false, weight => 0.5, quantity => -3, tags => undef, meta => undef, seen => undef, description => undef });
stores('list=,', qq(name,price,tags\na,1,"red, dark blue,a\\,b|c,"\nb,2,red\nc,3,","\n), 'list=,', { tags => ['red', 'dark blue', 'a,b|c'] }, { tags => ['red'] }, { tags => undef });
stores('list=;', "name,price,tags\na,1,red;blue\n", 'list=;', { tags => ['red', 'blue'] });
stores('list=/', "name,price,tags\na,1,red / blue\n", 'list=/', { tags => ['red', 'blue'] });
stores('list=|', "name,price,tags\na,1,\"red|blue,green\"\n", 'list=%7C', { tags => ['red', 'blue,green'] });
stores('quotes around each cell', qq("name","price","sku","picture","batch","color","bestBefore","quantity","meta"\n"a","1","","","","","","",""\n"b","2","","","B1","","","",""\n), '',
    { map { $_ => undef } qw(sku picture batch color bestBefore quantity meta) }, { batch => 'B1' });
stores('columns=', "Artikel,Preis,Lager,Farbe\na,1,5,red\n", 'columns=name,price,quantity,color', { name => 'a', quantity => 5, color => 'red' });

my $before = export('format=ndjson');
answers(import_file(csv => 'x', 'list=ab&list=%7C'), 400, invalid(list => 'format', list => 'duplicate'), 'another mark of lists is refused');
answers(import_file(ndjson => '{}', 'list=,'), 400, invalid(list => 'format'), 'NDJSON has none');
answers(import_file(csv => "name,price,tags,bestBefore,weight,quantity,color,published,seen,meta,picture\n"
    . qq(a,1,red|red,2026-02-29,-1,1.5,blue,maybe,yesterday,{},file:///x\n"b\n\nc",2,,,,,,,,,\nd,3,,,,,,,,{,\ne,4,$_,,,,,,,,\n)), 400,
    refused(map({ "1 2 $_" } 'picture format', 'tags duplicate', 'weight too_small', 'quantity type', 'color format', 'published type', 'seen format', 'bestBefore format'),
        '3 6 meta format', '4 7 tags too_many'), 'every fault has its row, line and field') for join '|', 1 .. 33;
is(export('format=ndjson'), $before, 'none of these stored anything');

# ---- updates by id ----

my ($all) = map { without($_, 'updatedAt') } grep { $_->{name} eq 'all' } @stored;
sub stored { return without($server->api(GET => "/products/$all->{id}", %user)->{json}{data}, 'updatedAt') }
answers(import_file(csv => "id,weight,color\n$all->{id},3,\n", 'mode=upsert&dryRun=true'), 200, summary(0, 1, 0), 'a dry run counts what would be updated');
is_deeply(stored(), $all, 'and updates nothing');
answers(import_file(csv => "id,weight,color\n$all->{id},3,\n", 'mode=upsert'), 200, summary(0, 1, 0), 'columns that the file has are updated');
is_deeply(stored(), { %{ without($all, 'color') }, weight => 3 }, 'an empty cell clears a field; others stay as they are');
my @own = grep { exists $all->{$_} } map { /^(\w+)/ } @fields;
answers(import_file(csv => join(',', 'id', @own) . "\n$all->{id}" . ',' x @own . "\n", 'mode=upsert'), 200, summary(0, 1, 0), 'empty cells clear fields of every type');
is_deeply(stored(), without($all, @own), 'they are gone');
answers(import_file(csv => join(',', 'id', @own) . "\n$all->{id}" . ',' x @own . "\n", 'mode=upsert'), 200, summary(0, 0, 1), 'where they are absent, that changes nothing');
answers(import_file(ndjson => $json->encode($all) . "\n", 'mode=upsert'), 200, summary(0, 1, 0), 'NDJSON brings them back');
is_deeply(stored(), $all, 'all of them');
answers(import_file(ndjson => $json->encode({ id => $all->{id}, map { $_ => undef } @own }) . "\n", 'mode=upsert'), 200, summary(0, 1, 0), 'null clears as well');
answers(import_file(ndjson => $json->encode($all) . "\n", 'mode=upsert'), 200, summary(0, 1, 0), 'and the file restores them again');

# ---- unique values ----

answers(import_file(csv => "name,price,sku\nu,1,U-1\nu,2,U-2\nu,3,\nu,4,\n"), 200, summary(4, 0, 0), 'values that no product has are stored, and several products may lack one');
my %id = map { ($_->{sku} // '') => $_->{id} } listed();
$before = export('format=ndjson');
for my $dry (0, 1) {
    my $how = $dry ? 'dryRun=true' : '';
    answers(import_file(csv => "name,price,sku\nx,1,X\n\nx,1,U-1\nx,1,X\nx,-1,U-2\nx,1,u-1\n", $how), 400,
        { %{ refused('2 4 sku taken', '3 5 sku taken', '4 6 price too_small', '4 6 sku taken') }, summary => { rows => 5, failed => 3, stored => 0 } },
        "taken values are found at once, with their lines: $how");
    answers(import_file(csv => "name,price,sku\nx,1,X\nx,1,X\n", "mode=upsert&$how"), 400, { %{ refused('2 3 sku taken') }, summary => { rows => 2, failed => 1, stored => 0 } }, "those of two rows: $how");
}
my %late = (summary => { rows => 1, failed => 1, stored => 0 }, error => qr/^row 1: sku is already taken by another product/);
my @late = ({ row => 1, line => qr/^2$/, field => 'sku', code => 'taken', message => qr/^is already taken by another product/ });
answers(import_file(csv => "id,sku\n$id{'U-1'},U-2\n", 'mode=upsert'), 400, { success => false, message => 'Validation failed', errors => \@late, %late }, 'an update to a taken value is refused');
answers(import_file(csv => "name,price,sku\nx,1,U-2\n", 'mode=upsert'), 400, { success => false, message => 'Validation failed', errors => \@late, %late }, 'so is a new product');
is(export('format=ndjson'), $before, 'none of these stored anything');
answers(import_file(csv => "id,sku\n$id{'U-1'},\n$id{'U-2'},U-1\n$id{'U-1'},U-2\n", 'mode=upsert'), 200, summary(0, 3, 0), 'rows may give a value up for a later one');

# ---- catalogctl ----

sub counts { my ($rows, $created, $updated, $unchanged) = @_;
    return { status => 0, out => "$rows rows, $created created, $updated updated, $unchanged unchanged\n", err => '' } }

my $rows = listed();
for my $format (qw(ndjson csv json)) {
    is_deeply(ctl_for($server, 'export', '--products', $format), { status => 0, out => export("format=$format"), err => '' }, "catalogctl exports what the server does: $format");
}
for my $format (qw(ndjson csv)) {
    is_deeply(ctl_for($server, { in => export("format=$format") }, 'import', '--products', $format, '--upsert'), counts($rows, 0, 0, $rows), "imported again, nothing changes: $format");
}
is_deeply(ctl_for($server, { in => export('format=csv&delimiter=semicolon&decimal=comma&bom=true') }, qw(import --products csv --delimiter semicolon --decimal comma --upsert)),
    counts($rows, 0, 0, $rows), 'nor with the options of a spreadsheet');
is_deeply(ctl_for($server, { in => qq(name,price,tags,weight\nz,1,"red, blue",2.5\n) }, 'import', '--products', 'csv', '--list', ','), counts(1, 1, 0, 0), '--list says what is between the texts of a list');
is_deeply((listed())[0], { %{ (listed())[0] }, name => 'z', tags => ['red', 'blue'], weight => 2.5 }, 'they are stored');
is(ctl_for($server, { in => "name,price,weight\nz,1,-1\n" }, qw(import --products csv))->{err},
    "catalogctl: row 1, line 2: weight must be at least 0\ncatalogctl: bad rows: 1, nothing is stored\n", 'the bounds of the lines hold');
like(ctl_for($server, qw(import --products csv --list ab))->{err}, qr/--list must be one punctuation mark/, 'another mark is refused');
like(ctl_for($server, 'import', '--products', 'ndjson', '--list', ',')->{err}, qr/go with --products csv/, 'NDJSON has none');

# Without a configuration the fields are those that the database knows, or the lines are options.
my @database = ('--driver', $server->{engine} ? driver() : 'sqlite3', '--params', $server->params);
is_deeply(ctl(@database, qw(export --products csv)), { status => 0, out => export('format=csv'), err => '' }, 'without a configuration, the fields are those that the database knows');
is_deeply(ctl({ in => export('format=csv') }, @database, qw(import --upsert --products csv)), counts($rows + 1, 0, 0, $rows + 1), 'an import takes them, too');
is_deeply(ctl(@database, map({ ('--field', $_) } @fields), qw(export --products csv)), { status => 0, out => export('format=csv'), err => '' }, '--field has the lines of CatalogField');
is(ctl(@database, qw(export --products csv --field), 'sku string')->{out}, export('format=csv&fields=id,name,price,category,inStock,rating,createdAt,sku'), 'fields without a line are left out');
is_deeply(ctl({ in => qq({"id":"$all->{id}","price":5}\n) }, @database, qw(import --products ndjson --upsert --field), 'sku string'), counts(1, 0, 1, 0), 'a product is updated with one of the lines');
is_deeply(stored(), { %$all, price => 5 }, 'which keeps the values of the others');
for (['weight nmber', qr/CatalogField weight: there is no type nmber/], ['slug string from=brand', qr/from=brand must name a field/]) {
    my $r = ctl(@database, qw(export --products csv --field), $_->[0]);
    is($r->{status}, 1, "--field $_->[0] is refused");
    like($r->{err}, $_->[1], 'with the reason');
}
like(ctl_for($server, qw(export --products csv --field), 'sku string')->{err}, qr/--field goes with --driver and --params/, 'a configuration has its own lines');

done_testing;
