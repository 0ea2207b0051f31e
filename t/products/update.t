# SPDX-License-Identifier: Apache-2.0
# route: PUT /products/:id
# case: 19 50
use CatalogTest;
use CatalogTest::Ids qw(twin_of);

my $token = token();
my %full = (name => 'Kettle', price => 19.99, category => 'Kitchen', inStock => true, rating => 4.5);
my $record = api(POST => '/products', \%full, token => $token)->{json}{data};
my $path = "/products/$record->{id}";

sub put { api(PUT => $path, $_[0], token => $token, @_[1 .. $#_]) }
sub updated { return { success => true, message => qr/./, data => { %$record, @_ } } }
sub stored { answers(api(GET => $path), 200, { success => true, data => $record }, $_[0]) }

# Each step merges into the result of the previous one.
my @steps = (
    ['a name', name => 'Teapot'],
    ['a price', price => 0],
    ['a category', category => ''],
    ['inStock', inStock => false],
    ['a rating', rating => 1],
    ['all of them', %full],
    ['the same fields again', %full],
    ['a field that has the value already', name => 'Kettle'],
);
for (@steps) {
    my ($name, %change) = @$_;
    answers(put(\%change), 200, updated(%change), "$name can be updated");
    $record = { %$record, %change };
    stored("$name is stored");
}

answers(put($record), 200, updated(), 'the record itself can be sent back', 'catalog-ignored' => undef);
answers(put({ id => 'x', createdAt => 'y', price => 2 }), 200, updated(price => 2), 'id and createdAt do not change');
$record->{price} = 2;

my $without = { %$record };
delete $without->{rating};
answers(put({ rating => undef }), 200, { success => true, message => qr/./, data => $without },
    'null clears the rating');
answers(put({ rating => undef }), 200, { success => true, message => qr/./, data => $without },
    'null is accepted for a rating that is clear');
answers(put({ name => 'Pot' }), 200, { success => true, message => qr/./, data => { %$without, name => 'Pot' } },
    'another update leaves the rating clear');
answers(put({ rating => 2 }), 200, updated(name => 'Pot', rating => 2), 'the rating can be set again');
$record = { %$record, name => 'Pot', rating => 2 };

my @bad = (
    ['name empty', { name => '' }, name => 'too_short'],
    ['name blank', { name => ' ' }, name => 'blank'],
    ['name too long', { name => 'x' x 201 }, name => 'too_long'],
    ['name null', { name => undef }, name => 'null'],
    ['price null', { price => undef }, price => 'null'],
    ['price below zero', { price => -1 }, price => 'too_small'],
    ['price a text', { price => '5' }, price => 'type'],
    ['category null', { category => undef }, category => 'null'],
    ['inStock null', { inStock => undef }, inStock => 'null'],
    ['rating too large', { rating => 6 }, rating => 'too_large'],
    ['a valid field does not excuse an invalid one', { name => 'good', price => 'bad' }, price => 'type'],
    ['all at once', { name => '', price => -1, rating => 'x' }, name => 'too_short', price => 'too_small',
        rating => 'type'],
);
for (@bad) {
    my ($name, $body, @errors) = @$_;
    answers(put($body), 400, invalid(@errors), "refused: $name");
}
answers(put({}), 400, refusal(error => qr/./, errors => [{ field => '', code => qr/./, message => qr/./ }]),
    'an empty object is refused');
answers(put({ id => $record->{id}, createdAt => $record->{createdAt} }), 400, undef,
    'id and createdAt alone are refused');
answers(put({ colour => 'red' }), 400, undef, 'an unknown field alone is refused');
stored('the refused updates change nothing');

answers(put({ price => 3, colour => 'red' }), 200, updated(price => 3), 'the server ignores an unknown field',
    'catalog-ignored' => 'colour');
answers(put({ price => 4, colour => 'red' }, headers => { Prefer => 'handling=strict' }), 400,
    invalid(colour => 'unknown'), 'Prefer: handling=strict refuses an unknown field');
$record->{price} = 3;
answers(api(PUT => "$path/", { price => 3 }, token => $token), 200, updated(), 'a trailing slash is accepted');

my $unknown = { success => false, message => qr/product not found/i };
answers(api(PUT => "/products/$_", { price => 1 }, token => $token), 404, $unknown, 'an unknown id gets a 404')
    for '01a1fd8d-47a8-77ac-9778-38d2c78c295b', twin_of($record->{id});
answers(api(PUT => '/products/1', { price => 1 }, token => $token), 404, $unknown, 'a malformed id gets a 404');
answers(api(PUT => $path, { price => 9 }), 401, refusal(error => qr/./), 'an update without a token is refused');
answers(api(PUT => '/products/1', { price => 9 }), 401, refusal(error => qr/./),
    'a missing token is reported before an unknown product');
stored('the product is unchanged');

done_testing;
