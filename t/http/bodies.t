# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: POST /register
# route: POST /users
# case: 38 40 41 45 46
use CatalogTest;

my $token = token();
my $id = api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id};
my @routes = ([POST => '/products'], [PUT => "/products/$id"], [POST => '/register'], [POST => '/users']);
my $total = sub { api(GET => '/products?limit=1')->{json}{pagination}{total} };
my $malformed = refusal(error => qr/./);

# JSON, but not an object.
for my $route (@routes) {
    my $name = $route->[1] =~ s/$id/:id/r;
    for my $body ('null', '[]', '"x"', '5', 'true', '[{"name":"x","price":1}]') {
        answers(api(@$route, $body, token => $token), 400, invalid('' => 'type'), "$route->[0] $name with $body gets 400");
    }
    answers(api(@$route, '', token => $token), 400, $malformed, "$route->[0] $name with an empty body gets 400");
    answers(api(@$route, token => $token, headers => { 'Content-Type' => 'application/json' }), 400, $malformed,
        "$route->[0] $name without a body gets 400");
}

# Not JSON.
my @broken = (
    ' ', '{', '}', '{]', '[}', '{"name"}', '{"name":}', '{"name":"x"', '{"name":"x",}', '{,"name":"x"}',
    '{"name":"x" "price":1}', '{name:"x"}', "{'name':'x'}",
    '{"name":"x","price":1}}', '{"name":"x","price":1} x', '{"name":"x","price":1}{"name":"y","price":1}',
    '{"name":"x","price":1}' . "\0", "\0",
    '{"name":"x","price":1} // comment', '{"name":"x",/* comment */"price":1}',
    "\xef\xbb\xbf" . '{"name":"x","price":1}', '{"name":"x","price":1,"rating":undefined}',
    '{"name":"x","price":True}', '{"name":"x","price":nul}', '{"name":"x\",price":1',
    '{"name":"x","price":1,"a":"\ud800"}', '{"na\u0000me":"x"}', '{"":', '{"name":"x","price":1,"a":[1,]}',
    'name=x&price=1', '<product/>', '{"name":"x","price":1,"a":' . '[' x 40 . ']' x 40 . '}', '[' x 60000,
    '{"a":' x 10000, '"' . 'x' x 60000, "{\"name\":\"\xff\",\"price\":1}",
    '{"name":"x","price":1,"\xff":1}',
);
my $before = $total->();
answers(api(POST => '/products', $_, token => $token), 400, $malformed,
    'malformed JSON is refused: ' . (substr($_, 0, 50) =~ s/[^ -~]/?/gr)) for @broken;
is($total->(), $before, 'no refused product is stored');

# Duplicate keys.
for ('{"name":"x","name":"y","price":1}', '{"name":"x","price":1,"price":1}', '{"name":"x","n\u0061me":"y","price":1}',
    '{"name":"x","price":1,"a":{"b":1,"b":2}}') {
    answers(api(POST => '/products', $_, token => $token), 400, $malformed, "duplicate keys are refused: $_");
}
answers(api(POST => '/products', '{"name":"x","price":1,"a":' . '[' x 20 . ']' x 20 . '}', token => $token), 201,
    undef, 'arrays of depth 20 are accepted',
    'catalog-ignored' => 'a');
answers(api(POST => '/products', qq(\r\n\t {"name" :\n"x",\t"price": 1 }\r\n), token => $token), 201, undef,
    'white space is accepted');

