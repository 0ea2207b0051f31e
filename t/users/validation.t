# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /users
# case: 51 52 53
use utf8;
use CatalogTest;

sub user {
    my (%change) = @_;
    my $name = fresh();
    return { username => $name, email => "$name\@example.com", password => 'correct horse', %change };
}
sub name_of { my $start = fresh(); return $start . 'x' x ($_[0] - length $start) }
sub address { my $start = fresh(); return $start . 'x' x ($_[0] - length "$start\@$_[1]") . "\@$_[1]" }

my $long_domain = join '.', ('d' x 63) x 3; # 191 octets
my $octets = sub { # an address of this many octets
    my $local = fresh() . 'x' x 40;
    my $rest = $_[0] - length("$local\@$long_domain.");
    return "$local\@$long_domain." . 'e' x $rest;
};

# the case, the change, the fault (none: valid)
my @cases = (
    ['username of 2', username => 'ab', 'too_short'], ['username of 3', username => sprintf('%03d', $$ % 1000), undef],
    ['username of 64', username => name_of(64), undef],
    ['username of 65', username => name_of(65), 'too_long'],
    ['username with every kind of character allowed', username => 'A.b_c-9' . $$, undef],
    ['username with a space', username => 'a b c', 'format'],
    ['username with a line feed', username => "abc\n", 'format'],
    ['username with a control', username => "ab\x01c", 'format'],
    ['username with a letter beyond ASCII', username => 'zoë', 'format'],
    ['username with an at sign', username => 'a@b.c', 'format'],
    ['username with a slash', username => '../x', 'format'],
    ['username with a quote', username => "o'neil", 'format'], ['username with <', username => '<b>x</b>', 'format'],
    ['username of spaces', username => '    ', 'format'], ['username empty', username => '', 'too_short'],
    ['username null', username => undef, 'null'], ['username a number', username => 12345, 'type'],

    ['password of 7', password => 'x' x 7, 'too_short'], ['password of 8', password => 'x' x 8, undef],
    ['password of 256', password => 'x' x 256, undef], ['password of 257', password => 'x' x 257, 'too_long'],
    ['password of 8 characters of four bytes', password => '🫖' x 8, undef],
    ['password of 7 characters of four bytes', password => '🫖' x 7, 'too_short'],
    ['password of 256 characters of four bytes', password => '🫖' x 256, undef],
    ['password of spaces', password => ' ' x 8, undef],
    ['password of any characters', password => "\x01\"\\'%s\t\r\n\x7f", undef],
    ['password null', password => undef, 'null'],
    ['password a number', password => 1234567890, 'type'], ['password empty', password => '', 'too_short'],

    ['address of 254 octets', email => $octets->(254), undef],
    ['address of 255 octets', email => $octets->(255), 'too_long'],
    ['local part of 64', email => address(64 + 12, 'example.com'), undef],
    ['local part of 65', email => address(65 + 12, 'example.com'), 'format'],
    ['plus and dots', email => fresh('a.b+c') . '@mail.example.co.uk', undef],
    ['address with unusual characters', email => fresh("o'neil!#\$%&*/=?^_`{|}~") . '@example.com', undef],
    ['digits and hyphens', email => fresh('1-2') . '@1-2.example-3.com', undef],
    (map { ["address $_->[0]", email => $_->[1], 'format'] }
        ['without an at sign', 'example.com'], ['with two', 'a@b@example.com'],
        ['without a local part', '@example.com'], ['without a domain', 'a@'],
        ['with a number for a suffix', 'a@1.22'], ['at an IPv4 address', 'a@192.0.2.10'],
        ['without a dot', 'a@localhost'], ['with a suffix of one', 'a@example.c'],
        ['with a dot at the end', 'a@example.com.'],
        ['with two dots in the domain', 'a@example..com'], ['with a dot first in the domain', 'a@.example.com'],
        ['with two dots in the local part', 'a..b@example.com'],
        ['with a dot first', '.a@example.com'], ['with a dot last in the local part', 'a.@example.com'],
        ['with a space', 'a b@example.com'],
        ['with a space at the end', 'a@example.com '], ['with a tab', "a\t\@example.com"],
        ['with a space first', ' a@example.com'],
        ['with CR LF at the end', "a\@example.com\r\n"],
        ['with a second recipient by CR LF', "a\@example.com>\r\nRCPT TO:<evil\@example.com"],
        ['with a header by LF', "a\@example.com\nBcc: evil\@example.com"],
        ['with a comma', 'a@example.com,evil@example.com'],
        ['with a semicolon', 'a@example.com;evil@example.com'], ['with <>', 'Ada <a@example.com>'],
        ['with >', 'a>@example.com'], ['with <', 'a<@example.com'],
        ['quoted', '"a b"@example.com'], ['with a quote', 'a"@example.com'], ['with a comment', 'a(x)@example.com'],
        ['with a backslash', 'a\\@example.com'],
        ['of a literal', 'a@[127.0.0.1]'], ['with a hyphen first', 'a@-example.com'],
        ['with a hyphen last', 'a@example-.com'], ['with an underscore in the domain', 'a@ex_ample.com'],
        ['with a colon', 'a:b@example.com'], ['with a source route', '@x.com:a@example.com'],
        ['with a percent in the domain', 'a@%65xample.com'],
        ['with a control', "a\x01\@example.com"], ['with DEL', "a\x7f\@example.com"],
        ['beyond ASCII', 'zoë@example.com'], ['beyond ASCII in the domain', 'a@exämple.com'],
        ['with a label of 64', 'a@' . 'd' x 64 . '.com']),
    ['address empty', email => '', qr/too_short|format/], ['address of spaces', email => '   ', qr/blank|format/],
    ['address null', email => undef, 'null'],
    ['address a list', email => ['a@example.com', 'b@example.com'], 'type'],
);
my $n = 0;
for (@cases) {
    my ($name, $field, $value, $fault) = @$_;
    my $route = $n++ % 2 ? '/users' : '/register'; # both use the same service
    my $r = api(POST => $route, user($field => $value));
    answers($r, $fault ? 400 : 201, $fault ? invalid($field => $fault) : undef, "$name gets " . ($fault ? 400 : 201) . " ($route)");
}

for my $route ('/register', '/users') {
    answers(api(POST => $route, {}), 400, invalid(email => 'required', password => 'required', username => 'required'),
        "$route: an empty object gets 400");
    answers(api(POST => $route, { username => 'a', email => 'b', password => 'c' }), 400,
        invalid(email => 'format', password => 'too_short', username => 'too_short'), "$route: all faults are reported at once");
    answers(api(POST => $route, '{"username":"nul-user","email":"nul@example.com","password":"12345678\u0000"}'), 400,
        refusal(error => qr/./), "$route: NUL in the password gets 400");
    answers(api(POST => $route, '{"username":"nul\u0000user","email":"nul@example.com","password":"12345678"}'), 400,
        refusal(error => qr/./), "$route: NUL in the name gets 400");
}

done_testing;
