# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/refresh
# route: POST /auth/confirm
# again: db
# catalogctl export and import: move a whole catalogue from one database to another, and change nothing else.
use CatalogTest;
use CatalogTest::Ctl qw(command command_for at_terminal run);
use CatalogTest::Ids qw(id_at twin_of);
use CatalogTest::Move qw(product product_id rows_of write_file);

my $dir = scratch();
my $count = 0;

# A database is the command that works on it: a server's, in whatever the suite runs on, or SQLite.
sub new_server { return server(mount => "CatalogRateLimit Off\nCatalogMail \"file:\@dir\@/data/mail\"\nCatalogMailFrom shop\@catalog.test\nCatalogBaseURL https://shop.test") }
sub of_server { my ($server) = @_; return [command_for($server)] }
sub of_sqlite { return [command('--driver', 'sqlite3', '--params', "$dir/" . ++$count . '.db')] }
sub ask { my ($db, @words) = @_; return run(ref $words[0] ? shift @words : {}, @$db, @words) }
sub made { my ($db) = @_; my $r = ask($db, 'migrate'); $r->{status} == 0 or die "no database: $r->{err}"; return $db }
sub export { my ($db) = @_; my $r = ask($db, 'export'); is_deeply([@$r{qw(status err)}], [0, ''], 'export succeeds') or die; return $r->{out} }
sub import_into { my ($db, $text) = @_; return ask($db, { in => $text }, 'import') }
sub said { my ($rows, $added) = @_; return { status => 0, out => "$rows rows, $added added" . ($added ? '; the history of products does not move' : '') . "\n", err => '' } }
sub fails {
    my ($r, $words, $name) = @_;
    is_deeply([@$r{qw(status out)}], [1, ''], $name);
    like($r->{err}, $words, "$name: the message has the reason");
}
sub file_of { my @lines = @_; return slurp(write_file("$dir/lines", sub { shift @lines })) }

# ---- every kind of value, through every database, comes back octet for octet ----

