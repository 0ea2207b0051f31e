# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# Several mounts side by side, each with its own database and key.
use CatalogTest;

my $key = key_path;
my $other = 'another-key,-of-thirty-two-bytes-or-more';
my @names = qw(/api /shop /shop/v2 /deep/er /trailing);
my $conf = join '', map { my $name = s{^/}{}r =~ s{/}{_}gr; <<"END" } @names;
<Location "$_@{[ $_ eq '/trailing' ? '/' : '' ]}">
    CatalogEnable   On
    CatalogKeyFile  "@{[ $_ eq '/shop' ? '@dir@/other.key' : $key ]}"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test$_
    @{[ $_ eq '/api' ? '' : "CatalogDatabase \@driver\@ \"\@params:$name\@\"" ]}
</Location>
END
my $server = server(mount => undef, conf => $conf);
$server->write($server->dir . '/other.key', $other);
chmod 0600, $server->dir . '/other.key';
$server->start;

sub create {
    my ($mount, $name, %o) = @_;
    return $server->api(POST => '/products', { name => $name, price => 1 }, mount => $mount,
        token => forge(claims => claims(aud => "catalog-test$mount"), %o));
}
sub names {
    my ($mount) = @_;
    return join ' ', map { $_->{name} } @{ $server->api(GET => '/products', mount => $mount)->{json}{data} };
}

my %made;
for my $mount (@names) {
    my %o = $mount eq '/shop' ? (key => $other) : ();
    my $r = create($mount, "of $mount", %o);
    answers($r, 201, undef, "$mount: a product is created", location => qr{^\Q$mount\E/products/[-0-9a-f]{36}$});
    $made{$mount} = $r->{json}{data}{id};
}
is(names($_), "of $_", "$_ has its own products and no others") for @names;
for my $mount (@names) {
    is_deeply([map { $server->api(GET => "/products/$made{$_}", mount => $mount)->{status} } @names],
        [map { $_ eq $mount ? 200 : 404 } @names], "$mount: other mounts do not have its product");
}
answers(create('/shop', 'x'), 401, undef, 'a mount refuses a token signed with another mount\'s key',
    'www-authenticate' => qr{^Bearer realm="/shop"});
answers(create('/api', 'x', key => $other), 401, undef, 'that mount\'s token is refused elsewhere',
    'www-authenticate' => qr{^Bearer realm="/api"});
answers(create('/deep/er', 'x', claims => claims(aud => 'catalog-test/api')), 401, undef,
    'a mount refuses a token of another mount with the same key');
answers($server->api(GET => '/v3/products', mount => '/shop'), 404, refusal(), 'a path between two mounts gets a JSON 404');
is($server->api(GET => '/deep', mount => '')->{status}, 404, 'a path above a mount is httpd\'s');

# Two virtual hosts, each with mod_dbd's own settings.
my $hosts = server(mount => undef, conf => join '', map { <<"END" } qw(one two));
<VirtualHost 127.0.0.1:\@port\@>
    ServerName $_.test
    DBDriver   \@driver\@
    DBDParams  "\@params:$_\@"
    <Location "/api">
        CatalogEnable   On
        CatalogKeyFile  "$key"
        CatalogIssuer   https://catalog.test
        CatalogAudience $_
    </Location>
</VirtualHost>
END
$hosts->start;
for my $host (qw(one two)) {
    answers($hosts->talk(wire(POST => '/products', { name => "of $host", price => 1 },
        token => forge(claims => claims(aud => $host)), headers => { Host => "$host.test" })), 201, undef, "$host: a product is created");
}
for my $host (qw(one two)) {
    answers($hosts->talk(wire(GET => '/products', headers => { Host => "$host.test" })), 200,
        sub { @{ $_[0]{data} } == 1 && $_[0]{data}[0]{name} eq "of $host" }, "$host has its own products");
    is($hosts->database($host)->selectrow_array('SELECT name FROM products'), "of $host", "$host has a database of its own");
}

# The whole server can be a mount.
my $whole = server(mount => undef, conf => <<"END")->start;
<Location "/">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END
answers($whole->api(POST => '/products', { name => 'x', price => 1 }, token => forge(), mount => ''), 201, undef,
    'a mount at / accepts a write', location => qr{^/products/});
answers($whole->api(GET => '/products', mount => ''), 200, undef, 'a mount at / has the list');
answers($whole->api(GET => '/index.html', mount => ''), 404, refusal(), 'a mount at / answers 404 to a path that is no route');
answers($whole->api(GET => '/', mount => ''), 200, { success => true, data => { name => 'mod_catalog', version => qr/./,
    links => sub { $_[0]{products} eq '/products' && $_[0]{problems} eq '/problems' } } },
    'a mount at / says at its root what is there');

done_testing;
