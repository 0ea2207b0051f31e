# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/me
# case: 24 25 26 30
# Every forgery that RFC 8725 warns of, against each kind of key and against several keys at once.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Jose qw(pair signed signed_text encrypted);
use CatalogTest::Keys qw(put_key);
use Compress::Zlib ();
use Cpanel::JSON::XS ();
use MIME::Base64 ();

my $keys = scratch();
my %ours = map { $_ => pair($_) } qw(ES256 RS256);
my $attacker = pair('ES256');
my $secret = 'a-secret-of-thirty-two-bytes-or-more,-in-text';
my %file = ('shared.key' => $secret, 'curve.pem' => $ours{ES256}{private}, 'rsa.pem' => $ours{RS256}{private});
put_key($keys, $_, $file{$_}) for keys %file;
my %mount = (
    shared => '', curve => "CatalogKeyFile \"$keys/curve.pem\"", rsa => "CatalogKeyFile \"$keys/rsa.pem\"",
    all => "CatalogKeyDir \"$keys\"", audience => 'CatalogAudience else', issuer => 'CatalogIssuer https://else.test',
);
my $server = server(mount => undef, conf => <<"END" . join '', map { <<"SECTION" } sort keys %mount)->start;
CatalogKeyFile  "$keys/shared.key"
CatalogIssuer   https://catalog.test
CatalogAudience catalog-test
END
<Location "/$_">
    CatalogEnable On
    $mount{$_}
</Location>
SECTION
my %alg = (shared => 'HS256', curve => 'ES256', rsa => 'RS256');
my %signer = (shared => { secret => $secret }, curve => { private => $ours{ES256}{private} },
    rsa => { private => $ours{RS256}{private} });

my $name = fresh();
my %user = (username => $name, email => "$name\@example.com", password => 'correct horse');
my $genuine = $server->api(POST => '/register', \%user, mount => '/shared')->{json}{token};
my $claims = claims_of($genuine);
my $wanted = { %$claims, role => 'admin' };
my $base64url = \&CatalogTest::Token::base64url;
my $json = Cpanel::JSON::XS->new->utf8->canonical;
sub header { my ($kid) = @_; return { alg => $alg{$kid}, typ => 'JWT', kid => $kid } }
sub me { my ($mount, $token) = @_; return $server->api(GET => '/auth/me', token => $token, mount => "/$mount") }

