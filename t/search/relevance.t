# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# sort=relevance: products that have the words of q whole before those that have them as beginnings, names before other fields, then newest
# first; of each class the newest CatalogCountLimit.
use CatalogTest;

my $LIMIT = 12;
my $server = server(mount => "CatalogCountLimit $LIMIT\nCatalogField brand string search\nCatalogField note string search private\nCatalogWriteRole editor")->start;
my $token = forge(claims => claims(role => 'editor'));

sub create {
    my ($name, %more) = @_;
    my $r = $server->api(POST => '/products', { name => $name, price => 1, category => 'x', %more }, token => $token);
    die "$name: $r->{body}\n" if $r->{status} != 201;
    return $r->{json}{data}{id};
}

sub list { my ($query, @as) = @_; return $server->api(GET => "/products?sort=relevance&fields=name&$query", @as) }
sub names { my ($query, @as) = @_; return join ' | ', map { $_->{name} } @{ list($query, @as)->{json}{data} } }

# By cursor, to the end.
sub walked {
    my ($query) = @_;
    my ($cursor, @names) = '';
    for (1 .. 100) {
        my $r = list("$query&cursor=$cursor");
        push @names, map { $_->{name} } @{ $r->{json}{data} };
        $cursor = $r->{json}{pagination}{nextCursor} // return join ' | ', @names;
    }
    die "$query has no end\n";
}

# ---- classes and names ----

my %id;
$id{$_->[0]} = create(@$_) for ['Kettle, red'], ['Kettles, reddish'], ['Kettle', brand => 'Red'], ['Mug', category => 'Red kettles'],
    ['Pot', category => 'Red kettle'], ['Red kettle for tea'], ['Kettler redline', brand => 'red kettle'], ['Cup', note => 'red kettle'], ['Redder kettle'];
