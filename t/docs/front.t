# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event worker
# Runs the configurations of docs/how-to/proxy.md and tls.md as they are, except for addresses.
use CatalogTest;

use CatalogTest::Ctl ();
use CatalogTest::Document ();
use CatalogTest::Image ();
use CatalogTest::Tools qw(free_port hand_over setting slurp spew);
use Cpanel::JSON::XS ();
use IO::Uncompress::Gunzip ();

my @blocks = map { CatalogTest::Document::blocks(setting('top') . "/docs/how-to/$_.md") } qw(proxy tls);
my $modules = setting('modules');
my %load = map { $_ => qq(LoadModule ${_}_module "$modules/mod_$_.so"\n) } qw(http2 remoteip socache_shmcb ssl);
sub block { my ($line) = @_; my ($block) = grep { /^$line/m } @blocks; return $block // die "no how-to has $line\n" }

# ---- a proxy in front, under another prefix ----

my $pages = scratch();
system('cp', '-r', setting('top') . '/www/.', $pages) == 0 or die "cp failed\n";
my ($api) = block('ProxyPass ') =~ /^ProxyPass "(\S+)"/m;
spew("$pages/own/config.js", slurp("$pages/own/config.js") =~ s/^(export const API =) .*/$1 '$api';/mr);
hand_over($pages);

my ($base) = block('RemoteIPHeader') =~ /^(CatalogBaseURL .*\n)/m;
my $behind = server(conf => $load{remoteip} . (block('RemoteIPHeader') =~ s/10\.0\.0\.2/127.0.0.1/r =~ s/^CatalogBaseURL .*\n//mr)
    . "CatalogRateLimit login 3/60\n", mount => <<"END")->start;
$base
    CatalogWriteRole  any
    CatalogImages     On
    CatalogImageCache "\@dir\@/data"
    CatalogMail       "file:\@dir\@/data/mail"
    CatalogMailFrom   shop\@catalog.test
END
my $port = $behind->port;
my $front = server(mount => undef, conf => (block('ProxyPass ') =~ s/10\.0\.0\.1:8080/127.0.0.1:$port/gr) . <<"END")->start;
Alias "/shop" "$pages"
<Directory "$pages">
    Require all granted
    DirectoryIndex index.html
</Directory>
END
my $own = $front->port;
allow_log(qr/CAT084/); # the how-to is not about the pages' Content-Security-Policy
sub front { my ($method, $path, @more) = @_; return $front->api($method, "/shop$path", @more, mount => '') }

my $name = fresh();
my %login = (login => $name, password => 'correct horse');
my $r = front(POST => '/api/register', { username => $name, email => "$name\@example.com", password => 'correct horse', cookie => true });
is($r->{status}, 201, 'a registration through the proxy succeeds');
like($r->{headers}{'set-cookie'}, qr{^__Host-catalog_refresh%2fapi=\S+; Path=/; .*\bSecure\b},
    'the cookie is of the whole host and Secure because of CatalogBaseURL, so the proxy has nothing to translate');
my ($cookie) = $r->{headers}{'set-cookie'} =~ /^([^;]+)/;
is(front(POST => '/api/auth/refresh', headers => { Cookie => $cookie })->{status}, 200,
    'a refresh through the proxy accepts the cookie');
my $token = $r->{json}{token};
my $made = front(POST => '/api/products', { name => 'Kettle', price => 1 }, token => $token);
is("$made->{status} $made->{headers}{location}", "201 /shop/api/products/$made->{json}{data}{id}", 'Location has the proxy\'s path');
my $list = front(GET => '/api/products?limit=1&page=1');
like($list->{headers}{link}, qr/^<\?page=1&limit=1>; rel="first"/, 'Link is relative');

# case: each address in each answer leads somewhere
my %is_sample = map { $_ => 1 } qw(example examples pattern);
sub addresses {
    my ($value) = @_;
    return map { addresses($_) } ref $value eq 'ARRAY' ? @$value : map { $value->{$_} } grep { !$is_sample{$_} } keys %$value if ref $value eq 'ARRAY' || ref $value eq 'HASH';
    return defined $value && $value =~ m{^(?:https?:/)?/} ? $value : ();
}

my %found;
sub follow {
    my ($path, $r) = @_;
    my @rows = $r->{headers}{'content-type'} =~ /ndjson/ ? map { Cpanel::JSON::XS::decode_json($_) } split /\n/, $r->{body} : $r->{json} // ();
    my @link = map { s/^(?=\?)/$path =~ s{\?.*}{}r/er } ($r->{headers}{link} // '') =~ /<([^>]*)>/g;
    $found{$_} = $path for map({ addresses($_) } @rows), $r->{headers}{location} // (), @link;
    return $r;
}
sub visit { my ($method, $path, @more) = @_; return follow("/shop/api$path", front($method, "/api$path", @more)) }

my %writer = (token => $token);
my $kettle = $made->{json}{data}{id};
my %png = (%writer, headers => { 'Content-Type' => 'image/png', 'Idempotency-Key' => '"one"' });
my $picture = visit(POST => "/products/$kettle/images?alt=Kettle", CatalogTest::Image::png(700, 400), %png);
is($picture->{status}, 201, 'a picture is added');
is_deeply([map { $_->{url} } @{ $picture->{json}{data}{sizes} }], [map { "/shop/api/images/$picture->{json}{data}{id}-$_.webp" } 320, 640, 700], 'whose sizes have the proxy\'s path');
my $again = visit(POST => "/products/$kettle/images?alt=Kettle", CatalogTest::Image::png(700, 400), %png);
is($again->{headers}{location}, $picture->{headers}{location}, 'so has a repeated answer');
visit(POST => '/products', { name => 'Kettle', price => 1 }, %writer);
visit(GET => $_, undef, %writer) for '', '/openapi.json', '/products?limit=1', '/products?limit=1&page=1', "/products/$kettle", '/products/export', '/categories', '/fields',
    '/changes?since=0&include=product', '/changes/batches', "/products/$kettle/history", '/problems', '/health/ready', '/auth/jwks.json', '/auth/me', '/auth/sessions', '/auth/keys';
visit(GET => '/products/none', undef, headers => { Accept => 'application/problem+json' });
my @mails;
ok(wait_until(60, sub { @mails = glob $behind->dir . '/data/mail/*.eml' }), 'there is a mail');
$found{$_} = 'the mail' for map { slurp($_) =~ m{(https://[^\s#]+)}g } @mails;
delete $found{'/shop/api/images/'}; # a beginning of addresses
delete $found{$_} for grep { m{^https://(?:spec\.openapis\.org|www\.rfc-editor\.org|datatracker)} } keys %found;
for my $address (sort keys %found) {
    my $path = $address =~ s{^https://shop\.example\.com/}{/}r;
    is(CatalogTest::Http::request($own, GET => $path, undef, %writer)->{status}, 200, "$address in $found{$address} is there");
}
for my $page (map { m{([^/]+\.html)$} } glob "$pages/*.html") {
    my @needed = slurp("$pages/$page") =~ /(?:href|src)="((?:assets|own)[^"]+)"/g;
    is(join(' ', grep { front(GET => "/$_")->{status} != 200 } $page, @needed), '', "$page is there, with what it loads");
}
is(front(GET => '/own/config.js')->{body} =~ /^export const API = '(.*)';/m ? CatalogTest::Http::request($own, GET => "$1/health/live")->{status} : '', 200, 'the pages find the API');

# The server tells clients apart by the front's headers.
my %from = map { $_ => { 'X-Forwarded-For' => "203.0.113.$_" } } 1 .. 2;
my $session = front(POST => '/api/auth/login', \%login, headers => $from{1});
my $sessions = front(GET => '/api/auth/sessions', token => $session->{json}{token});
is((grep { $_->{current} } @{ $sessions->{json}{data} })[0]{address}, '203.0.113.1', 'a session has the client\'s address');
front(POST => '/api/auth/login', \%login, headers => $from{1}) for 1 .. 3;
is(front(POST => '/api/auth/login', \%login, headers => $from{1})->{status}, 429, 'a client over its limit is refused');
is(front(POST => '/api/auth/login', \%login, headers => $from{2})->{status}, 200, 'another client is not limited');

# ---- compression ----

my $deflating = server(conf => block('  AddOutputFilterByType'))->start;
my $user = register($deflating);
$deflating->api(POST => '/products', { name => "Kettle $_", price => $_, category => 'kitchen' }, token => $user->{token}) for 1 .. 100;
my %gzip = (headers => { 'Accept-Encoding' => 'gzip' });
my $full = $deflating->api(GET => '/products?limit=100');
my $small = $deflating->api(GET => '/products?limit=100', %gzip);
is($small->{headers}{'content-encoding'}, 'gzip', 'a list is compressed');
IO::Uncompress::Gunzip::gunzip(\$small->{body} => \my $text);
is($text, $full->{body}, 'the decompressed body is the original');
cmp_ok(length $small->{body}, '<', length($full->{body}) / 4, 'the compressed body has less than a quarter of the size');
my $tag = $small->{headers}{etag};
like($tag, qr/-gzip"$/, 'the ETag of a compressed answer ends in -gzip');
is($deflating->api(GET => '/products?limit=100', headers => { %{ $gzip{headers} }, 'If-None-Match' => $tag })->{status}, 304,
    'If-None-Match with that ETag gets a 304');
my $one = "/products/$full->{json}{data}[0]{id}";
$tag = $deflating->api(GET => $one, %gzip)->{headers}{etag};
is($deflating->api(PUT => $one, { price => 5 }, token => $user->{token}, headers => { 'If-Match' => $tag })->{status}, 200,
    'If-Match with such an ETag is accepted');
my $brotli = $deflating->api(GET => '/products?limit=100', headers => { 'Accept-Encoding' => 'gzip, br' });
is($brotli->{headers}{'content-encoding'}, 'br', 'a client that accepts Brotli gets it');
cmp_ok(length $brotli->{body}, '<', length $small->{body}, 'the body is smaller than that of mod_deflate');
like($brotli->{headers}{etag}, qr/-br"$/, 'its ETag ends in -br');
is($deflating->api(GET => '/products?limit=100', headers => { 'Accept-Encoding' => 'br', 'If-None-Match' => $brotli->{headers}{etag} })->{status},
    304, 'If-None-Match with that ETag gets a 304');
ok(!$deflating->api(GET => '/auth/me', token => $user->{token}, %gzip)->{headers}{'content-encoding'},
    'an answer below /auth is not compressed');

# ---- HTTP/2 over TLS ----

my $secure = free_port();
my ($protocols) = block(' *Protocols') =~ /^ *(Protocols .*\n)/m;
my $h2 = server(conf => join '', @load{qw(http2 socache_shmcb ssl)}, $protocols, <<"END");
Listen 127.0.0.1:$secure
<VirtualHost 127.0.0.1:$secure>
    SSLEngine             On
    SSLCertificateFile    "\@dir\@/cert.pem"
    SSLCertificateKeyFile "\@dir\@/cert.key"
</VirtualHost>
END
my $certificate = CatalogTest::Ctl::run({}, qw(openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1),
    '-keyout', $h2->dir . '/cert.key', '-out', $h2->dir . '/cert.pem');
die $certificate->{err} if $certificate->{status};
$h2->start;
my $writer = register($h2);
sub http2 {
    my ($path, @more) = @_;
    my $r = CatalogTest::Ctl::run({}, qw(curl -s --noproxy * --cacert), $h2->dir . '/cert.pem', '-w', "\n%{http_version} %{http_code}", @more,
        "https://127.0.0.1:$secure/api$path");
    return $r->{out};
}
like(http2('/products', '-d', '{"name":"Kettle","price":19.99}', map { ('-H', $_) } 'Content-Type: application/json', "Authorization: Bearer $writer->{token}"),
    qr/"message":"Product created"\}\n2 201\z/, 'a product is created over HTTP/2');
like(http2('/products'), qr/"name":"Kettle".*\n2 200\z/, 'the list is served over HTTP/2');
like(http2("/products?page=$_"), qr/\n2 200\z/, 'a page is served over HTTP/2') for 1 .. 3;
like(http2('/products', '--http1.1'), qr/\n1\.1 200\z/, 'a client without HTTP/2 is served too');

allow_log(qr/ssl:warn/);
done_testing;
