# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id/history
# route: POST /products/:id/restore
# again: pgsql
# What changed of a product, and the way back.
use CatalogTest;
use CatalogTest::Ids qw(twin_of);

my $server = server(mount => <<'END')->start;
CatalogField sku string unique
CatalogField tags strings index
CatalogField weight number
CatalogField note string private
CatalogField updatedAt modified
END
my $writer = register($server);
my ($token, $user) = ($writer->{token}, $writer->{user}{id});
my $by = { id => $user, username => $writer->{user}{username} };

sub call { my ($method, $path, $body, %more) = @_; return $server->api($method => $path, $body, token => $token, %more) }
sub made { my ($product) = @_; return call(POST => '/products', { name => 'Cup', price => 1.5, %$product })->{json}{data} }
sub history { my ($id, $query) = @_; return call(GET => "/products/$id/history" . ($query // '')) }
sub entries { @{ history(@_)->{json}{data} } }
sub restore { my ($id, $seq) = @_; return call(POST => "/products/$id/restore", { seq => $seq }) }
sub plain { my ($product) = @_; my %rest = %$product; delete $rest{updatedAt}; return \%rest }

# case: each write is an entry with what it changed, newest first
my $product = made({ sku => 'C1', tags => ['red', 'new'], rating => 4.5 });
my $id = $product->{id};
call(PUT => "/products/$id", { price => 19.99, weight => 2.5, rating => undef });
call(PATCH => "/products/$id", { name => 'Mug', tags => ['red'], inStock => false, note => 'ours' });
call(PUT => "/products/$id", { price => 19.99 });
my @entries = entries($id);
is(scalar @entries, 3, 'an update that changes nothing is no entry');
is_deeply([map { $_->{op} } @entries], [qw(update update create)], 'newest first');
is_deeply($entries[0]{changes}, { name => { from => 'Cup', to => 'Mug' }, tags => { from => ['red', 'new'], to => ['red'] },
    inStock => { from => true, to => false }, note => { to => 'ours' } }, 'an update has the fields that it changed');
is_deeply($entries[1]{changes}, { price => { from => 1.5, to => 19.99 }, weight => { to => 2.5 }, rating => { from => 4.5 } },
    'absent values are left out');
is_deeply($entries[2]{changes}, { name => { to => 'Cup' }, price => { to => 1.5 }, category => { to => '' }, inStock => { to => true },
    rating => { to => 4.5 }, createdAt => { to => $product->{createdAt} }, sku => { to => 'C1' }, tags => { to => ['red', 'new'] } },
    'a creation has all fields');
like(history($id)->{body}, qr/"price":\{"from":1\.5,"to":19\.99\}/, 'numbers are as they were sent');
for (@entries) {
    is_deeply($_->{by}, $by, 'it says who');
    like($_->{at}, $TIME, 'and when');
    like($_->{seq}, qr/^[1-9]\d*$/, 'and its number');
}
ok($entries[0]{seq} > $entries[1]{seq} && $entries[1]{seq} > $entries[2]{seq}, 'later changes have higher numbers');
isnt($entries[0]{batch}, $entries[1]{batch}, 'each request is a batch');

# case: pages
answers(history($id, '?limit=2'), 200, { success => true, data => [@entries[0, 1]], pagination => { page => 1, limit => 2, total => 3, pages => 2 } },
    'a page');
is_deeply(history($id, '?limit=2&page=2')->{json}{data}, [$entries[2]], 'the next page');
is_deeply(history($id, '?limit=2&page=3')->{json}{data}, [], 'behind the end');

# case: who may read it
is($server->api(GET => "/products/$id/history")->{status}, 401, 'not without a token');
is($server->api(POST => "/products/$id/restore", { seq => 1 })->{status}, 401, 'nor restore');
answers(history($_), 404, refusal(), 'a product that never was has no history') for '01a1fee5-af25-7514-8a69-477230296f5b', twin_of($id);
answers(history('x'), 404, refusal(), 'nor has what is no id');

# case: restoring
my $first = $entries[1]{seq};
answers(restore($id, $first), 200, { success => true, data => { %$product, updatedAt => qr/./ }, message => 'Product restored' },
    'the product is as it was before the change');
is_deeply(plain(call(GET => "/products/$id")->{json}{data}), plain($product), 'and is stored so');
@entries = entries($id);
is_deeply([scalar @entries, $entries[0]{op}], [4, 'update'], 'that is a change, too');
is_deeply($entries[0]{changes}{price}, { from => 19.99, to => 1.5 }, 'with what it changed');
answers(restore($id, $entries[0]{seq}), 200, undef, 'which can be taken back');
is(call(GET => "/products/$id")->{json}{data}{name}, 'Mug', 'then it is as it was before that');
answers(restore($id, $entries[0]{seq}), 200, undef, 'once more, which changes nothing');
is_deeply($server->database->selectall_arrayref(q(SELECT target_id, actor_id, changes FROM audit WHERE action = 'product.restore' ORDER BY id)),
    [map { [$id, $user, qq({"seq":{"to":$_}})] } $first, $entries[0]{seq}], 'both are in the audit trail');
answers(restore($id, $entries[-1]{seq}), 409, refusal(error => qr/created/), 'before it was created there was none');
answers(restore($id, 999_999_999), 404, refusal(), 'a change that is not there');
for ([{}, 'required'], [{ seq => 'x' }, 'type'], [{ seq => 0 }, 'too_small'], [{ seq => 1.5 }, 'type']) {
    is(call(POST => "/products/$id/restore", $_->[0])->{status}, 400, 'a bad body');
}

# case: a product that was deleted comes back with its id, its time and its place
my @neighbours = map { made({ name => "n$_" })->{id} } 1 .. 3;
my $stored = call(GET => "/products/$neighbours[1]")->{json}{data};
my $list = call(GET => '/products')->{json}{data};
call(DELETE => "/products/$neighbours[1]");
my ($deletion) = entries($neighbours[1]);
is_deeply($deletion->{changes}{name}, { from => 'n2' }, 'a deletion has what the product was');
is($deletion->{op}, 'delete', 'and says so');
answers(restore($neighbours[1], $deletion->{seq}), 200, undef, 'it comes back');
is_deeply([map { plain($_) } @{ call(GET => '/products')->{json}{data} }], [map { plain($_) } @$list], 'the list is as it was');
is_deeply(plain(call(GET => "/products/$neighbours[1]")->{json}{data}), plain($stored), 'and so is the product');
is(call(GET => '/products?q=n2')->{json}{data}[0]{id}, $neighbours[1], 'it is found again');

# case: unique values
my $held = made({ sku => 'U1' })->{id};
call(PUT => "/products/$held", { sku => 'U2' });
my $other = made({ sku => 'U1' })->{id};
my ($renaming) = entries($held);
answers(restore($held, $renaming->{seq}), 409, refusal(error => qr/sku/, errors => [{ field => 'sku', code => 'taken', message => qr/./ }]),
    'a value that another product has by now');
call(DELETE => "/products/$held");
call(DELETE => "/products/$other");
my $taker = made({ sku => 'U2' })->{id};
answers(restore($held, (entries($held))[0]{seq}), 409, refusal(error => qr/sku/, errors => [{ field => 'sku', code => 'taken', message => qr/./ }]),
    'also of a product that was deleted');
call(PUT => "/products/$taker", { sku => undef });
answers(restore($held, (entries($held))[0]{seq}), 200, undef, 'once it is free the product comes back');
is(call(GET => '/products/sku=U2')->{json}{data}{id}, $held, 'and has it');

# case: batches and imports
my $batch = call(POST => '/products/batch', { operations => [
    { op => 'create', body => { name => 'b1', price => 1 } },
    { op => 'update', id => $held, body => { price => 7 } },
    { op => 'delete', id => $taker } ] });
is($batch->{status}, 200, 'a batch');
my $made = $batch->{json}{results}[0]{data}{id};
my %batches = map { $_ => (entries($_))[0]{batch} } $made, $held, $taker;
is_deeply([sort keys %{ { reverse %batches } }], [$batches{$made}], 'its changes have one batch');
is($batch->{headers}{'catalog-batch'}, $batches{$made}, 'which the answer names');
my $import = call(POST => '/products/import?mode=upsert', join('', map { "$_\n" } qq({"id":"$held","price":8}), '{"name":"i1","price":2}'),
    headers => { 'Content-Type' => 'application/x-ndjson' });
is($import->{status}, 200, 'an import') or diag $import->{content};
my ($imported) = entries($held);
is_deeply($imported->{changes}, { price => { from => 7, to => 8 } }, 'a row that was updated');
is($imported->{batch}, $import->{headers}{'catalog-batch'}, 'the answer names the batch');

# case: many changes of one product
call(PUT => "/products/$id", { price => $_ }) for 1 .. 130;
is(history($id, '?limit=1')->{json}{pagination}{total}, 135, 'all are there');
is_deeply([map { $_->{changes}{price}{to} } entries($id, '?limit=10&page=13')], [reverse 1 .. 10], 'page 13');
my $old = (entries($id, '?limit=1&page=131'))[0];
answers(restore($id, $old->{seq}), 200, undef, 'a change far back');
done_testing;
