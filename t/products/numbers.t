# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# case: 48
# again: db
use CatalogTest;

my $token = token();
my $range = sub { return { success => false, message => qr/./, error => qr/./ } };

# as sent; as returned by POST and PUT, by id and in the list
my @exact = (
    ['19.99', '19.99'], ['0.1', '0.1'], ['0', '0'], ['-0', '0'], ['-0.0', '0'], ['5', '5'], ['5.0', qr/^5(\.0)?$/],
    ['1e2', qr/^100(\.0)?$/],
    ['0.30000000000000004', '0.30000000000000004'], ['1234567.891234568', '1234567.891234568'],
    ['9007199254740991', '9007199254740991'], ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'], ['1e21', qr/^1(?:\.0)?e\+?21$|^1000000000000000000000(?:\.0)?$/i],
    ['1.7976931348623157e308', qr/^1\.7976931348623157e\+?308$/i], ['5e-324', '5e-324'],
    ['2.2250738585072014e-308', qr/^2\.2250738585072014e-308$/i], ['0.000001', qr/^(?:0\.000001|1e-0?6)$/i],
    ['100', '100'], ['1e-323', '1e-323'], ['1.2345e-315', '1.2345e-315'], ['5.684341886080802e-14', '5.684341886080802e-14'],
    ['123456789.1234567', '123456789.1234567'], ['99999999999999.98', '99999999999999.98'], ['19.9900000000000000000000', '19.99'],
    ['100000000000000000000', '1e+20'], ['0.000000000000000000e-9', '0'], ['1.0E+2', qr/^100(\.0)?$/],
);
for (@exact) {
    my ($sent, $back) = @$_;
    my $made = api(POST => '/products', qq({"name":"n","price":$sent}), token => $token);
    my $path = "/products/$made->{json}{data}{id}";
    my $changed = api(PUT => $path, qq({"price":$sent}), token => $token);
    my @texts = map { $_->{body} =~ /"price":([^,}]+)/ } $made, $changed, api(GET => $path),
        api(GET => '/products?limit=1');

    like($texts[0], ref $back ? $back : qr/^\Q$back\E$/, "price $sent is returned as sent, or shorter");
    is_deeply([@texts[1 .. 3]], [($texts[0]) x 3], "price $sent is the same in each answer");
    cmp_ok($texts[0], '==', $sent, "price $sent is the same number");
    api(DELETE => $path, token => $token);
}

# Not a number in JSON, or too large for a double: the parser refuses the body, or validation the field.
my @refused = (
    ['1e400'], ['-1e400'], ['NaN'], ['Infinity'], ['-Infinity'], ['01'], ['+1'], ['.5'], ['5.'], ['0x10'], ['1e'],
    ['1,5'], ['1_000'],
    ['1' . '0' x 400], ['9223372036854775808', price => 'precision'],
    ['-1', price => 'too_small'], ['-0.0000001', price => 'too_small'], ['-9223372036854775808', price => 'too_small'],
    # other numbers than these would be stored
    (map { [$_, price => 'precision'] } '99999999999999.99', '123456789.123456789', '1234567.8912345678', '19.989999999999999999', '9007199254740993.0', '1e-400', '4e-324',
        '0.1000000000000000055511151231257827', '1.00000000000000000001e2'),
    ['{"":"99999999999999.99"}', price => 'precision'], ['{"":"x"}', price => 'type'], ['"99999999999999.99"', price => 'type'],
    ['"5"', price => 'type'], ['true', price => 'type'], ['[5]', price => 'type'], ['{"amount":5}', price => 'type'],
);
for (@refused) {
    my ($sent, @error) = @$_;
    my $answer = api(POST => '/products', qq({"name":"n","price":$sent}), token => $token);
    answers($answer, 400, @error ? invalid(@error) : $range->(), 'refused: ' . substr "price $sent", 0, 40);
}

# Only what is stored must be exact, and only a number is one.
my $ignored = api(POST => '/products', '{"name":"n","price":1,"place":[52.12345678901234567,{"x":1e-400}],"tax":99999999999999.99}', token => $token);
answers($ignored, 201, { success => true, message => qr/./, data => { %{ $ignored->{json}{data} } } }, 'what is ignored may be any number');
answers(api(POST => '/products', '{"name":99999999999999.99,"price":1,"category":"99999999999999.99","inStock":1e-400}', token => $token), 400,
    invalid(name => 'type', inStock => 'type'), 'in the place of a text or a boolean it is none');
like(api(POST => '/products', '{"name":"n","price":99999999999999.99}', token => $token)->{json}{errors}[0]{message}, qr/ 99999999999999\.98$/,
    'the message has the number that could be stored');
answers(api(PATCH => "/products/$ignored->{json}{data}{id}", '{"price":99999999999999.99}', token => $token), 400, invalid(price => 'precision'), 'PATCH refuses it');
my $batch = api(POST => '/products/batch', '{"operations":[{"op":"create","body":{"name":"n","price":99999999999999.99}}]}', token => $token);
is($batch->{json}{results}[0]{errors}[0]{code}, 'precision', 'so does an operation of a batch') or diag $batch->{body};
for (['text/csv', "name,price\nn,99999999999999.99\n"], ['application/x-ndjson', '{"name":"n","price":99999999999999.99}']) {
    my ($type, $file) = @$_;
    my $r = api(POST => '/products/import', $file, token => $token, headers => { 'Content-Type' => $type });
    is($r->{json}{errors}[0]{code}, 'precision', "so does an import of $type") or diag $r->{body};
}
answers(api(GET => "/products?$_->[0]=$_->[1]"), 400, invalid($_->[0] => 'precision'), "so does a condition: $_->[0]=$_->[1]")
    for ['price', '99999999999999.99'], ['price[gte]', '9007199254740993'], ['price[in]', '1,19.98999999999999999'];
is(api(GET => '/products?price=1.00000000000000000000')->{json}{pagination}{total}, 1, 'zeros at the end change no number');

# Ratings are numbers, too.
for my $sent ('4.7', '0.1', '3', '0', '5', '4.999999999999999') {
    my $made = api(POST => '/products', qq({"name":"n","price":1,"rating":$sent}), token => $token);
    like($made->{body}, qr/"rating":\Q$sent\E[,}]/, "rating $sent is returned as sent");
    like(api(GET => "/products/$made->{json}{data}{id}")->{body}, qr/"rating":\Q$sent\E[,}]/, "rating $sent is stored");
}
answers(api(POST => '/products', '{"name":"n","price":1,"rating":5.000000000000001}', token => $token), 400,
    invalid(rating => 'too_large'),
    'a rating just above five is refused');

done_testing;
