/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits folded texts into words: those of products and those of search queries.
 *
 * A text is first split into pieces: runs of letters, runs of digits, and single characters of scripts without blanks
 * between words. Each piece records the gap to the piece before it:
 *
 *     "wi-fi m5799dwf, 500 ml galaxy24"    wi  -fi   m 5799 dwf   500  ml   galaxy 24
 *                                          APART     BLANK        APART     BLANK
 *                                              JOINED  WITHIN          BLANK       ADJACENT
 *
 * A word is a run of pieces without gaps. A long name next to a number makes two words.
 *
 * Words are also joined across a hyphen or a similar character, across a blank if they are short, and across no gap.
 * For each joined piece, a product has a further word from that piece to the end of the joined pieces (wifi, 5799dwf,
 * 500ml, galaxy24). A query has no further words, but each of its words may also match together with the word before
 * it. Since a query word matches the beginning of a product's word, this is enough: wifi, wi-fi and wi fi find each
 * other, and so do m5799dwf, m5799-dwf and m 5799 dwf.
 * docs/decisions/0102-words-as-people-write-them.md has the alternatives.
 */
#include "lib/words.h"

#include <stdlib.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>
#include <utf8proc.h>

#include "lib/fold.h"
#include "lib/text.h"

/* Number of joined pieces at which further words begin. Later pieces are in the middle of a long number or address. */
#define SPLIT_MAX 8

#define SHORT_BOTH 4    /* letters of two joined words together: "wi fi" */
#define SHORT_LETTERS 3 /* letters of a word that is joined to a number: "500 ml", "xps 13" */
#define SHORT_DIGITS 4
#define LONG_LETTERS 4 /* letters of a name that makes an adjacent number a separate word: "galaxy24", "2litres" */
#define LONG_DIGITS 4  /* digits of a number that also matches without the letters before it: "m5799" */
#define TIMES 0xD7     /* the multiplication sign, which folds to "x" */
#define PAIRS_ALL 10   /* characters of a query up to which all pairs are searched; above, every second pair */

typedef enum { NO_PIECE, LETTERS, DIGITS, PAIRED } kind_t;
typedef enum { WITHIN, ADJACENT, JOINED, BLANK, APART } gap_t;

typedef struct piece_t {
    const char *text;
    apr_size_t bytes;
    int characters;
    kind_t kind;
    gap_t before;
    int word_end, end; /* index of the last piece of the word, and of the last joined piece */
    int place;         /* index among the joined pieces, from 0 */
} piece_t;

/* ---- pieces ---- */

/* Scripts without blanks between words, and Hangul, which has few. Folded texts have no combining marks and no
 * compatibility forms of these characters. */
static const struct {
    utf8proc_int32_t first, last;
} paired[] = {
    {0x0E01, 0x0EFF},                                       /* Thai, Lao */
    {0x1000, 0x109F},                                       /* Myanmar */
    {0x1100, 0x11FF},                                       /* Hangul, whose syllables are decomposed */
    {0x1780, 0x17FF},                                       /* Khmer */
    {0x2E80, 0x2FDF},                                       /* radicals of Han */
    {0x3005, 0x3007},                                       /* repetition marks of Han, and zero */
    {0x3021, 0x3029},                                       /* numerals of Han */
    {0x3031, 0x303C},   {0x3041, 0x30FF},                   /* Hiragana, Katakana */
    {0x31F0, 0x31FF},                                       /* Katakana */
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},                   /* Han */
    {0xA960, 0xA97F},   {0xA9E0, 0xA9FF}, {0xAA60, 0xAA7F}, /* Hangul, Myanmar */
    {0xD7B0, 0xD7FF},                                       /* Hangul */
    {0x1AFF0, 0x1B16F},                                     /* Katakana, Hiragana */
    {0x20000, 0x3FFFF},                                     /* Han */
};

