# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: POST /products/batch
# route: POST /users
# The grammar of Idempotency-Key: a string of RFC 8941, or the bare text; 1 to 255 characters.
use CatalogTest;

my $token = token();

sub create {
    my (@headers) = @_;
    my $bytes = wire(POST => '/products', { name => 'x', price => 1 }, token => $token);
    $bytes =~ s/\r\n/join '', "\r\n", map { "Idempotency-Key: $_\r\n" } @headers/e;
    return talk($bytes);
}

my $run = fresh('key');
my @good = (
    ['a string', qq("$run")],
    ['a string with blanks, commas and semicolons', qq("$run a, b; c")],
    ['a string with escaped quotation marks and backslashes', qq("$run \\"\\\\\\"")],
    ['a string in white space', qq(   "$run-s"\t)],
    ['bare text', "$run-bare"],
    ['bare text with punctuation', "$run-bare:/=+@!#\$%&'*.^_`|~()<>?[]{}"],
    ['one character', '"1"'],
    ['one bare character', '2'],
    ['255 characters', '"' . substr("$run" . 'x' x 255, 0, 255) . '"'],
    ['255 bare characters', substr("$run" . 'y' x 255, 0, 255)],
    ['255 characters, each escaped', '"' . '\\"' x 255 . '"'],
);
for (@good) {
    my ($name, $header) = @$_;
    my $first = create($header);
    answers($first, 201, undef, "$name is a key", 'idempotency-replayed' => undef);
    answers(create($header), 201, $first->{body}, "$name is found again", 'idempotency-replayed' => 'true');
}
answers(create($run), 201, undef, 'a string and the same text bare are one key', 'idempotency-replayed' => 'true');

my $refusal = refusal(message => 'Invalid Idempotency-Key', error => qr/255 characters/);
my @bad = (
    ['an empty header', ''],
    ['an empty string', '""'],
    ['256 characters', '"' . 'x' x 256 . '"'],
    ['256 bare characters', 'x' x 256],
    ['a string without an end', '"abc'],
    ['a string that ends in an escape', '"abc\\"'],
    ['an escape of another character', '"a\\bc"'],
    ['text after the string', '"abc"d'],
    ['two strings', '"abc" "def"'],
    ['a list', '"abc", "def"'],
    ['a parameter', '"abc";v=1'],
    ['a quotation mark in bare text', 'a"b'],
    ['a backslash in bare text', 'a\\b'],
    ['a blank in bare text', 'a b'],
    ['a comma in bare text', 'a,b'],
    ['a semicolon in bare text', 'a;b'],
    ['UTF-8 in a string', "\"k\xc3\xa4se\""],
    ['UTF-8 in bare text', "k\xc3\xa4se"],
    ['a tab in a string', "\"a\tb\""],
    ['two headers', '"abc"', '"abc"'],
    ['two bare headers', 'abc', 'abc'],
);
my $count = main->database->selectrow_array('SELECT COUNT(*) FROM products');
for (@bad) {
    my ($name, @headers) = @$_;
    answers(create(@headers), 400, $refusal, "$name is refused", 'idempotency-replayed' => undef);
}
is(main->database->selectrow_array('SELECT COUNT(*) FROM products'), $count, 'and creates nothing');

# The header is judged before the body is: a client that waits for "100 Continue" does not send it.
my $waiting = wire(POST => '/products', token => $token, headers => { 'Idempotency-Key' => '""', Expect => '100-continue',
    'Content-Type' => 'application/json', 'Content-Length' => 20 });
my $answer = talk($waiting, cut => 1);
answers($answer, 400, $refusal, 'a bad key is refused before the body is sent');
unlike($answer->{text}, qr/100 Continue/, 'without 100 Continue');
answers(api(POST => '/users', { username => fresh(), email => fresh() . '@example.com', password => 'correct horse' },
    headers => { 'Idempotency-Key' => '""' }), 400, $refusal, 'so it is on every route that takes the header');
answers(api(POST => '/products/batch', { operations => [{ op => 'create', body => { name => 'x', price => 1 } }] }, token => $token,
    headers => { 'Idempotency-Key' => '""' }), 400, $refusal, 'batches included');

done_testing;
