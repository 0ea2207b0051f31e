# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# route: PUT /products/:id
# route: PATCH /products/:id
# route: DELETE /products/:id
# route: POST /products/batch
# route: POST /products/import
# route: GET /users/:id
# route: DELETE /auth/sessions/:id
# An id is the same one in upper case and in lower case (RFC 9562, 4), wherever a client sends it.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);

my $server = server()->start;
my $user = register($server);
my %user = (token => $user->{token});
sub made { return $server->api(POST => '/products', { name => $_[0], price => 1 }, %user)->{json}{data} }
sub mixed { my $i = 0; return join '', map { $i++ % 2 ? uc : lc } split //, $_[0] }
my @products = map { made("p$_") } 1 .. 4;
my @ids = map { $_->{id} } @products;

for my $write (\&CORE::uc, \&mixed) {
    my $id = $write->($ids[0]);
    answers($server->api(GET => "/products/$id"), 200, { success => true, data => $products[0] }, "GET $id");
    answers($server->api(GET => "/products/$id"), 200, { success => true, data => $products[0] }, 'and again, from the cache');
}
my $upper = uc $ids[0];
answers($server->api(PUT => "/products/$upper", { price => 2 }, %user), 200, { success => true, message => qr/./, data => { %{ $products[0] }, price => 2 } }, 'PUT');
is($server->api(GET => "/products/$ids[0]")->{json}{data}{price}, 2, 'what was read before is read anew');
answers($server->api(PATCH => "/products/$upper", { price => 3 }, %user), 200, { success => true, message => qr/./, data => { %{ $products[0] }, price => 3 } }, 'PATCH');
is($server->api(GET => "/products/$ids[0]")->{json}{data}{price}, 3, 'so is this');

my $batch = $server->api(POST => '/products/batch', { operations => [{ op => 'update', id => $upper, body => { price => 4 } },
    { op => 'update', id => $ids[0], body => { rating => 4 } }, { op => 'delete', id => uc $ids[1] }] }, %user);
is_deeply([$batch->{status}, map { $_->{status} } @{ $batch->{json}{results} }], [200, 200, 200, 200], 'batch') or diag $batch->{body};
is($server->api(GET => "/products/$ids[1]")->{status}, 404, 'a product is deleted by it');

sub import_file { return $server->api(POST => '/products/import?mode=upsert', $_[1], %user, headers => { 'Content-Type' => $_[0] })->{json}{summary} }
is_deeply(import_file('text/csv', "ID,price\n$upper,5\n$ids[0],6\n"), { rows => 2, created => 0, updated => 2, unchanged => 0 }, 'import of CSV');
is_deeply(import_file('application/x-ndjson', qq({"id":"$upper","price":7}\n)), { rows => 1, created => 0, updated => 1, unchanged => 0 }, 'of NDJSON');
is($server->api(GET => "/products/$ids[0]")->{json}{data}{price}, 7, 'the last one counts');

is_deeply([map { $_->{id} } @{ $server->api(GET => "/products?id=$upper")->{json}{data} }], [$ids[0]], 'id=');
my $in = join ',', uc $ids[2], $ids[0], $upper, mixed($ids[3]);
is_deeply([map { $_->{id} } @{ $server->api(GET => "/products?id%5Bin%5D=$in")->{json}{data} }], [@ids[3, 2, 0]], 'id[in]=');
answers($server->api(GET => '/products?id=' . uc('x' . substr $ids[0], 1)), 400, invalid(id => 'format'), 'what is no id in lower case is none in upper case');
answers($server->api(DELETE => '/products/' . uc $ids[2], undef, %user), 200, { success => true, message => qr/./ }, 'DELETE');
is($server->api(GET => "/products/$ids[2]")->{status}, 404, 'it is gone');
is($server->api(GET => '/products/' . $ids[0] =~ s/-/_/r)->{status}, 404, 'other texts are no ids');

# ---- those of users and sessions ----

my $other = register($server);
my $session = $server->api(GET => '/auth/sessions', token => $other->{token})->{json}{data}[0]{id};
answers($server->api(DELETE => '/auth/sessions/' . uc $session, undef, token => $other->{token}), 200, { success => true, message => qr/./ }, 'a session');
is(ctl_for($server, 'user', 'role', uc $user->{user}{id}, 'admin')->{status}, 0, 'catalogctl takes them, too');
my $admin = $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} // 'correct horse' })->{json}{token};
is($server->api(GET => '/users/' . uc $other->{user}{id}, token => $admin)->{json}{data}{id}, $other->{user}{id}, 'a user');

done_testing;
