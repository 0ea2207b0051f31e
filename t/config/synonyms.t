# SPDX-License-Identifier: Apache-2.0
# CatalogSynonyms: what httpd -t says of files, which products synonyms find, and whose file counts in which section.
use CatalogTest;
use utf8;

sub files { my ($server, %text) = @_; spew($server->dir . "/$_", $text{$_}) for keys %text; return $server }
sub encoded { my ($text) = @_; utf8::encode($text); return $text }

# ---- files ----

sub checked { my ($line, %text) = @_; my ($status, $said) = files(server(mount => $line), %text)->configtest; return $status == 0 ? 'OK' : $said }

is(checked('CatalogSynonyms good.txt', 'good.txt' => encoded("# seats\nSofa, Couch # both\n\ntv => Fernseher, télé\n")), 'OK', 'a file below ServerRoot is read');
is(checked('CatalogSynonyms none'), 'OK', 'none is no file');
like(checked('CatalogSynonyms absent.txt'), qr/absent\.txt/, 'a file that is not there is a fault');
like(checked('CatalogSynonyms bad.txt', 'bad.txt' => "sofa, couch\nskillet\n"), qr/bad\.txt: line 2 has neither a comma nor =>; separate terms that mean the same by commas/,
    'httpd -t names the line and its fault');
is(checked('CatalogSynonyms good.txt', 'good.txt' => encoded("dining table, Esstisch\n三徳包丁, knife\ngalaxy24, S24\ntv => television set, flat screen\n")), 'OK', 'terms may be several words');

# ---- lists ----

my $text = "sofa, couch\ntv => television\n";
my $server = files(server(mount => "CatalogSynonyms seats.txt\nCatalogField about text search private\nCatalogWriteRole editor",
    conf => join '', "CatalogKeyFile \"\@key\@\"\n", map { "<Location \"/$_->[0]\">\nCatalogEnable On\nCatalogField about text search private\nCatalogWriteRole editor\n$_->[1]</Location>\n" } ['plain', ''], ['other', "CatalogSynonyms other.txt\n"]),
    'seats.txt' => $text, 'other.txt' => "sofa, divan\n")->start;
my $token = forge(claims => claims(role => 'editor'));
$server->api(POST => '/products', { name => $_, price => 1 }, token => $token) for 'Red sofa', 'Red couches', 'Divan', 'Television', 'A sofabed', 'Tv stand';
$server->api(POST => '/products', { name => 'Chair', price => 1, about => 'sofa' }, token => $token);

