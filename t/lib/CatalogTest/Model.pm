# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Model;

# A second implementation of the list of products: which products match a question, and in which order. Also makes
# random products and questions.
#
# A product is a hash of the fields that the API returns to a writer, and of fields that no CatalogField line defines. A
# question is a hash:
#     who         'writer' or 'reader'
#     conditions  [[field, operator, values...]...]; the operator of equality is ''
#     words       [...]
#     sort        [[field, is descending]...]
#     relevance   true for the order by relevance; then there are words, and sort is empty
#     visible     the conditions of CatalogVisible, which apply to readers
#     match       '', 'prefix' or 'exact'
#     limit       limit of an answer, if match is ''

use strict;
use warnings FATAL => 'all';
use feature qw(fc unicode_strings);

use Exporter 'import';
use List::Util qw(any max min shuffle);
use Unicode::Normalize qw(NFKD);

our @EXPORT_OK = qw(write_synonyms fold words written matches corrected ordered ranked compare_values choose_fields own_names facet_names unique_names list_names part_of encoded random_product random_change
    random_conditions random_question query_of words_meant);

our @BUILT_IN = qw(id name price category inStock rating createdAt);

# ---- texts ----

my (%folded, %words, %asked); # caches of results

# Latin letters that Unicode does not decompose, as far as random texts have them.
my %LATIN = ("\x{d7}" => 'x', "\x{e6}" => 'ae', "\x{f0}" => 'd', "\x{f8}" => 'o', "\x{fe}" => 'th', "\x{111}" => 'd', "\x{127}" => 'h', "\x{131}" => 'i', "\x{138}" => 'q',
    "\x{142}" => 'l', "\x{14b}" => 'n', "\x{153}" => 'oe', "\x{167}" => 't');
my $LATIN = join '', sort keys %LATIN;

sub fold_text {
    my ($text) = @_;
    my $before;
    do {
        $before = $text;
        $text = NFKD(fc $text) =~ s/\p{M}//gr =~ s/([$LATIN])/$LATIN{$1}/gr;
    } while ($text ne $before);
    return $text;
}

