# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/keys
# route: POST /auth/keys
# route: DELETE /auth/keys/:id
# Keys: what they may, what they may not, and what ends them.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Token qw(ABSENT);
use CatalogTest::Tools qw(setting);
use Time::HiRes qw(sleep time);

my $key = key_path;
my $server = server(mount => "CatalogWriteRole editor\nCatalogMaxKeys 5\nCatalogRevocationDelay 1\nCatalogRateLimit Off\nCatalogField cost number private",
    conf => moderate() . <<"END")->start;
<Location "/other">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogWriteRole any
    CatalogMaxKeys  0
</Location>
<Location "/elsewhere">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogAudience another-service
</Location>
<Location "/htdocs">
    AuthType Catalog
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    Require valid-user
</Location>
<Location "/verified">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    Require catalog-verified
</Location>
<Location "/api/categories">
    Require catalog-role editor
</Location>
END

sub user_of {
    my ($role, $user) = ($_[0], register($server));
    set_role($server, $user->{user}{username}, $role);
    return renewed($user);
}
sub renewed { my ($user) = @_; return { %$user, %{ sign_in($server, $user->{user}{username}, $user->{password})->{json} } } }
sub make { my ($user, %body) = @_; return $server->api(POST => '/auth/keys', { name => 'ERP', password => $user->{password}, %body }, token => $user->{token}) }
sub made { make(@_)->{json}{token} // die }
sub list { $server->api(GET => '/auth/keys', token => $_[0]{token})->{json}{data} }
sub end { my ($user, $id) = @_; return $server->api(DELETE => "/auth/keys/$id", token => $user->{token}) }
sub create { my ($token, %o) = @_; return $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token, %o) }
sub refused { my ($r, $status, $problem, $name) = @_; answers($r, $status, undef, $name, 'catalog-problem' => $problem) }
sub is_ended { my ($token, $name) = @_; answers(create($token), 401, refusal(error => 'the key has ended'), $name,
    'www-authenticate' => failed(), 'catalog-problem' => 'revoked-token') }
sub audited { my ($name) = @_; return map { "$_->[0] $_->[1] " . ($_->[2] // '') } @{ $server->database->selectall_arrayref(
    q(SELECT actor, action, changes FROM audit WHERE target = ? AND action LIKE 'key.%' ORDER BY id), undef, $name) } }

# ---- making, listing, ending ----

my $ada = user_of('editor');
my $name = $ada->{user}{username};
my $r = make($ada);
answers($r, 201, { success => true, message => qr/./, id => $ID, name => 'ERP', expiresAt => $TIME, token => qr/^[\w-]+\.[\w-]+\.[\w-]+$/ },
    'a user makes a key', 'cache-control' => 'no-store');
my ($id, $token) = @{ $r->{json} }{qw(id token)};
my $claims = claims_of($token);
is_deeply([sort keys %$claims], [sort qw(aud exp iat iss jti sid sub token_use)], 'its token says nothing that could change');
is_deeply([@$claims{qw(token_use sid sub)}], ['key', $id, $ada->{user}{id}], 'and names the key and its user');
is($claims->{exp} - $claims->{iat}, 90 * 86400, 'it is valid for 90 days');
is_deeply([map { { %$_, createdAt => 1, expiresAt => 1 } } @{ list($ada) }],
    [{ id => $id, name => 'ERP', role => 'editor', createdAt => 1, expiresAt => 1 }], 'the list has it, without the token, and says that it was never used');
is(scalar(grep { /\Q$token\E/ } $server->dump, $server->log_text, $server->access_text), 0, 'neither the database nor a log has the token');

