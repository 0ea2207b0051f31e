# SPDX-License-Identifier: Apache-2.0
# route: POST /products/:id/images
# route: DELETE /products/:id/images/:image
# route: GET /images/:name
# again: mysql
# Pictures of products: how they are added, made, named, ordered and deleted, and how their files are sent.
use utf8;
use CatalogTest;
use CatalogTest::Image qw(png flat profile picture convert command exif with_segment chunks size_of pixel %TYPE used_images);

my $pictures = <<'END';
CatalogImages     On
    CatalogImageCache "@dir@/data"
    CatalogField      sku string unique
    CatalogField      changed modified
    CatalogField      cost number private
END
my $server = server(mount => $pictures, conf => <<"END")->start;
CatalogImageJobs 2
<Location "/other">
    CatalogEnable     On
    CatalogKeyFile    @{[ key_path() ]}
    $pictures
</Location>
END
my $user = register($server);
my $token = $user->{token};
my $cache = $server->dir . '/data';
my $db = $server->database;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub made { return ask(POST => '/products', { name => 'Kettle', price => 1, @_ })->{json}{data} }
sub stored { return ask(GET => "/products/$_[0]{id}")->{json}{data} }

is($server->api(GET => '/products?images[exists]=true')->{json}{errors}[0]{message}, 'has no conditions', 'pictures have no conditions');

# Sends a picture.
sub send_picture {
    my ($product, $data, $kind, $query, %headers) = @_;
    my $id = ref $product ? $product->{id} : $product;
    return ask(POST => "/products/$id/images" . ($query ? "?$query" : ''), $data, headers => { 'Content-Type' => $TYPE{$kind}, %headers });
}

sub url { my ($id, $width) = @_; return "/api/images/$id-$width.webp" }
sub get { my ($url, %o) = @_; $url =~ s{^/api}{}; return $server->api(GET => $url, undef, %o) }
sub files { opendir my $in, $cache or die "$cache: $!\n"; return sort grep { /webp$/ } readdir $in }
sub rows { return join ' ', map { scalar $db->selectrow_array("SELECT COUNT(*) FROM $_") } used_images() }