my @ids = map { product_id($_) } 0 .. 4;
my $LATEST = 2**43 - 1;
my @made = (id_at(0), id_at(1_763_717_400_000, 1), id_at($LATEST, 2**20 - 2));
my @hashes = map { ($_ x 64) } qw(0 a f);
my $text = "'\\\\ %s %d \\\" \\u0001\\u001f\\u000a/\x7f \xc3\xa4\xcc\x88 \xf0\x9f\x98\x80 \xef\xbf\xbf; DROP TABLE products; --  ";
my $file = file_of(
    qq({"products":{"id":"$made[0]","name":"$text","price":0.30000000000000004,"category":"","in_stock":false,"created_at":0}}),
    qq({"products":{"id":"$made[1]","name":" ","price":1e+300,"category":"$text","in_stock":true,"rating":5,"created_at":1763717400000,"extra":"{\\"sku\\":\\"$ids[1]\\"}"}}),
    qq({"products":{"id":"$made[2]","name":"x","price":9007199254740993,"category":"NULL","in_stock":true,"rating":0,"created_at":$LATEST}}),
    qq({"users":{"id":"$ids[0]","username":"Ada","username_key":"ada","email":"Ada\@example.com","email_key":"ada\@example.com","password_hash":"\$argon2id\$v=19\$m=8,t=1,p=1\$c2FsdHNhbHQ\$aGFzaA","confirmed_at":1763717400001,"created_at":1763717400000,"role":"admin","locked_at":1763717400002,"signed_in_at":1763717400003,"language":"de"}}),
    qq({"users":{"id":"$ids[1]","username":"bob","username_key":"bob","email":"b'\@example.com","email_key":"b'\@example.com","password_hash":"","created_at":1,"role":"user"}}),
    qq({"sessions":{"id":"$ids[2]","user_id":"$ids[1]","created_at":1,"used_at":2,"expires_at":3,"client":"2001:db8::1","agent":"' \\"x\\" ?"}}),
    qq({"sessions":{"id":"$ids[3]","user_id":"$ids[0]","created_at":1,"used_at":2,"expires_at":3,"client":"","agent":""}}),
    qq({"refresh_tokens":{"token_hash":"$hashes[0]","session_id":"$ids[3]","created_at":4,"expires_at":5,"used_at":6,"family_hash":"$hashes[0]","seed":"s"}}),
    qq({"refresh_tokens":{"token_hash":"$hashes[1]","session_id":"$ids[2]","created_at":4,"expires_at":5,"family_hash":"$hashes[1]"}}),
    qq({"user_keys":{"id":"$ids[1]","user_id":"$ids[0]","name":"$text","role":"editor","created_at":4,"expires_at":5,"used_at":6,"client":"2001:db8::1"}}),
    qq({"user_keys":{"id":"$ids[2]","user_id":"$ids[1]","name":"x","role":"user","created_at":4,"expires_at":5}}),
    qq({"mail_tokens":{"token_hash":"$hashes[2]","purpose":"reset","user_id":"$ids[0]","created_at":7,"expires_at":8,"email":"b\@example.com"}}),
    qq({"outbox":{"id":"$ids[0]","template":"confirm","user_id":"$ids[1]","state":"dead","attempts":9,"next_at":10,"lease":"","created_at":11,"email":"b\@example.com","error":"$text"}}),
    qq({"outbox":{"id":"$ids[4]","template":"reset","email_key":"x\@example.com","state":"pending","attempts":0,"next_at":12,"lease":"l","created_at":13}}),
    qq({"revoked_sessions":{"session_id":"$ids[4]","ended_at":14}}),
    qq({"audit":{"id":"$ids[0]","created_at":15,"source":"http","actor_id":"$ids[1]","actor":"bob","client":"::1","request_id":"r","action":"user.update","target_id":"$ids[2]","target":"ada","changes":"{\\"role\\":1}"}}),
    qq({"audit":{"id":"$ids[1]","created_at":16,"source":"catalogctl","actor":"root","action":"mail.retry"}}),
    qq({"released_names":{"name_hash":"$hashes[1]","user_id":"$ids[4]","expires_at":17}}),
    qq({"images":{"id":"$ids[3]","product_id":"$made[0]","octets":9007199254740991,"width":4096,"digest":"$hashes[1]","created_at":18,"dropped_at":19}}),
    qq({"image_parts":{"part":"$ids[3]-320/00000","content":"@{['aB+/' x 16_000]}"}}),
);
my ($first, $second) = map { made(of_server(new_server())) } 1, 2;
my $between = made(of_sqlite());
for my $way (['import into a server\'s database', $first], ['import from there into SQLite', $between],
    ['import from there into another server\'s database', $second]) {
    my ($name, $db) = @$way;
    is_deeply(import_into($db, $file), said(20, 20), $name);
    my $again = export($db);
    is(rows_of($again), rows_of($file), "$name: no row is lost or changed");
    $file = $again;
}
my (%moved, %columns);
for (map { Cpanel::JSON::XS::decode_json($_) } split /\n/, rows_of($file) =~ s/\n[^\n]*\n\z//r) {
    my ($table) = keys %$_;
    $moved{$table}{$_} = 1 for keys %{ $_->{$table} };
}
my $tables = q(SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name <> 'imported_at' AND m.name NOT IN ('account_locks', 'bulk_jobs', 'category_counts', 'change_batches', 'change_marks', 'changes', 'idempotency_keys', 'login_failures', 'product_counts', 'catalog_fields', 'dictionary', 'product_indexes', 'product_keys', 'product_unique', 'product_words', 'schema_version', 'value_counts', 'webhooks')
    AND NOT (m.name = 'products' AND c.name IN ('name_key', 'category_key', 'price_key', 'rating_key', 'words')));
$columns{ $_->[0] }{ $_->[1] } = 1 for @{ DBI->connect("dbi:SQLite:dbname=$dir/1.db")->selectall_arrayref($tables) };
$columns{products}{created_at} = delete $columns{products}{n}; # the number is made of the id
is_deeply(\%moved, \%columns, 'the export has all columns of all tables');
like($file, qr/\A\{"mod_catalog":\{"format":1,"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","changes":\d+\}\}\n/,
    'the first line has the format and the time');
is_deeply(import_into($second, $file), said(20, 0), 'a second import adds nothing');

# ---- what is there is left as it is, and told ----

