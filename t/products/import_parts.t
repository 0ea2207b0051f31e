# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# What an import in parts requires: the first rows of a file, columns by name, files without a header row, and where rows are.
use utf8;
use CatalogTest;
use Cpanel::JSON::XS ();
use Encode ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my %type = (csv => 'text/csv', ndjson => 'application/x-ndjson');
my $server = server()->start;
my $token = register($server)->{token};

sub import_file {
    my ($kind, $text, $query, %headers) = @_;
    return $server->api(POST => "/products/import?$query", $text, token => $token, headers => { 'Content-Type' => $type{$kind}, %headers });
}

sub listed { map { $json->decode($_) } split /\n/, $server->api(GET => '/products/export')->{body} }
sub names { join ' ', map { "$_->{name}=$_->{price}" } listed() }
sub uri { my ($text) = @_; return $text =~ s/([^\w.])/sprintf '%%%02x', ord $1/ger }
sub without_id { my ($product) = @_; delete @$product{qw(id createdAt)}; return $product }
sub summary { my %counts = @_; return { success => true, message => qr/./, summary => { updated => 0, unchanged => 0, %counts } } }

# Faults are "row field code begin end"; the last ones may be missing.
sub refused {
    my ($counts, @faults) = @_;
    my @errors = map {
        my ($row, $field, $code, $begin, $end) = split / /;
        { row => $row + 0, line => qr/^[1-9]/, field => $field, code => $code, message => qr/./, defined $begin ? (begin => $begin + 0) : (), defined $end ? (end => $end + 0) : () };
    } @faults;
    return { success => false, message => 'Validation failed', error => qr/^row \d+: /, errors => \@errors, summary => { stored => 0, %$counts } };
}

# ---- the first rows ----

sub head_in { my ($delimiter, $encoding, @rows) = @_; return { success => true, message => 'First rows read', head => \@rows, delimiter => $delimiter, encoding => $encoding } }
sub head { return head_in('comma', 'utf-8', @_) }

answers(import_file(csv => "Titel,\"Preis, netto\"\r\nTee,1\r\nx,\r\n", 'dryRun=head'), 200, head(['Titel', 'Preis, netto'], ['Tee', '1'], ['x', '']),
    'dryRun=head returns the cells of the first rows, whatever the columns are');
answers(import_file(csv => join('', map { "$_\n" } 1 .. 9), 'dryRun=head'), 200, head(map { ["$_"] } 1 .. 6), 'six rows');
answers(import_file(csv => "a,b;c\n1,5;2\n", "dryRun=head&delimiter=$_->[0]"), 200, head_in($_->[0], 'utf-8', @{ $_->[1] }), "with the delimiter that the request names: $_->[0]")
    for ['comma', [['a', 'b;c'], ['1', '5;2']]], ['semicolon', [['a,b', 'c'], ['1,5', '2']]], ['tab', [['a,b;c'], ['1,5;2']]];
answers(import_file(csv => "a,b\nc,d\ne", 'dryRun=head&part=more'), 200, head(['a', 'b'], ['c', 'd']), 'in a part without a row that is cut');
answers(import_file(csv => "a\n\"b\nc\n", 'dryRun=head'), 200, head(['a']), 'as far as it is CSV');
answers(import_file(csv => ",,\n , ,\na,b\n,,\nc,d\n", 'dryRun=head'), 200, head(['a', 'b'], ['c', 'd']), 'rows of empty cells are no rows, as for the import');
answers(import_file(csv => "Tray,12\nPan,3,,\n", 'dryRun=true&header=false&columns=name,price,,'), 200, { success => true, message => qr/./, summary => { rows => 2, created => 2, updated => 0, unchanged => 0 } },
    'rows may end before columns that are left out');
answers(import_file(csv => "\n", 'dryRun=head'), 200, head(), 'of a file without rows none');
answers(import_file(ndjson => '{}', 'dryRun=head'), 400, invalid(dryRun => 'format'), 'NDJSON has no cells');

answers(import_file(csv => "sep=;\na;b\n", 'dryRun=head'), 200, head_in('semicolon', 'utf-8', ['a', 'b']), 'its first line says what is between the cells');
answers(import_file(csv => "\xff\xfea\0\n\0", 'dryRun=head&encoding=windows-1252'), 200, head_in('comma', 'utf-16le', ['a']), 'its mark says the encoding');
answers(import_file(csv => "\xfc,b\n\xe4", 'dryRun=head&encoding=windows-1252&part=more'), 200, head_in('comma', 'windows-1252', ["\xfc", 'b']), 'the request says it');

