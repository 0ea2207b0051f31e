# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# case: 47 57
# again: db
use utf8;
use CatalogTest;

my $token = token();

# The server stores and returns every character unchanged, in every field.
my @texts = (
    "'", "''", '"', '\\', "\\'", ';', '--', '/*', '*/', '%', '%s', '%d%s%n', '%%', '_', '?', '$1', ':name', '@x', '`',
    '#',
    "'; DROP TABLE products; --", "' OR '1'='1", "x' UNION SELECT * FROM users --", "Robert'); DROP TABLE products;--",
    '<script>alert(1)</script>',
    '${jndi:ldap://x}', '{{link}}', '../../etc/passwd', "a\r\nb", "a\nb", "a\tb", "\x01", "\x1f", "\x7f", "\x{80}",
    'NULL', 'null', 'true', '0', '1e5',
    'ÄÖÜß', 'é', "e\x{301}", '日本語', '한국어', 'العربية', "\x{202e}txt.exe", "a\x{200f}b", "\x{feff}x", "\x{fffd}",
    "\x{ffff}", "\x{fffe}", '🫖', '👩‍👩‍👧‍👦', "\x{10ffff}",
    "\x{2028}\x{2029}", 'Z̸͕̄a̷l̵g̶o̵', "a\x{a0}b",
);
for my $text (@texts) {
    my $shown = join '', map { /[ -~]/ ? $_ : sprintf '<%X>', ord } split //, $text;
    my $made = api(POST => '/products', { name => "n$text", price => 1, category => $text }, token => $token);
    my $want = { name => "n$text", category => $text, price => 1, inStock => true, id => $ID, createdAt => $TIME };
    answers($made, 201, { success => true, message => qr/./, data => $want }, "a creation returns the text as sent: $shown");
    my $path = "/products/$made->{json}{data}{id}";
    answers(api(PUT => $path, { name => "$text." }, token => $token), 200, undef, "an update accepts the text: $shown");
    answers(api(GET => $path), 200, { success => true, data => { %$want, name => "$text." } },
        "the text is stored as sent: $shown");
}
answers(api(GET => '/products'), 200, undef, 'the list is served after all texts');

# Escapes mean the characters that they represent.
for (['\u0041', 'A'], ['\ud83e\uded6', '🫖'], ['\/', '/'], ['\"\\\\\b\f\n\r\t', "\"\\\b\f\n\r\t"],
    ['\uffff', "\x{ffff}"]) {
    my ($escaped, $text) = @$_;
    my $made = api(POST => '/products', qq({"name":"n$escaped","price":1}), token => $token);
    ok($made->{status} == 201 && $made->{json}{data}{name} eq "n$text", "the escape $escaped is decoded");
}

# Invalid text: 400, and nothing is stored.
my @refused = (
    ['NUL escaped', '\u0000'], ['NUL within', 'a\u0000b'], ['NUL raw', "a\0b"], ['a lone high surrogate', '\ud800'],
    ['a lone low surrogate', '\udc00'], ['surrogates the wrong way round', '\udc00\ud800'],
    ['a byte that is no UTF-8', "\xff"],
    ['Latin-1', "\xe4"], ['a truncated UTF-8 sequence', "\xe2\x82"], ['an overlong UTF-8 sequence', "\xc0\xaf"],
    ['an overlong UTF-8 sequence for NUL', "\xc0\x80"],
    ['a surrogate in UTF-8', "\xed\xa0\x80"], ['a character above U+10FFFF', "\xf4\x90\x80\x80"], ['a raw line feed', "a\nb"],
    ['a raw tab', "a\tb"],
    ['an unknown escape', '\x41'], ['half an escape', '\u00'],
);
for (@refused) {
    my ($name, $bytes) = @$_;
    answers(api(POST => '/products', qq({"name":"n$bytes","price":1}), token => $token), 400, refusal(error => qr/./),
        "refused: $name");
    answers(api(POST => '/products', qq({"name":"n","price":1,"category":"$bytes"}), token => $token), 400,
        refusal(error => qr/./), "refused in the category: $name");
}

done_testing;
