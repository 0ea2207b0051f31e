# SPDX-License-Identifier: Apache-2.0
# The directives of accounts: the values they accept and refuse, and their inheritance.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
sub said { my ($status, $text) = server(@_)->configtest; return $status == 0 ? 'OK' : $text }
sub in_server { said(mount => undef, conf => "$_[0]\n") }

my %numbers = (
    CatalogSessionTTL => [1, 31536000], CatalogRefreshGrace => [0, 300], CatalogRevocationDelay => [1, 60],
    CatalogResetTTL => [60, 86400],
);
for my $name (sort keys %numbers) {
    my ($least, $most) = @{ $numbers{$name} };
    is(in_server("$name $_"), 'OK', "$name $_ is accepted") for $least, $most;
    like(in_server("$name $_"), qr/$name must be a whole number/, "$name $_ is refused")
        for $least - 1, $most + 1, 'many';
}

my %choices = (CatalogWriteRole => [qw(any editor admin)], CatalogRegistration => [qw(open closed)]);
for my $name (sort keys %choices) {
    is(in_server("$name $_"), 'OK', "$name $_ is accepted") for @{ $choices{$name} }, map { uc } @{ $choices{$name} };
    like(in_server("$name $_"), qr/Syntax error.*$name/s, "$name $_ is refused") for 'user', 'On', '""', '', '1';
}

my @limits = ('Off', 'off', 'login 1/1', 'login 30/60 register 60/60 mail 3/3600', 'mail Off',
    'MAIL 1/86400 Login off');
my @wrong = ('', 'login', 'login 30', 'login 30/', 'login 0/60', 'login 30/0', 'login -1/60', 'login 30/60/1',
    'login x/y', 'login 30/60 mail', 'logins 30/60', '30/60', 'Off login 1/1', 'login 9999999999/60');
is(in_server("CatalogRateLimit $_"), 'OK', "CatalogRateLimit $_ is accepted") for @limits;
like(in_server("CatalogRateLimit $_"), qr/Syntax error.*CatalogRateLimit/s, "CatalogRateLimit $_ is refused")
    for @wrong;

my @bad = (
    'CatalogKeyDir', 'CatalogKeyDir /nowhere', "CatalogKeyDir \"$key\"", 'CatalogTrust', 'CatalogTrust https://x.test',
    'CatalogTrust https://x.test api', 'CatalogTrust https://x.test api /nowhere',
    "CatalogTrust https://x.test api \"$key\"",
);
like(in_server($_), qr/Syntax error/, "$_ is refused") for @bad;
like(said(conf => "<Directory />\n$_\n</Directory>"), qr/Syntax error|not allowed here/, "$_ in <Directory> is refused")
    for 'CatalogWriteRole any', 'CatalogRateLimit Off', "CatalogKeyDir /tmp", 'CatalogTrust a b c';
like(server(mount => undef, conf => "<Location /x>\nCatalogEnable On\n</Location>\n")->configtest,
    qr/CatalogKeyFile.*CatalogKeyDir/, 'a mount without CatalogKeyFile and CatalogKeyDir is refused');

# Inherited: server, virtual host, Location.
my $server = server(mount => undef, conf => <<"END")->start;
CatalogKeyFile      "$key"
CatalogRegistration closed
CatalogWriteRole    admin
CatalogRateLimit    login 7/60
<Location "/api">
    CatalogEnable On
</Location>
<Location "/own">
    CatalogEnable       On
    CatalogRegistration open
    CatalogWriteRole    any
    CatalogRateLimit    login 9/60
</Location>
<VirtualHost 127.0.0.1:\@port\@>
    ServerName first.test
</VirtualHost>
<VirtualHost 127.0.0.1:\@port\@>
    ServerName second.test
    CatalogRegistration open
    CatalogWriteRole    editor
    CatalogRateLimit    Off
</VirtualHost>
END
my $token = forge(claims => claims(iss => 'mod_catalog', aud => 'catalog', role => 'editor'));
sub ask {
    my ($host, @request) = @_;
    return $server->talk(CatalogTest::request_bytes(@request,
        headers => { Host => $host, Authorization => "Bearer $token" }));
}
my @places = (
    # host, mount, status of a registration, of a write; the limit in the answer
    ['first.test', '/api', 403, 403, '"login";q=7;w=60'], ['first.test', '/own', 201, 201, '"login";q=9;w=60'],
    ['second.test', '/api', 201, 201, undef], ['second.test', '/own', 201, 201, '"login";q=9;w=60'],
);
for (@places) {
    my ($host, $mount, $registration, $write, $policy) = @$_;
    my $name = fresh();
    my %user = (username => $name, email => "$name\@example.com", password => 'correct horse');
    answers(ask($host, POST => "$mount/register", \%user), $registration, undef, "$host$mount: CatalogRegistration applies");
    answers(ask($host, POST => "$mount/products", { name => 'x', price => 1 }), $write, undef,
        "$host$mount: CatalogWriteRole applies");
    answers(ask($host, POST => "$mount/auth/login", { login => 'x', password => 'y' }), 401, undef,
        "$host$mount: CatalogRateLimit applies", 'ratelimit-policy' => $policy);
}

done_testing;