# ---- columns ----

answers(import_file(csv => "Preis,Farbe,Titel\n5,rot,a\n", 'columns=price,,name'), 200, summary(rows => 1, created => 1), 'columns says which field each column is',
    'catalog-ignored' => undef);
answers(import_file(csv => "6,b\n7,c\n", 'columns=price,name&header=false'), 200, summary(rows => 2, created => 2), 'header=false: the first row is a product');
answers(import_file(csv => "\n", 'columns=price,name&header=false'), 200, summary(rows => 0, created => 0), 'then a file may have no rows');
is(names(), 'c=7 b=6 a=5', 'the products have the values of these columns');
answers(import_file(csv => "a,b,c\n", 'columns=price,name'), 400, refused({ rows => 0, failed => 1 }, '0  format'), 'columns must fit the header row');
answers(import_file(csv => "a,b\n", 'columns=price,'), 400, refused({ rows => 0, failed => 1 }, '0 name required'), 'required fields must be among them');
answers(import_file(csv => "x\n", "columns=$_"), 400, invalid(columns => 'format'), "bad columns: $_") for 'price,nmae', 'name,price,name', '%ff', ',' x 1000;
answers(import_file(csv => "x\n", "columns=$_&columns=$_"), 400, invalid(columns => 'duplicate'), "columns twice: $_") for 'name', 'x:name';

# Names of columns with those of their fields.
my $renamed = join ',', 'Cost:Gross (EUR):price', 'Title\\, short:name', ' In stock? :inStock', 'Name:', 'Shelf:', 'No such column:rating';
answers(import_file(csv => qq(Shelf,"title, SHORT",Name,cost:gross(eur),Category,In-Stock?,Farbe\nx,d,y,8,tea,no,red\n), 'columns=' . uri($renamed)), 200,
    { %{ summary(rows => 1, created => 1) }, summary => { %{ summary(rows => 1, created => 1)->{summary} }, ignored => ['Farbe'] } }, 'columns may say which names are those of fields',
    'catalog-ignored' => 'Farbe');
is_deeply(without_id($server->api(GET => '/products?limit=1')->{json}{data}[0]), { name => 'd', price => 8, category => 'tea', inStock => false }, 'the product has the values of these columns');
answers(import_file(csv => "Titel,name,price\nx,y,1\n", 'columns=Titel:name'), 400, refused({ rows => 0, failed => 1 }, '0 name duplicate'), 'a field may have one column');
answers(import_file(csv => "Titel,price\nx,1\n", 'columns=Title:name'), 400, refused({ rows => 0, failed => 1, ignored => ['Titel'] }, '0 name required'), 'and if it is required, must have one');
answers(import_file(csv => "x\n", 'columns=' . uri($_)), 400, invalid(columns => 'format'), "bad columns: $_") for 'a:nmae', 'a:name,b:name', 'a:name,price', join ',', ('x:') x 1001;
answers(import_file(csv => "x\n", 'columns=a:name&header=false'), 400, invalid(header => 'format'), 'header=false requires all columns');
answers(import_file(csv => "x\n", 'header=false'), 400, invalid(header => 'format'), 'header=false requires columns');
answers(import_file(csv => "x\n", 'header=no&part=first'), 400, invalid(header => 'choice', part => 'choice'), 'other words are refused');
answers(import_file(ndjson => '{"name":"d","price":8}', 'header=false&columns=id'), 200, summary(rows => 1, created => 1), 'NDJSON has no columns');

# ---- parts ----

my $file = "\x{feff}name,price\r\n\"p,\n1\",1\r\np2,2\r\n\r\np3,3";
utf8::encode($file);
answers(import_file(csv => substr($file, 0, 29), 'part=more&dryRun=true'), 200, summary(rows => 1, created => 1, octets => 24), 'a part ends with its last whole row');
answers(import_file(csv => substr($file, 0, 10), 'part=more'), 200, summary(rows => 0, created => 0, octets => 0), 'or before its first one');
answers(import_file(csv => $file, 'part=last&dryRun=true'), 200, summary(rows => 3, created => 3, octets => length $file), 'the last one with the end of the file');

