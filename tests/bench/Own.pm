# SPDX-License-Identifier: Apache-2.0
package Own;

# Eight fields of the shop's own: the lines of CatalogField, values as in a shop, and what the database derives of them. A fast way into
# SQLite, like Varied.pm, whose catalogues have these fields if they are asked to; catalogctl check must find nothing wrong.

use strict;
use warnings FATAL => 'all';

use DBI ();
use List::Util qw(uniq);

use Catalogue ();
use Chance ();

use constant { OF_RARE_BRAND => 17, SMALL_CATEGORY => 'c250' }; # a product of the rare brand; a category of 0.05 %

use constant LINES => <<'END';
CatalogField sku         string   unique max=64
CatalogField description text     search detail
CatalogField brand       string   index facet search
CatalogField tags        strings  index facet
CatalogField weight      number   index min=0
CatalogField quantity    integer  index min=0
CatalogField color       choice   values="red|green|blue|black|white" facet
CatalogField updatedAt   modified index
END

# The same lines, as catalog_fields has them.
my @DEFINITIONS = (
    [sku => 'string unique'], [description => 'text search'], [brand => 'string search facet'], [tags => 'strings facet'],
    [weight => 'number index'], [quantity => 'integer index'], [color => 'choice values="red|green|blue|black|white" facet'],
    [updatedAt => 'modified index']);
my @COLORS = qw(red green blue black white);
my ($BRANDS, $TAGS) = (2_000, 200);
my $DESCRIPTION = 71; # words of six letters: 496 characters
my $CHANGED = 100;    # products that were changed in the last hour, at every size
my $HOUR = 3_600_000; # milliseconds

# One of the brands has 5 % of the products, another one 0.01 %; a tag has 5 %; the words of names and descriptions have other ranks.
my ($BRAND, $RARE_BRAND) = map { ucfirst Chance::word_of(90_000 + $_) } 1, 2;
my ($BRAND_SHARE, $TAG, $TAG_SHARE) = (0.05, 'sale', 0.05);
my $RARE_BRAND_OF = 10_000;

# ---- values ----

# Of product n of count; undef: the product lacks the field. updatedAt in milliseconds.
sub values_of {
    my ($n, $count) = @_;
    my $created = Catalogue::START + $n;
    return {
        sku => sprintf('KT-%08d', $n),
        description => ucfirst join(' ', map { Chance::word() } 1 .. $DESCRIPTION),
        brand => brand($n),
        tags => [uniq rand() < $TAG_SHARE ? $TAG : (), map { 'tag' . int $TAGS**rand } 1 .. rand 4],
        weight => sprintf('%.2f', 0.01 + exp(0.5 + 1.1 * Chance::normal())) + 0,
        quantity => int rand 1_000,
        color => rand() < 0.8 ? $COLORS[rand @COLORS] : undef,
        updatedAt => $n % ($count / $CHANGED) == 11 ? since($count) + $n % $HOUR : $created,
    };
}

sub brand {
    my ($n) = @_;
    return $RARE_BRAND if $n % $RARE_BRAND_OF == OF_RARE_BRAND;
    return rand() < $BRAND_SHARE ? $BRAND : ucfirst Chance::word_of(80_000 + int $BRANDS**rand);
}

# When the last hour began, long after all products were created.
sub since { my ($count) = @_; return Catalogue::START + $count + 24 * $HOUR }

# The column extra. No text has a character that JSON escapes.
sub extra {
    my ($v) = @_;
    return '{' . join(',',
        qq("sku":"$v->{sku}","description":"$v->{description}","brand":"$v->{brand}"),
        @{ $v->{tags} } ? '"tags":[' . join(',', map { qq("$_") } @{ $v->{tags} }) . ']' : (),
        qq("weight":$v->{weight},"quantity":$v->{quantity}),
        defined $v->{color} ? qq("color":"$v->{color}") : (),
        qq("updatedAt":$v->{updatedAt})) . '}';
}

# The words by which the product is found, in addition to those of its name and category; and as the column words has them, each behind
# the number of its field.
sub words { my ($v) = @_; return split ' ', lc "$v->{description} $v->{brand}" }

sub marked_words {
    my ($v) = @_;
    return map { my ($number, $field) = @$_; map { ":$number:$_" } sort { $a cmp $b } uniq split ' ', lc $v->{$field} } [2, 'description'],
        [3, 'brand'];
}

# What clients send: cells of a row of CSV, and a request that creates a product, as load.lua takes it.
sub csv_columns { return qw(sku description brand tags weight quantity color) }

sub csv_cells {
    my ($v) = @_;
    return map { ref $_ ? join '|', @$_ : $_ // '' } @$v{ csv_columns() };
}

sub new_request {
    my $description = ucfirst join ' ', map { Chance::word_of($_ * $_) } 1 .. $DESCRIPTION;
    return Catalogue::NEW =~ s/\}$//r . qq(,"sku":"{serial}","description":"$description","brand":"$BRAND","tags":["tag{n}","$TAG"],)
        . '"weight":{n}.5,"quantity":{n},"color":"red"}';
}