# Each channel of a colour may differ by this much.
sub is_near {
    my ($got, $expected, $most, $name) = @_;
    return ok(@$got == @$expected && !grep({ abs($got->[$_] - $expected->[$_]) > $most } 0 .. $#$expected), $name) || diag("got @$got, expected @$expected");
}

# What an answer has of a picture: its size, and the sizes in which it is served.
sub image {
    my ($width, $height, $alt, @sizes) = @_;
    return {
        id => $ID, url => qr{^/api/images/[0-9a-f-]{36}-$width\.webp$}, width => $width, height => $height, alt => $alt,
        sizes => [map { { url => qr{^/api/images/[0-9a-f-]{36}-$_->[0]\.webp$}, width => $_->[0], height => $_->[1] } } @sizes, [$width, $height]],
    };
}

# ---- adding ----

my $kettle = made(sku => 'KT-1');
ok(!exists $kettle->{images}, 'a product has no pictures at first');
my $tag = ask(GET => "/products/$kettle->{id}")->{headers}{etag};
my $first = send_picture($kettle, png(1600, 1200), 'png', 'alt=From%20above%20%C3%A4');
answers($first, 201, { success => true, data => image(1600, 1200, 'From above ä', [320, 240], [640, 480], [1280, 960]), message => 'Picture added' },
    'a picture is added', location => qr{^/api/images/});
my $image = $first->{json}{data};
answers(ask(GET => "/products/$kettle->{id}"), 200, { success => true, data => { %{ stored($kettle) }, images => [$image] } }, 'the product has it');
isnt(ask(GET => "/products/$kettle->{id}")->{headers}{etag}, $tag, 'it has another ETag');
isnt(stored($kettle)->{changed}, $kettle->{changed}, 'and another time of its last change');
is_deeply(ask(GET => '/products')->{json}{data}[0]{images}, [$image], 'the list has it');
is_deeply(ask(GET => '/products/sku=KT-1?fields=images')->{json}{data}, { images => [$image] }, 'as one of the fields');
is_deeply($server->api(GET => "/products/$kettle->{id}")->{json}{data}{images}, [$image], 'so have those who may not write, behind the private fields');

for my $size (@{ $image->{sizes} }) {
    my $r = get($size->{url});
    is("$r->{status} " . size_of($r->{body}), "200 $size->{width}x$size->{height}", "its file is $size->{width} pixels wide");
    is(join(' ', chunks($r->{body})), 'VP8 ', 'and has nothing but the picture');
}

answers(send_picture('sku=KT-1', picture('jpg', 300, 500), 'jpg', 'position=1', 'Content-Type' => 'image/jpg'), 201,
    { success => true, data => image(300, 500, ''), message => 'Picture added' }, 'one is added by the name of the product, as the first');
my $images = stored($kettle)->{images};
is(join(' ', map { $_->{width} } @$images), '300 1600', 'it is the first');
answers(send_picture($kettle, picture($_, 640, 200), $_), 201, { success => true, data => image(640, 200, '', [320, 100]), message => 'Picture added' },
    "a picture may be $_") for qw(jpg webp avif gif);
is(scalar @{ stored($kettle)->{images} }, 6, 'all are there');
answers(send_picture($kettle, png(20, 20), 'gif'), 201, undef, 'what is in a file decides, not what it is called');

my $turned = send_picture($kettle, exif(picture('jpg', 400, 200), 6), 'jpg')->{json}{data};
is("$turned->{width}x$turned->{height}", '200x400', 'a photograph is turned upright');
my $file = get($turned->{url})->{body};
is(join(' ', chunks($file)), 'VP8 ', 'and has no place nor camera any more');
is_near([pixel($file, 150, 50)], [250, 0, 0], 4, 'what was at the left is at the top');

# case: colours
# Lossy WebP keeps the greys of a picture of one colour as they are, and changes other colours by up to 2 levels.
if (!$ENV{AGAIN}) {
    my @odd = (200, 100, 50);
    my @straight = (229, 168, 122); # @odd without the curve of sRGB
    my ($rgb, $grey) = map { profile($_) } 'RGB ', 'GRAY';
    my $jpg = sub { my ($colour, $profile) = @_; return with_segment(convert('jpg', flat($colour), 'Q=95,no-subsample'), 0xe2, "ICC_PROFILE\0\1\1$profile") };
    my $cmyk = command('jpg', flat(\@odd), 'icc_transform %s %s[Q=95] cmyk --input-profile srgb');
    my @case = (
        (map { ["grey $_", flat([$_, $_, $_]), [$_, $_, $_], 0] } 0, 30, 128, 255),
        (map { ["@$_", flat($_), $_, 2] } [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0], \@odd),
        ['16 bits', flat([30, 30, 30], bits => 16), [30, 30, 30], 0], ['16 bits of another colour', flat(\@odd, bits => 16), \@odd, 2],
        ['a transparent colour', flat([@odd, 200]), [@odd, 200], 2], ['a transparent grey', flat([30, 200], bits => 16), [30, 30, 30, 200], 0],
        ['one channel', flat([30]), [30, 30, 30], 0], ['a JPEG of one channel', convert('jpg', flat([128])), [128, 128, 128], 0],
        ['one channel with a profile', flat([128], profile => $grey), [188, 188, 188], 2], ['a JPEG of the same', $jpg->([128], $grey), [188, 188, 188], 2],
        ['one channel with a profile for three', flat([128], profile => $rgb), [128, 128, 128], 0], ['a JPEG of that', $jpg->([128], $rgb), [128, 128, 128], 0],
        ['one channel with a damaged profile', $jpg->([128], 'x' x 36 . 'acsp'), [128, 128, 128], 0],
        ['three channels with a profile for one', flat(\@odd, profile => $grey), \@odd, 2], ['a JPEG of those', $jpg->(\@odd, $grey), \@odd, 2],
        ['three channels with a damaged profile', flat(\@odd, profile => 'x' x 36 . 'acsp'), \@odd, 2],
        (map { ["a profile in $_->[0]", $_->[1], \@straight, 4] } ['PNG', flat(\@odd, profile => $rgb)], ['PNG of 16 bits', flat(\@odd, bits => 16, profile => $rgb)],
            ['JPEG', $jpg->(\@odd, $rgb)], ['WebP', convert('webp', flat(\@odd, profile => $rgb), 'lossless')], ['AVIF', convert('avif', flat(\@odd, profile => $rgb))]),
        ['CMYK', $cmyk, \@odd, 6], ['CMYK without a profile', command('jpg', $cmyk, 'copy %s %s[Q=95,strip]'), \@odd, 6]);
    my $painted = made();
    for (@case) {
        my ($name, $data, $colour, $most) = @$_;
        my $sent = send_picture($painted, $data, 'png');
        is($sent->{status}, 201, "$name: taken") or next;
        is_near([pixel(get($sent->{json}{data}{url})->{body}, 20, 20)], $colour, $most, "$name: its colours are those that were sent");
    }
    is(ask(DELETE => "/products/$painted->{id}")->{status}, 200, 'the product is deleted');
}

# ---- files ----

my $small = $image->{sizes}[0]{url};
my $whole = get($small);
is($whole->{headers}{'content-type'}, 'image/webp', 'a file has its type');
is($whole->{headers}{'cache-control'}, 'public, max-age=31536000, immutable', 'may be kept for ever');
is($whole->{headers}{'x-content-type-options'}, 'nosniff', 'and is taken for nothing else');
is(get($small, headers => { 'If-None-Match' => $whole->{headers}{etag} })->{status}, 304, 'a client that has it is told so');
is(get($small, headers => { 'If-Modified-Since' => $whole->{headers}{'last-modified'} })->{status}, 304, 'by its time, too');
my $part = get($small, headers => { Range => 'bytes=10-19' });
is("$part->{status} $part->{body}", '206 ' . substr($whole->{body}, 10, 10), 'a part of it can be asked for');
is(length get($small, headers => { Range => 'bytes=-1' })->{body}, 1, 'its end, too');
my $beyond = get($small, headers => { Range => 'bytes=' . length($whole->{body}) . '-' });
answers($beyond, 416, refusal(message => 'Range not satisfiable', error => qr/./), 'what is beyond its end cannot');
is($beyond->{headers}{'cache-control'}, undef, 'and is not kept for ever');
is(get($small, headers => { Range => 'bytes=10-19', 'If-Range' => $_->[0] })->{status}, $_->[1], "a part of $_->[2]")
    for [$whole->{headers}{etag}, 206, 'this state'], ['"x"', 200, 'another one is the whole'];
like(get($small, headers => { Range => 'bytes=0-1,4-5' })->{headers}{'content-type'}, qr{^multipart/byteranges}, 'several parts');
for my $condition (['If-Match' => '"x"'], ['If-Unmodified-Since' => 'Tue, 01 Jan 2019 00:00:00 GMT']) {
    my $failed = get($small, headers => {@$condition});
    answers($failed, 412, refusal(error => qr/./), "$condition->[0] that fails");
    is($failed->{headers}{'cache-control'}, undef, 'which is not kept for ever');
}
is(get($small, headers => { 'If-Match' => $whole->{headers}{etag} })->{status}, 200, 'If-Match of what is there');
is(get($small, headers => { 'If-None-Match' => qq("x", $whole->{headers}{etag}) })->{headers}{etag}, $whole->{headers}{etag}, 'a 304 has the ETag');
my $head = $server->api(HEAD => $small =~ s{^/api}{}r);
is("$head->{status} $head->{headers}{'content-length'}", '200 ' . length $whole->{body}, 'HEAD has its length');
spew("$cache/" . ($small =~ m{([^/]+)$})[0], '');
is(get($small)->{body}, $whole->{body}, 'a file that a damaged disk has emptied is made again');
unlink map { "$cache/$_" } files();
is_deeply([@{ get($small) }{qw(status body)}], [200, $whole->{body}], 'the directory can be emptied: the file is made again');
is(get($small)->{headers}{etag}, $whole->{headers}{etag}, 'with the same ETag');
is(join(' ', files()), ($small =~ m{([^/]+)$})[0], 'only the file that was asked for is there');
answers($server->api(GET => "/images/$_"), 404, refusal(message => 'Picture not found'), "there is no picture $_")
    for "$image->{id}-321.webp", "$image->{id}-0320.webp", "$image->{id}-320.jpg", 'x.webp', "$image->{id}-320.webp.webp",
    '01a1fee5-af25-7514-8a69-477230296f5b-320.webp', "$image->{id}-.webp", "$image->{id}-12345.webp";
is($server->api(POST => $small =~ s{^/api}{}r)->{status}, 405, 'a file can only be read');

# ---- order, texts ----

sub widths { return join ' ', map { $_->{width} } @{ stored($kettle)->{images} // [] } }
my @all = @{ stored($kettle)->{images} };
my $unchanged = stored($kettle);
answers(ask(PATCH => "/products/$kettle->{id}", { images => $_ }), 200, { success => true, data => $unchanged, message => 'Product updated' },
    'PATCH with what they are changes nothing, nor the time of the last change')
    for \@all, [map { { id => $_->{id} } } @all], [map { { id => uc $_->{id}, alt => $_->{alt} } } @all];
answers(ask(PATCH => "/products/$kettle->{id}", { images => [reverse @all] }), 200,
    { success => true, data => { %{ stored($kettle) }, images => [reverse @all], changed => $TIME }, message => 'Product updated' }, 'PATCH orders them');
answers(ask(PATCH => "/products/$kettle->{id}", { images => [{ id => $all[1]{id}, alt => 'Front' }, { id => uc $all[0]{id} }], name => 'Pot' }), 200, undef,
    'drops and renames them, with other fields');
is_deeply(stored($kettle)->{images}, [{ %{ $all[1] }, alt => 'Front' }, $all[0]], 'those that are named are left, in their order');
is(stored($kettle)->{name}, 'Pot', 'and the other field is set');
is((split ' ', rows())[0], 2, 'what is dropped is not used any more');
is(get($all[2]{sizes}[0]{url})->{status}, 404, 'it cannot be read any more');
for (
    [{ id => $all[2]{id} }, 'unknown', 'another picture'], ['x', 'type', 'no object'], [{ alt => 'x' }, 'type', 'an object without id'],
    [{ id => $all[0]{id}, alt => 1 }, 'type', 'an alt that is no text'], [{ id => $all[0]{id}, alt => 'x' x 201 }, 'too_long', 'an alt that is too long']) {
    my ($one, $code, $name) = @$_;
    answers(ask(PATCH => "/products/$kettle->{id}", { images => [$one] }), 400, invalid(images => $code), "$name is refused");
}
answers(ask(PATCH => "/products/$kettle->{id}", { images => [({ id => $all[0]{id} }) x 2] }), 400, invalid(images => 'duplicate'), 'so is one twice');
answers(ask(PATCH => "/products/$kettle->{id}", { images => 'x' }), 400, invalid(images => 'type'), 'and what is no array');
is(widths(), '1600 300', 'and nothing is changed');
my $batch = ask(POST => '/products/batch', { atomic => false, operations => [
    { op => 'update', id => $kettle->{id}, body => { images => [{ id => $all[2]{id} }] } },
    { op => 'update', id => $kettle->{id}, body => { images => [{ id => $all[0]{id} }, { id => $all[1]{id} }] } }] });
is(join(' ', map { $_->{status} } @{ $batch->{json}{results} }), '400 200', 'operations of a batch do the same') or diag($batch->{body});
is(widths(), '300 1600', 'each by itself');
is(ask(PUT => "/products/$kettle->{id}", { images => [] })->{status}, 200, 'an empty array deletes all');
ok(!exists stored($kettle)->{images}, 'so that none is left');
is(rows(), '0 0', 'in the database either');
answers(ask(POST => '/products', { name => 'Cup', price => 1, images => [$image] }), 201, sub { !exists $_[0]{data}{images} }, 'a product is created without pictures');

# ---- files of products ----

my $shown = send_picture($kettle, png(30, 20), 'png', 'alt=a,"b"')->{json}{data};
is(ask(GET => '/products/export?sku=KT-1')->{json}{images}[0]{id}, $shown->{id}, 'an export has them');
my $csv = ask(GET => '/products/export?format=csv&fields=sku,images&sku=KT-1')->{body};
my ($cell) = ask(GET => "/products/$kettle->{id}")->{body} =~ /"images":(\[.*?\}\]\}\])/;
is($csv, qq(sku,images\r\nKT-1,"@{[$cell =~ s/"/""/gr]}"\r\n), 'as JSON in a cell of CSV');
my $lines = ask(GET => '/products/export?sku=KT-1')->{body};
answers(ask(POST => '/products/import?mode=upsert', $lines =~ s/"images":\[.*?\}\]\}\]/"images":[]/r, headers => { 'Content-Type' => 'application/x-ndjson' }), 200, undef, 'an import');
is_deeply(stored($kettle)->{images}, [$shown], 'leaves them as they are');
answers(ask(DELETE => "/products/$kettle->{id}/images/$shown->{id}"), 200, undef, 'until they are deleted');