static int is_paired(utf8proc_int32_t character)
{
    size_t i = 0;

    while (i < sizeof(paired) / sizeof(paired[0]) && character > paired[i].last) {
        i++;
    }
    return i < sizeof(paired) / sizeof(paired[0]) && character >= paired[i].first;
}

static kind_t kind_of(utf8proc_int32_t character)
{
    if (character < 0x80) {
        return apr_isalpha(character) ? LETTERS : apr_isdigit(character) ? DIGITS : NO_PIECE;
    }
    if (character == TIMES) {
        return LETTERS;
    }
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
        return is_paired(character) ? PAIRED : LETTERS;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO:
        return DIGITS;
    default:
        return NO_PIECE;
    }
}

/* Folded texts have no marks; cat_words_split and cat_words_find_spelling also read texts that are not folded. */
static int is_mark(utf8proc_int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);

    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

/* A vowel or final consonant of Hangul is part of the syllable before it. */
static int is_in_syllable(utf8proc_int32_t character)
{
    return (character >= 0x1160 && character <= 0x11FF) || (character >= 0xD7B0 && character <= 0xD7FF);
}

static int is_joiner(utf8proc_int32_t character)
{
    switch (character) {
    case 0xAD:   /* soft hyphen */
    case 0xB7:   /* middle dot, as in Catalan */
    case 0x200B: /* zero width space */
    case 0x200C: /* zero width non-joiner */
    case 0x200D: /* zero width joiner */
    case 0x2010: /* hyphen */
    case 0x2013: /* en dash */
    case 0x2019: /* apostrophe */
    case 0x2060: /* word joiner */
    case 0x30FB: /* Katakana middle dot */
        return 1;
    default:
        return character && character < 0x80 && strchr("-/'._&+", character);
    }
}

/* Returns the gap between two pieces. `bytes` is its length, and `between` its only character, or 0 if it has
 * several. */
static gap_t gap_of(const piece_t *before, kind_t kind, apr_size_t bytes, utf8proc_int32_t between)
{
    if (!before) {
        return APART;
    }
    if (bytes == 0) {
        return (before->kind == PAIRED) == (kind == PAIRED) ? WITHIN : APART;
    }
    if ((before->kind == PAIRED) != (kind == PAIRED)) {
        return APART;
    }
    if (between == ' ') {
        return BLANK;
    }
    /* "2.5" and "1/2" are not 25 and 12, but digits around a hyphen may be an article number */
    return is_joiner(between) && (between == '-' || before->kind != DIGITS || kind != DIGITS) ? JOINED : APART;
}

static int begins_word(const piece_t *piece)
{
    return piece->before != WITHIN;
}

static apr_size_t count_bytes(const piece_t *pieces, int from, int to)
{
    apr_size_t bytes = 0;

    for (int i = from; i <= to; i++) {
        bytes += pieces[i].bytes;
    }
    return bytes;
}

static int is_name(const piece_t *piece)
{
    return piece->kind == LETTERS && piece->characters >= LONG_LETTERS;
}

/* Returns true if the word consists of a name and a number: "galaxy24", "2litres". People write these with or without a
 * blank. */
static int is_name_and_number(const piece_t *pieces, int count, int i)
{
    return begins_word(&pieces[i]) && i + 1 < count && !begins_word(&pieces[i + 1]) &&
           (i + 2 == count || begins_word(&pieces[i + 2])) && (is_name(&pieces[i]) || is_name(&pieces[i + 1])) &&
           count_bytes(pieces, i, i + 1) <= CAT_WORDS_JOINED_MAX;
}

static void separate_names(piece_t *pieces, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_name_and_number(pieces, count, i)) {
            pieces[i + 1].before = ADJACENT;
        }
    }
}

static int are_short(const piece_t *letters, const piece_t *digits)
{
    return letters->kind == LETTERS && digits->kind == DIGITS && letters->characters <= SHORT_LETTERS &&
           digits->characters <= SHORT_DIGITS;
}