# ---- what the database derives ----

# Statements in SQLite, of fields: number, key, value, counted. The exact value stands beside folded keys and counted ones.
my @KEYS = (
    [1, key_of('sku', 'lower(%s)'), extracted('sku'), 0],
    [3, key_of('brand', 'lower(%s)'), extracted('brand'), 1],
    [5, key_of('weight', 'number_key(%s)'), 'NULL', 0],
    [6, key_of('quantity', 'number_key(%s)'), 'NULL', 0],
    [7, key_of('color', place()), extracted('color'), extracted('color') . ' IS NOT NULL'],
    [8, key_of('updatedAt', q(printf('8%%015x', %s))), 'NULL', 0]);

sub extracted { my ($field) = @_; return "json_extract(extra, '\$.$field')" }

sub key_of {
    my ($field, $key) = @_;
    my $value = extracted($field);
    return "CASE WHEN $value IS NULL THEN '' ELSE " . sprintf($key, $value) . ' END';
}

sub place { return 'CASE %s ' . join(' ', map { sprintf "WHEN '%s' THEN '%03d'", $COLORS[$_], $_ } 0 .. $#COLORS) . ' END' }

# The bits of a double that is not negative, in hexadecimal digits in the order of signed numbers.
sub number_key { return sprintf '%016x', 1 << 63 | unpack 'Q>', pack 'd>', $_[0] }

# After the products. Counts of values are made by catalogctl recount.
sub insert_keys {
    my ($db) = @_;
    my $add = $db->prepare('INSERT INTO catalog_fields (number, name, definition, complete, n, filled, counted)'
        . q( VALUES (?, ?, ?, 1, 9223372036854775807, 0, ?)));
    $add->execute($_ + 1, @{ $DEFINITIONS[$_] }, $DEFINITIONS[$_][1] =~ /facet/ ? 1 : 0) for 0 .. $#DEFINITIONS;

    $db->sqlite_create_function('number_key', 1, \&number_key);
    my $into = 'INSERT INTO product_keys (field, value_key, n, value, counted)';
    my $order = 'ORDER BY 2, 3';
    for my $key (@KEYS) {
        my ($number, $text, $value, $counted) = @$key;
        $db->do("$into SELECT $number, $text, n, $value, $counted FROM products $order");
    }
    $db->do("$into SELECT 4, e.value, p.n, e.value, 1 FROM products p, json_each(p.extra, '\$.tags') e $order");
    $db->do('INSERT INTO product_unique (field, value, n) SELECT 1, ' . extracted('sku') . ', n FROM products ORDER BY 2');
}

# Of a SQLite file: as if no server had ever known the field `quantity`, whose values the products have.
sub forget_quantity {
    my ($file) = @_;
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0, AutoCommit => 0 });
    $db->do("DELETE FROM $_ = 6") for 'product_keys WHERE field', 'catalog_fields WHERE number';
    $db->commit;
    $db->disconnect;
}

# ---- a peer's table ----

# What Varied::peer_statements takes.
sub peer_columns {
    my @columns = qw(sku description brand weight quantity color);
    return (
        ', sku TEXT NOT NULL UNIQUE, description TEXT, brand TEXT, weight REAL, quantity INTEGER, color TEXT, updatedAt TEXT NOT NULL',
        join('', map { ", $_" } (map { extracted($_) } @columns), Varied::time_of(extracted('updatedAt'))),
        [qw(brand weight quantity color updatedAt)], [qw(brand description)]);
}

# The elements of lists are rows of a table.
sub peer_tags {
    return (
        'CREATE TABLE product_tags (tag TEXT NOT NULL, createdAt TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (tag, createdAt, id))'
            . ' WITHOUT ROWID',
        'INSERT INTO product_tags SELECT k.value, p.createdAt, p.id FROM ours.product_keys k JOIN ours.products o ON o.n = k.n'
            . ' JOIN products p ON p.id = o.id WHERE k.field = 4');
}

# ---- what questions need to know ----

# Of a catalogue with these fields, by some of its rows. The heaviest 2 % weigh as much as `heavy` or more; middling and small are categories
# of 1 and of 0.05 %.
sub facts {
    my ($count, @rows) = @_;
    my @weights = sort { $a <=> $b } map { $_->{own} ? $_->{own}{weight} : () } @rows or return;
    return (
        brand => $BRAND, rare_brand => $RARE_BRAND, tag => $TAG, heavy => $weights[0.98 * @weights],
        since => Catalogue::time_text(since($count)), middling => 'c12', small => SMALL_CATEGORY);
}

1;
