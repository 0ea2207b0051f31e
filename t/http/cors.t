# SPDX-License-Identifier: Apache-2.0
# CatalogAllowOrigin: what pages of other origins may do with the API, as browsers see it in the headers.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Tools qw(setting);

my $key = key_path;
my ($shop, $office, $stranger) = ('https://shop.test', 'http://localhost:3000', 'https://shop.test.evil.test');
my $mount = "CatalogEnable On\nCatalogKeyFile \"$key\"\nCatalogIssuer https://catalog.test\nCatalogAudience catalog-test\n";
my $server = server(mount => "CatalogAllowOrigin $shop $office", conf => <<"END")->start;
RewriteEngine On
RewriteRule ^/api/refuse/402\$ - [R=402]
<Location "/any">
    $mount
    CatalogAllowOrigin *
</Location>
<Location "/off">
    $mount
</Location>
<Location "/guarded">
    $mount
    CatalogAllowOrigin $shop
    AuthType Basic
    AuthName site
    AuthBasicProvider file
    AuthUserFile "\@dir\@/htpasswd"
    Require valid-user
</Location>
<Location "/denied">
    $mount
    CatalogAllowOrigin $shop
    Require all denied
</Location>
END
my $token = register($server)->{token};
my @names = map { "access-control-$_" } qw(allow-origin allow-credentials expose-headers allow-methods allow-headers max-age);

