# SPDX-License-Identifier: Apache-2.0
# route: PATCH /products/:id
# RFC 7396: a merge patch does what PUT does, and its answer has the new tag.
use CatalogTest;

my $token = token();
my %full = (name => 'Kettle', price => 19.99, category => 'Kitchen', inStock => true, rating => 4.5);
my $record = api(POST => '/products', \%full, token => $token)->{json}{data};
my $path = "/products/$record->{id}";
my $merge = 'application/merge-patch+json';

sub patch {
    my ($body, %o) = @_;
    return api(PATCH => $path, $body, token => $token, headers => { 'Content-Type' => $merge, %o });
}
sub updated { return { success => true, message => qr/./, data => $record } }
sub is_stored {
    my ($name, $tag) = @_;
    answers(api(GET => $path), 200, { success => true, data => $record }, "$name is stored", $tag ? (etag => $tag) : ());
}

my @steps = (
    ['a name', name => 'Teapot'],
    ['a price', price => 0],
    ['a category', category => ''],
    ['inStock', inStock => false],
    ['a rating', rating => 1],
    ['all fields', %full],
    ['the same fields again', %full],
    ['null for the rating', rating => undef],
    ['null for a rating that is clear', rating => undef],
    ['a rating after that', rating => 2],
);
for (@steps) {
    my ($name, %change) = @$_;
    $record = { %$record, %change };
    delete $record->{rating} if !defined $record->{rating};
    my $answer = patch(\%change);
    answers($answer, 200, updated(), "$name can be patched", etag => qr/^"[0-9a-f]{16}"$/, 'cache-control' => 'no-store');
    is_stored($name, $answer->{headers}{etag});
}
answers(patch($record), 200, updated(), 'the record itself can be sent back', 'catalog-ignored' => undef);
answers(patch({ id => 'x', createdAt => 'y', name => 'Kettle' }), 200, updated(), 'id and createdAt do not change');

# ---- media types ----

my %types = (types => 'application/merge-patch+json, application/json');
for ($merge, 'application/json', 'Application/Merge-Patch+JSON', "$merge; charset=utf-8", 'application/json;charset=utf-8') {
    answers(patch({ price => 3 }, 'Content-Type' => $_), 200, undef, "accepted: $_", 'accept-patch' => undef);
}
$record->{price} = 3;
for ('text/plain', 'application/json-patch+json', 'application/merge-patch', "$merge; charset=utf-16", "$merge, application/json", '',
    undef) {
    answers(patch({ price => 4 }, 'Content-Type' => $_), 415, refusal(error => qr/application\/json/),
        'refused: ' . ($_ // 'no type at all'), 'accept-patch' => $types{types}, accept => undef);
}
answers(patch({ price => 4 }, 'Content-Encoding' => 'gzip'), 415, refusal(error => qr/./), 'a content coding is refused',
    'accept-encoding' => 'identity', 'accept-patch' => undef);
for my $method ('POST', 'PUT') {
    answers(api($method => $method eq 'POST' ? '/products' : $path, { %full }, token => $token, headers => { 'Content-Type' => $merge }),
        415, refusal(error => qr/./), "$method takes no merge patch", accept => 'application/json', 'accept-patch' => undef);
}

# ---- refusals ----

my @bad = (
    ['name empty', { name => '' }, name => 'too_short'],
    ['name null', { name => undef }, name => 'null'],
    ['price null', { price => undef }, price => 'null'],
    ['price below zero', { price => -1 }, price => 'too_small'],
    ['inStock null', { inStock => undef }, inStock => 'null'],
    ['a good field does not excuse a bad one', { name => 'good', price => 'bad' }, price => 'type'],
    ['all at once', { name => '', price => -1, rating => 'x' }, name => 'too_short', price => 'too_small', rating => 'type'],
    ['an empty patch', {}, '' => 'required'],
    ['unknown fields alone', { colour => 'red' }, '' => 'required'],
    ['null', 'null', '' => 'type'],
    ['a text', '"x"', '' => 'type'],
    ['an array', '[]', '' => 'type'],
);
for (@bad) {
    my ($name, $body, @errors) = @$_;
    answers(patch($body), 400, invalid(@errors), "refused: $name", etag => undef);
}
answers(patch('{"name":'), 400, refusal(message => 'Invalid JSON', error => qr/./), 'refused: broken JSON');
answers(patch({ price => 4, colour => 'red' }, Prefer => 'handling=strict'), 400, invalid(colour => 'unknown'),
    'Prefer: handling=strict refuses an unknown field', 'preference-applied' => 'handling=strict');
is_stored('nothing of that');
answers(patch({ price => 3, colour => 'red' }), 200, updated(), 'an unknown field is ignored', 'catalog-ignored' => 'colour');

my $unknown = { success => false, message => qr/product not found/i };
for my $id ('01a1fd8d-47a8-77ac-9778-38d2c78c295b', '1') {
    answers(api(PATCH => "/products/$id", { price => 1 }, token => $token), 404, $unknown, "id $id gets a 404", etag => undef);
}
answers(api(PATCH => $path, { price => 9 }), 401, refusal(error => qr/./), 'a patch without a token is refused');
answers(api(PATCH => $path, { price => 9 }, headers => { 'Content-Type' => 'text/plain' }), 401, undef,
    'a missing token is reported before a wrong type');
my $reader = server(mount => 'CatalogWriteRole admin')->start;
answers($reader->api(PATCH => $path, { price => 9 }, token => register($reader)->{token}), 403, refusal(error => qr/./),
    'CatalogWriteRole applies');
is_stored('the product without them');

done_testing;
