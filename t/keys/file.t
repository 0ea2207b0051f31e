# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: GET /auth/me
# case: 36
# CatalogKeyFile: a shared secret or a private key, each for exactly one algorithm, as another implementation sees it.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Jose qw(pair signed verified);
use Cpanel::JSON::XS ();

my $dir = scratch();
my %pair = map { $_ => pair($_) } qw(ES256 RS256);
my $secret = 'a-secret-of-thirty-two-bytes-or-more,-in-plain-text';
my @kinds = (
    # algorithm, file, its content, keys to check and to make tokens with
    ['HS256', 'shared.key', "$secret\n", { secret => $secret }, { secret => $secret }],
    ['ES256', 'curve.pem', $pair{ES256}{private}, { public => $pair{ES256}{public} },
        { private => $pair{ES256}{private} }],
    ['RS256', 'rsa.2026.pem', $pair{RS256}{private}, { public => $pair{RS256}{public} },
        { private => $pair{RS256}{private} }],
);
sub key_file {
    my ($name, $content, $mode) = @_;
    spew("$dir/$name", $content);
    chmod $mode // 0600, "$dir/$name";
    return "$dir/$name";
}
my $conf = join '', map { my ($alg, $name, $content) = @$_; key_file($name, $content); <<"END" } @kinds;
<Location "/$alg">
    CatalogEnable   On
    CatalogKeyFile  "$dir/$name"
    CatalogIssuer   https://$alg.test
    CatalogAudience catalog-test
</Location>
END
my $server = server(mount => undef, conf => $conf)->start;

for (@kinds) {
    my ($alg, $name, undef, $check, $make) = @$_;
    my %user = (username => fresh(), password => 'correct horse');
    my $r = $server->api(POST => '/register', { %user, email => "$user{username}\@example.com" }, mount => "/$alg");
    my $token = $r->{json}{token};
    my $kid = $name =~ s/\.\w+$//r;
    my %options = (issuer => "https://$alg.test", audience => 'catalog-test', typ => 'JWT', algorithms => [$alg]);

    my $seen = verified($token, $check, %options);
    is(match($seen->{header}, { alg => $alg, typ => 'JWT', kid => $kid }), '',
        "$alg: another implementation reads the header") or diag explain $seen;
    is(match($seen->{claims}, {
        token_use => 'access', iss => "https://$alg.test", aud => 'catalog-test', sub => $r->{json}{user}{id},
        sid => $ID, jti => $ID, username => $user{username}, role => 'user', email_verified => false,
        iat => qr/^\d+$/, exp => qr/^\d+$/,
    }), '', "$alg: another implementation reads the claims");
    for ([issuer => 'https://else.test'], [audience => 'else'], [typ => 'at+jwt'], [algorithms => ['PS256']]) {
        my ($option, $value) = @$_;
        ok(verified($token, $check, %options, $option => $value)->{error},
            "$alg: another implementation refuses a token for another $option");
    }

    my $asked = sub { $server->api(GET => '/auth/me', token => $_[0], mount => "/$alg") };
    my $header = { alg => $alg, typ => 'JWT', kid => $kid };
    my $claims = { %{ $seen->{claims} }, jti => 'of another implementation' };
    answers($asked->($token), 200, undef, "$alg: the server's own token is accepted");
    answers($asked->(signed($make, $header, $claims)), 200, undef, "$alg: a token of another implementation is accepted");
    answers($asked->(signed($make, { %$header, typ => $_ }, $claims)), 401, refusal(error => qr/not an access token/),
        "$alg: a token with typ $_ is refused", 'www-authenticate' => failed()) for 'at+jwt', 'application/at+jwt';
    answers($asked->(signed($make, $header, { %$claims, token_use => 'id' })), 401,
        refusal(error => qr/not an access token/),
        "$alg: a token with another token_use is refused", 'www-authenticate' => failed());
    answers($asked->(signed($make, { alg => $alg, typ => 'JWT' }, $claims)), 200, undef,
        "$alg: a token without kid is accepted, as there is one key");
    answers($asked->(signed($make, { %$header, kid => 'else' }, $claims)), 401, undef, "$alg: a token with another kid is refused",
        'www-authenticate' => failed());
    my @parts = split /\./, $token;
    answers($asked->("$parts[0].$parts[1]." . ('A' x length $parts[2])), 401, undef, "$alg: a signature of zeros is refused",
        'www-authenticate' => failed());
    answers($asked->("$parts[0].$parts[1]." . substr $parts[2], 0, -2), 401, undef, "$alg: a truncated signature is refused",
        'www-authenticate' => failed());
    my $payload = CatalogTest::Token::base64url(Cpanel::JSON::XS::encode_json({ %$claims, role => 'admin' }));
    answers($asked->("$parts[0].$payload.$parts[2]"), 401, undef, "$alg: changed claims are refused",
        'www-authenticate' => failed());

    # A token for another key must have that key's algorithm.
    for my $other (grep { $_->[0] ne $alg } @kinds) {
        my $stranger = signed($other->[4], { alg => $other->[0], typ => 'JWT', kid => $kid }, $claims);
        answers($asked->($stranger), 401, undef,
            "$alg: a token signed with a key for $other->[0] is refused", 'www-authenticate' => failed());
    }
}

# httpd -t refuses weak keys, with a message that says what to do.
sub openssl {
    my (@command) = @_;
    open my $out, '-|', 'openssl', @command or die "openssl: $!\n";
    local $/;
    my $text = <$out>;
    close $out or die "openssl @command failed\n";
    return $text;
}
my $plain = key_file('plain.pem', $pair{ES256}{private});
my @bad = (
    ['RSA of 1024 bits', openssl(qw(genrsa 1024)), qr/2048 bits/],
    ['another curve', openssl(qw(genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384)), qr/P-256/],
    ['Ed25519', openssl(qw(genpkey -algorithm ED25519)), qr/P-256/],
    ['a passphrase', openssl(qw(pkey -aes128 -passout pass:s3cret -in), $plain), qr/passphrase/],
    ['a public key', $pair{ES256}{public}, qr/no private key/],
    ['half a key', substr($pair{RS256}{private}, 0, 400), qr/no private key/],
    ['a key open to others', $pair{ES256}{private}, qr/chmod/, 0644],
);
for (@bad) {
    my ($what, $content, $words, $mode) = @$_;
    my $file = key_file('bad.pem', $content, $mode);
    my ($status, $said) = server(mount => undef,
        conf => qq(<Location "/api">\nCatalogEnable On\nCatalogKeyFile "$file"\n</Location>\n))->configtest;
    ok($status != 0 && $said =~ /\Q$file\E.*$words/s, "$what: httpd -t refuses it") or diag $said;
    my ($line) = $content =~ /\n(.{40})/;
    unlike($said, qr/\Q$line\E/, "$what: the message does not have the key");
}

done_testing;