# ---- deleting ----

my ($one, $two) = map { send_picture($kettle, png(400, 10 * $_), 'png')->{json}{data} } 1, 2;
get($_->{sizes}[0]{url}) for $one, $two;
answers(ask(DELETE => "/products/sku=KT-1/images/$one->{id}"), 200, { success => true, message => 'Picture deleted' }, 'one is deleted');
is_deeply(stored($kettle)->{images}, [$two], 'the other one stays');
is(get($one->{sizes}[0]{url})->{status}, 404, 'its file is gone at once');
is(get($one->{url})->{status}, 404, 'and none is made of the database, which still has it');
is(get($two->{sizes}[0]{url})->{status}, 200, 'that of the other one is there');
answers(ask(DELETE => "/products/$kettle->{id}/images/$_"), 404, refusal(message => 'Picture not found'), "there is no picture $_ to delete") for $one->{id}, 'x';
answers(ask(DELETE => "/products/$one->{id}/images/$two->{id}"), 404, refusal(message => 'Product not found'), 'nor a product without it');
$tag = ask(GET => "/products/$kettle->{id}")->{headers}{etag};
answers(ask(DELETE => "/products/$kettle->{id}/images/$two->{id}", undef, headers => { 'If-Match' => '"x"' }), 412, refusal(error => qr/./), 'a condition is kept', etag => $tag);
answers(send_picture($kettle, png(9, 9), 'png', '', 'If-Match' => '"x"'), 412, refusal(error => qr/./), 'when one is added, too', etag => $tag);
is(send_picture($kettle, png(9, 9), 'png', '', 'If-Match' => $tag)->{status}, 201, 'as one that holds');
is(ask(DELETE => "/products/$kettle->{id}")->{status}, 200, 'the product is deleted');
is(rows(), '0 0', 'with its pictures');

