# SPDX-License-Identifier: Apache-2.0
# Pictures that nobody should send: each is refused with 400, or becomes a clean picture; nothing of a photograph's metadata is served, and
# no child is harmed.
use CatalogTest;
use CatalogTest::Image qw(png picture convert exif with_segment chunks size_of pixel %TYPE);
use CatalogTest::Tools qw(children_of);
use Compress::Zlib qw(compress);

my $server = server(conf => 'CatalogImageJobs 2', mount => <<'END')->start;
CatalogImages     On
    CatalogImageCache "@dir@/data"
    CatalogMaxImage   20000000
END
my $token = register($server)->{token};
my $product;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token, patience => 90) }
sub new_product { $product = ask(POST => '/products', { name => 'Kettle', price => 1 })->{json}{data}{id} }
sub send_picture { my ($data, $kind) = @_; return ask(POST => "/products/$product/images", $data, headers => { 'Content-Type' => $TYPE{$kind} }) }
sub files_of { my ($r) = @_; return map { $server->api(GET => $_->{url} =~ s{^/api}{}r)->{body} } @{ $r->{json}{data}{sizes} } }
sub tail { my ($text, $length) = @_; return substr $text, 0, $length }

my @children = children_of($server->{pid});
new_product();
my %jpeg = (small => picture('jpg', 120, 80), large => picture('jpg', 900, 700, 'Q=95'));
my %bad = (
    'no octets' => '',
    'zeroes' => "\0" x 5000,
    'a text' => "<html><script>alert(1)</script></html>",
    'the first octets of a JPEG' => "\xff\xd8\xff",
    'a JPEG without a frame' => "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xd9",
    'a JPEG with a segment of no length' => "\xff\xd8\xff\xe0\0\0\xff\xd9",
    'a JPEG whose segment has no end' => "\xff\xd8\xff\xe1\xff\xffExif",
    'a JPEG header alone' => tail($jpeg{large}, 700),
    'a PNG header alone' => tail(png(100, 100), 33),
    'a PNG without data' => tail(png(100, 100), 40),
    'a PNG of no width' => png(10, 10, declared => [0, 10]),
    'a PNG of 50,000 x 50,000 pixels' => png(10, 10, declared => [50_000, 50_000]),
    'a PNG of 2**31 pixels in width' => png(10, 10, declared => [2**31 - 1, 1]),
    'a PNG that says it is larger than its data' => png(10, 10, declared => [7000, 7000]),
    'a PNG whose data are damaged' => png(100, 100) =~ s/IDAT..\K..../ZZZZ/sr,
    'a GIF header alone' => "GIF89a\x10\0\x10\0\0\0\0",
    'a GIF of 65,535 x 65,535 pixels' => "GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\2\2D\1\0;",
    'a GIF whose picture is larger than its screen: 11,000 x 11,000 pixels' => "GIF89a\1\0\1\0\0\0\0!\xf9\4\0\0\0\0\0,\0\0\0\0\xf8\x2a\xf8\x2a\0\2\2D\1\0;",
    'a WebP header alone' => tail(picture('webp', 100, 100), 30),
    'a WebP of 16,384 x 16,384 pixels' => 'RIFF' . pack('V', 22) . 'WEBPVP8X' . pack('VV', 10, 0) . "\xff\x3f\0\xff\x3f\0",
    'a WebP cut in the middle' => tail(picture('webp', 300, 300), 200),
    'an AVIF header alone' => tail(picture('avif', 100, 100), 100),
    'an AVIF that says 50,000 x 50,000 pixels' => picture('avif', 64, 64) =~ s/ispe\0{4}\K.{8}/pack 'NN', 50_000, 50_000/ser,
    'a HEIF that is no AVIF' => picture('avif', 64, 64) =~ s/avif/heic/gr,
    'SVG' => '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
    'MVG' => "push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 9,9 'label:\@/etc/passwd'\npop graphic-context\n",
    'PDF' => "%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n",
    'PPM' => "P6 2 2 255\n" . 'x' x 12,
    'TIFF' => convert('tif', png(10, 10)),
    'a matrix of libvips' => "2 2\n1 2\n3 4\n",
    'an image of libvips' => convert('v', png(10, 10)),
    'a PHP program behind the first octets of a JPEG' => "\xff\xd8\xff<?php system('id'); ?>",
    'a JPEG of 65,535 x 65,535 pixels' => $jpeg{small} =~ s/\xff\xc0..\x08\K..../\xff\xff\xff\xff/sr,
    'a JPEG whose second header is larger than its first' => with_segment($jpeg{small}, 0xc0, "\x08\0\x10\0\x10\3\1\x22\0\2\x11\1\3\x11\1"),
    'a WebP whose canvas is smaller than its picture' => 'RIFF' . pack('V', 200) . 'WEBPVP8X' . pack('VV', 10, 0) . "\x0f\0\0\x0f\0\0"
        . "VP8L" . pack('V', 5) . "\x2f\xff\xff\xff\x0f\0" . 'x' x 200,
    'random octets behind them' => "\xff\xd8\xff" . join('', map { chr(($_ * 7919) % 256) } 1 .. 4000),
);
for my $name (sort keys %bad) {
    my $data = $bad{$name};
    my $r = send_picture($data, 'jpg');
    # An empty body is one without a length, too.
    answers($r, 400, refusal(message => 'Unreadable picture', error => qr/^it (?:is|has|can)/), "refused: $name");
}
is($server->database->selectrow_array('SELECT COUNT(*) FROM image_parts'), 0, 'nothing of it is stored');
ok(!exists ask(GET => "/products/$product")->{json}{data}{images}, 'nor named');

