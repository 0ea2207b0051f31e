# SPDX-License-Identifier: Apache-2.0
# No cache may store the answer of a route that requires a token or carries one, whatever the answer says. /openapi.json names them.
use CatalogTest;
use CatalogAccounts;

my $server = accounts();
my $user = register($server);
set_role($server, $user->{user}{username}, 'admin');
my $document = $server->api(GET => '/openapi.json')->{json};
my %private;
for my $path (keys %{ $document->{paths} }) {
    for my $method (keys %{ $document->{paths}{$path} }) {
        my $operation = $document->{paths}{$path}{$method};
        next unless grep { $_->{accessToken} } @{ $operation->{security} };
        $private{ uc($method) . " $path" } = 1;
    }
}
my @public = map { "POST $_" } qw(/register /auth/login /auth/refresh /auth/confirm /auth/confirm/resend /auth/password/forgot /auth/password/reset);
cmp_ok(scalar keys %private, '>', 20, 'the description names the routes that require a token');

for my $route (sort(keys %private), @public, 'GET /auth/confirm') {
    my ($method, $path) = split / /, $route;
    my $token = sign_in($server, $user->{user}{username}, $user->{password})->{json}{token};
    my @body = $method =~ /^(?:POST|PUT|PATCH)$/ || $path eq '/auth/me' && $method eq 'DELETE' ? ({}) : ();
    my %answers = (
        'with a token' => $server->api($method => $path =~ s/\{\w+\}/01a1fd8d-47a8-77ac-9778-38d2c78c295b/r, @body ? @body : undef, token => $token),
        'without one' => $server->api($method => $path =~ s/\{\w+\}/x/r, @body ? @body : undef),
        'with a bad one' => $server->api($method => $path =~ s/\{\w+\}/x/r, @body ? @body : undef, token => 'x'),
    );
    is_deeply({ map { $_ => $answers{$_}{headers}{'cache-control'} } keys %answers }, { map { $_ => 'no-store' } keys %answers }, $route)
        or diag explain { map { $_ => $answers{$_}{status} } keys %answers };
}

# What is public stays as it is, also to a client that sends a token.
my $product = $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $user->{token})->{json}{data};
my %public = ('/products' => 'no-cache', "/products/$product->{id}" => 'no-cache', '/categories' => 'no-cache', '/openapi.json' => 'no-cache',
    '/auth/jwks.json' => 'public, max-age=300', '/health/live' => 'no-store', '/' => 'no-cache', '/problems' => 'no-cache');
for my $path (sort keys %public) {
    my @headers = map { $server->api(GET => $path, @$_)->{headers}{'cache-control'} } [], [undef, token => $user->{token}];
    is_deeply(\@headers, [($public{$path}) x 2], "GET $path");
}

# A Header line for the whole site changes neither these answers nor those that depend on who asks, and the site's own cache keeps none of them.
my $modules = CatalogTest::Tools::setting('modules');
my $site = server(conf => join('', map { qq(LoadModule ${_}_module "$modules/mod_$_.so"\n) } qw(cache cache_disk expires)) . <<'END', mount => "CatalogField cost number private\n")->start;
Header set        Cache-Control "public, max-age=3600"
Header always set Cache-Control "public, max-age=3600"
Header set        Expires "Thu, 01 Jan 2099 00:00:00 GMT"
ExpiresActive On
ExpiresDefault "access plus 1 hour"
CacheEnable disk /
CacheRoot "@dir@/logs"
CacheStoreNoStore Off
END
my @users = map { register($site) } 1, 2;
sub caching { my ($r) = @_; my $values = $r->{headers}{'cache-control'}; return join ' ', $r->{status}, ref $values ? @$values : $values // 'none' }
my %of = map { $_->{user}{username} => $site->api(GET => '/auth/me', token => $_->{token}) } @users, @users;
is(caching($of{$_}), '200 no-store', 'Header set Cache-Control leaves /auth/me alone') for sort keys %of;
is($of{$_}{headers}{expires}, undef, 'and it expires at no time in the future') for sort keys %of;
is($of{$_}{json}{data}{username} // $of{$_}{json}{user}{username}, $_, 'and each user has its own') for sort keys %of;
is(caching($site->api(POST => '/auth/login', { login => $users[0]{user}{username}, password => $users[0]{password} })), '200 no-store', 'a sign-in');
is(caching($site->api(GET => '/auth/me')), '401 no-store', 'a refusal');
is(caching($site->api(GET => '/products', token => $users[0]{token})), '200 private, no-cache', 'the list of a user who sees private fields');
like(caching($site->api(GET => '/products')), qr/^200 public, max-age=3600/, 'that of everybody else is the site\'s');

# A cache may keep some failures unless they say otherwise.
my $none = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
sub caching_of { my ($at, @request) = @_; my $r = $at->api(@request); return join ' ', $r->{status}, map { $_ // '-' } $r->{headers}{'cache-control'}, $r->{headers}{vary} }
my $shop = server(mount => "CatalogField sku string unique\n    CatalogField published boolean index\n    CatalogVisible published=true\n    CatalogWriteRole editor")->start;
my @missing = ("/products/$none", '/products/1', "/products/$none?fields=name", '/images/x.webp', '/nothing', '/problems/x', '/a%2Fb');
is(caching_of($server, GET => $_), '404 no-cache Accept', "GET $_") for @missing;
is(caching_of($server, HEAD => "/products/$none"), '404 no-cache Accept', 'HEAD');
is(caching_of($server, PATCH => '/products'), '405 no-cache Accept', 'a method that the route does not have');
is(caching_of($shop, GET => $_), '404 no-cache Accept,Authorization', "GET $_ where products are hidden") for "/products/$none", '/products/sku=KT-1';
is(caching_of($shop, GET => "/products/$none", token => forge()), '404 private, no-cache Accept,Authorization', 'with a token');

done_testing;
