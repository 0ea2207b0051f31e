# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# runs: first
# Files of products: what is good is stored all at once, what is bad is described, row by row, and stores nothing.
use utf8;
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(n_of twin_of);
use Cpanel::JSON::XS ();
use Encode ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my %type = (csv => 'text/csv', ndjson => 'application/x-ndjson');
my $server = server()->start;
my $token = register($server)->{token};

# Sends a file; `to` is another server.
sub import_file {
    my ($kind, $text, $query, %o) = @_;
    my $to = delete $o{to} // $server;
    utf8::encode($text) if utf8::is_utf8($text);
    return $to->api(POST => '/products/import' . ($query ? "?$query" : ''), $text, token => $token,
        headers => { 'Content-Type' => $type{$kind} // $kind, %{ delete $o{headers} // {} } }, %o);
}

sub ndjson { join '', map { $json->encode($_) . "\n" } @_ }
sub export { my ($format, $to) = @_; return ($to // $server)->api(GET => "/products/export?format=$format")->{body} }
sub listed { map { $json->decode($_) } split /\n/, export('ndjson', @_) }
sub names { join ' ', map { $_->{name} } listed(@_) }

sub summary {
    my ($rows, $created, $updated, $unchanged, @stored) = @_;
    return { success => true, message => qr/./, summary => { rows => $rows, created => $created, updated => $updated,
        unchanged => $unchanged, map { (stored => $_) } @stored } };
}

# The body of a refusal; faults are "row field code", or "row:line field code".
sub refused {
    my ($rows, $failed, @faults) = @_;
    my @errors = map { my ($row, $field, $code) = split / /; ($row, my $line) = split /:/, $row; { row => $row + 0, line => $line ? $line + 0 : qr/^[1-9]/, field => $field, code => $code, message => qr/./ } } @faults;
    return { success => false, message => 'Validation failed', error => qr/^row \d+: /, errors => \@errors,
        summary => { rows => $rows, failed => $failed, stored => 0 } };
}

# ---- creating ----

answers(import_file(ndjson => ndjson(map { { name => "n$_", price => $_ } } 1 .. 3)), 200, summary(3, 3, 0, 0), 'NDJSON creates products');
answers(import_file(csv => "name,price\r\nc4,4\r\nc5,5\r\n"), 200, summary(2, 2, 0, 0), 'CSV creates products');
is(names(), 'c5 c4 n3 n2 n1', 'they are in the list in the order in which they were given, the last one newest');

my ($newest) = listed();
like($newest->{id}, $ID, 'each has an id');
like($newest->{createdAt}, $TIME, 'and a time');
is_deeply($newest, { %$newest, name => 'c5', price => 5, category => '', inStock => true }, 'what the file lacks has its default');

my $all = '{"id":"x","createdAt":5,"name":"all","price":0.1,"category":"tea","inStock":false,"rating":0}';
answers(import_file(ndjson => $all), 200, summary(1, 1, 0, 0), 'the last line may lack its newline; ids and times are ignored', 'catalog-ignored' => undef);
my ($made) = listed();
is_deeply($made, { %{ $json->decode($all) }, map { $_ => $made->{$_} } qw(id createdAt) }, 'every field is stored');
isnt($made->{id}, 'x', 'with an id of its own');

answers(import_file(csv => ''), 400, refused(0, 1, '0  required'), 'an empty CSV file lacks its header');
answers(import_file($_ => $_ eq 'csv' ? "price,name\n" : "\n\r\n"), 200, summary(0, 0, 0, 0), "a file without rows: $_") for qw(csv ndjson);

my @cells = (
    # what, rows of "name,price,category,inStock,rating", the product
    ['quotes, commas and lines in quotes', qq("a ""b"", c\r\nd",1,,,), name => qq(a "b", c\r\nd)],
    ['spaces are part of a cell', ' x ,1, y,,', name => ' x ', category => ' y'],
    ['an empty text', 'x,1,"",,', category => ''],
    ['quotes around everything', '"x","1","y","false","4.5"', category => 'y', inStock => false, rating => 4.5],
    ['quotes around nothing', '"x","1","","",""'],
    ['booleans of a spreadsheet', 'x,1,,FALSE,', inStock => false],
    ['numbers as they are', 'x,19.990,,,1e0', price => 19.99, rating => 1],
    ['four-byte characters', 'x,1,🫖,,', category => '🫖'],
);
for (@cells) {
    my ($what, $row, %product) = @$_;
    for my $end ("\n", "\r\n", "\r") {
        my $r = import_file(csv => "\x{feff}name,price,category,inStock,rating${end}$row$end");
        answers($r, 200, summary(1, 1, 0, 0), "$what, with lines that end with " . join ' ', map { sprintf '%02x', ord } split //, $end);
    }
    my ($got) = listed();
    my %want = (name => 'x', price => 1, category => '', inStock => true, %product);
    is_deeply($got, { %want, map { $_ => $got->{$_} } qw(id createdAt) }, "$what: the product");
}
answers(import_file(ndjson => "\x{feff}" . ndjson({ name => 'mark', price => 1 })), 200, summary(1, 1, 0, 0), 'NDJSON may begin with a byte order mark');

# ---- what is refused ----

my $before = export('ndjson');

sub refuses {
    my ($what, $kind, $text, $rows, $failed, @faults) = @_;
    answers(import_file($kind => $text), 400, refused($rows, $failed, @faults), "refused: $what");
}

my %least = (name => 'x', price => 1);
my @bad = (
    # as in t/products/create.t
    ['no name', { price => 1 }, 'name required'], ['name null', { %least, name => undef }, 'name null'],
    ['name blank', { %least, name => ' ' }, 'name blank'], ['a long name', { %least, name => 'x' x 201 }, 'name too_long'],
    ['a price below zero', { %least, price => -1 }, 'price too_small'], ['a price that is a text', { %least, price => '5' }, 'price type'],
    ['rating above five', { %least, rating => 6 }, 'rating too_large'],
    ['inStock a number', { %least, inStock => 1 }, 'inStock type'], ['no object', [], ' type'],
);
for (@bad) {
    my ($what, $row, $fault) = @$_;
    refuses($what, ndjson => ndjson(\%least, $row, \%least), 3, 1, "2 $fault");
}
refuses('everything at once', ndjson => ndjson({ name => '', price => -1, rating => 6 }, \%least, {}), 3, 2, '1 name too_short', '1 price too_small',
    '1 rating too_large', '3 name required', '3 price required');
refuses('lines that are no JSON', ndjson => qq({"name":"x","price":1}\n{"name":\n\n{"name":"x","price":1,"name":"y"}\n), 3, 2, '2  format', '3  format');
refuses('a line that is too long', ndjson => ndjson({ %least, name => 'x' x 70_000 }, \%least), 1, 1, '1  too_long');
refuses('invalid UTF-8 in NDJSON', ndjson => qq({"name":"\xff","price":1}\n), 1, 1, '1  format');
refuses('invalid UTF-8 in CSV', csv => qq(name,price\n\xff,1\n), 1, 1, '1 name format');
refuses('NUL in CSV', csv => qq(name,price\na\0b,1\n), 1, 1, '1 name format');
refuses('cells that are no numbers', csv => "name,price,rating,inStock\nx,1x,five,2\nx,NaN,,\n", 2, 2, '1 price type', '1 inStock type', '1 rating type', '2 price type');
refuses('an empty cell where one is required', csv => "name,price\n,1\nx,\n\"\",1\n", 3, 3, '1 name required', '2 price required', '3 name too_short');
refuses('rows of other lengths', csv => "name,price\nx,1,2\nx\nx,1\n", 3, 2, '1  format', '2  format');
refuses('a quote in the wrong place', csv => "name,price\nx,1\n\"x\"y,1\nz,1\n", 2, 1, '2:3  format');
refuses('a quote that does not end', csv => "name,price\nx,1\n\"y,1\nz,1\n", 2, 1, '2  format');
refuses('a row that is too long', csv => "name,price\nx,1\n" . 'x' x 70_000 . ",1\n", 2, 1, '2  too_long');
refuses('columns that are missing', csv => "category,rating\nx,1\n", 0, 2, '0 name required', '0 price required');
for my $case ([import_file(csv => "Name;Price\nx;1,5\n"), semicolon => 'comma'], [import_file(csv => "name\tprice\nx\t1\n"), tab => 'comma'],
    [$server->api(POST => '/products/import?delimiter=semicolon', "name,price\nx,1\n", token => $token, headers => { 'Content-Type' => 'text/csv' }), comma => 'semicolon'],
    [$server->api(POST => '/products/import?columns=name,price', "Cup;1\n", token => $token, headers => { 'Content-Type' => 'text/csv' }), semicolon => 'comma']) {
    my ($r, $meant, $used) = @$case;
    like($r->{json}{errors}[0]{message} // $r->{body}, qr/; the first cell has a $meant, so the delimiter may be $meant, not $used$/, "$meant in a file that is read with $used");
}
unlike(import_file(csv => "title\nx\n")->{body}, qr/delimiter/, 'a file of one column needs no other delimiter');
unlike(import_file(csv => "name,price\nx;y\n")->{body}, qr/delimiter/, 'nor does one whose header has several columns');
refuses('columns that are there twice', csv => "name,price,name,price\nx,1,y,2\n", 0, 2, '0 name duplicate', '0 price duplicate');
refuses('a header that is no CSV', csv => qq("na"me,price\nx,1\n), 0, 1, '0:1  format');

my $r = import_file(ndjson => ndjson(map { { price => $_ } } 1 .. 150));
is(scalar @{ $r->{json}{errors} }, 100, 'the first 100 errors are described');
is_deeply([map { $_->{row} } @{ $r->{json}{errors} }], [1 .. 100], 'in the order of the rows');
is_deeply($r->{json}{summary}, { rows => 150, failed => 150, stored => 0 }, 'the summary counts all');
is(export('ndjson'), $before, 'none of these stored anything');

# ---- other delimiters ----

sub last_two { return join ' ', map { "$_->{name}=$_->{price}" } (listed())[0, 1] }
answers(import_file(csv => qq("name";price;category\r\n"Tea; green";1.5;a, b\r\ncup;2;\r\n), 'delimiter=semicolon'), 200, summary(2, 2, 0, 0),
    'delimiter=semicolon: cells are separated by semicolons');
is(last_two(), 'cup=2 Tea; green=1.5', 'a semicolon in quotes is none');
is((listed())[1]{category}, 'a, b', 'and a comma is part of a cell');
answers(import_file(csv => qq(price\tname\n3\t"p\tt"\n4\t x \n), 'delimiter=tab'), 200, summary(2, 2, 0, 0), 'delimiter=tab: by tabs');
is(last_two(), " x =4 p\tt=3", 'a tab in quotes is none');
answers(import_file(csv => "name,price\nx,1\n", 'delimiter=comma&dryRun=true'), 200, summary(1, 1, 0, 0), 'delimiter=comma is the default');
$before = export('ndjson');
my $unsplit = refused(0, 2, '0 name required', '0 price required');
$unsplit->{summary}{ignored} = ['name;price'];
answers(import_file(csv => "name;price\nx;1\n"), 400, $unsplit, 'without it semicolons separate nothing');
answers(import_file(csv => "name;price;rating\nx;12,50;4,5\ny;1.299,50;5\n", 'delimiter=semicolon'), 400, { %{ refused(2, 2, '1 price type', '1 rating type', '2 price type') },
    error => qr/^row 1: price must be a number with a decimal point and without a comma, such as 2\.5; row 1: rating must be / },
    'a decimal comma is a fault, which says what to write');
answers(import_file(csv => "name\n", "delimiter=$_"), 400, invalid(delimiter => 'choice'), "delimiter=$_ is none") for ';', 'pipe', '';
is(export('ndjson'), $before, 'none of these stored anything');
answers(import_file(ndjson => ndjson(\%least), 'delimiter=tab&dryRun=true'), 200, summary(1, 1, 0, 0), 'NDJSON has no delimiter');

# ---- files as spreadsheets write them ----

sub stores {
    my ($what, $file, $query, @want) = @_;
    answers(import_file(csv => $file, $query), 200, summary(scalar @want, scalar @want, 0, 0), $what);
    my @got = (listed())[0 .. $#want];
    is_deeply([map { my ($i) = $_; +{ map { $_ => $got[-1 - $i]{$_} } keys %{ $want[$i] } } } 0 .. $#want], \@want, "$what: the products");
}
stores('columns are matched without case, blanks, _ and -', "Name, PRICE ,In Stock,cate-gory,_rating_\nx,1,no,tea,2\n", '',
    { name => 'x', price => 1, inStock => false, category => 'tea', rating => 2 });
stores('no-break, narrow no-break and thin spaces are blanks', "name,\xe2\x80\x89price,In\xc2\xa0stock,rating,\xc2\xa0\n"
    . "x,1\xe2\x80\xaf299,\xc2\xa0no,\xc2\xa0,\n\xc2\xa0,\xe2\x80\xaf,,,\n", '', { name => 'x', price => 1299, inStock => false, rating => undef });
stores('yes and no in two languages and digits', "name,price,inStock\n" . join('', map { "x,1,$_\n" } qw(Ja NEIN wahr Falsch Yes no 1 0 TRUE false)), '',
    map { { inStock => $_ ? true : false } } (1, 0) x 5);
stores('numbers as people write them', qq(name,price\na,.5\nb,1299.\nc,+5\nd,0012\ne,1 299\nf,"1\xc2\xa0299.50"\ng, 7 \n), '',
    map { { price => $_ } } 0.5, 1299, 5, 12, 1299, 1299.5, 7);
stores('decimal=comma', qq(name;price;rating\na;1.299,50;4,5\nb;,5;\nc;1.299;\nd;12;\n), 'delimiter=semicolon&decimal=comma',
    { price => 1299.5, rating => 4.5 }, map { { price => $_ } } 0.5, 1299, 12);
stores('empty cells and rows are passed over', ",,\nname,price,,\nx,1,,\n,,\n,\ny,2,,,,\n,,,,,,\n", '', { name => 'x' }, { name => 'y' });
stores('a quotation mark in a bare cell', qq(name,price\n19" rack,1\n5'6",2\n"7""",3\n), '', { name => '19" rack' }, { name => q(5'6") }, { name => '7"' });
stores('a first line sep=;', "sep=;\r\nname;price\r\na,b;1\r\n", '', { name => 'a,b', price => 1 });
stores('encoding=windows-1252', "name,price\n\x80\xfc\x99,1\n", 'encoding=windows-1252', { name => "\x{20ac}\xfc\x{2122}" });
stores('a mark is stronger', "\xef\xbb\xbfname,price\n\xc3\xbc,1\n", 'encoding=windows-1252', { name => "\xfc" });
for (['charset=windows-1252', "n\xfc", ''], ['charset="Windows-1252"; header=present', "n\xfc", ''], ['charset=utf-8', "n\xfc", 'encoding=windows-1252'],
    ['charset=windows-1252', "n\xc3\xbc", 'encoding=utf-8'], ['charset=UTF-8', "n\xc3\xbc", '']) {
    my ($parameter, $name, $query) = @$_;
    answers(import_file("text/csv; $parameter" => "name,price\n$name,1\n", $query), 200, summary(1, 1, 0, 0), "text/csv; $parameter" . ($query && " and $query"));
    is((listed())[0]{name}, "n\xfc", 'the text is read in that encoding, and in that of the query before it');
}
answers(import_file("text/csv; charset=$_" => "name,price\nx,1\n"), 415, refusal(error => qr/ in UTF-8 \(text\/csv also with the charset windows-1252, utf-16le or utf-16be\),/), "charset=$_ is refused") for 'koi8-r', 'windows-12520', 'utf-8x';
answers(import_file("application/x-ndjson; charset=windows-1252" => '{"name":"x","price":1}'), 415, refusal(error => qr/ in UTF-8 \(text\/csv also/), 'NDJSON is UTF-8');
for my $utf16 (qw(UTF-16LE UTF-16BE)) {
    my $text = Encode::encode($utf16, "name\tprice\r\n\x{1fad6} \x{fc}\t2\r\n");
    my $mark = Encode::encode($utf16, "\x{feff}");
    stores("$utf16 with a mark", $mark . $text, 'delimiter=tab', { name => "\x{1fad6} \x{fc}", price => 2 });
    stores("$utf16 without one", $text, 'delimiter=tab&encoding=' . lc $utf16, { name => "\x{1fad6} \x{fc}", price => 2 });
}
$before = export('ndjson');
answers(import_file(csv => "name,price\nx,1\n\x81,2\nz,3\n", 'encoding=windows-1252'), 400, refused(2, 1, '2:3  format'), 'an octet that windows-1252 does not have');
answers(import_file(csv => "\xff\xfen\0a\0m\0e\0,\0p\0r\0i\0c\0e\0\n\0x\0,\0\x31", ''), 400, refused(1, 1, '1:2  format'), 'UTF-16 that ends within a character');
answers(import_file(csv => "name;price\nx;1.29\ny;1,2,3\nz;12.34,5\n", 'delimiter=semicolon&decimal=comma'), 400,
    refused(3, 3, '1 price type', '2 price type', '3 price type'), 'what may be two numbers is none');
answers(import_file(csv => qq(name,price\n"x\n\ny",1\n\n"z\n",-1\n\r\n,5\n)), 400, refused(3, 2, '2:6 price too_small', '3:9 name required'),
    'errors name the line on which the row begins');
answers(import_file(ndjson => qq({"name":"x"}\n\n\n[]\n)), 400, refused(2, 2, '1:1 price required', '2:4  type'), 'of NDJSON too');
answers(import_file(ndjson => '{}', 'decimal=comma&encoding=utf-8'), 400, invalid(decimal => 'format', encoding => 'format'), 'NDJSON has neither decimal mark nor encoding');
answers(import_file(csv => 'x', 'decimal=dot&encoding=latin1'), 400, invalid(decimal => 'choice', encoding => 'choice'), 'other words are refused');
refuses('NDJSON is as strict as JSON', ndjson => qq({"name":"x","price":"5"}\n{"name":"x","price":1,"inStock":"yes"}\n{"Name":"x","price":.5}\n), 3, 3,
    '1 price type', '2 inStock type', '3  format');
is(export('ndjson'), $before, 'none of these stored anything');

# ---- lists ----

my $tagged = server(mount => 'CatalogField tags strings')->start;
my %tagged = (to => $tagged, token => register($tagged)->{token});
for (['', 'red|dark blue', 'a,b'], ['list=%7C', 'red|dark blue', 'a,b'], ['list=,', 'red, dark blue', 'a\\,b'], ['delimiter=semicolon&list=/', 'red / dark blue', 'a,b']) {
    my ($query, $two, $one) = @$_;
    my $mark = $query =~ /semicolon/ ? ';' : ',';
    my $file = join "\n", "name${mark}price${mark}Tags", qq(x${mark}1${mark}"$two"), qq(y${mark}1${mark}"$one"), "z${mark}1${mark}", '';
    answers(import_file(csv => $file, $query, %tagged), 200, summary(3, 3, 0, 0), "a list in a cell: $query");
    is_deeply([map { $_->{tags} } (listed($tagged))[2, 1, 0]], [['red', 'dark blue'], ['a,b'], undef], "its texts: $query");
}
answers(import_file(csv => "name,price\n", $_, %tagged), 400, invalid(list => 'format'), "$_: refused") for 'list=', 'list', 'list=,,', 'list=a', 'list=%22', 'list=%5C', 'list=%20';
answers(import_file(csv => "name,price\n", 'list=,&list=,', %tagged), 400, invalid(list => 'duplicate'), 'a mark that is there twice');
answers(import_file(ndjson => '{}', 'list=,', %tagged), 400, invalid(list => 'format'), 'NDJSON has no marks in lists');

# ---- unknown fields ----

my $unknown = import_file(csv => "name,price,colour,,x y\nx,1,red,,\n", 'size=1');
sub ignoring { my ($names, @counts) = @_; my $want = summary(@counts); $want->{summary}{ignored} = $names; return $want }
answers($unknown, 200, ignoring(['colour', 'x y'], 1, 1, 0, 0), 'unknown columns and parameters are ignored and named', 'catalog-ignored' => 'colour, x%20y, size');
answers(import_file(ndjson => ndjson({ %least, a => 1 }, { %least, b => 1, a => 2 })), 200, ignoring(['a', 'b'], 2, 2, 0, 0), 'so are unknown fields', 'catalog-ignored' => 'a, b');
my %strict = (headers => { Prefer => 'handling=strict' });
answers(import_file(csv => "name,price,colour\nx,1,red\n", '', %strict), 400, refused(0, 1, '0:1 colour unknown'), 'to a strict client an unknown column is a fault',
    'preference-applied' => 'handling=strict');
answers(import_file(ndjson => ndjson(\%least, { %least, a => 1 }), '', %strict), 400, refused(2, 1, '2 a unknown'), 'and an unknown field');

# ---- the request ----

answers(import_file('application/json', '{}'), 415, refusal(error => qr{text/csv}), 'another type is a 415', accept => 'text/csv, application/x-ndjson');
answers(import_file('text/csv; charset=iso-8859-1', 'x'), 415, refusal(error => qr/UTF-8/), 'another charset is a 415');
answers(import_file('text/csv; charset=utf-8; header=present', "name,price\nx,1\n"), 200, summary(1, 1, 0, 0), 'UTF-8 is none');
answers(import_file(csv => "x", '', headers => { 'Content-Encoding' => 'gzip' }), 415, refusal(error => qr/coding/), 'a content coding is a 415', 'accept-encoding' => 'identity');
answers(import_file(csv => "name,price\nx,1\n", 'mode=replace&dryRun=1&atomic=no&mode=create'), 400, invalid(atomic => 'choice', dryRun => 'choice',
    mode => 'choice', mode => 'duplicate'), 'wrong parameters are a 400');
answers(import_file(csv => "name,price\nx,1\n", '', token => undef), 401, refusal(error => qr/./), 'without a token it is a 401');
my $editors = server(mount => 'CatalogWriteRole editor')->start;
answers(import_file(csv => "name,price\nx,1\n", '', to => $editors, token => register($editors)->{token}), 403, refusal(error => qr/role/), 'it is for writers only');
is($server->api(GET => '/products/import')->{status}, 404, 'GET finds no product with this name');

my $small = server(mount => "CatalogMaxImport 2000\nCatalogMaxBody 100")->start;
my %small = (to => $small, token => register($small)->{token});
answers(import_file(ndjson => ndjson((\%least) x 100), '', %small), 413, refusal(), 'a file of more than CatalogMaxImport octets is a 413');
my $chunked = $small->talk(wire(POST => '/products/import', undef, token => $small{token}, headers => { 'Content-Type' => $type{ndjson}, 'Transfer-Encoding' => 'chunked' })
    . join('', map { my $part = ndjson((\%least) x 20); sprintf "%x\r\n%s\r\n", length $part, $part } 1 .. 10) . "0\r\n\r\n");
answers($chunked, 413, refusal(), 'also if its length is not known before');
answers(import_file(ndjson => ndjson((\%least) x 20), '', %small), 200, summary(20, 20, 0, 0), 'a smaller one is stored');
answers(import_file(ndjson => ndjson({ %least, category => 'x' x 99 }), '', %small), 400, refused(1, 1, '1  too_long'), 'a row may have CatalogMaxBody octets');

# ---- dryRun ----

$before = export('ndjson');
answers(import_file(csv => "name,price\nx,1\ny,2\n", 'dryRun=true'), 200, summary(2, 2, 0, 0), 'dryRun=true tells what would happen');
answers(import_file(csv => "name,price\nx,1\ny,-2\n", 'dryRun=true'), 400, refused(2, 1, '2 price too_small'), 'and what is wrong');
is(export('ndjson'), $before, 'and stores nothing');

# ---- upsert ----

my @products = listed();
my ($first, $second) = @products;
answers(import_file(ndjson => ndjson({ id => $first->{id}, price => 7 }, { id => $second->{id}, name => $second->{name} }, { name => 'new', price => 1 }), 'mode=upsert&dryRun=true'),
    200, summary(3, 1, 1, 1), 'upsert: dryRun tells what would be created, updated and left as it is');
is(export('ndjson'), $before, 'it stores nothing');
my $read = $server->api(GET => "/products/$first->{id}");
answers(import_file(ndjson => ndjson({ id => $first->{id}, price => 7 }, { id => $second->{id}, name => $second->{name} }, { name => 'new', price => 1 }), 'mode=upsert'),
    200, summary(3, 1, 1, 1), 'a row with an id updates that product, one without creates one');
is_deeply([listed()], [{ %{ (listed())[0] }, name => 'new', price => 1, category => '', inStock => true }, { %$first, price => 7 }, @products[1 .. $#products]],
    'fields that the row lacks stay as they are');
is($server->api(GET => "/products/$first->{id}")->{json}{data}{price}, 7, 'a product that was read before is read anew');
answers(import_file(csv => "id,price\n$first->{id},8\n", 'mode=upsert'), 200, summary(1, 0, 1, 0), 'with ids a CSV file may lack the required fields');
answers(import_file(ndjson => ndjson({ id => $first->{id}, price => 1 }, { id => $first->{id}, price => 8 }, { id => $first->{id}, price => 9 }), 'mode=upsert'),
    200, summary(3, 0, 3, 0), 'of several rows with an id the last one counts');
is($server->api(GET => "/products/$first->{id}")->{json}{data}{price}, 9, 'it is stored');
answers(import_file(csv => "id,rating\n$first->{id},3\n", 'mode=upsert'), 200, summary(1, 0, 1, 0), 'a rating is set');
answers(import_file(csv => "id,rating\n$first->{id},\n", 'mode=upsert'), 200, summary(1, 0, 1, 0), 'and cleared by an empty cell');
ok(!exists $server->api(GET => "/products/$first->{id}")->{json}{data}{rating}, 'then it is absent');
answers(import_file(ndjson => ndjson({ id => $first->{id}, rating => undef }), 'mode=upsert'), 200, summary(1, 0, 0, 1), 'in NDJSON null clears it');
answers(import_file(ndjson => ndjson({ %least, rating => undef })), 200, summary(1, 1, 0, 0), 'a rating that is null is absent where a product is created');

$before = export('ndjson');
my $nobody = '01a10000-0000-7000-8000-000000000000';
answers(import_file(ndjson => ndjson({ id => $first->{id}, price => 1 }, { id => $nobody, price => 1 }, { id => 'x', price => -1 }, { id => 5, name => 'x' }, { id => $first->{id} },
    { name => 'no price' }), 'mode=upsert'), 400, refused(6, 5, '2 id unknown', '3 price too_small', '3 id unknown', '4 id unknown', '5  required', '6 price required'),
    'unknown ids, and what is wrong with an update, are errors of their rows');
is(export('ndjson'), $before, 'then nothing is stored');
answers(import_file(ndjson => ndjson({ id => twin_of($first->{id}), price => 1 }), 'mode=upsert'), 400, refused(1, 1, '1 id unknown'), 'an id with the number of another is unknown');
my @many = ({ id => $nobody, price => 1 }, map { { price => $_ } } 1 .. 250);
is_deeply([map { $_->{row} } @{ import_file(ndjson => ndjson(@many), 'mode=upsert')->{json}{errors} }], [1 .. 100], 'unknown ids are in the order of the rows too');

# ---- what was exported can be imported ----

for my $format (qw(csv ndjson)) {
    my $file = export($format);
    my $count = () = listed();
    answers(import_file($format => $file, 'mode=upsert'), 200, summary($count, 0, 0, $count), "$format: what was exported changes nothing");
    is(export($format), $file, "$format: afterwards the export is the same, octet by octet");
    answers(import_file(ndjson => ndjson(map { { id => $_->{id}, name => 'other', price => 0, category => 'other' } } listed()), 'mode=upsert'), 200,
        summary($count, 0, $count, 0), "$format: after all products have changed");
    answers(import_file($format => $file, 'mode=upsert'), 200, summary($count, 0, $count, 0), "$format: the import restores them");
    is(export($format), $file, "$format: the export is the same again");
    my $other = server()->start;
    my %other = (to => $other, token => register($other)->{token});
    answers(import_file($format => $file, '', %other), 200, summary($count, $count, 0, 0), "$format: an empty catalogue takes it");
    my $without = sub { map { my %p = %$_; delete @p{qw(id createdAt)}; \%p } @_ };
    is_deeply([$without->(reverse listed($other))], [$without->(listed())], "$format: with the same content, the last line newest");
}

answers(import_file(ndjson => ndjson(map { { name => "number $_", price => $_, rating => 0.5 } } 1e21, 1.5e-7, 1234567.25, 0.125)), 200, summary(4, 4, 0, 0), 'numbers of any size');
for my $style ('delimiter=semicolon&decimal=comma', 'delimiter=comma&decimal=comma', 'delimiter=tab&decimal=point') {
    my $count = () = listed();
    answers(import_file(csv => export("csv&$style&bom=true"), "mode=upsert&$style"), 200, summary($count, 0, 0, $count), "what was exported with $style and a mark changes nothing, too");
}

# ---- one transaction, or several ----

my $long = join '', "name,price\n", map { "p$_,$_\n" } 1 .. 10_001;
$before = export('ndjson');
answers(import_file(csv => $long), 400, { success => false, message => 'Too many rows', error => qr/atomic=false/, summary => { rows => 10_001, failed => 0, stored => 0 } },
    '10,001 rows are too many for one transaction');
is(export('ndjson'), $before, 'nothing of them is stored');
answers(import_file(csv => $long, 'atomic=false'), 200, summary(10_001, 10_001, 0, 0, 10_001), 'with atomic=false they are stored');
$long =~ s{^p10001,.*\n}{}m;
answers(import_file(csv => $long), 200, summary(10_000, 10_000, 0, 0), "10,000 rows are one transaction");
like(names(), qr/^p10000 p9999 .* p2 p1 p10001 p10000 /, 'all are in the list in their order');

# ---- what is derived of products ----

# Counts of name_key, category_key, price_key, rating_key, words and rows of product_words.
for (['category price name rating search', '3 3 3 3 3 8'], ['price rating', '0 0 3 3 0 0'], ['search', '0 0 0 0 3 8'], ['none', '0 0 0 0 0 0']) {
    my ($index, $want) = @$_;
    my $derives = server(mount => "CatalogIndex $index")->start;
    my %derives = (to => $derives, token => register($derives)->{token});
    answers(import_file(csv => "name,price,category\nRed Kettle,1,tea\nCup,2,tea\nred Lamp,3,light\n", '', %derives), 200, summary(3, 3, 0, 0), "CatalogIndex $index");
    my ($lamp) = listed($derives);
    answers(import_file(csv => "id,name,category\n$lamp->{id},Blue Lamp,tea\n", 'mode=upsert', %derives), 200, summary(1, 0, 1, 0), 'an update');
    my $db = $derives->database;
    is(join(' ', $db->selectrow_array('SELECT COUNT(name_key), COUNT(category_key), COUNT(price_key), COUNT(rating_key), COUNT(words),'
        . ' (SELECT COUNT(*) FROM product_words) FROM products')), $want, 'what is named is derived of the products, and nothing else');
    is(join(' ', map { $_->[0] } @{ $db->selectall_arrayref('SELECT word FROM product_words WHERE n = ? ORDER BY word', undef, n_of($lamp->{id})) }),
        $index =~ /search/ ? 'blue lamp tea' : '', 'the words follow an update');
    is(problems(ctl_for($derives, 'check')), '', 'all of it is right');
    next unless $index =~ /category/;
    wait_until(20, sub { $derives->api(GET => '/categories')->{json}{data}[0]{count} == 3 });
    is_deeply($derives->api(GET => '/categories')->{json}{data}, [{ category => 'tea', count => 3 }], 'so are the counts of categories');
}

# ---- faults ----

# A client that goes away, in the middle of the file or of a chunk.
sub total { return $server->api(GET => '/products?limit=1&count=exact')->{json}{pagination}{total} }
my $count = total();
my $half = wire(POST => '/products/import', undef, token => $token, headers => { 'Content-Type' => $type{ndjson}, 'Content-Length' => 100_000 })
    . ndjson((\%least) x 500);
answers($server->talk($half, cut => 1), 400, refusal(error => qr/incomplete/), 'a file that is cut off is a 400');
my $socket = $server->connection;
print {$socket} $half;
close $socket;
ok(wait_until(20, sub { $server->access_text =~ m{^POST /api/products/import 400 .*\n(?:.*\n)*POST /api/products/import 400}m }), 'a client that goes away');
is(total(), $count, 'leaves nothing behind');

# A child that is killed leaves all or nothing, or the first rows, in whole portions. On a busy machine these are smaller.
allow_kills();
allow_log(qr/AH00639|CAT\d{3}/);
my $db = $server->database;
for (['one transaction', 9000, ''], ['portions', 30_000, 'atomic=false']) {
    my ($what, $rows, $query) = @$_;
    for my $pause (0.05, 0.2, 0.5) {
        my $file = ndjson(map { { name => sprintf("$what, $pause: %05d", $_), price => $_ } } 1 .. $rows);
        my $pid = fork // die "fork: $!\n";
        if (!$pid) {
            eval { import_file(ndjson => $file, $query) };
            POSIX::_exit(0);
        }
        select undef, undef, undef, $pause;
        kill KILL => CatalogTest::Tools::children_of($server->{pid});
        waitpid $pid, 0;
        ok(wait_until(30, sub { total() }), 'other children answer');
        my ($stored, $last) = $db->selectrow_array('SELECT COUNT(*), MAX(name) FROM products WHERE name LIKE ?', undef, "$what, $pause: %");
        my $want = $query ? ($last // 0) =~ s/.*: 0*//r : $stored && $rows;
        is($stored, $want, "a child that is killed after $pause s leaves whole transactions: $what");
    }
}
$db->disconnect;
wait_until(60, sub { problems(ctl_for($server, 'check')) eq '' });
is(problems(ctl_for($server, 'check')), '', 'the counts are right');

done_testing;