/* Returns true if people often write the word that ends with `one`, and `next`, without the blank between them: "500
 * ml", "80x120 cm", "wi fi", "xps 13", "t shirt". */
static int is_often_joined(const piece_t *one, const piece_t *next, int is_next_whole)
{
    if (is_next_whole && are_short(next, one)) {
        return 1;
    }
    if (!begins_word(one) || one->kind != LETTERS) {
        return 0;
    }
    return one->characters == 1 ||
           (is_next_whole &&
            (are_short(one, next) || (next->kind == LETTERS && one->characters + next->characters <= SHORT_BOTH)));
}

static int is_joined(const piece_t *pieces, int next)
{
    const piece_t *piece = &pieces[next];

    return piece->before <= JOINED ||
           (piece->before == BLANK && is_often_joined(piece - 1, piece, piece->word_end == next));
}

/* Sets the ends, from the last piece to the first, and then the places. */
static void find_ends(piece_t *pieces, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        int is_last = i + 1 == count || pieces[i].kind == PAIRED;
        pieces[i].word_end = is_last || begins_word(&pieces[i + 1]) ? i : pieces[i + 1].word_end;
        pieces[i].end = is_last || !is_joined(pieces, i + 1) ? i : pieces[i + 1].end;
    }
    for (int i = 1; i < count; i++) {
        pieces[i].place = pieces[i - 1].end == pieces[i].end ? pieces[i - 1].place + 1 : 0;
    }
}

static apr_array_header_t *split_pieces(apr_pool_t *pool, const char *folded)
{
    apr_array_header_t *pieces = apr_array_make(pool, 12, sizeof(piece_t));
    const char *end = folded + strlen(folded), *gap = folded;
    utf8proc_int32_t character, between = 0;
    piece_t *last = NULL;

    for (apr_size_t bytes; folded < end; folded += bytes) {
        kind_t kind;
        bytes = cat_text_read(folded, (apr_size_t)(end - folded), &character);
        kind = kind_of(character);
        if (kind == NO_PIECE && last && folded == gap && is_mark(character)) {
            last->bytes += bytes;
            gap = folded + bytes;
            continue;
        }
        if (kind == NO_PIECE) {
            between = folded == gap ? character : 0;
            continue;
        }
        if (!last || gap < folded || kind != last->kind || (kind == PAIRED && !is_in_syllable(character))) {
            piece_t piece = {folded, 0, 0, kind, gap_of(last, kind, (apr_size_t)(folded - gap), between), 0, 0, 0};
            APR_ARRAY_PUSH(pieces, piece_t) = piece;
            last = &APR_ARRAY_IDX(pieces, pieces->nelts - 1, piece_t);
        }
        last->bytes += bytes;
        last->characters++;
        gap = folded + bytes;
    }
    separate_names((piece_t *)pieces->elts, pieces->nelts);
    find_ends((piece_t *)pieces->elts, pieces->nelts);
    return pieces;
}

int cat_words_count_letters(const char *word)
{
    const char *end = word + strlen(word);
    utf8proc_int32_t character;
    int count = 0;

    for (; word < end; count++) {
        word += cat_text_read(word, (apr_size_t)(end - word), &character);
        if (kind_of(character) != LETTERS) {
            return 0;
        }
    }
    return count;
}

/* Returns the text of the pieces without the gaps, on the pool. */
static const char *join_pieces(apr_pool_t *pool, const piece_t *pieces, int from, int to)
{
    char *word = apr_palloc(pool, count_bytes(pieces, from, to) + 1), *end = word;

    for (int i = from; i <= to; i++) {
        memcpy(end, pieces[i].text, pieces[i].bytes);
        end += pieces[i].bytes;
    }
    *end = '\0';
    return word;
}

