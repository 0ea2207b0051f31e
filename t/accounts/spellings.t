# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /auth/login
# route: POST /auth/password/change
# route: POST /auth/password/reset
# A password is the same however its characters are encoded, and may not be the user's name or address.
use utf8;
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => "CatalogRateLimit Off\n");
my ($composed, $decomposed, $spaces) = ("caf\x{e9} cr\x{e8}me", "cafe\x{301} cre\x{300}me", "caf\x{e9}\x{a0}cr\x{e8}me");
my $user = register($server, password => $composed);
my $name = $user->{user}{username};
sub change { my ($from, $to) = @_; return $server->api(POST => '/auth/password/change', { currentPassword => $from, newPassword => $to }, token => $user->{token}) }

answers(sign_in($server, $name, $_), 200, undef, 'a spelling signs in') for $composed, $decomposed, $spaces;
answers(sign_in($server, $name, $_), 401, undef, 'another password does not') for 'cafe creme', "CAF\x{c9} CR\x{c8}ME", "caf\x{e9}  cr\x{e8}me";
answers(change($composed, $decomposed), 400, invalid(newPassword => 'unchanged'), 'another spelling of the password is no other password');
answers(change($decomposed, "e\x{301}" x 8), 200, undef, 'a spelling proves who the user is');
answers(sign_in($server, $name, "\x{e9}" x 8), 200, undef, 'and the new password has spellings too');

# Whatever the spelling, the length is the same.
my %long = map { my ($accent, $long) = ($_, "$_" x 256); ($accent x 7 => 'too_short', $accent x 8 => 201, $long => 201, "$long$accent" => 'too_long') }
    "\x{e9}", "e\x{301}";
for (sort keys %long) {
    my $fresh = fresh();
    my $r = $server->api(POST => '/users', { username => $fresh, email => "$fresh\@example.com", password => $_ });
    my $what = length($_) . ' characters are counted as they are prepared';
    $long{$_} eq 201 ? answers($r, 201, undef, $what) : answers($r, 400, invalid(password => $long{$_}), $what);
}

# The name and the address are no passwords.
my $fresh = fresh('personal');
my $address = "$fresh\@example.com";
for my $route ('/register', '/users') {
    answers($server->api(POST => $route, { username => $fresh, email => $address, password => $_ }), 400, invalid(password => 'personal'), "$route: $_ is refused")
        for $fresh, uc $fresh, $address, uc $address;
}
# U+212A, the sign for kelvin, is another spelling of the letter K.
answers($server->api(POST => '/users', { username => 'karlotta', email => $address, password => "\x{212a}arlotta" }), 400, invalid(password => 'personal'),
    'nor in another spelling');
{
    my $own = register($server, password => $address);
    answers($server->api(POST => '/auth/email/change', { newEmail => ucfirst $address, password => $address }, token => $own->{token}), 400,
        invalid(newEmail => 'personal'), 'an address that is the password is refused');
}
my $owner = register($server, username => $fresh, email => $address, password => "$fresh.");
$user = $owner;
answers(change("$fresh.", $_), 400, invalid(newPassword => 'personal'), "a change to $_ is refused") for $fresh, uc $address;
$server->api(POST => '/auth/password/forgot', { email => $address });
my $token = mail_token($server, $address, 'reset');
answers($server->api(POST => '/auth/password/reset', { token => $token, password => $_ }), 400, invalid(password => 'personal'), "a reset to $_ is refused") for ucfirst $fresh, $address;
answers($server->api(POST => '/auth/password/reset', { token => $token, password => 'another horse' }), 200, undef, 'and leaves the link as it was');

# Names that are reserved.
for (qw(admin ADMIN postmaster root support webmaster hostmaster abuse security)) {
    answers($server->api(POST => '/users', { username => $_, email => "x$$\@example.com", password => 'correct horse' }), 400, invalid(username => 'reserved'), "$_ is reserved");
}
my $other = server(mount => "CatalogReservedNames boss Chief\n")->start;
answers($other->api(POST => '/users', { username => $_, email => "x$$\@example.com", password => 'correct horse' }), 400, invalid(username => 'reserved'), "$_ is reserved by the setting") for qw(Boss chief);
answers($other->api(POST => '/users', { username => 'admin', email => "x$$\@example.com", password => 'correct horse' }), 201, undef, 'which replaces the default');
answers(server(mount => "CatalogReservedNames none\n")->start->api(POST => '/users', { username => 'root', email => "x$$\@example.com", password => 'correct horse' }), 201, undef, 'none reserves nothing');
done_testing;
