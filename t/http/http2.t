# SPDX-License-Identifier: Apache-2.0
# mpm: event worker
# moves: catalog_requests_total 1xx
# HTTP/2: an answer sent before the server has read the body reaches the client whole. curl reports a reset stream as error 92.
use CatalogTest;
use CatalogTest::Metrics qw(location moved);

my ($modules) = CatalogTest::Server::modules() =~ m{^LoadModule authz_core_module "(.*)/mod_authz_core\.so"$}m;
my $server = server(conf => <<"END")->start;
LoadModule http2_module "$modules/mod_http2.so"
Protocols h2c http/1.1
H2Upgrade on
${\location}
END
my $token = register($server)->{token};
my $id = $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token)->{json}{data}{id};

# Returns curl's exit status and output, the HTTP version and status. The body is in a file, which curl sends in pieces.
my $file = scratch() . '/body';
sub curl {
    my ($method, $path, $size, @options) = @_;
    spew($file, 'x' x $size);
    my $url = 'http://127.0.0.1:' . $server->port . "/api$path";
    open my $out, '-|', qw(curl --silent --http2-prior-knowledge --output /dev/null --write-out), '%{http_version} %{http_code}',
        '--request', $method, '--data-binary', "\@$file", '--header', 'Expect:', @options, $url or die "curl: $!\n";
    my $said = <$out> // '';
    close $out;
    return ($? >> 8) . " $said";
}

my @json = ('--header', 'Content-Type: application/json');
my @user = (@json, '--header', "Authorization: Bearer $token");
my @refused = (
    # what, status, request
    ['no token', 401, POST => '/products', @json], ['no route', 404, POST => '/nothing', @json],
    ['a wrong method', 405, PATCH => '/products', @user], ['a wrong type', 415, POST => '/products', @user, '--header',
        'Content-Type: text/plain'],
    ['a body that the route does not expect', 200, GET => "/products/$id"],
    ['malformed JSON', 400, POST => '/products', @user],
);
for (@refused) {
    my ($what, $status, @request) = @$_;
    for my $size (1, 1000, 60_000) {
        my %said = map { curl(@request[0, 1], $size, @request[2 .. $#request]) => 1 } 1 .. 5;
        is(join(', ', sort keys %said), "0 2 $status", "$what, $size octets: each answer arrives whole with $status");
    }
}
is(curl(POST => '/products', $_, @user), '0 2 413', "$_ octets get 413") for 65_537, 500_000;
is(curl(POST => '/products', 60_000, @json, '--header', 'Transfer-Encoding: chunked'), '0 2 401',
    'a body of unknown length without a token gets 401');

# An upgrade of the connection is a request with two answers: 101 in HTTP/1.1, and then its own.
my $url = 'http://127.0.0.1:' . $server->port . '/api/products';
moved($server, sub { is(qx(curl --silent --http2 --output /dev/null --write-out '%{http_version} %{http_code}' $url), '2 200', 'a request upgrades its connection') },
    { map { +qq(catalog_requests_total{route="/products",method="GET",code="$_"}) => 1 } qw(1xx 2xx) }, 'the metrics count both');

done_testing;
