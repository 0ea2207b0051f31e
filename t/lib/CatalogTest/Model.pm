# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Model;

# The list of products once more: which of them match a question, and in which order. And random products and questions.
#
# A product is what the API returns. A question is { conditions => [[field, operator, values...]...], words => [...],
# sort => [[field, is descending]...] }; the operator of equality is ''.

use strict;
use warnings FATAL => 'all';
use feature qw(fc unicode_strings);

use Exporter 'import';
use List::Util qw(any all shuffle uniq);
use Unicode::Normalize qw(NFKD);

our @EXPORT_OK = qw(fold words matches ordered random_product random_question query_of own_fields);

# ---- texts ----

my (%folded, %words); # what was folded before

sub fold_text {
    my ($text) = @_;
    my $before;
    do {
        $before = $text;
        $text = NFKD(fc $text) =~ s/\p{M}//gr;
    } while ($text ne $before);
    return $text;
}

sub fold { return $folded{ $_[0] } //= fold_text($_[0]) }
sub words { return @{ $words{ $_[0] } //= [fold($_[0]) =~ /[\p{L}\p{N}]+/g] } }

# ---- fields of the shop's own ----

my @COLORS = qw(red green blue);
my @OWN = (['brand string index by=price', 8], ['born date index', 3], ['weight number index', 8], ['quantity integer index by=rating', 4], ['published boolean index', 4],
    ['color choice values="' . join('|', @COLORS) . '" index', 6], ['seen time index', 5], ['tags strings index by=weight', 8]);
my %place = map { $COLORS[$_] => $_ } 0 .. $#COLORS;

# The lines of CatalogField for the configuration. A product has some of the fields, and questions are about them, once they have been asked for.
my @own;
sub own_fields {
    @own = map { $_->[0] =~ /^(\w+)/ ? ($1) x $_->[1] : () } @OWN;
    return join "\n", map { "CatalogField $_->[0]" } @OWN;
}

# ---- conditions ----

my %is_text = map { $_ => 1 } qw(name category brand born);
my %is_number = map { $_ => 1 } qw(price rating weight quantity);
my %is_boolean = map { $_ => 1 } qw(inStock published);

# A value as it is compared: booleans as 0 and 1, times as texts, which are in the order of time.
sub plain { my ($value) = @_; return ref $value eq 'ARRAY' ? $value : ref $value eq 'SCALAR' ? $$value : ref $value ? $value ? 1 : 0 : $value }

sub compare {
    my ($field, $one, $other) = @_;
    ($one, $other) = map { $place{$_} } $one, $other if $field eq 'color';
    return $is_text{$field} ? fold($one) cmp fold($other) : is_compared_as_number($field) ? $one <=> $other : $one cmp $other;
}

sub is_compared_as_number { my ($field) = @_; return $is_number{$field} || $is_boolean{$field} || $field eq 'color' }

sub equals { my ($field, $one, $other) = @_; return $is_number{$field} ? $one == $other : $one eq $other }

my %holds = (
    '' => sub { equals(@_) },
    ne => sub { !equals(@_) },
    lt => sub { compare(@_) < 0 },
    lte => sub { compare(@_) <= 0 },
    gt => sub { compare(@_) > 0 },
    gte => sub { compare(@_) >= 0 },
    prefix => sub { my ($field, $value, $prefix) = @_; return index(fold($value), fold($prefix)) == 0 },
    in => sub { my ($field, $value, @values) = @_; return any { equals($field, $value, $_) } @values },
);

sub meets_list {
    my ($has, $op, @values) = @_;
    my $found = grep { my $value = $_; any { $value eq $_ } @$has } @values;
    return $op eq 'exists' ? (@$has > 0) == $values[0] : $op eq 'all' ? $found == @values : $found > 0;
}

sub meets {
    my ($product, $field, $op, @values) = @_;
    return meets_list($product->{$field} // [], $op, @values) if $field eq 'tags';
    return defined $product->{$field} == $values[0] if $op eq 'exists';
    return defined $product->{$field} && $holds{$op}->($field, plain($product->{$field}), @values);
}

sub has_words {
    my ($product, @words) = @_;
    my @has = map { words($product->{$_}) } qw(name category);
    return all { my $word = $_; any { index($_, $word) == 0 } @has } @words;
}

# The products that match, in no order.
sub matches {
    my ($question, @products) = @_;
    return grep {
        my $product = $_;
        (all { meets($product, @$_) } @{ $question->{conditions} }) && has_words($product, @{ $question->{words} })
    } @products;
}

# ---- order ----

# What a product is ordered by: a text, or a number; undef for what is not set, which is lower than anything.
sub key {
    my ($field, $product) = @_;
    my $value = plain($product->{$field});
    return undef if !defined $value;
    return $is_text{$field} ? fold($value) : $field eq 'color' ? $place{$value} : $value;
}

sub compare_keys {
    my ($is_number, $x, $y) = @_;
    return defined($x) <=> defined($y) if !defined $x || !defined $y;
    return $is_number ? $x <=> $y : $x cmp $y;
}

sub ordered {
    my ($question, @products) = @_;
    my @sort = @{ $question->{sort} } ? @{ $question->{sort} } : (['createdAt', 1]);
    push @sort, map { [$_, $sort[0][1]] } qw(createdAt id);
    my @columns = map { { is_number => is_compared_as_number($_->[0]), sign => $_->[1] ? -1 : 1 } } @sort;
    my @keyed = map { my $product = $_; [$product, map { key($_->[0], $product) } @sort] } @products;
    return map { $_->[0] } sort {
        my $order = 0;
        for my $i (0 .. $#columns) {
            $order = $columns[$i]{sign} * compare_keys($columns[$i]{is_number}, $a->[$i + 1], $b->[$i + 1]) and last;
        }
        $order;
    } @keyed;
}

# ---- random products ----

my @WORDS = ('red', 'Red', 'REDDER', 'kettle', 'Kettle', "k\x{e9}ttle", "ke\x{301}ttle", 'tea', 'teapot', 'Tee', "T\x{fc}r", 'tur', "stra\x{df}e",
    'STRASSE', "\x{fb01}ne", 'fine', "\x{3a3}\x{3c3}\x{3c2}", "\x{130}", 'i', "\x{1c4}", "\x{41a}\x{43e}\x{444}\x{435}", "\x{30c6}\x{30ec}\x{30d3}",
    "\x{65e5}\x{672c}", '5', '50', '5.5', "\x{bd}", "\x{2460}", 'a_b', '%', "o'clock", '\\', "\x{1f600}", 'x-1', '"q"');
my @CATEGORIES = ('', 'tea', 'Tea', "t\x{e9}a", 'red', 'a,b', 'a\\', "a\\,b", 'b & c=d', '100 %', "stra\x{df}e", 'zz', 'home kettle', "\x{65e5}", '<x>');
my @PRICES = (0, 0.1, 0.3, 0.30000000000000004, 1, 1.5, 5, 19.99, 20, 100, 1e15, 1e300);

sub pick { return $_[int rand @_] }

sub random_product {
    return {
        name => join(pick(' ', ' ', ' ', '-', '  '), map { pick(@WORDS) } 1 .. 1 + int rand 4),
        category => pick(@CATEGORIES),
        price => pick(@PRICES),
        inStock => pick(\1, \0),
        rand() < 0.7 ? (rating => pick(0, 0.5, 1, 2.5, 4, 4.5, 5)) : (),
        @own ? random_own() : (),
    };
}

my %OWN_VALUE = (
    brand => sub { pick(@WORDS) }, born => sub { sprintf '20%02d-01-%02d', 10 + int rand 3, 1 + int rand 28 }, weight => sub { pick(@PRICES, map { -$_ } @PRICES[1 .. $#PRICES]) },
    quantity => sub { int rand(40) - 20 }, published => sub { pick(\1, \0) }, color => sub { pick(@COLORS) },
    seen => sub { sprintf '%s-11-21T09:30:00.%03dZ', pick(1969, 2025, 2026), rand 3 }, tags => sub { [(shuffle('red', 'Red', 'steel', 'a,b', 'x', "k\x{e9}ttle", '5'))[0 .. rand 4]] },
);

sub random_own { return map { rand() < 0.7 ? ($_ => $OWN_VALUE{$_}->()) : () } sort keys %OWN_VALUE }

# ---- random questions ----

my %OPERATORS = (
    id => ['', 'in'],
    name => ['', qw(ne lt lte gt gte in prefix prefix prefix)],
    price => ['', qw(ne lt lte gt gte in)],
    category => ['', '', '', qw(ne lt lte gt gte in in prefix)],
    inStock => ['', '', 'in'],
    rating => ['', qw(ne lt lte gt gte in exists)],
    createdAt => ['', qw(ne lt lte gt gte in)],
    (map { $_ => ['', qw(ne lt lte gt gte in prefix exists)] } qw(brand born)),
    (map { $_ => ['', qw(ne lt lte gt gte in exists)] } qw(weight quantity seen)),
    published => ['', '', 'in', 'exists'],
    color => ['', qw(ne in exists)],
    tags => ['', '', 'in', 'all', 'all', 'exists'],
);
my @SORT = qw(id name price category rating inStock createdAt);

# Mostly a value that some product has; a value that is none is possible for each kind.
sub random_value {
    my ($field, @products) = @_;
    my $value = plain(pick(@products)->{$field} // ($OWN_VALUE{$field} ? $OWN_VALUE{$field}->() : undef));
    return pick(@$value, 'red') if $field eq 'tags';
    return $value if $OWN_VALUE{$field} && $field ne 'brand' && $field ne 'weight';
    return $value if defined $value && rand() < 0.8;
    return $is_text{$field} ? pick(@WORDS) : $is_number{$field} ? pick(@PRICES, -1, 4.75, 1e-9) : $value // 2;
}

sub random_prefix {
    my ($text) = @_;
    return substr $text, 0, 1 + int rand(length($text) < 6 ? length $text || 1 : 6);
}

sub random_values {
    my ($field, $op, @products) = @_;
    return pick(0, 1) if $op eq 'exists';
    return map { random_value($field, @products) } 1 .. 1 + int rand 5 if $op eq 'in' || $op eq 'all';
    my $value = random_value($field, @products);
    $value = random_prefix($value) if $op eq 'prefix';
    return $value;
}

# A value that the server refuses is no question.
sub is_askable {
    my ($field, $op, @values) = @_;
    return 0 if $field eq 'name' && any { !length } @values;
    return $op ne 'prefix' || length fold($values[0]);
}

sub random_conditions {
    my (@products) = @_;
    my %conditions;
    for (1 .. pick(0, 0, 1, 1, 1, 2, 2, 3, 4)) {
        my $field = pick(qw(id name name price price category category category inStock rating createdAt), @own);
        my $op = pick(@{ $OPERATORS{$field} });
        my @values = random_values($field, $op, @products);
        $conditions{"$field $op"} = [$field, $op, @values] if is_askable($field, $op, @values);
    }
    return shuffle(values %conditions);
}

sub random_words {
    my (@products) = @_;
    return () if rand() < 0.6;
    return map {
        my $product = pick(@products);
        my @has = (words("$product->{name} $product->{category}"), words(pick(@WORDS)));
        @has ? rand() < 0.5 ? pick(@has) : random_prefix(pick(@has)) : ();
    } 1 .. 1 + int rand 3;
}

sub random_sort {
    return () if rand() < 0.4;
    my @fields = shuffle(@SORT, grep { $_ ne 'tags' } uniq(@own));
    return map { [$_, pick(0, 1)] } @fields[0 .. int rand 3];
}

sub random_question {
    my (@products) = @_;
    return { conditions => [random_conditions(@products)], words => [random_words(@products)], sort => [random_sort()] };
}

# ---- query strings ----

sub encode {
    my ($text) = @_;
    utf8::encode($text);
    return $text =~ s/([^\w.~-])/rand() < 0.1 && $1 eq ' ' ? '+' : sprintf '%%%02X', ord $1/egr =~ s/[\x80-\xff]/sprintf '%%%02X', ord $&/egr;
}

sub spell_value {
    my ($field, $value) = @_;
    return $is_number{$field} ? sprintf '%.17g', $value : $is_boolean{$field} ? $value ? 'true' : 'false' : $value;
}

# A list, as people write it: one parameter, with commas; or as clients send arrays: a parameter for each value.
sub spell_list {
    my ($name, @values) = @_;
    return "$name=" . join ',', map { encode(s/([,\\])/\\$1/gr) } @values if rand() < 0.5;
    my $is_marked = @values == 1 || rand() < 0.5; # one value without the mark may be several
    return join '&', map { $name . ($is_marked ? pick('[]', '%5B%5D') : '') . '=' . encode($_) } @values;
}

sub spell_condition {
    my ($field, $op, @values) = @_;
    my @spelled = map { spell_value($op eq 'exists' ? 'inStock' : $field, $_) } @values;
    my $name = $field . ($op eq '' ? '' : rand() < 0.5 ? "[$op]" : "%5B$op%5D");
    return $op eq 'in' || $op eq 'all' ? spell_list($name, @spelled) : "$name=" . encode($spelled[0]);
}

# Conditions, words and order as parameters, in any order.
sub query_of {
    my ($question) = @_;
    my @parameters = map { spell_condition(@$_) } @{ $question->{conditions} };
    push @parameters, 'q=' . encode(join ' ', map { rand() < 0.3 ? ucfirst : $_ } @{ $question->{words} }) if @{ $question->{words} };
    push @parameters, spell_list('sort', map { ($_->[1] ? '-' : '') . $_->[0] } @{ $question->{sort} }) if @{ $question->{sort} };
    return join '&', shuffle(@parameters);
}

1;
