# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# route: POST /register
# route: POST /users
# CatalogWriteRole: who may write products. CatalogRegistration: who may register.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my %conf = ('/any' => 'CatalogWriteRole any', '/default' => '', '/editor' => 'CatalogWriteRole editor',
    '/admin' => 'CatalogWriteRole admin', '/closed' => 'CatalogRegistration closed',
    '/open' => 'CatalogRegistration open');
my $server = server(conf => join '', map { <<"END" } sort keys %conf)->start;
<Location "$_">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $conf{$_}
</Location>
END
my %product = (name => 'x', price => 1);
my $scope = qr/^Bearer realm="[^"]+", error="insufficient_scope"(?:, error_description="[^"\\]+")?$/;
my %token = map { $_ => forge(claims => claims(role => $_)) } qw(user editor admin);
$token{none} = forge();

# mount, roles that may write
my %may = ('/any' => '.', '/default' => '.', '/editor' => '^(?:editor|admin)$', '/admin' => '^admin$');
for my $mount (sort keys %may) {
    my $made = $server->api(POST => '/products', \%product, mount => $mount, token => $token{admin});
    my $path = "/products/$made->{json}{data}{id}";
    for my $role (sort keys %token) {
        my %o = (mount => $mount, token => $token{$role});
        my $allowed = $role =~ /$may{$mount}/;
        my ($body, @headers) = $allowed ? (undef, 'www-authenticate' => undef)
            : (refusal(error => qr/./), 'www-authenticate' => $scope);
        my $extra = $server->api(POST => '/products', \%product, %o);
        answers($extra, $allowed ? 201 : 403, $body, "$mount: POST with role $role gets " . ($allowed ? 201 : 403), @headers);
        answers($server->api(PUT => $path, { price => 2 }, %o), $allowed ? 200 : 403, $body,
            "$mount: PUT with role $role gets " . ($allowed ? 200 : 403), @headers);
        my $target = $allowed ? "/products/$extra->{json}{data}{id}" : $path;
        answers($server->api(DELETE => $target, %o), $allowed ? 200 : 403, $body,
            "$mount: DELETE with role $role gets " . ($allowed ? 200 : 403), @headers);
        answers($server->api(GET => $path, %o), 200, undef, "$mount: GET with role $role is served");
    }
    answers($server->api(POST => '/products', \%product, mount => $mount), 401, refusal(error => qr/./),
        "$mount: POST without a token is refused", 'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
    answers($server->api(GET => $path, mount => $mount), 200, undef, "$mount: GET without a token is served");
    answers($server->api(POST => '/products', '{', mount => $mount, token => $token{user}),
        $may{$mount} eq '.' ? 400 : 403, undef, "$mount: the role is checked before the body");
}
answers($server->api(POST => '/products', \%product, mount => '/editor', token => forge(claims => claims(role => $_))),
    401, undef, 'a token with an unknown role is refused: ' . ($_ // 'null'), 'www-authenticate' => failed())
    for 'root', 'Admin', 'admin ', '', undef, ['admin'], 1, true;

# A role change in the database takes effect with the next token.
my $user = register($server);
is(claims_of($user->{token})->{role}, 'user', 'a new user has the role user');
register($server, role => 'admin');
is($server->database->selectrow_array(q(SELECT COUNT(*) FROM users WHERE role <> 'user')), 0,
    'a role in a registration is ignored');
set_role($server, $user->{user}{username}, 'editor');
my $next = refresh($server, $user->{refreshToken})->{json}{token};
answers($server->api(POST => '/products', \%product, mount => '/editor', token => $next), 201, undef,
    'the next token has the new role');
set_role($server, $user->{user}{username}, 'user');
my $later = sign_in($server, $user->{user}{username}, $user->{password})->{json}{token};
answers($server->api(POST => '/products', \%product, mount => '/editor', token => $later), 403, undef,
    'a token issued after the next change has lost it', 'www-authenticate' => $scope);

# Closed: nobody can register; existing users continue.
my $name = fresh();
my %new = (username => $name, email => "$name\@example.com", password => 'correct horse');
answers($server->api(POST => $_, \%new, mount => '/closed'), 403, refusal(error => qr/./), "closed: $_ gets 403",
    'www-authenticate' => undef) for '/register', '/users';
answers($server->api(POST => '/register', {}, mount => '/closed'), 403, undef, 'closed: an invalid registration gets 403, too');
is($server->database->selectrow_array('SELECT COUNT(*) FROM users WHERE username = ?', undef, $name), 0,
    'closed: nothing is stored');
answers($server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} },
    mount => '/closed'), 200, undef, 'closed: existing users sign in');
answers($server->api(POST => '/register', \%new, mount => '/open'), 201, undef, 'open: a user registers');

done_testing;