# ---- what is refused ----

my $cup = made(name => 'Cup');
answers(send_picture($cup, 'x', 'png'), 400, refusal(message => 'Unreadable picture', error => 'it is no JPEG, PNG, WebP, AVIF or GIF file'), 'what is no picture');
answers(send_picture($cup, png(9, 9), 'png', $_->[0]), 400, invalid($_->[1] => $_->[2]), "?$_->[0]")
    for ['alt=' . 'x' x 201, alt => 'too_long'], ['alt=%ff', alt => 'format'], ['position=0', position => 'format'], ['position=33', position => 'format'],
    ['position=x', position => 'format'];
answers(ask(POST => "/products/$cup->{id}/images", png(9, 9), headers => { 'Content-Type' => 'image/svg+xml' }), 415,
    refusal(error => 'the body must be sent as image/jpeg, image/png, image/webp, image/avif, image/gif, without a content coding'), 'SVG',
    accept => 'image/jpeg, image/png, image/webp, image/avif, image/gif');
is(ask(POST => "/products/$cup->{id}/images", 'x', headers => { 'Content-Type' => $_->[0] })->{status}, $_->[1], "a type that some clients send: $_->[0]")
    for ['image/jpg', 400], ['image/pjpeg', 400], ['IMAGE/X-PNG', 400], ['application/octet-stream', 415], ['image/jpgx', 415], ['image/bmp', 415];
