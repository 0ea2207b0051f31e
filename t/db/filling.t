# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /fields/:name/values
# route: POST /products/batch
# again: db
# runs: first
# A field that is added while transactions are open, and a server that is killed while its keys are filled in.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Ids qw(id_at n_of);
use Time::HiRes qw(sleep time);

my $lines = qq(CatalogField weight number\nCatalogField note text\nCatalogField sku string unique\nCatalogField brand string\nCatalogCountLimit 10);
my $first = server(mount => $lines)->start;
my $token = register($first)->{token};
my $db = $first->database;
my $one_writer = driver eq 'sqlite3';
$db->{AutoCommit} = 1;

sub beside { my ($lines) = @_; return server(mount => $lines, conf => 'DBDParams "' . $first->params . "\"\n") }
sub import_products { my ($from, $to) = @_; return $first->api(POST => '/products/import', "name,price,weight,note,brand\n" . join('', map { "n$_,1,$_,word$_,b" . $_ % 3 . "\n" } $from .. $to), token => $token, headers => { 'Content-Type' => 'text/csv' })->{status} }
sub field { my ($name, $column) = @_; return $db->selectrow_array("SELECT $column FROM catalog_fields WHERE name = ?", undef, $name) }
sub is_complete { my ($name) = @_; return field($name, 'complete') }
sub keys_of { my ($name, $id) = @_; return $db->selectrow_array('SELECT COUNT(*) FROM product_keys WHERE field = ? AND n = ?', undef, field($name, 'number'), n_of($id)) }
sub found { my ($server, $query) = @_; my $r = $server->api(GET => "/products?$query"); return $r->{status} == 200 ? scalar @{ $r->{json}{data} } : $r->{status} }

# ---- a transaction that began before the field was there ----

is(import_products(1, 60), 200, 'products');
my $id = id_at(int time * 1000);
my $open = $first->database;
$open->begin_work;
# What a child writes that does not know of the keys.
$open->do(q(INSERT INTO products (n, id, name, price, category, in_stock, extra) VALUES (?, ?, 'late', '1', 'none', 1, '{"weight":7,"note":"belated","brand":"b1"}')), undef, n_of($id), $id);
$open->do(q(INSERT INTO product_deltas (delta, in_stock) VALUES (1, 1))) if driver eq 'mysql';

# Others that have begun before, and never end, have not written products.
my @others = $one_writer ? () : ($first->database, $first->database('other'));
for my $other (@others) {
    $other->do('CREATE TABLE others (number INTEGER)');
    $other->begin_work;
    $other->do('INSERT INTO others VALUES (1)');
}
$others[0]->selectall_arrayref('SELECT * FROM products') if @others;