my $other = file_of(split /\n/, rows_of($file) =~ s/\n[^\n]*\n\z//r =~ s/"name":"x"/"name":"y"/r =~ s/("used_at":)6/${1}7/r =~ s/,"confirmed_at":1763717400001//r);
my $r = import_into($second, $other);
is_deeply([@$r{qw(status out)}], [1, "20 rows, 0 added\n"], 'an import fails if rows exist with different content');
is($r->{err}, join('', map { "catalogctl: $_: the row exists with different content; it was left as it is\n" } 'line 4: products', 'line 5: users', 'line 9: refresh_tokens') . "catalogctl: rows that differ: 3\n",
    'the messages name these rows');
is(rows_of(export($second)), rows_of($file), 'these rows are left as they are');

# A product without these fields gets their defaults, as one that was exported before a version added a field.
my $later = made(of_sqlite());
import_into($later, file_of(product(0) =~ s/,"category":"[^"]*","in_stock":false//r));
like(export($later), qr/"category":"","in_stock":true/, 'fields that the file does not have get their defaults');

# Another user has the name.
my $taken = made(of_sqlite());
import_into($taken, file_of(qq({"users":{"id":"$ids[4]","username":"ADA","username_key":"ada","email":"e","email_key":"e","password_hash":"","created_at":1,"role":"user"}})));
my $before = rows_of(export($taken));
fails(import_into($taken, $file), qr/^catalogctl: line 5: users: another row has the same unique value\n\z/,
    'an import fails if another user has the name');
is(() = export($taken) =~ /^\{"users"/mg, 1, 'the failed import adds no user');

# ---- files that are not whole ----

my $products = file_of(map { product($_) } 0 .. 1199);
my @lines = split /^/, $products;
my $target = made(of_server(new_server()));
fails(import_into($target, join '', @lines[0 .. 600]), qr/line 602: the file ends before its last line/,
    'an import of a file cut between lines fails');
fails(import_into($target, substr $products, 0, -20), qr/line 1202: the line is cut off/,
    'an import of a file cut within a line fails');
is_deeply(import_into($target, $products), said(1200, 200), 'an import of the whole file adds the missing rows');
my %bad = (
    'there is no such table' => sub { s/products/product/ }, 'it is not a JSON object with one field' => sub { s/\}\}$/}/ },
    'price must be a number' => sub { s/"price":[\d.]+/"price":"1"/ }, 'created_at must be a whole number' => sub { s/"created_at":\d+/"created_at":1.5/ },
    'created_at is not the time in the id' => sub { s/"created_at":\K\d+/$& + 1/e }, 'created_at is not the time in the id ' => sub { s/-7(?=...-)/-4/ },
    'id is required; key is not a known field' => sub { s/"id"/"key"/ }, 'name must not be null' => sub { s/"name":"[^"]*"/"name":null/ },
    'its key does not follow that of the previous line' => sub { $_ = $lines[1] }, 'it is not a JSON object with one field ' => sub { $_ = "\n" },
    'the line is cut off, too long, or contains NUL' => sub { s/Product/P\0/ }, 'the line is cut off, too long, or contains NUL ' => sub { s/Product/'P' x 70_000/e },
);
my $empty = made(of_server(new_server()));
for my $why (sort keys %bad) {
    my @changed = @lines;
    $bad{$why}->() for $changed[2];
    fails(import_into($empty, join '', @changed), qr/^catalogctl: line 3: \Q@{[$why =~ s{ \z}{}r]}\E\n\z/, $why);
}
my $orphan = qq({"sessions":{"id":"$ids[0]","user_id":"$ids[0]","created_at":1,"used_at":1,"expires_at":1,"client":"","agent":""}});
fails(import_into($empty, file_of($orphan)), qr/line 2: sessions: the (?:database refuses the row|row cannot be stored)/,
    'a session without a user is refused');
fails(import_into($empty, file_of($orphan, product(0))), qr/line 3: its table does not follow that of the previous line\n\z/,
    'tables in another order are refused');
is(rows_of(export($empty)), rows_of(file_of()), 'the refused imports add no row');
fails(import_into($empty, join '', map { s/number 7"/number seven"/r } @lines), qr/line 1202: the checksum does not match the previous lines: the file was changed/,
    'a changed value is refused');
