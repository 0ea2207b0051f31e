# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/me
# route: POST /products
# CatalogTrust: the server accepts another issuer's tokens by its public key; that issuer's users have neither account nor role.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Jose qw(pair signed);

my $dir = scratch();
my %pair = map { $_ => pair($_) } qw(ES256 RS256);
spew("$dir/$_.pub", $pair{$_}{public}) for keys %pair;
my $trust = <<"END";
CatalogTrust https://id.test   shop "$dir/ES256.pub"
CatalogTrust https://corp.test api  "$dir/RS256.pub"
END
my $server = server(mount => $trust, conf => <<"END")->start;
<Location "/editors">
    CatalogEnable    On
    CatalogKeyFile   "\@key\@"
    CatalogIssuer    https://catalog.test
    CatalogAudience  catalog-test
    CatalogWriteRole editor
    $trust
</Location>
<Location "/alone">
    CatalogEnable    On
    CatalogKeyFile   "\@key\@"
    CatalogIssuer    https://catalog.test
    CatalogAudience  catalog-test
</Location>
END
my %product = (name => 'x', price => 1);
my $now = time;
my %claims = (iss => 'https://id.test', aud => 'shop', sub => 'auth0|5f7c', iat => $now, exp => $now + 300);
sub post { my ($token, %o) = @_; return $server->api(POST => '/products', \%product, token => $token, %o) }

# header and claims: changes; undef deletes one
sub foreign {
    my ($header, $claims, $alg) = @_;
    $alg //= 'ES256';
    my %h = (alg => $alg, typ => 'JWT', kid => 'whatever the issuer calls it', %$header);
    my %c = (%claims, %$claims);
    return signed({ private => $pair{$alg}{private} }, { map { $_ => $h{$_} } grep { defined $h{$_} } keys %h },
        { map { $_ => $c{$_} } grep { defined $c{$_} } keys %c });
}

my @good = (
    ['a token of another issuer', {}, {}], ['an access token', { typ => 'at+jwt' }, {}],
    ['with a long typ', { typ => 'application/at+jwt' }, {}],
    ['without typ', { typ => undef }, {}], ['without kid', { kid => undef }, {}],
    ['several audiences', {}, { aud => ['else', 'shop'] }], ['a subject of 255 characters', {}, { sub => 'x' x 255 }],
    ['a subject beyond ASCII', {}, { sub => "Zo\x{eb}" }],
    ['unknown claims', {}, { scope => 'all', 'https://id.test/roles' => ['x'] }],
    ['a token of the other trusted issuer', {}, { iss => 'https://corp.test', aud => 'api' }, 'RS256'],
    ['nbf in the future, within the leeway', {}, { nbf => $now + 10 }],
    ['an access token with typ in capitals', { typ => 'at+JWT' }, {}], ['another spelling', { typ => 'Application/JWT' }, {}],
    ['times with fractions', {}, { iat => $now - 0.25, nbf => $now - 0.5, exp => $now + 300.125 }],
    ['a token of 8,000 octets', {}, { groups => 'x' x 5700 }], ['an access token that says so', {}, { token_use => 'access' }],
);
answers(post(foreign(@$_[1 .. 3])), 201, undef, "accepted: $_->[0]") for @good;

my @bad = (
    ['another audience', {}, { aud => 'api' }], ['the server\'s own audience', {}, { aud => 'catalog-test' }],
    ['no audience', {}, { aud => undef }], ['an unknown issuer', {}, { iss => 'https://else.test' }],
    ['no issuer', {}, { iss => undef }], ['the other issuer\'s name', {}, { iss => 'https://corp.test', aud => 'api' }],
    ['the server\'s own issuer', {}, { iss => 'https://catalog.test', aud => 'catalog-test' }],
    ['expired', {}, { iat => $now - 300, exp => $now - 60 }], ['no expiry', {}, { exp => undef }],
    ['nbf in the future', {}, { nbf => $now + 100 }], ['no subject', {}, { sub => undef }],
    ['an empty subject', {}, { sub => '' }], ['a subject too long', {}, { sub => 'x' x 256 }],
    ['a subject of two lines', {}, { sub => "x\r\ny" }], ['a subject that is a number', {}, { sub => 5 }],
    ['another typ', { typ => 'logout+jwt' }, {}], ['crit', { crit => ['x'], x => 1 }, {}],
    ['a key of another service of this kind', {}, { token_use => 'key' }], ['an ID token', {}, { token_use => 'id' }],
    ['the other algorithm', {}, { iss => 'https://id.test' }, 'RS256'],
);
answers(post(foreign(@$_[1 .. 3])), 401, refusal(error => qr/./), "refused: $_->[0]", 'www-authenticate' => failed())
    for @bad;

