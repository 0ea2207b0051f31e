# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: PUT /products/:id
# route: PATCH /products/:id
# route: DELETE /products/:id
# case: 22
# RFC 9110 13: conditional reads and writes.
use CatalogTest;

my $server = server(mount => 'SetOutputFilter DEFLATE')->start;
my $token = register($server)->{token};
my $other = '"0123456789abcdef"';
my $failed = refusal(message => 'Precondition failed', error => qr/If-Match/);

sub ask { my ($method, $path, %headers) = @_; $server->api($method => $path, headers => \%headers) }
sub put { my ($path, $body, %headers) = @_; $server->api(PUT => $path, $body, token => $token, headers => \%headers) }
sub patch { my ($path, $body, %headers) = @_; $server->api(PATCH => $path, $body, token => $token, headers => \%headers) }
sub remove { my ($path, %headers) = @_; $server->api(DELETE => $path, token => $token, headers => \%headers) }
sub made { $server->api(POST => '/products', { name => 'Kettle', price => 1, @_ }, token => $token) }
sub path_of { "/products/$_[0]{json}{data}{id}" }
sub tag { ask(GET => $_[0])->{headers}{etag} }

# ---- tags ----

my $created = made();
my $path = path_of($created);
my $tag = tag($path);
my $stored = ask(GET => $path)->{json};
my %headers = (etag => $tag, 'cache-control' => 'no-cache', vary => 'Accept-Encoding');

like($tag, qr/^"[0-9a-f]{16}"$/, "a product's tag is strong");
is($created->{headers}{etag}, $tag, 'POST returns the tag');
is($created->{headers}{'cache-control'}, 'no-store', 'no cache stores the answer to a write');
answers(ask(GET => $path), 200, undef, 'the tag stays while nothing changes', %headers);
answers(ask(HEAD => $path), 200, '', 'HEAD has the tag', %headers);
my %seen = ($tag => 1);
for my $change ({ name => 'Pot' }, { price => 2 }, { category => 'x' }, { inStock => false }, { rating => 1 }) {
    answers(put($path, $change), 200, undef, 'an update has no tag: its body was not stored as it came', etag => undef);
    ok(!$seen{ tag($path) }++, "a change of @{[ keys %$change ]} changes the tag");
}
put($path, { name => 'Kettle', price => 1, category => '', inStock => true, rating => undef });
is(tag($path), $tag, 'the same state has the same tag');

