# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# route: POST /auth/keys
# catalogctl user key, and catalogctl import --api, which sends a file of products with such a key.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl ctl_for run);
use CatalogTest::Tools qw(setting);

my $server = server(mount => "CatalogWriteRole editor\nCatalogMaxImport 2000000\nCatalogRateLimit Off\nCatalogField sku string unique max=64")->start;
my $user = register($server);
my $name = $user->{user}{username};
set_role($server, $name, 'editor');
my $dir = scratch();
my $api = 'http://127.0.0.1:' . $server->port . '/api';
sub made { my (@words) = @_; return ctl_for($server, 'user', 'key', $name, 'ERP', @words) }
sub key_file { my ($key, $mode) = @_; my $file = "$dir/" . fresh('key'); spew($file, "$key\n"); chmod $mode // 0600, $file; return $file }
sub import_of { my ($in, @words) = @_; return ctl({ in => $in }, 'import', '--api', $api, @words) }
sub says { my ($rows, $created, $updated, $unchanged, $more) = @_;
    return { status => 0, out => "$rows rows, $created created, $updated updated, $unchanged unchanged" . ($more // '') . "\n", err => '' } }
sub fails { my ($r, $status, $words, $what) = @_; is_deeply([@$r{qw(status out)}], [$status, ''], $what); like($r->{err}, $words, "$what: the message has the reason") }
sub count { $server->database->selectrow_array('SELECT COUNT(*) FROM products') }

# ---- user key ----

my $r = made();
is_deeply([@$r{qw(status err)}], [0, ''], 'user key');
like($r->{out}, qr/^[\w-]+\.[\w-]+\.[\w-]+\n\z/, 'prints the token alone');
chomp(my $token = $r->{out});
my $claims = claims_of($token);
is($claims->{exp} - $claims->{iat}, 90 * 86400, 'which is valid for 90 days');
is(header_of($token)->{alg}, header_of($user->{token})->{alg}, 'and signed as the server signs');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 201, undef, 'the server takes it');
chomp(my $low = made('--days', '3650', '--role', 'user')->{out});
is(claims_of($low)->{exp} - claims_of($low)->{iat}, 3650 * 86400, '--days');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $low), 403, undef, '--role');
my $entries = $server->database->selectall_arrayref(q(SELECT source, action, target, changes FROM audit WHERE action LIKE 'key.%' ORDER BY id));
is_deeply([map { join ' ', @$_[0 .. 2] } @$entries], ["catalogctl key.create $name", "catalogctl key.create $name"], 'both are in the audit table');
like($entries->[1][3], qr/"role":\{"to":"user"\}/, 'with the role');
is(scalar(grep { /\Q$token\E/ } $server->dump), 0, 'and without the token');
fails(made('--role', 'admin'), 1, qr/^catalogctl: admin: is above the role of the user$/m, 'a role above that of the user');
fails(made('--role', 'root'), 1, qr/root is not a role/, 'an unknown role');
fails(made('--days', $_), 1, qr/--days must be a number from 1 to 3650/, "--days $_") for '0', '3651', 'x', '1.5';
fails(ctl_for($server, 'user', 'key', $name, "a\eb"), 1, qr/^catalogctl: NAME must not have control characters$/m, 'a name that a terminal would obey');
fails(ctl_for($server, qw(user key nobody ERP)), 1, qr/^catalogctl: nobody: there is no such user, or it is locked$/m, 'an unknown user');
fails(ctl_for($server, 'user', 'key', $name, $_), 1, qr/NAME must/, 'a bad name: ' . length) for '', ' ', 'x' x 101, "\xff";
fails(ctl_for($server, 'user', 'key', $name), 2, qr/takes USER NAME/, 'no name');
fails(ctl('--driver', driver, '--params', $server->params, 'user', 'key', $name, 'ERP'), 1, qr/--driver has none/, 'without a configuration');
is(ctl_for($server, 'user', 'lock', $name)->{status}, 0, 'lock the user');
fails(made(), 1, qr/or it is locked/, 'a locked user');
is(ctl_for($server, 'user', 'unlock', $name)->{status}, 0, 'unlock the user');
chomp($token = made()->{out});
chomp($low = made('--role', 'user')->{out});

# ---- import --api ----

my $key = key_file($token);
my $before = count();
is_deeply(import_of("name,price\nKettle,19.99\nCup,3\n", '--key', $key), says(2, 2, 0, 0), 'a CSV file');
is_deeply(import_of(qq({"name":"Mug","price":2,"sku":"M-1"}\n), '--key', $key), says(1, 1, 0, 0), 'an NDJSON file, which is told from CSV by its first octet');
is_deeply([map { $_->{name} } @{ $server->api(GET => '/products?limit=3')->{json}{data} }], [qw(Mug Cup Kettle)], 'the products are there');
is_deeply(import_of("sku;Preis;name\nM-1;5,5;Mug\nM-2;1;\n", '--key', $key, '--products', 'csv', '--upsert', '--by', 'sku', '--columns', 'Preis:price', '--decimal', 'comma', '-e', 'semicolon', '--dry-run'),
    { %{ says(0, 0, 0, 0) }, status => 1, out => '', err => "catalogctl: row 2, line 3: name is required\ncatalogctl: the server answers 400: Validation failed; rows that are stored: 0\n" },
    'a bad row is named, and the exit code is 1');
is_deeply(import_of("sku;Preis;name\nM-1;5,5;Mug\n", '--key', $key, '-f', 'csv', '-u', '--by', 'sku', '-C', 'Preis:price', '-P', 'comma', '-e', 'semicolon', '-n'), says(1, 0, 1, 0, ', nothing stored'), '--dry-run');
is_deeply(import_of("sku;Preis;name;colour\nM-1;5,5;Mug;red\n", '--key', $key, '-f', 'csv', '-u', '--by', 'sku', '-C', 'Preis:price', '-P', 'comma', '-e', 'semicolon'),
    { %{ says(1, 0, 1, 0) }, err => "catalogctl: colour: is not a field of a product; it was ignored\n" }, '--upsert --by, with the options of CSV');
is($server->api(GET => '/products/sku=M-1')->{json}{data}{price}, 5.5, 'the product is changed');
is(count() - $before, 3, 'nothing else is stored');

# From a pipe, so that nobody knows how long it is; and a long one.
my $rows = join '', "name,price\n", map { "Product $_,$_\n" } 1 .. 12_000;
spew("$dir/rows.csv", $rows);
my @import = (setting('ctl'), 'import', '--api', $api, '--key', $key);
is_deeply(run({}, 'sh', '-c', 'cat "$1" | { shift; "$@"; }', 'sh', "$dir/rows.csv", @import, '--parts'), says(12_000, 12_000, 0, 0), 'from a pipe, in parts');
fails(run({}, 'sh', '-c', 'file=$1; shift; exec "$@" <"$file"', 'sh', "$dir/rows.csv", @import), 1, qr/the server answers 400: Too many rows: .*atomic=false.*; rows that are stored: 0/, 'more than 10,000 rows without --parts');
fails(import_of("name,price\n" . ("x,1\n" x 600_000), '--key', $key), 1, qr/the server answers 413/, 'more than CatalogMaxImport');
is(count() - $before, 12_003, 'neither of those is stored');
fails(import_of('', '--key', $key, '-f', 'csv'), 1, qr/must have a header row/, 'an empty file');

# Keys that the server refuses, and files that are no place for a key.
fails(import_of("name\n", '--key', key_file($low)), 1, qr/the server answers 403: Forbidden: /, 'a key without the role');
fails(import_of("name\n", '--key', key_file(forge(claims => claims(token_use => 'key')))), 1, qr/the server answers 401: Invalid token: the key has ended/, 'a key that is not there');
fails(import_of("name\n", '--key', key_file('x y')), 1, qr/must have one key, on one line/, 'a file with other things');
fails(import_of("name\n", '--key', key_file('')), 1, qr/must have one key/, 'an empty file');
fails(import_of("name\n", '--key', key_file($token, $_)), 1, qr/chmod/, sprintf 'a key file with the mode %o', $_) for 0604, 0644, 0602;
fails(import_of("name\n", '--key', "$dir/none"), 1, qr/none/, 'no key file');

# Addresses.
fails(ctl({ in => "name\n" }, 'import', '--api', @$_[0], '--key', $key), 1, $_->[1], "address: $_->[0]")
    for ['http://shop.example/api', qr/must begin with https:/], ['ftp://127.0.0.1/api', qr/must begin with https:/], ['shop.example', qr/must begin with https:/],
    ['https://user@shop.example/api', qr/must be the address of the API alone/], ["$api?x=1", qr/must be the address of the API alone/],
    ['http://127.0.0.1.evil.example/api', qr/must begin with https:/], ['http://127.0.0.1:1/api', qr/127\.0\.0\.1:1/],
    ['http://localhost:' . $server->port . '/nothing', qr/the server answers 404, and not as this API does/];
is_deeply(ctl({ in => "name,price\nx,1\n" }, 'import', '--api', "$api/", '--key', $key), says(1, 1, 0, 0), 'a slash at the end');
is_deeply(run({ in => "name,price\nx,1\n" }, 'env', 'http_proxy=http://127.0.0.1:1', 'all_proxy=http://127.0.0.1:1', @import), says(1, 1, 0, 0),
    'without TLS no proxy gets the key');

# Words that do not go together.
my @misuses = (
    [['--api', $api], qr/--api goes with --key/], [['--api', $api, '--key', $key, '--driver', 'sqlite3'], qr/replaces a configuration/],
    [['--api', $api, '--key', $key, '--by', 'sku'], qr/--by goes with --upsert/], [['--parts'], qr/go with --api/],
    [['--api', $api, '--key', $key, '--images', $dir], qr/no files of pictures/],
);
fails(ctl({ in => '' }, 'import', @{ $_->[0] }), 2, $_->[1], "misuse: $_->[1]") for @misuses;
fails(import_of('x', '--key', $key, '-f', 'xml'), 1, qr/xml: is not a format; use ndjson or csv/, 'an unknown format');
fails(ctl('export', '--api', $api), 2, qr/no option -A/, 'an export has no --api');

done_testing;
