# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# case: 39 44
use CatalogTest;
use IO::Compress::Gzip qw(gzip);

my $token = token();
my $body = '{"name":"x","price":1}';

sub send_as { api(POST => '/products', $body, token => $token, headers => { 'Content-Type' => @_ }) }

my @good = (
    'application/json', 'Application/JSON', 'application/json;charset=utf-8', 'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset=utf-8', 'application/json;', 'application/json; q=1',
    'application/json; x=y; charset=utf-8',
);
answers(send_as($_), 201, undef, "accepted: $_") for @good;

my @bad = (
    'text/plain', 'text/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x',
    'application/xml', 'application/jsonx', 'application/json-patch+json',
    'application/vnd.api+json', 'json', '*/*', 'application/*', 'application/json, text/plain',
    'application/json text/plain',
    'application/json; charset=utf-16', 'application/json; charset=iso-8859-1', 'application/json;charset=utf-80',
    'application/json; charset=', 'application/json; charset="utf-16"',
);
my $unsupported = refusal(error => qr/application\/json/);
my %accept = (accept => 'application/json', 'accept-encoding' => undef);
answers(send_as($_), 415, $unsupported, "refused: $_", %accept) for @bad;
answers(send_as(undef), 415, $unsupported, 'refused: no type at all', %accept);
answers(api(POST => $_, '{}', headers => { 'Content-Type' => 'text/plain' }), 415, $unsupported,
    "refused: text/plain for $_") for '/register', '/users';
answers(api(PUT => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b', '{}', token => $token,
    headers => { 'Content-Type' => 'text/plain' }), 415,
    $unsupported, 'refused: text/plain for PUT');
answers(api(POST => '/products', $body, headers => { 'Content-Type' => 'text/plain' }), 401, undef,
    'a missing token is reported before a wrong type');

# Codings.
gzip(\$body => \my $zipped);
for my $coding ('gzip', 'deflate', 'br', 'GZIP', 'gzip, identity', 'x-unknown') {
    answers(api(POST => '/products', $zipped, token => $token, headers => { 'Content-Encoding' => $coding }), 415,
        $unsupported, "refused: Content-Encoding $coding", 'accept-encoding' => 'identity', accept => undef);
}
answers(api(POST => '/products', $body, token => $token, headers => { 'Content-Encoding' => 'identity' }), 201, undef,
    'Content-Encoding: identity is accepted');
answers(api(POST => '/products', $zipped, token => $token), 400, refusal(error => qr/./),
    'gzip without Content-Encoding is refused');
answers(api(POST => '/products', join('', map { "$_\0" } split //, $body), token => $token), 400,
    refusal(error => qr/./), 'UTF-16 without a charset is refused');

# The server answers in JSON whatever the client accepts.
for ('text/html', 'application/xml;q=1, application/json;q=0', '*/*') {
    answers(api(GET => '/products', headers => { Accept => $_ }), 200, undef, "Accept: $_ gets JSON");
    answers(api(GET => '/nothing', headers => { Accept => $_ }), 404, undef, "Accept: $_ gets JSON in a 404, too");
}

done_testing;
