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
like(checked('CatalogSynonyms bad.txt', 'bad.txt' => "sofa, couch\nskillet, frying pan\n"), qr/bad\.txt: line 2 has "frying pan", which is several words/,
    'httpd -t names the line and its fault');

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

is(names('sofa', mount => 'plain'), 'A sofabed|Red sofa', 'a mount without a file has no synonyms, whatever another one has cached');
is(names('sofa', mount => 'other'), 'A sofabed|Divan|Red sofa', 'another file has others');

my $r = $server->api(GET => '/products?fields=name&q=couch&limit=2&count=exact');
is($r->{json}{pagination}{total}, 3, 'the total counts all');
is(scalar(() = $server->api(GET => '/products/export?format=csv&q=couch')->{body} =~ /\n/g), 4, 'an export has them');

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
