# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# runs: first
# moves: catalog_database_faults_total slow
# again: db
# CatalogQueryTimeout: the database ends a list that takes too long, and nobody else notices.
use CatalogTest;
use CatalogTest::Ids qw(insert_products);
use CatalogTest::Metrics qw(location moved_since);
use IO::Select ();
use Time::HiRes ();

my $LIMIT = 1; # seconds
my ($PRODUCTS, $FILLER) = driver() eq 'mysql' ? (7000, 5200) : (4000, 4000); # MariaDB compares fastest
my $server = server(mount => "CatalogQueryTimeout $LIMIT\nCatalogMaxConnections 4",
    conf => "CatalogCacheSize 0\n" . location() . (mpm() eq 'prefork' ? '' : CatalogTest::Server::one_child()))->start;
my $token = register($server)->{token};
my $db = $server->database;

# Creates a product and copies it, without all that was derived of it but the column words: indexes would take most of the time.
sub copies {
    my ($count, $words, %product) = @_;
    my $id = $server->api(POST => '/products', \%product, token => $token)->{json}{data}{id};
    copy_product($db, $id, $count, $words);
}

sub copy_product {
    my ($db, $id, $count, $words) = @_;
    $db->do('UPDATE products SET words = ? WHERE id = ?', undef, $words, $id);
    my $row = $db->selectrow_hashref('SELECT * FROM products WHERE id = ?', undef, $id);
    my $before = $row->{n} - $count;
    insert_products($db, 0, $count, "$before + i", map { $_ => $db->quote($row->{$_}) } grep { !/^(?:n|id)$|_key$/ } keys %$row);
}

# All words are used too often to fetch their products, and in the same moment, so that none is the rarest. A product that has the first
# two is compared with the others, one after the other; none has the last one too. Each comparison passes what begins like a word, many
# times.
my @words = map { sprintf 'w%02d', $_ } 1 .. 20;
my $last = pop @words;
copies($PRODUCTS, join(' ', '', ('w0') x $FILLER, @words, ''), name => 'x', price => 1, category => 'x');
copies(1000, " $last ", name => $last, price => 1, category => 'z');
sub post {
    my ($word, $category, $most) = @_;
    $db->do("INSERT INTO product_words (word, n) SELECT '$word', n FROM products p
        WHERE category $category AND NOT EXISTS (SELECT 1 FROM product_words w WHERE w.word = '$word' AND w.n = p.n)$most");
}
$server->stop; # so that its jobs do not wait for these
post($words[$_], "<> 'z'", $_ < 2 ? '' : ' ORDER BY n DESC LIMIT 300') for 0 .. $#words;
post($last, "= 'z'", '');
$server->start;
my $slow = '/products?q=' . join('+', @words, $last) . '&facets=category';
my @others = (['a list', GET => '/products'], ['a list with a condition', GET => '/products?category=z&count=none'],
    ['a write', POST => '/products', { name => 'x', price => 1 }, token => $token]);

# The names of those that are not answered.
sub refused {
    return map { my ($name, @request) = @$_; $server->api(@request)->{status} =~ /^20[01]$/ ? () : $name } @others;
}

# More often than the server has connections: for the slow list, the others, its jobs, and readiness.
for my $time (1 .. 5) {
    my $begun = Time::HiRes::time();
    answers($server->api(GET => $slow), 503, { success => false, message => 'Service unavailable', error => qr/takes too long; add a condition/ },
        'a list that takes too long is refused', 'retry-after' => qr/^[1-9]\d*$/);
    my $took = Time::HiRes::time() - $begun;
    cmp_ok($took, '>=', $LIMIT, 'not before the limit');
    takes_less($took, 3 * $LIMIT, 'and not long after it'); # see docs/decisions/0042-module-chooses-plans.md
    is(join(', ', refused()), '', "all others are answered after refusal $time");
}

moved_since($server, {}, { qq(catalog_database_faults_total{engine="${\driver}",reason="slow"}) => ['>=', 5] }, 'the metrics count them');

# Others are served while the database works.
my $socket = $server->connection;
my $answered = IO::Select->new($socket);
my ($rounds, @refused) = 0;
print {$socket} wire(GET => $slow);
while (!$answered->can_read(0)) {
    push @refused, refused();
    $rounds++;
}
is(join(', ', @refused), '', 'all others are answered during a slow list');
cmp_ok($rounds, '>', 1, 'none of them waits for it');
like(scalar <$socket>, qr/ 503 /, 'which is refused as before');

# ---- words that others may not know ----

# Each word that contains that of the question is looked for in products until one is found that whoever asks may know. Here all are of a private
# field, and the limit ends that.
my ($WORDS, $NEWEST) = (1000, 200);
my $private = server(mount => "CatalogQueryTimeout $LIMIT\nCatalogWriteRole editor\nCatalogField note string search private", conf => 'CatalogCacheSize 0')->start;
my %editor = (token => forge(claims => claims(role => 'editor')));
$db = $private->database;
my $id = $private->api(POST => '/products', { name => 'x', price => 1, note => 'secret' }, %editor)->{json}{data}{id};
wait_until(60, sub { !$db->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0') });
$private->stop; # so that its jobs do not wait for these
copy_product($db, $id, $NEWEST, join(' ', '', ('wb') x $FILLER, ''));
my @private = (map { "w${_}glove" } 'aaa' .. 'zzz')[0 .. $WORDS - 1];
$db->begin_work;
for my $word (@private) {
    $db->do("INSERT INTO product_words (word, n) SELECT '$word', n FROM products");
    $db->do('INSERT INTO dictionary (part, letters, word) VALUES ' . join ', ', map { "('$_', 9, '$word')" } qw(glo lov ove));
}
$db->commit;
$private->start;
answers($private->api(GET => '/products?q=glove'), 503, { success => false, message => 'Service unavailable', error => qr/match=prefix/ },
    'a list is refused whose other words nobody can look through in time', 'retry-after' => qr/^[1-9]\d*$/);
is($private->api(GET => '/products?q=glove&match=prefix')->{json}{pagination}{total}, 0, 'one without such words is answered');
ok(wait_until(60, sub { @{ $private->api(GET => '/products?q=glove', undef, %editor)->{json}{data} // [] } }), 'and those who may know them find what has them');

done_testing;
