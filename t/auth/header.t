# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# case: 30 31 33
use CatalogTest;

my $token = token();
my %product = (name => 'x', price => 1);
my $none = qr/^Bearer realm="[^"]+"$/;
my $invalid = qr/^Bearer realm="[^"]+", error="invalid_token"(?:, error_description="[^"\\]+")?$/;
my $request = qr/^Bearer realm="[^"]+", error="invalid_request"(?:, error_description="[^"\\]+")?$/;

sub post { api(POST => '/products', \%product, headers => { Authorization => @_ }) }
sub bytes { talk(wire(POST => '/products', \%product) =~ s/\r\n\r\n/\r\n$_[0]\r\n\r\n/r) }

# No token was sent.
my @none = (undef, '', 'Bearer', 'Bearer ', 'Bearer   ', 'Basic dXNlcjpwYXNz', 'Basic', 'Negotiate x', $token,
    "Token $token", "BearerX $token", "Bearer-$token", 'Digest username="x"');
answers(post($_), 401, refusal(error => qr/./), 'no token: ' . ($_ // 'no header') =~ s/\Q$token\E/TOKEN/r,
    'www-authenticate' => $none) for @none;
answers(bytes("Authorization: bearer\t"), 401, refusal(error => qr/./), 'no token: a tab', 'www-authenticate' => $none);

# The scheme's case makes no difference, nor do spaces before the token.
answers(post("$_ $token"), 201, undef, "'$_' before a token is accepted") for 'Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ';
answers(bytes("Authorization: Bearer\t$token"), 201, undef, 'a tab before the token is accepted');

# Malformed tokens.
my ($header, $payload, $signature) = split /\./, $token;
my @shapes = (
    ['one segment', 'abc'], ['two segments', 'a.b'], ['the first two segments of a valid token', "$header.$payload"],
    ['four segments', "$token.x"], ['five segments', 'a.b.c.d.e'],
    ['dots alone', '..'], ['one dot', '.'], ['only a payload', '.a.'], ['no header', ".$payload.$signature"],
    ['no payload', "$header..$signature"], ['no signature', "$header.$payload."],
    ['padding', "$token="], ['padding within', "$header=.$payload.$signature"], ['two tokens', "$token $token"],
    ['a space within', "$header. $payload.$signature"], ['a tab within', "$header.\t$payload.$signature"],
    ['two tokens with a comma', "$token, Bearer $token"], ['plain base64', '+/' . substr $token, 2],
    ['a tilde', "$token~"], ['nonsense', 'nonsense'],
    ['4,097 octets', $token . 'x' x (4097 - length $token)], ['8,000 octets', 'x' x 8000], ['dots', '.' x 100],
    ['a long header', 'x' x 3000 . ".$payload.$signature"],
);
answers(post("Bearer $_->[1]"), 401, refusal(error => qr/./), "malformed token: $_->[0]", 'www-authenticate' => $invalid) for @shapes;
answers(bytes("Authorization: Bearer $token\r\nAuthorization: Bearer $token"), 401, undef, 'two Authorization headers are refused',
    'www-authenticate' => $invalid);
answers(bytes("Authorization: Bearer $token\r\nAuthorization: Basic eDp5"), 401, undef,
    'two Authorization headers of different schemes are refused',
    'www-authenticate' => $invalid);

# Characters that are invalid in a token.
answers(post("Bearer $_"), 400, refusal(error => qr/./), "invalid characters: $_", 'www-authenticate' => $request)
    for '"a.b.c"', 'a;b', 'a.b.c;x=1', "'a.b.c'", '<a.b.c>', 'a.b.c\\', 'realm="x"', '{"a":1}', 'a.b.c%0a', 'a.b.c*';
answers(bytes("Authorization: Bearer a.b\xe9.c"), 400, refusal(error => qr/./), 'a byte beyond ASCII is refused',
    'www-authenticate' => $request);

# The server reads tokens from no other place.
answers(api(POST => "/products?access_token=$token", \%product), 401, undef, 'a token in the query is ignored',
    'www-authenticate' => $none);
answers(api(POST => '/products', { %product, access_token => $token }), 401, undef, 'a token in the body is ignored',
    'www-authenticate' => $none);
answers(api(POST => '/products', \%product, headers => { Cookie => "token=$token" }), 401, undef, 'a token in a cookie is ignored',
    'www-authenticate' => $none);

# An open route needs no token.
answers(api(GET => '/products', headers => { Authorization => $_ }), 200, undef, "GET with $_ is served",
    'www-authenticate' => undef) for 'Bearer nonsense', 'Bearer "', 'Basic x', 'Bearer';

# A signature changed at any position is invalid.
for my $part ([0, 5], [1, 5], [2, 0], [2, 20], [2, 42]) {
    my @parts = split /\./, $token;
    my ($which, $at) = @$part;
    substr($parts[$which], $at, 1) = substr($parts[$which], $at, 1) eq 'A' ? 'Q' : 'A';
    answers(post('Bearer ' . join '.', @parts), 401, undef, "a token changed in part $which at $at is refused",
        'www-authenticate' => $invalid);
}
unlike(main->log_text, qr/\Q$token\E/, 'no token is logged');

done_testing;