my $list = tag('/products');
like($list, qr{^W/"[0-9a-f]{16}"$}, "a list's tag is weak");
isnt(tag('/products?limit=1'), $list, 'another page of the list has another tag');
isnt(tag('/products?cursor='), $list, 'a page behind a cursor has another tag');
answers(ask(GET => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b', 'If-None-Match' => '*'), 404, undef,
    'a failed request has no tag',
    etag => undef, 'cache-control' => 'no-cache');
answers(ask(GET => '/health/live', 'If-None-Match' => '*'), 200, undef, 'a resource that is no product has no tag', etag => undef);

# ---- reading ----

for ($tag, "W/$tag", '*', "$other, $tag", "$other,W/$tag", qq("a,b" , $tag), $tag =~ s/"$/-gzip"/r, $tag =~ s/"$/-br"/r) {
    answers(ask(GET => $path, 'If-None-Match' => $_), 304, '', "If-None-Match: $_ gets a 304", %headers, 'content-type' => undef,
        'content-length' => undef);
}
answers(ask(HEAD => $path, 'If-None-Match' => $tag), 304, '', 'HEAD with If-None-Match gets a 304', etag => $tag);
for ($other, 'W/' . $other, $tag =~ tr/"//dr, substr($tag, 0, -1), $tag =~ s/"$/0"/r, $tag =~ s/"$/-"x/r, '""', '', ',', 'W/',
    "nonsense, $tag", uc $tag, "w/$tag") {
    answers(ask(GET => $path, 'If-None-Match' => $_), 200, $stored, "If-None-Match: $_ gets the product", %headers);
}
for ($list, $list =~ s{^W/}{}r, '*') {
    answers(ask(GET => '/products', 'If-None-Match' => $_), 304, '',
        "If-None-Match: $_ on a list gets a 304", %headers, etag => $list);
}
answers(ask(GET => $path, 'If-Match' => $tag), 200, $stored, 'GET with a matching If-Match is served');
answers(ask(GET => $path, 'If-Match' => $other), 412, $failed, 'GET with another If-Match gets a 412', etag => undef);
answers(ask(GET => $path, 'If-Match' => $other, 'If-None-Match' => $tag), 412, $failed,
    'If-Match is evaluated before If-None-Match');
answers(ask(GET => '/products', 'If-Match' => $list), 412, $failed, 'a weak tag never matches If-Match');
my $past = 'Sat, 01 Jan 2000 00:00:00 GMT';
answers(ask(GET => $path, 'If-Modified-Since' => 'Fri, 01 Jan 2100 00:00:00 GMT', 'If-Unmodified-Since' => $past), 200, $stored,
    'conditions on a time are ignored');

my $zipped = ask(GET => $path, 'Accept-Encoding' => 'gzip');
is("$zipped->{headers}{'content-encoding'} $zipped->{headers}{etag}", 'gzip ' . $tag =~ s/"$/-gzip"/r, 'mod_deflate changes the tag');
answers(ask(GET => $path, 'Accept-Encoding' => 'gzip', 'If-None-Match' => $zipped->{headers}{etag}), 304, '',
    'the changed tag gets a 304', %headers, etag => $zipped->{headers}{etag});

# However the administrator enables a content coding, the 304 has the fields of the 200.
for (['AddOutputFilterByType DEFLATE application/json', 'AddSuffix', 'gzip', '-gzip'],
    ['AddOutputFilterByType BROTLI_COMPRESS;DEFLATE application/json', 'AddSuffix', 'br', '-br'],
    ['SetOutputFilter DEFLATE', 'NoChange', 'gzip', ''],
    ['AddOutputFilterByType DEFLATE application/json', 'Remove', 'gzip', undef]) {
    my ($filter, $alter, $coding, $suffix) = @$_;
    my $site = server(mount => $filter, conf => "DeflateAlterETag $alter\n")->start;
    my $made = $site->api(POST => '/products', { name => 'x' x 200, price => 1 }, token => forge());
    my %tags = (path_of($made) => $made->{headers}{etag}, '/products' => $site->api(GET => '/products')->{headers}{etag});
    for my $path (sort keys %tags) {
        my $tag = $tags{$path};
        my $coded = defined $suffix ? $tag =~ s/"$/$suffix"/r : undef;
        my $get = sub { $site->api(GET => $path, headers => { 'Accept-Encoding' => $coding, @_ }) };
        my $name = "$filter, $alter, $path";
        my $full = $get->();
        my %same = (vary => 'Accept-Encoding', 'cache-control' => 'no-cache', etag => $coded);
        is($full->{headers}{'content-encoding'}, $coding, "$name: the answer is compressed");
        is($full->{headers}{etag}, $coded, "$name: the answer has the tag");
        answers($get->('If-None-Match' => $coded // $tag), 304, '', "$name: the 304 has the same fields", %same);
        answers($get->('If-None-Match' => $tag), 304, '', "$name: the 304 for the uncompressed tag has the same fields", %same);
        answers($site->api(GET => $path, headers => { 'If-None-Match' => $coded // $tag }), 304, '',
            "$name: the 304 without Accept-Encoding has the plain tag", %same, etag => $tag);
    }
}

# ---- writing ----

my %there = (etag => $tag, 'cache-control' => 'no-store');
for (['PUT', \&put], ['PATCH', \&patch]) {
    my ($method, $update) = @$_;
    answers($update->($path, { price => 5 }, 'If-Match' => $other), 412, $failed,
        "a $method with another tag gets a 412 with the product's tag", %there);
    answers($update->($path, { price => 5 }, 'If-Match' => "W/$tag"), 412, $failed, "a $method with a weak tag gets a 412", %there);
    answers($update->($path, { price => 5 }, 'If-None-Match' => '*'), 412, $failed,
        "$method: If-None-Match: * fails if the product exists", %there);
    answers($update->($path, { price => 5 }, 'If-None-Match' => "W/$tag"), 412, $failed,
        "$method: If-None-Match compares weakly", %there);
}
answers(put($path, { price => -1 }, 'If-Match' => $other), 400, undef, 'an invalid body is reported before the condition');
answers(remove($path, 'If-Match' => $other), 412, $failed, "a deletion with another tag gets a 412 with the product's tag", %there);
answers(remove($path, 'If-None-Match' => $tag), 412, $failed, 'a deletion with If-None-Match and the tag gets a 412');
answers(ask(GET => $path), 200, $stored, 'the refused requests change nothing', etag => $tag);

answers(put($path, { price => 6 }, 'If-Match' => "$other, $tag", 'If-None-Match' => $other), 200, undef,
    'an update with the tag succeeds');
my $refused = put($path, { price => 7 }, 'If-Match' => $tag);
answers($refused, 412, $failed, 'a second update with the same tag gets a 412', etag => tag($path));
my $patched = patch($path, { price => 6.5 }, 'If-Match' => $refused->{headers}{etag});
answers($patched, 200, undef, 'a PATCH with the tag of the 412 succeeds', 'cache-control' => 'no-store');
is($patched->{headers}{etag}, tag($path), 'its answer has the new tag');
answers(patch($path, { price => 6.5 }, 'If-Match' => $patched->{headers}{etag}), 200, undef,
    'a PATCH that changes nothing has the same tag', etag => $patched->{headers}{etag});
answers(put($path, { price => 7 }, 'If-Match' => '*'), 200, undef, 'If-Match: * matches any product');
answers(put($path, { price => 8 }, 'If-Match' => tag($path) =~ s/"$/-gzip"/r), 200, undef,
    'an update with the tag of the compressed answer succeeds');
answers(remove($path, 'If-Match' => tag($path)), 200, { success => true, message => qr/./ }, 'a deletion with the tag succeeds');
for ($tag, '*') {
    answers(remove($path, 'If-Match' => $_), 404, undef, "deleting a deleted product gets a 404, If-Match: $_");
    answers(put($path, { price => 1 }, 'If-Match' => $_), 404, undef, "updating a deleted product gets a 404, If-Match: $_");
}
answers($server->api(PUT => $path, { price => 1 }, headers => { 'If-Match' => $other }), 401, undef,
    'a missing token is reported before the condition');

# Of many clients that have read the same state, one writes.
for my $round (1 .. 4) {
    my $path = path_of(made());
    my $tag = tag($path);
    my @requests = map { [($_ % 2 ? 'PUT' : 'PATCH') => $path, { name => "n$_", price => $_ }] } 1 .. 11;
    my @answers = $server->burst(map { wire(@$_, token => $token, headers => { 'If-Match' => $tag }) } @requests, [DELETE => $path]);
    my ($good, @more) = grep { $_->{status} == 200 } @answers;
    my $left = ask(GET => $path);
    is(scalar @more, 0, "round $round: one write succeeds");
    is($left->{json}{data}{name}, $good->{json}{data}{name}, "round $round: the successful write is stored");
    ok(!(grep { $_->{status} !~ ($left->{status} == 404 ? qr/^(?:200|404|412)$/ : qr/^(?:200|412)$/) } @answers),
        "round $round: the other writes get a 412, or a 404 after the deletion");
}

done_testing;