sub from {
    my ($origin, $method, $path, $body, %o) = @_;
    return $server->api($method => $path, defined $body ? $body : (), %o, headers => { Origin => $origin, %{ $o{headers} || {} } });
}
# What a response tells a page; "none": nothing.
sub allowed {
    my ($r) = @_;
    return join ' ', map { $r->{headers}{$_} // () } @names[0, 1] if grep { defined $r->{headers}{$_} } @names;
    return 'none';
}
sub vary { join ', ', sort split /,\s*/, $_[0]{headers}{vary} // '' }

# ---- off by default ----

my $off = from($shop, GET => '/products', undef, mount => '/off');
is(allowed($off) . vary($off), 'none', 'without CatalogAllowOrigin a response has no such header');
is(allowed(from($shop, OPTIONS => '/products', undef, mount => '/off', headers => { 'Access-Control-Request-Method' => 'GET' })), 'none',
    'nor has a preflight');

# ---- responses ----

my $id = $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $token)->{json}{data}{id};
my $tag = $server->api(GET => "/products/$id")->{headers}{etag};
my @responses = (
    ['a list', 200, [GET => '/products']], ['a product', 200, [GET => "/products/$id"]],
    ['a 304', 304, [GET => "/products/$id", undef, headers => { 'If-None-Match' => $tag }]],
    ['HEAD', 200, [HEAD => "/products/$id"]], ['a stream', 200, [GET => '/products/export']],
    ['OPTIONS', 204, [OPTIONS => '/products']], ['a write', 201, [POST => '/products', { name => 'Cup', price => 1 }, token => $token]],
    ['a 401', 401, [POST => '/products', {}]], ['a 404', 404, [GET => '/nothing']], ['a 405', 405, [PATCH => '/products']],
    ['a 400', 400, [POST => '/products', '{', token => $token]],
    ['a 412', 412, [DELETE => "/products/$id", undef, token => $token, headers => { 'If-Match' => '"x"' }]],
    ['problem details', 404, [GET => '/nothing', undef, headers => { Accept => 'application/problem+json' }]],
    ['a path that httpd refuses', 404, [GET => '/products%2F1']], ['a status of another module', 402, [GET => '/refuse/402']],
    ['a 403 of the site', 403, [GET => '/products', undef, mount => '/denied']],
    ['a 401 of the site', 401, [GET => '/products', undef, mount => '/guarded']],
);
for (@responses) {
    my ($name, $status, $request) = @$_;
    my $errors = $status >= 400 ? 'Accept, ' : '';
    my $r = from($shop, @$request);
    is("$r->{status} " . allowed($r) . ' ' . vary($r), "$status $shop true ${errors}Origin", "$name is for the origin that asked");
    like($r->{headers}{'access-control-expose-headers'}, qr/\bETag\b.*\bX-Total-Count\b.*\bPreference-Applied\b.*\bCatalog-Problem\b.*\bX-Request-Id\b/, "$name names the headers to be read");
    $r = from($stranger, @$request);
    is(allowed($r) . ' ' . vary($r), "none ${errors}Origin", "$name is not for an origin that is not named");
}
my $traced = server(mount => "CatalogAllowOrigin $shop\nCatalogAllowHeaders traceparent baggage")->start;
is($traced->api(OPTIONS => '/products', headers => { Origin => $shop, 'Access-Control-Request-Method' => 'GET' })->{headers}{'access-control-allow-headers'},
    'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Link-Token, Prefer, traceparent, baggage', 'CatalogAllowHeaders adds request headers');
my $early = $server->talk("GET /api/products/%zz HTTP/1.1\r\nHost: x\r\nOrigin: $shop\r\nConnection: close\r\n\r\n");
is("$early->{status} " . allowed($early), "400 $shop true", 'a path that cannot be decoded');
$early = $server->talk('GET /api/products?' . 'x' x 9000 . " HTTP/1.1\r\nHost: x\r\n\r\n");
is($early->{status}, 414, 'a request line that is too long has no Origin yet');
like(vary($early), qr/Origin/, 'but its answer depends on one');
expect_log(qr/AH10244: invalid URI path/);

for my $origin ('null', 'https://SHOP.test', 'https://shop.test:443', 'https://shop.test/', "$shop, $office", 'http://shop.test', '*', '') {
    is(allowed(from($origin, GET => '/products')), 'none', "'$origin' is not named");
}
my $plain = $server->api(GET => "/products/$id");
is(allowed($plain) . ' ' . vary($plain), 'none Origin', 'without Origin only Vary is there, for caches');

# A cached response belongs to whoever asks.
for my $origin ($shop, $office, $shop, $stranger, $office) {
    my $r = from($origin, GET => "/products/$id");
    is(allowed($r), $origin eq $stranger ? 'none' : "$origin true", "a product for $origin");
    is($r->{headers}{etag}, $tag, 'the same product');
}

# A stored answer too.
my @once = (POST => '/products', { name => 'Tray', price => 1 }, token => $token);
my $first = from($shop, @once, headers => { 'Idempotency-Key' => 'cors' });
my $again = from($office, @once, headers => { 'Idempotency-Key' => 'cors' });
is(join(' ', $again->{headers}{'idempotency-replayed'}, allowed($again)), "true $office true", 'a repeated answer is for the origin that repeats it');
is($again->{body}, $first->{body}, 'the same answer');

# ---- all origins ----

for my $origin ($shop, $stranger, 'null') {
    my $r = from($origin, GET => '/products', undef, mount => '/any');
    is(allowed($r) . vary($r), '*', "* lets $origin read, without credentials");
}
is(allowed($server->api(GET => '/products', mount => '/any')), '*', 'a response to all origins is the same without Origin');
is(allowed(from($stranger, GET => '/nothing', undef, mount => '/any')), '*', 'an error too');

# ---- preflights ----

my $table = slurp(setting('top') . '/src/httpd/routes.c');
my %methods;
push @{ $methods{$2} }, $1 while $table =~ /^\s*\{\s*"([A-Z]+)",\s*"([^"]+)",/mg;
ok(keys %methods > 15, 'the routes are known');
sub preflight {
    my ($path, $origin, $method, %o) = @_;
    return from($origin, OPTIONS => $path, undef, %o,
        headers => { 'Access-Control-Request-Method' => $method, 'Access-Control-Request-Headers' => 'authorization,content-type' });
}
my @wrong;
for my $route (sort keys %methods) {
    my $path = $route =~ s/:\w+/x/gr;
    for my $mount ('/api', '/guarded', '/denied') {
        my $r = preflight($path, $shop, $methods{$route}[0], mount => $mount);
        my %listed = map { $_ => 1 } split /, /, $r->{headers}{'access-control-allow-methods'} // '';
        push @wrong, "$mount$path $r->{status} " . allowed($r) if $r->{status} != 204 || allowed($r) ne "$shop true" || $r->{body} ne '';
        push @wrong, "$mount$path lacks $_" for grep { !$listed{$_} } @{ $methods{$route} };
        push @wrong, "$mount$path has Allow: $r->{headers}{allow}" if $r->{headers}{allow} ne ($r->{headers}{'access-control-allow-methods'} // '');
    }
}
is(join("\n", @wrong), '', 'a preflight succeeds on every route, whatever Require says');
answers(preflight("/products/$id", $shop, 'PATCH'), 204, '', 'a preflight says what may be sent',
    'access-control-allow-headers' => 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Link-Token, Prefer',
    'access-control-allow-methods' => 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', 'access-control-max-age' => qr/^[1-9]\d+$/,
    'content-type' => undef, vary => 'Origin');
answers(preflight('/products', $stranger, 'GET', mount => '/any'), 204, '', 'a preflight for all origins',
    'access-control-allow-origin' => '*', 'access-control-allow-credentials' => undef, vary => undef);
my $refused = preflight('/products', $stranger, 'POST');
is("$refused->{status} " . allowed($refused), '204 none', 'a preflight of an origin that is not named is OPTIONS as ever');
is(preflight('/products', $stranger, 'POST', mount => '/guarded')->{status}, 401, 'for which Require holds');
is(preflight('/products', $stranger, 'POST', mount => '/denied')->{status}, 403, 'whatever it says');
is(from($shop, OPTIONS => '/products', undef, mount => '/guarded')->{status}, 401, 'for an OPTIONS that is no preflight too');
answers(preflight('/nothing', $shop, 'GET'), 404, refusal(), 'a preflight of no route', 'access-control-allow-origin' => $shop);

allow_log(qr/AH0?1630: client denied|AH01617|AH01618/);
done_testing;
