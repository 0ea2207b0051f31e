# SPDX-License-Identifier: Apache-2.0
package Varied;

# A SQLite catalogue like a real shop's, for conditions, order and search: three to eight words a name (Chance.pm); 500 categories of
# very different sizes; log-normal prices; ratings on three of five products. Pseudo-random, the same on every machine.
#
# catalogctl would take the better part of an hour for ten million products, because it inserts into indexes. This file inserts into
# the tables alone, words in their order, and creates the indexes afterwards. Of derived columns it knows what such plain texts
# need; catalogctl check must find nothing wrong. A catalogue may have the fields of Own.pm, too.

use strict;
use warnings FATAL => 'all';

use DBI ();
use Digest::SHA ();
use JSON::PP ();
use List::Util qw(first uniq);

use CatalogTest::Tools qw(hand_over slurp spew);
use Catalogue ();
use Chance ();
use Own ();

my $CATEGORIES = 500;
my $TINY = 100;      # products of the smallest category, at every size
my $BIG_SHARE = 0.2; # of the products, in the largest category
my $SAMPLE = 10_000; # products of which some facts are
my @COLUMNS = qw(n id name price category in_stock rating extra name_key category_key price_key rating_key words);

# The file, made once for each schema, and what questions need to know about it: big and tiny, two categories; common and common2,
# words of about 7 % of the products; rare, the word of the fewest, but of ten, one of which has the word common too; prefix, how rare
# begins; costly, the price that 2 % reach. own: whether products have the fields of Own.pm, whose facts are there, too.
sub file {
    my ($dir, $ctl, $count, $own) = @_;
    my $version = substr Digest::SHA::sha256_hex(map { slurp($_) } __FILE__, $INC{'Own.pm'}, Catalogue::schema_files()), 0, 8;
    my $name = $own ? "varied-own-$count" : "varied-$count";
    my $file = "$dir/$name-$version.db";
    if (!-e "$file.json") {
        print "data: $count varied products", $own ? ' with own fields' : '', ", made once\n";
        unlink glob "$dir/$name-*";
        Catalogue::capture($ctl, '-d', 'sqlite3', '-p', $file, 'migrate');
        my $facts = fill($file, $count, $own);
        for my $command (['recount'], $count <= 10_000 ? ['check'] : ()) {
            Catalogue::capture($ctl, '-d', 'sqlite3', '-p', $file, @$command);
        }
        Catalogue::settle_file($file);
        hand_over($file);
        spew("$file.json", JSON::PP::encode_json($facts));
    }
    return ($file, JSON::PP::decode_json(slurp("$file.json")));
}

