# SPDX-License-Identifier: Apache-2.0
# case: 37
# A mount behind the site's own authentication: the catalogue's tokens open nothing of the site, and the site's passwords no mount.
use CatalogTest;
use Digest::MD5 qw(md5_hex);

my ($modules) = CatalogTest::Server::modules() =~ m{^LoadModule authz_core_module "(.*)/mod_authz_core\.so"$}m;
my @places = (
    # mount, its rules
    ['/valid', qq(AuthType Basic\nAuthName site\nAuthBasicProvider file\nAuthUserFile "\@dir\@/basic"\nRequire valid-user)],
    ['/ada', qq(AuthType Basic\nAuthName site\nAuthBasicProvider file\nAuthUserFile "\@dir\@/basic"\nRequire user ada)],
    ['/digest', qq(AuthType Digest\nAuthName site\nAuthDigestProvider file\nAuthUserFile "\@dir\@/digest"\nRequire valid-user)],
    ['/either', qq(AuthType Basic\nAuthName site\nAuthBasicProvider file\nAuthUserFile "\@dir\@/basic"
        <RequireAny>\nRequire valid-user\nRequire catalog-role editor\n</RequireAny>)],
    ['/writes', qq(AuthType Basic\nAuthName site\nAuthBasicProvider file\nAuthUserFile "\@dir\@/basic"
        <Limit GET>\nRequire valid-user\n</Limit>)],
    ['/both', qq(AuthType Basic\nAuthName site\nAuthBasicProvider file\nAuthUserFile "\@dir\@/basic"\nRequire valid-user
        RequestHeader set Authorization "expr=Bearer %{HTTP:X-Access-Token}" "expr=-n req('X-Access-Token')")],
);
my $server = server(mount => undef, conf => join '',
    qq(LoadModule auth_digest_module "$modules/mod_auth_digest.so"\n), map { my ($path, $rules) = @$_; <<"END" } @places);
<Location "$path">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $rules
</Location>
END
# Passwords of the site: "secret".
$server->write($server->dir . '/basic', map { "$_:" . crypt('secret', '$1$salt$') . "\n" } 'ada', 'sue');
$server->write($server->dir . '/digest', 'ada:site:' . md5_hex('ada:site:secret') . "\n");
$server->start;

my %basic = (ada => 'Basic YWRhOnNlY3JldA==', sue => 'Basic c3VlOnNlY3JldA==');
my %token = map { $_->[0] => forge(claims => claims(username => $_->[0], role => $_->[1])) } [ada => 'user'], [eve => 'editor'];
my %product = (name => 'x', price => 1);
sub ask {
    my ($mount, $method, %headers) = @_;
    my @body = $method eq 'POST' ? \%product : ();
    return $server->api($method, '/products', @body, mount => $mount, headers => \%headers);
}

my $site = qr/^(?:Basic|Digest) realm="site"/;
for my $mount ('/valid', '/ada', '/digest', '/both') {
    for my $method (qw(GET POST)) {
        answers(ask($mount, $method, Authorization => "Bearer $token{$_}"), 401, refusal(),
            "$mount: the site refuses $method with a token of $_", 'www-authenticate' => $site) for sort keys %token;
        answers(ask($mount, $method), 401, refusal(),
            "$mount: the site refuses $method without credentials", 'www-authenticate' => $site);
    }
}

# A read needs only the site's password; for a write, the catalogue also asks for a token.
for (['/valid', 'ada', 200], ['/valid', 'sue', 200], ['/ada', 'ada', 200], ['/ada', 'sue', 401]) {
    my ($mount, $user, $status) = @$_;
    answers(ask($mount, GET => Authorization => $basic{$user}), $status, undef,
        "$mount: a read by the site's user $user gets $status");
}
answers(ask('/valid', POST => Authorization => $basic{ada}), 401, refusal(error => 'no access token was sent; sign in and send one'),
    'a write with the password alone is refused', 'www-authenticate' => qr/^Bearer /);

sub digest {
    my ($challenge, $method, $uri) = @_;
    my ($nonce) = $challenge =~ /nonce="([^"]+)"/ or return '';
    my @part = ($nonce, '00000001', 'abcdef', 'auth', md5_hex("$method:$uri"));
    my $response = md5_hex(join ':', md5_hex('ada:site:secret'), @part);
    return qq(Digest username="ada", realm="site", nonce="$nonce", uri="$uri", qop=auth, nc=00000001, cnonce="abcdef", )
        . qq(algorithm=MD5, response="$response");
}
my $challenge = ask('/digest', 'GET')->{headers}{'www-authenticate'};
answers(ask('/digest', GET => Authorization => digest($challenge, GET => '/digest/products')), 200, undef,
    'a read with a Digest password is served');

# A site can accept either of them,
answers(ask('/either', GET => Authorization => $basic{sue}), 200, undef, 'a password or a role: the password is enough');
answers(ask('/either', GET => Authorization => "Bearer $token{eve}"), 200, undef, 'a password or a role: the role is enough');
answers(ask('/either', POST => Authorization => "Bearer $token{eve}"), 201, undef, 'a password or a role: the role can write');
answers(ask('/either', GET => Authorization => "Bearer $token{ada}"), 401, refusal(),
    'a password or a role: another role is refused',
    'www-authenticate' => $site);
answers(ask('/either', GET => Authorization => 'Bearer nonsense'), 401, refusal(),
    'a password or a role: an invalid token is refused',
    'www-authenticate' => $site);

# ask for its password only where the catalogue asks for nothing,
answers(ask('/writes', GET => Authorization => $basic{sue}), 200, undef, 'a read with the site\'s password is served');
answers(ask('/writes', 'GET'), 401, undef, 'a read without the password is refused', 'www-authenticate' => $site);
answers(ask('/writes', POST => Authorization => "Bearer $token{ada}"), 201, undef, 'a write with a token is served');
answers(ask('/writes', 'POST'), 401, undef, 'a write without a token is refused', 'www-authenticate' => qr/^Bearer /);

# or ask for both, with the token in a header of its own.
my @both = (Authorization => $basic{sue}, 'X-Access-Token' => $token{ada});
answers(ask('/both', POST => @both), 201, undef, 'a write with a password and a token is served');
answers(ask('/both', POST => 'X-Access-Token' => $token{ada}), 401, undef,
    'a write with the token alone is refused by the site', 'www-authenticate' => $site);
answers(ask('/both', POST => Authorization => $basic{sue}), 401, undef,
    'a write with the password alone is refused by the catalogue',
    'www-authenticate' => qr/^Bearer /);
answers(ask('/both', GET => Authorization => $basic{sue}), 200, undef, 'a read with the password alone is served');
ok(wait_until(5, sub { $server->access_text =~ m{^POST /both/products 201 user=sue id=[0-9a-f-]{36} }m }),
    'the log has the name of the site\'s user and the id of the catalogue\'s') or diag $server->access_text;

allow_log(qr/AH01614: client used wrong|AH01781: client used wrong|AH01631|AH01630|AH01617/);
done_testing;
