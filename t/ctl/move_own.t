# SPDX-License-Identifier: Apache-2.0
# route: GET /fields/:name/values
# catalogctl export and import of products with fields of the shop's own, from the suite's database through SQLite into another one: the
# file is the same on each, and a server there has the values, keys, unique values, words and counts, also of fields that have no line.
use CatalogTest;
use CatalogTest::Ctl qw(command command_for run problems ctl_for);
use CatalogTest::Ids qw(id_at);
use CatalogTest::Move qw(write_file rows_of);
use CatalogTest::Tools qw(hand_over);

my $lines = <<'END';
CatalogWriteRole editor
CatalogField sku         string   unique max=40
CatalogField number      integer  unique
CatalogField about       text     search detail
CatalogField link        url      index
CatalogField weight      number   index
CatalogField published   boolean  index default=false
CatalogField color       choice   values="red|green|dark blue" facet
CatalogField seen        time     index
CatalogField born        date     index
CatalogField tags        strings  facet search
CatalogField box         json
CatalogField supplier    string   private search facet
CatalogField cost        number   private index
CatalogField changed     modified index
END
my $hidden = "CatalogField code string unique\nCatalogField shelf string facet\n";
my $dir = scratch();
my $writer = forge(claims => claims(role => 'editor'));

sub ask { my ($db, @words) = @_; return run(ref $words[0] ? shift @words : {}, @$db, @words) }
sub export { my ($db) = @_; my $r = ask($db, 'export'); is_deeply([@$r{qw(status err)}], [0, ''], 'export succeeds'); return $r->{out} }
sub import_into { my ($db, $text) = @_; ask($db, 'migrate'); return ask($db, { in => $text }, 'import') }
sub get { my ($server, $path) = @_; return $server->api(GET => $path, token => $writer) }
sub values_of { my ($server, $field) = @_; return join ', ', map { "$_->{value} $_->{count}" } @{ get($server, "/fields/$field/values")->{json}{data} // [] } }
sub names { my ($r) = @_; return join ' ', map { $_->{name} } @{ $r->{json}{data} // [] } }

# ---- a shop ----

my $first = server(mount => "$lines$hidden")->start;
my @products = (
    { name => 'one', sku => "S 1/\x{e9}|", number => 9007199254740991, about => "Line\none \x{1f600}", link => 'https://shop.example.com/?a=b%20c', weight => -0.5, published => true,
        color => 'dark blue', seen => '1969-12-31T23:59:59.999Z', born => '2026-02-28', tags => ['a|b', "\x{e9}", 'red'], box => { b => [1.5, undef, "\x{1}"], a => {} },
        supplier => 'Zebulon', cost => 1e-7, code => 'C-1', shelf => 'A' },
    { name => 'two', sku => 's 1/e|', weight => 1e300, color => 'red', tags => ['red'], supplier => 'zebulon', code => 'C-2', shelf => 'A' },
    { name => 'three', number => -1, published => true, cost => 0.30000000000000004, seen => '2026-11-21T09:30:00.123Z', box => 'x', shelf => 'B' },
    { name => 'four' },
);
for my $product (@products) {
    my $r = $first->api(POST => '/products', { price => 1, %$product }, token => $writer);
    is($r->{status}, 201, "$product->{name} is there") or diag $r->{body};
}
sub all_of { my ($server) = @_; return get($server, '/products/export')->{body} }
my $whole = all_of($first);

# ---- from database to database ----

my $from = [command_for($first)];
my $between = [command('--driver', 'sqlite3', '--params', "$dir/between.db")];
my $file = export($from);
like($file, qr/\\"code\\":\\"C-1\\"/, 'the file has them');
is_deeply(import_into($between, $file), { status => 0, out => "4 rows, 4 added; the history of products does not move\n", err => '' }, 'into SQLite, which no configuration names');
is(rows_of(export($between)), rows_of($file), 'it is the same file');

sub check_server {
    my ($server, $name, $db) = @_;
    ok(wait_until(60, sub { get($server, '/products?sort=weight')->{status} == 200 && !$db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0') }),
        "$name: all fields have their keys");
    sleep 1.1; # each child reads the table of fields once a second
    is(values_of($server, 'color'), 'dark blue 1, red 1', "$name: choices are counted");
    is(values_of($server, 'tags'), "a|b 1, \x{e9} 1, red 2", "$name: texts of lists, too");
    is(values_of($server, 'supplier'), 'Zebulon 1, zebulon 1', "$name: and private ones");
    is($server->api(GET => '/fields/supplier/values')->{status}, 404, "$name: which readers do not see");
    is(names(get($server, '/products?q=line')), 'one', "$name: words are found");
    is_deeply([names(get($server, '/products?q=zebulon')), names($server->api(GET => '/products?q=zebulon'))], ['two one', ''], "$name: private ones by writers");
    is(names(get($server, '/products?sort=-weight&weight[exists]=true')), 'two one', "$name: orders");
    is(names(get($server, '/products?tags[all][]=a%7Cb&tags[all][]=red&cost[gt]=0')), 'one', "$name: conditions");
    is(names(get($server, '/products?seen[lt]=1970-01-01T00:00:00Z')), 'one', "$name: times");
    is(get($server, '/products/number=-1')->{json}{data}{name}, 'three', "$name: names");
    my $taken = $server->api(POST => '/products', { name => 'x', price => 1, sku => 's 1/e|', number => 5 }, token => $writer);
    answers($taken, 400, invalid(sku => 'taken'), "$name: a unique value is taken");
    is(problems(ctl_for($server, 'check')), '', "$name: catalogctl check finds no problem");
}

# A server that has the fields, of which the command knows them: the keys are made with the rows.
my $second = server(mount => $lines . $hidden);
my $to = [command_for($second)];
is(import_into($to, export($between))->{status}, 0, 'into another database, whose configuration has the fields');
is(rows_of(export($to)), rows_of($file), 'it is the same file again');
$second->start;
check_server($second, 'the second server', $second->database);
is(all_of($second), $whole, 'products are the same');
is_deeply(import_into($to, $file), { status => 0, out => "4 rows, 0 added\n", err => '' }, 'a second import adds nothing');

# A server without some of the lines, and a command without any: the server makes the keys when it starts.
my $third = server(mount => $lines);
$third->make_databases;
my $bare = [command('--driver', driver(), '--params', $third->params)];
is(import_into($bare, $file)->{status}, 0, 'into a third database, without a configuration');
hand_over(glob $third->params . '*') if driver() eq 'sqlite3';
$third->start;
check_server($third, 'the third server', $third->database);
unlike(all_of($third), qr/shelf|C-1/, 'fields without a line are hidden');
is(rows_of(export([command_for($third)])) =~ s/,"sha256.*//r, rows_of($file) =~ s/,"sha256.*//r, 'and moved');
$third->stop;
my $fourth = server(mount => "$lines$hidden", conf => 'DBDParams "' . $third->params . "\"\n")->start;
check_server($fourth, 'with all lines again', $third->database);
is(values_of($fourth, 'shelf'), 'A 2, B 1', 'they are there');
answers($fourth->api(POST => '/products', { name => 'x', price => 1, code => 'C-2' }, token => $writer), 400, invalid(code => 'taken'), 'and unique');
is(all_of($fourth), $whole, 'all products are the same as at first');

# ---- a value that is there twice ----

my ($row, @others) = reverse grep { /^\{"products"/ } split /\n/, $file;
my $time = 1_763_717_400_000;
my $id = id_at($time);
my @rows = ($row =~ s/"id":"[^"]*"/"id":"$id"/r =~ s/("created_at":)\d+/$1$time/r, reverse $row, @others);
like($row, qr/"name":"four"/, 'the last row');
$rows[0] =~ s/"extra":"\{/"extra":"{\\"sku\\":\\"s 1\/e|\\",/;
my $with = slurp(write_file("$dir/twice", sub { shift @rows }));
my $fifth = server(mount => $lines);
my $last = [command_for($fifth)];
my $r = import_into($last, $with);
is($r->{status}, 1, 'a file in which two products have one unique value is refused where the fields are known');
like($r->{err}, qr/line \d+: products: another row has the same unique value/, 'with the line') or diag $r->{err};

done_testing;