# Size: the server accepts 64 KiB and refuses one byte more, with Content-Length or chunked.
sub of_size {
    my $json = '{"name":"x","price":1,"pad":""}';
    substr($json, -2, 0) = 'x' x ($_[0] - length $json);
    return $json;
}
sub chunked {
    my ($body, $size) = @_;
    return join '', (map { sprintf "%x\r\n%s\r\n", length, $_ } unpack "(a$size)*", $body), "0\r\n\r\n";
}
my %chunked = (headers => { 'Transfer-Encoding' => 'chunked', 'Content-Length' => undef });
sub chunked_request {
    my $head = wire(POST => '/products', '',
        token => $token) =~ s/Content-Length: 0\r\n/Transfer-Encoding: chunked\r\n/r;
    return $head . $_[0];
}
my $large = { success => false, message => qr/too large/i };
my ($at, $over) = map { of_size($_) } 65536, 65537;
answers(api(POST => '/products', $at, token => $token), 201, undef, '64 KiB are accepted');
answers(api(POST => '/products', $over, token => $token), 413, $large, '64 KiB and one byte are refused');
answers(talk(chunked_request(chunked($at, 1000))), 201, undef, '64 KiB in chunks are accepted');
answers(talk(chunked_request(chunked($over, 1000))), 413, $large, '64 KiB and one byte in chunks are refused');
answers(talk(chunked_request(chunked('x' x 1048576, 8192))), 413, $large, '1 MiB in chunks is refused');
answers(api(POST => '/products', '{"name":"' . 'x' x 1048576 . '","price":1}', token => $token), 413, $large,
    'a name of 1 MiB is refused');
answers(talk(wire(POST => '/products', 'x', token => $token, headers => { 'Content-Length' => 99999999999 }),
    cut => 1), 413, $large, 'a Content-Length of 100 GB is refused');
answers(talk(chunked_request(chunked('{"name":"x","price":1}', 1))), 201, undef, 'chunks of one byte are accepted');

# Truncated or malformed: 400, nothing is stored, and the rest is not read as a second request.
$before = $total->();
my $ok = '{"name":"x","price":1}';
my $smuggled = wire(POST => '/products', $ok, token => $token);
my @cut = (
    ['shorter than its length', wire(POST => '/products', $ok, token => $token,
        headers => { 'Content-Length' => 100 })],
    ['valid so far, shorter than its length',
        wire(POST => '/products', $ok, token => $token, headers => { 'Content-Length' => 23 })],
    ['cut within a chunk', chunked_request("20\r\n$ok")],
    ['cut before the last chunk', chunked_request("16\r\n$ok\r\n")],
    ['no size of a chunk', chunked_request("xyz\r\n$ok\r\n0\r\n\r\n")],
    ['a size below zero', chunked_request("-16\r\n$ok\r\n0\r\n\r\n")],
    ['a chunk longer than its size', chunked_request("10\r\n$ok\r\n0\r\n\r\n")],
    ['a size beyond all bounds', chunked_request("ffffffffffffffffff\r\n$ok\r\n0\r\n\r\n")],
);
for (@cut) {
    my ($name, $bytes) = @$_;
    my $r = talk($bytes, cut => 1);
    ok($r->{status} == 400 || $r->{status} == 413, "$name: $r->{status}");
    answers($r, $r->{status}, undef, "$name: the answer is JSON");
    is($r->{rest}, '', "$name: the server answers once");
}
for ('Content-Length: x', 'Content-Length: -1', "Content-Length: 22\r\nContent-Length: 23", 'Transfer-Encoding: gzip',
    'Transfer-Encoding: chunked, identity') {
    my $r = talk(wire(POST => '/products', $ok, token => $token) =~ s/Content-Length: 22/$_/r . $smuggled);
    my $shown = s/\r\n/, /r;
    ok($r->{status} =~ /^(?:400|501)$/, "$shown: $r->{status}");
    answers($r, $r->{status}, undef, "$shown: the answer is JSON");
    is($r->{rest}, '', "$shown: the server answers once");
}
is($total->(), $before, 'no refused product is stored');

my $both = talk(chunked_request("16\r\n$ok\r\n0\r\n\r\n$smuggled") =~ s/\r\n/\r\nContent-Length: 5\r\n/r);
ok($both->{status} == 201 || $both->{status} == 400, "both lengths: $both->{status}");
is($both->{rest}, '', 'both lengths: the server answers once');
is($total->(), $before + ($both->{status} == 201), 'both lengths: at most one product is created');

done_testing;
