# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# The parameter q: every word begins a word of the name or the category.
use CatalogTest;

my $server = server(mount => 'CatalogField tags strings search')->start;
my $token = register($server)->{token};
my @names = ('Red Kettle', "K\x{c9}TTLE, red", 'teapot', "Stra\x{df}e 5", "\x{fb01}ne caf\x{e9}", "\x{130}stanbul", "\x{41a}\x{43e}\x{444}\x{435}", 'a_b 100%', 'redkettle');
my @products = map { $server->api(POST => '/products', { name => $_, price => 1, category => 'Kitchen tools' }, token => $token)->{json}{data} } @names;
push @products, $server->api(POST => '/products', { name => 'Cup', price => 1, category => "Caf\x{e9}" }, token => $token)->{json}{data};

sub list { $server->api(GET => "/products?$_[0]") }

# q, numbers of the products
my @cases = (
    ['red', 0, 1, 8], ['RED', 0, 1, 8], ['red+kett', 0, 1, 8], ['kett%20red', 0, 1], ['ettle'], ['k%C3%A9', 0, 1], ['ke%CC%81ttle', 0, 1],
    ['redkettle', 8], ['red-kettle', 0, 1, 8], ['strasse', 3], ['STRA%C3%9FE', 3], ['5', 3], ['fine', 4], ['%EF%AC%81ne+cafe', 4], ['cafe', 4, 9],
    ['istan', 5], ['%D0%BA%D0%9E%D0%A4', 6], ['kitchen', 0 .. 8], ['tool+red', 0, 1, 8], ['b', 7], ['a_b', 7], ['100%25', 7], ['%25+a', 7],
    ['re+red+r', 0, 1, 8], ['cup+cafe', 9], ['cup+kitchen'], ['nothing'], ["o'red", ], ['t', 0 .. 8],
);
for (@cases) {
    my ($q, @numbers) = @$_;
    answers(list("q=$q&match=prefix"), 200, { success => true, data => [map { $products[$_] } reverse @numbers],
        pagination => { page => 1, limit => 10, total => scalar @numbers, pages => @numbers ? 1 : 0 } }, "q=$q finds @numbers");
}
is_deeply([map { $_->{id} } @{ list('q=red&sort=name&price=1&limit=2')->{json}{data} }], [map { $products[$_]{id} } 1, 0], 'a search has conditions and an order');
is(list('q=Red+KETTLE')->{headers}{etag}, list('q=re%20red%20%20kettle')->{headers}{etag}, 'the same words are the same question');

# ---- models and numbers ----

my @models = map { $server->api(POST => '/products', { name => $_, price => 1 }, token => $token)->{json}{data} } 'Press M5799', 'Press 5799', 'Press M5799DWF', 'Phone Galaxy24', 'Phone Galaxy 24', 'Jug 2 litres',
    'Jug 2litres', "Cup tea\x{2013}set", "Cup tea\x{200c}set", 'Multi-tool', 'Multitool', 'Press M-5799-DWF', 'Phone Galaxy-24', 'Rocknroll', 'Rock-n-roll', "Box 60\x{d7}120 cm", "\x{c804}\x{ae30} \x{c8fc}\x{c804}\x{c790}",
    "\x{30b4}\x{30eb}\x{30d5}\x{30fb}\x{30af}\x{30e9}\x{30d6}", 'XL, Robot12, Robot24 XL';
