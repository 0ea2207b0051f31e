# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# mpm: event
# Where fewer products match than an answer may have, words take part that contain a word of q, or are a slip away. The answer says which; match=prefix and match=exact ask for less. t/search/model.t has many more questions. The MPM does not matter.
use CatalogTest;

my $server = server(mount => <<'END')->start;
CatalogWriteRole editor
CatalogField hidden boolean index
CatalogField note string search private
CatalogField more text search private max=30000
CatalogVisible "hidden[exists]=false"
END
my %editor = (token => forge(claims => claims(role => 'editor')));

sub made { my ($name, %more) = @_; return $server->api(POST => '/products', { name => $name, price => 1, %more }, %editor)->{json}{data}{id} }
sub names { my ($r) = @_; return join ', ', map { $_->{name} } @{ $r->{json}{data} } }
sub corrected { my ($r) = @_; my $of = $r->{json}{corrected} // {}; return join '; ', map { "$_: @{ $of->{$_} }" } sort keys %$of }
sub list { my ($query, %more) = @_; return $server->api(GET => "/products?$query", undef, %more) }
sub finds {
    my ($query, $names, $corrected, %more) = @_;
    my $r = list($query, %more);
    is(join(' | ', $r->{status}, names($r), corrected($r)), "200 | $names | $corrected", "$query: $corrected");
    return $r;
}

my %id = map { $_ => made($_) } 'Red kettle', 'Kettles and pots', 'Teakettle', 'Steel bookcase', 'Aktenschrank', 'Headphones', 'M5799DWF';

# ---- inside a word, and slips ----

finds('q=ketle', 'Kettles and pots, Red kettle', 'ketle: kettle');
finds('q=KETLE%20red', 'Red kettle', 'ketle: kettle');
finds('q=schrank', 'Aktenschrank', 'schrank: aktenschrank');
finds('q=case%20steel', 'Steel bookcase', 'case: bookcase');
finds('q=kettle', 'Teakettle, Kettles and pots, Red kettle', 'kettle: teakettle');
finds("q=$_", 'Headphones', "$_: headphones") for qw(headpones eadphones headphonnes headphnoes haedphonse);
finds("q=$_", '', '') for qw(headfoens le ox hedl 5798 79);
finds('q=ket', 'Teakettle, Kettles and pots, Red kettle', 'ket: teakettle');
finds('q=red%20nothing', '', '');
finds("q=tea%20kettle&match=exact$_", 'Teakettle', '') for '', '&sort=name'; # both words are there joined
finds('q=schrank%20nothing', '', '');

# Where there is no other word, one with a slip may have an ending of two letters.
made($_) for 'Cast iron trivets', 'Side tables', 'Screwdrivers', "T\x{fc}rstopper-Gef\x{e4}\x{df}en";
finds("q=$_", 'Cast iron trivets', "$_: trivets") for qw(trvet trivte tirvet rivet triwet);
finds("q=$_", 'Side tables', "$_: tables") for qw(atble tbale tabel taable tbles);
finds("q=$_", 'Screwdrivers', "$_: screwdrivers") for qw(skrewdirver);
finds("q=$_", "T\x{fc}rstopper-Gef\x{e4}\x{df}en", "$_: gef\x{e4}\x{df}en") for qw(gefsas gefss);
made('Ticket stable');
finds('q=tabel', 'Side tables', 'tabel: tables');
made('Tabela');
finds('q=tabel', 'Tabela, Side tables', 'tabel: tables');
made('Tablet');
finds('q=tabet', 'Tablet', 'tabet: tablet');
finds("q=$_", '', '') for qw(tivt tbal haedph screwdrvr skrewdirv);

# Wherever a slip is in a short word, by which parts it is found depends on the place.
sub slips {
    my ($word) = @_;
    my @slips;
    for my $i (0 .. length $word) {
        my ($before, $behind) = (substr($word, 0, $i), substr $word, $i);
        push @slips, map { $before . $_ } "q$behind", $behind =~ s/^.//r, $behind =~ s/^./q/r, $behind =~ s/^(.)(.)/$2$1/r;
    }
    return grep { length >= 5 && $_ ne $word } @slips;
}
for my $word (qw(mulag zebrin wufotax vyxwokir)) {
    made("\u$word");
    is(join(' ', grep { names(list("q=$_")) ne "\u$word" } slips($word)), '', "each slip of $word");
}
for my $word (qw(pogik tomvar hisdelu nyrzabok)) {
    made("\u${word}en");
    is(join(' ', grep { names(list("q=$_")) ne "\u${word}en" } slips($word)), '', "each slip of $word, which has an ending");
}

# ---- asking for less ----

finds('q=ketle&match=prefix', '', '');
finds('q=kettle&match=prefix', 'Kettles and pots, Red kettle', '');
finds('q=kettle&match=exact', 'Red kettle', '');
finds('q=ket&match=exact', '', '');
my $long = 'x' x 64;
made("${long}yz");
finds("q=$long&match=prefix", "${long}yz", '');
finds("q=$long&match=exact", '', '', %editor);
finds("q=${long}yz&match=exact", "${long}yz", '');
finds('q=kettle&limit=2', 'Kettles and pots, Red kettle', '');
answers(list('q=kettle&match=fuzzy'), 400, invalid(match => 'unknown'), 'an unknown match');
is($server->api(GET => '/products/export?q=ketle', undef, %editor)->{body}, '', 'an export has what was asked for, and no more');
is($server->api(POST => '/products/batch', { where => 'q=ketle', delete => true, expect => 0 }, %editor)->{json}{matched}, 0, 'and so have changes of all that match');

# ---- pages, cursors, totals and facets ----

my $r = finds('q=ketle&limit=1&facets=inStock', 'Kettles and pots', 'ketle: kettle');
is_deeply([@{ $r->{json}{pagination} }{qw(total pages)}], [2, 2], 'the total has them');
is_deeply($r->{json}{facets}, { inStock => [{ value => true, count => 2 }] }, 'and so have facets');
finds('q=ketle&limit=1&page=2', 'Red kettle', 'ketle: kettle');
$r = finds('q=ketle&limit=1&page=3', '', '');
is($r->{json}{pagination}{total}, 2, 'a page behind the end has the total, and no product that a word has found');
$r = finds('q=ketle&sort=name&limit=1&cursor=', 'Kettles and pots', 'ketle: kettle');
my $next = $r->{json}{pagination}{nextCursor};
$r = finds("q=ketle&sort=name&limit=1&cursor=$next", 'Red kettle', 'ketle: kettle');
is($r->{json}{pagination}{nextCursor}, undef, 'the list ends');
is(list("q=ketle&sort=name&match=prefix&cursor=$next")->{status}, 400, 'the cursor is that of a list with these words');
my $narrow = list('q=kettle&limit=1&cursor=');
finds("q=kettle&cursor=$narrow->{json}{pagination}{nextCursor}", 'Red kettle', '');
finds('q=ketle&sort=-price,name&price=1', 'Kettles and pots, Red kettle', 'ketle: kettle');

# ---- which words are named, and how ----

# Of the products in the answer, those that no word of q has found name the likeliest of their words.
made($_) for 'Rest for a spoon', 'Teaspoon', 'Big teaspoon holder-spoons', "Gr\x{fc}n", "Gru\x{308}ner Tee", "Stra\x{df}enschuh", 'Rock-n-roll lamp';
sub named { my ($query, $expected) = @_; is(corrected(list($query)), $expected, "$query: $expected") }
named('q=spoon', 'spoon: teaspoon');
named('q=poon', 'poon: spoon spoons teaspoon');
named('q=aspoon&match=prefix', '');
is(names(list('q=aspoon&match=prefix')), 'Rest for a spoon', 'joined words are found');
named('q=poon&name=Teaspoon', 'poon: teaspoon');
named('q=teasp&name=Teaspoon', '');
named('q=gruen&sort=name', "gruen: gr\x{fc}n");
named('q=strassenschuu', "strassenschuu: stra\x{df}enschuh");
named('q=assensch', "assensch: stra\x{df}enschuh");
named('q=roll', '');
named('q=rocknrol', '');
named('q=rokcnroll', 'rokcnroll: rock-n-roll');

# ---- words with digits ----

made($_) for 'Galaxy24', 'Press 5799', '2 litres', 'Pan 3litres';
finds('q=alaxy', 'Galaxy24', 'alaxy: galaxy');
finds('q=galxy24', 'Galaxy24', 'galxy: galaxy');
finds('q=2liters', '2 litres', 'liters: litres');

# ---- what others may not know ----

made('Secret samovar', hidden => true);
made('Bowl', note => 'confidential');
for my $q (qw(samovr amovar confidentail fidential)) {
    is($server->api(GET => "/products?q=$q")->{json}{pagination}{total}, 0, "$q: readers find nothing");
    is(corrected(list("q=$q")), '', 'and learn no word');
}
finds('q=samovr', 'Secret samovar', 'samovr: samovar', %editor);
finds('q=confidentail', 'Bowl', 'confidentail: confidential', %editor);

# ---- words whose products are gone ----

$server->api(DELETE => "/products/$id{Headphones}", undef, %editor);
finds('q=headpones', '', '');
made('Gardeningglove');
my @gone = map { made($_ . 'glove') } ('aa' .. 'az', 'ba' .. 'bz');
$server->api(DELETE => "/products/$_", undef, %editor) for @gone;
finds('q=glove', 'Gardeningglove', 'glove: gardeningglove');

# ---- words that begin others by chance ----

made($_) for 'Wooden spoon', 'Woolen blanket', 'Woolen blankets', 'Blanket of silk';
finds('q=wooden%20blankt&limit=2', 'Woolen blankets, Woolen blanket', 'blankt: blanket; wooden: woolen');
finds('q=wooden%20spoom&limit=1', 'Wooden spoon', 'spoom: spoon');
finds('q=wolen%20blanket', 'Woolen blankets, Woolen blanket', 'wolen: woolen');
finds('q=wooden%20nothing', '', '');
$r = finds('q=wooden%20blankt&limit=1&cursor=', 'Woolen blankets', 'blankt: blanket; wooden: woolen');
$r = finds("q=wooden%20blankt&limit=1&cursor=$r->{json}{pagination}{nextCursor}", 'Woolen blanket', 'blankt: blanket; wooden: woolen');
is($r->{json}{pagination}{nextCursor}, undef, 'the list ends');
$r = finds('q=blankt%20woolen&limit=1&cursor=', 'Woolen blankets', 'blankt: blanket');
finds("q=blankt%20woolen&limit=1&cursor=$r->{json}{pagination}{nextCursor}", 'Woolen blanket', 'blankt: blanket');
finds('q=wooden%20blankt&limit=1&page=2', 'Woolen blanket', 'blankt: blanket; wooden: woolen');
finds('q=wooden%20blankt&sort=relevance', 'Woolen blankets, Woolen blanket', 'blankt: blanket; wooden: woolen');

# ---- pages behind the end have no product that such a word has found ----

finds("q=$_->[0]&page=3&count=$_->[1]", '', $_->[2]) for ['ketle', 'none', ''], ['ketle%20aktenschrnk', 'none', ''], ['ketle%20aktenschrnk', 'capped', ''];

# ---- many words that others may not know: they take no places ----

sub hide { return made('Much', hidden => true, more => join ' ', @_) }
my @letters = ('aaa' .. 'ddv');
hide(map { "${_}wine" } @letters);
made('Zirconwine');
finds('q=wine', 'Zirconwine', 'wine: zirconwine');
hide(map { "turn$_" } @letters);
made($_) for 'Turntable lids', 'Returntable lids', 'Turntable slids';
$r = finds('q=turn%20lids&limit=2', 'Turntable slids, Returntable lids', 'lids: slids; turn: returntable');
is($r->{json}{pagination}{total}, 3, 'a word that begins one of theirs and one of others is known');

done_testing;