sub names {
    my ($q, %how) = @_;
    my $mount = $how{mount} // 'api';
    my $r = $server->api(GET => "/products?fields=name&limit=100&q=$q" . ($how{more} // ''), undef, $how{token} ? (token => $how{token}) : (), mount => "/$mount");
    return join '|', sort map { $_->{name} } @{ $r->{json}{data} // die "$r->{status} $r->{body}\n" };
}

is(names('couch'), 'A sofabed|Red couches|Red sofa', 'each word finds what the other one begins');
is(names('sofa'), 'A sofabed|Red couches|Red sofa', 'both ways');
is(names('sofas', more => '&match=prefix'), '', 'but not a word that it begins');
is(names('couc'), 'Red couches', 'nor one that begins it');
is(names('COUCH+red'), 'Red couches|Red sofa', 'the other words count as well');
is(names('tv'), 'Television|Tv stand', 'an arrow leads one way');
is(names('television'), 'Television', 'and not back');
is(names('couch', token => $token), 'A sofabed|Chair|Red couches|Red sofa', 'a private field has synonyms for those who see it');
is(names('couch', more => '&sort=name&price=1&count=exact'), 'A sofabed|Red couches|Red sofa', 'so do conditions and another order');
is(names('sofa+couch', more => $_), 'A sofabed|Red couches|Red sofa', "two words that stand for each other$_") for '', '&sort=name', '&sort=relevance';

is(names('sofa', mount => 'plain'), 'A sofabed|Red sofa', 'a mount without a file has no synonyms, whatever another one has cached');
is(names('sofa', mount => 'other'), 'A sofabed|Divan|Red sofa', 'another file has others');

my $r = $server->api(GET => '/products?fields=name&q=couch&limit=2&count=exact');
is($r->{json}{pagination}{total}, 3, 'the total counts all');
is(scalar(() = $server->api(GET => '/products/export?format=csv&q=couch')->{body} =~ /\n/g), 4, 'an export has them');

# ---- several words ----

my $words = files(server(mount => 'CatalogSynonyms words.txt'),
    'words.txt' => encoded("tv => television set, flat screen\ndining table, Esstisch\nT-Shirt, tee\nflat screen tv => monitor\n三徳包丁, knife\ngalaxy24, s24\noak chest => Truhe\nchest box => Kiste\n"))->start;
$words->api(POST => '/products', { name => $_, price => 1 }, token => forge()) for 'Television set', 'Television', 'Chess set', 'Flat screen', 'Tv stand', 'Dining table', 'Esstisch aus Eiche',
    'Dining chair', 'Table lamp', 'T-Shirt, red', 'Tee, blue', 'Monitor', '三徳包丁', '包丁', 'Knife', 'Galaxy 24', 'S24 case', 'Galaxy 23', 'Tvs rack',
    'Truhe mit Kiste', 'Truhe', 'Kiste', 'Truhe box', 'Oak kiste', 'Oak box';

sub found {
    my ($q, $more) = @_;
    $q = encoded($q) =~ s/([^\w+.~-])/sprintf '%%%02X', ord $1/egr;
    my $r = $words->api(GET => "/products?fields=name&limit=100&q=$q" . ($more // '&match=prefix'));
    return join '|', map { $_->{name} } $more ? @{ $r->{json}{data} } : sort { $a->{name} cmp $b->{name} } @{ $r->{json}{data} // die "$r->{status} $r->{body}\n" };
}

is(found('tv'), 'Flat screen|Television set|Tv stand|Tvs rack', 'one word for two: both have to be there');
is(found('tv+stand'), 'Tv stand', 'with the other words');
is(found('dining+table'), 'Dining table|Esstisch aus Eiche', 'two words for one');
is(found('diningtable'), 'Esstisch aus Eiche', 'joined, they mean the same');
is(found('dining'), 'Dining chair|Dining table', 'but not one of them');
is(found('table+dining'), 'Dining table', 'nor in another order');
is(found('esstisch'), 'Dining table|Esstisch aus Eiche', 'and back');
is(found($_), 'T-Shirt, red|Tee, blue', "$_ is joined in any way") for 't-shirt', 't+shirt', 'tshirt', 'tee';
is(found('flat+screen+tv'), 'Flat screen|Monitor', 'three words, of which one has synonyms, too');
is(found('knife'), 'Knife|三徳包丁', 'one word for three pairs of characters');
is(found('三徳包丁'), 'Knife|三徳包丁', 'and back');
is(found('包丁'), '三徳包丁|包丁', 'but not of a part');
is(found($_), 'Galaxy 24|S24 case', "$_: letters and digits") for 'galaxy24', 'galaxy+24', 's24';
is(found('oak+chest+box'), 'Oak kiste|Truhe box|Truhe mit Kiste', 'where terms overlap, each word is there itself, or what stands for a term that it is in');
is(found('oak, chest'), 'Truhe|Truhe box|Truhe mit Kiste', 'a comma is a blank');
is(found('tv', '&match=exact'), 'Tv stand', 'match=exact asks for the word itself');
is(found('tv', '&sort=relevance'), 'Tv stand|Flat screen|Television set|Tvs rack', 'a whole synonym ranks as a whole word, before beginnings');
is(found('s24', '&sort=relevance'), 'S24 case|Galaxy 24', 'so does one of several words');
is(found('tv', '&sort=name&price=1&count=exact'), 'Flat screen|Television set|Tv stand|Tvs rack', 'another order, with a condition');
is($words->api(GET => '/products?q=dining+table')->{json}{pagination}{total}, 2, 'the total counts all');
like($words->api(GET => '/products?q=tv&limit=1')->{headers}{link}, qr/q=tv&/, 'links have what the client has asked');
is_deeply($words->api(GET => '/products?q=tv+stnad')->{json}{corrected}, { stnad => ['stand'] }, 'a slip beside them is corrected');
is($words->api(GET => "/products/export?format=csv&q=tv")->{body} =~ tr/\n//, 5, 'an export has them, too');
$words->api(POST => '/products', { name => "Television set $_", price => 1 }, token => forge()) for 1 .. 12;
is(join(' ', @{ $words->api(GET => '/products/suggest?q=tv')->{json}{data}{words} }), 'tvs tv', 'what has synonyms of several words is suggested beside many newer products with these');
$words->api(POST => '/products', { name => 'Dining Esttisch', price => 1 }, token => forge());
is_deeply($words->api(GET => '/products?q=esstisch')->{json}{corrected}, { esstisch => ['esttisch'] }, 'a slip is named that stands for one word of a synonym only');
$words->stop;

# ---- other files ----

files($server, 'seats.txt' => "sofa, divan\n");
is(names('sofa'), 'A sofabed|Red couches|Red sofa', 'a changed file is not read by itself');
$server->graceful;
wait_until(30, sub { names('sofa') eq 'A sofabed|Divan|Red sofa' });
is(names('sofa'), 'A sofabed|Divan|Red sofa', 'a graceful restart reads it, and nothing cached stays');

my $inner = files(server(conf => "CatalogSynonyms seats.txt", mount => 'CatalogSynonyms none'), 'seats.txt' => $text)->start;
$inner->api(POST => '/products', { name => $_, price => 1 }, token => forge()) for 'Sofa', 'Couch';
is($inner->api(GET => '/products?q=sofa')->{json}{pagination}{total}, 1, 'none takes back the file of an outer section');
$inner->stop;
my $inherits = files(server(conf => "CatalogSynonyms seats.txt"), 'seats.txt' => $text)->start;
$inherits->api(POST => '/products', { name => $_, price => 1 }, token => forge()) for 'Sofa', 'Couch';
is($inherits->api(GET => '/products?q=sofa')->{json}{pagination}{total}, 2, 'a section inherits it');
$inherits->api(POST => '/products', { name => "Sofa $_", price => 1 }, token => forge()) for 1 .. 12;
my $suggested = $inherits->api(GET => '/products/suggest?q=couch')->{json}{data};
is(join(' ', @{ $suggested->{words} }), 'couch', 'what has synonyms is suggested beside many newer products with these');
is(join(' ', map { $_->{name} } @{ $suggested->{products} }[0, 1]), 'Couch Sofa 12', 'and these are suggested as well');

done_testing;
