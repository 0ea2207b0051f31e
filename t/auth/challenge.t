# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /auth/refresh
# Every refusal has the same challenge, whose realm is a quoted-string (RFC 9110, 5.6.4).
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my %realm = ('/plain' => '/plain', '/q"uote' => '/q\"uote', '/two""' => '/two\"\"');
my $server = server(mount => undef, conf => join '', map { <<"END" } sort keys %realm)->start;
<Location '$_'>
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END

for my $mount (sort keys %realm) {
    my $bearer = qq(Bearer realm="$realm{$mount}");
    my $described = qr/error_description="[^"\\]+"/;
    my $ask = sub { my ($method, $path, $body, %o) = @_; $server->api($method => $path, $body, mount => $mount, %o) };
    answers($ask->(POST => '/auth/login', { login => fresh(), password => 'wrong horse' }), 401, undef,
        "$mount: a wrong password gets the bare challenge", 'www-authenticate' => $bearer);
    answers($ask->(POST => '/auth/refresh', { refreshToken => 'x' }), 401, undef,
        "$mount: an unknown refresh token gets invalid_token",
        'www-authenticate' => qq($bearer, error="invalid_token"));
    answers($ask->(GET => '/auth/me'), 401, undef,
        "$mount: a request without a token gets the bare challenge", 'www-authenticate' => $bearer);
    answers($ask->(GET => '/auth/me', undef, token => 'x'), 401, undef, "$mount: an invalid token gets invalid_token",
        'www-authenticate' => qr/^\Q$bearer\E, error="invalid_token", $described$/);
    answers($ask->(GET => '/auth/me', undef, token => '"'), 400, undef, "$mount: a malformed token gets invalid_request",
        'www-authenticate' => qr/^\Q$bearer\E, error="invalid_request", $described$/);
    answers($ask->(GET => '/auth/me', undef, token => forge()), 401, undef, "$mount: a deleted user's token gets invalid_token",
        'www-authenticate' => qr/^\Q$bearer\E, error="invalid_token", error_description="the account no longer exists"$/);
}

done_testing;