apr_array_header_t *cat_words_split(apr_pool_t *pool, const char *text)
{
    apr_array_header_t *pieces = split_pieces(pool, text), *words = apr_array_make(pool, 12, sizeof(const char *));
    const piece_t *piece = (const piece_t *)pieces->elts;

    for (int from = 0, to; from < pieces->nelts; from = to + 1) {
        for (to = from; to + 1 < pieces->nelts && piece[to + 1].text == piece[to].text + piece[to].bytes;) {
            to++;
        }
        APR_ARRAY_PUSH(words, const char *) = join_pieces(pool, piece, from, to);
    }
    return words;
}

/* ---- the words of a product ---- */

/* Returns true if nobody writes the pieces as one word: "aspoon" of "a spoon", "nroll" of "rock-n-roll". */
static int is_only_joined(const piece_t *pieces, int from, int to)
{
    int is_joined = to > from && pieces[from].before == JOINED;

    for (int i = from; i <= to; i++) {
        if (pieces[i].kind != LETTERS) {
            return 0;
        }
        is_joined = is_joined || (i > from && pieces[i].before == BLANK);
    }
    return is_joined;
}

static void add_word(apr_array_header_t *words, const piece_t *pieces, int from, int to)
{
    APR_ARRAY_PUSH(words, cat_word_t) =
        (cat_word_t){join_pieces(words->pool, pieces, from, to), is_only_joined(pieces, from, to)};
}

/* Returns the last piece up to which the joined pieces have at most CAT_WORDS_JOINED_MAX bytes. Returns i - 1 if piece
 * i alone is longer. */
static int find_end(const piece_t *pieces, int i)
{
    apr_size_t bytes = 0;
    int next = i;

    while (next <= pieces[i].end && bytes + pieces[next].bytes <= CAT_WORDS_JOINED_MAX) {
        bytes += pieces[next++].bytes;
    }
    return next - 1;
}

/* Adds the word that begins with the piece, the joined word from the piece on, and the name if it is followed by a
 * number, because a query may name only that. */
static void add_words_from(apr_array_header_t *words, const piece_t *pieces, int i)
{
    const piece_t *piece = &pieces[i];
    int end = piece->place < SPLIT_MAX ? find_end(pieces, i) : i - 1;

    if (begins_word(piece)) {
        add_word(words, pieces, i, piece->word_end);
    }
    if (end >= i && (end > piece->word_end || !begins_word(piece))) {
        add_word(words, pieces, i, end);
    }
    if (end >= i && is_name(piece) && piece->word_end > i) {
        add_word(words, pieces, i, i);
    }
}

/* Returns the last piece of the pair that begins with a character. The last character of a run is a word alone. */
static int end_of_pair(const piece_t *pieces, int count, int i)
{
    return i + 1 < count && pieces[i + 1].kind == PAIRED && pieces[i + 1].before == WITHIN ? i + 1 : i;
}

/* Adds the pair that begins with a character, and a pair across a blank or a joiner, because people leave these out. */
static void add_pairs_from(apr_array_header_t *words, const piece_t *pieces, int count, int i)
{
    add_word(words, pieces, i, end_of_pair(pieces, count, i));
    if (i + 1 < count && pieces[i + 1].kind == PAIRED &&
        (pieces[i + 1].before == JOINED || pieces[i + 1].before == BLANK)) {
        add_word(words, pieces, i, i + 1);
    }
}

/* Among equal words, sorts the words that the text has as one word first, so that drop_repeated keeps them. */
static int compare_words(const void *one, const void *other)
{
    const cat_word_t *a = one, *b = other;
    int order = strcmp(a->text, b->text);

    return order ? order : a->is_joined - b->is_joined;
}

static void drop_repeated(apr_array_header_t *words)
{
    cat_word_t *word = (cat_word_t *)words->elts;
    int distinct = 0;

    for (int i = 0; i < words->nelts; i++) {
        if (distinct == 0 || strcmp(word[distinct - 1].text, word[i].text) != 0) {
            word[distinct++] = word[i];
        }
    }
    words->nelts = distinct;
}

