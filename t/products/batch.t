# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# again: pgsql
# Several writes in one request: all or none of them, or each by itself.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(twin_of);

my $server = server(mount => 'CatalogMaxLimit 1000')->start;
my $token = register($server)->{token};
my $failed = 'Batch failed';

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub batch { my ($operations, %o) = @_; my $headers = delete $o{headers}; return send_body({ operations => $operations, %o }, %{ $headers // {} }) }
sub send_body { my ($body, %headers) = @_; return ask(POST => '/products/batch', $body, headers => \%headers) }
sub create { return { op => 'create', body => { name => 'Kettle', price => 1, @_ } } }
sub update { my ($id, $body, %more) = @_; return { op => 'update', id => $id, body => $body, %more } }
sub remove { my ($id, %more) = @_; return { op => 'delete', id => $id, %more } }
sub made { return ask(POST => '/products', { name => 'Kettle', price => 1, @_ })->{json}{data} }
sub stored { return ask(GET => "/products/$_[0]{id}")->{json}{data} }
sub tag { return ask(GET => "/products/$_[0]{id}")->{headers}{etag} }
sub total { return ask(GET => '/products')->{json}{pagination}{total} }
sub statuses { return join ' ', map { $_->{status} } @{ $_[0]{json}{results} // [] } }
sub done { my @results = @_; return { success => true, message => 'Batch completed', results => [map { { index => $_, %{ $results[$_] } } } 0 .. $#results] } }
sub invalid_batch { return invalid(@_) }

my $unknown = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
my %not_found = (status => 404, message => 'Product not found');
my %not_done = (status => 424, message => qr/./, error => qr/./);
my %changed = (status => 412, message => 'Precondition failed', error => qr/./);

# ---- all kinds, in order ----

my ($one, $two) = (made(name => 'one', rating => 3), made(name => 'two'));
my $r = batch([create(name => 'new', price => 19.99, category => 'x', inStock => false, rating => 4.5),
    update($one->{id}, { price => 2, rating => undef }), remove($two->{id}), update($one->{id}, { name => 'uno' })]);
my %new = (id => $ID, name => 'new', price => 19.99, category => 'x', inStock => false, rating => 4.5, createdAt => $TIME);
my %uno = (%$one, price => 2);
delete $uno{rating};
answers($r, 200, done({ status => 201, data => \%new }, { status => 200, data => { %uno } }, { status => 200 },
    { status => 200, data => { %uno, name => 'uno' } }), 'a batch does all of its operations in their order', 'catalog-ignored' => undef);
my $new = $r->{json}{results}[0]{data};
is_deeply(stored($new), $new, 'the new product is stored');
is_deeply(stored($one), { %uno, name => 'uno' }, 'the updated product is stored');
is(stored($two), undef, 'the deleted product is gone');

answers(batch([create(name => 'none', rating => undef)]), 200, done({ status => 201,
    data => { id => $ID, name => 'none', price => 1, category => '', inStock => true, createdAt => $TIME } }), 'a rating that is null is absent in a new product');
$r = batch([map { create(name => "n$_", price => $_) } 1 .. 40]);
is(statuses($r), join(' ', (201) x 40), 'forty products are created');
my @created = map { $_->{data} } @{ $r->{json}{results} };
is_deeply(ask(GET => '/products?limit=40')->{json}{data}, [reverse @created], 'the list has them in their order, the last one newest');
is_deeply([map { $_->{createdAt} } sort { $a->{id} cmp $b->{id} } @created], [sort map { $_->{createdAt} } @created],
    'ids and times have the same order');

answers(batch([create()], atomic => true), 200, undef, 'atomic may be sent');
answers(ask(POST => '/products/batch/', { operations => [create()] }), 200, undef, 'a trailing slash is accepted');

# ---- one that fails takes all back ----

my $before = total();
my $tag = tag($one);
for my $case (
    ['an unknown id', update($unknown, { price => 1 }), \%not_found], ['one with the number of another', update(twin_of($one->{id}), { price => 1 }), \%not_found],
    ['a malformed id', remove('x'), \%not_found],
    ['another tag', update($one->{id}, { price => 9 }, ifMatch => '"0123456789abcdef"'), \%changed],
    ['a weak tag', remove($one->{id}, ifMatch => "W/$tag"), \%changed]) {
    my ($name, $operation, $result) = @$case;
    $r = batch([create(), update($one->{id}, { category => 'no' }), $operation, remove($one->{id})]);
    my @results = (\%not_done, \%not_done, $operation->{ifMatch} ? \%not_done : $result, \%not_done);
    if ($operation->{ifMatch}) { # the operation before it changes the tag
        $results[2] = \%changed;
    }
    answers($r, 400, { success => false, message => $failed, error => qr/^operations\[2\] failed: .*nothing is stored/,
        results => [map { { index => $_, %{ $results[$_] } } } 0 .. 3] }, "$name takes all back");
}
is(total(), $before, 'no product was created or deleted');
is(tag($one), $tag, 'no product was updated');
$r = batch([remove($unknown), create(), update($unknown, { price => 1 })]);
is(statuses($r), '404 424 404', 'every operation that fails has its own status');
like($r->{json}{error}, qr/^operations\[0\]/, 'the error names the first of them');
$r = batch([remove($unknown), (update($created[0]{id}, { price => 1 })) x 3]);
is(statuses($r), '404 424 424 424', 'so have those after the first');
$r = batch([remove($created[0]{id}), update($created[0]{id}, { price => 1 })]);
is(statuses($r), '424 404', 'an update after the deletion of its product fails');
answers(ask(GET => "/products/$created[0]{id}"), 200, undef, 'the deletion is taken back');

# ---- each by itself ----

my %plain = %new;
delete $plain{rating};
my ($three, $four) = (made(name => 'three'), made(name => 'four'));
$r = batch([create(name => 'by itself'), update($unknown, { price => 1 }), remove($three->{id}), create(name => ''),
    update($three->{id}, { price => 1 }), update($four->{id}, { price => 4 }, ifMatch => tag($four)),
    update($four->{id}, { price => 5 }, ifMatch => tag($four)), update($four->{id}, {})], atomic => false);
my @errors = ({ field => 'name', code => 'too_short', message => qr/./ });
answers($r, 200, { success => true, message => 'Batch completed, 5 of 8 operations failed', results => [
    { index => 0, status => 201, data => { %plain, name => 'by itself', price => 1, category => '', inStock => true } },
    { index => 1, %not_found }, { index => 2, status => 200 },
    { index => 3, status => 400, message => 'Validation failed', error => qr/^name /, errors => \@errors },
    { index => 4, %not_found }, { index => 5, status => 200, data => { %$four, price => 4 } }, { index => 6, %changed },
    { index => 7, status => 400, message => 'Validation failed', error => qr/./, errors => [{ field => '', code => 'required', message => qr/./ }] },
] }, 'without atomic each operation succeeds or fails by itself');
is_deeply(stored($four), { %$four, price => 4 }, 'what succeeded is stored');
is(stored($three), undef, 'what was deleted is gone');
answers(batch([remove($unknown)], atomic => false), 200,
    { success => true, message => 'Batch completed, 1 of 1 operation failed', results => [{ index => 0, %not_found }] }, 'all may fail');

# ---- conditions ----

my $five = made(name => 'five');
$tag = tag($five);
is(statuses(batch([update($five->{id}, { price => 5 }, ifMatch => $tag)])), '200', 'an update with the tag succeeds');
is(statuses(batch([update($five->{id}, { price => 6 }, ifMatch => $tag)])), '412', 'a second one with the same tag fails');
is(statuses(batch([update($five->{id}, { price => 6 }, ifMatch => '*'), update($five->{id}, { price => 1 })])), '200 200', '* matches any product');
is(statuses(batch([update($unknown, { price => 6 }, ifMatch => '*')])), '404', '* matches no product that is not there');
is(statuses(batch([remove($five->{id}, ifMatch => '"x", ' . tag($five))])), '200', 'a deletion with a list of tags succeeds');

# ---- what is no batch ----

$before = total();
my @create = (create());
for (
    ['no object', [], '' => 'type'],
    ['no operations', {}, operations => 'required'],
    ['operations that are no array', { operations => {} }, operations => 'type'],
    ['null for operations', { operations => undef }, operations => 'type'],
    ['no operation', { operations => [] }, operations => 'too_short'],
    ['1001 operations', { operations => [(create()) x 1001] }, operations => 'too_long'],
    ['atomic that is no boolean', { operations => \@create, atomic => 'false' }, atomic => 'type'],
    ['null for atomic', { operations => \@create, atomic => undef }, atomic => 'type'],
    ['an unknown member', { operations => \@create, atomc => false }, atomc => 'unknown'],
    ['an operation that is no object', { operations => [@create, 5] }, 'operations[1]' => 'type'],
    ['no op', { operations => [{}] }, 'operations[0].op' => 'required'],
    ['an op that is no text', { operations => [{ op => 1 }] }, 'operations[0].op' => 'type'],
    ['an unknown op', { operations => [@create, { op => 'upsert', id => 'x' }] }, 'operations[1].op' => 'unknown'],
    ['an op in capitals', { operations => [{ op => 'CREATE', body => {} }] }, 'operations[0].op' => 'unknown'],
    ['no body', { operations => [{ op => 'create' }] }, 'operations[0].body' => 'required'],
    ['a body that is no object', { operations => [update('x', [])] }, 'operations[0].body' => 'type'],
    ['null for a body', { operations => [update('x', undef)] }, 'operations[0].body' => 'type'],
    ['no id', { operations => [{ op => 'delete' }] }, 'operations[0].id' => 'required'],
    ['an id that is no text', { operations => [remove(5)] }, 'operations[0].id' => 'type'],
    ['an ifMatch that is no text', { operations => [remove('x', ifMatch => undef)] }, 'operations[0].ifMatch' => 'type'],
    ['a member in small letters', { operations => [remove('x', ifmatch => '"x"')] }, 'operations[0].ifmatch' => 'unknown'],
    ['an id for a creation', { operations => [{ %{ $create[0] }, id => 'x' }] }, 'operations[0].id' => 'unknown'],
    ['ifMatch for a creation', { operations => [{ %{ $create[0] }, ifMatch => '*' }] }, 'operations[0].ifMatch' => 'unknown'],
    ['a body for a deletion', { operations => [remove('x', body => {})] }, 'operations[0].body' => 'unknown'],
    ['all at once', { operations => [3, { op => 'x', y => 1 }, create(name => '')], atomic => 1 }, atomic => 'type',
        'operations[0]' => 'type', 'operations[1].op' => 'unknown', 'operations[1].y' => 'unknown', 'operations[2].body.name' => 'too_short'],
    ) {
    my ($name, $body, @wrong) = @$_;
    answers(send_body($body), 400, invalid_batch(@wrong), "refused: $name");
    if (ref $body eq 'HASH' && !exists $body->{atomic}) {
        answers(send_body({ %$body, atomic => false }), 400, invalid_batch(@wrong), "refused without atomic, too: $name");
    }
}
is(send_body({ operations => [remove('x', ifmatch => '"x"')] })->{json}{error}, 'operations[0].ifmatch is not a known field; did you mean ifMatch?', 'a similar member is suggested');
answers(send_body('{"operations":['), 400, refusal(message => 'Invalid JSON', error => qr/./), 'refused: broken JSON');
$r = send_body({ operations => [map { { op => 'x' } } 1 .. 150] });
is(scalar @{ $r->{json}{errors} }, 100, 'the first hundred errors are listed');

# ---- fields of products ----

for my $case (
    ['a price below zero', create(price => -1), price => 'too_small'],
    ['a name that is null', update($one->{id}, { name => undef }), name => 'null'],
    ['no field', update($one->{id}, {}), '' => 'required']) {
    my ($name, $operation, $field, $code) = @$case;
    my $path = 'operations[1].body' . ($field && ".$field");
    answers(batch([create(), $operation]), 400, { %{ invalid($path => $code) }, results => [{ index => 0, %not_done },
        { index => 1, status => 400, message => 'Validation failed', error => qr/./, errors => [{ field => $field, code => $code, message => qr/./ }] }] },
        "refused: $name");
}
my %strict = (headers => { Prefer => 'handling=strict' });
answers(batch([create(colour => 'red'), create(colour => 'blue', size => 4)]), 200, undef, 'unknown fields of products are ignored',
    'catalog-ignored' => sub { join(',', sort split /, /, $_[0]) eq 'colour,size' });
$r = batch([create(), create(colour => 'red')], %strict);
is($r->{json}{errors}[0]{field}, 'operations[1].body.colour', 'Prefer: handling=strict refuses them');
is("$r->{status} " . statuses($r), '400 424 400', 'with all operations');
is($r->{headers}{'preference-applied'}, 'handling=strict', 'the preference is applied');
$r = batch([create(), create(colour => 'red')], %strict, atomic => false);
is("$r->{status} " . statuses($r), '200 201 400', 'or with the one that has it');
is(total(), $before + 3, 'the refused batches have stored nothing');

# ---- who, and how large ----

answers($server->api(POST => '/products/batch', { operations => [create()] }), 401, refusal(error => qr/./), 'a token is required');
answers(send_body({ operations => [create()] }, 'Content-Type' => 'text/plain'), 415, refusal(error => qr/./), 'another type is refused',
    accept => 'application/json');
answers(ask(GET => '/products/batch'), 404, { success => false, message => 'Product not found' }, 'it is no product');

sub of_size {
    my $json = '{"operations":[{"op":"create","body":{"name":"x","price":1,"pad":""}}]}';
    substr($json, -5, 0) = 'x' x ($_[0] - length $json);
    return $json;
}
my $most = 4 * 1024 * 1024;
answers(send_body(of_size($most)), 200, undef, 'a body of 4 MiB is accepted', 'catalog-ignored' => 'pad');
answers(send_body(of_size($most + 1)), 413, { success => false, message => qr/too large/i }, 'one byte more is refused');

$before = total();
answers(send_body('{"operations":[' . join(',', ('{}') x 100_001) . ']}'), 400, refusal(message => 'Invalid JSON', error => qr/too many values/),
    'more values than a batch can have are refused');

# ---- a thousand ----

$r = batch([map { create(name => "many $_") } 1 .. 1000]);
my @many = map { $_->{data}{id} } @{ $r->{json}{results} };
is(statuses($r), join(' ', (201) x 1000), 'a thousand products are created');
is_deeply([map { $_->{id} } @{ ask(GET => '/products?limit=1000')->{json}{data} }], [reverse @many], 'the list has them in their order');
is(total(), $before + 1000, 'they are counted');
is(statuses(batch([map { update($_, { price => 7 }) } @many])), join(' ', (200) x 1000), 'a thousand products are updated');
is((grep { $_->{price} == 7 } @{ ask(GET => '/products?limit=1000')->{json}{data} }), 1000, 'the list has the new state');
is(statuses(batch([map { remove($_) } @many, $unknown], atomic => false)), '', 'one operation more is refused');
is(statuses(batch([map { remove($_) } @many[0 .. 998], $unknown])), join(' ', (424) x 999, 404), 'one that fails takes back 999');
is(total(), $before + 1000, 'the total is as before');
is(statuses(batch([map { remove($_) } @many[0 .. 998], $unknown], atomic => false)), join(' ', (200) x 999, 404), 'or only fails');
is(total(), $before + 1, 'the total is right');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# ---- settings ----

my $small = server(mount => "CatalogMaxBatch 2\nCatalogStrict On\nCatalogWriteRole editor\n")->start;
my $user = register($small);
my ($reader, $name) = ($user->{token}, $user->{user}{username});
answers($small->api(POST => '/products/batch', { operations => [create()] }, token => $reader), 403, refusal(error => qr/./),
    'CatalogWriteRole applies');
is(ctl_for($small, 'user', 'role', $name, 'editor')->{status}, 0, 'the user becomes an editor');
my $editor = $small->api(POST => '/auth/login', { login => $name, password => 'correct horse' })->{json}{token};
my @two = map { $small->api(POST => '/products/batch', { operations => [(create()) x $_] }, token => $editor) } 2, 3;
is($two[0]{status}, 200, 'CatalogMaxBatch operations are accepted');
answers($two[1], 400, invalid(operations => 'too_long'), 'one more is refused');
$r = $small->api(POST => '/products/batch', { operations => [create(colour => 1)] }, token => $editor);
is($r->{json}{errors}[0]{field}, 'operations[0].body.colour', 'CatalogStrict applies');

done_testing;