answers(make($ada, name => $_->[0], %{ $_->[1] }), 400, invalid(@$_[2, 3]), "refused: $_->[2] $_->[3]")
    for ['', {}, 'name', 'too_short'], ['  ', {}, 'name', 'blank'], ['x' x 101, {}, 'name', 'too_long'],
    ['x', { expiresIn => 0 }, 'expiresIn', 'too_small'], ['x', { expiresIn => 1e12 }, 'expiresIn', 'too_large'],
    ['x', { expiresIn => '5' }, 'expiresIn', 'type'], ['x', { expiresIn => 1.5 }, 'expiresIn', 'type'],
    ['x', { role => 'root' }, 'role', 'format'], ['x', { role => 'admin' }, 'role', 'invalid'];
answers($server->api(POST => '/auth/keys', {}, token => $ada->{token}), 400, invalid(name => 'required', password => 'required'), 'a key requires a name and the password');
answers(make($ada, password => 'wrong horse'), 400, invalid(password => 'wrong'), 'and that must be the right one');
answers(make($ada, name => "a$_\b"), 400, invalid(name => 'format'), sprintf 'no control character: U+%04X', ord) for "\e", "\t", "\n", "\x7f", "\x{9b}";
is(scalar @{ list($ada) }, 1, 'and none is there');
refused($server->api(@$_), 401, 'authentication-required', "$_->[0] without a token is refused")
    for [GET => '/auth/keys'], [POST => '/auth/keys', { name => 'x' }], [DELETE => "/auth/keys/$id"];

my $reader = made($ada, name => "K\x{fc}che \x{1f600}", role => 'user', expiresIn => 3600);
is(list($ada)->[0]{name}, "K\x{fc}che \x{1f600}", 'any name can be read again');
is(my @both = audited($name), 2, 'both are in the audit table');
like((audited($name))[0], qr/^\Q$name\E key\.create \{"name":\{"to":"ERP"\},"role":\{"to":"editor"\},"expiresAt":\{"to":"[\dT:.Z-]+"\}\}$/, 'with name, role and end, and no token');

# ---- what a key may: every row of the route table ----