# By hand: any header, any signature, or one by HMAC.
sub made {
    my ($header, %o) = @_;
    my $text = join '.', map { $base64url->($_) } ref $header ? $json->encode({ typ => 'JWT', %$header }) : $header,
        $o{payload} // $json->encode($o{claims} // $wanted);
    return "$text." . (defined $o{key} ? CatalogTest::Token::sign($text, $o{key}) : $base64url->($o{signature} // ''));
}

# A forger's attempts to pass as the key of this name, by groups; each is [description, token].

# The header decides: no signature, or HMAC with a public or easily guessed key.
sub by_algorithm {
    my ($kid) = @_;
    my %hmac = (alg => 'HS256', kid => $kid);
    my $der = MIME::Base64::decode_base64($ours{ES256}{public} =~ s/-----.*-----//gr);
    my @public = map { ($_, s/\n\z//r, s/\n//gr) } $ours{ES256}{public}, $ours{RS256}{public};
    my @jwk = map { $json->encode($ours{$_}{jwk}) } sort keys %ours;
    my @guesses = ('', "\0", 'secret', 'password', 'changeme', $kid, 'catalog-test', 'null');
    my @forged;
    for my $none (qw(none None NONE nOnE)) {
        push @forged, ["alg $none", made({ alg => $none, kid => $kid }, signature => 'x')];
        push @forged, ["alg $none, no signature", made({ alg => $none, kid => $kid })];
    }
    push @forged, ["alg $_, signed as HS256", made({ alg => $_, kid => $kid }, key => $secret)]
        for grep { $_ ne $alg{$kid} } qw(none HS384 HS512 ES256 RS256 PS256 hs256);
    push @forged, ['HS256 with ' . length($_) . " bytes: $_", made(\%hmac, key => $_)]
        for @public, @jwk, $der, $ours{RS256}{jwk}{n}, @guesses;
    return @forged;
}

# The server only compares the kid as text: it is no file, statement, command or number.
sub by_kid {
    my ($kid) = @_;
    my @paths = ('/dev/null', '../../../../../../dev/null', '../htdocs/index.html', 'file:///dev/null', "$keys/$kid",
        "./$kid");
    my @code = ("' OR '1'='1", "x' UNION SELECT 'x' --", '$(echo x)', '|echo x', '%s%s%s%n', '*');
    my @odd = ("$kid\n", "$kid ", uc $kid, '', 'x' x 2000, 5, undef, true, [$kid], { kid => $kid });
    my @forged;
    for my $odd (@paths, @code, @odd) {
        my $what = 'kid ' . Cpanel::JSON::XS->new->canonical->allow_nonref->encode($odd);
        push @forged, [$what, made({ alg => 'HS256', kid => $odd }, key => $_)] for '', "outside the mount\n", 'x';
    }
    push @forged, ["a good signature, kid '$_'", signed($signer{$kid}, { %{ header($kid) }, kid => $_ }, $wanted)]
        for "./$kid", "$kid.pem", "../keys/$kid", '*', '';
    return @forged;
}

# A key, or its URL, in the token itself.
sub by_own_key {
    my ($kid) = @_;
    my $url = 'http://127.0.0.1:' . $server->port . '/attacker.json';
    my %embedded = (
        jwk => $attacker->{jwk}, jku => $url, x5u => $url, x5t => 'x',
        x5c => [$attacker->{public} =~ s/-----.*-----|\n//gr],
    );
    my @forged;
    for my $name (sort keys %embedded) {
        my %header = (alg => 'ES256', typ => 'JWT', $name => $embedded{$name});
        push @forged, [$name, signed({ private => $attacker->{private} }, { %header, kid => $kid }, $wanted)];
        push @forged, ["$name, no kid", signed({ private => $attacker->{private} }, \%header, $wanted)];
    }
    my %secret = (kty => 'oct', k => $base64url->('x' x 32));
    return (@forged, ['an embedded secret', made({ alg => 'HS256', kid => $kid, jwk => \%secret }, key => 'x' x 32)]);
}

# Signed by the right key, but not a valid access token.
sub by_kind {
    my ($kid) = @_;
    my $own = $signer{$kid};
    my %h = %{ header($kid) };
    my %hmac = (%h, alg => 'HS256');
    my %jwe = (alg => 'dir', enc => 'A256GCM', kid => $kid, typ => 'JWT');
    my $shared = { secret => substr $secret, 0, 32 };
    my $inner = signed($own, \%h, $wanted);
    my $deflated = Compress::Zlib::memGzip($json->encode($wanted));
    my @typs = ('jws', 'at+jwt', 'application/at+jwt', 'logout+jwt', 'rt+jwt', 'dpop+jwt', 'secevent+jwt', 'JWT2', '');
    return (
        (map { ["typ '$_'", signed($own, { %h, typ => $_ }, $wanted)] } @typs),
        ['no typ', signed($own, { alg => $h{alg}, kid => $kid }, $wanted)],
        (map { ["token_use '$_'", signed($own, \%h, { %$wanted, token_use => $_ })] } 'id', 'refresh', 'Access', ''),
        ['no token_use', signed($own, \%h, { map { $_ => $wanted->{$_} } grep { $_ ne 'token_use' } keys %$wanted })],
        ['crit', signed($own, { %h, crit => ['x'], x => 1 }, $wanted)],
        ['crit with a missing field', made({ %hmac, crit => ['x'] }, key => $secret)],
        ['an empty crit', made({ %hmac, crit => [] }, key => $secret)],
        ['an unencoded payload', made({ %hmac, b64 => false, crit => ['b64'] }, key => $secret)],
        ['a token in a token', signed_text($own, { %h, cty => 'JWT' }, $inner)],
        ['compressed', made({ %hmac, zip => 'DEF' }, payload => $deflated, key => $secret)],
        ['encrypted', encrypted($shared, \%jwe, $json->encode($wanted))],
        ['a token in an encrypted token', encrypted($shared, { %jwe, cty => 'JWT' }, $inner)],
    );
}

# Combined from parts of valid tokens.
sub by_parts {
    my ($kid) = @_;
    my %h = %{ header($kid) };
    my ($header, $payload, $signature) = split /\./, signed($signer{$kid}, \%h, $claims);
    my $other = (split /\./, signed($signer{$kid}, \%h, $wanted))[2];
    my $alg = $h{alg} eq 'HS256' ? 'HS512' : 'HS256';
    return (
        ['another payload', join '.', $header, $base64url->($json->encode($wanted)), $signature],
        ['another header', join '.', $base64url->($json->encode({ %h, x => 1 })), $payload, $signature],
        ['another alg', join '.', $base64url->($json->encode({ %h, alg => $alg })), $payload, $signature],
        ['another signature', "$header.$payload.$other"], ['two signatures', "$header.$payload.$signature$signature"],
    );
}

# Signatures that a careless check accepts: zero, the curve's order and larger numbers; other lengths and encodings.
sub by_signature {
    my ($kid) = @_;
    my $n = pack 'H*', 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
    my ($zero, $one) = ("\0" x 32, "\0" x 31 . "\1");
    my %es256 = (
        'r = s = 0' => $zero x 2, 'r = 0' => $zero . $one, 's = 0' => $one . $zero, 'r = s = 1' => $one x 2,
        'r = s = n' => $n x 2, 'r = n' => $n . $one, 's = n' => $one . $n, 'all bits' => "\xff" x 64,
        '63 bytes' => "\0" x 63, '65 bytes' => "\0" x 65, '96 bytes' => "\0" x 96, 'one byte' => "\0",
        'zeros in DER' => "\x30\x06\x02\x01\x00\x02\x01\x00", 'ones in DER' => "\x30\x06\x02\x01\x01\x02\x01\x01",
    );
    my %rs256 = (zeros => "\0" x 256, 'a one' => "\0" x 255 . "\1", 'all bits' => "\xff" x 256, 'three bytes' => 'abc');
    return (
        (map { ["ES256, $_", made({ alg => 'ES256', kid => $kid }, signature => $es256{$_})] } sort keys %es256),
        (map { ["RS256, $_", made({ alg => 'RS256', kid => $kid }, signature => $rs256{$_})] } sort keys %rs256),
    );
}

my %groups = (
    'by algorithm' => \&by_algorithm, 'by kid' => \&by_kid, 'by a key of its own' => \&by_own_key,
    'by kind' => \&by_kind,
    'by parts' => \&by_parts, 'by signature' => \&by_signature,
);
for my $kid (sort keys %alg) {
    for my $group (sort keys %groups) {
        my @forged = $groups{$group}->($kid);
        for my $mount ($kid, 'all') {
            my @taken = map { $_->[0] } grep { me($mount, $_->[1])->{status} != 401 } @forged;
            is_deeply(\@taken, [], scalar(@forged) . " forgeries $group of a token of $kid are refused on /$mount");
        }
    }
    my $good = signed($signer{$kid}, header($kid), $wanted);
    answers(me($_, $good), 200, undef, "a valid token of $kid is accepted on /$_") for $kid, 'all';
    my %general = (payload => (split /\./, $good)[1],
        signatures => [{ protected => (split /\./, $good)[0], signature => (split /\./, $good)[2] }]);
    answers(me($kid, $json->encode(\%general)), 400, undef, "the same token in the JSON serialization is refused");
}

# The right key with another algorithm or another key's kid.
for (['RS256', 'rsa', 'RS384', 'RS512', 'PS256', 'PS384'], ['HS256', 'shared', 'HS384', 'HS512']) {
    my ($alg, $kid, @others) = @$_;
    for my $other (@others) {
        my $token = signed($signer{$kid}, { alg => $other, typ => 'JWT', kid => $kid }, $wanted);
        answers(me($_, $token), 401, undef, "a token of the $alg key with $other is refused on /$_", 'www-authenticate' => failed())
            for $kid, 'all';
    }
}
for my $kid (sort keys %alg) {
    for my $other (grep { $_ ne $kid } sort keys %alg) {
        my $token = signed($signer{$kid}, { alg => $alg{$kid}, typ => 'JWT', kid => $other }, $wanted);
        answers(me($_, $token), 401, undef, "a token of $kid with the kid $other is refused on /$_", 'www-authenticate' => failed())
            for $kid, $other, 'all';
    }
}

# The same key on another mount: audience and issuer differ.
answers(me('shared', $genuine), 200, undef,
    'a token is accepted where it was issued') for 1 .. 20; # until every child has cached it
answers(me($_, $genuine), 401, undef, "a mount with another $_ refuses the token", 'www-authenticate' => failed())
    for qw(audience issuer);

# The server ignores unneeded header fields and does not fetch their URLs.
my $url = 'http://127.0.0.1:' . $server->port . '/attacker.json';
my %more = (jku => $url, x5u => $url, jwk => $attacker->{jwk}, x5t => 'x', cty => 'x', zip => 'x');
answers(me('curve', signed($signer{curve}, { alg => 'ES256', typ => 'JWT', kid => 'curve', %more }, $wanted)), 200,
    undef, 'a valid token with more header fields is accepted');
unlike($server->access_text, qr/attacker/, 'the server does not fetch the URLs in a token');

allow_log(qr{CAT076: CatalogKeyFile }); # the files are those of a CatalogKeyDir, which its group may read
done_testing;
