# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# What an import says of products: those that it would store, with dryRun=sample, and the tags of those that it has created, with etags.
use CatalogTest;

my $server = server(mount => <<'END')->start;
CatalogField sku    string  unique
    CatalogField slug   string  unique from=name
    CatalogField tags   strings
    CatalogField fresh  boolean default=true
    CatalogField weight number  max=10
END
my $token = register($server)->{token};
my %own = (token => $token);

sub import_file { my ($text, $query, %headers) = @_; return $server->api(POST => "/products/import?$query", $text, %own, headers => { 'Content-Type' => 'text/csv', %headers }) }
sub count { return scalar(() = $server->api(GET => '/products/export')->{body} =~ /\n/g) }
sub summary { my (%counts) = @_; return { updated => 0, unchanged => 0, %counts } }
sub told { my ($message, $data, %counts) = @_; return { success => true, message => $message, data => $data, summary => summary(%counts) } }

my $dry = 'Checked, nothing was stored';
my $ID = qr/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

# ---- a sample ----

answers(import_file("Name;Price;In stock;Tags;Fresh;Weight\nBlue Cup;1.299,50;nein;a|b;0;,5\nTin;3;;;;\n", 'dryRun=sample&delimiter=semicolon&decimal=comma'), 200,
    told($dry, [{ name => 'Blue Cup', price => 1299.5, category => '', inStock => false, slug => 'blue-cup', tags => ['a', 'b'], fresh => false, weight => 0.5 },
            { name => 'Tin', price => 3, category => '', inStock => true, slug => 'tin', fresh => true }], rows => 2, created => 2),
    'dryRun=sample returns what the rows would store, with what is made and what is usual');
is(count(), 0, 'nothing is stored');
my $r = import_file("name,price,weight\n" . join('', map { "p$_,$_," . ($_ % 2 ? 11 : 1) . "\n" } 1 .. 20), 'dryRun=sample');
is($r->{status}, 400, 'where rows are faulty');
is_deeply([map { $_->{name} } @{ $r->{json}{data} }], [map { "p$_" } 2, 4, 6, 8, 10], 'it has the first five good ones');
is($r->{json}{summary}{failed}, 10, 'beside the faults');
is_deeply(import_file("name,price\n", 'dryRun=sample')->{json}{data}, [], 'of a file without rows none');
ok(!exists import_file("name,price\na,1\n", 'dryRun=true')->{json}{data}, 'dryRun=true does not have it');
is(scalar @{ import_file("name,price\n" . "x,1\n" x 150, 'dryRun=sample')->{json}{data} }, 5, 'of many rows five');

# ---- tags ----

$r = import_file("name,price,sku\nCup,1,s1\nCup,2,s2\nJug,3,\n", 'etags=true');
answers($r, 200, told('Products imported', [map { { id => $ID, etag => qr/^"[^"]+"$/ } } 1 .. 3], rows => 3, created => 3), 'etags: the products that were created');
my @made = @{ $r->{json}{data} };
for my $made (@made) {
    my $now = $server->api(GET => "/products/$made->{id}");
    is($now->{headers}{etag}, $made->{etag}, "the tag of $now->{json}{data}{name} is that of GET");
}
is_deeply([map { $server->api(GET => "/products/$_->{id}")->{json}{data}{slug} } @made], [qw(cup cup-2 jug)], 'in the order of the rows');

$r = import_file("id,price,name\n$made[0]{id},5,\n,7,New\n", 'mode=upsert&etags=true&part=last');
is_deeply([$r->{status}, $r->{json}{summary}{updated}, scalar @{ $r->{json}{data} }], [200, 1, 1], 'an update creates none');
$r = $server->api(POST => '/products/batch', { atomic => false, operations => [map { { op => 'delete', id => $_->{id}, ifMatch => $_->{etag} } } @made] }, %own);
is_deeply([map { $_->{status} } @{ $r->{json}{results} }], [412, 200, 200], 'by the tags, what was not changed since can be deleted');

answers(import_file("id,price\n$made[0]{id},9\n", 'mode=upsert&dryRun=sample'), 200,
    told($dry, [{ id => $made[0]{id}, name => 'Cup', price => 9, category => '', inStock => true, createdAt => qr/Z$/, sku => 's1', slug => 'cup', fresh => true }], rows => 1, created => 0, updated => 1),
    'a row that updates shows the product as it would be');
answers(import_file("sku,price,name\ns1,9,\ns9,1,Nine\n", 'mode=upsert&key=sku&dryRun=sample'), 200,
    told($dry, [{ id => $made[0]{id}, name => 'Cup', price => 9, category => '', inStock => true, createdAt => qr/Z$/, sku => 's1', slug => 'cup', fresh => true },
            { name => 'Nine', price => 1, category => '', inStock => true, sku => 's9', slug => 'nine', fresh => true }], rows => 2, created => 1, updated => 1),
    'also by another key');

# The answer is repeated as it was.
my @again = map { import_file("name,price\nOnce,1\n", 'etags=true&part=last', 'Idempotency-Key' => '"k1"') } 1, 2;
is_deeply($again[1]{json}, $again[0]{json}, 'an answer that is repeated has them, too');
is($again[1]{headers}{'idempotency-replayed'}, 'true', 'it was repeated');
is(scalar @{ $again[0]{json}{data} }, 1, 'one');

answers(import_file("name,price\na,1\n", 'etags=true&atomic=false'), 400, invalid(etags => 'format'), 'not where there are several transactions');
ok(!exists import_file("name,price\na,1\n", 'etags=true&dryRun=true')->{json}{data}, 'nor where nothing is created');
$r = import_file("name,price\n", 'etags=true');
is_deeply($r->{json}{data}, [], 'a file without rows creates none');

done_testing;