apr_array_header_t *cat_words_list(apr_pool_t *pool, const char *folded)
{
    apr_array_header_t *pieces = split_pieces(pool, folded), *words = apr_array_make(pool, 16, sizeof(cat_word_t));
    const piece_t *piece = (const piece_t *)pieces->elts;

    for (int i = 0; i < pieces->nelts; i++) {
        if (piece[i].kind == PAIRED) {
            add_pairs_from(words, piece, pieces->nelts, i);
        } else {
            add_words_from(words, piece, i);
        }
    }
    qsort(words->elts, (size_t)words->nelts, sizeof(cat_word_t), compare_words);
    drop_repeated(words);
    return words;
}

/* ---- the spelling of words in a text ---- */

/* Returns the number of bytes at the beginning of the text that fold to the word, including joiners between its
 * letters. The folded form of the last character may be longer than the rest of the word. Returns 0 if the text does
 * not begin with the word. */
static apr_size_t measure_spelling(apr_pool_t *pool, const char *text, const char *end, const char *word)
{
    const char *at = text;

    for (apr_size_t bytes; at < end; at += bytes) {
        utf8proc_int32_t character;
        const char *folded;
        apr_size_t length;
        bytes = cat_text_read(at, (apr_size_t)(end - at), &character);
        folded = cat_fold_text(pool, apr_pstrmemdup(pool, at, bytes));
        length = strlen(folded) < strlen(word) ? strlen(folded) : strlen(word);
        if (*folded && !*word) {
            break;
        }
        if (!strncmp(folded, word, length)) {
            word += length;
        } else if (at == text || !is_joiner(character)) {
            return 0;
        }
    }
    return *word ? 0 : (apr_size_t)(at - text);
}

static int begins_with_letter(const char *text)
{
    utf8proc_int32_t character;

    if (!*text) {
        return 0;
    }
    cat_text_read(text, strnlen(text, 4), &character);
    return kind_of(character) == LETTERS;
}

/* Prefers a whole word to the beginning of a longer word. */
const char *cat_words_find_spelling(apr_pool_t *pool, const char *text, const char *word)
{
    const char *end = text + strlen(text), *found = NULL;
    int is_within = 0;

    for (apr_size_t bytes; text < end; text += bytes) {
        utf8proc_int32_t character;
        apr_size_t length;
        bytes = cat_text_read(text, (apr_size_t)(end - text), &character);
        length = kind_of(character) == LETTERS && !is_within ? measure_spelling(pool, text, end, word) : 0;
        if (length && (!found || !begins_with_letter(text + length))) {
            found = cat_text_lower(pool, apr_pstrmemdup(pool, text, length));
            if (!begins_with_letter(text + length)) {
                return found;
            }
        }
        is_within = kind_of(character) == LETTERS || (is_within && is_mark(character));
    }
    return found;
}

/* ---- the words of a search query ---- */

typedef struct asked_t {
    const char *word, *number; /* number: the word without the letters before its number, or NULL */
    int place;                 /* index in the query */
    int is_paired;             /* true if the word consists of characters of a script without blanks */
    int is_implied;            /* true if the word is the beginning of another word of the query */
} asked_t;

/* Returns "5799dwf" for "m5799dwf". Returns NULL if the word has no such number. */
static const char *number_of(apr_pool_t *pool, const piece_t *pieces, int from, int to)
{
    return pieces[from].kind == LETTERS && pieces[from].characters <= SHORT_LETTERS && to > from &&
                   pieces[from + 1].characters >= LONG_DIGITS && count_bytes(pieces, from, to) <= CAT_WORDS_JOINED_MAX
               ? join_pieces(pool, pieces, from + 1, to)
               : NULL;
}