# ---- odd, but good ----

my $secret = 'SECRET-PLACE';
my %good = (
    'a JPEG with 3 MB of metadata' => [with_many($jpeg{small}, 0xe1, "Exif\0\0$secret", 48), 120, 80],
    'a JPEG with 3 MB of a profile' => [with_many($jpeg{small}, 0xe2, "ICC_PROFILE\0\1\1$secret", 48), 120, 80],
    'a JPEG with the place of a photograph' => [exif($jpeg{small}, 1), 120, 80],
    'a JPEG with a comment' => [with_segment($jpeg{small}, 0xfe, $secret), 120, 80],
    'a JPEG with an archive behind it' => ["$jpeg{small}PK\3\4$secret", 120, 80],
    'a JPEG with a PHP program behind it' => ["$jpeg{small}<?php echo '$secret'; ?>", 120, 80],
    'a JPEG of one channel' => [make('jpg', 'extract_band', 0), 90, 60],
    'a JPEG of four inks' => [make('jpg', 'icc_export', '--output-profile', 'cmyk'), 90, 60],
    'a progressive JPEG' => [picture('jpg', 90, 60, 'interlace'), 90, 60],
    'a PNG of 16 bits' => [png(90, 60, bits => 16), 90, 60],
    'a PNG with a text' => [png(90, 60, more => CatalogTest::Image::chunk(tEXt => "Comment\0$secret")), 90, 60],
    'a PNG whose text unpacks to 64 MB' => [png(90, 60, more => CatalogTest::Image::chunk(zTXt => "Comment\0\0" . compress("\0" x (64 << 20)))), 90, 60],
    'a GIF whose frame is larger than its screen' => [picture('gif', 90, 60) =~ s/^GIF8.a\K..../\x0a\0\x0a\0/sr, 90, 60],
    'a PNG with transparency' => [make('png', 'bandjoin_const', 128), 90, 60],
    'an interlaced PNG' => [picture('png', 90, 60, 'interlace'), 90, 60],
    'a WebP with transparency' => [make('webp', 'bandjoin_const', 128), 90, 60],
    'a WebP without loss' => [picture('webp', 90, 60, 'lossless'), 90, 60],
    'an animated GIF' => [animation('gif'), 90, 20],
    'an animated WebP' => [animation('webp'), 90, 20],
    'a picture of one pixel' => [png(1, 1), 1, 1],
    'one that is very wide' => [png(12_000, 3), 4096, 1],
    'one that is very high' => [png(3, 12_000), 1, 4096],
);

sub with_many { my ($jpeg, $marker, $data, $times) = @_; $jpeg = with_segment($jpeg, $marker, $data . 'x' x 60_000) for 1 .. $times; return $jpeg }

# What an operation of libvips makes of a picture.
sub make {
    my ($kind, $operation, @options) = @_;
    my $dir = scratch();
    spew("$dir/in.png", png(90, 60));
    system('vips', $operation, "$dir/in.png", "$dir/out.$kind", @options) == 0 or die "vips $operation: $?\n";
    return slurp("$dir/out.$kind");
}

# Three frames, one above the other in the PNG.
sub animation {
    my ($kind) = @_;
    return convert($kind, png(90, 60), 'page-height=20');
}

for my $name (sort keys %good) {
    my ($data, $width, $height) = @{ $good{$name} };
    new_product();
    my $r = send_picture($data, 'png');
    next if $name =~ /unpacks/ && $r->{status} == 400; # newer versions of libpng refuse it
    is($r->{status}, 201, "taken: $name") or diag($r->{body}), next;
    is("$r->{json}{data}{width}x$r->{json}{data}{height}", "${width}x$height", 'in its size');
    my @files = files_of($r);
    is(join(' ', map { size_of($_) } @files), join(' ', map { "$_->{width}x$_->{height}" } @{ $r->{json}{data}{sizes} }), 'as its files are');
    is(scalar(grep { /$secret|Exif|ICC_PROFILE|<\?php|PK\x03\x04/ } @files), 0, 'without anything else that was sent');
    like(join(' ', map { chunks($_) } @files), qr/^(?:(?:VP8X ALPH VP8 |VP8L|VP8 ) ?)+$/, 'but the picture');
}
my @alpha = pixel((files_of(send_picture(make('png', 'bandjoin_const', 128), 'png')))[0], 5, 5);
is(scalar @alpha, 4, 'transparency is kept');
my ($c) = files_of(send_picture($good{'a JPEG of four inks'}[0], 'jpg'));
my ($red, $green, $blue) = pixel($c, 5, 5);
ok($red > 180 && $green < 110 && $blue < 110, "four inks become the colours that they stand for: $red $green $blue");
my ($deep) = files_of(send_picture(png(90, 60, bits => 16), 'png'));
my ($deep_red) = pixel($deep, 5, 5);
cmp_ok($deep_red, '>', 230, '16 bits become 8');

# case: no child has ended
my %there = map { $_ => 1 } children_of($server->{pid});
is(scalar(grep { !$there{$_} } @children), 0, "all children are still there");
unlike($server->log_text, qr/AH00051|AH00052|exit signal/, 'none has crashed');

done_testing;