is(ask(POST => "/products/$cup->{id}/images", 'x', headers => { 'Content-Type' => 'image/png; charset=x' })->{status}, 400, 'parameters of a type say nothing');
my $waiting = $server->talk(wire(POST => '/products/sku=none/images', token => $token,
    headers => { Expect => '100-continue', 'Content-Type' => 'image/png', 'Content-Length' => 9 }));
answers($waiting, 404, refusal(message => 'Product not found'), 'a client that waits for 100 Continue does not send a picture in vain');
unlike($waiting->{text}, qr/100 Continue/, 'it is not told to');
answers(send_picture('01a1fee5-af25-7514-8a69-477230296f5b', png(9, 9), 'png'), 404, refusal(message => 'Product not found'), 'a product that is not there');
answers($server->api(POST => "/products/$cup->{id}/images", png(9, 9), headers => { 'Content-Type' => 'image/png' }), 401, refusal(error => qr/./), 'a client without a token');
is(rows(), '0 0', 'nothing is stored');

my %key = ('Idempotency-Key' => '"one"');
my $once = send_picture($cup, png(9, 9), 'png', '', %key);
answers(send_picture($cup, png(9, 9), 'png', '', %key), 201, $once->{json}, 'a request with an Idempotency-Key is served once', 'idempotency-replayed' => 'true');
my %gone = ('Idempotency-Key' => '"gone"');
my $brief = made();
$once = send_picture($brief, png(9, 9), 'png', '', %gone);
is(ask(DELETE => "/products/$brief->{id}")->{status}, 200, 'its product is deleted');
answers(send_picture($brief, png(9, 9), 'png', '', %gone), 201, $once->{json}, 'and is served once all the same', 'idempotency-replayed' => 'true');
answers(send_picture($cup, png(8, 9), 'png', '', %key), 422, refusal(error => qr/./), 'its key is for no other picture');
is(scalar @{ stored($cup)->{images} }, 1, 'one picture is stored');
answers(send_picture(made(), png(9, 9), 'png', '', %key), 422, refusal(error => qr/./), 'nor for the same one of another product');