# A public key is no secret, and ours is not theirs.
my %header = (alg => 'HS256', typ => 'JWT');
my @confused = (
    ['the public key as a secret', { secret => $pair{ES256}{public} }, \%header, \%claims],
    ['the server\'s key with the other issuer\'s name', { secret => key() }, \%header, \%claims],
    ['the server\'s key with the other issuer\'s name and typ at+jwt', { secret => key() }, { %header, typ => 'at+jwt' }, \%claims],
    ['the server\'s key without token_use', { secret => key() }, \%header, claims(token_use => CatalogTest::Token::ABSENT)],
    ['another key with the same algorithm', { private => pair('ES256')->{private} }, { alg => 'ES256', typ => 'JWT' }, \%claims],
);
answers(post(signed(@$_[1 .. 3])), 401, undef, "refused: $_->[0]", 'www-authenticate' => failed()) for @confused;
answers(post(foreign({}, {}), mount => '/alone'), 401, undef, 'a mount without CatalogTrust refuses the token',
    'www-authenticate' => failed());
answers(post(forge()), 201, undef, 'the server\'s own tokens are accepted as well');

# Their users have the role user, whatever the token says, and their names cannot be mistaken for our users'.
my $scope = qr/^Bearer realm="[^"]+", error="insufficient_scope"/;
my $token = foreign({}, { sub => 'ann of id.test', role => 'admin', username => 'admin', email_verified => true });
answers(post($token), 201, undef, 'a token with another role can write where any user can');
answers(post($token, mount => '/editors'), 403, refusal(error => qr/./), 'the token\'s role is ignored',
    'www-authenticate' => $scope);
my $logged = quotemeta 'https://id.test#ann of id.test';
ok(wait_until(5, sub { $server->access_text =~ m{^POST /api/products 201 user=$logged id=$logged }m }),
    'the log has issuer and subject');

# They have no account, even if their subject is the id or name of one of our users.
my $user = register($server);
for my $sub ($user->{user}{id}, $user->{user}{username}, 'somebody') {
    my $stranger = foreign({}, { sub => $sub, sid => claims_of($user->{token})->{sid} });
    my @account = ([GET => '/auth/me'], [GET => '/auth/sessions'],
        [DELETE => '/auth/sessions/' . claims_of($user->{token})->{sid}], [POST => '/auth/logout', { all => true }],
        [POST => '/auth/password/change', { currentPassword => 'correct horse', newPassword => 'another horse' }]);
    answers($server->api(@$_, token => $stranger), 403, refusal(error => qr/./),
        "$_->[0] " . $_->[1] =~ s/[0-9a-f-]{36}/:id/r, 'www-authenticate' => $scope) for @account;
}
ok(works($server, $user->{token}), 'the user\'s session continues');

# The server neither publishes their keys nor signs with them.
answers($server->api(GET => '/auth/jwks.json'), 200, { keys => [] }, 'their keys are not published');
is(header_of($user->{token})->{alg}, 'HS256', 'the server\'s own key signs');

# httpd -t refuses files without a strong public key.
spew("$dir/weak.pub", qx(openssl genrsa 1024 2>/dev/null | openssl rsa -pubout 2>/dev/null));
spew("$dir/private.pem", $pair{ES256}{private});
spew("$dir/secret", 'a secret of thirty-two bytes or more');
for (['weak.pub', 'an RSA key of 1024 bits'], ['private.pem', 'a private key'], ['secret', 'a secret'],
    ['none', 'a missing file']) {
    my ($file, $what) = @$_;
    my ($status, $said) = server(mount => "CatalogTrust https://id.test shop \"$dir/$file\"")->configtest;
    ok($status != 0 && $said =~ /\Q$dir\/$file\E/, "$what: httpd -t refuses it") or diag $said;
}

# It also refuses too many issuers, and our own name for another issuer.
sub said {
    my ($status, $text) = server(@_)->configtest;
    return $status == 0 ? 'OK' : $text;
}
my $another = qq(CatalogTrust https://id.test shop "$dir/ES256.pub"\n);
is(said(mount => $another x 15), 'OK', 'CatalogTrust is accepted fifteen times');
like(said(mount => $another x 16), qr/CatalogTrust may be given at most 15 times/, 'httpd -t refuses CatalogTrust sixteen times');
my $own = qr/has a CatalogTrust for https:\/\/catalog\.test, which is its own CatalogIssuer/;
my $ours = $another =~ s/id\.test/catalog.test/r;
like(said(mount => $ours), $own, 'httpd -t refuses CatalogTrust for the CatalogIssuer');
like(said(conf => $ours), $own, 'httpd -t refuses an inherited CatalogTrust for the CatalogIssuer');
like(said(conf => "<Location /guarded>\nCatalogIssuer https://catalog.test\n$ours</Location>\n"), $own,
    'httpd -t refuses it outside of mounts, too');
is(said(mount => "$another</Location>\n<Location /x>\nCatalogIssuer https://catalog.test\n"), 'OK',
    'httpd -t accepts it beside another mount\'s CatalogIssuer');

done_testing;