my $product = create($token)->{json}{data}{id};
my %own = (
    'GET /products' => 200, 'POST /products' => 201, 'GET /products/export' => 200, 'POST /products/batch' => 200,
    'POST /products/import' => 200, 'GET /products/:id' => 200, 'PUT /products/:id' => 200, 'PATCH /products/:id' => 200,
    'GET /categories' => 200, 'GET /fields' => 200, 'GET /openapi.json' => 200,
);
my %body = (
    'POST /products' => { name => 'y', price => 2 }, 'PUT /products/:id' => { price => 3 }, 'PATCH /products/:id' => { price => 4 },
    'POST /products/batch' => { operations => [{ op => 'create', body => { name => 'z', price => 1 } }] },
);
my @routes = slurp(setting('top') . '/src/httpd/routes.c') =~ /^    \{ "([A-Z]+)",\s+"([^"]+)",\s+\w+,\s+(CAT_\w+)/mg;
ok(@routes > 90, 'the route table was read');
while (my ($method, $path, $who) = splice @routes, 0, 3) {
    my $route = "$method $path";
    my @more = $method =~ /^(?:GET|DELETE)$/ ? () : ($body{$route} // {});
    my %o = (token => $token);
    @more = ("name,price\nw,1\n"), $o{headers} = { 'Content-Type' => 'text/csv' } if $route eq 'POST /products/import';
    my $asked = $server->api($method, $path =~ s/:id/$product/r =~ s/:\w+/$product/r, @more, %o);
    if ($who =~ /^CAT_(?:USER|ADMIN|HOLDER)$/) {
        answers($asked, 403, refusal(error => qr/is a key/), "$route is no route for a key",
            'www-authenticate' => qr/error="insufficient_scope"/, 'catalog-problem' => 'insufficient-role');
    } elsif ($who eq 'CAT_ANYONE') {
        isnt($asked->{status}, 403, "$route does not look at it");
    } elsif (my $status = $own{$route}) {
        is($asked->{status}, $status, "$route takes it");
    } else {
        ok($asked->{status} !~ /^40[13]$/, "$route takes it: $asked->{status}");
    }
}
answers($server->api(DELETE => "/products/" . create($token)->{json}{data}{id}, token => $token), 200, undef, 'a key deletes a product');
is($server->database->selectrow_array('SELECT COUNT(*) FROM user_keys'), 2, 'no key has made another one, or ended one');

# Its role is the key's, at most the user's.
$product = create($token)->{json}{data}{id};
refused(create($reader), 403, 'insufficient-role', 'a key with the role user may not write');
my $keeper = made(user_of('editor'));
answers($server->api(PATCH => "/products/$product", { cost => 5 }, token => $keeper), 200, undef, 'a key of an editor sets a private field');
is_deeply([map { $server->api(GET => "/products/$product", $_ ? (token => $_) : ())->{json}{data}{cost} } $keeper, $reader, undef], [5, undef, undef],
    'and sees it, which a key with the role user does not');
answers(create($reader, mount => '/other'), 201, undef, 'on a mount of the same database that lets anyone write, it may');

# What the site's own rules make of it.
answers($server->api(GET => '/categories', token => $token), 200, undef, 'Require catalog-role has the role of the key');
is($server->api(GET => '/categories', token => $reader)->{status}, 403, 'which may be lower than that of its user');
is(create($token, mount => '/verified')->{status}, 403, 'Require catalog-verified: the user has not confirmed the address');
$server->database->do('UPDATE users SET confirmed_at = 1 WHERE username = ?', undef, $name);
ok(wait_until(5, sub { create($token, mount => '/verified')->{status} == 201 }), 'and now has');
ok(wait_until(5, sub { $server->access_text =~ m{^POST /api/products 201 user=\Q$name\E id=\Q$ada->{user}{id}\E }m }), 'logs have the user');
is($server->talk("GET /htdocs/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer $_->[0]\r\n\r\n")->{status}, $_->[1], "AuthType Catalog outside of a mount takes $_->[2]")
    for [$token, 401, 'no key'], [$ada->{token}, 404, 'an access token'];

# ---- a key is no other token, and no other token is a key ----

refused($server->api(POST => '/auth/refresh', { refreshToken => $token }), 401, 'invalid-refresh-token', 'a key refreshes nothing');
answers($server->api(POST => '/auth/logout', {}, token => $token), 403, undef, 'a key signs nobody out');
answers($server->api(POST => '/auth/logout', { refreshToken => $token }), 401, undef, 'also in place of the refresh token');
is(works($server, $ada->{token}), 1, 'its user is signed in as before');
answers(create($ada->{refreshToken}), 401, undef, 'a refresh token is no key');
my %like = (token_use => 'key', sub => $ada->{user}{id}, sid => $id, jti => $id);
answers(create(forge(claims => claims(%like))), 201, undef, 'a token like the key is the key');
my $session = claims_of($ada->{token})->{sid};
answers(create(forge(claims => claims(%like, @$_[1 .. $#$_]))), 401, undef, "refused: $_->[0]", 'www-authenticate' => failed())
    for ['the id of a session', sid => $session], ['an id that no key has', sid => claims()->{sid}], ['another user', sub => register($server)->{user}{id}],
    ['no id', sid => ABSENT], ['another use', token_use => 'Key'], ['no use', token_use => ABSENT], ['a list of uses', token_use => ['key']],
    ['another audience', aud => 'another-service'], ['a use with a NUL', token_use => "key\0"];
answers(create(forge(claims => claims(%like), key => 'x' x 32)), 401, undef, 'refused: another signature');
my $risen = forge(claims => claims(%like, sid => claims_of($reader)->{sid}, role => 'admin', username => 'root', email_verified => true));
refused(create($risen), 403, 'insufficient-role', 'claims of a key about the user count for nothing');
answers(create(forge(claims => claims(%like, token_use => 'access', role => 'editor'))), 201, undef, 'an access token whose session is a key is an access token');
answers(create($token, mount => '/elsewhere'), 401, undef, 'a mount with another audience refuses the key');

# ---- last use ----

my $used = sub { my ($key) = grep { $_->{id} eq $id } @{ list($ada) }; return $key };
ok(wait_until(10, sub { $used->()->{lastUsedAt} }), 'the list says when a key was last used');
is($used->()->{address}, '127.0.0.1', 'and from where');
$server->database->do('UPDATE user_keys SET used_at = ? WHERE id = ?', undef, int(time * 1000), $id); # a minute from now on, however long this took
my $first = $used->()->{lastUsedAt};
create($token, headers => { 'X-Client' => '192.0.2.9' }) for 1 .. 5;
sleep 2.5;
is($used->()->{lastUsedAt}, $first, 'that is written once a minute at most');
$server->database->do('UPDATE user_keys SET used_at = ? WHERE id = ?', undef, int(time * 1000) + 86_400_000, $id);
my $future = $used->()->{lastUsedAt};
$server->graceful; # its new children know of no use
ok(wait_until(15, sub { create($token); $used->()->{lastUsedAt} lt $future }), 'one in the future counts for nothing: the clock was set back');

# ---- ends ----

answers(end($ada, $id), 200, { success => true, message => qr/./ }, 'a user ends a key');
is_ended($token, 'it is refused at once');
is(scalar(grep { $_->{status} != 401 } $server->burst((wire(GET => '/products?fields=cost', token => $token)) x 64)), 0, 'by every child');
refused(end($ada, $_), 404, 'key-not-found', "there is no such key: $_") for $id, claims()->{sid}, 'x', $session;
is((audited($name))[-1], "$name key.end {\"name\":{\"from\":\"ERP\"}}", 'the audit table has its end');
my $stranger = user_of('user');
my $other = make($stranger)->{json};
answers(end($ada, $other->{id}), 404, undef, 'nobody ends the key of another user');
answers(create($other->{token}, mount => '/other'), 201, undef, 'which goes on');

my $short = made($ada, expiresIn => 1);
sleep 2.1;
answers(create($short), 401, refusal(error => 'the token has expired'), 'a key expires on time', 'catalog-problem' => 'expired-token');

# The role of the user sinks, and rises again.
my $long = made($ada);
set_role($server, $name, 'user');
ok(wait_until(5, sub { create($long)->{status} == 403 }), 'a key may no more than its user, whose role has sunk');
$ada = renewed($ada);
answers(make($ada, role => 'editor'), 400, invalid(role => 'invalid'), 'whose new keys may no more, either');
set_role($server, $name, 'admin');
ok(wait_until(5, sub { create($long)->{status} == 201 }), 'and again what it may at most');

# A rename: guards of the site know the new name at once.
$ada = renewed($ada);
my $renamed = fresh();
answers($server->api(PATCH => '/auth/me', { username => $renamed }, token => $ada->{token}), 200, undef, 'the user takes another name');
ok(wait_until(5, sub { create($long); $server->access_text =~ m{ 201 user=\Q$renamed\E id=\Q$ada->{user}{id}\E }m }), 'the key has the new name');
$ada->{user}{username} = $renamed;
$ada = renewed($ada);

# What ends a user's keys, and what does not.
my %change = (currentPassword => 'correct horse', newPassword => 'incorrect horse');
answers($server->api(POST => '/auth/password/change', \%change, token => $ada->{token}), 200, undef, 'the user changes the password');
answers($server->api(POST => '/auth/logout', { all => true }, token => $ada->{token}), 200, undef, 'and signs out everywhere');
answers(create($long), 201, undef, 'the key goes on');
my $admin = user_of('admin');
my @admin = (token => $admin->{token});

# An administrator takes a role away on a server that remembers keys for a long time: it is gone at once, and comes back at once.
my $slow = server(mount => "CatalogWriteRole editor\nCatalogRevocationDelay 60\nCatalogRateLimit Off\nCatalogDatabase \@driver\@ \"" . $server->params . '"')->start;
my $demoted = user_of('editor');
my $kept = made($demoted);
sub all_say { my %seen; $seen{ $_->{status} }++ for $slow->burst((wire(PUT => "/products/$product", { price => 3 }, token => $kept)) x 48); return join ' ', sort keys %seen }
is(all_say(), '200', 'each child has read the key');
for (['user', '403'], ['editor', '200']) {
    answers($slow->api(PATCH => "/users/$demoted->{user}{id}", { role => $_->[0] }, @admin), 200, undef, "the role $_->[0]");
    is(all_say(), $_->[1], 'holds for the key at once');
}
$slow->stop;

my %work = (
    lock => [PATCH => "/users/ID", { locked => true }], revoke => [DELETE => '/users/ID/sessions'], delete => [DELETE => '/users/ID'],
);
for my $what (sort keys %work) {
    my $victim = user_of('editor');
    my ($one, $two) = map { made($victim) } 1, 2;
    answers(create($_), 201, undef, "$what: the key works") for $one, $two;
    my ($method, $path, @body) = @{ $work{$what} };
    answers($server->api($method, $path =~ s/ID/$victim->{user}{id}/r, @body, @admin), 200, undef, "$what: an administrator's work");
    is_ended($_, "$what: ends the user's keys") for $one, $two;
    is($server->database->selectrow_array('SELECT COUNT(*) FROM user_keys WHERE user_id = ?', undef, $victim->{user}{id}), 0, "$what: and leaves none");
}
my $self = user_of('editor');
my $of_self = made($self);
answers($server->api(DELETE => '/auth/me', { password => $self->{password} }, token => $self->{token}), 200, undef, 'a user deletes the account');
is_ended($of_self, 'its key has ended');

# A password change ends them if the user says so, and guesses at the password are as few as at sign-in.
my $careful = user_of('editor');
my @of_careful = map { made($careful) } 1, 2;
answers($server->api(POST => '/auth/password/change', { currentPassword => 'wrong horse', newPassword => 'incorrect horse', endKeys => true }, token => $careful->{token}),
    400, invalid(currentPassword => 'wrong'), 'with a wrong password');
answers(create($_), 201, undef, 'the keys go on') for @of_careful;
answers($server->api(POST => '/auth/password/change', { %change, endKeys => 1 }, token => $careful->{token}), 400, invalid(endKeys => 'type'), 'endKeys is a boolean');
answers($server->api(POST => '/auth/password/change', { %change, endKeys => true }, token => $careful->{token}), 200, undef, 'with the right one');
is_ended($_, 'the keys end at once') for @of_careful;
answers(make($careful, password => "guess $_"), 400, invalid(password => 'wrong'), 'a guess') for 1 .. 5;
answers(make($careful, password => 'incorrect horse'), 429, undef, 'after five the right password waits, too', 'retry-after' => qr/^\d+$/);

# ---- how many ----

my $collector = user_of('user');
my @statuses = map { map { $_->{status} } $server->burst((wire(POST => '/auth/keys', { name => 'x', password => 'correct horse' }, token => $collector->{token})) x 4) } 1 .. 3; # five at once would be guesses
is_deeply([sort @statuses], [(201) x 5, (409) x 7], 'a user has at most CatalogMaxKeys keys, however they come');
refused(make($collector), 409, 'too-many-keys', 'another one is refused');
$server->database->do('UPDATE user_keys SET expires_at = 1 WHERE id = ?', undef, list($collector)->[0]{id});
answers(make($collector), 201, undef, 'a key that has expired does not count');
is(scalar @{ list($collector) }, 6, 'but is listed');
answers($server->api(POST => '/auth/keys', { name => 'x', password => 'correct horse' }, token => $collector->{token}, mount => '/other'), 409, undef, 'CatalogMaxKeys 0: none');

allow_log(qr/AH01630: client denied/, qr/AH00027: /);
done_testing;