static void ask(apr_array_header_t *words, const piece_t *pieces, int from, int to)
{
    asked_t *asked = &APR_ARRAY_PUSH(words, asked_t);

    *asked = (asked_t){join_pieces(words->pool, pieces, from, to), number_of(words->pool, pieces, from, to),
                       words->nelts - 1, pieces[from].kind == PAIRED, 0};
}

/* Adds the pairs of a run of characters. Returns the last piece of the run. */
static int ask_pairs(apr_array_header_t *words, const piece_t *pieces, int count, int from)
{
    int to = from, step;

    while (end_of_pair(pieces, count, to) > to) {
        to++;
    }
    step = to - from < PAIRS_ALL ? 1 : 2;
    for (int i = from; i < to - 1; i += step) {
        ask(words, pieces, i, i + 1);
    }
    ask(words, pieces, to > from ? to - 1 : to, to);
    return to;
}

static int compare_asked(const void *one, const void *other)
{
    const asked_t *a = one, *b = other;
    int order = strcmp(a->word, b->word);

    return order ? order : b->place - a->place;
}

static int compare_places(const void *one, const void *other)
{
    return ((const asked_t *)one)->place - ((const asked_t *)other)->place;
}

/* Marks each word that begins another word, or equals it if `is_whole` is true. In byte order such a word is directly
 * before one that it begins. Equal words are sorted so that the first word of the query is last and not marked. */
static void find_implied(asked_t *asked, int count, int is_whole)
{
    qsort(asked, (size_t)count, sizeof(*asked), compare_asked);
    for (int i = 0; i + 1 < count; i++) {
        asked[i].is_implied = !strncmp(asked[i].word, asked[i + 1].word, strlen(asked[i].word) + (is_whole ? 1 : 0));
    }
    qsort(asked, (size_t)count, sizeof(*asked), compare_places);
}

static const char *join_to_previous(apr_pool_t *pool, const asked_t *previous, const asked_t *asked)
{
    return previous && !previous->is_paired && !asked->is_paired &&
                   strlen(previous->word) + strlen(asked->word) <= CAT_WORDS_JOINED_MAX
               ? apr_pstrcat(pool, previous->word, asked->word, NULL)
               : NULL;
}

static cat_words_asked_t ask_all(apr_pool_t *pool, const char *folded, int is_whole)
{
    apr_array_header_t *pieces = split_pieces(pool, folded), *words = apr_array_make(pool, 12, sizeof(asked_t));
    const piece_t *piece = (const piece_t *)pieces->elts;
    asked_t *asked, *previous = NULL;
    const char **kept, **joined, **numbers;
    int count = 0;

    for (int i = 0; i < pieces->nelts; i++) {
        if (piece[i].kind == PAIRED) {
            i = ask_pairs(words, piece, pieces->nelts, i);
        } else {
            ask(words, piece, i, piece[i].word_end);
            i = piece[i].word_end;
        }
    }
    asked = (asked_t *)words->elts;
    find_implied(asked, words->nelts, is_whole);
    kept = apr_palloc(pool, (apr_size_t)words->nelts * sizeof(*kept));
    joined = apr_palloc(pool, (apr_size_t)words->nelts * sizeof(*joined));
    numbers = apr_palloc(pool, (apr_size_t)words->nelts * sizeof(*numbers));
    for (int i = 0; i < words->nelts; i++) {
        if (!asked[i].is_implied) {
            kept[count] = asked[i].word;
            numbers[count] = is_whole ? NULL : asked[i].number;
            joined[count++] = join_to_previous(pool, previous, &asked[i]);
            previous = &asked[i];
        }
    }
    return (cat_words_asked_t){kept, joined, numbers, count};
}

cat_words_asked_t cat_words_ask(apr_pool_t *pool, const char *folded)
{
    return ask_all(pool, folded, 0);
}

cat_words_asked_t cat_words_ask_whole(apr_pool_t *pool, const char *folded)
{
    return ask_all(pool, folded, 1);
}
