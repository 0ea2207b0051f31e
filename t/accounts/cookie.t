# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /register
# route: POST /users
# route: POST /auth/refresh
# route: POST /auth/logout
# A browser's refresh token is in a cookie that no script can read. Over TLS only the host itself can set it; without TLS, browsers
# send it only to paths below /auth.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my $server = accounts(mount => 'CatalogRefreshGrace 1', conf => <<"END");
<Location "/shop/v2/api">
    CatalogEnable     On
    CatalogKeyFile    "$key"
    CatalogIssuer     https://catalog.test
    CatalogAudience   catalog-test
    CatalogRefreshTTL 3600
    CatalogBaseURL    http://shop.test/%66ront/
</Location>
<Location "/lax">
    CatalogEnable         On
    CatalogKeyFile        "$key"
    CatalogCookieSameSite Lax
</Location>
<Location "/none">
    CatalogEnable         On
    CatalogKeyFile        "$key"
    CatalogCookieSameSite None
    CatalogAllowOrigin    https://friend.test
</Location>
<Location "/strict">
    CatalogEnable         On
    CatalogKeyFile        "$key"
    CatalogAllowOrigin    *
</Location>
END
my $user = register($server);
sub login {
    my ($mount, %more) = @_;
    my %body = (login => $user->{user}{username}, password => $user->{password}, %more);
    return $server->api(POST => '/auth/login', \%body, mount => $mount);
}
my $host = '__Host-catalog_refresh%2fapi';
sub with { my ($value, %o) = @_; return (headers => { Cookie => "theme=dark; $host=$value; x=y" }, %o) }
sub value { my ($value) = ($_[0]{headers}{'set-cookie'} // '') =~ /^[^=]+=([\w-]{43});/; return $value }
sub pair { my ($pair) = $_[0]{headers}{'set-cookie'} =~ /^([^;]+)/; return $pair }
my $dropped = qr{^\Q$host\E=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure$};

my $r = login('/api', cookie => true);
my $cookie = qr{^\Q$host\E=[\w-]{43}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$};
answers($r, 200, tokens(user => $user->{user}, refresh => 0), 'the refresh token is in a cookie, not in the body',
    'set-cookie' => $cookie, 'cache-control' => 'no-store');
answers(login('/shop/v2/api', cookie => true), 200, undef,
    'without TLS, to judge by CatalogBaseURL, each mount has its own path, as clients see it, and the cookie has no prefix',
    'set-cookie' => qr{^catalog_refresh=[\w-]{43}; Path=/front/shop/v2/api/auth; Max-Age=3600; HttpOnly; SameSite=Strict$});
answers(login('/api', cookie => false), 200, tokens(user => $user->{user}),
    'a client that asks for no cookie gets the token in the body',
    'set-cookie' => undef);

# Registering signs in as well; /users does not.
my $name = fresh();
my %new = (username => $name, email => "$name\@example.com", password => 'correct horse', cookie => true);
answers($server->api(POST => '/users', { %new, username => "$name-2", email => "$name-2\@example.com" }), 201, undef,
    '/users sets no cookie', 'set-cookie' => undef, 'catalog-ignored' => 'cookie');
answers($server->api(POST => '/register', { %new, cookie => 'yes' }), 400, invalid(cookie => 'type'),
    'a registration whose field cookie is no boolean is refused', 'set-cookie' => undef);
my $registered = $server->api(POST => '/register', \%new);
answers($registered, 201, tokens(refresh => 0, registered => 1), 'a registration can set the cookie', 'set-cookie' => $cookie);
answers($server->api(POST => '/auth/refresh', with(value($registered))), 200, tokens(refresh => 0),
    'a refresh accepts the cookie of the registration', 'set-cookie' => $cookie);

# A refresh with the cookie needs no body.
my $first = value($r);
my $next = $server->api(POST => '/auth/refresh', with($first));
answers($next, 200, tokens(user => $user->{user}, refresh => 0), 'the cookie refreshes the session', 'set-cookie' => $cookie);
isnt(value($next), $first, 'the cookie rotates');
answers($server->api(POST => '/auth/refresh', {}, with(value($next))), 200, tokens(user => $user->{user}, refresh => 0),
    'a refresh with an empty object accepts the cookie', 'set-cookie' => $cookie);
answers($server->api(POST => '/auth/refresh', with($first)), 200, undef,
    'another tab can use the old cookie within the grace period',
    'set-cookie' => $cookie);
my $plain = login('/api')->{json};
answers($server->api(POST => '/auth/refresh', { refreshToken => $plain->{refreshToken} }, with($first)), 200,
    tokens(user => $user->{user}), 'a refresh token in the body takes precedence over the cookie', 'set-cookie' => undef);

# The cookie serves no other purpose.
my $none = qr/^Bearer realm="[^"]+"$/;
answers($server->api(@$_, with($first)), 401, undef, "$_->[0] $_->[1]: the cookie is not accepted as an access token",
    'www-authenticate' => $none)
    for [GET => '/auth/me'], [GET => '/auth/sessions'], [POST => '/products', { name => 'x', price => 1 }];

# The server clears an invalid cookie.
for my $bad ('x', '', 'x' x 43) {
    answers($server->api(POST => '/auth/refresh', with($bad)), 401, refusal(error => qr/./), "an invalid cookie is cleared: '$bad'",
        'set-cookie' => $dropped, 'www-authenticate' => failed());
}
answers($server->api(POST => '/auth/refresh', headers => { Cookie => "x=$host=$first; catalog_refresh=$first" }), 401, undef,
    'a cookie of another name is ignored');
answers($server->api(POST => '/auth/refresh', { refreshToken => 'x' x 43 }, with($first)), 401, undef,
    'an invalid token in the body does not clear the cookie', 'set-cookie' => undef);

# Signing out clears it.
my $session = login('/api', cookie => true);
answers($server->api(POST => '/auth/logout', with(value($session), token => $session->{json}{token})), 200, undef,
    'the logout clears the cookie', 'set-cookie' => $dropped);
answers($server->api(POST => '/auth/refresh', with(value($session))), 401, undef, 'the cookie is refused after the logout',
    'set-cookie' => $dropped);

# The cookie alone signs out, too, unless the browser reports that another site's page sent the request.
$session = login('/api', cookie => true);
my %cookie = (Cookie => pair($session));
for my $path ('/auth/logout', '/auth/refresh') {
    answers($server->api(POST => $path, headers => { %cookie, 'Sec-Fetch-Site' => 'cross-site' }), 403, refusal(error => qr/site/),
        "$path refuses the cookie in a request from another site", 'set-cookie' => undef);
}
ok(works($server, $session->{json}{token}), 'the session continues');
my $refused = $server->api(POST => '/auth/refresh', headers => { %cookie, Origin => 'https://evil.test', Accept => 'application/problem+json' });
answers($refused, 403, undef, 'Origin tells it, too, and the problem has a name');
is($refused->{json}{type}, '/api/problems/cross-site-request', 'of its own');
my @pages = (
    # what the browser sends with the cookie, and the status of a refresh
    ['no browser', 200, {}], ['the same origin', 200, { 'Sec-Fetch-Site' => 'same-origin', Origin => 'http://other.test' }],
    ['the user', 200, { 'Sec-Fetch-Site' => 'none' }], ['another subdomain', 403, { 'Sec-Fetch-Site' => 'same-site' }],
    ['an unknown word', 403, { 'Sec-Fetch-Site' => 'elsewhere' }], ['a sandboxed page', 403, { Origin => 'null' }],
    ['another port', 403, { Origin => 'http://127.0.0.1:1' }], ['the same host', 200, { Origin => 'http://127.0.0.1:' . $server->port }],
    ['the same host by TLS', 200, { Origin => 'https://127.0.0.1:' . $server->port }],
    ['CatalogBaseURL', 200, { Origin => 'https://shop.test', 'Sec-Fetch-Site' => 'cross-site' }],
    ['a scheme without a host', 403, { Origin => 'https:' }], ['a scheme and a slash', 403, { Origin => 'https:/', 'Sec-Fetch-Site' => 'cross-site' }],
    ['a longer host', 403, { Origin => 'https://shop.test.evil.test', 'Sec-Fetch-Site' => 'cross-site' }],
);
for (@pages) {
    my ($page, $status, $sent) = @$_;
    my $r = $server->api(POST => '/auth/refresh', headers => { %cookie, %$sent });
    is($r->{status}, $status, "a refresh by $page");
    $cookie{Cookie} = pair($r) if $r->{status} == 200;
    $session = $r if $r->{status} == 200;
}
answers($server->api(POST => '/auth/refresh', { refreshToken => 'x' x 43 }, headers => { %cookie, Origin => 'https://evil.test' }), 401,
    undef, 'a token in the body is judged by itself, whichever page sends it');
answers($server->api(POST => '/auth/logout', {}, token => 'x', headers => { %cookie, Origin => 'https://evil.test' }), 403, undef,
    'an invalid access token beside the cookie does not help');

# Other sites by configuration.
my %attributes = ('/lax' => 'SameSite=Lax', '/none' => 'SameSite=None; Secure', '/strict' => 'SameSite=Strict');
for my $mount (sort keys %attributes) {
    my $in = login($mount, cookie => true);
    like($in->{headers}{'set-cookie'}, qr/; HttpOnly; $attributes{$mount}$/, "CatalogCookieSameSite in $mount");
    my %sent = (Cookie => pair($in), 'Sec-Fetch-Site' => 'cross-site');
    is($server->api(POST => '/auth/refresh', mount => $mount, headers => { %sent, Origin => 'https://friend.test' })->{status},
        $mount eq '/none' ? 200 : 403, "a page of another site in $mount");
}
answers($server->api(POST => '/auth/logout', headers => { %cookie, 'Sec-Fetch-Site' => 'same-origin' }), 200,
    { success => true, message => qr/./ }, 'the cookie alone ends the session', 'set-cookie' => $dropped);
ok(!works($server, $session->{json}{token}), 'its access token is refused');
answers($server->api(POST => '/auth/logout', headers => {%cookie}), 401, refusal(error => qr/./),
    'a second logout with the cookie is refused',
    'set-cookie' => $dropped, 'www-authenticate' => failed());
$session = login('/api', cookie => true);
answers($server->api(POST => '/auth/logout', { refreshToken => login('/api')->{json}{refreshToken} }, with(value($session))), 200,
    undef, 'a logout by the token in the body clears the cookie, too', 'set-cookie' => $dropped);
ok(works($server, $session->{json}{token}), 'the session of the cookie continues');

# Two mounts of one host do not disturb each other, though both cookies have the path / over TLS.
my @two = map { login($_, cookie => true) } '/api', '/none';
isnt(pair($two[0]) =~ s/=.*//r, pair($two[1]) =~ s/=.*//r, 'the cookies of two mounts have different names');
my %both = (Cookie => join '; ', map { pair($_) } @two);
for my $mount ('/api', '/none') {
    answers($server->api(POST => '/auth/logout', mount => $mount, headers => {%both}), 200, undef, "$mount finds its own cookie beside the other one",
        'set-cookie' => qr/^__Host-catalog_refresh\Q${\($mount =~ s{\/}{%2f}r)}\E=; Path=\/;/);
}
ok(!works($server, $two[0]{json}{token}), 'its session has ended');

# Another host of the domain can plant a cookie where there is no TLS: of two, neither counts, and both are deleted.
sub at_shop {
    my ($path, $body, $cookies, %o) = @_;
    my %sent = (Host => 'api.shop.test', Cookie => join('; ', map { pair($_) } @$cookies), %{ $o{headers} // {} });
    return CatalogTest::Http::talk($server->port, CatalogTest::Http::request_bytes(POST => "/shop/v2/api$path", $body, %o, headers => \%sent));
}
sub dropped { my ($r) = @_; return { map { $_ => 1 } $r->{text} =~ /^Set-Cookie: (.*?)\r$/mg } }
my ($thief, $victim) = map { login('/shop/v2/api', cookie => true) } 1 .. 2;
for my $path ('/auth/refresh', '/auth/logout') {
    my $refused = at_shop($path, undef, [$thief, $victim]);
    answers($refused, 400, refusal(error => qr/both are deleted/), "$path refuses two cookies");
    my $lines = dropped($refused);
    ok((grep { $lines->{$_} } map { "catalog_refresh=; Path=$_->[0]$_->[1]; Max-Age=0; HttpOnly; SameSite=Strict" }
        ['/front/shop/v2/api/auth', ''], ["/front/shop/v2/api$path", '; Domain=shop.test'], ['/', '; Domain=shop.test'], ['/front/shop/', '; Domain=api.shop.test']) == 4,
        'and deletes them, whatever path and domain of the host they have') or diag explain $lines;
    ok(!(grep { /Domain=test;/ } keys %$lines), 'no browser has a cookie of a top-level domain');
}
my $long = at_shop('/auth/refresh', undef, [$thief, $victim], headers => { Host => 'a.' x 125 . 'test' });
answers($long, 400, refusal(error => qr/both are deleted/), 'two cookies are refused whatever Host says');
ok(!(grep { /Domain=/ } keys %{ dropped($long) }), 'a Host that is too long for a domain has no parents');
ok(works($server, $_->{json}{token}), 'no session ends') for $thief, $victim;
my $twice = $server->api(POST => '/auth/refresh', headers => { Cookie => join '; ', "$host=" . 'x' x 43, pair(login('/api', cookie => true)) });
answers($twice, 400, refusal(error => qr/both are deleted/), 'two cookies over TLS, as only a browser without the prefix sends them, are refused, too',
    'set-cookie' => $dropped);
my $foreign = at_shop('/auth/refresh', undef, [$thief, $victim], headers => { 'Sec-Fetch-Site' => 'cross-site' });
answers($foreign, 403, undef, 'a page of another site cannot have them deleted', 'set-cookie' => undef);
my $out = at_shop('/auth/logout', undef, [$thief, $victim], token => $victim->{json}{token});
is($out->{status}, 200, 'a logout by the access token succeeds beside two cookies');
ok(dropped($out)->{'catalog_refresh=; Path=/front/shop/v2/api/auth/logout; Domain=shop.test; Max-Age=0; HttpOnly; SameSite=Strict'}, 'and deletes both');
is(at_shop('/auth/refresh', { refreshToken => value($thief) }, [$thief, $victim])->{status}, 200,
    'a token in the body does not depend on them');

# Who sends a host of many labels does not get a line for each of its domains.
my $deep = $server->talk(CatalogTest::Http::request_bytes(POST => '/shop/v2/api/auth/refresh', undef,
    headers => { Host => 'a.' x 100 . 'shop.test', Cookie => 'catalog_refresh=a; catalog_refresh=b' }));
answers($deep, 400, refusal(error => qr/both are deleted/), 'two cookies are refused under a host of many labels, too');
cmp_ok(length $deep->{text}, '<', 4096, 'and the answer is short');

# A copy that is replayed later ends the family, like any token.
sleep 2;
answers($server->api(POST => '/auth/refresh', with($first)), 401, undef,
    'a replay of the first cookie after the grace period is refused',
    'set-cookie' => $dropped);
ok(!works($server, $next->{json}{token}), 'the replay ends the session');

expect_log(qr/CAT040: /);
done_testing;