# Each mount names pictures by its own path, and so has ETags of its own.
sub sign_in { my ($mount) = @_; return $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} }, mount => $mount)->{json}{token} }
my %token = map { $_ => sign_in($_) } '/api', '/other';
sub at { my ($mount, $method, @more) = @_; return $server->api($method => "/products/$cup->{id}", shift @more, mount => $mount, token => $token{$mount}, @more) }
my %etag = map { $_ => at($_, 'GET')->{headers}{etag} } '/api', '/other';
isnt($etag{'/api'}, $etag{'/other'}, 'a product with pictures has an ETag for each mount');
for my $mount ('/api', '/other') {
    my $read = at($mount, 'GET');
    like($read->{json}{data}{images}[0]{url}, qr{^$mount/images/}, "addresses are those of $mount");
    is(at($mount, PATCH => { rating => $mount eq '/api' ? 1 : 2 }, headers => { 'If-Match' => $read->{headers}{etag} })->{status}, 200, 'the ETag that was read there is good there');
}

if (!$ENV{AGAIN}) { # thirty pictures take time, and it is the server that counts them
    send_picture($cup, png(9, 9), 'png') for 2 .. 32;
    answers(send_picture($cup, png(9, 9), 'png'), 409, refusal(message => 'Too many pictures', error => qr/32/), 'the 33rd picture is refused');
    is(scalar @{ stored($cup)->{images} }, 32, 'there are 32');
}

my $paths = ask(GET => '/openapi.json')->{json}{paths};
is_deeply([map { my $path = $_; map { uc($_) . " $path" } sort grep { /^(?:get|post|delete)$/ } keys %{ $paths->{$path} } } sort grep { /images/ } keys %$paths],
    ['GET /images/{name}', 'POST /products/{id}/images', 'DELETE /products/{id}/images/{image}'], 'the description has the routes');
is(join(' ', sort keys %{ $paths->{'/images/{name}'}{get}{responses} }), '200 206 304 400 404 412 416 default', 'and how a file may be answered');

done_testing;
