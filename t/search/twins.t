# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/suggest
# route: GET /fields/:name/values
# route: GET /categories
# again: db
# mpm: event
# Two catalogues with the same products for readers, one of which has more that are hidden: products, and words of a private field. To every
# question both give readers the same answer, so nobody can count, or guess, what is hidden. The MPM does not matter.
use CatalogTest;
use Cpanel::JSON::XS ();

my $lines = <<'END';
CatalogWriteRole editor
CatalogCountLimit 30
CatalogField brand     string  search facet
CatalogField tags      strings search facet
CatalogField note      string  search private
CatalogField published boolean index default=true
CatalogVisible published=true
END
my ($alone, $twin) = map { server(mount => $lines)->start } 1, 2;
my %editor = (token => forge(claims => claims(role => 'editor')));
my $json = Cpanel::JSON::XS->new->utf8->canonical;

sub import_all {
    my ($server, @products) = @_;
    my $r = $server->api(POST => '/products/import', join('', map { $json->encode({ price => 1, %$_ }) . "\n" } @products),
        headers => { 'Content-Type' => 'application/x-ndjson' }, patience => 60, %editor);
    die "$r->{status} $r->{body}\n" if $r->{status} != 200;
}

my @stems = qw(kettle kettles ketchup ketterer keg kelp kitten spoon teaspoon spade sponge lantern lamp lampshade);
my @seen = map { my $n = $_; { name => "\u$stems[$n % 14] $stems[$n * 5 % 14] $n", price => $n / 4, category => "shelf " . $n % 4, inStock => $n % 3 ? \1 : \0,
    $n % 5 ? (brand => "Brand " . $n % 3) : (), tags => ["t$n", $stems[$n * 3 % 14]] } } 1 .. 70;
# What is hidden has the same words, words beside them, slips of them, and more of each than any bound: newer, older and in between.
my @words = (@stems, (map { "ket$_" } 'a' .. 'z'), (map { "kett$_" } 'a' .. 'k'), qw(kettel ketle spoone spoo tablespoon lanterm zebra zebu), (map { "spo$_" } 'aa' .. 'bz'));
my @hidden = map { my $n = $_; { name => "\u$words[$n % @words] $words[$n * 7 % @words]", price => $n % 9, category => "shelf " . $n % 6, published => \0, brand => "Brand " . $n % 7,
    tags => ["h" . $n % 50, $words[$n * 11 % @words]] } } 1 .. 330;

import_all($alone, @seen);
import_all($twin, @hidden[0 .. 99], map { $_ % 2 ? { %{ $seen[$_] }, note => "zeppelin ketz$_ spoonx$_ kettles" } : $seen[$_], @hidden[100 + 2 * $_, 101 + 2 * $_] } 0 .. $#seen);
import_all($twin, @hidden[240 .. $#hidden]);

# What depends on when a product was made, and on the cursors' key.
sub plain {
    my ($r) = @_;
    my $text = $r->{body} =~ s/"(?:id|createdAt|nextCursor)":"[^"]*"/""/gr;
    return join ' ', $r->{status}, $text, $r->{headers}{'x-total-count'} // '', ($r->{headers}{link} // '') =~ s/cursor=[^>&]*//gr;
}
my @questions = map { "/products?$_" } '', 'limit=3&page=5', 'count=exact', 'facets=category,inStock,brand,tags', 'category=shelf%201&facets=brand', 'brand=Brand%202&count=exact',
    'brand[in]=Brand%201,Brand%204&facets=brand', 'tags=kettle', 'tags=h3', 'price[gte]=3&sort=-price,name', 'sort=name', 'sort=brand&limit=60', 'limit=20&page=4', 'cursor=&limit=40', 'brand[prefix]=b&facets=tags:100';
my @asked = (qw(k ke ket kett kettl kettle kettles ketle kettel ketchup spo spoon spoons poon spoone aspoon lanterm lamp zebra zeppelin spoonx1 ketz tablespoon s), 'kettle spoon', 'ketle spon',
    'spoon lam', 'shelf', 'brand 6', 't1', 'h3');
for my $q (map { s/ /%20/gr } @asked) {
    push @questions, (map { "/products?q=$q$_" } '', '&sort=relevance', '&match=exact', '&match=prefix', '&count=exact&facets=category,brand', '&sort=price&limit=4', '&limit=5&cursor='),
        "/products/suggest?q=$q", "/products/suggest?q=$q&limit=10", "/products/suggest?q=$q&limit=1";
}
push @questions, '/categories', '/categories?sort=-count&limit=2', map { ("/fields/brand/values$_", "/fields/tags/values$_") } '', '?sort=-count&limit=5', '?prefix=k', '?prefix=h', '?page=2&limit=4';
for my $question (@questions) {
    my ($one, $other) = map { plain($_->api(GET => $question)) } $alone, $twin;
    is($other, $one, $question);
}

done_testing;
