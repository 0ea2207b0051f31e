# SPDX-License-Identifier: Apache-2.0
# What exiftool finds in pictures that are served: nothing of the photographer, the camera, the place, or a text, whatever kind of file was
# sent with which kinds of metadata.
use CatalogTest;
use CatalogTest::Image qw(picture %TYPE);
use Image::ExifTool ();

my $server = server(mount => <<'END')->start;
CatalogImages     On
    CatalogImageCache "@dir@/data"
END
my $token = register($server)->{token};
my $secret = 'SECRET-PLACE';

# What each kind of file can have, as exiftool writes it: of EXIF, with the place and a thumbnail, of XMP, of IPTC; comments; a profile of
# colours, which libvips has written.
my %exif = map { +"EXIF:$_" => $secret } qw(Artist Copyright ImageDescription Make Model UserComment);
%exif = (%exif, 'EXIF:GPSLatitude' => '48.1373', 'EXIF:GPSLatitudeRef' => 'N', 'EXIF:GPSLongitude' => '11.5755', 'EXIF:GPSLongitudeRef' => 'E',
    'EXIF:GPSAreaInformation' => $secret, 'EXIF:ThumbnailImage' => picture('jpg', 60, 40));
my %xmp = ('XMP-dc:Creator' => $secret, 'XMP-exif:GPSLatitude' => '48.1373', 'XMP-photoshop:City' => $secret, 'XMP-xmp:CreatorTool' => $secret);
my %iptc = map { +"IPTC:$_" => $secret } qw(By-line City Caption-Abstract);
my %metadata = (
    jpg => { %exif, %xmp, %iptc, 'File:Comment' => $secret, 'Photoshop:CopyrightFlag' => 'True' },
    png => { %exif, %xmp, %iptc, map { +"PNG:$_" => $secret } qw(Author Comment Description) },
    webp => { %exif, %xmp },
    avif => { %exif, %xmp },
    gif => { %xmp, 'File:Comment' => $secret },
);
my %groups = (jpg => 'EXIF ICC_Profile IPTC Photoshop XMP', png => 'EXIF ICC_Profile IPTC PNG XMP', webp => 'EXIF ICC_Profile XMP', avif => 'EXIF XMP', gif => 'XMP');

sub with_metadata {
    my ($kind) = @_;
    my $picture = picture($kind, 1400, 700, $groups{$kind} =~ /ICC/ ? 'profile=srgb' : '');
    my $tool = Image::ExifTool->new;
    for my $name (sort keys %{ $metadata{$kind} }) {
        $tool->SetNewValue($name => $metadata{$kind}{$name}) or die "$name: ", $tool->GetValue('Error') // 'not written', "\n";
    }
    my $written;
    $tool->WriteInfo(\$picture, \$written) == 1 or die "$kind: ", $tool->GetValue('Error') // 'nothing is written', "\n";
    return $written;
}

# The groups of what exiftool finds, without what every file has.
sub groups_of {
    my ($data) = @_;
    my $tool = Image::ExifTool->new;
    $tool->Options(Unknown => 1, RequestAll => 3);
    my $found = $tool->ImageInfo(\$data);
    my %groups = map { $tool->GetGroup($_, 0) => 1 } keys %$found;
    $groups{Comment} = 1 if exists $found->{Comment};
    return \%groups;
}

sub sizes_of {
    my ($kind, $data) = @_;
    my $product = $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $token)->{json}{data}{id};
    my $r = $server->api(POST => "/products/$product/images", $data, token => $token, headers => { 'Content-Type' => $TYPE{$kind} }, patience => 90);
    is($r->{status}, 201, "taken: $kind") or diag($r->{body});
    return @{ $r->{json}{data}{sizes} // [] };
}

for my $kind (sort keys %metadata) {
    my $data = with_metadata($kind);
    my $sent = groups_of($data);
    is(join(' ', grep { !$sent->{$_} } split ' ', $groups{$kind}), '', "what is sent as $kind has $groups{$kind}");
    my @sizes = sizes_of($kind, $data);
    is(scalar @sizes, 4, 'it is served in four sizes');
    for my $size (@sizes) {
        my $file = $server->api(GET => $size->{url} =~ s{^/api}{}r)->{body};
        is(join(' ', sort keys %{ groups_of($file) }), 'Composite ExifTool File RIFF', "$size->{width} pixels wide, it has nothing of that");
        is(index($file, $secret), -1, 'nor has it any text that was sent');
    }
}

done_testing;
