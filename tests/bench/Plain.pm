# SPDX-License-Identifier: Apache-2.0
package Plain;

# The same products in mod_catalog and in a plain schema behind Bun (peers/node/plain.js), with the eight fields of Own.pm, and the same
# questions to both. The plain schema has a column and a B-tree for each field, and the database's own full text. mod_catalog imports
# the products over HTTP, and the plain tables are filled from its export, so this file needs to know nothing of mod_catalog's schema.

use strict;
use warnings FATAL => 'all';

use DBI ();
use JSON::PP ();
use List::Util qw(min pairs sum);
use Time::HiRes qw(sleep);

use CatalogTest::Http ();
use CatalogTest::Tools qw(hand_over setting spew wait_until);
use Answers ();
use Catalogue ();
use Copies ();
use Engine ();
use Httpd ();
use Machine ();
use Own ();
use Peers ();
use Questions ();
use Rounds ();
use Transfers ();
use Varied ();

my $CONNECTIONS = 8;   # of readers, as in Questions.pm
my $SLOW = 0.01;       # seconds of an answer above which a run has one connection and lasts for five answers
my $FIRST = 5_000;     # rows of the first import and of the last one
my $VARIANT = 10_000;  # products of the catalogues that search less
my $FEWEST = 2_000;    # products: there are 199 pages of ten, and numbers up to 1999
my $CHANGED = 100;     # products that are changed last
my $PATIENCE = 600;    # seconds until a server is idle after an import
my @SEARCHED = qw(name category brand description);
my $PAGE = 'page of 20';

# THE TABLE OF QUESTIONS: a name and a query, in which {word} is a fact of the catalogue. "cursor=" asks for no total.
my @QUESTIONS = (
    $PAGE => 'limit=20',
    # conditions
    'a category of 20 %' => 'category={big}&cursor=',
    'a category of 1 %' => 'category={middling}&cursor=',
    'a tiny category' => 'category={tiny}&cursor=',
    'one of three categories' => 'category[in]={big},{middling},{tiny}&cursor=',
    '2 % of the prices' => 'price[gte]={costly}&cursor=',
    '2 % of the weights' => 'weight[gte]={heavy}&cursor=',
    'in stock' => 'inStock=true&cursor=',
    'without a rating' => 'rating[exists]=false&cursor=',
    'the beginning of names' => 'name[prefix]={beginning}&cursor=',
    'a brand of 5 %' => 'brand={brand}&cursor=',
    'a brand of 0.01 %' => 'brand={rare_brand}&cursor=',
    'a brand in a category' => 'brand={brand}&category={big}&cursor=',
    'a tag' => 'tags={tag}&cursor=',
    'changed in the last hour' => 'updatedAt[gte]={since}&cursor=',
    # orders
    'by price' => 'sort=-price&cursor=',
    'by name' => 'sort=name&cursor=',
    'by rating' => 'sort=-rating&cursor=',
    'by weight' => 'sort=weight&cursor=',
    'by brand' => 'sort=brand&cursor=',
    'a category by price' => 'category={big}&sort=-price&cursor=',
    'a brand by price' => 'brand={brand}&sort=-price&cursor=',
    'a brand in a category by price' => 'brand={brand}&category={big}&sort=-price&cursor=',
    '2 % of the weights by weight' => 'weight[gte]={heavy}&sort=weight&cursor=',
    'a tag by price' => 'tags={tag}&sort=-price&cursor=',
    # words; where few products have them, without the words that may have been meant, which the plain schema does not know
    'a rare word' => 'q={rare}&match=prefix&cursor=',
    'a common word' => 'q={common}&cursor=',
    'two common words' => 'q={common}+{common2}&cursor=',
    'a common and a rare word' => 'q={common}+{rare}&match=prefix&cursor=',
    'a common word in a category' => 'q={common}&category={big}&cursor=',
    'a tag and a common word' => 'q={common}&tags={tag}&cursor=',
    # pages
    'next page by cursor' => 'cursor={next}',
    'a category by price, next page' => 'category={big}&sort=-price&cursor={next}',
    'pages 1 to 199' => 'page={1-199}',
    # totals
    'a category, total' => 'category={big}',
    'a category and a price range, total' => 'category={big}&price[gte]={low}&price[lte]={high}',
    'a brand, total' => 'brand={brand}',
    '2 % of the prices, total' => 'price[gte]={costly}',
    'a common word, total' => 'q={common}',
    'a brand in a category, exact total' => 'brand={brand}&category={big}&count=exact',
    # facets
    'facets of category and stock' => 'facets=category,inStock',
    'facets of brand and tags' => 'facets=brand,tags',
    'facets of a brand' => 'brand={brand}&facets=category,brand&count=exact',
);
my $HIDING = 'facets of a brand, some products hidden';
my @WRITES = ('POST, 4 writers', 'POST, 48 writers', 'PUT, 4 writers');

