# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# hashes: real
use CatalogTest;
use Digest::SHA ();
use Cpanel::JSON::XS ();
use MIME::Base64 ();

my $name = fresh();
my %user = (username => $name, email => "$name\@Example.COM", password => 'correct horse');
my $public = { id => $ID, username => $name, email => "$name\@Example.COM", createdAt => $TIME };

my $r = api(POST => '/register', \%user);
my $jwt = qr/^[\w-]+\.[\w-]+\.[\w-]+$/;
answers($r, 201, {
    success => true, message => qr/./, token => $jwt, tokenType => 'Bearer', expiresIn => 900,
        refreshToken => qr/^[\w-]{43}$/, user => $public,
}, 'a user is registered', 'cache-control' => 'no-store');

# The token has the documented claims and opens protected routes.
my ($header, $payload) = map { Cpanel::JSON::XS::decode_json(MIME::Base64::decode_base64url($_)) } (split /\./,
    $r->{json}{token})[0, 1];
is(match($header, { alg => 'HS256', typ => 'JWT', kid => 'token' }), '', 'the token has the documented header');
is(match($payload, {
    token_use => 'access', iss => 'https://catalog.test', aud => 'catalog-test', sub => $r->{json}{user}{id},
    jti => qr/./, sid => qr/./, username => $name, role => 'user', email_verified => false,
    iat => sub { $_[0] =~ /^\d+$/ && abs($_[0] - time) < 10 }, exp => sub { $_[0] == $payload->{iat} + 900 },
}), '', 'the token has the documented claims');
answers(api(POST => '/products', { name => 'x', price => 1 }, token => $r->{json}{token}), 201, undef,
    'the token is accepted');

my $other = register();
isnt($other->{token}, $r->{json}{token}, 'another user gets another token');
isnt($other->{refreshToken}, $r->{json}{refreshToken}, 'another user gets another refresh token');

# Taken.
sub taken {
    return { success => false, message => qr/./, error => qr/./,
        errors => [map { { field => $_, code => 'taken', message => qr/./ } } @_] };
}
my $free = fresh();
my @taken = (
    ['the same again', {}, 'email', 'username'],
    ['another name', { username => $free }, 'email'],
    ['another address', { email => "$free\@example.com" }, 'username'],
    ['the address in capitals', { username => $free, email => uc $user{email} }, 'email'],
    ['the address in small letters', { username => $free, email => lc $user{email} }, 'email'],
    ['the name in capitals', { username => uc $name, email => "$free\@example.com" }, 'username'],
);
for my $route ('/register', '/users') {
    for (@taken) {
        my ($case, $change, @fields) = @$_;
        answers(api(POST => $route, { %user, %$change }), 409, taken(@fields), "$route: $case is taken",
            'retry-after' => undef);
    }
}

# By two users, whose rows the database returns in any order.
for my $both ([$user{username}, $other->{user}{email}], [$other->{user}{username}, $user{email}]) {
    my %both = (%user, username => $both->[0], email => $both->[1]);
    is(join(' ', map { $_->{field} } @{ api(POST => $_, \%both)->{json}{errors} }), 'username email',
        "$_: the taken values are listed in the order of the fields") for '/register', '/users';
}
answers(api(POST => '/register', { %user, username => $free, email => "$free\@example.com" }), 201, undef,
    'two users can have the same password');

# Fields that the form does not send, and those that the server sets itself.
my %more = (id => 'x', createdAt => 'y', confirmPassword => 'correct horse', admin => true);
my $next = fresh();
$r = api(POST => '/register', { %user, username => $next, email => "$next\@example.com", %more });
answers($r, 201, undef, 'unknown fields are ignored',
    'catalog-ignored' => sub { join(',', sort split /, */, $_[0]) eq 'admin,confirmPassword' });
like($r->{json}{user}{id}, $ID, 'the server generates the id');
answers(api(POST => '/register', { %user, %more, username => fresh() }, headers => { Prefer => 'handling=strict' }),
    400,
    invalid(admin => 'unknown', confirmPassword => 'unknown'), 'Prefer: handling=strict refuses unknown fields',
        'preference-applied' => 'handling=strict');

# In the database: argon2id, and only hashes of opaque tokens.
my $db = main->database;
my ($hash) = $db->selectrow_array('SELECT password_hash FROM users WHERE username = ?', undef, $name);
like($hash, qr/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, 'the password is hashed with argon2id');
my $dump = main->dump;
my $tokens = Digest::SHA::sha256_hex($other->{refreshToken});
like($dump, qr/\Q$tokens\E/, 'the refresh token\'s SHA-256 is stored');
unlike($dump, qr/\Q$other->{refreshToken}\E|\Q$other->{token}\E|correct horse/, 'no token and no password is stored');
unlike(main->log_text, qr/\Q$other->{refreshToken}\E|\Q$other->{token}\E|correct horse/, 'no token and no password is logged');

done_testing;
