# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/confirm
# route: GET /products
# A query may contain a secret: below a mount, access logs record only the queries of products, lists and exports, whichever module
# answers.
use CatalogTest;
use Digest::SHA ();

my $secret = 'S3cret' . 'x' x 37;
my $server = server(mount => "LimitRequestBody 500\n", conf => <<'END');
LogFormat "%r %>s q=%q u=%U" query
CustomLog "@dir@/logs/query" query
<Location "/api/closed">
    Require all denied
</Location>
RewriteEngine On
RewriteRule ^/api/forbidden - [F]
RewriteRule ^/api/paged$    /api/products?page=2 [PT,QSA]
RewriteRule ^/link$         /api/auth/confirm [PT]
RewriteRule ^/mailed/(.*)$  /api/auth/confirm?token=$1&%{QUERY_STRING} [PT]
RewriteRule ^/api/v1/(.*)$  /api/$1 [PT]
RewriteRule ^/api/away$     /index.html [PT]
Header set X-Query "expr=%{QUERY_STRING}"
END
$server->write($server->dir . '/htdocs/index.html', "outside\n");
$server->start;
my $link = "/api/auth/confirm?token=$secret";
my $json = "Content-Type: application/json\r\n";

# The requests and their answers.
my %sent = (
    'GET' => ["GET $link", '', 400], 'HEAD' => ["HEAD $link", '', 400], 'OPTIONS' => ["OPTIONS $link", '', 204],
    'PUT' => ["PUT $link", '', 405], 'an unknown method' => ["FOO $link", '', 405],
    'TRACE' => ["TRACE $link", '', 405], 'HTTP/1.0' => ["GET $link", '', 400, 'HTTP/1.0'],
    'POST, without a body' => ["POST $link", '', 415],
    'POST, broken JSON' => ["POST $link", "${json}Content-Length: 1\r\n", 400, undef, '{'],
    'POST, too long' => ["POST $link", "${json}Content-Length: 999999\r\n", 413],
    'POST, a broken length' => ["POST $link", "${json}Content-Length: x\r\n", 400],
    'POST, a broken chunk' => ["POST $link", "${json}Transfer-Encoding: chunked\r\n", 400, undef, "x\r\n"],
    'an unknown coding' => ["POST $link", "Transfer-Encoding: x\r\n", 400],
    'an unknown expectation' => ["GET $link", "Expect: x\r\n", 417],
    'in absolute form' => ["GET http://127.0.0.1$link", '', 400],
    'in absolute form, refused' => ["GET http://127.0.0.1$link", "Expect: x\r\n", 417],
    'a slash at the end' => ["GET /api/auth/confirm/?token=$secret", '', 400],
    'an encoded letter' => ["GET /api/auth/confir%6D?token=$secret", '', 400],
    'a mount with an encoded letter' => ["GET /%61pi/auth/confirm?token=$secret", '', 400],
    'a name with an encoded letter' => ["GET /api/auth/confirm?%74oken=$secret", '', 400],
    'two slashes' => ["GET //api//auth/confirm?token=$secret", '', 400],
    'a longer path' => ["GET /api/auth/confirm/x?token=$secret", '', 404],
    'another path' => ["GET /api/auth/confirmed?token=$secret", '', 404],
    'an encoded slash' => ["GET /api/auth%2Fconfirm?token=$secret", '', 404],
    'a bad escape' => ["GET /api/auth/confirm%?token=$secret", '', 400],
    'the mount itself' => ["GET /api?token=$secret", '', 200],
    'a password in the query' => ["POST /api/auth/login?login=ada&password=$secret", '', 415],
    'another method of the list' => ["POST /api/products?token=$secret", '', 401],
    'a route without parameters' => ["GET /api/auth/jwks.json?token=$secret", '', 200],
    'a broken header' => ["GET $link", "nonsense\r\n", 400], 'a broken Host' => ["GET $link", "Host: a b\r\n", 400],
    'a broken header for the list' => ["GET /api/products?token=$secret", "nonsense\r\n", 400],
    'a space in the query' => ["GET $link $secret", '', 400],
    'a query that is too long' => ["GET $link" . 'x' x 9000, '', 414],
    'closed by the site' => ["GET /api/closed?token=$secret", '', 403],
    'forbidden by a rewrite' => ["GET /api/forbidden?token=$secret", '', 403],
    'rewritten into the mount' => ["GET /link?token=$secret", '', 400],
    'rewritten within the mount' => ["GET /api/v1/auth/confirm?token=$secret", '', 400],
);
for my $name (sort keys %sent) {
    my ($line, $headers, $status, $protocol, $body) = @{ $sent{$name} };
    my $host = $headers =~ /^Host/ ? '' : "Host: x\r\n";
    my $head = "$line " . ($protocol // 'HTTP/1.1') . "\r\n${host}Connection: close\r\n$headers";
    is($server->talk("$head\r\n" . ($body // ''), cut => 1)->{status}, $status, "$name gets $status");
}

# Nothing else changes: modules that need the query still get it.
sub get { $server->api(GET => $_[0], mount => '') }
is(get('/api/products?limit=3')->{json}{pagination}{limit}, 3, 'the list receives its query');
is(get('/api/v1/products?limit=4')->{json}{pagination}{limit}, 4, 'the list receives its query after a rewrite');
is_deeply(get('/api/paged?limit=5')->{json}{pagination}, { page => 2, limit => 5, total => 0, pages => 0 },
    'the list receives the parameters that a rewrite adds');
is(get('/api/away?x=y')->{headers}{'x-query'}, 'x=y', 'a file receives its query after a rewrite');
my $user = register($server);
my $token = 'a' x 43;
my $known = [Digest::SHA::sha256_hex($token), 'confirm', $user->{user}{id}, 1, 9_000_000_000_000, $user->{user}{email}];
$server->database->do('INSERT INTO mail_tokens (token_hash, purpose, user_id, created_at, expires_at, email)'
    . ' VALUES (?, ?, ?, ?, ?, ?)', undef, @$known);
answers(get("$_=$token"), 200, undef, "$_: the token is valid")
    for '/api/auth/confirm?token', '/link?x=y&token', '/api/v1/auth/confirm?token', "/mailed/$token?x";

my @lines;
ok(wait_until(5, sub { @lines = grep { !m{^GET /api/health/} } split /\n/, slurp($server->dir . '/logs/query'); @lines == keys(%sent) + 9 }),
    'the access log has all requests');
is(join("\n", grep { /$secret/i } @lines), '', 'the access log does not have the secret');
ok((grep { $_ eq 'GET /api/auth/confirm HTTP/1.1 400 q= u=/api/auth/confirm' } @lines),
    'the access log has the rest of a request with a secret');
ok((grep { m{^GET /api/products\?limit=3 HTTP/1\.1 200 q=\?limit=3 } } @lines), 'the access log has the query of the list');
is(join("\n", grep { /$secret/i && !/AH10244|AH00026/ } split /\n/, $server->log_text), '',
    'the error log does not have the secret, except in httpd\'s own lines on a malformed path');

expect_log(qr{AH10244: invalid URI path}, qr{AH01630: client denied by server configuration: catalog:/api/closed});
done_testing;
