# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# Idempotency-Key on POST /products/batch: what was stored is repeated, what was not runs again.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);

my $server = server()->start;
my $other = server(mount => 'CatalogDatabase @driver@ "' . $server->params . '"')->start; # another server, the same database
my ($user, $stranger) = (register($server)->{token}, register($server)->{token});
my $db = $server->database;
my @replayed = ('idempotency-replayed' => 'true');
my @served = ('idempotency-replayed' => undef);

sub batch {
    my ($key, $operations, %o) = @_;
    my $body = ref $operations ? { operations => $operations, exists $o{atomic} ? (atomic => $o{atomic}) : () } : $operations;
    return ($o{server} // $server)->api(POST => $o{path} // '/products/batch', $body, token => $o{token} // $user,
        headers => { 'Idempotency-Key' => "\"$key\"", %{ $o{headers} // {} } });
}
sub create { return { op => 'create', body => { name => $_[0], price => 1, @_[1 .. $#_] } } }
sub update { my ($id, $body, %more) = @_; return { op => 'update', id => $id, body => $body, %more } }
sub remove { return { op => 'delete', id => $_[0] } }
sub made { return $server->api(POST => '/products', { name => $_[0], price => 1 }, token => $user)->{json}{data} }
sub get { return $server->api(GET => "/products/$_[0]{id}") }
sub stored { $db->selectrow_array('SELECT COUNT(*) FROM products') }
sub keys_stored { $db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys WHERE part = 0') }
sub statuses { return join ' ', map { $_->{status} } @{ $_[0]{json}{results} // [] } }

# An answer that differs from one request to the next, if it is not repeated: ids, times and the states of products.
my ($kept, $gone) = (made('kept'), made('gone'));
my @all = (create("M\x{fc}g \"\\\n", colour => 'red'), update($kept->{id}, { price => 2 }, ifMatch => get($kept)->{headers}{etag}), remove($gone->{id}));
my $first = batch('first', \@all);
answers($first, 200, undef, 'the first batch is served', @served, 'catalog-ignored' => 'colour');
is(statuses($first), '201 200 200', 'with all of its operations');
answers($server->api(PUT => "/products/$kept->{id}", { price => 3 }, token => $user), 200, undef, 'a product is changed afterwards');
for my $case (['this server', $server], ['another server on the database', $other]) {
    answers(batch('first', \@all, server => $case->[1]), 200, $first->{body}, "$case->[0] repeats the answer, octet by octet", @replayed,
        'catalog-ignored' => 'colour');
}
is(stored(), 2, 'nothing is created again');
is(get($kept)->{json}{data}{price}, 3, 'nor updated');

# case: another request with the key
my $problem = refusal(message => 'Idempotency-Key already used', error => qr/./);
answers(batch('first', [@all, create('more')]), 422, $problem, 'another batch is refused', @served);
answers(batch('first', \@all, atomic => false), 422, $problem, 'so is the same one without atomic');
answers(batch('first', '{"operations":['), 400, refusal(message => 'Invalid JSON', error => qr/./), 'what is no JSON is refused as such');
answers(batch('first', [create('b')], token => $stranger), 200, undef, 'another user may use the key', @served);
answers($server->api(POST => '/products', { name => 'b', price => 1 }, token => $user, headers => { 'Idempotency-Key' => '"first"' }), 201, undef,
    'so may another route', @served);
answers(batch('first', \@all), 200, $first->{body}, 'and the batch is still repeated', @replayed);
is(stored(), 4, 'the refused batches have stored nothing');

# case: what failed is not stored
my $count = keys_stored();
my $unknown = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
my $r = batch('fails', [create('taken back'), remove($unknown)]);
answers($r, 400, { %{ refusal(message => 'Batch failed', error => qr/nothing is stored/) }, results => sub { @{ $_[0] } == 2 } }, 'an atomic batch fails', @served)
    for 1, 2;
answers(batch('fails', [create('x'), { op => 'create', body => {} }]), 400, undef, 'so does one with an invalid product', @served);
answers(batch('fails', []), 400, invalid(operations => 'too_short'), 'and what is no batch', @served);
is(keys_stored(), $count, 'none of them uses up the key');
is(stored(), 4, 'nor stores anything');
$first = batch('fails', [create('corrected')]);
answers($first, 200, undef, 'the corrected batch may have the same key', @served);
answers(batch('fails', [create('corrected')]), 200, $first->{body}, 'and is repeated', @replayed);

$db->do('ALTER TABLE products RENAME TO products_away');
my $down = batch('down', [create('down')]);
$db->do('ALTER TABLE products_away RENAME TO products');
answers($down, 503, undef, 'a failure of the database is a 503', @served);
answers(batch('down', [create('down')]), 200, undef, 'which is not stored: the same batch succeeds afterwards', @served);

# case: without atomic, the answer has failures too
my @some = (create('some'), remove($unknown), create(''), update($kept->{id}, { price => 9 }));
$first = batch('some', \@some, atomic => false);
is("$first->{status} " . statuses($first), '200 201 404 400 200', 'some of the operations fail');
answers(batch('some', \@some, atomic => false), 200, $first->{body}, 'the answer is repeated', @replayed);
is($db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE name = 'some')), 1, 'what succeeded is stored once');

# All fail, because of a state that may come back: then a repetition must not do what its first answer said it had not.
my $tag = get($kept)->{headers}{etag};
my @changed = (update($kept->{id}, { name => 'late' }, ifMatch => $tag), remove($unknown));
$server->api(PUT => "/products/$kept->{id}", { price => 10 }, token => $user);
$first = batch('none', \@changed, atomic => false);
is("$first->{status} " . statuses($first), '200 412 404', 'all operations fail');
$server->api(PUT => "/products/$kept->{id}", { price => 9 }, token => $user);
is(get($kept)->{headers}{etag}, $tag, 'the first of them would succeed now');
answers(batch('none', \@changed, atomic => false), 200, $first->{body}, 'the answer is repeated', @replayed);
is(get($kept)->{json}{data}{name}, 'kept', 'and the operation not done');
my @invalid = (create(''), { op => 'create', body => {} });
$first = batch('invalid', \@invalid, atomic => false);
is("$first->{status} " . statuses($first), '200 400 400', 'a batch without a valid operation has an answer');
answers(batch('invalid', \@invalid, atomic => false), 200, $first->{body}, 'which is repeated', @replayed);

# case: strict handling belongs to the request, unless it is what makes it fail
answers(batch('strict', [create('s', colour => 1)], headers => { Prefer => 'handling=strict' }), 400, undef, 'a strict batch is refused', @served);
answers(batch('strict', [create('s', colour => 1)]), 200, undef, 'and served if it is not strict', @served, 'catalog-ignored' => 'colour');

# case: an answer of many pieces
my @thousand = map { create(chr(0x1f375 + $_ % 10) . "\x{20ac}" x ($_ % 100) . 'x' x ($_ % 7), category => 'many') } 1 .. 1000;
$first = batch('thousand', \@thousand);
is(statuses($first), join(' ', (201) x 1000), 'a thousand products are created');
my ($pieces) = $db->selectrow_array('SELECT COUNT(*) FROM idempotency_keys GROUP BY key_hash ORDER BY COUNT(*) DESC LIMIT 1');
cmp_ok($pieces, '>', 20, 'the answer is stored in pieces');
my $again = batch('thousand', \@thousand, server => $other);
is($again->{headers}{'idempotency-replayed'}, 'true', 'the batch is not served twice');
ok($again->{body} eq $first->{body}, 'all of the answer is repeated');
is($db->selectrow_array(q(SELECT COUNT(*) FROM products WHERE category = 'many')), 1000, 'each product is there once');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

expect_log(qr/CAT00[0-9]: .*products/);
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