# The file in parts of some size, as a client sends it; a part with no whole row is sent again with more. Returns the number of requests.
sub send_parts {
    my ($kind, $text, $size, $parameters) = @_;
    my ($at, $requests, $more) = (0, 0, $size);
    while ($at < length $text) {
        my $is_last = $at + $more >= length $text;
        my $query = ($is_last ? 'part=last' : 'part=more') . ($kind eq 'csv' ? '&columns=name,price' : '') . ($parameters // '') . ($at ? '&header=false' : '');
        my $r = import_file($kind, substr($text, $at, $more), $query, 'Idempotency-Key' => qq("$kind-$size-$at-$more) . ($parameters // '') . '"');
        $r->{status} == 200 or die "$r->{status} $r->{body}";
        my $octets = $r->{json}{summary}{octets};
        ($at, $more) = ($at + $octets, $octets ? $size : 2 * $more);
        $requests++;
        last if $is_last;
    }
    return $requests;
}
my %text = (csv => $file, ndjson => join '', map { $json->encode($_) . "\n" } { name => "p,\n1", price => 1 }, { name => 'p2', price => 2 }, { name => 'p3', price => 3 });
for my $kind (qw(csv ndjson)) {
    for my $size (1, 7, 16, 30, 1000) {
        my $requests = send_parts($kind, $text{$kind}, $size);
        ok($size == 1000 ? $requests == 1 : $requests > 1, "$kind in parts of $size octets: $requests requests");
        is_deeply([map { $_->{name} } (listed())[0 .. 2]], ['p3', 'p2', "p,\n1"], 'its products are in their order');
    }
}
my $count = () = listed();
is($count, 5 + 3 * 2 * 5, 'each of them once');

# In other encodings a place is one of the file, too, whatever its text would take in UTF-8.
my $umlauts = qq(sep=;\r\nname;price\r\n"\x{20ac}\x{fc},\n1";1\r\n;;\r\np2;2\r\n\r\np\x{e4};3);
for my $encoding (qw(windows-1252 utf-16le utf-16be)) {
    my $octets = Encode::encode($encoding =~ /^windows/ ? 'cp1252' : $encoding, $umlauts);
    for my $size (7, 30, 61, 1000) {
        send_parts(csv => $octets, $size, "&encoding=$encoding&delimiter=semicolon");
        is_deeply([map { $_->{name} } (listed())[0 .. 2]], ["p\x{e4}", 'p2', "\x{20ac}\x{fc},\n1"], "$encoding in parts of $size octets: its products are in their order");
    }
}
is(scalar(() = listed()), $count += 3 * 3 * 4, 'each of them once');

answers(import_file(csv => "7;s\n8;", 'columns=price,name&header=false&delimiter=semicolon&part=more&dryRun=true'), 200, summary(rows => 1, created => 1, octets => 4),
    'a part may have another delimiter');

# ---- where faulty rows are ----

my $faulty = "name,price\na,1\n\nb,-1\r\nc\nd,2\n";
answers(import_file(csv => $faulty, 'part=last'), 400, refused({ rows => 4, failed => 2, octets => length $faulty }, '2 price too_small 16 21', '3  format 22 24'),
    'errors say where their rows are');
is(substr($faulty, 16, 21 - 16) . substr($faulty, 22, 24 - 22), "b,-1\rc\n", 'there they are');
answers(import_file(csv => qq(name,price\na,1\n"b"c,1\nc,-1\n), 'part=more'), 400, refused({ rows => 2, failed => 1, octets => 15 }, '2  format 15'),
    'what cannot be read has no end');
answers(import_file(csv => "price\n1\n", 'part=more'), 400, refused({ rows => 0, failed => 1, octets => 6 }, '0 name required 0 6'), 'the header row has a place too');
my $lines = qq({"name":"a","price":1}\n{"price":1}\n{\n);
answers(import_file(ndjson => $lines, 'part=last'), 400, refused({ rows => 3, failed => 2, octets => length $lines }, '2 name required 23 35', '3  format 35 37'),
    'so do lines of NDJSON');
my $nobody = '01a10000-0000-7000-8000-000000000000';
answers(import_file(csv => "id,price\n$nobody,1\n", 'part=last&mode=upsert'), 400, refused({ rows => 1, failed => 1, octets => 48 }, '1 id unknown 9 48'), 'and unknown ids');
is(scalar(() = listed()), $count, 'none of these stored anything');

done_testing;
