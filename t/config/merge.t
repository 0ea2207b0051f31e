# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: POST /register
# Settings are inherited: server, virtual host, Location, and a Location within it.
use CatalogTest;

my $key = key_path;
my $server = server(mount => undef, conf => <<"END");
CatalogKeyFile      "$key"
CatalogIssuer       server
CatalogAudience     all
CatalogDefaultLimit 3
CatalogMaxLimit     5
CatalogTokenTTL     60
<Location "/api">
    CatalogEnable On
</Location>
<Location "/own">
    CatalogEnable       On
    CatalogDefaultLimit 2
    CatalogMaxLimit     4
    CatalogIssuer       own
    CatalogStrict       On
    CatalogMaxBody      100
    CatalogTokenTTL     120
</Location>
<Location "/off">
    CatalogEnable On
</Location>
<Location "/off">
    CatalogEnable Off
</Location>
<VirtualHost 127.0.0.1:\@port\@>
    ServerName first.test
</VirtualHost>
<VirtualHost 127.0.0.1:\@port\@>
    ServerName second.test
    CatalogDefaultLimit 1
    CatalogIssuer       second
    CatalogStrict       On
    <Location "/own">
        CatalogIssuer own-second
    </Location>
</VirtualHost>
END
$server->start;

sub ask {
    my ($host, $method, $path, @more) = @_;
    return $server->talk(CatalogTest::request_bytes($method, $path, shift @more, headers => { Host => $host }, @more));
}

# host, mount, default limit, largest limit, issuer, seconds a token lives, strict
my @mounts = (
    ['first.test', '/api', 3, 5, 'server', 60, 0],
    ['first.test', '/own', 2, 4, 'own', 120, 1],
    ['second.test', '/api', 1, 5, 'second', 60, 1],
    ['second.test', '/own', 2, 4, 'own-second', 120, 1],
);
for (@mounts) {
    my ($host, $mount, $default, $most, $issuer, $ttl, $strict) = @$_;
    my $name = "$host$mount";
    my $token = forge(claims => claims(iss => $issuer, aud => 'all'));
    is(ask($host, GET => "$mount/products")->{json}{pagination}{limit}, $default, "$name: CatalogDefaultLimit applies");
    is(ask($host, GET => "$mount/products?limit=1000")->{json}{pagination}{limit}, $most, "$name: CatalogMaxLimit applies");
    answers(ask($host, POST => "$mount/products", { name => 'x', price => 1 }, token => $token), 201, undef,
        "$name: CatalogIssuer applies");
    my $unknown = ask($host, POST => "$mount/products", { name => 'x', price => 1, z => 1 }, token => $token);
    answers($unknown, $strict ? 400 : 201, $strict ? invalid(z => 'unknown') : undef, "$name: CatalogStrict applies",
        'preference-applied' => undef);
    my @others = grep { $_ ne $issuer } map { $_->[4] } @mounts;
    my @tokens = map { forge(claims => claims(iss => $_, aud => 'all')) } @others;
    is_deeply([map { ask($host, POST => "$mount/products", {}, token => $_)->{status} } @tokens], [(401) x 3],
        "$name: tokens of other issuers are refused");
    answers(ask($host, POST => "$mount/register",
        { username => fresh(), email => fresh() . '@x.test', password => 'x' x 8 }), 201,
        sub { $_[0]{expiresIn} == $ttl }, "$name: CatalogTokenTTL applies");
}

my $token = forge(claims => claims(iss => 'own', aud => 'all'));
answers(ask('first.test', POST => '/own/products', '{"name":"' . 'x' x 80 . '","price":1}', token => $token), 413,
    refusal(), 'CatalogMaxBody applies');
is(ask('first.test', GET => '/off/products')->{status}, 404, 'a later section switches a mount off');
unlike(ask('first.test', GET => '/off/products')->{headers}{'content-type'}, qr/json/,
    'httpd answers below the switched-off mount');

done_testing;
