# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# case: 44
# The server accepts a body in a content coding only if a filter of the site decodes it.
use CatalogTest;
use Compress::Zlib qw(memGzip);

my $server = server(mount => undef, conf => join '', map { <<"END" } ['/plain', ''], ['/inflating', 'SetInputFilter DEFLATE'])->start;
<Location "$_->[0]">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $_->[1]
</Location>
END
my $token = forge();
sub post {
    my ($mount, $coding, $body) = @_;
    return $server->api(POST => '/products', $body, mount => $mount, token => $token,
        headers => { 'Content-Encoding' => $coding });
}
my $json = '{"name":"packed","price":1}';

for my $coding ('gzip', 'x-gzip') {
    answers(post('/inflating', $coding, memGzip($json)), 201, sub { $_[0]{data}{name} eq 'packed' }, "$coding is decoded");
    answers(post('/plain', $coding, memGzip($json)), 415, refusal(error => qr/./), "$coding without the filter is refused");
}
answers(post($_, undef, $json), 201, undef, "$_: a body without a coding is accepted") for '/inflating', '/plain';
answers(post($_, 'identity', $json), 201, undef, "$_: identity is accepted") for '/inflating', '/plain';
answers(post('/inflating', 'br', $json), 415, refusal(error => qr/./), 'a coding unknown to the filter is refused',
    'accept-encoding' => 'identity');
answers(post('/inflating', 'gzip', $json), 400, refusal(error => qr/./), 'a body that is not gzip is refused');
answers(post('/inflating', 'gzip', substr memGzip('{"name":"' . 'x' x 5000 . '","price":1}'), 0, 30), 400, refusal(error => qr/./),
    'truncated gzip is refused');
answers(post('/inflating', 'gzip', memGzip('{"name":"' . join('', map { int rand 1e9 } 1 .. 10_000) . '","price":1}')), 413, refusal(),
    'CatalogMaxBody limits the decoded body');

allow_log(qr/AH01387: Zlib: Invalid header|AH02481: Encountered premature end-of-stream/);
done_testing;