sub fold { return $folded{ $_[0] } //= fold_text($_[0]) }

# A text consists of syllables of scripts without blanks, and of words, which are runs of letters and digits. A name of
# four letters or more and an adjacent number are two words.
my $SYLLABLE = qr/(?=[\p{L}\p{Nl}])[\p{Han}\p{Hiragana}\p{Katakana}\x{30fc}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}][\x{1160}-\x{11ff}\x{d7b0}-\x{d7ff}]*/;
my $LETTERS = qr/(?:(?!$SYLLABLE)[\p{L}\p{Nl}])+/;
my $DIGITS = qr/[\p{Nd}\p{No}]+/;
my $WORD = qr/(?:$LETTERS|$DIGITS)+/;
my $JOINER = qr{[-/'._&+\xad\xb7\x{30fb}\x{200b}-\x{200d}\x{2010}\x{2013}\x{2019}\x{2060}]};

sub parts { my ($word) = @_; return $word =~ /$LETTERS|$DIGITS/g }
sub is_short { my ($word) = @_; utf8::encode($word); return length $word <= 64 }
sub is_name { return $_[0] =~ /^$LETTERS\z/ && length $_[0] >= 4 }
sub separate { my ($word) = @_; my @parts = parts($word); return @parts == 2 && is_short($word) && grep({ is_name($_) } @parts) ? @parts : $word }

# Returns true if two words are often written without the blank between them: "wi fi", "t shirt", "500 ml". $one may end
# with the number.
sub are_often_joined {
    my ($one, $other) = @_;
    return 1 if "$one $other" =~ /($DIGITS) ($LETTERS)\z/ && length $1 <= 4 && length $2 <= 3;
    return 0 if $one !~ /^$LETTERS\z/;
    return 1 if length $one == 1 || ($other =~ /^$DIGITS\z/ && length $one <= 3 && length $other <= 4);
    return $other =~ /^$LETTERS\z/ && length $one . $other <= 4;
}

sub are_joined {
    my ($one, $gap, $other) = @_;
    return 1 if $gap eq 'adjacent';
    return are_often_joined($one, $other) if $gap eq ' ';
    return $gap =~ /^$JOINER\z/ && ($gap eq '-' || $one !~ /$DIGITS\z/ || $other !~ /^$DIGITS/);
}

# Returns lists of joined words, each with the gap before it.
sub compounds {
    my ($folded) = @_;
    my (@compounds, $before);
    while ($folded =~ /\G(.*?)($SYLLABLE|$WORD)/gcs) {
        my ($gap, $found) = ($1, $2);
        my $is_syllable = $found =~ /^$SYLLABLE/;
        for my $word ($is_syllable ? $found : separate($found)) {
            push @compounds, [] if $is_syllable || !defined $before || !are_joined($before, $gap, $word);
            push @{ $compounds[-1] }, [$word, @{ $compounds[-1] } ? $gap : ''];
            ($before, $gap) = ($is_syllable ? undef : $word, 'adjacent');
        }
    }
    return @compounds;
}

# Returns true if nobody writes the joined parts as one word, because there was a blank between them, or a hyphen before
# them.
sub is_only_joined {
    my (@parts) = @_;
    return 0 if @parts < 2 || grep { $_->[0] !~ /^$LETTERS\z/ } @parts;
    return $parts[0][1] !~ /^(?:within|adjacent| |)\z/ || grep({ $_->[1] eq ' ' } @parts[1 .. $#parts]) ? 1 : 0;
}

# Returns each word. For each of the first eight positions where a word begins, or where letters change to digits or
# back, also returns the rest as far as it is short, and a name before a number. Each comes with the result of
# is_only_joined.
sub words_of_compound {
    my (@compound) = @_;
    my @parts = map { my ($word, $gap) = @$_; my @all = parts($word); map { [$all[$_], $_ ? 'within' : $gap, $word] } 0 .. $#all } @compound;
    my @found;
    for my $i (0 .. $#parts) {
        my ($part, $gap, $word) = @{ $parts[$i] };
        my $is_last = $i == $#parts || $parts[$i + 1][1] ne 'within';
        push @found, [$word, 0] if $gap ne 'within';
        next if $i >= 8;
        my @tail = @parts[$i .. $#parts];
        pop @tail while @tail && !is_short(join '', map { $_->[0] } @tail);
        my $tail = join '', map { $_->[0] } @tail;
        push @found, [$tail, is_only_joined(@tail)] if @tail && ($gap eq 'within' || $tail ne substr $word, 0, length $tail);
        push @found, [$part, 0] if @tail && is_name($part) && !$is_last;
    }
    return @found;
}

sub pairs { my (@syllables) = @_; return map { join '', grep { defined } @syllables[$_, $_ + 1] } 0 .. $#syllables }
sub find_words {
    my ($text) = @_;
    my $folded = fold($text);
    my @compounds = grep { $_->[0][0] !~ /^$SYLLABLE/ } compounds($folded);
    my @pairs = map { pairs(/$SYLLABLE/g) } $folded =~ /((?:$SYLLABLE)+)/g;
    push @pairs, "$1$2" while $folded =~ /($SYLLABLE)(?: |$JOINER)(?=($SYLLABLE))/g;
    return [(map { words_of_compound(@$_) } @compounds), map { [$_, 0] } @pairs];
}

# Return the words by which a text is found: all_words with is_only_joined, words all of them, written those that are
# not only joined.
sub all_words { return @{ $words{ $_[0] } //= find_words($_[0]) } }
sub words { return map { $_->[0] } all_words($_[0]) }
sub written { return map { $_->[1] ? () : $_->[0] } all_words($_[0]) }

sub pairs_asked {
    my (@syllables) = @_;
    my @pairs = pairs(@syllables);
    my $last = @syllables > 1 ? @syllables - 2 : 0;
    return map { [$pairs[$_]] } grep { $_ <= $last && (@syllables <= 10 || $_ % 2 == 0 || $_ == $last) } 0 .. $last;
}

# Returns the word without up to three letters before a number of four digits or more.
sub number_of { my ($word) = @_; my ($letters, $number, $rest) = $word =~ /^($LETTERS)($DIGITS)(.*)/s; return defined $number && length $letters <= 3 && length $number >= 4 && is_short($word) ? $number . $rest : undef }

# Returns [word, the word appended to the word before it or undef, its number or undef]. The last two are undef for
# pairs.
sub find_asked {
    my ($text, $is_whole) = @_;
    my @all;
    my $folded = fold($text);
    while ($folded =~ /((?:$SYLLABLE)+)|($WORD)/g) {
        my ($run, $word) = ($1, $2);
        push @all, defined $run ? pairs_asked($run =~ /$SYLLABLE/g) : map { [$_, 1] } separate($word);
    }
    my @kept = grep {
        my $i = $_;
        !grep { $_ != $i && ($is_whole ? $all[$_][0] eq $all[$i][0] : index($all[$_][0], $all[$i][0]) == 0) && ($all[$_][0] ne $all[$i][0] || $_ < $i) } 0 .. $#all;
    } 0 .. $#all;
    my $before;
    return [map {
        my ($word, $can_join) = @{ $all[$_] };
        my ($joined) = grep { is_short($_) } $can_join && defined $before ? $before . $word : ();
        $before = $can_join ? $word : undef;
        [$word, $joined, $can_join && !$is_whole ? number_of($word) : undef];
    } @kept];
}

sub asked { my ($text, $is_whole) = @_; return @{ $asked{ $is_whole ? 1 : 0 }{$text} //= find_asked($text, $is_whole) } }

# Terms that may replace others, as write_synonyms writes them. A key is a term's words, or the word that its two words
# are if joined.
my %SYNONYMS = (tea => ['kettle', 'chai'], kettle => ['tea'], chai => ['tea', 'kettle'], wifi => ['galaxy', '24'], red => ["\x{65e5}\x{672c}"],
    teakettle => ['chai'], fine => ['red kettle', 'wi-fi'], "\x{4e09}\x{5fb3} \x{5fb3}\x{5305} \x{5305}\x{4e01}" => ['usb c'],
    galaxy24 => ["\x{d55c}\x{ad6d}\x{c5b4}"], 'red tea pot' => ['tur']);

my @TERMS = ('fine', 'Galaxy24', 'galaxy 24', 'tea kettle', 'Tea-Kettle', 'red tea pot', "\x{4e09}\x{5fb3}\x{5305}\x{4e01}", 'wi fi', 'chai'); # terms for random questions

sub write_synonyms {
    my $text = "tea, chai # and more\nchai => Kettle\nT\x{e9}a, kettle\nwifi => Galaxy, 24\nRED => \x{65e5}\x{672c}\n"
        . "Tea-Kettle => chai\nfine => red kettle, wi fi\n\x{4e09}\x{5fb3}\x{5305}\x{4e01} => USB-C\ngalaxy24 => \x{d55c}\x{ad6d}\x{c5b4}\nred tea pot => T\x{fc}r\n";
    utf8::encode($text);
    return $text;
}

# Returns the words of a term, each with itself appended to the word before it, or undef.
sub term { my ($text) = @_; return [map { [@$_[0, 1]] } asked($text)] }

# Returns, for each word of a question, the terms that may replace it.
sub terms_of {
    my (@asked) = @_;
    my @terms = map { [] } @asked;
    for my $i (0 .. $#asked) {
        for my $length (1 .. @asked - $i) {
            push @{ $terms[$_] }, map { term($_) } @{ $SYNONYMS{ join ' ', map { $_->[0] } @asked[$i .. $i + $length - 1] } // [] } for $i .. $i + $length - 1;
        }
        next if !defined $asked[$i][1];
        push @{ $terms[$_] }, map { term($_) } @{ $SYNONYMS{ $asked[$i][1] } // [] } for $i - 1, $i;
    }
    return @terms;
}

# Returns the texts that may already replace a word, without those that begin with another one. Of a term of several
# words, this is the first.
sub others_of {
    my ($asked, $terms) = @_;
    my ($word, @own) = @$asked;
    my @others;
    for my $other (grep { defined } @own, map { $_->[0][0] } @$terms) {
        push @others, $other if !grep { index($other, $_) == 0 } $word, @others;
    }
    return @others;
}

# ---- corrections of words ----

# Returns the number of edits between two words. An edit inserts, deletes or replaces a letter, or swaps two neighbours.
sub edits {
    my ($one, $other) = map { [split //] } @_;
    my @rows = map { [$_, (0) x @$other] } 0 .. @$one;
    $rows[0] = [0 .. @$other];
    for my $i (1 .. @$one) {
        for my $j (1 .. @$other) {
            my @ways = ($rows[$i - 1][$j - 1] + ($one->[$i - 1] ne $other->[$j - 1]), $rows[$i - 1][$j] + 1, $rows[$i][$j - 1] + 1);
            push @ways, $rows[$i - 2][$j - 2] + 1 if $i > 1 && $j > 1 && $one->[$i - 1] eq $other->[$j - 2] && $one->[$i - 2] eq $other->[$j - 1];
            $rows[$i][$j] = min(@ways);
        }
    }
    return $rows[-1][-1];
}

sub allowed_edits { my ($word) = @_; return length $word >= 9 ? 2 : length $word >= 5 ? 1 : 0 }
sub first_byte { my ($word) = @_; utf8::encode($word); return substr $word, 0, 1 }
sub bytes { my ($word) = @_; utf8::encode($word); return length $word }

# Returns the distance of a candidate from a word: 0 if the candidate contains the word, the number of edits, or 10 more
# if the candidate has an ending of up to two letters. Returns undef if the candidate begins with the word or is no
# correction.
sub likeness {
    my ($word, $candidate) = @_;
    my ($at, $most) = (index($candidate, $word), allowed_edits($word));
    return $at > 0 ? 0 : undef if $at >= 0;
    return undef if !$most;
    my @edits;
    for my $ending (0 .. min(2, length $candidate)) {
        my $allowed = $ending && length $word == 9 ? 1 : $most;
        next if abs(length($word) - length($candidate) + $ending) > $allowed;
        my $edits = edits($word, substr $candidate, 0, length($candidate) - $ending);
        push @edits, $edits + ($ending ? 10 : 0) if $edits <= $allowed;
    }
    return min(@edits);
}

sub likeliest_first {
    my ($word, @likely) = @_;
    return sort { $a->[1] <=> $b->[1] || ($a->[1] ? (first_byte($a->[0]) ne first_byte($word)) <=> (first_byte($b->[0]) ne first_byte($word)) : 0)
        || length $a->[0] <=> length $b->[0] || $a->[0] cmp $b->[0] } @likely;
}

# Returns the corrections of a word among the words of products, each [text, is whole]: a whole word, or the beginning
# of words. @present are the texts that may already replace the word.
sub likely_words {
    my ($written, $word, @present) = @_;
    my @likely = likeliest_first($word, map { my $edits = likeness($word, $_); defined $edits ? [$_, $edits] : () } grep { /^$LETTERS\z/ && length >= 4 } keys %$written);
    splice @likely, 32 if @likely > 32;
    @likely = grep { $_->[1] < 10 || $likely[0][1] > 10 } @likely; # corrections with an ending only if there are no others
    my @others = map { [$_, 0] } @present;
    my $before = @others;
    for (@likely) {
        my ($other, $edits) = @$_;
        my $is_whole = $edits == 0 && bytes($other) + 4 <= 64;
        next if @others == 32 || grep { $_->[1] ? $is_whole && $_->[0] eq $other : index($other, $_->[0]) == 0 } @others;
        push @others, [$other, $is_whole];
    }
    return @others[$before .. $#others];
}

# ---- fields defined by CatalogField ----

# One field of each type: how often a question uses it, the options that its line always has, and the options that it
# may have. choose_fields makes the lines.
my @COLORS = qw(red green blue);
my %place = map { $COLORS[$_] => $_ } 0 .. $#COLORS;
my @SHOWN = qw(detail private);
my @OWN = (
    { name => 'sku', type => 'string', often => 4, always => ['unique', 'max=40'], may => [@SHOWN] },
    { name => 'slug', type => 'string', often => 2, always => ['unique', 'from=name'], may => ['detail'] },
    { name => 'brand', type => 'string', often => 8, may => [qw(index index facet search), @SHOWN] },
    { name => 'note', type => 'string', often => 5, always => ['index'], may => [qw(search search private private detail)] },
    { name => 'about', type => 'text', often => 0, may => [qw(search search), @SHOWN] },
    { name => 'link', type => 'url', often => 4, may => [qw(index facet), @SHOWN] },
    { name => 'weight', type => 'number', often => 8, may => ['index', 'index', @SHOWN] },
    { name => 'quantity', type => 'integer', often => 5, may => [qw(index index facet required), @SHOWN] },
    { name => 'published', type => 'boolean', often => 4, always => ['index'], may => [qw(facet default=false), @SHOWN] },
    { name => 'color', type => 'choice', often => 6, always => ['values="' . join('|', @COLORS) . '"'], may => [qw(index index facet search), @SHOWN] },
    { name => 'seen', type => 'time', often => 5, may => ['index', 'index', @SHOWN] },
    { name => 'born', type => 'date', often => 4, may => ['index', 'index', 'facet', @SHOWN] },
    { name => 'baking', type => 'duration', often => 5, may => ['index', 'index', @SHOWN] },
    { name => 'tags', type => 'strings', often => 8, may => [qw(index index facet search), @SHOWN] },
    { name => 'box', type => 'json', often => 0, may => [@SHOWN] },
    { name => 'changed', type => 'modified', often => 3, may => ['index', 'index', @SHOWN] },
);
my %own = map { $_->{name} => $_ } @OWN;

# The current lines: by field, the options of its line.
my %line;
my %had_line; # names of fields that have or had a line

# Fields by which the products of one value may be ordered.
my @BY = qw(price rating weight quantity seen changed);

# Adds by=FIELD to some of the lines that can have it.
sub choose_pairs {
    for my $name (grep { $line{$_} && is_indexed($_) && rand() < 0.6 } qw(sku slug brand note quantity tags)) {
        my @by = grep { $_ ne $name && (!$own{$_} || ($line{$_} && is_indexed($_))) } @BY;
        $line{$name}{ 'by=' . pick(@by) } = 1;
    }
}

# Chooses the lines and returns them. If $all is true, every field has a line, with no option that a product could
# violate; otherwise some fields have none. The first lines are chosen before there are products. Later lines of new
# fields have no default=, because it would change products while questions are asked about them.
sub choose_fields {
    my ($all) = @_;
    my $is_first = !%had_line;
    %line = ();
    for my $field (@OWN) {
        next if !$all && rand() < 0.2;
        my %has = map { $_ => 1 } @{ $field->{always} // [] }, $all ? () : grep { rand() < 0.5 } @{ $field->{may} };
        my $is_new = !$had_line{ $field->{name} }++;
        delete $has{'default=false'} if $is_new && !$is_first;
        $line{ $field->{name} } = \%has;
    }
    choose_pairs();
    return map { join ' ', 'CatalogField', $_->{name}, $_->{type}, sort keys %{ $line{ $_->{name} } } } grep { $line{ $_->{name} } } @OWN;
}

# Returns true if the user may see the field. A writer may see every field.
sub sees { my ($who, $name) = @_; return !$own{$name} || $line{$name} && !($line{$name}{private} && $who ne 'writer') }
sub is_private { my ($name) = @_; return $own{$name} && $line{$name}{private} }
sub is_indexed { my ($name) = @_; return !$own{$name} || grep { $line{$name}{$_} } qw(index facet unique) }
sub own_names { my ($who) = @_; return grep { sees($who, $_) } map { $_->{name} } @OWN }
sub facet_names { my ($who) = @_; return ('category', 'inStock', grep { $line{$_}{facet} } own_names($who)) }
sub unique_names { my ($who) = @_; return grep { $line{$_}{unique} } own_names($who) }
sub list_names { my ($who) = @_; return (@BUILT_IN, grep { !$line{$_}{detail} } own_names($who)) }

# Returns the part of a product that an answer with these members has.
sub part_of { my ($product, @names) = @_; return { map { exists $product->{$_} ? ($_ => $product->{$_}) : () } @names } }

# ---- conditions ----

my %is_text = map { $_ => 1 } qw(name category sku slug brand note link born);
my %is_number = map { $_ => 1 } qw(price rating weight quantity);
my %is_boolean = map { $_ => 1 } qw(inStock published);

# Returns a value in a form that can be compared: booleans as 0 and 1. Times stay texts, whose order is the order of
# time.
sub plain { my ($value) = @_; return ref $value eq 'ARRAY' ? $value : ref $value eq 'SCALAR' ? $$value : ref $value ? $value ? 1 : 0 : $value }

sub compare {
    my ($field, $one, $other) = @_;
    ($one, $other) = map { $place{$_} } $one, $other if $field eq 'color';
    ($one, $other) = map { seconds($_) } $one, $other if $field eq 'baking';
    return $is_text{$field} ? fold($one) cmp fold($other) : is_compared_as_number($field) ? $one <=> $other : $one cmp $other;
}

sub is_compared_as_number { my ($field) = @_; return $is_number{$field} || $is_boolean{$field} || $field eq 'color' || $field eq 'baking' }

sub seconds { my ($text) = @_; my %in = (W => 604_800, D => 86_400, H => 3600, M => 60, S => 1); my $sum = 0; $sum += $1 * $in{$2} while $text =~ /(\d+)(\w)/g; return $sum }

sub equals { my ($field, $one, $other) = @_; return $field eq 'baking' ? seconds($one) == seconds($other) : $is_number{$field} ? $one == $other : $one eq $other }

# For each operator, returns a test of a value that is set.
my %TEST = (
    '' => sub { my ($field, $one) = @_; return sub { equals($field, $_[0], $one) } },
    ne => sub { my ($field, $one) = @_; return sub { !equals($field, $_[0], $one) } },
    lt => sub { my ($field, $one) = @_; return sub { compare($field, $_[0], $one) < 0 } },
    lte => sub { my ($field, $one) = @_; return sub { compare($field, $_[0], $one) <= 0 } },
    gt => sub { my ($field, $one) = @_; return sub { compare($field, $_[0], $one) > 0 } },
    gte => sub { my ($field, $one) = @_; return sub { compare($field, $_[0], $one) >= 0 } },
    prefix => sub { my ($field, $one) = @_; my $prefix = fold($one); return sub { index(fold($_[0]), $prefix) == 0 } },
    in => sub { my ($field, @values) = @_; return sub { my ($is) = @_; any { equals($field, $is, $_) } @values } },
);

sub meets_list {
    my ($has, $op, @values) = @_;
    my $found = grep { my $value = $_; any { $value eq $_ } @$has } @values;
    return $op eq 'exists' ? (@$has > 0) == $values[0] : $op eq 'all' ? $found == @values : $found > 0;
}

sub test_of {
    my ($field, $op, @values) = @_;
    return sub { meets_list($_[0]{$field} // [], $op, @values) } if $field eq 'tags';
    return sub { defined $_[0]{$field} == $values[0] } if $op eq 'exists';
    my $test = $TEST{$op}->($field, @values);
    return sub { defined $_[0]{$field} && $test->(plain($_[0]{$field})) };
}

# Return the fields that q searches, and their texts.
sub searched_names { my ($who) = @_; return ('name', 'category', grep { $line{$_}{search} } own_names($who)) }
sub texts_of { my ($product, @fields) = @_; return map { my $value = $product->{$_}; ref $value ? @$value : $value // () } @fields }

# Returns true if the product has one of the words. Each is [text, true if it must be a whole word].
sub has_word {
    my ($product, $fields, @words) = @_;
    return any { my $has = $_; any { $_->[1] ? $has eq $_->[0] : index($has, $_->[0]) == 0 } @words } map { words($_) } texts_of($product, @$fields);
}

# Returns a word joined with one or two neighbours.
sub neighbours_of {
    my ($i, @asked) = @_;
    my @found;
    for my $from (max(0, $i - 2) .. $i) {
        for my $to (max($i, $from + 1) .. min($from + 2, $#asked)) {
            push @found, join '', map { $_->[0] } @asked[$from .. $to] if !grep { !defined $_->[1] } @asked[$from + 1 .. $to];
        }
    }
    return grep { is_short($_) } @found;
}

# Returns a test of products: true if these fields have all words of the question, or texts that may replace them. With
# $is_whole, words must match whole words, and numbers without their letters do not match.
sub words_test {
    my ($question, $corrected, $is_whole, @fields) = @_;
    my $is_exact = ($question->{match} // '') eq 'exact';
    my @asked = asked(join(' ', @{ $question->{words} // [] }), $is_exact);
    my @terms = $is_exact ? () : terms_of(@asked);
    my $find = sub { my ($product, $words, @more) = @_; return has_word($product, \@fields, (map { [$_, $is_whole || $is_exact] } grep { defined } @$words), @more) };
    my @tests = map {
        my ($word, $joined, $number) = @{ $asked[$_] };
        my @own = ($word, $joined, $is_exact ? neighbours_of($_, @asked) : $is_whole ? undef : $number);
        my @of_word = @{ $terms[$_] // [] };
        sub {
            my ($product) = @_;
            return $find->($product, \@own, @{ $corrected->{$word} // [] }) || any { my $term = $_; !any { !$find->($product, $_) } @$term } @of_word;
        }
    } 0 .. $#asked;
    return sub { my ($product) = @_; return !any { !$_->($product) } @tests };
}

sub all_meet {
    my ($tests, @products) = @_;
    for my $test (@$tests) {
        @products = grep { $test->($_) } @products;
    }
    return @products;
}

sub visible_to { my ($question, @products) = @_; return $question->{who} eq 'writer' ? @products : all_meet([map { test_of(@$_) } @{ $question->{visible} // [] }], @products) }

# Returns the products that match, with the corrections in $corrected, by word.
sub match_with {
    my ($question, $corrected, @products) = @_;
    my @tests = (words_test($question, $corrected, 0, searched_names($question->{who})), map { test_of(@$_) } @{ $question->{conditions} });
    return all_meet(\@tests, @products);
}

# Returns the corrections of a question as { word => [[text, is whole]...] }. Returns {} unless fewer products match
# than an answer may have. Corrects the words that no word of a product begins with. Corrects all words if there are no
# such words, or if still fewer products match.
sub find_corrected {
    my ($question, @products) = @_;
    return {} if ($question->{match} // '') ne '' || !$question->{limit} || !@{ $question->{words} // [] } || match_with($question, {}, @products) >= $question->{limit};
    my (%known, %written);
    for my $product (@products) {
        my @texts = texts_of($product, searched_names($question->{who}));
        $written{$_} = 1 for map { written($_) } @texts;
        $known{$_} = 1 for map { words($_) } @texts;
    }
    my @asked = asked(join ' ', @{ $question->{words} });
    my @terms = terms_of(@asked);
    my %others = map { $asked[$_][0] => [others_of($asked[$_], $terms[$_])] } 0 .. $#asked;
    splice @asked, 8 if @asked > 8;
    my @unknown = grep { my $word = $_->[0]; !grep { index($_, $word) == 0 } keys %known } @asked;
    my $corrected = correct(\%written, \%others, @unknown);
    return @unknown && match_with($question, $corrected, @products) >= $question->{limit} ? $corrected : correct(\%written, \%others, @asked);
}

# Returns the corrections of the words. $others has, by word, the texts that may already replace it.
sub correct {
    my ($written, $others, @asked) = @_;
    my %corrected = map { $_->[0] => [likely_words($written, $_->[0], @{ $others->{ $_->[0] } })] } grep { $_->[0] =~ /^$LETTERS\z/ && length $_->[0] >= 3 } @asked;
    return { map { @{ $corrected{$_} } ? ($_ => $corrected{$_}) : () } keys %corrected };
}

# Returns the products that match, in no order.
sub matches {
    my ($question, @products) = @_;
    my @visible = visible_to($question, @products);
    return match_with($question, find_corrected($question, @visible), @visible);
}

# Returns the number of characters from $from on that fold to the word; the last one may fold to more. Returns 0 if they
# do not.
sub measure_spelling {
    my ($word, $from, @characters) = @_;
    my $at = $from;
    for (; $at < @characters; $at++) {
        my $folded = fold_text($characters[$at]);
        last if length $folded && !length $word;
        my $length = min(length $folded, length $word);
        if (substr($folded, 0, $length) eq substr $word, 0, $length) {
            $word = substr $word, $length;
        } elsif ($at == $from || $characters[$at] !~ /^$JOINER\z/) {
            return 0;
        }
    }
    return length $word ? 0 : $at - $from;
}

# Returns how the text spells a word or the beginning of one, in lower case.
sub spelling_of {
    my ($text, $word) = @_;
    my @characters = split //, $text;
    my ($begun, $is_within) = (undef, 0);
    for my $at (0 .. $#characters) {
        my $is_letter = $characters[$at] =~ /^$LETTERS\z/;
        my $length = $is_letter && !$is_within ? measure_spelling($word, $at, @characters) : 0;
        if ($length) {
            my $spelling = join '', map { substr lc, 0, 1 } @characters[$at .. $at + $length - 1];
            return $spelling if ($characters[$at + $length] // '') !~ /^$LETTERS\z/;
            $begun //= $spelling;
        }
        $is_within = $is_letter || ($is_within && $characters[$at] =~ /^\p{M}/);
    }
    return $begun;
}

# Returns the corrections that an answer with these products reports. For each of its first hundred products that does
# not have a word of the question, this is the best correction that the product has. Returns undef if there are none.
sub corrected {
    my ($question, $page, @products) = @_;
    my $corrected = find_corrected($question, visible_to($question, @products));
    my @asked = %$corrected ? asked(join ' ', @{ $question->{words} }) : ();
    my @terms = terms_of(@asked);
    my @names = searched_names($question->{who});
    @names = ((grep { !is_private($_) } @names), grep { is_private($_) } @names); # the server has them in this order
    my %named;
    for my $product (@$page[0 .. min(99, $#$page)]) {
        my @texts = map { ref ? join "\n", @$_ : $_ } grep { defined } map { $product->{$_} } @names;
        my @has = map { words($_) } @texts;
        my $has_any = sub { my @words = grep { defined } @_; return any { my $has = $_; any { index($has, $_) == 0 } @words } @has };
        for my $i (grep { $corrected->{ $asked[$_][0] } } 0 .. $#asked) {
            my $word = $asked[$i][0];
            next if $has_any->(@{ $asked[$i] }) || any { my $term = $_; !any { !$has_any->(@$_) } @$term } @{ $terms[$i] };
            my ($likeliest) = grep { my ($other, $is_whole) = @$_; grep { $is_whole ? $_ eq $other : index($_, $other) == 0 } @has } @{ $corrected->{$word} };
            $named{$word}{ $likeliest->[0] } //= (grep { defined } map { spelling_of($_, $likeliest->[0]) } @texts)[0] // $likeliest->[0] if $likeliest;
        }
    }
    return %named ? { map { my $word = $_; $word => [map { $named{$word}{ $_->[0] } // () } @{ $corrected->{$word} }] } keys %named } : undef;
}

# ---- order ----

# Returns the value by which a product is ordered: a text, or a number. Returns undef if it is not set; this is lower
# than any value.
sub key {
    my ($field, $product) = @_;
    my $value = plain($product->{$field});
    return undef if !defined $value;
    return $is_text{$field} ? fold($value) : $field eq 'color' ? $place{$value} : $field eq 'baking' ? seconds($value) : $value;
}

sub compare_keys {
    my ($is_number, $x, $y) = @_;
    return defined($x) <=> defined($y) if !defined $x || !defined $y;
    return $is_number ? $x <=> $y : $x cmp $y;
}

# Compares two values in a list of values: in the order of lists, but choices by their texts.
sub compare_values {
    my ($field, $one, $other) = @_;
    return $is_number{$field} ? $one <=> $other : fold($one) cmp fold($other) || $one cmp $other;
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

# Returns the products of a list by relevance, in order. The newest $most products of each class take part.
sub ranked {
    my ($question, $most, @products) = @_;
    my @newest = ordered({ %$question, sort => [] }, visible_to($question, @products));
    my $corrected = find_corrected($question, @newest);
    my %insides = map { $_ => [grep { $_->[1] } @{ $corrected->{$_} }] } keys %$corrected;
    my %taken;
    @newest = all_meet([map { test_of(@$_) } @{ $question->{conditions} }], @newest);
    return map {
        my ($others, $is_whole) = @$_;
        my ($is_found, $is_named) = map { words_test($question, $others, $is_whole, @$_) } [searched_names($question->{who})], ['name'];
        my @class = grep { defined } (grep { $is_found->($_) } @newest)[0 .. $most - 1];
        @class = grep { !$taken{ $_->{id} }++ } @class;
        (grep({ $is_named->($_) } @class), grep { !$is_named->($_) } @class);
    } [{}, 1], [{}, 0], %$corrected ? ([\%insides, 0], [$corrected, 0]) : ();
}

# ---- random products ----

my @WORDS = ('red', 'Red', 'REDDER', 'kettle', 'Kettle', "k\x{e9}ttle", "ke\x{301}ttle", 'tea', 'teapot', 'Tee', "T\x{fc}r", 'tur', "stra\x{df}e",
    'STRASSE', "\x{fb01}ne", 'fine', "\x{3a3}\x{3c3}\x{3c2}", "\x{130}", 'i', "\x{1c4}", "\x{41a}\x{43e}\x{444}\x{435}", "\x{30c6}\x{30ec}\x{30d3}",
    "\x{65e5}\x{672c}", "\x{4e09}\x{5fb3}\x{5305}\x{4e01}", "\x{5305}\x{4e01}", "\x{d55c}\x{ad6d}\x{c5b4}", "\x{e0a}\x{e32}\x{e44}\x{e17}\x{e22}", "LED\x{96fb}\x{7403}",
    'Wi-Fi', 'wifi', 'wi', 'fi', 'AC/DC', 'USB-C', 'usb', 'c', 'M5799DWF', 'M5799', 'm', '5799', 'dwf', 'M-5799-DWF', 'Galaxy24', 'Galaxy5', 'galaxy', '24', "\x{141}\x{f3}d\x{17a}", 'lodz',
    "r\x{f8}d", 'rod', "\x{c6}ble", "\x{131}\x{11f}d\x{131}r", 'T-Shirt', 'shirt', 'ml', '500', '2.5', '80 x 120 cm', '80x120', 'wi-fi 6', '978-3-16', 'tea-kettle', 'teakettle', "tea\x{2013}kettle", "tea\x{200c}pot", '2 litres', '2litres', 'for a spoon', "gr\x{fc}n", '5', '50', '5.5', "\x{bd}", "\x{2460}", 'a_b', '%', "o'clock", '\\', "\x{1f600}", 'x-1', '"q"', "80\x{d7}120", 'm 5799-dwf', "\x{30b4}\x{30eb}\x{30d5}\x{30fb}\x{30af}\x{30e9}", "\x{30b4}\x{30eb}\x{30d5}\x{30af}\x{30e9}",
    "\x{c804}\x{ae30} \x{c8fc}\x{c804}\x{c790}", "\x{c804}\x{ae30}\x{c8fc}\x{c804}\x{c790}");
my @CATEGORIES = ('', 'tea', 'Tea', "t\x{e9}a", 'red', 'a,b', 'a\\', "a\\,b", 'b & c=d', '100 %', "stra\x{df}e", 'zz', 'home kettle', "\x{65e5}", '<x>');
my @PRICES = (0, 0.1, 0.3, 0.30000000000000004, 1, 1.5, 5, 19.99, 20, 100, 1_000_000_000_000_000, 1e300); # in the form in which the server returns them

sub pick { return $_[int rand @_] }

# $unique is a number that no other product has.
sub random_product {
    my ($unique) = @_;
    return {
        name => join(pick(' ', ' ', ' ', '-', '  '), map { pick(@WORDS) } 1 .. 1 + int rand 4),
        category => pick(@CATEGORIES),
        price => pick(@PRICES),
        inStock => pick(\1, \0),
        rand() < 0.7 ? (rating => pick(0, 0.5, 1, 2.5, 4, 4.5, 5)) : (),
        random_own($unique),
    };
}

my %OWN_VALUE = (
    sku => sub { "S-$_[0]" },
    (map { $_ => sub { pick(@WORDS) } } qw(brand note)),
    about => sub { join ' ', map { pick(@WORDS) } 1 .. 1 + int rand 12 },
    link => sub { pick('https', 'http') . '://shop.example.com/' . pick('', 'a', 'A', 'red') },
    born => sub { sprintf '20%02d-01-%02d', 10 + int rand 3, 1 + int rand 28 },
    baking => sub { pick(qw(PT1H30M PT90M PT5400S P1D PT24H P1W P7D PT0S PT1H1S PT10H)) },
    weight => sub { pick(@PRICES, map { -$_ } @PRICES[1 .. $#PRICES]) },
    quantity => sub { int rand(40) - 20 },
    published => sub { pick(\1, \0) },
    color => sub { pick(@COLORS) },
    seen => sub { sprintf '%s-11-21T09:30:00.%03dZ', pick(1969, 2025, 2026), rand 3 },
    tags => sub { [(shuffle('red', 'Red', 'steel', 'a,b', 'x', "k\x{e9}ttle", '5'))[0 .. rand 4]] },
    box => sub { pick({ w => 1, d => [1.5, undef, "\x{e9}"] }, [], 'x', 2.5, \1) },
);

# Returns values for the fields that have lines. The server makes slugs.
sub random_own {
    my ($unique) = @_;
    return map { $line{$_}{required} || rand() < 0.7 ? ($_ => $OWN_VALUE{$_}->($unique)) : () } grep { $line{$_} } sort keys %OWN_VALUE;
}

sub random_change {
    my ($unique) = @_;
    my $change = random_product($unique);
    my @names = shuffle(sort keys %$change);
    delete @$change{ @names[0 .. rand @names] };
    $change->{$_} = undef for grep { rand() < 0.15 && !$line{$_}{required} } 'rating', grep { $line{$_} } sort keys %OWN_VALUE;
    return $change;
}

# ---- random questions ----

my %OPERATORS = (
    id => ['', 'in'],
    name => ['', qw(ne lt lte gt gte in prefix prefix prefix)],
    price => ['', qw(ne lt lte gt gte in)],
    category => ['', '', '', qw(ne lt lte gt gte in in prefix)],
    inStock => ['', '', 'in'],
    rating => ['', qw(ne lt lte gt gte in exists)],
    createdAt => ['', qw(ne lt lte gt gte in)],
    (map { $_ => ['', qw(ne lt lte gt gte in prefix exists)] } qw(sku slug brand note link born)),
    (map { $_ => ['', qw(ne lt lte gt gte in exists)] } qw(weight quantity seen baking changed)),
    published => ['', '', 'in', 'exists'],
    color => ['', qw(ne in exists)],
    tags => ['', '', 'in', 'all', 'all', 'exists'],
);

# Returns a value for a condition: usually a value that some product has, but for each kind sometimes a value that none
# has.
sub random_value {
    my ($field, @products) = @_;
    my $value = plain(pick(@products)->{$field} // ($OWN_VALUE{$field} ? $OWN_VALUE{$field}->(int rand 200) : undef));
    return pick(@$value, 'red') if $field eq 'tags';
    return $value // pick(@products)->{createdAt} if $own{$field} && $field !~ /^(?:brand|note|slug|weight)$/;
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

# Returns true if the server accepts the value.
sub is_askable {
    my ($field, $op, @values) = @_;
    return 0 if $field eq 'name' && any { !length } @values;
    return 0 if $op eq 'in' && !grep { length } @values;
    return $op ne 'prefix' || length fold($values[0]);
}

sub random_condition {
    my ($who, @products) = @_;
    my @own = map { ($_) x $own{$_}{often} } grep { is_indexed($_) } own_names($who);
    my $field = pick(qw(id name name price price category category category inStock rating createdAt), @own);
    my $op = pick(@{ $OPERATORS{$field} });
    my @values = random_values($field, $op, @products);
    return is_askable($field, $op, @values) ? [$field, $op, @values] : ();
}

sub random_conditions {
    my ($who, $count, @products) = @_;
    my %conditions = map { ("@$_[0, 1]" => $_) } map { random_condition($who, @products) } 1 .. $count;
    return shuffle(values %conditions);
}

sub random_words {
    my ($who, @products) = @_;
    return () if rand() < 0.6;
    my @searched = searched_names('writer'); # readers ask for words that they do not find, too
    my @term = rand() < 0.2 ? split / /, pick(@TERMS) : ();
    return (@term, map {
        my $product = pick(@products);
        my @has = ((map { words($_) } texts_of($product, @searched)), words(pick(@WORDS)));
        @has ? rand() < 0.4 ? pick(@has) : rand() < 0.3 ? random_slip(pick(@has)) : random_prefix(pick(@has)) : ();
    } 1 .. (@term ? int rand 2 : 1 + int rand 3));
}

# Returns a substring of a word, or the word with a typo.
sub random_slip {
    my ($word) = @_;
    my $at = int rand length $word;
    return $word if length $word < 3;
    return length $word > 3 && rand() < 0.5 ? substr $word, 1 + int rand 3 : rand() < 0.5 ? substr($word, 0, $at) . pick('', 'e', 'x') . substr $word, $at + 1
        : substr($word, 0, $at) . pick('e', 't') . substr $word, $at;
}

# Returns one or two words that products have, most of them with a typo.
sub words_meant {
    my (@products) = @_;
    my @has = grep { /^$LETTERS\z/ && length >= 4 } map { words($_) } map { texts_of($_, searched_names('writer')) } map { pick(@products) } 1 .. 5;
    return @has ? map { random_slip(pick(@has)) } 1 .. pick(1, 1, 2) : 'tea';
}

# Returns an order by the second field of an index of two fields, if one of the conditions has one.
sub order_of_pair {
    my ($who, @conditions) = @_;
    my ($by) = map { /^by=(.*)/ } map { keys %{ $line{ $_->[0] } // {} } } grep { $_->[1] eq '' } @conditions;
    return defined $by && sees($who, $by) && rand() < 0.6 ? [$by, pick(0, 1)] : ();
}

sub random_sort {
    my ($who, @conditions) = @_;
    my @of_pair = order_of_pair($who, @conditions);
    return @of_pair if @of_pair || rand() < 0.4;
    my @fields = shuffle(@BUILT_IN, grep { is_indexed($_) && $own{$_}{type} ne 'strings' } own_names($who));
    return map { [$_, pick(0, 1)] } @fields[0 .. int rand 3];
}

sub random_question {
    my ($who, @products) = @_;
    my @conditions = random_conditions($who, pick(0, 0, 1, 1, 1, 2, 2, 3, 4, 6), @products);
    my @words = random_words($who, @products);
    my $is_ranked = @words && rand() < 0.4;
    return { who => $who, conditions => \@conditions, words => \@words, match => pick('', '', 'prefix', 'exact'), relevance => $is_ranked,
        sort => [$is_ranked ? () : random_sort($who, @conditions)] };
}

# ---- query strings ----

sub encoded {
    my ($text) = @_;
    utf8::encode($text);
    return $text =~ s/([^\w.~-])/rand() < 0.1 && $1 eq ' ' ? '+' : sprintf '%%%02X', ord $1/egr =~ s/[\x80-\xff]/sprintf '%%%02X', ord $&/egr;
}

sub spell_value {
    my ($field, $value) = @_;
    return $is_number{$field} ? sprintf '%.17g', $value : $is_boolean{$field} ? $value ? 'true' : 'false' : $value;
}

# Spells a list either with commas in one parameter, as people do, or with a parameter for each value, as clients send
# arrays.
sub spell_list {
    my ($name, @values) = @_;
    return "$name=" . join ',', map { encoded(s/([,\\])/\\$1/gr) } @values if rand() < 0.5;
    my $is_marked = @values == 1 || rand() < 0.5; # one value without the mark would be split at commas
    return join '&', map { $name . ($is_marked ? pick('[]', '%5B%5D') : '') . '=' . encoded($_) } @values;
}

sub spell_condition {
    my ($field, $op, @values) = @_;
    my @spelled = map { spell_value($op eq 'exists' ? 'inStock' : $field, $_) } @values;
    my $name = $field . ($op eq '' ? '' : rand() < 0.5 ? "[$op]" : "%5B$op%5D");
    return $op eq 'in' || $op eq 'all' ? spell_list($name, @spelled) : "$name=" . encoded($spelled[0]);
}

# Returns conditions, words and order as parameters in random order.
sub query_of {
    my ($question) = @_;
    my @parameters = map { spell_condition(@$_) } @{ $question->{conditions} };
    push @parameters, 'q=' . encoded(join ' ', map { rand() < 0.3 ? ucfirst : $_ } @{ $question->{words} }) if @{ $question->{words} // [] };
    push @parameters, "match=$question->{match}" if $question->{match};
    push @parameters, 'sort=relevance' if $question->{relevance};
    push @parameters, spell_list('sort', map { ($_->[1] ? '-' : '') . $_->[0] } @{ $question->{sort} }) if @{ $question->{sort} // [] };
    return join '&', shuffle(@parameters);
}

1;