my @ORDER = ('Red kettle for tea', 'Kettle, red', 'Kettler redline', 'Pot', 'Kettle', 'Redder kettle', 'Kettles, reddish', 'Mug');
is(names('q=red+kettle'), join(' | ', @ORDER), 'whole words are before beginnings, and names before other fields');
is(names('q=kettle+RED'), join(' | ', @ORDER), 'in whichever order the words are');
is(names('q=red+kettle', token => $token), join(' | ', @ORDER[0, 1], 'Cup', @ORDER[2 .. $#ORDER]), 'writers find what readers do not see');
is(names('q=kettl'), 'Redder kettle | Kettler redline | Red kettle for tea | Kettle | Kettles, reddish | Kettle, red | Pot | Mug', 'no word is whole');
is(names('q=tea'), 'Red kettle for tea', 'one word');
is(names('q=redd'), 'Redder kettle | Kettles, reddish', 'several words of the dictionary');
is(names('q=nothing'), '', 'nothing is found');
is(names('q=red+kettle&category=x'), join(' | ', @ORDER[0 .. 2], @ORDER[4 .. 6]), 'with a condition');
is(names('q=red+kettle&category[in]=x,Red%20kettle'), join(' | ', @ORDER[0 .. 6]), 'with several values');
is(names('q=r+k+t'), 'Red kettle for tea', 'three words');
is(names('q=wi+fi'), '', 'words that are joined');
create($_) for 'Wifi', 'Wi-Fi', 'Wi fir';
is(names('q=wi+fi'), 'Wi-Fi | Wi fir | Wifi', 'are whole if they are a word');

# ---- pages ----

for my $limit (1, 2, 3, 7, 8, 100) {
    my @pages = map { list("q=red+kettle&limit=$limit&page=$_") } 1 .. int((7 + $limit) / $limit);
    is(join(' | ', map { $_->{name} } map { @{ $_->{json}{data} } } @pages), join(' | ', @ORDER), "the pages of $limit products are the list");
    is(join(' ', map { $_->{json}{pagination}{total} } @pages), join(' ', (8) x @pages), 'each has the total');
    is(walked("q=red+kettle&limit=$limit"), join(' | ', @ORDER), "and so are those by cursor");
}
is(names('q=red+kettle&page=4&limit=3'), '', 'behind the last page there is none');
is(names('q=red+kettle&page=9223372036854775807&limit=1000'), '', 'nor far behind');
is(list('q=red+kettle&limit=3')->{headers}{'x-total-count'}, 8, 'the total is a header as well');
like(list('q=red+kettle&limit=3')->{headers}{link}, qr/page=2&q=red%20kettle&sort=relevance&fields=name&limit=3>; rel="next"/, 'links keep the order');
is_deeply(list('q=red+kettle&facets=category&limit=1')->{json}{facets}{category}, [{ value => 'x', count => 6 }, { value => 'Red kettle', count => 1 },
    { value => 'Red kettles', count => 1 }], 'facets are those of the list');

# ---- changes ----

$server->api(PUT => "/products/$id{Pot}", { name => 'Red pot', category => 'Red kettle' }, token => $token);
is(names('q=red'), 'Red kettle for tea | Red pot | Kettle, red | Kettler redline | Mug | Kettle | Redder kettle | Kettles, reddish', 'a new name has a word that the category had before');
$server->api(PUT => "/products/$id{Pot}", { name => 'Pot' }, token => $token);
is(names('q=red'), 'Red kettle for tea | Kettle, red | Kettler redline | Pot | Mug | Kettle | Redder kettle | Kettles, reddish', 'and then has it no more');

# ---- the newest of many ----

create("Lamp $_", $_ % 3 == 0 ? () : (name => "Light $_", category => 'lamp')) for 1 .. 30;
create("Lamps $_") for 1 .. 9;
create("Lighter $_", category => 'lamps') for 1 .. 9;
my @whole = ((map { "Lamp $_" } 30, 27, 24, 21), (map { "Light $_" } 29, 28, 26, 25, 23, 22, 20, 19));
my @beginnings = ((map { "Lamps $_" } reverse 7 .. 9), (map { "Lighter $_" } reverse 1 .. 9));
is(names('q=lamp&limit=100'), join(' | ', @whole, map({ "Lamps $_" } 9, 8, 7), map({ "Lighter $_" } reverse 1 .. 9)), 'of each class the newest take part');
is(walked("q=lamp&limit=$_"), join(' | ', @whole, @beginnings), "by cursor, $_ at once") for 1, 5, 12, 13;
is(names('q=lamp&limit=5&page=3'), join(' | ', (@whole, @beginnings)[10 .. 14]), 'a page of both classes');
is_deeply([@{ list('q=lamp')->{json}{pagination} }{qw(total totalRelation)}], [$LIMIT, 'gte'], 'the total is capped as in other orders');
is(list('q=lamp&count=exact')->{json}{pagination}{total}, 48, 'or exact');
is(list('q=lamp&count=none')->{json}{pagination}{total}, undef, 'or none');
is(list('q=lamp&limit=1')->{json}{pagination}{total}, $LIMIT, 'though a short page reads few');

# ---- words that are meant ----

create($_) for 'Wardrobe', 'Wardrobes of oak', 'Old wardrobe', 'Aktenschrank', 'Schrank', 'Schranke', 'Schrenk';
create('Box', category => $_) for 'Aktenschrank', 'Wardrobe';
is(names('q=schrank'), 'Schrank | Schranke | Aktenschrank | Box | Schrenk', 'whole, beginnings, inside words, with a slip');
is(names('q=wardrobr'), 'Old wardrobe | Wardrobes of oak | Wardrobe | Box', 'with a slip only');
is(names('q=schrank&match=prefix'), 'Schrank | Schranke', 'if the client asks for them');
is(names('q=schrank&match=exact'), 'Schrank', 'whole words only');
is(walked('q=schrank&limit=10'), 'Schrank | Schranke | Aktenschrank | Box | Schrenk', 'by cursor');
is(names("q=schrank&limit=3&page=$_->[0]"), $_->[1], "page $_->[0]") for [1, 'Schrank | Schranke | Aktenschrank'], [2, 'Box | Schrenk'];
is(list('q=schrank')->{json}{pagination}{total}, 5, 'the total is that of all of them');

# ---- more products than are ranked ----

# Where more match than an answer may have, no further words take part, though fewer are ranked.
create($_) for map({ "Samovar $_" } 1 .. 2 * $LIMIT), 'Samovars', 'Teasamovar', 'Samovat';
for my $limit (10, $LIMIT + 1, 20, 25) {
    my @pages = map { list("q=samovar&limit=$limit&page=$_") } 1 .. 3;
    is(join(' ', map { $_->{json}{corrected} // 'none' } @pages), 'none none none', "pages of $limit products have the words that were asked for");
    is(scalar(map { @{ $_->{json}{data} } } @pages), $LIMIT + 1, 'and all that are ranked');
}
is(join(' ', map { join ' ', %{ list("q=samovar&limit=26&page=$_")->{json}{corrected} // {} } ne '' } 1 .. 3), '1 1 1', 'further ones on all pages, where fewer match');
is(walked("q=samovar&limit=$_"), join(' | ', map({ "Samovar $_" } reverse $LIMIT + 1 .. 2 * $LIMIT), 'Samovars'), "by cursor, $_ at once") for 10, 20;

# ---- faults ----

answers(list(''), 400, invalid(sort => 'required'), 'nothing is relevant without words');
answers($server->api(GET => "/products?q=red&sort=$_"), 400, invalid(sort => 'invalid'), "sort=$_ is refused") for 'relevance,name', 'name,relevance', 'relevance&sort=-price';
answers($server->api(GET => '/products?q=red&sort=-relevance'), 400, invalid(sort => 'unknown'), 'the least relevant first is no order');
answers($server->api(GET => '/products/export?q=red&sort=relevance', token => $token), 400, invalid(sort => 'invalid'), 'an export has all products');
my $cursor = list('q=red+kettle&limit=1&cursor=')->{json}{pagination}{nextCursor};
is($server->api(GET => "/products?q=red+kettle&limit=1&cursor=$cursor")->{status}, 400, 'a cursor is of this order only');

done_testing;
