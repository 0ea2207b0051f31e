# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# case: 24 25 26 27 28 29 32 34 35
use CatalogTest;
use Cpanel::JSON::XS ();

my $now = time;
my $id = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
my $invalid = qr/^Bearer realm="[^"]+", error="invalid_token"/;
my $rsa = 'x' x 342;

sub post { api(POST => '/products', { name => 'x', price => 1 }, token => $_[0]) }
sub with { forge(claims => claims(@_)) }
sub header { forge(header => {@_}) }
sub text { forge(claims => $_[0]) }

my $json = Cpanel::JSON::XS->new->canonical;
my $good = $json->encode(claims());
sub plus { $good =~ s/\}$/,$_[0]}/r }
sub raw {
    my ($name, $value) = @_;
    my $text = $json->encode(claims($name => ABSENT));
    return text($text =~ s/\}$/,"$name":$value}/r);
}

my @accepted = (
    ['a token as the server issues it', forge()],
    ['an audience among several', with(aud => ['else', 'catalog-test'])],
    ['expired less than the leeway ago', with(iat => $now - 300, exp => $now - 15)],
    ['not yet valid, within the leeway', with(nbf => $now + 15)],
    ['issued in the future, within the leeway', with(iat => $now + 15)],
    ['more claims than are needed', with(scope => 'all', roles => ['x', { y => 1 }], nbf => $now - 5)],
    ['no time of issue', with(iat => ABSENT)],
    ['times with fractions', raw(exp => $now + 300.75)], ['typ jwt', header(typ => 'jwt')],
);
answers(post($_->[1]), 201, undef, "accepted: $_->[0]") for @accepted;

my @refused = (
    (map { my $alg = $_; (["alg $alg", header(alg => $alg)],
        ["alg $alg, no signature", forge(header => { alg => $alg }, signature => '')]) } 'none', 'NONE', 'nOnE', ''),
    ['no signature', forge(signature => '')],
    ['a signature with another key', forge(key => 'another key of thirty-two bytes!!')],
    ['a signature with no key', forge(key => '')],
    ['a signature of something else', forge(signature => CatalogTest::Token::sign('something else', key()))],
    ['HS384 with the server\'s key', forge(header => { alg => 'HS384' }, sha => 384)],
    ['HS512 with the server\'s key', forge(header => { alg => 'HS512' }, sha => 512)],
    ['alg HS256, signed with HS512', forge(sha => 512)], ['hs256', header(alg => 'hs256')],
    ['alg a number', header(alg => 256)], ['alg null', header(alg => undef)], ['no alg', header(alg => ABSENT)],
    ['alg a list', header(alg => ['HS256'])],
    ['two algs', forge(header => '{"alg":"none","alg":"HS256","typ":"JWT"}')],
    ['two algs the other way', forge(header => '{"alg":"HS256","alg":"none","typ":"JWT"}')],
    ['RS256', forge(header => { alg => 'RS256' }, signature => $rsa)],
    ['alg RS256, signed with HS256', header(alg => 'RS256')], ['ES256', header(alg => 'ES256')],
    ['PS256', header(alg => 'PS256')],
    ['crit', header(crit => ['exp'])], ['crit with an unknown field', header(crit => ['x'], x => 1)],
    ['typ at+jwt', header(typ => 'at+jwt')], ['typ application/at+jwt', header(typ => 'application/at+jwt')],
    ['typ jws', header(typ => 'jws')], ['no typ', header(typ => ABSENT)], ['typ a number', header(typ => 1)],
    ['typ rt+jwt', header(typ => 'rt+jwt')],
    ['a header that is a list', forge(header => '[]')], ['a header that is no JSON', forge(header => 'x')],
    ['an empty header', forge(header => '{}')], ['a header cut off', forge(header => '{"alg":"HS256"')],

    ['exp missing', with(exp => ABSENT)], ['exp a text', raw(exp => '"9999999999"')],
    ['exp a real of the past', raw(exp => '1.5')], ['exp a real beyond the year 9999', raw(exp => '1e300')],
    ['exp null', raw(exp => 'null')],
    ['exp below zero', with(exp => -1)], ['exp zero', with(exp => 0)], ['exp true', raw(exp => 'true')],
    ['exp a list', raw(exp => '[9999999999]')], ['exp beyond 64 bits', raw(exp => '99999999999999999999')],
    ['exp 1e400', raw(exp => '1e400')],
    ['expired long ago', with(exp => 1)],
    ['expired more than the leeway ago', with(iat => $now - 300, exp => $now - 45)],
    ['nbf in the future', with(nbf => $now + 60)], ['nbf a text', raw(nbf => '"1"')],
    ['nbf a real in the future', raw(nbf => $now + 60.5)], ['nbf null', raw(nbf => 'null')],
    ['iat in the future', with(iat => $now + 60)], ['iat a text', raw(iat => '"1"')],
    ['no token_use', with(token_use => ABSENT)], ['another token_use', with(token_use => 'id')],
    ['two token_use', text(plus('"token_use":"id"'))],
    ['no issuer', with(iss => ABSENT)], ['another issuer', with(iss => 'https://else.test')],
    ['issuer null', with(iss => undef)], ['issuers in a list', with(iss => ['https://catalog.test'])],
    ['an issuer in capitals', with(iss => 'HTTPS://CATALOG.TEST')],
    ['no audience', with(aud => ABSENT)], ['another audience', with(aud => 'else')],
    ['other audiences', with(aud => ['else', 'x'])], ['an empty list of audiences', with(aud => [])],
    ['an audience that starts with the right one', with(aud => 'catalog-test2')],
    ['no subject', with(sub => ABSENT)], ['subject a number', with(sub => 5)], ['subject a list', with(sub => [$id])],
    ['subject empty', with(sub => '')], ['subject that is no UUID', with(sub => 'admin')],
    ['subject with a line feed', with(sub => "$id\n")],
    ['two subjects', text(plus(qq("sub":"$id")))], ['two exp', text(plus('"exp":9999999999'))],
    ['no session', with(sid => ABSENT)], ['session a number', with(sid => 5)], ['no jti', with(jti => ABSENT)],
    ['a payload that is a list', text("[$good]")], ['a payload that is a text', text('"x"')],
    ['a payload that is null', text('null')], ['a payload that is no JSON', text('x')],
    ['a payload cut off', text(substr $good, 0, -1)],
    ['a payload with trailing text', text("$good x")], ['a payload with NUL', text(plus('"x":"\u0000"'))],
    ['a payload of depth 1,500', text(plus('"x":' . '[' x 1500 . ']' x 1500))],
    ['a payload that is not UTF-8', text("\xff\xfe")], ['an empty payload', text('{}')],
);
answers(post($_->[1]), 401, refusal(error => qr/./), "refused: $_->[0]", 'www-authenticate' => $invalid) for @refused;

