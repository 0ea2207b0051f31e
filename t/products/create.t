# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# case: 49 50
use utf8;
use CatalogTest;

my $token = token();
my %full = (name => 'Kettle', price => 19.99, category => 'Kitchen', inStock => false, rating => 4.5);
my %least = (name => 'Kettle', price => 5);
my %least_made = (%least, category => '', inStock => true);

sub create { api(POST => '/products', $_[0], token => $token, @_[1 .. $#_]) }
sub created { return { success => true, message => qr/./, data => { @_, id => $ID, createdAt => $TIME } } }

my $made = create(\%full);
answers($made, 201, created(%full), 'every field', location => qr{^/api/products/$made->{json}{data}{id}$});
answers(create(\%least), 201, created(%least_made), 'the minimal record: absent fields get their defaults, rating stays absent');
answers(api(GET => "/products/$made->{json}{data}{id}"), 200, { success => true, data => $made->{json}{data} },
    'the product is stored as in the answer');

# name of the case, changes to the minimal record, the result
my @good = (
    ['one character', name => 'x'],
    ['200 characters', name => 'x' x 200],
    ['200 characters of four bytes', name => '🫖' x 200],
    ['100 characters of category', category => 'ü' x 100],
    ['an empty category', category => ''],
    ['a price of zero', price => 0],
    ['the best rating', rating => 5],
    ['the worst rating', rating => 0],
    ['not in stock', inStock => false],
    ['white space about a name', name => "  a kettle\t"],
    ['white space alone is a category', category => '   '],
);
answers(create({ %least, @$_[1, 2] }), 201, created(%least_made, @$_[1, 2]), "accepted: $_->[0]") for @good;

my @bad = (
    ['no name', { price => 1 }, name => 'required'],
    ['no price', { name => 'x' }, price => 'required'],
    ['name null', { %least, name => undef }, name => 'null'],
    ['name empty', { %least, name => '' }, name => 'too_short'],
    ['name blank', { %least, name => '   ' }, name => 'blank'],
    ['name of other white space', { %least, name => "\t\n " }, name => 'blank'],
    ['name of 201 characters', { %least, name => 'x' x 201 }, name => 'too_long'],
    ['name of 255 characters', { %least, name => 'x' x 255 }, name => 'too_long'],
    ['name of 256 characters', { %least, name => 'x' x 256 }, name => 'too_long'],
    ['name a number', { %least, name => 5 }, name => 'type'],
    ['name a list', { %least, name => ['x'] }, name => 'type'],
    ['price null', { %least, price => undef }, price => 'null'],
    ['price below zero', { %least, price => -0.01 }, price => 'too_small'],
    ['price a text', { %least, price => '5' }, price => 'type'],
    ['price a boolean', { %least, price => true }, price => 'type'],
    ['category null', { %least, category => undef }, category => 'null'],
    ['category of 101 characters', { %least, category => 'x' x 101 }, category => 'too_long'],
    ['category an object', { %least, category => {} }, category => 'type'],
    ['inStock a number', { %least, inStock => 1 }, inStock => 'type'],
    ['inStock a text', { %least, inStock => 'true' }, inStock => 'type'],
    ['inStock null', { %least, inStock => undef }, inStock => 'null'],
    ['rating above five', { %least, rating => 5.01 }, rating => 'too_large'],
    ['rating below zero', { %least, rating => -1 }, rating => 'too_small'],
    ['rating a text', { %least, rating => '3' }, rating => 'type'],
    ['nothing at all', {}, name => 'required', price => 'required'],
    ['everything at once', { name => '', price => -1, category => 'x' x 101, inStock => 'no', rating => 6 },
        category => 'too_long', inStock => 'type', name => 'too_short', price => 'too_small', rating => 'too_large'],
);
for (@bad) {
    my ($name, $body, @errors) = @$_;
    answers(create($body), 400, invalid(@errors), "refused: $name");
}

my $error = create({ name => '', price => -1 })->{json}{error};
like($error, qr/name .*price /, 'error names all faults in a sentence');

answers(create({ %least, rating => undef }), 201, created(%least_made), 'a rating that is null is absent');

# Fields that only the server sets.
my $copy = create($made->{json}{data});
answers($copy, 201, created(%full), 'a record that was read can be sent', 'catalog-ignored' => undef);
isnt($copy->{json}{data}{id}, $made->{json}{data}{id}, 'the copy gets an id of its own');
answers(create({ %least, id => 5, createdAt => [] }), 201, created(%least_made), 'invalid values of these fields are ignored',
    'catalog-ignored' => undef);

# Unknown fields.
answers(create({ %least, colour => 'red' }), 201, created(%least_made), 'an unknown field is not stored',
    'catalog-ignored' => 'colour');
my $ignored = create('{"name":"x","price":1,"b":1,"a b,c":2,"\u00fc\r\n":3}')->{headers}{'catalog-ignored'};
is($ignored, 'b, a%20b%2Cc, %C3%BC%0D%0A',
    'unknown fields are named in order, encoded where a header cannot hold them');
my %strict = (headers => { Prefer => 'handling=strict' });
answers(create({ %least, colour => 'red' }, %strict), 400, invalid(colour => 'unknown'),
    'Prefer: handling=strict refuses unknown fields');
is(create({ %least, in_stok => 1 }, %strict)->{json}{error}, 'in_stok is not a known field; did you mean inStock?', 'and suggests a similar one');
answers(create({ %least, colour => 'red', name => '' }, %strict), 400,
    invalid(colour => 'unknown', name => 'too_short'), 'the answer lists unknown fields with the other errors');
answers(create({ %least, id => 'x', createdAt => 'y' }, %strict), 201, created(%least_made),
    'Prefer: handling=strict accepts id and createdAt',
    'preference-applied' => 'handling=strict');
answers(create({ %least, colour => 1 }, headers => { Prefer => 'handling=lenient' }), 201, created(%least_made),
    'lenient is the default');

# Who may create products.
my $body = { %least, name => fresh() };
answers(api(POST => '/products', $body), 401, refusal(error => qr/./), 'a creation without a token is refused',
    'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
my $total = sub { api(GET => '/products')->{json}{pagination}{total} };
my $before = $total->();
create({}), api(POST => '/products', $body), create('{');
is($total->(), $before, 'a refused request stores nothing');

done_testing;
