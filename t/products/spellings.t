# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# The parameter q: what people write in several ways is found in each of them.
use CatalogTest;

use utf8;

my $server = server(mount => 'CatalogField tags strings search')->start;
my $token = register($server)->{token};

sub create { return map { $server->api(POST => '/products', { price => 1, %$_ }, token => $token)->{json}{data}{id} } @_ }

sub encoded { my ($text) = @_; utf8::encode($text); return $text =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/egra }
sub found { my ($q) = @_; return join ' ', sort map { $_->{id} } @{ $server->api(GET => '/products?limit=100&q=' . encoded($q))->{json}{data} } }

# case: each spelling finds all products of its line, and no others
my @lines = (
    ['Wi-Fi router', 'Wifi adapter', 'wi fi card'],
    ['AC/DC poster', 'acdc shirt', 'AC DC record'],
    ['USB-C cable', 'usbc hub', 'USB C plug'],
    ['T-Shirt Łódź', 'Tshirt lodz'],
    ["L'Oréal", 'loreal'],
    ['Press M5799DWF', 'Press M-5799-DWF'],
    ['Syrup 330 ml', 'Syrup 330ml'],
    ['三徳包丁', '出刃包丁'],
    ['Smørrebrød', 'smorrebrod'],
    ['DIYARBAKIR', 'Diyarbakır'],
);
my @ids = map { my $line = $_; join ' ', sort { $a cmp $b } create(map { { name => $_ } } @$line) } @lines;
my @questions = (
    [qw(wifi wi-fi wi_fi Wi-Fi)], [qw(acdc ac/dc AC-DC)], [qw(usbc usb-c USB/C)], ['tshirt lodz', 't-shirt ŁÓDŹ'], ["l'oreal", 'loreal', 'L’ORÉAL'],
    [qw(5799 m5799 m5799dwf dwf 5799d m-5799)], ['330ml', '330 ml', '330-ml'], [qw(包丁 丁 包)], [qw(smorre smørrebrød SMØRRE)], [qw(diyarbakir DİYARBAKIR)],
);
for my $i (0 .. $#lines) {
    is(found($_), $ids[$i], "$_ finds " . join ', ', @{ $lines[$i] }) for map { s/_/ /r } @{ $questions[$i] };
}

# case: what is not next to each other is not joined
is(found($_), '', "$_ finds nothing") for qw(徳丁 routercard fiw 57999 30ml), 'wifi poster';

# case: products that were there, and changed, and words of other fields
my ($id) = create({ name => 'Plug', tags => ['Bluetooth-5', 'AC', 'DC'] });
is(found('bluetooth5'), $id, 'a field of the shop is searched in the same way');
is(found('plug acdc'), '', 'two texts are not joined');
$server->api(PUT => "/products/$id", { name => 'E-Bike', tags => [] }, token => $token);
is(found('ebike'), $id, 'a new name is found');
is(found('bluetooth5'), '', 'former words are not');

# case: pages by cursor, counts and conditions where a word may be joined
my @many = create(map { { name => $_ % 2 ? "Multi-Tool $_" : "Multitool $_", category => "c" . $_ % 3 } } 1 .. 30);
for my $query ('q=multi-tool', 'q=multi+tool&sort=name', 'q=multi+tool&category=c1&sort=-price') {
    my ($cursor, %seen) = ('');
    while (defined $cursor) {
        my $json = $server->api(GET => "/products?$query&limit=7&cursor=$cursor")->{json};
        $seen{ $_->{id} }++ for @{ $json->{data} };
        $cursor = $json->{pagination}{nextCursor};
    }
    my $want = $query =~ /c1/ ? 10 : 30;
    is(keys %seen, $want, "all pages of $query");
    is($server->api(GET => "/products?$query&facets=category")->{json}{pagination}{total}, $want, "total of $query");
}

# case: the next page has the same question
my $link = $server->api(GET => '/products?q=Wi-Fi+M5799&limit=1')->{headers}{link} // '';
like($link, qr/q=wi%20fi%20m5799&/, 'links keep the order of the words');

done_testing;
