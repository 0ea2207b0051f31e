# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# case: 31 56
# httpd's own refusals of requests below the mount are JSON, too.
use CatalogTest;

my $id = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
my $get = sub { talk("GET $_[0] HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") };

my @paths = (
    ['an encoded slash', '/api/products%2F1', 404], ['an encoded slash in an id', "/api/products/$id%2f", 404],
    ['NUL in an id', '/api/products/%00', '40[04]'], ['NUL behind an id', "/api/products/$id%00", '40[04]'],
    ['a percent sign alone', '/api/products/%', 400], ['no hexadecimal digits', '/api/products/%zz', 400],
    ['cut off', '/api/products/%4', 400],
    ['a backslash', '/api/products/\\', '40[04]'], ['braces', '/api/products/{id}', '40[04]'],
    ['a caret', '/api/products/^', '40[04]'], ['a quote', '/api/products/"', '40[04]'],
    ['the longest path allowed', '/api/products/' . 'x' x 8100, 404],
    ['two slashes', '/api/products//1', 404], ['only dots left', '/api/products/.', '(?:200|404)'],
    ['a path out of the mount and back', '/api/x/../products', 200], ['two slashes before', '//api/products', 200],
    ['two slashes within', '/api//products', 200], ['a dot within', '/api/./products', 200],
    ['encoded dots', '/api/x/%2e%2e/products', 200],
    ['a path parameter', '/api/products;y=1', 404], ['an encoded letter', '/api/product%73', 200],
    ['absolute form', 'http://x/api/products', 200],
);
for (@paths) {
    my ($name, $path, $status) = @$_;
    my $r = $get->($path);
    like($r->{status}, qr/^$status$/, "$name: $r->{status}");
    answers($r, $r->{status}, undef, "$name: the answer is JSON");
}

# Requests that httpd refuses before it maps the path: JSON if the path is known.
my $long = $get->('/api/products?' . 'x' x 9000);
answers($long, 414, refusal(), 'a request line that is too long gets 414', connection => qr/close/i);

my @broken = (
    ['a header without a colon', "GET /api/products HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n"],
    ['a header with a space in its name', "GET /api/products HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n"],
    ['a header that is too long', "GET /api/products HTTP/1.1\r\nHost: x\r\nX: " . 'x' x 9000 . "\r\n\r\n"],
    ['a token that is too long for a header',
        "GET /api/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " . 'x' x 9000 . "\r\n\r\n"],
    ['too many headers', "GET /api/products HTTP/1.1\r\nHost: x\r\n" . "X: x\r\n" x 150 . "\r\n"],
    ['no Host', "GET /api/products HTTP/1.1\r\n\r\n"],
    ['a broken Host', "GET /api/products HTTP/1.1\r\nHost: a b\r\n\r\n"],
    ['two Hosts', "GET /api/products HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ['a control in a header', "GET /api/products HTTP/1.1\r\nHost: x\r\nX: a\x01b\r\n\r\n"],
);
for (@broken) {
    my ($name, $bytes) = @$_;
    answers(talk($bytes, cut => 1), 400, refusal(error => qr/./), "$name gets 400");
}

# HTTP/1.0 works.
answers(talk("GET /api/products?limit=1 HTTP/1.0\r\n\r\n"), 200, undef, 'an HTTP/1.0 request is served');

# Each answer has a unique id, which is also in the error log.
my %ids = map { $_->{headers}{'x-request-id'} => 1 } map { (api(GET => '/products'), api(GET => '/nothing'),
    api(POST => '/products')) } 1 .. 5;
is(scalar keys %ids, 15, 'request ids differ');
my $asked = api(GET => '/products', headers => { 'X-Request-Id' => 'mine' });
isnt($asked->{headers}{'x-request-id'}, 'mine', 'a client cannot choose the request id');
my $id_there = qr/request=\Q$asked->{headers}{'x-request-id'}\E/;
ok(wait_until(5, sub { main->access_text =~ $id_there }), 'the access log has the request id');

# The server ignores Range and date conditions.
answers(api(GET => '/products?limit=1', headers => { Range => 'bytes=0-1' }), 200, undef, 'Range is ignored');
answers(api(GET => '/products?limit=1', headers => { 'If-Modified-Since' => 'Sat, 21 Nov 2099 09:30:00 GMT' }), 200,
    undef, 'If-Modified-Since is ignored');

expect_log(qr/AH10244: invalid URI path/);
done_testing;