fails(import_into($empty, join '', @lines[0 .. 7, 9 .. $#lines]), qr/line 1201: the checksum/,
    'a missing line is refused');
fails(import_into($target, "$products\n"), qr/line 1203: it follows the last line/, 'a line after the last one is refused');
fails(import_into($target, $_), qr/standard input is not the output of catalogctl export/,
    'a file that is no export is refused') for '', "\n", "id\tname\n", '[1]', join('', @lines[1 .. 5]);
fails(import_into($target, $products =~ s/"format":1/"format":2/r), qr/a format unknown to this program/,
    'another format is refused');
is_deeply(import_into($target, $products =~ s/"format":1,/"format":1,"schema":12,/r =~ s/\{"end":.*(?="sha256")/{"end":{/r), said(1200, 0),
    'a file of a program that knew other tables is imported');

my $twin = file_of(product(5) =~ s/"id":"\K[^"]+/twin_of($&)/er);
fails(import_into($target, $twin), qr/^catalogctl: line 2: products: another product has an id with the same time and first random bits\n\z/, 'a product whose number another one has is refused');

# ---- rows beside those of the file ----

is_deeply(import_into($target, file_of(map { product($_) } 0, 700, 1199, 1300)), said(4, 1), 'an import adds a row to many');
$r = import_into($target, file_of(map { product($_) =~ s/Product/product/r } 0 .. 11));
is(() = $r->{err} =~ /exists with different content/g, 10, 'an import prints at most ten differences');
like($r->{err}, qr/rows that differ: 12\n\z/, 'an import prints the number of differences');

# ---- how far it is, for those who look on ----

for (['import', "<$dir/lines"], ['export', '>/dev/null']) {
    my ($verb, $redirection) = @$_;
    open my $screen, '-|', at_terminal('sh', '-c', "@$between $verb $redirection") or die "script: $!\n";
    like(join('', <$screen>), qr/\r\[#{30}\] 100 %  \d+ rows, \d+ a second \r?\n/, "$verb at a terminal shows its progress");
    close $screen;
}

# ---- databases that are not ready ----

my $none = of_sqlite();
fails(ask($none, $_), qr/there is no such database; to create it, run: catalogctl migrate/,
    "$_ fails without a database") for qw(export import);
my $changed = new_server();
my $versions = made(of_server($changed));
my $dbh = $changed->database;
$dbh->do(q(INSERT INTO schema_version (version, name, applied_at) VALUES (999, 'later', 1)));
fails(ask($versions, 'export'), qr/the schema is at version 999, this program knows version \d+/,
    'export fails with a schema that is newer than the program');
$dbh->do('DELETE FROM schema_version');
fails(import_into($versions, $products), qr/the schema is at version 0, version \d+ is required; run: catalogctl migrate/,
    'import fails with a schema that is older than the program');

# ---- an import that is killed, or stopped at the terminal, goes on ----

for my $signal (qw(KILL INT)) {
    my $server = new_server();
    my $db = made(of_server($server));
    my @command = (@$db, 'import');
    my $pid = open my $pipe, '|-', qq(exec @command 2>"$dir/err") or die "@command: $!\n";
    print {$pipe} @lines[0 .. 800];
    $pipe->flush;
    ok(wait_until(20, sub { $server->database->selectrow_array('SELECT COUNT(*) FROM products') == 500 }),
        "SIG$signal: a part of the rows is stored");
    kill $signal => $pid;
    close $pipe;
    is($? & 127, { KILL => 9, INT => 2 }->{$signal}, "SIG$signal ends the import");
    like(slurp("$dir/err"), $signal eq 'INT' ? qr/interrupted; run the same command again/ : qr/^\z/,
        "SIG$signal: the message says how to continue, if there can be one");
    is_deeply(import_into($db, $products), said(1200, 700), "SIG$signal: a second import adds the other rows");
    is(rows_of(export($db)), rows_of($products), "SIG$signal: all rows are stored");
}

# ---- a running server: an export sees one moment ----

my $shop = new_server()->start;
my $db = of_server($shop);
my $ada = register($shop, username => 'ada', email => 'ada@example.com');
is(import_into($db, $products)->{status}, 0, 'an import succeeds while the server runs');
open my $pipe, '-|', @$db, 'export' or die "export: $!\n";
my $begin = <$pipe>;
answers($shop->api(DELETE => '/products/' . product_id(1199), token => $ada->{token}), 200, undef,
    'a client deletes the last product during an export');
answers($shop->api(POST => '/products', { name => 'new', price => 1 }, token => $ada->{token}), 201, undef,
    'a client creates a product during the export');
local $/;
my $whole = $begin . <$pipe>;
close $pipe or die;
is_deeply([grep { /^\{"prod/ } split /^/m, $whole], [@lines[1 .. 1200]], 'the export has the products of the time it began');

# ---- who has an account there has one here ----

my $mail;
ok(wait_until(15, sub { ($mail) = glob $shop->dir . '/data/mail/*.eml' }), 'the server sends a mail with a link');
$shop->stop;
my $here = new_server();
my $moved = export($db);
is(import_into(made(of_server($here)), $moved)->{status}, 0, 'all rows are imported into another server');
$here->start;
answers($here->api(POST => '/auth/login', { login => 'Ada', password => $ada->{password} }), 200, undef,
    'the user signs in with the same password');
answers($here->api(POST => '/auth/refresh', { refreshToken => $ada->{refreshToken} }), 200, undef, 'the refresh token is accepted');
my ($token) = slurp($mail) =~ /token=([\w-]+)/;
answers($here->api(POST => '/auth/confirm', { token => $token }), 200, undef, 'the link in the mail is valid');
is($here->api(GET => '/products?limit=1')->{json}{pagination}{total}, 1200, 'the catalogue has the same number of products');
answers($here->api(GET => '/products?limit=1'), 200, sub { $_[0]{data}[0]{name} eq 'new' }, 'the newest product comes first');

# No message contains a password, and an export that cannot be written fails.
unlike($_->{err}, qr/argon2/, 'no message has a hash') for import_into($taken, $moved), import_into($second, $moved);
my $full = ask($db, { out => '/dev/full' }, 'export');
is($full->{status}, 1, 'export fails if its output cannot be written');
like($full->{err}, qr/the output cannot be written/, 'the message says that the output cannot be written');

done_testing;
