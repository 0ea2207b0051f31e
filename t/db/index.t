# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# route: GET /products
# case: 5 23
# mpm: event
# again: db
# What is derived of products for conditions, order and search, and counted of categories. The MPM does not matter.
use CatalogTest;
use CatalogTest::Model qw(words written);
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(id_at n_of);
use CatalogTest::Move qw(product product_id write_file);
use Time::HiRes qw(sleep);

my @parts = qw(category name price rating search);
my $server = server()->start;
my $token = register($server)->{token};
my $db = $server->database;

sub made { my ($name, %more) = @_; return $server->api(POST => '/products', { name => $name, price => 1, %more }, token => $token)->{json}{data}{id} }
sub keys_of { my ($id) = @_; return join '|', map { $_ // 'NULL' } $db->selectrow_array('SELECT name_key, category_key, price_key, rating_key, words FROM products WHERE id = ?', undef, $id) }
sub words_of { my ($id) = @_; return join ' ', sort @{ $db->selectcol_arrayref('SELECT word FROM product_words WHERE n = ?', undef, n_of($id)) } }
sub complete { return join ' ', sort @{ $_[0]->selectcol_arrayref(q(SELECT part FROM product_indexes WHERE complete = 1 AND part NOT LIKE 'rules%')) } }
sub filled { my ($on) = @_; return wait_until(60, sub { complete($on) eq "@parts" }) }

# The counters, with the delta rows that are not applied yet, against the products.
sub counters {
    my ($on) = @_;
    my $deltas = driver eq 'sqlite3' ? '' : 'UNION ALL SELECT category, category_delta FROM product_deltas WHERE category IS NOT NULL';
    my $counted = $on->selectall_hashref("SELECT category, SUM(n) AS n FROM (SELECT category, n FROM category_counts $deltas) c GROUP BY category HAVING SUM(n) <> 0", 'category');
    my $real = $on->selectall_hashref('SELECT category, COUNT(*) AS n FROM products WHERE category_key IS NOT NULL GROUP BY category', 'category');
    my $text = sub { my ($of) = @_; return join ', ', map { "$_ $of->{$_}{n}" } sort keys %$of };
    return ($text->($counted), $text->($real));
}

sub marked { my ($word, $written) = @_; return $written->{$word} ? $word : ($word, '=') }

# The words of all rows, against those of the model; behind each word of the name a "!".
sub wrong_words {
    my ($on) = @_;
    my %posted;
    push @{ $posted{ $_->[1] } }, $_->[0] for map { [$_->[0] . ($_->[2] % 2 ? '!' : ''), $_->[1]] } @{ $on->selectall_arrayref('SELECT word, n, in_name FROM product_words') };
    my @wrong;
    for my $row (@{ $on->selectall_arrayref('SELECT n, name, category, words FROM products') }) {
        my ($n, $name, $category, $words) = @$row;
        my %in_name = map { $_ => 1 } words($name);
        my %others = map { $_ => 1 } grep { !$in_name{$_} } words($category);
        my %written = map { $_ => 1 } written($name);
        my %written_there = map { $_ => 1 } written($category);
        my @again = grep { $in_name{$_} && !$written{$_} } keys %written_there;
        my $is = join ' ', '', (map { marked($_, \%written) } sort keys %in_name), ':', (map { marked($_, \%written_there) } sort keys %others, @again), '';
        my $posted = join ' ', sort @{ delete $posted{$n} // [] };
        push @wrong, "$n: $is" if ($words // '') ne $is || $posted ne join ' ', sort keys %others, map { "$_!" } keys %in_name;
    }
    return join "\n", @wrong, map { "$_ is gone" } sort keys %posted;
}

sub right {
    my ($name) = @_;
    my ($counted, $real) = counters($db);
    is($counted, $real, "$name: the counts of categories are exact");
    is(wrong_words($db), '', "$name: each product has its words");
    is(problems(ctl_for($server, 'check')), '', "$name: check finds no problem");
}

# ---- writes ----

is(complete($db), "@parts", 'all parts of an empty catalogue are complete');
my $id = made('Red Kettle, RED', category => 'Tea', price => 12.5);
is(keys_of($id), 'red kettle, red|tea|4623226492472524800|-1| kettle red : tea ', 'a new product has its keys and words');
is(words_of($id), 'kettle red tea', 'each word of it is found');
$server->api(PUT => "/products/$id", { name => 'Green kettle', rating => 5 }, token => $token);
is(keys_of($id), 'green kettle|tea|4623226492472524800|4617315517961601024| green kettle : tea ', 'an update changes what is derived');
is(words_of($id), 'green kettle tea', 'and the words');
$server->api(PUT => "/products/$id", { inStock => false, rating => undef, category => 'TEA' }, token => $token);
is(keys_of($id), 'green kettle|tea|4623226492472524800|-1| green kettle : tea ', 'null clears the rating');
is((counters($db))[0], 'TEA 1', 'the category is counted in its own spelling');
$server->api(DELETE => "/products/$id", undef, token => $token);
is(words_of($id), '', 'a deleted product leaves no words');
is((counters($db))[0], '', 'and no count');
right('after single writes');

# case: writes of many clients at once
my @ids = map { made("kettle $_ of many", category => "c$_") } 1 .. 12;
$server->burst((map { wire(PUT => "/products/$_", { category => 'shared', name => 'pot' }, token => $token) } @ids),
    (map { wire(PUT => "/products/$_", { category => 'other', name => 'jar' }, token => $token) } @ids),
    (map { wire(DELETE => "/products/$_", undef, token => $token) } @ids[0 .. 5]),
    (map { wire(POST => '/products', { name => "new $_", price => $_, category => 'shared' }, token => $token) } 1 .. 24));
right('after concurrent writes');

# ---- rows of other programs ----

my ($foreign, $changed) = (id_at(1_763_731_170_000), $ids[-1]);
$db->do(q(INSERT INTO products (n, id, name, price, category, in_stock) VALUES (?, ?, 'Foreign cup', '3', 'Cups', 1)), undef, n_of($foreign), $foreign);
$db->do(q(UPDATE products SET name = 'Renamed' WHERE id = ?), undef, $changed);
ctl_for($server, 'recount') if driver eq 'mysql'; # which has no triggers
answers($server->api(PATCH => "/products/$foreign", { inStock => false }, token => $token), 200, undef, 'a row of another program can be changed');
answers($server->api(GET => "/products/$foreign"), 200, undef, 'and is served by its id');
my $left = driver eq 'mysql' ? '1' : '2'; # where no triggers count, the change has indexed the first one
like(problems(ctl_for($server, 'check')), qr/^index: $left products were written by another program, such as \S+; run: catalogctl index$/,
    'check names the rows');
is_deeply(ctl_for($server, 'index'), { status => 0, out => $db->selectrow_array('SELECT COUNT(*) FROM products') . " products, $left indexed anew\n", err => '' },
    'catalogctl index indexes them');
is(words_of($foreign), 'cup cups foreign', 'then the row is found');
is(words_of($changed), join(' ', sort 'renamed', $db->selectrow_array('SELECT category FROM products WHERE id = ?', undef, $changed)), 'and the other one by its new words');
right('after catalogctl index');

# ---- CatalogIndex names parts that the products do not have: they are filled in while clients write ----

$db->disconnect;
$server->stop;
my $without = server(mount => 'CatalogIndex none')->start;
ok(wait_until(30, sub { complete($without->database) eq '' }), 'without CatalogIndex no part is complete');
my $number = 0;
my $file = slurp(write_file(scratch() . '/lines', sub { $number < 3000 ? product($number++) : undef }));
is(ctl_for($without, { in => $file }, 'import')->{status}, 0, 'products are imported there');
$without->stop;
$db = $without->database;
is($db->selectrow_array('SELECT COUNT(*) FROM products WHERE COALESCE(name_key, category_key, words) IS NOT NULL'), 0, 'without what is derived of them');
$server = server(mount => 'CatalogDefaultLimit 5', conf => 'DBDParams "' . $without->params . "\"\n")->start;
$token = register($server)->{token};
my $killed = 0;
my $writes = 0;
allow_kills();
while (complete($db) ne "@parts") {
    my @at = map { product_id(int rand 3000) } 1 .. 3;
    $server->burst(wire(PUT => "/products/$at[0]", { name => 'changed', category => 'c1', inStock => false }, token => $token),
        wire(PUT => "/products/$at[1]", { category => 'c2' }, token => $token), wire(DELETE => "/products/$at[2]", undef, token => $token),
        wire(POST => '/products', { name => 'made meanwhile', price => 1, category => 'c3' }, token => $token));
    $writes++;
    sleep 0.02;
    kill KILL => $server->children if $writes == 3 && !$killed++; # case: a child dies while it fills
    last if $writes > 5000;
}
is(complete($db), "@parts", 'the job fills in what the products did not have');
cmp_ok($writes, '>', 0, 'while clients write');
right('after the job');

# case: products in stock are counted
sub in_stock { return $server->api(GET => "/products?facets=inStock&limit=1$_[0]")->{json} }
is(in_stock('')->{facetsRelation}, undef, 'the products in stock are counted');
for my $category ('', 'c2', 'c3') {
    my $where = $category ? q( AND category = 'c2') =~ s/c2/$category/r : '';
    my %count = map { $_ => $db->selectrow_array("SELECT COUNT(*) FROM products WHERE in_stock = $_$where") } 0, 1;
    my $got = in_stock($category ? "&category=$category" : '');
    is_deeply({ map { $_->{value} ? 1 : 0 => $_->{count} } @{ $got->{facets}{inStock} } }, { map { $count{$_} ? ($_ => $count{$_}) : () } 0, 1 },
        "they are: '$category'");
    is(in_stock("&inStock=true" . ($category ? "&category=$category" : ''))->{pagination}{total}, $count{1}, "and the total: '$category'");
}
right('with the products in stock');

# ---- CatalogIndex ----

$db->disconnect;
$server->stop;
my $few = server(mount => 'CatalogIndex price name')->start;
$token = register($few)->{token};
$server = $few;
$db = $few->database;
is(keys_of(made('Cup', category => 'Tea', price => 2)), 'cup|NULL|4611686018427387904|NULL|NULL', 'CatalogIndex says what is derived');
wait_until(30, sub { complete($db) eq 'name price' });
is(complete($db), 'name price', 'parts that it does not name are not complete');
$few->stop;
for (['CatalogIndex price size', "'price size'"], ['CatalogIndex', "''"], ['CatalogIndex none price', "'none price'"]) {
    my ($line, $what) = @$_;
    my (undef, $text) = server(mount => $line)->configtest;
    like($text, qr/CatalogIndex must be some of category, price, name, rating and search, or none, not $what/, "$line is refused");
}

allow_log(qr/CAT003: .*SQL_PRODUCT_\w+ failed with 1205/) if slowness() > 2; # one waited three seconds for another's row
done_testing;
