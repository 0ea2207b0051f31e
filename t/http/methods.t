# SPDX-License-Identifier: Apache-2.0
# route: GET /
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: PATCH /products/:id
# route: DELETE /products/:id
# route: POST /register
# route: POST /users
# case: 58
use CatalogTest;

my $token = token();
my $id = api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id};

my %allow = (
    '' => 'GET, HEAD, OPTIONS',
    '/products' => 'GET, HEAD, POST, OPTIONS',
    "/products/$id" => 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    '/register' => 'POST, OPTIONS',
    '/users' => 'GET, HEAD, POST, OPTIONS',
    '/users/x' => 'GET, HEAD, PATCH, DELETE, OPTIONS',
);
sub methods { join ', ', sort split /, */, $_[0] // '' }

for my $path (sort keys %allow) {
    my $allow = methods($allow{$path});
    my $same = sub { methods($_[0]) eq $allow };
    (my $shown = $path) =~ s/$id/:id/;

    my $patches = $allow =~ /PATCH/ ? 'application/merge-patch+json, application/json' : undef;
    for my $slash ('', '/') {
        answers(api(OPTIONS => "$path$slash"), 204, '', "OPTIONS $shown$slash has the allowed methods", allow => $same,
            'content-type' => undef, 'accept-patch' => $patches);
    }
    answers(api(OPTIONS => $path, token => 'nonsense'), 204, '', "OPTIONS $shown needs no token", allow => $same);
    for my $method (grep { $allow !~ /\b$_\b/ } qw(GET HEAD POST PUT DELETE PATCH TRACE FOO PROPFIND get)) {
        my $body = $method eq 'HEAD' ? '' : { success => false, message => qr/./ };
        answers(api($method => $path, token => $token), 405, $body, "$method $shown gets 405", allow => $same);
        answers(api($method => $path), 405, $body, "$method $shown without a token gets 405", allow => $same);
    }
}

for my $path ('/products', "/products/$id", '/products?limit=1', '/products/nothing', '/nothing', '/users') {
    my ($get, $head) = (api(GET => $path), api(HEAD => $path));
    (my $shown = $path) =~ s/$id/:id/;
    my %same = map { $_ => $get->{headers}{$_} } qw(content-type content-length allow cache-control);
    answers($head, $get->{status}, '', "HEAD $shown is GET without the body", %same);
}

my $unknown = { success => false, message => qr/./ };
for my $path ('/nothing', '/product', '/products/x/y', '/registers', '/users/x/y', '/Products', '/productsx') {
    answers(api($_ => $path, token => $token), 404, $_ eq 'HEAD' ? '' : $unknown,
        "$_ $path is no route") for qw(GET HEAD POST OPTIONS PATCH FOO);
}

# The mount itself says what is there; each link leads to something.
my $entry = api(GET => '');
answers($entry, 200, { success => true, data => { name => 'mod_catalog', version => qr/^\d+\.\d+\.\d+$/, links => sub { 1 } } },
    'GET of the mount', etag => qr/^"/);
is(api(GET => '/')->{body}, $entry->{body}, 'a slash at its end makes no difference');
my %links = %{ $entry->{json}{data}{links} };
is(delete $links{pages}, 'https://shop.test/base/', 'the pages are where CatalogBaseURL says');
is(delete $links{docs}, 'https://shop.test/base/api.html', 'one of them explains the API');
is(join(' ', map { "$_ " . api(GET => $links{$_}, mount => '')->{status} } sort keys %links), join(' ', map { "$_ 200" } sort keys %links),
    'each link leads to a route');
is_deeply([grep { !$links{$_} } qw(products categories health problems openapi)], [], 'the links for a beginning are there');

my %without = %{ server(mount => '')->start->api(GET => '')->{json}{data}{links} };
is_deeply([sort keys %without], [sort keys %links], 'without CatalogBaseURL no link leads to a page');

# The asterisk form addresses the server, not a mount.
my $star = talk("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
is($star->{status}, 200, 'OPTIONS * is served');

my $off = server(conf => 'TraceEnable Off')->start;
for my $path ('/products', '/nothing') {
    my $r = $off->api(TRACE => $path);
    ok($r->{status} =~ /^40[45]$/, "TRACE $path with TraceEnable Off is refused");
    answers($r, $r->{status}, $unknown, "TRACE $path with TraceEnable Off gets a JSON answer");
}

done_testing;
