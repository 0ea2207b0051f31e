# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# route: POST /products/import
# mpm: event
# again: db
# The dictionary has the distinct words of products, listed by their parts: whoever writes a product adds those that it lacks; the job adds them to a
# catalogue that was there before, and catalogctl index mends it. The MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use utf8;

my $server = server()->start;
my %editor = (token => forge(claims => claims(role => 'editor')));
my $db = $server->database;

sub made { my ($name) = @_; return $server->api(POST => '/products', { name => $name, price => 1, category => 'Tea' }, %editor)->{json}{data}{id} }
sub dictionary { return join ' ', sort @{ $db->selectcol_arrayref(q(SELECT word FROM dictionary WHERE part = '' AND letters = 0)) } }
sub parts { my ($word) = @_; return join ' ', map { "$_->[0]:$_->[1]" } @{ $db->selectall_arrayref('SELECT part, letters FROM dictionary WHERE word = ? ORDER BY part, letters', undef, $word) } }

# ---- writes ----

my $id = made('Red Kettle, RED 5799DWF Wi-Fi');
is(dictionary(), 'kettle wifi', 'words of four letters or more are there, but none with digits');
is(parts('kettle'), ':0 <ke:6 ett:6 ket:6 le>:6 tle:6 ttl:6', 'each is listed by its parts');
my $other = made('Kettles, kettle');
$server->api(PUT => "/products/$other", { name => 'Copper kettle' }, %editor);
is(dictionary(), 'copper kettle kettles wifi', 'an update adds words');
my $file = "name,price,category\nCopper Teapot,1,Tea\nGläser und Töpfe,2,Glas\n包丁セット,3,包丁\n";
utf8::encode($file);
my $r = $server->api(POST => '/products/import', $file, headers => { 'Content-Type' => 'text/csv' }, %editor);
is($r->{status}, 200, 'an import') or diag $r->{body};
is(dictionary(), 'copper glas glaser kettle kettles teapot topfe wifi', 'an import adds words');
is($server->api(DELETE => "/products/$_", undef, %editor)->{status}, 200, 'a product is deleted') for $id, $other;
is(dictionary(), 'copper glas glaser kettle kettles teapot topfe wifi', 'words stay when their products are gone');

# ---- catalogctl ----

is(problems(ctl_for($server, 'check')), '', 'check finds no problem');
is(ctl_for($server, 'index')->{out}, "3 products, 0 indexed anew\n", 'catalogctl index');
is(dictionary(), 'copper glas glaser teapot topfe', 'leaves the words that products have');
is($db->selectrow_array(q(SELECT COUNT(*) FROM dictionary WHERE word IN ('kettle', 'kettles', 'wifi'))), 0, 'with their parts');
$db->do(q(DELETE FROM dictionary WHERE word IN ('glaser', 'teapot')));
is(problems(ctl_for($server, 'check')), 'index: the dictionary lacks words of products; run: catalogctl index', 'check finds what is missing');
is(ctl_for($server, qw(index --dry-run))->{out}, "3 products, 0 to be indexed anew\nthe dictionary lacks words of products\n", 'and so does index --dry-run');
is(ctl_for($server, 'index')->{out}, "3 products, 0 indexed anew\n", 'catalogctl index');
is(dictionary(), 'copper glas glaser teapot topfe', 'adds them');
is(problems(ctl_for($server, 'check')), '', 'check finds no problem');

# ---- a catalogue that was there before ----

$db->do($_) for 'DELETE FROM dictionary', q(DELETE FROM product_indexes WHERE part LIKE 'rules%');
ok(wait_until(60, sub { $db->selectrow_array(q(SELECT COUNT(*) FROM product_indexes WHERE part LIKE 'rules%' AND complete = 1)) }), 'the job goes through all products');
is(dictionary(), 'copper glas glaser teapot topfe', 'and fills the dictionary');

# ---- PostgreSQL's plan ----

# All words have the same part and number of letters. A planner that takes that for a rare coincidence reads all of them for a hundred.
if (driver eq 'pgsql') {
    my $some = q(SELECT 'word' || n AS word FROM generate_series(100000, 139999) n);
    $db->do("INSERT INTO dictionary (part, letters, word) SELECT '', 0, word FROM ($some) w"
        . " UNION SELECT substr(word, i, 3), length(word), word FROM ($some) w, generate_series(1, 8) i");
    $db->do('VACUUM ANALYZE dictionary');
    my @words = @{ $db->selectcol_arrayref(q(SELECT word FROM dictionary WHERE part = '' AND letters = 0 LIMIT 100)) };
    for my $count (10, 100) {
        my $list = join ', ', map { $db->quote($_) } @words[0 .. $count - 1];
        my $text = "EXPLAIN (ANALYZE, TIMING OFF) SELECT word FROM dictionary WHERE part = '' AND letters = 0 AND word IN ($list)";
        unlike(join("\n", @{ $db->selectcol_arrayref($text) }), qr/Removed by Filter/, "$count words: no others are read");
    }
}

done_testing;
