# SPDX-License-Identifier: Apache-2.0
# route: GET /problems
# route: GET /problems/:name
# Problem details (RFC 9457) for clients that ask for them; the usual shape for all others.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my $server = server(mount => 'CatalogRateLimit login 12/3600', conf => <<"END")->start;
RewriteEngine On
RewriteRule ^/api/refuse/402\$ - [R=402]
RewriteRule ^/api/refuse/403\$ - [R=403]
<Location "/a b">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
<Location "/closed">
    CatalogEnable  On
    CatalogKeyFile "$key"
    Require all denied
</Location>
END
my $details = 'application/problem+json';
my $user = register($server);
my $token = $user->{token};

sub ask {
    my ($method, $path, $body, %o) = @_;
    return $server->api($method => $path, defined $body ? $body : (), %o, headers => { Accept => $details, %{ $o{headers} || {} } });
}
sub problem {
    my ($name, $status, %more) = @_;
    return { type => "/api/problems/$name", title => qr/./, status => $status, detail => qr/./, requestId => qr/./, %more };
}
sub tells {
    my ($r, $name, $status, $what, %more) = @_;
    my $body = problem($name, $status, %more);
    delete @$body{ grep { !defined $body->{$_} } keys %$body };
    answers($r, $status, $body, $what, 'content-type' => $details, vary => 'Accept', 'catalog-problem' => $name);
}

# ---- what problems mean ----