my %model = map { $models[$_]{id} => $_ } 0 .. $#models;
for (['M5799', 0, 1, 2, 11], ['m5799dwf', 2, 11], ['5799', 0, 1, 2, 11], ['m+5799', 0, 2, 11], ['galaxy24', 3, 4, 12], ['galaxy+24', 3, 4, 12], ['2litres', 5, 6], ['2+litres', 5, 6], ['teaset', 7, 8], ['tea-set', 7, 8],
    ['m5799&match=exact', 0], ['M5799DWF&match=exact', 2, 11], ['M5799-DWF&match=exact', 2, 11], ['M-5799-DWF&match=exact', 2, 11], ['m+5799+dwf&match=exact', 2, 11], ['5799&match=exact', 0, 1, 11],
    ['galaxy24&match=exact', 3, 4, 12], ['galaxy+24&match=exact', 3, 4, 12], ['Galaxy-24&match=exact', 3, 4, 12], ['2litres&match=exact', 5, 6], ['multi-tool&match=exact', 9, 10],
    ['multitool&match=exact', 9, 10], ['multi&match=exact', 9], ['rocknroll&match=exact', 13, 14], ["rock'n'roll&match=exact", 13, 14], ['rock+n+roll&match=exact', 13, 14], ['rock+roll&match=exact', 14],
    ['XL,+Robot12,+Robot24+XL&match=exact', 18], ['Robot24+XL&match=exact', 18], ['robot24&match=exact', 18], # by its name, and words of it
    ['60x120', 15], ['60%C3%97120', 15], ['60+x+120cm', 15],
    ['%EC%A0%84%EA%B8%B0%EC%A3%BC%EC%A0%84%EC%9E%90', 16], ['%EC%A0%84%EA%B8%B0+%EC%A3%BC%EC%A0%84%EC%9E%90', 16], # with and without its blank
    ['%E3%82%B4%E3%83%AB%E3%83%95%E3%82%AF%E3%83%A9%E3%83%96', 17]) { # without its dot
    my ($q, @found) = @$_;
    my $match = $q =~ /match/ ? '' : '&match=prefix';
    is_deeply([map { $model{ $_->{id} } } @{ list("q=$q$match&sort=createdAt&limit=100")->{json}{data} }], \@found, "q=$q finds @found");
}
is(list('q=m5799&match=prefix&sort=relevance')->{json}{data}[0]{id}, $models[0]{id}, 'what has the whole model is the most relevant');

# ---- changes ----

$server->api(PUT => "/products/$products[2]{id}", { name => 'Green teapot' }, token => $token);
is(list('q=green')->{json}{pagination}{total}, 1, 'a new name is found');
$server->api(PUT => "/products/$products[2]{id}", { name => 'Blue teapot', category => 'x' }, token => $token);
is(list("q=$_")->{json}{pagination}{total}, 0, "$_ of the old name is not found") for 'green', 'kitchen+teapot';
$server->api(DELETE => "/products/$products[2]{id}", token => $token);
is(list('q=teapot')->{json}{pagination}{total}, 0, 'a deleted product is not found');

# ---- long words ----

# Of words that are alike up to the 64th octet, one that has a character across it is cut before that.
my @long = map { 'z' x 63 . $_ } '', 'a', "\x{436}";
my $long = $server->api(POST => '/products', { name => "@long", price => 1 }, token => $token);
answers($long, 201, undef, 'a product with such words is created');
sub total_of { my ($word) = @_; utf8::encode($word); return list('q=' . $word =~ s/([^a-z])/sprintf '%%%02X', ord $1/ger . '&match=prefix')->{json}{pagination}{total} }
is_deeply([map { total_of($_) } @long], [1, 1, 1], 'and found by each');
$server->api(PUT => "/products/$long->{json}{data}{id}", { name => $long[0] }, token => $token);
is_deeply([map { total_of($_) } @long], [1, 0, 0], 'and then by the one that is left');

# ---- lists of texts ----

my $listed = $server->api(POST => '/products', { name => 'Spoon', price => 1, tags => ["stainless\nsteel", "5\" long\tblade", "a\x{1}\\narrow"] }, token => $token)->{json}{data};
is(list("q=$_")->{json}{pagination}{total}, 1, "$_ is found in a list") for 'stainless', 'steel', 'blade', 'long+5', 'narrow';
is(list("q=$_&match=prefix")->{json}{pagination}{total}, 0, "$_, of the spelling in JSON, is not") for 'nsteel', 'tblade', 'u0001', '0001';
$server->api(PUT => "/products/$listed->{id}", { tags => ["new\nones"] }, token => $token);
is(list("q=$_->[0]")->{json}{pagination}{total}, $_->[1], "after a change $_->[0] is found $_->[1] times") for ['ones', 1], ['steel', 0];

# ---- faults ----

is_deeply(list($_)->{json}{data}, [], "$_ finds nothing") for 'q=', 'q=+', 'q=-', 'q=%25', 'q=%CC%81', 'q';
answers(list('q=%ff'), 400, invalid(q => 'encoding'), 'q that is no UTF-8 is refused');
answers(list('q=a&q=b'), 400, invalid(q => 'duplicate'), 'q twice is refused');
answers(list('q=' . join '+', map { "w$_" } 10 .. 29), 200, undef, 'twenty words are accepted');
answers(list('q=' . join '+', map { "w$_" } 10 .. 30), 400, invalid(q => 'too_many'), 'more words are refused');
answers(list('q=' . 'x' x 4000), 200, undef, 'a long word is accepted');

done_testing;
