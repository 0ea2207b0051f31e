# SPDX-License-Identifier: Apache-2.0
# route: GET /products/export
# mpm: event worker
# runs: first
# again: db
# The whole catalogue as a file, in one state, however slowly it is read; and what the client sees when that fails.
use utf8;
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Ids qw(insert_products);
use CatalogTest::Tools qw(children_of);
use Cpanel::JSON::XS ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;

sub export {
    my ($server, $query, %o) = @_;
    return $server->api($o{method} // 'GET', '/products/export' . ($query ? "?$query" : ''), %o);
}

sub lines { map { $json->decode($_) } split /\n/, $_[0]{body} }

# ---- the formats ----

my $small = server()->start;
my %user = (token => register($small)->{token});

for (['', 'application/x-ndjson', ''], ['format=json', 'application/json', "[\n]\n"],
    ['format=csv', 'text/csv; charset=utf-8; header=present', "id,name,price,category,inStock,rating,createdAt\r\n"]) {
    my ($query, $type, $body) = @$_;
    my $r = export($small, $query);
    is("$r->{status} $r->{headers}{'content-type'} $r->{body}", "200 $type $body", "an empty catalogue: $type");
}

my @products = (
    { name => 'Kettle', price => 19.99, category => 'Kitchen', inStock => false, rating => 4.5 },
    { name => '=SUM(A1)', price => 0, category => '' },
    { name => "a \"quoted\", name\nin two lines", price => 1e21, category => '+1', rating => 0 },
    { name => ' 🫖 ', price => 5, category => '-' },
    { name => '@x', price => 5, category => "\tx", rating => 5 },
    { name => "\rx", price => 5, category => "'=x" },
    { name => "\nx", price => 5, category => '＝x' },
    { name => "a;=cmd|' /C calc'!A0;b", price => 0.5, category => "a\t\@x" },
    { name => "a,\"=1\"\n-2", price => 7, category => 'a - b, c' },
);
my @made = map { $small->api(POST => '/products', $_, %user)->{json}{data} } @products;
my @newest = reverse @made;

sub cell { my ($text) = @_; utf8::encode($text); return $text =~ /[",;\t|\r\n]|^ | $|^$/ ? '"' . $text =~ s/"/""/gr . '"' : $text }

sub csv_of {
    my ($safe) = @_;
    my $quoted = sub { cell($safe ? $_[0] =~ s/(?:^(?=[\t\r\n])|(?:^|(?<=[,;\t|\r\n]))(?=[ "]*[=+\-@＝]))/'/gr : $_[0]) };
    return join '', "id,name,price,category,inStock,rating,createdAt\r\n", map {
        join(',', $_->{id}, $quoted->($_->{name}), $json->encode([$_->{price}]) =~ /^\[(.*)\]$/, $quoted->($_->{category}),
            $_->{inStock} ? 'true' : 'false', exists $_->{rating} ? $_->{rating} : '', $_->{createdAt}) . "\r\n"
    } @newest;
}

my $r = export($small);
is_deeply([lines($r)], \@newest, 'ndjson: a product a line, in the order of the list');
is($r->{body}, join('', map { $small->api(GET => "/products/$_->{id}")->{body} =~ s/^\{"success":true,"data":(.*)\}$/$1\n/r } @newest),
    'each line is the product as GET /products/:id has it');
is($r->{headers}{'content-disposition'}, 'attachment; filename="products.ndjson"', 'the file has a name');
is($r->{headers}{'cache-control'}, 'no-store', 'nothing stores it');
ok(!exists $r->{headers}{etag}, 'it has no ETag');
ok($r->{headers}{'x-request-id'}, 'it has the id of the request');
is(export($small, 'format=ndjson')->{body}, $r->{body}, 'ndjson is the default');

$r = export($small, 'format=json');
is_deeply($r->{json}, \@newest, 'json: an array of products');
is($r->{headers}{'content-disposition'}, 'attachment; filename="products.json"', 'the JSON file has a name');

my ($csv, $safe) = (csv_of(0), csv_of(1));
s/1e\+?21/1e21/ for $csv, $safe;
$r = export($small, 'format=csv');
is($r->{body} =~ s/1e\+?21/1e21/r, $csv, 'csv: a header row, CRLF, quotes where cells need them, nothing where a rating is absent');
is($r->{headers}{'content-disposition'}, 'attachment; filename="products.csv"', 'the CSV file has a name');
is(export($small, 'format=csv&safe=1')->{body} =~ s/1e\+?21/1e21/r, $safe, 'safe=1 puts an apostrophe before texts that a spreadsheet takes for formulas');
is(export($small, 'format=csv&safe=0')->{body} =~ s/1e\+?21/1e21/r, $csv, 'safe=0 does not');
is_deeply([lines(export($small, 'safe=1'))], \@newest, 'safe=1 leaves ndjson as it is');

# Split at another character than the file's delimiter, quotes are in the middle of cells, and keep nothing together.
for my $delimiter (qw(comma semicolon tab)) {
    for my $split (qr/,/, qr/;/, qr/\t/, qr/\|/) {
        my @cells = map { split $split } split /[\r\n]/, export($small, "format=csv&safe=1&delimiter=$delimiter")->{body};
        is_deeply([grep { /^[ "]*(?:[=+\-@]|\xef\xbc\x9d)/ } @cells], [], "safe=1&delimiter=$delimiter: no cell is a formula to who splits at $split");
    }
}
my $german = export($small, 'format=csv&delimiter=semicolon&decimal=comma&bom=true&fields=price,category&sort=price');
is($german->{body} =~ s/\r\n"?0,5.*//sr, "\xef\xbb\xbfprice;category\r\n0;\"\"", 'bom=true and delimiter=semicolon');
like($german->{body}, qr/^"0,5";"a\t\@x"\r$/m, 'decimal=comma');
answers(export($small, 'format=csv&delimiter=;&decimal=dot&bom=1'), 400, invalid(delimiter => 'choice', decimal => 'choice', bom => 'choice'), 'other words are refused');

is(export($small, 'format=csv&fields=price,name')->{body} =~ s/\r\n.*//sr, 'name,price', 'fields= says which columns a CSV file has, in the order of a product');
is_deeply([lines(export($small, 'fields=id,price'))], [map { { id => $_->{id}, price => $_->{price} } } @newest], 'fields= says what each object has');

# ---- the request ----

for my $format (qw(ndjson csv json)) {
    my ($get, $head) = map { export($small, "format=$format", method => $_) } qw(GET HEAD);
    delete @$_{qw(x-request-id date transfer-encoding connection content-length)} for $get->{headers}, $head->{headers};
    is("$head->{status} $head->{body}", '200 ', "HEAD has no body: $format");
    is_deeply($head->{headers}, $get->{headers}, "HEAD has the headers of GET: $format");
}
answers(export($small, 'format=xml'), 400, invalid(format => 'choice'), 'an unknown format is a 400');
answers(export($small, 'fields=name,nothing&safe=1&safe=1'), 400, invalid(fields => 'unknown', safe => 'duplicate'), 'unknown fields are a 400');
answers(export($small, q(colour=1), headers => { Prefer => q(handling=strict) }), 400, invalid(colour => q(unknown)), q(to a strict client an unknown parameter is a 400));
answers(export($small, 'format=csv&safe=yes&format=json'), 400, invalid(format => 'duplicate', safe => 'choice'), 'all faults are reported at once');
is(export($small, 'format=json&colour=red&x%20y=1')->{headers}{'catalog-ignored'}, 'colour, x%20y', 'unknown parameters are named');
answers($small->api(POST => '/products/export', {}, %user), 405, refusal(), 'POST is no method of it', allow => qr/^GET, HEAD/);
is(export($small, '', headers => { 'If-None-Match' => '*' })->{status}, 200, 'a condition on an ETag does not matter');

my $strict = server(mount => 'CatalogStrict On')->start;
answers(export($strict, 'colour=red'), 400, invalid(colour => 'unknown'), 'with CatalogStrict an unknown parameter is a 400');

my $none = server(mount => 'CatalogMaxExports 0')->start;
answers(export($none), 503, refusal(error => qr/busy/), 'CatalogMaxExports 0 refuses every export', 'retry-after' => qr/^\d+$/);
expect_log(qr/CAT060: .* 0 exports are running/);

# ---- a large catalogue ----

use constant ROWS => 60_000;

my ($modules) = CatalogTest::Server::modules() =~ m{^LoadModule authz_core_module "(.*)/mod_authz_core\.so"$}m;
my $h2 = mpm ne 'prefork';
my $engine = driver eq 'sqlite3' ? undef : CatalogTest::Database::engine(); # the test ends all its sessions
my $large = server($engine ? (engine => $engine) : (), conf => <<"END")->start;
StartServers 1
ServerLimit  1
MaxRequestWorkers 32
LoadModule http2_module "$modules/mod_http2.so"
Protocols h2c http/1.1
END
$large->api(GET => '/products');
my $db = $large->database;

sub insert {
    my ($from, $to) = @_;
    insert_products($db, $from, $to, '((1763717400000 + i - i % 7) << 20) + i', name => q('a product of the large catalogue'));
    ctl_for($large, 'recount') if driver eq 'mysql';
}

$db->do('SET SESSION max_recursive_iterations = 1000000') if driver eq 'mysql';
insert($_ * 20_000, ($_ + 1) * 20_000) for 0 .. ROWS / 20_000 - 1;
my $ids = $db->selectcol_arrayref('SELECT id FROM products ORDER BY n DESC');
is(join(' ', map { $_->{id} } lines(export($large))), join(' ', @$ids), ROWS . ' products, each once, in the order of the list');

# A client that reads the head and as much of the body as it is told.
sub slow {
    my ($path) = @_;
    my $socket = $large->connection;
    print {$socket} CatalogTest::Http::request_bytes('GET', "/api/products/export$path");
    my $text = '';
    sysread $socket, $text, 4096, length $text while length $text < 10_000;
    return { socket => $socket, text => $text };
}

sub rest { my ($c) = @_; return CatalogTest::Http::parse($c->{text} . CatalogTest::Http::read_all($c->{socket})) }

sub memory {
    my ($pid) = children_of($large->{pid});
    return slurp("/proc/$pid/status") =~ /^VmRSS:\s+(\d+)/m ? $1 : 0;
}

# One state, while others write; and memory.
my $before = memory();
my $slow = slow('');
my $other = $large->api(POST => '/products', { name => 'newer', price => 1 }, token => register($large)->{token});
is($other->{status}, 201, 'while a slow client reads an export others write');
$db->do("DELETE FROM products WHERE id = '$ids->[-1]'");
$db->do("UPDATE products SET name = 'changed' WHERE id = '$ids->[-2]'");
my $grown = memory() - $before;
my $read = rest($slow);
is(join(' ', map { $_->{id} } lines($read)), join(' ', @$ids), 'the slow client gets the products of the moment at which the export began');
unlike($read->{body}, qr/"changed"/, 'none of them changed since');
like($read->{text}, qr/\r\n0\r\n\r\n\z/, 'the last chunk says that the file is complete');
cmp_ok($grown, '<', 8 * 1024, 'the child takes less than 8 MiB for an export of 8 MB') or diag "$grown KiB";

# Too many at once; aborted ones make room.
my @two = (slow(''), slow('?format=csv'));
answers(export($large), 503, refusal(error => qr/busy/), 'more exports at once than CatalogMaxExports allows are refused', 'retry-after' => qr/^\d+$/);
expect_log(qr/CAT060: .* 2 exports are running/);
is($large->api(GET => '/products')->{status}, 200, 'other requests are answered meanwhile');
close $_->{socket} for @two;
ok(wait_until(30, sub { export($large, '', method => 'HEAD')->{status} == 200 }), 'clients that go away make room for others');
ok(wait_until(30, sub { my @heads = $large->burst((wire(HEAD => '/products/export')) x 2); return !grep { $_->{status} != 200 } @heads }),
    'all the room is free again');

# A failure in the middle: HTTP/1.1 lacks the last chunk, HTTP/2 resets the stream.
sub h2_slow {
    my $url = 'http://127.0.0.1:' . $large->port . '/api/products/export';
    my $file = scratch() . '/body';
    my $pid = open my $out, '-|', qw(curl --silent --http2-prior-knowledge --limit-rate 200k --write-out), '%{http_code}', '--output', $file, $url
        or die "curl: $!\n";
    wait_until(30, sub { -s $file });
    return $out;
}

sub break_database {
    if (driver eq 'sqlite3') {
        my $file = $db->sqlite_db_filename;
        $db->disconnect;
        truncate $file, 65536 or die "$file: $!\n";
    }
    else {
        $engine->cut;
    }
}

my $broken = slow('');
my $stream = h2_slow();
break_database();
$read = rest($broken);
is($read->{status}, 200, 'an export whose database fails in the middle began as a 200');
unlike($read->{text}, qr/\r\n0\r\n\r\n\z/, 'the connection ends without the last chunk');
is(do { local $/; <$stream> }, '200', 'over HTTP/2 as well');
close $stream;
like($? >> 8, qr/^(?:18|92)$/, 'a client of HTTP/2 learns that the file is incomplete');
expect_log(qr/catalog:error\].* CAT\d{3}: /);
allow_log(qr/AH00639: DBD \[mysql\] Error: (?:Lost connection|Server has gone away)/);

done_testing;
