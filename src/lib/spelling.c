/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits words into trigrams, and counts the edits between two words.
 *
 * A dictionary that lists words by their trigrams finds the words similar to a searched word as follows. A word that
 * contains the searched word has all of its trigrams, so looking up the rarest one is enough. A word that is one edit
 * away lacks at most four successive trigrams, as "kettle" and "kettel" show:
 *
 *     <ke ket ett ttl tle le>
 *     <ke ket ett tte tel el>
 *
 * So it has at least one of two trigrams that are four positions apart, and a word that is two edits away has at least
 * one of three. With the marks < and >, a word has as many trigrams as letters, so one edit requires five letters and
 * two edits nine. A word with an ending, "kettles", lacks the last trigram and so requires one letter more.
 *
 * The distance is optimal string alignment: edits do not overlap.
 */
#include "lib/spelling.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/text.h"

int cat_spelling_edits(int letters)
{
    return letters >= CAT_SPELLING_SLIPS_LEAST ? 2 : letters >= CAT_SPELLING_SLIP_LEAST ? 1 : 0;
}

int cat_spelling_edits_with_ending(int letters)
{
    return letters > CAT_SPELLING_SLIPS_LEAST ? 2 : letters >= CAT_SPELLING_SLIP_LEAST ? 1 : 0;
}

apr_array_header_t *cat_spelling_parts(apr_pool_t *pool, const char *word)
{
    apr_array_header_t *parts = apr_array_make(pool, 12, sizeof(const char *));
    const char *text = apr_pstrcat(pool, "<", word, ">", NULL), *end = text + strlen(text);
    const char *one = text, *two = text; /* beginnings of the last letter but one, and of the last letter */
    apr_int32_t letter;

    for (int count = 1; text < end; count++) {
        const char *three = text;
        text += cat_text_read(text, (apr_size_t)(end - text), &letter);
        if (count >= 3) {
            APR_ARRAY_PUSH(parts, const char *) = apr_pstrmemdup(pool, one, (apr_size_t)(text - one));
        }
        one = two;
        two = three;
    }
    return parts;
}

static int least_of(int one, int other)
{
    return one < other ? one : other;
}

static int is_within(char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Returns the position after the first character. Returns `text` if it is empty. */
static const char *behind_first(const char *text)
{
    if (*text) {
        do {
            text++;
        } while (is_within(*text));
    }
    return text;
}

static int is_ending(const char *text, int most)
{
    for (; *text && most; most--) {
        text = behind_first(text);
    }
    return !*text;
}

/* Skips equal beginnings: one of the best alignments of both words has its first edit at the first difference. */
int cat_spelling_compare(const char *one, const char *other, int ending, int most)
{
    const char *second = behind_first(one), *other_second = behind_first(other);
    size_t first = (size_t)(second - one), other_first = (size_t)(other_second - other);
    int edits;

    if (!*one && is_ending(other, ending)) {
        return 0;
    }
    if (first == other_first && !strncmp(one, other, first)) {
        return cat_spelling_compare(second, other_second, ending, most);
    }
    if (!most) {
        return 1;
    }
    edits = cat_spelling_compare(second, other_second, ending, most - 1);
    if (*one) {
        edits = least_of(edits, cat_spelling_compare(second, other, ending, most - 1));
    }
    if (*other) {
        edits = least_of(edits, cat_spelling_compare(one, other_second, ending, most - 1));
    }
    if (*one && *other && !strncmp(second, other, other_first) && !strncmp(other_second, one, first)) {
        edits = least_of(edits, cat_spelling_compare(second + other_first, other_second + first, ending, most - 1));
    }
    return edits + 1;
}