sub fill {
    my ($file, $count, $own) = @_;
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0 });
    # Nobody needs half of a file, so it has no journal until it is whole.
    $db->do($_) for 'PRAGMA journal_mode=DELETE', 'PRAGMA journal_mode=OFF', 'PRAGMA synchronous=OFF',
        'PRAGMA cache_size=-1000000', 'PRAGMA temp_store=MEMORY';
    my @later = take_away($db);

    $db->begin_work;
    my ($postings, @rows) = insert_products($db, $count, $own);
    insert_words($db, $postings);
    Own::insert_keys($db) if $own;
    $db->do('INSERT INTO category_counts (category, n) SELECT category, COUNT(*) FROM products WHERE category_key <> \'\' GROUP BY category');
    $db->do('UPDATE product_indexes SET complete = 1, filled = ?', undef, $count);
    $db->do($_) for @later;
    $db->commit;
    $db->do('PRAGMA journal_mode=WAL');
    $db->do('ANALYZE') if $db->selectrow_array(q(SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'));
    $db->disconnect;
    return facts($count, $postings, @rows);
}

# Drops the triggers and indexes of the products and of their keys; returns what creates them again.
sub take_away {
    my ($db) = @_;
    my $rows = $db->selectall_arrayref(q(SELECT type, name, sql FROM sqlite_master)
        . q( WHERE tbl_name IN ('products', 'product_keys', 'product_unique') AND type IN ('index', 'trigger') AND sql IS NOT NULL));
    $db->do("DROP $_->[0] $_->[1]") for @$rows;
    return map { $_->[2] } @$rows;
}

# ---- products ----

# Returns for each word the numbers of its products, packed; and the first rows.
sub insert_products {
    my ($db, $count, $own) = @_;
    my $columns = join ', ', @COLUMNS;
    my $insert = $db->prepare("INSERT INTO products ($columns) VALUES (" . join(', ', ('?') x @COLUMNS) . ')');
    my (%postings, @rows);
    srand 20;
    for my $n (0 .. $count - 1) {
        my ($row, $words_of_name, @words) = product($n, $count, $own);
        $insert->execute(@$row{@COLUMNS});
        $postings{$_} .= pack 'N', 2 * $n + ($words_of_name->{$_} ? 1 : 0) for @words;
        push @rows, $row if @rows < $SAMPLE;
    }
    return (\%postings, @rows);
}

# The row, with the values of own fields in `own` if they are asked for, the words of its name, and those of the product.
sub product {
    my ($n, $count, $own) = @_;
    my @name = map { Chance::word() } 1 .. 3 + int rand 6;
    my $category = category($n, $count);
    my $price = sprintf('%.2f', exp(3 + 1.12 * Chance::normal())) + 0;
    my $rating = rand() < 0.6 ? int(rand 51) / 10 : undef;
    my $name = ucfirst join ' ', @name;
    my @more = $own ? (own => Own::values_of($n, $count)) : ();
    my %in_name = map { $_ => 1 } @name;
    my @of_category = grep { !$in_name{$_} } sort { $a cmp $b } $category, $category =~ /^c(\d+)$/; # c12 is found as 12, too
    my @words = ((sort { $a cmp $b } keys %in_name), @of_category);
    my $words = join ' ', '', @words[0 .. keys(%in_name) - 1], ':', @words[keys(%in_name) .. $#words], $own ? Own::marked_words($more[1]) : (), '';
    return ({
        extra => $own ? Own::extra($more[1]) : undef, @more,
        n => Catalogue::number($n), id => Catalogue::id($n), name => $name, price => $price, category => $category, rating => $rating,
        in_stock => $category eq 'big' || $n % 3 ? 1 : 0, name_key => lc $name,
        category_key => $category, price_key => bits($price), rating_key => defined $rating ? bits($rating) : -1,
        words => $words,
    }, \%in_name, uniq @words, $own ? Own::words($more[1]) : ());
}

# The tiny category has as many products at every size, and the big one has none out of stock. A small one has a product of the rare brand.
sub category {
    my ($n, $count) = @_;
    return 'tiny' if $n % ($count / $TINY) == 7;
    return Own::SMALL_CATEGORY if $n == Own::OF_RARE_BRAND;
    return 'big' if rand() < $BIG_SHARE;
    return 'c' . int $CATEGORIES**rand;
}

# The bits of a double as an integer.
sub bits { return unpack 'q>', pack 'd>', $_[0] }

# ---- words ----

# In the order of the primary key.
sub insert_words {
    my ($db, $postings) = @_;
    my $insert = $db->prepare('INSERT INTO product_words (word, n, in_name) VALUES (?, ?, ?)');
    for my $word (sort { $a cmp $b } keys %$postings) {
        $insert->execute($word, Catalogue::number($_ >> 1), $_ & 1) for unpack 'N*', $postings->{$word};
    }
    insert_dictionary($db, grep { /^[a-z]{4,}\z/ } keys %$postings);
}

# Each word, and its parts of three letters.
sub insert_dictionary {
    my ($db, @words) = @_;
    my @rows = map { my ($word, $marked) = ($_, "<$_>"); (['', 0, $word], map { [substr($marked, $_, 3), length $word, $word] } 0 .. length($word) - 1) } @words;
    my $insert = $db->prepare('INSERT OR IGNORE INTO dictionary (part, letters, word) VALUES (?, ?, ?)');
    $insert->execute(@$_) for sort { $a->[0] cmp $b->[0] || $a->[1] <=> $b->[1] || $a->[2] cmp $b->[2] } @rows;
}

sub facts {
    my ($count, $postings, @rows) = @_;
    my @prices = sort { $a <=> $b } map { $_->{price} } @rows;
    my %n = map { $_ => length($postings->{$_}) / 4 } grep { /^(?:[a-z]{2}){3}$/ } keys %$postings;
    my @common = sort { abs($n{$a} - 0.07 * $count) <=> abs($n{$b} - 0.07 * $count) || $a cmp $b } keys %n;
    my %has_common = map { $_ >> 1 => 1 } unpack 'N*', $postings->{ $common[0] };
    my @few = sort { $n{$a} <=> $n{$b} || $a cmp $b } grep { $n{$_} >= 10 } keys %n;
    my $rare = first { grep { $has_common{ $_ >> 1 } } unpack 'N*', $postings->{$_} } @few;
    return {
        big => 'big', tiny => 'tiny', common => $common[0], common2 => $common[1], rare => $rare, prefix => substr($rare, 0, 2),
        costly => $prices[0.98 * @prices], Own::facts($count, @rows),
    };
}

# ---- the peers' catalogues ----

# With the columns of own fields and what they contain; and the names of those that are indexed, and searched.
sub peer_statements {
    my ($columns, $values, $indexed, $searched) = @_;
    return (
        'CREATE TABLE products (id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, price REAL NOT NULL, category TEXT NOT NULL,'
            . " inStock INTEGER NOT NULL, rating REAL, createdAt TEXT NOT NULL$columns)",
        'INSERT INTO products SELECT id, name, CAST(price AS REAL), category, in_stock, CAST(rating AS REAL), '
            . time_of('(n >> 20)') . "$values FROM ours.products ORDER BY n",
        'CREATE INDEX products_by_time ON products (createdAt, id)',
        (map { "CREATE INDEX products_by_$_ ON products ($_, createdAt, id)" } qw(name price category inStock rating), @$indexed),
        'CREATE VIRTUAL TABLE products_words USING fts5(' . join(', ', qw(name category), @$searched, q(content='products')) . ')',
        q(INSERT INTO products_words (products_words) VALUES ('rebuild')));
}

# A time in milliseconds as text.
sub time_of {
    my ($ms) = @_;
    return "strftime('%Y-%m-%dT%H:%M:%S', $ms / 1000, 'unixepoch') || printf('.%03dZ', $ms % 1000)";
}

# A SQLite file with the same products, an index for each column and their words in FTS5. own: whether they have the fields of Own.pm.
sub peer_file {
    my ($file, $own) = @_;
    my $peer = $file =~ s/\.db$/-peer.db/r;
    return $peer if -e $peer;
    my $db = DBI->connect("dbi:SQLite:dbname=$peer.new", '', '', { RaiseError => 1, PrintError => 0 });
    $db->do($_) for 'PRAGMA journal_mode=WAL', 'PRAGMA synchronous=OFF';
    $db->do('ATTACH ? AS ours', undef, $file);
    $db->do($_) for peer_statements($own ? Own::peer_columns() : ('', '', [], [])), $own ? Own::peer_tags() : ();
    $db->do('DETACH ours');
    $db->disconnect;
    Catalogue::settle_file("$peer.new");
    rename "$peer.new", $peer or die "$peer: $!\n";
    return $peer;
}

# A JSON file with the same products, the newest first.
sub json_file {
    my ($file) = @_;
    my $json = $file =~ s/\.db$/.products.json/r;
    return $json if -e $json;
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0 });
    my $rows = $db->prepare(
        'SELECT id, name, price, category, in_stock, rating, n >> 20 FROM products ORDER BY n DESC');
    my $separator = "{\"products\":[\n";
    open my $out, '>', "$json.new" or die "$json.new: $!\n";
    $rows->execute;
    while (my ($id, $name, $price, $category, $in_stock, $rating, $time) = $rows->fetchrow_array) {
        print {$out} $separator, sprintf '{"id":"%s","name":"%s","price":%s,"category":"%s","inStock":%s,%s"createdAt":"%s"}',
            $id, $name, $price, $category, $in_stock ? 'true' : 'false', defined $rating ? qq("rating":$rating,) : '',
            Catalogue::time_text($time);
        $separator = ",\n";
    }
    print {$out} "\n]}\n";
    close $out or die "$json.new: $!\n";
    rename "$json.new", $json or die "$json: $!\n";
    return $json;
}

1;
