# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /users
# route: POST /auth/password/change
# CatalogPasswordBlocklist: passwords that attackers try first.
use utf8;
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Tools qw(setting);
use Encode ();

my $file = scratch() . '/common.txt';
my $list = "password\n123456789\r\nQwertyuiop\n\n  spaced out  \nпароль123\nshort\nlast one here";
spew($file, Encode::encode('UTF-8', $list));
my $server = server(mount => "CatalogPasswordBlocklist \"$file\"")->start;
sub with {
    my ($password, $route) = @_;
    my $name = fresh();
    return $server->api(POST => $route // '/register',
        { username => $name, email => "$name\@example.com", password => $password });
}

my @common = ('password', 'PASSWORD', 'PassWord', '123456789', 'qwertyuiop', 'QWERTYUIOP', '  spaced out  ',
    'пароль123', 'last one here', 'LAST one here');
my $user = register($server);
for my $route ('/register', '/users') {
    answers(with($_, $route), 400, invalid(password => 'common'), "$route: '$_' is refused") for @common;
}
answers(with('short'), 400, invalid(password => 'too_short', password => 'common'),
    'a short password of the list gets both errors');
my @fine = ('password1', ' password', 'passwor d', '12345678', 'spaced out', 'drowssap', 'correct horse', "password\t");
answers(with($_), 201, undef, "'$_' is accepted") for @fine;
answers($server->api(POST => '/register', { username => 'x', email => 'x', password => 'password' }), 400,
    invalid(username => 'too_short', email => 'format', password => 'common'), 'the answer lists it with the other errors');

my %change = (currentPassword => 'correct horse', newPassword => 'Password');
answers($server->api(POST => '/auth/password/change', \%change, token => $user->{token}), 400,
    invalid(newPassword => 'common'), 'a change to such a password is refused');
ok(works($server, $user->{token}), 'the refused change does not end the session');

# A user with such a password can still sign in.
my $old = server(mount => 'CatalogDatabase @driver@ "' . $server->params . '"')->start;
my $brought = register($old, password => 'password');
answers(sign_in($server, $brought->{user}{username}, 'password'), 200, undef, 'a user who already has such a password can sign in');
unlike($server->log_text, qr/qwertyuiop|spaced out/i, 'no password of the list is logged');

# The list that comes with the module.
my $own = setting('top') . '/conf/passwords.txt';
my @lines = split /\n/, slurp($own);
cmp_ok(scalar @lines, '>', 5000, 'the list of the module has thousands of passwords');
is_deeply([grep { !/^[ -~]{8,}$/ || /[A-Z]/ } @lines], [], 'of eight characters and more, in lower case');
my $shipped = server(mount => "CatalogPasswordBlocklist \"$own\"")->start;
for ('password', 'Qwerty123', 'Summer2025!', 'iloveyou', '12345678', 'P@ssw0rd1') {
    my $name = fresh();
    answers($shipped->api(POST => '/users', { username => $name, email => "$name\@example.com", password => $_ }), 400, invalid(password => 'common'),
        "the list of the module has $_");
}

# The password is prepared before it is looked up.
spew("$file.nfc", Encode::encode('UTF-8', "pässwort eins\n"));
my $prepared = server(mount => "CatalogPasswordBlocklist \"$file.nfc\"")->start;
for ("p\x{e4}sswort eins", "pa\x{308}sswort eins", "p\x{e4}sswort\x{a0}eins") {
    my $name = fresh();
    answers($prepared->api(POST => '/users', { username => $name, email => "$name\@example.com", password => $_ }), 400, invalid(password => 'common'), 'a spelling of a listed password');
}

# An invalid file.
spew("$file.bad", "password\x{0}123\n");
for (['no file', "$file.none"], ['a directory', scratch()], ['a file with NUL', "$file.bad"]) {
    my ($what, $path) = @$_;
    my ($status, $said) = server(mount => "CatalogPasswordBlocklist \"$path\"")->configtest;
    ok($status != 0 && $said =~ /\Q$path\E/, "$what: httpd -t refuses it") or diag $said;
}
spew("$file.empty", '');
is((server(mount => "CatalogPasswordBlocklist \"$file.empty\"")->configtest)[0], 0, 'httpd -t accepts an empty file');

done_testing;
