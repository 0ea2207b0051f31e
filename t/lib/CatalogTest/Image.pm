# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Image;

# Makes valid and invalid pictures, and examines pictures that the server sends. Makes PNG by itself, AVIF with the
# command of libavif, because libvips of Debian 13 needs a plugin that Debian 12 does not have, and other kinds with the
# command of libvips.

use strict;
use warnings FATAL => 'all';

use Compress::Zlib qw(compress crc32);
use Exporter 'import';

use CatalogTest::Tools qw(new_dir slurp spew);

our @EXPORT_OK = qw(png flat profile picture used_images convert command exif with_segment chunks size_of pixel write_program running %TYPE);

our %TYPE = map { $_ => "image/$_" } qw(png webp avif gif);
$TYPE{jpg} = 'image/jpeg';

my $dir;
my $count = 0;

sub new_file { $dir //= new_dir(); return sprintf '%s/%d.%s', $dir, ++$count, $_[0] }

sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack 'N', crc32($type . $data) }

# Returns a PNG file: the left half is red, the right half blue, the upper half brighter. `bits` is 8 or 16. `declared`
# is the size to declare, [width, height].
sub png {
    my ($width, $height, %o) = @_;
    my $bits = $o{bits} // 8;
    my $row = sub {
        my ($value) = @_;
        my @pixel = map { $bits == 16 ? pack 'n3', map { $_ * 257 } @$_ : pack 'C3', @$_ } [$value, 0, 0], [0, 0, $value];
        return "\0" . join '', map { $pixel[$_ >= $width / 2] } 0 .. $width - 1;
    };
    my @row = ($row->(250), $row->(150));
    my $data = join '', map { $row[$_ >= $height / 2] } 0 .. $height - 1;
    return "\x89PNG\r\n\x1a\n" . chunk(IHDR => pack 'NNCCCCC', $o{declared} ? @{ $o{declared} } : ($width, $height), $bits, 2, 0, 0, 0)
        . ($o{more} // '') . chunk(IDAT => compress($data)) . chunk(IEND => '');
}

# Returns a PNG file of one colour with one to four channels, each a number from 0 to 255. `bits` is 8 or 16. `profile`
# is an ICC profile.
sub flat {
    my ($colour, %o) = @_;
    my $bits = $o{bits} // 8;
    my $pixel = pack $bits == 16 ? 'n*' : 'C*', map { $bits == 16 ? $_ * 257 : $_ } @$colour;
    my $name_and_method = "test\0\0";
    return "\x89PNG\r\n\x1a\n" . chunk(IHDR => pack 'NNCCCCC', 64, 48, $bits, [undef, 0, 4, 2, 6]->[@$colour], 0, 0, 0)
        . ($o{profile} ? chunk(iCCP => $name_and_method . compress($o{profile})) : '') . chunk(IDAT => compress(("\0" . $pixel x 64) x 48)) . chunk(IEND => '');
}

# Returns an ICC profile with the colours of sRGB, but without its curve. The colour space is "RGB " or "GRAY".
sub profile {
    my ($space) = @_;
    my $xyz = sub { return pack 'a4x4N3', 'XYZ ', map { int $_ * 65536 + 0.5 } @_ };
    my $curve = pack 'a4x4N', 'curv', 0;
    my %tag = (desc => pack('a4x4NZ5x78', 'desc', 5, 'test'), cprt => pack('a4x4Z4', 'text', 'x'), wtpt => $xyz->(0.9642, 1, 0.8249));
    %tag = $space eq 'GRAY' ? (%tag, kTRC => $curve) : (%tag, (map { $_ . 'TRC' => $curve } qw(r g b)),
        rXYZ => $xyz->(0.4361, 0.2225, 0.0139), gXYZ => $xyz->(0.3851, 0.7169, 0.0971), bXYZ => $xyz->(0.1431, 0.0606, 0.7141));
    my ($table, $data) = ('', '');
    for my $name (sort keys %tag) {
        $table .= pack 'a4NN', $name, 132 + 12 * keys(%tag) + length $data, length $tag{$name};
        $data .= $tag{$name} . "\0" x (-length($tag{$name}) % 4);
    }
    my $header = pack 'x4NA4A4A4n6A4x28N3x48', 0x02200000, 'mntr', $space, 'XYZ ', 2020, 1, 1, 0, 0, 0, 'acsp', 0xf6d6, 0x10000, 0xd32d;
    $header = substr($header, 0, 4) . 'lcms' . substr $header, 4;
    my $profile = $header . pack('N', scalar keys %tag) . $table . $data;
    return pack('N', length $profile) . substr $profile, 4;
}

# Returns the picture of png() as another kind. `options` are for the saver of libvips, such as "Q=90".
sub picture {
    my ($kind, $width, $height, $options) = @_;
    return convert($kind, png($width, $height), $options);
}

sub convert {
    my ($kind, $png, $options) = @_;
    my ($from, $to) = (new_file('png'), new_file($kind));
    spew($from, $png);
    my $command = $kind eq 'avif' ? "avifenc --speed 8 '$from' '$to'" : "vips copy '$from' '$to" . ($options ? "[$options]'" : q('));
    system("$command >/dev/null") == 0 or die "$command: $?\n";
    return slurp($to);
}

# Runs a command of vips, such as "icc_transform %s %s cmyk", on a picture. Returns the result, as a file of the given kind.
sub command {
    my ($kind, $data, $command) = @_;
    my ($from, $to) = (new_file('png'), new_file($kind));
    spew($from, $data);
    $command = 'vips ' . sprintf $command, $from, $to;
    system("$command >/dev/null") == 0 or die "$command: $?\n";
    return slurp($to);
}

# Returns the texts after SELECT COUNT(*) FROM that count pictures in use: their rows, and their parts together with
# parts that belong to no picture.
sub used_images { return ('images WHERE dropped_at IS NULL', 'image_parts WHERE SUBSTR(part, 1, 36) NOT IN (SELECT id FROM images WHERE dropped_at IS NOT NULL)') }

# Adds a segment to a JPEG file after its first marker.
sub with_segment {
    my ($jpeg, $marker, $data) = @_;
    return substr($jpeg, 0, 2) . "\xff" . chr($marker) . pack('n', 2 + length $data) . $data . substr $jpeg, 2;
}

# Adds the orientation, the camera's maker and the place of a photograph to a JPEG file.
sub exif {
    my ($jpeg, $orientation) = @_;
    my $entry = sub { my ($tag, $type, $n, $value) = @_; return pack('nnN', $tag, $type, $n) . $value };
    my $main = pack('n', 3) . $entry->(0x10f, 2, 4, "Cam\0") . $entry->(0x112, 3, 1, pack 'nn', $orientation, 0)
        . $entry->(0x8825, 4, 1, pack 'N', 8 + 2 + 36 + 4) . pack 'N', 0;
    my $place = pack('n', 2) . $entry->(1, 2, 2, "N\0\0\0") . $entry->(2, 5, 3, pack 'N', 8 + 2 + 36 + 4 + 2 + 24 + 4) . pack('N', 0)
        . pack 'N6', 48, 1, 8, 1, 14, 1;
    return with_segment($jpeg, 0xe1, "Exif\0\0MM\0*" . pack('N', 8) . $main . $place);
}

# Returns the names of the chunks of a WebP file.
sub chunks {
    my ($webp) = @_;
    my @names;
    return () if $webp !~ /^RIFF....WEBP/s;
    for (my $at = 12; $at + 8 <= length $webp;) {
        my ($name, $length) = unpack 'a4V', substr $webp, $at, 8;
        push @names, $name;
        $at += 8 + $length + $length % 2;
    }
    return @names;
}

# Returns the size that libvips finds, such as "640x480".
sub size_of {
    my ($data, $kind) = @_;
    my $file = new_file($kind // 'webp');
    spew($file, $data);
    my ($size) = qx(vipsheader '$file' 2>/dev/null) =~ /: (\d+x\d+) /;
    return $size // '';
}

# Writes a program to use instead of vipsthumbnail. The program is confined in the same way and cannot even write a
# file. It reports a result by printing a picture with good() or not. running() finds it.
sub write_program {
    my ($file, $code) = @_;
    my $good = unpack 'H*', picture('webp', 50, 40);
    spew($file, "#!/usr/bin/perl\nuse strict;\nuse Time::HiRes qw(sleep);\nsub good { print pack 'H*', '$good'; exit 0 }\n$code\n");
    chmod 0755, $file;
}

# Returns the ids of the processes that run the program.
sub running {
    my ($file) = @_;
    return grep { slurp("/proc/$_/cmdline") =~ /\0\Q$file\E\0/ } map { m{(\d+)$} } glob '/proc/[0-9]*';
}

# Returns the channels of a point, such as red, green and blue, each from 0 to 255.
sub pixel {
    my ($data, $x, $y, $kind) = @_;
    my $file = new_file($kind // 'webp');
    spew($file, $data);
    return map { int $_ + 0.5 } split ' ', qx(vips getpoint '$file' $x $y);
}

1;
