# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
use utf8;
use CatalogTest;
use CatalogAccounts;

my $user = register();
my ($id, $name, $email) = @{ $user->{user} }{qw(id username email)};
my $password = $user->{password};
sub ask { api(POST => '/auth/login', @_) }

# By name or by address, in any case, in each field.
my %ways = (
    'login, a name' => [login => $name], 'login, an address' => [login => $email], username => [username => $name],
    email => [email => $email], 'login, a name in capitals' => [login => uc $name],
    'email in capitals' => [email => uc $email], 'an address as username' => [username => $email],
);
my %session;
for (sort keys %ways) {
    my $r = ask({ @{ $ways{$_} }, password => $password });
    answers($r, 200, tokens(user => $user->{user}), "$_: the sign-in succeeds", 'cache-control' => 'no-store',
        'set-cookie' => undef);
    my $claims = claims_of($r->{json}{token});
    is(match($claims, {
        token_use => 'access', iss => 'https://catalog.test', aud => 'catalog-test', sub => $id, sid => $ID, jti => $ID,
        username => $name, role => 'user', email_verified => false, iat => sub { abs($_[0] - time) < 10 },
        exp => sub { $_[0] == $claims->{iat} + 900 },
    }), '', "$_: the token has the documented claims");
    ok(works(main, $r->{json}{token}), "$_: the token is accepted");
    $session{ $claims->{sid} }++;
}
is(scalar keys %session, scalar keys %ways, 'each sign-in starts a session of its own');
ok(works(main, $user->{token}), 'the session of the registration continues');

# Every cause has the same answer, byte by byte.
my %causes = (
    'a wrong password' => [login => $name, password => 'wrong horse'],
    'a wrong password for an address' => [email => $email, password => 'wrong horse'],
    'an unknown name' => [login => fresh(), password => $password],
    'an unknown address' => [email => fresh() . '@example.com', password => $password],
    'an invalid name' => [login => "' OR 1=1 --", password => $password],
    'the password in capitals' => [login => $name, password => uc $password],
    'the password and a space' => [login => $name, password => "$password "],
    'the password cut off' => [login => $name, password => substr $password, 0, -1],
);
my %seen;
for (sort keys %causes) {
    my $r = talk(wire(POST => '/auth/login', { @{ $causes{$_} } }));
    answers($r, 401, refusal(error => qr/./), "$_: refused", 'www-authenticate' => qr/^Bearer realm="[^"]+"$/,
        'retry-after' => undef);
    $seen{ lines($r) }++;
}
is(scalar keys %seen, 1, 'all answers are identical') or diag explain \%seen;

# The server does not normalize passwords.
for ("pass\tword ", ' leading', '密码密码密码密码', "\x{1F600}" x 8, 'x' x 256, 'ü' x 256) {
    my $other = register(undef, password => $_);
    answers(sign_in(main, $other->{user}{username}, $_), 200, undef, 'a password of ' . length($_) . ' characters is accepted as it is');
}

# Imported users with other kinds of hashes.
my $db = main->database;
my %hashes = (
    bcrypt => '$2b$04$' . 'abcdefghijklmnopqrstuu', 'bcrypt of PHP' => '$2y$04$' . 'abcdefghijklmnopqrstuu',
    'SHA-512' => '$6$rounds=1000$saltsalt$', yescrypt => '$y$j75$' . 'abcdefghijklmnop',
);
for (sort keys %hashes) {
    my $old = register();
    my $hash = crypt 'brought along', $hashes{$_};
    die "crypt knows no $_\n" if !$hash || $hash =~ /^\*/;
    $db->do('UPDATE users SET password_hash = ? WHERE id = ?', undef, $hash, $old->{user}{id});
    answers(sign_in(main, $old->{user}{username}, 'brought along'), 200, undef, "$_: the sign-in succeeds");
    answers(sign_in(main, $old->{user}{username}, 'correct horse'), 401, undef, "$_: another password is refused");
}
my $broken = register();
for ('', '*', '!', 'plain text', '$argon2id$', '$argon2id$v=19$m=19456,t=2,p=1$x$y', '$2b$99$x') {
    $db->do('UPDATE users SET password_hash = ? WHERE id = ?', undef, $_, $broken->{user}{id});
    $db->do('DELETE FROM login_failures');
    answers(sign_in(main, $broken->{user}{username}, $_ || 'x'), 401, undef,
        "a stored value that is no hash refuses the sign-in: '$_'");
}

# Invalid requests.
my @bad = (
    ['an empty object', {}, [login => 'required', password => 'required']],
    ['no password', { login => $name }, [password => 'required']],
    ['no login', { password => $password }, [login => 'required']],
    ['a password that is a number', { login => $name, password => 12345678 }, [password => 'type']],
    ['a login that is a list', { login => [$name], password => $password }, [login => 'type']],
    ['a password that is null', { login => $name, password => undef }, [password => 'null']],
    ['a password that is too long', { login => $name, password => 'x' x 257 }, [password => 'too_long']],
    ['a cookie that is no boolean', { login => $name, password => $password, cookie => 'yes' }, [cookie => 'type']],
);
answers(ask($_->[1]), 400, invalid(@{ $_->[2] }), "refused: $_->[0]") for @bad;
answers(ask($_), 400, undef, "refused: the body $_") for '', 'null', '[]', '"x"', '{"login":"x","login":"y"}';
answers(ask({ login => $name, password => "x\0y" }), 400, undef, 'refused: a password with NUL');
answers(ask('login=x&password=y', headers => { 'Content-Type' => 'application/x-www-form-urlencoded' }), 415, undef,
    'refused: a form');
answers(api(GET => '/auth/login'), 405, undef, 'GET is refused', allow => 'POST, OPTIONS');

my %more = (login => $name, password => $password, remember => true);
answers(ask(\%more), 200, undef, 'the server ignores an unknown field', 'catalog-ignored' => 'remember');
answers(ask(\%more, headers => { Prefer => 'handling=strict' }), 400, invalid(remember => 'unknown'),
    'with Prefer: handling=strict it refuses the field');

done_testing;