allow_log(qr/database is locked|CAT0\d\d: .*(?:lock|busy|another)/) if $one_writer; # the transaction keeps all others from writing
my $more = $lines =~ s/number$/number index/mr =~ s/note text/note text search/r =~ s/brand string/brand string facet by=price/r;
my $second = beside($more)->start_unready;
$second->wait_up;
if ($one_writer) {
    sleep 1;
} else {
    ok(wait_until(20, sub { (field('weight', 'definition') // '') =~ /index/ }), 'a server adds options to the field');
    for my $query ('weight=7', 'sort=-weight', 'q=word7') {
        my $r = $second->api(GET => "/products?$query");
        answers($r, 503, { success => false, message => 'Service unavailable', error => qr/^the products are being indexed: \d+ %$/ }, "$query: a 503 says how far it is");
    }
    is($second->api(GET => '/products?facets=brand')->{json}{facetsRelation}, 'gte', 'a facet is of some products');
    sleep 9; # as long as the filling job waits for what is committed within a moment, and longer
    is(is_complete('weight'), 0, 'the transaction that is open is waited for');
    is(field('weight', 'filled'), 0, 'and nothing is filled in');
    my $check = ctl_for($second, 'check');
    my $checked = $check->{out};
    is($check->{status}, 1, 'catalogctl check fails as long as requests return 503');
    like($checked, qr/^problem\tfields\tweight, note, brand: 0 % of the products have the keys; /m, 'which catalogctl check says');
    like($checked, qr/^problem\tindex\tnote: 0 % of the products have the words; until/m, 'and of its words');
    is(found($first, 'name=n7'), 1, 'meanwhile lists are read');
    is($first->api(POST => '/products', { name => 'new', price => 1, weight => 7 }, token => $token)->{status}, 201, 'and products created');
}
$open->commit;
ok(wait_until(60, sub { field('weight', 'definition') =~ /index/ && is_complete('weight') && is_complete('note') && is_complete('brand') }), 'after its end, and that of no other, the keys are filled in');
$_->disconnect for @others;
is(found($second, 'weight=7'), $one_writer ? 2 : 3, 'of what it wrote, too');
is_deeply([grep { $_ ne '1' } map { found($second, 'q=belated') } 1 .. 20], [], 'and the words, in each child at once');
is_deeply([grep { defined } map { $second->api(GET => '/products?facets=brand')->{json}{facetsRelation} } 1 .. 20], [], 'each child knows the exact facet at once');
is_deeply([grep { $_ != 200 } map { $second->api(GET => '/fields/brand/values')->{status} } 1 .. 20], [], 'and the values');

# ---- what another program has written ----

like(ctl_for($second, 'check')->{out}, qr/problem\tfields\t1 of \d+ products do not have the keys of their fields, such as $id; run: catalogctl index\n/, 'catalogctl check finds the product, which has no key of a field that was there before');
my ($one, $two, $three) = map { $second->api(GET => "/products?weight=$_&fields=id")->{json}{data}[0]{id} } 1 .. 3;
$first->api(PUT => "/products/$one", { sku => 'A-1' }, token => $token);
$db->do('DELETE FROM product_unique WHERE n = ?', undef, n_of($one));
$db->do(q(UPDATE product_keys SET value_key = '0' WHERE field = ? AND n = ?), undef, field('weight', 'number'), n_of($two));
$db->do(q(DELETE FROM product_keys WHERE field = ? AND n = ?), undef, field('brand', 'number'), n_of($three));
like(ctl_for($second, 'check')->{out}, qr/problem\tfields\t4 of \d+ products/, 'and values, keys and rows that are missing or wrong');
like(ctl_for($second, 'index', '--dry-run')->{out}, qr/products, [4-9]\d* to be indexed anew/, 'catalogctl index --dry-run counts them');
is(ctl_for($second, 'index')->{status}, 0, 'catalogctl index');
like(ctl_for($second, 'check')->{out}, qr/ok\tfields\tmatch the products/, 'mends them');
is(found($second, 'weight=2'), 1, 'so lists find them');
is($second->api(GET => '/products/sku=A-1')->{json}{data}{id}, $one, 'and names');
is($db->selectrow_array('SELECT COUNT(*) FROM product_keys WHERE field = ? AND n = ? AND counted = 1', undef, field('brand', 'number'), n_of($three)), 1, 'what was counted is counted again');
$db->do('DELETE FROM products WHERE id = ?', undef, $one);
like(ctl_for($second, 'check')->{out}, qr/problem\tfields\tthere are keys or unique values of products that are gone, such as n = @{[ n_of($one) ]}; run: catalogctl index\n/, 'a product that another program has deleted has left them');
like(ctl_for($second, 'index', '--dry-run')->{out}, qr/^1 products are gone; what was kept of them is to be removed$/m, 'catalogctl index --dry-run says so');
like(ctl_for($second, 'index')->{out}, qr/^1 products are gone; what was kept of them is removed$/m, 'catalogctl index removes them');
is($db->selectrow_array("SELECT COUNT(*) FROM $_ WHERE n = ?", undef, n_of($one)), 0, "$_ has none of it") for qw(product_keys product_unique);
like(ctl_for($second, 'check')->{out}, qr/ok\tfields\tmatch the products/, 'and check finds nothing more');
ctl_for($second, 'recount'); # of the rows that were deleted

# ---- a transaction of the module's own that is longer than a second, while a field is added ----

if (!$one_writer) {
    my $answer;
    for my $try (1 .. 5) { # a busy machine may hold the lock for longer than a write waits
        $open->begin_work; # so that the second operation waits
        $open->do('INSERT INTO product_unique (field, value, n) VALUES (?, ?, ?)', undef, field('sku', 'number'), 'K-1', n_of($id));
        my ($socket, $began) = ($first->connection, time);
        print {$socket} wire(POST => '/products/batch', { operations => [map { { op => 'create', body => $_ } } { name => 'one', price => 1, weight => 8 }, { name => 'two', price => 1, sku => 'K-1' }] }, token => $token);
        sleep 0.6;
        $db->do(q(INSERT INTO catalog_fields (number, name, definition, complete, n, filled) VALUES (77, 'size', 'integer index', 0, 9223372036854775807, 0)));
        sleep 1.9;
        $open->rollback;
        my $held = time - $began;
        $answer = join '', <$socket>;
        last if $held < 2.8 || $answer =~ m{^HTTP/1\.1 200 };
        $db->do('DELETE FROM catalog_fields WHERE number = 77');
    }
    like($answer, qr{^HTTP/1\.1 200 }, 'a batch that waited for a lock');
    my @ids = $answer =~ /"id":"([^"]+)"/g;
    is_deeply([map { keys_of('size', $_) } @ids], [1, 1], 'has the keys of a field that was added meanwhile');
}
$open->disconnect;

# ---- a server that is killed while it fills in keys ----

is(import_products(1001, 6000), 200, 'more products');
$second->stop;
$first->stop;
allow_kills();
allow_log(qr/AH00098: pid file .* overwritten/);
my $third = beside(($more =~ s/brand string facet/brand string facet search/r) . "\nCatalogField pages integer index\nCatalogField maker string facet");
$open = $first->database;
# As if the line had been added now.
sub begin { $db->do(q(UPDATE catalog_fields SET complete = 0, n = 9223372036854775807, filled = 0 WHERE name = 'weight')) }
# The oldest product is locked, or all are, once the job has begun: so it does not come to the end.
# DBD::SQLite begins a transaction, and takes the lock, with its first statement.
sub hold { $open->begin_work; $open->do($one_writer ? 'DELETE FROM products WHERE 0' : 'SELECT id FROM products ORDER BY n LIMIT 1 FOR UPDATE') }
begin();
$third->start_unready;
$third->wait_up;
ok(wait_until(120, sub {
    return 0 if !field('weight', 'filled');
    hold();
    return 1 if field('weight', 'filled') && !is_complete('weight');
    $open->rollback;
    begin();
    return 0;
}), 'keys are filled in');
sleep 0.5;
$third->kill;
my $filled = field('weight', 'filled');
ok(!is_complete('weight'), "and the server is killed when $filled products have them");
$open->rollback;
$open->disconnect;
sleep 1;
is(field('weight', 'filled'), $filled, 'then nobody goes on');
$third->start_unready;
$third->wait_up;
my @seen;
ok(wait_until(120, sub { push @seen, field('weight', 'filled'); !grep { !is_complete($_) } qw(weight pages maker brand) }), 'until it is started again');
is_deeply([grep { $_ < $filled } @seen], [], 'it does not begin anew');
my $total = $db->selectrow_array('SELECT COUNT(*) FROM products');
is($db->selectrow_array('SELECT COUNT(*) FROM product_keys WHERE field = ?', undef, field($_, 'number')), $total, "$_: each product has its key") for qw(weight pages maker);
is(field('weight', 'filled'), $total, 'none was gone through twice');
my $with_brand = $db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE extra LIKE '%"brand":"b1"%'));
is($third->api(GET => '/products?q=b1&count=exact&limit=1')->{json}{pagination}{total}, $with_brand, "all $with_brand products of a brand that is searched now are found");
like(ctl_for($third, 'check')->{out}, qr/ok\tindex\tmatches the products\n.*ok\tfields\tmatch the products/s, 'catalogctl check agrees again');

done_testing;
