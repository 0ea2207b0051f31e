# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Token;

# Makes access tokens: valid ones, as the server does, and forged ones.

use strict;
use warnings FATAL => 'all';

use Digest::SHA ();
use Exporter 'import';
use Cpanel::JSON::XS ();
use MIME::Base64 ();

our @EXPORT_OK = qw(forge claims sign base64url ABSENT);

use constant ABSENT => \'absent'; # leaves the member out

my $json = Cpanel::JSON::XS->new->utf8->canonical;

sub base64url { MIME::Base64::encode_base64url($_[0]) }

sub merge {
    my (%all) = @_;
    delete @all{ grep { ref $all{$_} && $all{$_} == ABSENT } keys %all };
    return \%all;
}

# Returns the claims of a valid token, with changes. The user need not exist.
sub claims {
    my ($issuer, $audience, %changes) = @_;
    my $now = time;
    return merge(
        token_use => 'access', iss => $issuer, aud => $audience, sub => uuid(), sid => uuid(), jti => uuid(), iat => $now,
        exp => $now + 300, %changes);
}

sub uuid {
    my $hex = sprintf '%012x7%03x%04x%06x%06x', time * 1000, map { int rand $_ } 0x1000, 0x4000, 0x1000000, 0x1000000;
    substr($hex, 16, 1) = (qw(8 9 a b))[ hex(substr $hex, 16, 1) & 3 ];
    return join '-', unpack 'A8 A4 A4 A4 A12', $hex;
}

# Returns a token. The arguments are claims (a hash, or text), header (changes, or text), key, sha (256, 384, 512) and
# signature.
sub forge {
    my (%o) = @_;
    my $header = ref($o{header} || {}) ? $json->encode(merge(alg => 'HS256', typ => 'JWT', %{ $o{header} || {} }))
        : $o{header};
    my $payload = ref $o{claims} ? $json->encode($o{claims}) : $o{claims};
    my $text = join '.', map { base64url($_) } $header, $payload;
    return "$text." . ($o{signature} // sign($text, $o{key}, $o{sha}));
}

sub sign {
    my ($text, $key, $sha) = @_;
    my $hmac = Digest::SHA->can('hmac_sha' . ($sha || 256));
    return base64url($hmac->($text, $key));
}

1;