my $list = $server->api(GET => '/problems');
answers($list, 200, { success => true, data => sub { @{ $_[0] } > 40 } }, 'the list of problems', etag => qr/^"/, vary => undef);
my (%by_name, @bad);
for my $p (@{ $list->{json}{data} }) {
    $by_name{ $p->{name} } = $p;
    my $one = $server->api(GET => $p->{type} =~ s{^/api}{}r);
    push @bad, $p->{name} if $one->{status} != 200 || match($one->{json}{data}, { type => "/api/problems/$p->{name}", name => qr/^[a-z-]+$/,
        status => qr/^[45]\d\d$/, title => qr/^[A-Z]/, meaning => qr/^[A-Z].*\.$/s, remedy => qr/^[A-Z].*\.$/s });
}
is("@bad", '', 'the URI of each problem says what it means');
is(scalar keys %by_name, scalar @{ $list->{json}{data} }, 'each has a name of its own');
tells(ask(GET => '/problems/nothing'), 'problem-not-found', 404, 'a problem that does not exist', detail => undef);
answers($server->api(GET => '/problems/cross', mount => '/a%20b', headers => { Accept => $details }), 404, undef, 'in a mount with a space',
    'content-type' => $details);
is($server->api(GET => '/nothing', mount => '/a%20b', headers => { Accept => $details })->{json}{type}, '/a%20b/problems/not-found',
    'the URI is percent-encoded');
answers($server->api(GET => '/problems', headers => { 'If-None-Match' => $list->{headers}{etag} }), 304, '', 'a problem list has not changed');

# ---- which shape ----

my %usual = (success => false, message => 'Product not found');
my @shapes = (
    [undef, 0], ['*/*', 0], ['application/*', 0], ['application/json', 0], ['text/html', 0],
    ["$details;q=0.5, application/json", 0], ["$details;q=0", 0], ["$details;q=0.3, */*;q=0.5", 0],
    [$details, 1], ["application/json, $details", 1], ["$details;q=0.5, */*;q=0.1", 1], [uc $details, 1],
    [['application/json;q=0.1', $details], 1],
);
for (@shapes) {
    my ($accept, $is_wanted) = @$_;
    my $shown = ref $accept ? join ' and ', @$accept : $accept // 'none';
    my $r = $server->api(GET => '/products/x', headers => { Accept => $accept });
    $is_wanted ? tells($r, 'product-not-found', 404, "Accept: $shown", title => 'Product not found', detail => undef)
        : answers($r, 404, \%usual, "Accept: $shown", 'content-type' => 'application/json', vary => 'Accept',
            'catalog-problem' => 'product-not-found');
}
is($server->api(GET => '/products/x')->{body}, '{"success":false,"message":"Product not found"}', 'the usual shape is what it was');
answers(ask(GET => '/products'), 200, { success => true, data => [], pagination => sub { 1 } }, 'a success has the same shape for all',
    'content-type' => 'application/json', vary => undef, 'catalog-problem' => undef);
answers(ask(HEAD => '/products/x'), 404, '', 'HEAD', 'content-type' => $details, vary => 'Accept', 'catalog-problem' => 'product-not-found');

# ---- which problem ----

my %product = (name => 'x', price => 1);
my $now = time;
sub post { ask(POST => '/products', \%product, @_) }
tells(post(), 'authentication-required', 401, 'no token');
tells(post(token => 'a.b.c'), 'malformed-token', 401, 'a malformed token', detail => 'the token is malformed');
tells(post(token => forge(claims => claims(exp => $now - 60))), 'expired-token', 401, 'an expired token', detail => 'the token has expired');
tells(post(token => forge(signature => '')), 'malformed-token', 401, 'a token without a signature');
tells(post(token => forge(key => 'another key of thirty-two bytes!!')), 'invalid-token', 401, 'a forged token',
    detail => qr/signature/);
tells(post(headers => { Authorization => 'Bearer {}' }), 'malformed-authorization', 400, 'a malformed header');
my $ended = sign_in($server, $user->{user}{username}, $user->{password})->{json}{token};
$server->api(POST => '/auth/logout', token => $ended);
tells(post(token => $ended), 'revoked-token', 401, 'a token whose session has ended', detail => qr/session/);
like(post(token => $ended)->{headers}{'www-authenticate'}, failed(), 'the challenge is there as well');
tells(ask(POST => '/auth/login', { login => 'nobody', password => 'wrong horse' }), 'invalid-credentials', 401, 'a wrong password');
tells(ask(POST => '/auth/refresh', { refreshToken => 'x' x 43 }), 'invalid-refresh-token', 401, 'an unknown refresh token');
tells(ask(POST => '/products', { name => ' ', price => -1 }, token => $token), 'validation-failed', 400, 'bad fields', errors => [
    { field => 'name', code => 'blank', message => qr/./ }, { field => 'price', code => 'too_small', message => qr/./ } ]);
tells(ask(POST => '/products', '{', token => $token), 'invalid-json', 400, 'bad JSON', detail => qr/^line 1/);
tells(ask(POST => '/products', '{}', token => $token, headers => { 'Content-Type' => 'text/plain' }), 'unsupported-media-type', 415,
    'a body of another type');
tells(ask(POST => '/products', '{"name":"' . 'x' x 70_000, token => $token), 'body-too-large', 413, 'a large body', detail => undef);
tells(ask(GET => '/products?cursor=nonsense'), 'invalid-cursor', 400, 'a bad cursor');
tells(ask(GET => '/nothing'), 'not-found', 404, 'no route', detail => undef);
tells(ask(PATCH => '/products'), 'method-not-allowed', 405, 'another method', detail => undef);
tells(ask(POST => '/register', { username => $user->{user}{username}, email => 'x@example.com', password => 'correct horse' }), 'user-exists',
    409, 'a name that is taken', errors => [{ field => 'username', code => 'taken', message => qr/./ }]);

# Members of their own follow; the rows of a batch have their usual shape.
my %row = (index => 0, status => 400, message => 'Validation failed', error => qr/./, errors => sub { @{ $_[0] } == 1 });
tells(ask(POST => '/products/batch', { operations => [{ op => 'create', body => { price => 1 } }] }, token => $token), 'validation-failed',
    400, 'a batch with a bad row', errors => sub { @{ $_[0] } == 1 }, results => [\%row]);
tells(ask(POST => '/products/import', "name,price\nx,y\n", token => $token, headers => { 'Content-Type' => 'text/csv' }), 'validation-failed',
    400, 'an import with a bad row', errors => sub { $_[0][0]{row} == 1 }, summary => { rows => 1, failed => 1, stored => 0 });

# The two kinds of 429.
my ($here, $there) = map { +{ login => $_, password => 'wrong horse' } } fresh(), fresh();
sub login { ask(POST => '/auth/login', $_[0]) }
login($here) for 1 .. 5;
my $delayed = login($here);
tells($delayed, 'login-delayed', 429, 'the delay after wrong passwords');
my $limited;
ok(wait_until(10, sub { ($limited = login($there))->{status} == 429 }), 'the limit of the client is reached');
tells($limited, 'too-many-requests', 429, 'the limit of the client');
is(join(' ', map { $delayed->{json}{$_} eq $limited->{json}{$_} ? 'same' : 'other' } qw(title detail)), 'same same',
    'both have the words that they had');

# ---- errors of httpd and of other modules ----

sub raw { my ($bytes) = @_; return $server->talk($bytes =~ s/ACCEPT/Accept: $details\r\nConnection: close/r, cut => 1) }
tells(raw("GET /api/products/%zz HTTP/1.1\r\nHost: x\r\nACCEPT\r\n\r\n"), 'bad-request', 400, 'a path that cannot be decoded');
tells(raw("GET /api/products HTTP/1.1\r\nHost: x\r\nACCEPT\r\nnonsense\r\n\r\n"), 'bad-request', 400, 'a malformed header');
answers($server->api(GET => '/refuse/402', headers => { Accept => $details }), 402, { type => 'about:blank', title => 'Payment Required',
    status => 402, requestId => qr/./ }, 'a status of another module has no problem of ours', 'content-type' => $details,
    'catalog-problem' => 'about:blank');
tells(ask(GET => '/refuse/403'), 'forbidden', 403, 'mod_rewrite');
answers($server->api(GET => '/products', mount => '/closed', headers => { Accept => $details }), 403,
    problem('forbidden', 403, type => '/closed/problems/forbidden'), 'a Require of the site');
tells(raw("POST /api/register HTTP/1.1\r\nHost: x\r\nACCEPT\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"),
    'incomplete-body', 400, 'a body that ends too early');

expect_log(qr/AH10244: invalid URI path/);
expect_log(qr/AH01630: client denied/);
done_testing;
