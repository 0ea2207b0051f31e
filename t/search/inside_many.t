# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# mpm: event
# A word that begins some words and stands inside many others, as in German compounds: the list with these reads the products that have one of
# them, and not the catalogue. The MPM does not matter.
use CatalogTest;
use List::Util qw(min);
use Time::HiRes qw(time);

my $server = server()->start;
my $token = register($server)->{token};
srand 3;
my @syllables = qw(ka lo mi ter schrank schub lade holz eisen stahl blau rot grau kant ring band licht lamp tisch stuhl bett regal wand uhr glas por ta ne ru si);
my @words = map { join '', map { $syllables[rand @syllables] } 1 .. 2 + rand 3 } 1 .. 25_000;
for (1 .. 6) {
    my $csv = join '', "name,price\n", map { join(' ', map { $words[(rand()**2) * @words] } 1 .. 4) . ",1\n" } 1 .. 5_000;
    is($server->api(POST => '/products/import?atomic=false', $csv, token => $token, headers => { 'Content-Type' => 'text/csv' })->{status}, 200, 'products');
}

my $limit = 1000; # another one each time, so that no answer comes from the cache
sub ask { my ($query) = @_; return $server->api(GET => "/products?$query&count=none&fields=name&limit=" . $limit--) }
my ($begun, $widened) = map { scalar @{ ask($_)->{json}{data} } } 'q=kante&match=prefix', 'q=kante';
cmp_ok($widened, '>', 2 * $begun, "besides $begun products with a word that it begins, others are found");

sub least { my ($query) = @_; return min map { my $begun = time; ask($query); time - $begun } 1 .. 10 }
my ($few, $many) = (least('q=kante'), least('sort=name'));
cmp_ok($few, '<', 8 * $many, "$widened products take no more than some pages of a thousand") or diag "$few s, $many s";
done_testing;
