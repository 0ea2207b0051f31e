# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# Imports whose rows say which product they are about by a value that no two products have; values that are taken; and values that are made.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use Cpanel::JSON::XS ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my $server = server(mount => qq(CatalogField sku string unique max=300\nCatalogField gtin integer unique\nCatalogField color string\nCatalogField slug string unique from=name\nCatalogField finish string facet search\n))->start;
my $token = register($server)->{token};
my $db = $server->database;

sub send_file { my ($kind, $text, $query) = @_; return $server->api(POST => "/products/import?$query", $text, token => $token, headers => { 'Content-Type' => $kind eq 'csv' ? 'text/csv' : 'application/x-ndjson' }) }
sub csv { return send_file(csv => join('', map { "$_\r\n" } split /\n/, $_[0]), $_[1] // 'mode=upsert&key=sku') }
sub ndjson { my ($query, @rows) = @_; return send_file(ndjson => join('', map { $json->encode($_) . "\n" } @rows), $query) }
sub counts { my ($answer) = @_; return $answer->{status} == 200 ? join ' ', @{ $answer->{json}{summary} }{qw(created updated unchanged)} : $answer->{status} }
sub faults { my ($answer) = @_; return join ', ', $answer->{status}, map { "$_->{row} $_->{field} $_->{code}" } @{ $answer->{json}{errors} } }
sub named { return $server->api(GET => "/products/$_[0]")->{json}{data} }

# case: creating, updating
my $first = "sku,name,price,color\nA,Ant,1,red\nB,Bee,2,\n";
is(counts(csv($first, 'mode=upsert&key=sku&dryRun=true')), '2 0 0', 'a dry run says what would be done');
is($server->api(GET => '/products')->{json}{pagination}{total} // 0, 0, 'and does nothing');
is(counts(csv($first)), '2 0 0', 'values that no product has create');
is(counts(csv($first)), '0 0 2', 'the same file again changes nothing');
my $id = named('sku=A')->{id};
my $second = "sku,price,color,name\nA,5,,Ant\nC,3,blue,Cat\n,4,,Dog\n";
is(counts(csv($second, 'mode=upsert&key=sku&dryRun=true')), '2 1 0', 'a dry run tells updates from creations');
is(counts(csv($second)), '2 1 0', 'a file updates and creates; a row without a value creates');
is_deeply([@{ named('sku=A') }{qw(id price color)}], [$id, 5, undef], 'the product has its id, and an empty cell clears');
is(counts(csv("sku,price\nA,6\nC,3\n")), '0 1 1', 'an update needs no more than what it changes');
is(named('sku=A')->{name}, 'Ant', 'and leaves the rest');
is(faults(csv("sku,price\nA,7\nZ,3\n")), '400, 2 name required', 'a creation needs all');
is(named('sku=A')->{price}, 6, 'or nothing is stored');
is(counts(csv("id,sku,price\n$id,C,8\n")), '0 1 0', 'ids of the file are ignored');
is(named('sku=C')->{price}, 8, 'the key decides');

# case: NDJSON, and other types
is(counts(ndjson('mode=upsert&key=gtin', { gtin => 7, name => 'Elk', price => 1, sku => 'E' }, { name => 'Fox', price => 1 })), '2 0 0', 'NDJSON creates');
is(counts(ndjson('mode=upsert&key=gtin', { gtin => 7, price => 2, color => 'grey' }, { gtin => undef, name => 'Gnu', price => 1 })), '1 1 0', 'and updates');
is_deeply([@{ named('gtin=7') }{qw(price color sku)}], [2, 'grey', 'E'], 'by the value');
is(counts(ndjson('mode=upsert&key=gtin', { gtin => 7, color => undef })), '0 1 0', 'null clears');

# case: a value twice in a file
is(counts(csv("sku,name,price,color\nT,Tap,1,red\nU,Urn,1,\nT,Tap,2,\n")), '2 1 0', 'the second row updates what the first one created');
is_deeply([@{ named('sku=T') }{qw(price color)}], [2, undef], 'with what it has');
is(counts(ndjson('mode=upsert&key=sku&dryRun=true', { sku => 'V', name => 'Van', price => 1 }, { sku => 'V', price => 2 })), '1 1 0', 'the check knows it too');
is(counts(ndjson('mode=upsert&key=sku', { sku => 'V', name => 'Van', price => 1 }, { sku => 'V', price => 2 })), '1 1 0', 'so the second one need not have all fields');
is(counts(csv("sku,name,price,finish\nW,Wok,1,matt\nX,Xylophone,1,matt\nW,Wig,1,gloss\n")), '2 1 0', 'a row changes words and values of what a row before it created');
is_deeply([map { $server->api(GET => "/products?match=prefix&$_")->{json}{pagination}{total} } qw(q=wok q=wig q=matt finish=matt finish=gloss)], [0, 1, 1, 1, 1], 'so lists find those that it has, and no others');
is_deeply($server->api(GET => '/products?facets=finish')->{json}{facets}{finish}, [{ value => 'gloss', count => 1 }, { value => 'matt', count => 1 }], 'and facets count them');
my $many = join '', "sku,name,price\n", map { "M$_,Mug $_,1\n" } 1 .. 250;
is(counts(csv($many)), '250 0 0', 'more rows than one group');
is(faults(csv($many . "M7,Mug 7,9\n" . 'x' x 301 . ",Long,1\n")), '400, 252 sku too_long', 'a fault prevents all');
is(counts(csv($many . "M7,Mug 7,9\n" . 'x' x 300 . ",Long,1\n")), '1 1 250', 'and again, with a long value');
is(named('sku=' . 'x' x 300)->{name}, 'Long', 'which is found');

# case: values that are taken
for my $dry ('', '&dryRun=true') {
    is(faults(ndjson("mode=create$dry", { name => 'x', price => 1, sku => 'A' }, { name => 'x', price => 1, sku => 'N' }, { name => 'x', price => 1, sku => 'N' })), '400, 1 sku taken, 3 sku taken', "values of products and of rows are taken$dry");
    is(faults(ndjson("mode=upsert$dry", { id => $id, sku => 'C' })), '400, 1 sku taken', "for an update as well$dry");
    is(faults(ndjson("mode=upsert&key=sku$dry", { sku => 'A', gtin => 7 }, { sku => 'B', gtin => 8 }, { sku => 'C', gtin => 8 })), '400, 1 gtin taken, 3 gtin taken', "and of fields that are not the key$dry");
    is(faults(ndjson("mode=upsert&key=sku$dry", { sku => 'NEW', name => 'x', price => 1, gtin => 7 }, { name => 'y', price => 1, slug => 'elk' })), '400, 1 gtin taken, 2 slug taken',
        "of rows that create, too$dry");
    is(faults(csv("sku,name,price,gtin\nNEW,x,1,7\n", "mode=upsert&key=sku$dry")), '400, 1 gtin taken', "in CSV$dry");
}
is(faults(ndjson('mode=create', { name => 'x', price => 1, sku => 'N' }, { name => '', price => 1, sku => 'A' })), '400, 2 name too_short, 2 sku taken', 'with the other faults of the row');
my $other = named('sku=B')->{id};
is(counts(ndjson('mode=upsert', { id => $id, sku => 'A2' }, { id => $other, sku => 'A' }, { id => $id, sku => 'B' })), '0 3 0', 'a row may take what a row before it gives up');
is_deeply([named('sku=A')->{id}, named('sku=B')->{id}], [$other, $id], 'and two products change places');
is(counts(ndjson('mode=create', { name => 'x', price => 1, sku => 'A2' })), '1 0 0', 'what was given up is free');

# case: values that are made
is(counts(ndjson('mode=create', map { { name => 'Pan', price => 1 } } 1 .. 120)), '120 0 0', 'rows of one name get values of their own');
is($db->selectrow_array(q(SELECT COUNT(*) FROM product_unique WHERE value LIKE 'pan%')), 120, 'each once');
is_deeply([map { named($_)->{name} } qw(slug=pan slug=pan-2)], ['Pan', 'Pan'], 'by which products are found');
is($db->selectrow_array(q(SELECT COUNT(*) FROM product_keys k JOIN catalog_fields f ON f.number = k.field WHERE f.name = 'slug' AND k.value LIKE 'pan%')), 120, 'and listed');

# case: what a key may be
for my $query ('key=sku', 'mode=upsert&key=color', 'mode=upsert&key=id', 'mode=upsert&key=', 'mode=upsert&key=sku&key=sku', 'mode=create&key=sku') {
    my $answer = csv("sku,name,price\nQ,q,1\n", $query);
    is($answer->{status}, 400, "$query is refused");
    is($answer->{json}{errors}[0]{field}, 'key', 'with the name of the parameter');
}
my $parts = send_file(csv => "sku,name,price\r\nA,Ant,1\r\nP,Pig,1\r\n", 'mode=upsert&key=sku&part=last');
is(counts($parts), '1 1 0', 'parts of a file have keys as well');
my @answers = $server->burst(map { wire(POST => '/products/import?mode=upsert&key=sku', join('', map { "{\"sku\":\"R$_\",\"name\":\"r\",\"price\":1}\n" } 1 .. 20), token => $token, headers => { 'Content-Type' => 'application/x-ndjson' }) } 1 .. 4);
is(join(' ', sort map { $_->{status} } @answers), '200 200 200 200', 'imports of one file at once all succeed');
is($db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE name = 'r')), 20, 'and create each product once');


# case: a value of a product that another program has deleted: a row that has it is about no product
my $rows = "sku,name,price\nO,Orc,2\n";
is(counts(csv($rows)), '1 0 0', 'a row creates a product');
$db->do('DELETE FROM products WHERE id = ?', undef, named('sku=O')->{id});
is(counts(csv($rows, 'mode=upsert&key=sku&dryRun=true')), '1 0 0', 'a dry run finds no product');
is(faults(csv($rows)), '400, 1 sku taken', 'the value is taken until catalogctl index has removed it');
ctl_for($server, 'index');
is(counts(csv($rows)), '1 0 0', 'then the row creates a product');
done_testing;
