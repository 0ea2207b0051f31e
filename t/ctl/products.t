# SPDX-License-Identifier: Apache-2.0
# catalogctl export and import --products: the files of GET /products/export and POST /products/import, without a server.
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for command_for problems run);

my $server = server()->start;
my %user = (token => register($server)->{token});
my @made = map { $server->api(POST => '/products', $_, %user)->{json}{data} }
    { name => 'Kettle', price => 19.99 }, { name => 'a "cup", red', price => 3, category => '=1', rating => 4 };

sub exported { my ($format) = @_; return $server->api(GET => "/products/export?format=$format")->{body} }
sub says { my ($rows, $created, $updated, $unchanged, $more) = @_;
    return { status => 0, out => "$rows rows, $created created, $updated updated, $unchanged unchanged" . ($more // '') . "\n", err => '' } }
sub fails {
    my ($r, $status, $words, $name) = @_;
    is_deeply([@$r{qw(status out)}], [$status, ''], $name);
    like($r->{err}, $words, "$name: the message has the reason");
}

for my $format (qw(ndjson csv json)) {
    is_deeply(ctl_for($server, 'export', '--products', $format), { status => 0, out => exported($format), err => '' }, "export writes what the server exports: $format");
}
for my $format (qw(ndjson csv)) {
    my $file = exported($format);
    is_deeply(ctl_for($server, { in => $file }, 'import', '--products', $format, '--upsert'), says(2, 0, 0, 2), "import --upsert of that changes nothing: $format");
    is_deeply(ctl_for($server, { in => $file }, 'import', '--products', $format, '--dry-run'), says(2, 2, 0, 0, ', nothing stored'), "--dry-run only checks: $format");
    is(exported($format), $file, "nothing has changed: $format");
}
is_deeply(ctl_for($server, { in => qq(id,price\n$made[0]{id},5\n) }, 'import', '-f', 'csv', '-u'), says(1, 0, 1, 0), 'a row with an id updates that product');
is($server->api(GET => "/products/$made[0]{id}")->{json}{data}{price}, 5, 'the server has it at once');
is_deeply(ctl_for($server, { in => "name,price,colour\nCup,1,red\n" }, 'import', '--products', 'csv'),
    { %{ says(1, 1, 0, 0) }, err => "catalogctl: colour: is not a field of a product; it was ignored\n" }, 'an unknown column is named');

is_deeply(ctl_for($server, { in => "price\tx\tname\n3\t-\tMug\n" }, 'import', '-f', 'csv', '--delimiter', 'tab', '--columns', 'price,,name'), says(1, 1, 0, 0),
    '--delimiter and --columns say how to read the file');
is_deeply(ctl_for($server, { in => "Cost (EUR),Title\n3,Cup\n" }, 'import', '-f', 'csv', '--columns', 'Title:name,Cost (EUR):price'), says(1, 1, 0, 0), 'or which columns have other names');
is_deeply(ctl_for($server, { in => "3;Jug\n" }, 'import', '-f', 'csv', '-e', 'semicolon', '-C', 'price,name', '-H'), says(1, 1, 0, 0), '--no-header: the first row is a product');
is_deeply([map { @$_{qw(name price)} } @{ $server->api(GET => '/products?limit=3')->{json}{data} }], [qw(Jug 3 Cup 3 Mug 3)], 'these products are stored');

is_deeply(ctl_for($server, { in => "sep=;\nName;PRICE;In Stock\nTub;1.299,50;nein\n;;\n\x80\xfc;,5;1\n" }, 'import', '-f', 'csv', '--decimal', 'comma', '--encoding', 'windows-1252'),
    says(2, 2, 0, 0), '--decimal and --encoding, and a file as a spreadsheet writes it');
is_deeply([map { [@$_{qw(name price inStock)}] } @{ $server->api(GET => '/products?limit=2')->{json}{data} }], [["\x{20ac}\x{fc}", 0.5, true], ['Tub', 1299.5, false]],
    'its products are stored');
is_deeply(ctl_for($server, 'export', '--products', 'csv', '--delimiter', 'semicolon', '--decimal', 'comma', '--bom', '--safe'),
    { status => 0, out => $server->api(GET => '/products/export?format=csv&delimiter=semicolon&decimal=comma&bom=true&safe=1')->{body}, err => '' },
    'export writes CSV as spreadsheets read it, as the server does');

my $before = exported('ndjson');
fails(ctl_for($server, { in => "name,price\nCup,1\n,-1\n" }, 'import', '--products', 'csv'), 1,
    qr/^catalogctl: row 2, line 3: name is required\ncatalogctl: row 2, line 3: price must be at least 0\ncatalogctl: bad rows: 1, nothing is stored\n$/, 'a bad row');
fails(ctl_for($server, { in => '' }, 'import', '--products', 'csv'), 1, qr/row 0, line 1: it must have a header row/, 'an empty file');
fails(ctl_for($server, { in => "name;price\nCup;1\n" }, 'import', '--products', 'csv'), 1, qr/row 0, line 1: name must be a column; the first cell has a semicolon, so the delimiter may be semicolon, not comma/,
    'a delimiter that was not given');
fails(ctl_for($server, { in => "name;price\n" }, 'import', '--products', 'csv', '--delimiter', ';'), 1, qr/--delimiter must be comma, semicolon or tab/, 'an unknown delimiter');
fails(ctl_for($server, { in => "a,b\n" }, 'import', '--products', 'csv', '--columns', 'name,colour'), 1, qr/--columns must list the fields/, 'an unknown column in --columns');
fails(ctl_for($server, { in => "Cup\n" }, 'import', '-f', 'csv', '-C', 'name,price', '-H'), 1, qr/row 1, line 1: it must have as many cells as the file has columns: 2, not 1/,
    'a row with too few cells');
fails(ctl_for($server, 'import', '--products', 'csv', '--no-header'), 2, qr/--no-header goes with --columns/, '--no-header without --columns');
fails(ctl_for($server, { in => '' }, 'import', '--products', 'csv', '--no-header', '--columns', 'a:name'), 1, qr/--no-header goes with --columns that name all/, '--no-header with some columns');
fails(ctl_for($server, 'import', '--products', 'ndjson', '-e', 'tab'), 2, qr/go with --products csv/, '--delimiter for NDJSON');
fails(ctl_for($server, 'export', '--products', 'ndjson', '--safe'), 2, qr/go with --products csv/, '--safe for NDJSON');
fails(ctl_for($server, 'import', '--products', 'csv', '--safe'), 2, qr/no option -y/, '--safe of an import');
fails(ctl_for($server, 'export', '--bom'), 2, qr/go with --products/, '--bom without --products');
fails(ctl_for($server, { in => '' }, 'import', '--products', 'csv', '--decimal', ','), 1, qr/--decimal must be point or comma/, 'an unknown decimal mark');
fails(ctl_for($server, { in => '' }, 'import', '--products', 'csv', '--list', 'comma'), 1, qr/--list must be one punctuation mark, such as , or \//, 'a mark of lists that is none');
fails(ctl_for($server, 'import', '--products', 'ndjson', '-L', ','), 2, qr/go with --products csv/, '--list for NDJSON');
fails(ctl_for($server, { in => '' }, 'import', '--products', 'csv', '--encoding', 'latin1'), 1,
    qr/--encoding must be utf-8, windows-1252, utf-16le or utf-16be/, 'an unknown encoding');
fails(ctl_for($server, 'import', '--columns', 'name'), 2, qr/go with --products/, '--columns without --products');
fails(ctl_for($server, 'import', '--products', 'json'), 1, qr/json: is not a format/, 'a format that cannot be imported');
fails(ctl_for($server, 'export', '--products', 'xml'), 1, qr/xml: is not a format/, 'a format that is none');
fails(ctl_for($server, 'import', '--upsert'), 2, qr/go with --products/, '--upsert without --products');
fails(ctl_for($server, 'recount', '--products', 'csv'), 2, qr/no option -f/, '--products of another command');
is(exported('ndjson'), $before, 'none of these stored anything');

# More rows than one transaction: in portions, with a progress bar.
my $rows = 12_000;
my $file = scratch() . '/rows.csv';
spew($file, "name,price\n", map { "p$_,$_\n" } 1 .. $rows);
my $r = run({}, 'sh', '-c', 'exec 0<"$1"; shift; exec "$@"', 'sh', $file, command_for($server, 'import', '--products', 'csv'));
is_deeply($r, says($rows, $rows, 0, 0), 'a long file is stored');
is($server->api(GET => '/products?limit=1')->{json}{data}[0]{name}, "p$rows", 'the last row is the newest');
is(problems(ctl_for($server, 'check')), '', 'the counts are right');

fails(ctl('--driver', 'sqlite3', '--params', scratch() . '/none.db', 'export', '--products', 'csv'), 1, qr/none\.db/, 'a database that is not there');

done_testing;
