# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/jwks.json
# The public keys that others need to check our tokens, and nothing more.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Jose qw(pair verified);
use CatalogTest::Keys qw(put_key);

my $keys = scratch();
my %pair = map { $_ => pair($_) } qw(ES256 RS256);
put_key($keys, 'rsa.pem', $pair{RS256}{private}, 10); # the first: of keys that have just come, the one that came first signs
put_key($keys, 'curve.pem', $pair{ES256}{private}, 20);
put_key($keys, 'shared.key', 'A-secret-of-thirty-two-bytes-or-more,-for-all', 30);

my %key = (ES256 => "CatalogKeyFile \"$keys/curve.pem\"", RS256 => "CatalogKeyFile \"$keys/rsa.pem\"",
    all => "CatalogKeyDir \"$keys\"", HS256 => "CatalogKeyFile \"$keys/shared.key\"");
my $server = server(mount => undef, conf => join '', map { <<"END" } sort keys %key)->start;
<Location "/$_">
    CatalogEnable   On
    $key{$_}
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END
sub jwks { my ($mount, $method) = @_; return $server->api($method // 'GET', '/auth/jwks.json', mount => "/$mount") }

my %jwk = (
    curve => { kty => 'EC', use => 'sig', alg => 'ES256', kid => 'curve', crv => 'P-256', x => $pair{ES256}{jwk}{x},
        y => $pair{ES256}{jwk}{y} },
    rsa => { kty => 'RSA', use => 'sig', alg => 'RS256', kid => 'rsa', n => $pair{RS256}{jwk}{n}, e => 'AQAB' },
);
my $cache = qr/max-age=\d+/;
answers(jwks('ES256'), 200, { keys => [$jwk{curve}] }, 'an EC key is published', 'cache-control' => $cache);
answers(jwks('RS256'), 200, { keys => [$jwk{rsa}] }, 'an RSA key is published', 'cache-control' => $cache);
answers(jwks('HS256'), 200, { keys => [] }, 'a secret is not published');
answers(jwks('all'), 200, { keys => [@jwk{ sort { $b cmp $a } keys %jwk }] },
    'of several keys the public ones are published, newest first');
answers(jwks('all', 'HEAD'), 200, '', 'HEAD is served');
answers($server->api(POST => '/auth/jwks.json', {}, mount => '/all'), 405, undef, 'POST is refused',
    allow => 'GET, HEAD, OPTIONS');

# Another implementation fetches the keys and checks our tokens with them.
my $base = 'http://127.0.0.1:' . $server->port;
for my $mount (qw(ES256 RS256 all)) {
    my $name = fresh();
    my %user = (username => $name, email => "$name\@example.com", password => 'correct horse');
    my $token = $server->api(POST => '/register', \%user, mount => "/$mount")->{json}{token};
    my %options = (issuer => 'https://catalog.test', audience => 'catalog-test', typ => 'JWT',
        algorithms => ['ES256', 'RS256']);
    my $seen = verified($token, { jwks => "$base/$mount/auth/jwks.json" }, %options);
    is($seen->{claims}{username}, $name, "$mount: the published keys verify a token") or diag explain $seen;
    my $error = verified($token, { jwks => "$base/HS256/auth/jwks.json" }, %options)->{error};
    like($error, qr/^ERR_JWKS_NO_MATCHING_KEY/, "$mount: another mount's keys do not verify it");
}

allow_log(qr{CAT076: CatalogKeyFile }); # the files are those of a CatalogKeyDir, which its group may read
done_testing;
