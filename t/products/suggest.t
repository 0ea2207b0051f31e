# SPDX-License-Identifier: Apache-2.0
# route: GET /products/suggest
# Suggestions while somebody types: words that go on as the last one, products that have them, and nothing that readers may not see.
use CatalogTest;
use utf8;
use Cpanel::JSON::XS ();

my $server = server(mount => join "\n", 'CatalogWriteRole editor', 'CatalogField brand string search', 'CatalogField note string search private',
    'CatalogField published boolean index default=true', 'CatalogVisible published=true')->start;
my $token = forge(claims => claims(role => 'editor'));

sub create { my ($name, %more) = @_; return $server->api(POST => '/products', { name => $name, price => 1, %more }, token => $token)->{json}{data}{id} }
sub import_all {
    my @products = map { { price => 1, %$_ } } @_;
    my $r = $server->api(POST => '/products/import', join('', map { Cpanel::JSON::XS->new->utf8->encode($_) . "\n" } @products),
        token => $token, headers => { 'Content-Type' => 'application/x-ndjson' }, patience => 60);
    die "$r->{body}\n" if $r->{status} != 200 || $r->{json}{data}{failed};
}
sub encoded { my ($text) = @_; utf8::encode($text); return $text =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/egra }

sub suggest {
    my ($q, $more, @who) = @_;
    my $r = $server->api(GET => '/products/suggest?q=' . encoded($q) . ($more // ''), undef, @who);
    die "$r->{status} $r->{body}\n" if $r->{status} != 200;
    return $r->{json}{data};
}
sub words { return join ' ', @{ suggest(@_)->{words} } }
sub names { return join '|', map { $_->{name} } @{ suggest(@_)->{products} } }

create('Kettle, red', category => 'Kitchen');
create("Kettle No. $_", category => 'Kitchen') for 1 .. 9;
my $ketchup = create('Ketchup', category => 'Food');
create('Tea pot', brand => 'Ketterer', category => 'Kitchen');
create('Wi-Fi router M5799DWF', category => 'Network');
create('Hängematte', category => 'Garden');
create('三徳包丁', category => '台所');
create('หม้อหุงข้าว');
create('Bücherregal 60×120 cm');

# ---- words and products ----

my @all = ('', token => $token); # from whom nothing is hidden
is(words('ket', @all), 'kettle ketchup ketterer', 'words go on as the text, and a rare one is not forgotten');
is(words('ket'), 'kettle ketterer ketchup', 'to readers, those of the newest products first');
is_deeply(suggest('ketc'), { words => ['ketchup'], products => [{ id => $ketchup, name => 'Ketchup' }] }, 'a product has its id and its name');
is(names('ket', '&limit=4'), 'Ketchup|Kettle No. 9|Kettle No. 8|Kettle No. 7', 'products with the word in their name first, the newest of them first');
is(names('kett', '&limit=10', token => $token) =~ s/.*\|//r, 'Tea pot', 'then those that have it elsewhere');
is(words('KÉTT'), 'kettle ketterer', 'case and accents make no difference');
is(words('red ket'), 'kettle', 'the words before count');
is(names('red ket'), 'Kettle, red', 'for products, too');
is(words('hang'), 'hängematte', 'a word has its accents');
is(words('w'), 'wi', 'what is joined in the index is no word');
is(words('wif'), '', 'nor does it begin one');
is(names('wif'), 'Wi-Fi router M5799DWF', 'but it finds the product');
is(words('m57'), 'm5799dwf', 'a model number is a word');
is(words('三徳'), '三徳包丁', 'of scripts without blanks, a word is what stands together');
is(words('三徳包'), '三徳包丁', 'as far as it was typed');
is(words('หม้อ'), 'หม้อหุงข้าว', 'a word has the vowels that are marks');
is(words('buch'), 'bücherregal', 'a word has its accents beside a sign for times');
is_deeply(suggest('nothing'), { words => [], products => [] }, 'nothing is an answer');
is(scalar(@{ suggest('k')->{words} }), 4, 'one letter suffices');
is(scalar(@{ suggest('kettle')->{products} }), 8, 'eight products');
is(scalar(@{ suggest('kettle', '&limit=0')->{products} }), 8, 'a limit that is none counts as absent');
is(scalar(@{ suggest('kettle', '&limit=99')->{products} }), 10, 'a limit above the maximum is the maximum');

# ---- what readers may see ----

create('Kettledrum', published => \0);
create('Spoon', note => 'Kettner');
is(words('kettn'), '', 'no word of a private field');
is(names('kettn'), '', 'nor its product');
is(words('kettn', '', token => $token), 'kettner', 'but for those who see it');
is(words('kettledr'), '', 'no word that only hidden products have');
is(words('kettl'), 'kettle', 'nor among others');
is(words('kettledr', '', token => $token), 'kettledrum', 'but for those who see them');

# ---- as soon as it changes ----

$server->api(DELETE => "/products/$ketchup", token => $token);
is(words('ketc'), '', 'a product that was deleted is not suggested any more');
create('Ketchup, hot');
is(words('ketc'), 'ketchup', 'and a new one is');

# ---- answers ----

my $r = $server->api(GET => '/products/suggest?q=ket');
my $again = $server->api(GET => '/products/suggest?q=ket', undef, headers => { 'If-None-Match' => $r->{headers}{etag} });
is($again->{status}, 304, 'an answer has a tag');
my @faults = (['' => 'q required'], ['?q=%FF' => 'q encoding'], ['?q=' . join('+', map { "w${_}x" } 1 .. 21) => 'q too_many'], ['?q=a&q=b' => 'q duplicate']);
for my $case (@faults) {
    my $refused = $server->api(GET => "/products/suggest$case->[0]");
    my $error = $refused->{json}{errors}[0] // {};
    is(join(" ", map { $_ // "none" } $refused->{status}, @$error{qw(field code)}), "400 $case->[1]", "$case->[0] is refused") or diag $refused->{body};
}
is_deeply($server->api(GET => "/products/suggest?q=$_")->{json}{data}, { words => [], products => [] }, "nothing has q=$_") for '', '--', '%25', '+', '%E2%82%AC%22';
is($server->api(GET => '/products/suggest?q=ket&sort=name')->{headers}{'catalog-ignored'}, 'sort', 'another parameter is ignored');
my $none = server(mount => 'CatalogIndex none')->start;
is($none->api(GET => '/products/suggest?q=ket')->{json}{errors}[0]{code}, 'no_index', 'without an index of words there are none');
$none->stop;

# ---- many words ----

import_all(map { { name => sprintf 'Sample s%03d sand%s', $_, $_ % 3 ? '' : 'al' } } 1 .. 300);
like(words('s'), qr/^sample sand /, 'of many words, those that the newest products use most');
is(scalar(@{ suggest('s')->{words} }), 8, 'and no more than eight');
is(words('s300'), 's300', 'each can be found');
my @old = (map({ "Vanish vaa$_ va" } 1 .. 9), qw(vb vc ve), qw(Ваа Ваб Вав Ваг Вад Важ Ваз Ваи Вб Вв), map { "Ya$_" } 'a' .. 'l');
import_all(map { { name => $_ } } @old);
import_all(map { { name => $_ > 70 ? 'Newer vd' : "Newer $_" } } 1 .. 80);
is(words('s2', @all) =~ s/\d+/N/gr, join(' ', ('sN') x 8), 'many words that no newer product has');
is(words('s2', @all), join(' ', sort split ' ', words('s2', @all)), 'of which none is used more');
is(words('v', @all), 'vd vanish vaa9 va vb vc ve', 'where the newest products have few, one of each next letter is found in the index, with the words beside it');
is(scalar(split ' ', words('y', @all)), 8, 'or several, if these are few');
is(words('va', '&limit=3'), 'vanish va vaa9', 'the word itself is one of them');
like(words('в', @all), qr|^ваа вб вв|, 'so are letters of several octets');

# ---- many words that the client cannot see ----

my @hidden = map { my $n = $_; map { { name => "$_$n", published => \0 } } qw(zza zzb) } 'a' .. 'i';
import_all(@hidden, (map { { name => 'Spoon', note => "zzc$_" } } 'a' .. 'i'), (map { { name => $_ } } qw(zzbz zzcz zzd)), map { { name => "Newer $_" } } 1 .. 40);
is(words('zza'), '', 'words that only hidden products have');
is(words('zzb'), 'zzbz', 'do not hide one that can be seen');
is(names('zzb'), 'zzbz', 'nor its product');
is(words('zzc'), 'zzcz', 'nor do words of private fields');
is(join(' ', sort split ' ', words('zz')), 'zzbz zzcz zzd', 'nor all together');
is(join(' ', sort split ' ', words('z')), 'zzbz zzcz zzd', 'nor where one letter was typed');
is(scalar(split ' ', words('zzb', '', token => $token)), 8, 'who sees them has them suggested');

# ---- whatever is typed ----

# Each beginning of a word that readers see: those of the products that the list finds.
my %begun = map { $_ => 1 } map { my $word = $_; map { substr $word, 0, $_ } 1 .. length $word } qw(kettle ketterer s123 sandal vaa5 vc zzbz zzcz), 'вв';
for my $begun (sort keys %begun) {
    my $suggested = suggest($begun);
    my @strange = grep { index($_, $begun) != 0 || /^zz(?:a|[bc][a-i]$)/ } @{ $suggested->{words} };
    ok(@{ $suggested->{words} } && @{ $suggested->{products} } && !@strange, encoded($begun) . ' goes on') or diag "@strange";
}

done_testing;
