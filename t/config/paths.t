# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: POST /auth/login
# Mounts whose paths need percent-encoding: httpd compares decoded paths, browsers compare a cookie's path as it is sent.
use CatalogTest;

# The path in <Location>, and as a browser sends it.
my %sent = ('/my shop' => '/my%20shop', '/größe' => '/gr%C3%B6%C3%9Fe', '/a\"b' => '/a%22b', '/100%' => '/100%25', '/a+b' => '/a+b',
    '/deep er/ü' => '/deep%20er/%C3%BC');
sub name_of { return lc $_[0] =~ s/\W+/_/gr }
my $mounts = join '', map { my $name = name_of($sent{$_}); <<"END" } sort keys %sent;
<Location "$_">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience $name
    CatalogDatabase \@driver\@ "\@params:p$name\@"
</Location>
END
my $server = server(mount => undef, conf => $mounts . <<'END')->start;
<Location "/my shop/old part">
    CatalogEnable Off
</Location>
<Location "/my shop/closed part">
    Require all denied
</Location>
RewriteEngine On
RewriteRule ^/rewritten/(.*)$ "/my shop/$1" [PT]
RewriteRule "^/my shop/denied" - [F]
ErrorDocument 400 /sorry.html
ErrorDocument 403 http://else.test/
ErrorDocument 404 http://else.test/
LogFormat "%r" line
CustomLog "@dir@/logs/lines" line
END
sub ask { my ($method, $path, @more) = @_; return $server->api($method, $path, @more, mount => '') }
sub names { my ($mount) = @_; return join ' ', map { $_->{name} } @{ ask(GET => "$mount/products")->{json}{data} } }

for my $mount (sort values %sent) {
    my $made = ask(POST => "$mount/products", { name => "of $mount", price => 1 },
        token => forge(claims => claims(aud => name_of($mount))));
    answers($made, 201, undef, "$mount: a product is created", location => qr{^\Q$mount\E/products/[-0-9a-f]{36}$});
    answers(ask(GET => $made->{headers}{location}), 200, undef, "$mount: the Location header leads to the product");
    my %user = (username => 'ada', email => 'ada@example.com', password => 'correct horse');
    answers(ask(POST => "$mount/register", { %user, cookie => true }), 201, undef, "$mount: the cookie has the encoded path",
        'set-cookie' => qr{^catalog_refresh=[\w-]{43}; Path=\Q$mount\E/auth; });
    answers(ask(GET => "$mount/nothing"), 404, refusal(), "$mount: an unknown path gets a JSON 404");
}
is(names($_), "of $_", "$_ has its own products and no others") for sort values %sent;

# Every spelling of the path works.
answers(ask(GET => "/$_/products"), 200, undef, "/$_/products is served")
    for '%6D%79%20shop', 'gr%c3%b6%c3%9fe', 'x/../my%20shop', '/my%20shop';
answers(ask(GET => "/rewritten/products"), 200, sub { $_[0]{data}[0]{name} eq 'of /my%20shop' }, 'a rewrite leads to the mount');
is(ask(GET => $_)->{headers}{'content-type'} =~ /json/, '',
    "$_ is not below the mount") for '/my%20shopping', '/my%2520shop/products';

# httpd's own answers there.
my $secret = 'token=secret';
my @refused = (["/my%20shop/denied?$secret", 403], ["/my%20shop/closed%20part?$secret", 403],
    ["/my%20shop/products%2F1?$secret", 404], ["/my%20shop/%?$secret", 400]);
answers(ask(GET => $_->[0]), $_->[1], refusal($_->[1] == 404 ? () : (error => qr/./)), "$_->[0] gets a JSON $_->[1]") for @refused;
answers($server->talk("GET $_?$secret HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n", cut => 1), 400, refusal(error => qr/./),
    "$_ in a malformed request gets a JSON 400") for '/my%20shop/products', '//my%20shop/products', '/x/../my%20shop/products';
is(ask(GET => '/my%20shop/old%20part/products')->{status}, 302, 'a section that is switched off has the site\'s ErrorDocument');
my $lines;
ok(wait_until(5, sub { ($lines = slurp($server->dir . '/logs/lines')) =~ /old%20part/ }), 'the requests are logged');
unlike($lines, qr/secret/, 'the log has no queries of theirs');

# httpd counts several slashes as one for sections, even where it leaves them in the path.
my $slashes = server(conf => "MergeSlashes Off\n")->start;
answers($slashes->api(GET => $_, mount => ''), 200, undef, "MergeSlashes Off: $_ is served") for '/api/products', '//api/products';
answers($slashes->api(GET => '/api//products', mount => ''), 404, refusal(),
    'MergeSlashes Off: two slashes within the mount get a 404');

expect_log(qr/AH10244: invalid URI path/, qr/AH01630: client denied by server configuration: catalog:/);
done_testing;