# As many claims as fit, and more.
my $many = with(map { ("c$_" => 1) } 1 .. 200);
cmp_ok(length $many, '<=', 4096, 'a token with 200 claims is short enough');
answers(post($many), 201, undef, 'a token with 200 claims is accepted');
answers(post(with(map { ("c$_" => 1) } 1 .. 400)), 401, undef, 'a token with 400 claims is refused',
    'www-authenticate' => $invalid);
for ([4096, 201], [4097, 401]) {
    my ($length, $status) = @$_;
    my $token = '';
    for (my $pad = 2600; length $token < $length; $pad++) { $token = with(pad => 'x' x $pad) }
    answers(post($token), $status, undef, "a token of $length octets gets $status");
}

# A text of more than 4,096 octets has a problem of its own, whatever is in it.
my $long = api(POST => '/products', { name => 'x', price => 1 }, token => 'x' x 4097, headers => { Accept => 'application/problem+json' });
answers($long, 401, undef, 'a text of 4,097 octets is refused', 'www-authenticate' => qr/error="invalid_token", error_description="the token is too long"$/);
is("$long->{json}{type} $long->{json}{detail}", '/api/problems/token-too-long the token is too long', 'the problem says why');

# A refresh token is no access token.
my $user = register();
answers(post($user->{refreshToken}), 401, undef, 'a refresh token is refused', 'www-authenticate' => $invalid);

# The server does not look the user up: a token stays valid until it expires, after at most 15 minutes.
my $db = main->database;
is($db->do('DELETE FROM users WHERE id = ?', undef, $user->{user}{id}), 1, 'a user is deleted');
answers(post($user->{token}), 201, undef, 'a deleted user\'s token is valid until it expires');

done_testing;