sub questions { return map { $_->key } pairs @QUESTIONS }
sub writes { return @WRITES }

# The part plain is the three others.
sub run { my ($c) = @_; $_->($c) for \&sqlite, \&postgresql, \&mariadb }
sub sqlite { on('sqlite3', @_) }
sub postgresql { on('pgsql', @_) }
sub mariadb { on('mysql', @_) }

sub on {
    my ($driver, $c) = @_;
    die "PRODUCTS: at least $FEWEST\n" if $c->{products} < $FEWEST;
    my $label = 'plain, ' . (Engine::name($driver) // 'SQLite');
    my $pair = pair($c, $driver, $label, $c->{products}, @SEARCHED);
    my %figures = (%{ $pair->{figures} }, $c->{rounds}->measure(cells($label, $pair)));
    $figures{"$label: $HIDING"}{failed}++ if $pair->{hiding_is_wrong};
    %figures = (%figures, $c->{rounds}->measure(map { write_cells($label, $pair, $_) } @WRITES)); # last, because the catalogue grows
    CatalogTest::Process::stop_all(@{ $pair->{all} });
    %figures = (%figures, bulk_load($c->{products}, $pair->{csv}, $label)) if $driver eq 'sqlite3';

    for my $variant (['description not searched', qw(name category brand)], ['nothing searched']) {
        my ($name, @searched) = @$variant;
        my $less = pair($c, $driver, "$label, $name", min($VARIANT, $c->{products}), @searched);
        %figures = (%figures, %{ $less->{figures} }, $c->{rounds}->measure(write_cells("$label, $name", $less, $WRITES[0])));
        CatalogTest::Process::stop_all(@{ $less->{all} });
    }
    $c->{results}->add('plain_' . ($label =~ /(\w+)$/ ? lc $1 : die) => %figures);
}

# ---- the two servers ----

# Both with `count` products and one more, of which the fields `searched` are searched. ours, hiding, plain: servers; hiding shows
# readers only what is in stock. all: what must be stopped. figures: the import and the sizes.
sub pair {
    my ($c, $driver, $label, $count, @searched) = @_;
    my ($facts, @csv) = csv_files("$c->{dir}/data", $count);
    my @database = our_database($c, $driver);
    my $directives = join "\n", 'CatalogCacheSize 0', 'CatalogMaxImport 2147483647', directives(@searched);
    my $ours = Httpd->new($label, mpm => 'worker', @database, more => $directives)->start;
    my @same = $ours->{engine} ? @database : (params => $ours->file);
    my %figures = import_files($label, $ours, $count, @csv);
    $facts->{since} = change_some($ours, $count);
    my $plain = Peers::Bun->new("$label, Bun", packages => "$c->{dir}/peers", script => 'plain.js', statements => '',
        environment => { SEARCHED => "@searched" }, plain_database($c, $driver, $ours, @searched))->start;
    my $hiding = Httpd->new("$label, hiding", mpm => 'worker', @same, more => "$directives\nCatalogVisible inStock=true")->start;
    $_->settle for my @engines = grep { $_ } map { $_->{engine} } $ours, $plain;
    my ($disk, $plain_disk) = map { disk($_) / $count } $ours, $plain;
    printf "%-32s %8.0f bytes a product, %.0f in plain tables\n", $label, $disk, $plain_disk;
    return {
        ours => $ours, plain => $plain, hiding => $hiding, facts => $facts, csv => \@csv, all => [$ours, $plain, $hiding, @engines],
        figures => { %figures, "$label: disk" => { bytes => $disk }, "$label, Bun: disk" => { bytes => $plain_disk } } };
}

sub directives {
    my (@searched) = @_;
    my $lines = Own::LINES;
    for my $field (qw(brand description)) {
        $lines =~ s/^(CatalogField $field .*?) search( detail)?/$1 . ($2 \/\/ '')/me unless grep { $_ eq $field } @searched;
    }
    return (@searched ? Httpd::ALL_INDEXES : Httpd::ALL_INDEXES =~ s/ search//r, $lines);
}

# With the one product that Contestant changes.
sub our_database {
    my ($c, $driver) = @_;
    return (database => Transfers::empty_database("$c->{dir}/data")) if $driver eq 'sqlite3';
    my $engine = Engine::start($driver);
    Catalogue::import_into(setting('ctl'), $driver, $engine->params(Engine::DATABASE), 1);
    return (driver => $driver, params => $engine->params(Engine::DATABASE), engine => $engine);
}

# Bytes of the tables and their indexes.
sub disk {
    my ($server) = @_;
    my $engine = $server->{engine};
    if (!$engine) {
        Catalogue::settle_file($server->file);
        return -s $server->file;
    }
    return sum(map { -s } glob "$engine->{dir}/data/" . Engine::DATABASE . '/*.ibd') if $engine->driver eq 'mysql';
    return $engine->connect(Engine::DATABASE)->selectrow_array(q(SELECT SUM(pg_total_relation_size(c.oid)) FROM pg_class c)
        . q( JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = 'public'));
}

# ---- our products ----

# Three CSV files: the first rows, most rows, the last rows. Returns also what the questions need to know.
sub csv_files {
    my ($dir, $count) = @_;
    my $ends = min($FIRST, int $count / 4);
    my @files = (["$dir/plain-$count-first.csv", $ends], ["$dir/plain-$count.csv", $count - 2 * $ends], ["$dir/plain-$count-last.csv", $ends]);
    my ($n, %postings, @rows) = (0);
    srand 20;
    for my $file (@files) {
        open my $out, '>', $file->[0] or die "$file->[0]: $!\n";
        print {$out} join(',', qw(name price category inStock rating), Own::csv_columns()), "\n";
        for (1 .. $file->[1]) {
            my ($row, $in_name, @words) = Varied::product($n, $count, 1);
            $postings{$_} .= pack 'N', 2 * $n for @words;
            push @rows, $row if @rows < 10_000;
            print {$out} join(',', @$row{qw(name price category)}, $row->{in_stock} ? 'true' : 'false', $row->{rating} // '',
                Own::csv_cells($row->{own})), "\n";
            $n++;
        }
        close $out or die "$file->[0]: $!\n";
    }
    my @prices = sort { $a <=> $b } map { $_->{price} } @rows;
    my $facts = Varied::facts($count, \%postings, @rows);
    return ({ %$facts, low => $prices[0.45 * @prices], high => $prices[0.55 * @prices], beginning => ucfirst $facts->{prefix} }, @files);
}

# CPU a row, in microseconds, with what the server does afterwards.
sub import_files {
    my ($label, $server, $count, @csv) = @_;
    wait_until($PATIENCE, sub { $server->get('/api/products?sort=brand&cursor=')->{status} == 200 });
    cpu_when_idle($server);
    my @cpu = map { my ($file, $rows) = @$_; import_file($server, $file, $rows) } @csv;
    my ($first, $last) = map { $cpu[$_] / $csv[$_][1] } 0, -1;
    my $all = ($cpu[0] + $cpu[1] + $cpu[2]) / $count;
    printf "%-32s %8.0f us a row of an import, %.0f of the first %d, %.0f of the last\n", $label, $all, $first, $csv[0][1], $last;
    return ("$label: import" => { cpu => $all }, "$label: import, first rows" => { cpu => $first }, "$label: import, last rows" => { cpu => $last });
}

sub import_file {
    my ($server, $file, $rows) = @_;
    my $before = Machine::cpu($server->processes);
    Transfers::send_file($server, $file, $rows);
    return 1e6 * (cpu_when_idle($server) - $before);
}

# A server that has just started, or has imported products, may have more to do with them.
sub cpu_when_idle {
    my ($server) = @_;
    my ($last, $now) = (0, 0);
    wait_until($PATIENCE, sub { sleep 0.5; ($last, $now) = ($now, Machine::cpu($server->processes)); $now - $last < 0.02 })
        or die $server->name . ": it is not idle within $PATIENCE s\n";
    return $now;
}

# Changes some products all over the catalogue. Returns when.
sub change_some {
    my ($server, $count) = @_;
    my $since;
    sleep 0.01;
    for my $n (map { int $_ * $count / $CHANGED } 0 .. $CHANGED - 1) {
        my $answer = CatalogTest::Http::request($server->port, 'PUT', sprintf('/api/products/sku=KT-%08d', $n),
            { quantity => 7 }, token => Contestant::token());
        die $server->name . ": $answer->{status} $answer->{body}\n" if $answer->{status} != 200;
        $since //= $answer->{json}{data}{updatedAt};
    }
    return $since;
}

# ---- the plain schema ----

my @TEXT_KEY = ('TEXT', 'VARCHAR(200) COLLATE utf8mb4_general_ci', 'text COLLATE "C"');
my @LONG = ('TEXT', 'TEXT COLLATE utf8mb4_general_ci', 'text');
my @NUMBER = ('REAL', 'DOUBLE', 'double precision');
my @TIME = ('TEXT', 'CHAR(24) CHARACTER SET ascii COLLATE ascii_bin', 'text COLLATE "C"');
my %AT = (sqlite3 => 0, mysql => 1, pgsql => 2);
my @COLUMNS = ( # a name, and its type on each database
    [id => 'TEXT NOT NULL UNIQUE', 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY', 'text COLLATE "C" NOT NULL PRIMARY KEY'],
    [name => map { "$_ NOT NULL" } @TEXT_KEY], [price => map { "$_ NOT NULL" } @NUMBER],
    [category => map { "$_ NOT NULL" } @TEXT_KEY], [inStock => 'INTEGER NOT NULL', 'BOOLEAN NOT NULL', 'boolean NOT NULL'],
    [rating => @NUMBER], [createdAt => map { "$_ NOT NULL" } @TIME], [sku => map { "$_ UNIQUE" } @TEXT_KEY], [description => @LONG],
    [brand => @TEXT_KEY], [tags => @LONG], [weight => @NUMBER], [quantity => 'INTEGER', 'INTEGER', 'integer'], [color => @TEXT_KEY],
    [updatedAt => @TIME]);
my @INDEXED = qw(name price category inStock rating brand weight quantity color updatedAt);
my $PRODUCTS = join ', ', map { $_->[0] } @COLUMNS;

# Tables and indexes come before the rows, as in a catalogue that has grown.
sub plain_tables {
    my ($driver, @searched) = @_;
    my $at = $AT{$driver} + 1;
    my %nullable = map { $_->[0] => 1 } grep { $_->[3] !~ /NOT NULL/ } @COLUMNS;
    my $words = join q( || ' ' || ), map { "coalesce($_, '')" } @searched;
    my @generated = $driver eq 'pgsql' && @searched ? "words tsvector GENERATED ALWAYS AS (to_tsvector('simple', $words)) STORED" : ();
    my $list = join ', ', @searched;
    my %full_text = (
        sqlite3 => "CREATE VIRTUAL TABLE products_words USING fts5($list, content='products')",
        mysql => "CREATE FULLTEXT INDEX products_words ON products ($list)",
        pgsql => 'CREATE INDEX products_words ON products USING gin (words)');
    my $id = $COLUMNS[0][$at] =~ s/ (?:PRIMARY KEY|UNIQUE)//r;
    return (
        'CREATE TABLE products (' . join(', ', (map { "$_->[0] $_->[$at]" } @COLUMNS), @generated) . ')',
        "CREATE TABLE product_tags (tag $TEXT_KEY[$at - 1] NOT NULL, id $id, PRIMARY KEY (tag, id))" . ($at == 1 ? ' WITHOUT ROWID' : ''),
        'CREATE INDEX products_by_time ON products (createdAt, id)',
        (map { "CREATE INDEX products_by_$_ ON products ($_" . ($driver eq 'pgsql' && $nullable{$_} ? ' NULLS FIRST' : '') . ', createdAt, id)' }
            @INDEXED),
        @searched ? $full_text{$driver} : ());
}

# Filled from our export, first into SQLite, and from there into an engine.
sub plain_database {
    my ($c, $driver, $ours, @searched) = @_;
    my $file = "$c->{dir}/data/plain.db";
    unlink glob "$file*";
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0 });
    $db->do($_) for 'PRAGMA journal_mode=WAL', 'PRAGMA synchronous=OFF', 'PRAGMA cache_size=-500000', plain_tables('sqlite3', @searched);
    read_export($db, $ours);
    my $words = join ', ', 'rowid', @searched;
    $db->do("INSERT INTO products_words ($words) SELECT $words FROM products") if @searched;
    $db->do('ANALYZE');
    if ($driver eq 'sqlite3') {
        $db->disconnect;
        Catalogue::settle_file($file);
        hand_over($file);
        return (database => $file);
    }
    my $engine = Engine::start($driver);
    my $to = $engine->connect(Engine::DATABASE);
    $to->do($_) for plain_tables($driver, @searched);
    Copies::copy_table($db, $to, $_) for qw(products product_tags);
    return (engine => $engine);
}

sub read_export {
    my ($db, $ours) = @_;
    my $rest = '';
    $db->do('CREATE TEMP TABLE lines (json TEXT)');
    $db->begin_work;
    my $insert = $db->prepare('INSERT INTO lines VALUES (?)');
    my $answer = Transfers::client()->get('http://127.0.0.1:' . $ours->port . '/api/products/export?format=ndjson', {
        data_callback => sub { $rest .= $_[0]; $insert->execute($1) while $rest =~ s/^([^\n]*)\n//; } });
    die "export: $answer->{status}\n" unless $answer->{success} && $rest eq '';
    my $values = join ', ', map { "json_extract(json, '\$.$_->[0]')" } @COLUMNS;
    $db->do("INSERT INTO products ($PRODUCTS) SELECT $values FROM lines ORDER BY 7, 1");
    $db->do('INSERT INTO product_tags SELECT e.value, p.id FROM products p, json_each(p.tags) e WHERE p.tags IS NOT NULL ORDER BY 1, 2');
    $db->commit;
}

# What SQLite's own program takes for the same rows, with indexes and FTS5 afterwards.
sub bulk_load {
    my ($count, $csv, $label) = @_;
    my $file = setting('home') . '/bulk.db';
    my @columns = (qw(name price category inStock rating), Own::csv_columns());
    my %type = map { $_->[0] => $_->[1] } @COLUMNS;
    spew("$file.sql", join "\n", 'PRAGMA journal_mode=WAL;', 'CREATE TABLE products (' . join(', ', map { "$_ $type{$_}" } @columns) . ');',
        '.mode csv', (map { ".import --skip 1 $_->[0] products" } @$csv),
        (map { my $field = $_; (grep { $_ eq $field } @columns) ? "CREATE INDEX products_by_$_ ON products ($_);" : () } @INDEXED),
        "CREATE VIRTUAL TABLE products_words USING fts5(name, category, brand, description, content='products');",
        q(INSERT INTO products_words (products_words) VALUES ('rebuild');), "SELECT 'rows', COUNT(*) FROM products;\n");
    my ($user, $system) = (times)[2, 3];
    my $said = Catalogue::capture('sh', '-c', 'sqlite3 "$1" <"$1.sql"', 'sh', $file);
    $said =~ /^rows,$count\r?$/m or die "sqlite3 says:\n$said";
    my $cpu = 1e6 * ((times)[2] - $user + (times)[3] - $system) / $count;
    printf "%-32s %8.0f us a row of an import by sqlite3\n", $label, $cpu;
    return ("$label, sqlite3: import" => { cpu => $cpu });
}

# ---- requests ----

# Of each question, after both servers have given the same answer.
sub cells {
    my ($label, $pair) = @_;
    my ($ours, $plain, $hiding, $facts) = @$pair{qw(ours plain hiding facts)};
    my @cells;
    for my $question (pairs @QUESTIONS) {
        my ($name, $query) = @$question;
        my ($mine, $theirs) = map { target($_, $query, $facts) } $ours, $plain;
        my @took = check($name, $ours, $mine, $plain, $theirs);
        push @cells, cell("$label: $name", $ours, $mine, $took[0]), cell("$label, Bun: $name", $plain, $theirs, $took[1]);
    }
    printf "%-32s %8d questions have the same answers\n", $label, @QUESTIONS / 2;
    my $query = '/api/products?' . Questions::asked('brand={brand}&facets=category,brand', $facts);
    my $exact = "$query&inStock=true&count=exact";
    my $is_right = eval { check($HIDING, $hiding, $query, $plain, $exact); 1 };
    print "$label, a wrong answer: $@" unless $is_right;
    $pair->{hiding_is_wrong} = !$is_right;
    return (@cells, cell("$label: $HIDING", $hiding, $query, 0));
}

# {next}: the cursor behind the first page.
sub target {
    my ($server, $query, $facts) = @_;
    my $target = '/api/products?' . ($query =~ s/\{([a-z]\w*)\}/$1 eq 'next' ? '{next}' : $facts->{$1}/ger);
    return $target unless $target =~ /\{next\}/;
    my $first = $server->get($target =~ s/\{next\}//r);
    my $cursor = $first->{json}{pagination}{nextCursor} // die $server->name . ": $target: $first->{status} $first->{body}\n";
    return $target =~ s/\{next\}/$cursor/r;
}

sub cell {
    my ($name, $server, $target, $took) = @_;
    my $runs = 2 + int 5 * $took;
    my @pace = $took < $SLOW ? (connections => $CONNECTIONS) : (connections => 1, seconds => $runs, timeout => $runs);
    return ($name => { server => $server, requests => ["1 GET $target"], warm => $took < $SLOW ? 1 : 0, @pace });
}

my $json = JSON::PP->new->canonical;

# Dies unless both give the same products, totals and facets. Returns the seconds that each took.
sub check {
    my ($name, @asked) = @_;
    my (@parts, @took);
    for my $asked (pairs @asked) {
        my ($server, $target) = ($asked->[0], $asked->[1] =~ s/\{(\d+)-\d+\}/$1 + 1/er);
        $server->get($target);
        my $begin = Time::HiRes::time();
        my $answer = $server->get($target);
        push @took, Time::HiRes::time() - $begin;
        die $server->name . ": $target: $answer->{status} $answer->{body}\n" if $answer->{status} != 200 || !@{ $answer->{json}{data} };
        push @parts, parts_of($answer->{json});
    }
    for my $part (sort keys %{ $parts[0] }) {
        my ($mine, $theirs) = map { $json->encode(Answers::normal([$_->{$part} // 'none'])) } @parts;
        die "$name: $part of $asked[1] and of $asked[3]:\n", map { substr($_, 0, 1000) . "\n" } $mine, $theirs if $mine ne $theirs;
    }
    return @took;
}

# Of facets, the counts: which of several values with the same count is the last one of a page depends on the server.
sub parts_of {
    my ($answer) = @_;
    my ($pagination, $facets) = @$answer{qw(pagination facets)};
    return {
        products => $answer->{data}, total => $pagination->{total}, relation => $pagination->{totalRelation},
        facets => $facets && { map { $_ => [map { $_->{count} } @{ $facets->{$_} }] } keys %$facets } };
}

sub write_cells {
    my ($label, $pair, $name) = @_;
    my ($writers) = $name =~ /(\d+)/;
    my $request = $name =~ /^POST/ ? Own::new_request() : '1 PUT /api/products/sku=KT-0000{1000-1999} {"price":{n}.25}';
    my @load = (connections => $writers, header => 'Authorization: Bearer ' . Contestant::token(), requests => [$request], warm => 1);
    return ("$label: $name" => { server => $pair->{ours}, @load }, "$label, Bun: $name" => { server => $pair->{plain}, @load });
}

# ---- what it must reach ----

# Rows of Targets.pm. A page is that of 20 products in the same run. A question whose ratio is below 0.95 should stay below 1.
my %POST = (SQLite => 2.5, PostgreSQL => 2.8, MariaDB => 2.1);
my %DISK = (SQLite => 1.4, PostgreSQL => 2.1, MariaDB => 1.6);

sub targets {
    my @rows;
    for my $engine (qw(SQLite PostgreSQL MariaDB)) {
        my $label = "plain, $engine";
        my $row = sub { my ($what, $figure, $base, $limit, $member) = @_;
            push @rows, { group => $label, what => $what, figure => $figure, base => $base, member => $member // 'cpu', relation => '<=', limit => $limit } };
        my %limit = ((map { $_ => 1.25 } questions()), $WRITES[0] => $POST{$engine});
        $row->("$_ / Bun", "$label: $_", "$label, Bun: $_", $limit{$_}) for questions(), @WRITES;
        $row->("$WRITES[0], $_->[0] / Bun", "$label, $_->[0]: $WRITES[0]", "$label, $_->[0], Bun: $WRITES[0]", $_->[1])
            for ['description not searched', 0.8], ['nothing searched', undef];
        $row->("disk, bytes a product$_->[0] / plain", "$label$_->[0]: disk", "$label$_->[0], Bun: disk", $_->[1], 'bytes')
            for ['', $DISK{$engine}], [', nothing searched', 0.8];
        $row->("$_->[0] / page", "$label: $_->[0]", "$label: $PAGE", $_->[1]) for ['a category and a price range, total', 20], [$HIDING, 6];
        $row->('import, a row / sqlite3', "$label: import", "$label, sqlite3: import", 8);
        $row->('import, the last rows / the first', "$label: import, last rows", "$label: import, first rows", 1.2);
    }
    return @rows;
}

1;
