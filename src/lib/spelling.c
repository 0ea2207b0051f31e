/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts words into parts of three letters, and counts the edits between two words.
 *
 * A dictionary that lists words by their parts is read for one word of a question as follows. A word that contains it has all of its parts, so
 * the rarest is enough. A word that is one edit away lacks at most four parts that follow each other, "kettle" and "kettel":
 *
 *     <ke ket ett ttl tle le>
 *     <ke ket ett tte tel el>
 *
 * Of two parts that are four places apart it therefore has at least one; and of three, if it is two edits away. With marks a word has as many
 * parts as letters, so five letters are enough for one edit, and nine for two.
 *
 * The distance is that of optimal string alignment: edits do not overlap.
 */
#include "lib/spelling.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/text.h"

#define LETTERS_MAX 64 /* that are compared */

typedef struct letters_t {
    int count;
    apr_int32_t all[LETTERS_MAX];
} letters_t;

/* Returns whether the word is short enough. */
static int read_letters(letters_t *letters, const char *word)
{
    const char *end = word + strlen(word);

    for (letters->count = 0; word < end && letters->count < LETTERS_MAX; letters->count++) {
        word += cat_text_read(word, (apr_size_t)(end - word), &letters->all[letters->count]);
    }
    return word == end;
}

int cat_spelling_edits(int letters)
{
    return letters >= CAT_SPELLING_SLIPS_LEAST ? 2 : letters >= CAT_SPELLING_SLIP_LEAST ? 1 : 0;
}

apr_array_header_t *cat_spelling_parts(apr_pool_t *pool, const char *word, int has_marks)
{
    apr_array_header_t *parts = apr_array_make(pool, 12, sizeof(const char *));
    const char *text = has_marks ? apr_pstrcat(pool, "<", word, ">", NULL) : word, *end = text + strlen(text);
    const char *one = text, *two = text; /* where the last letter but one begins, and the last one */
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

/* The edits up to letter i of one word and j of the other. rows: of i, of i - 1 and of i - 2. */
static int count_edits(const letters_t *one, const letters_t *other, int (*rows)[LETTERS_MAX + 1], int i, int j)
{
    const int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
    int is_other = one->all[i - 1] != other->all[j - 1];
    int edits = least_of(before[j - 1] + is_other, least_of(before[j], now[j - 1]) + 1);

    return i > 1 && j > 1 && one->all[i - 1] == other->all[j - 2] && one->all[i - 2] == other->all[j - 1]
               ? least_of(edits, earlier[j - 2] + 1)
               : edits;
}

int cat_spelling_compare(const char *one, const char *other, int most)
{
    letters_t a, b;
    int rows[3][LETTERS_MAX + 1] = {{0}}, longer;

    if (!read_letters(&a, one) || !read_letters(&b, other)) {
        return most + 1;
    }
    longer = a.count - b.count;
    if (longer > most || -longer > most) {
        return most + 1;
    }
    for (int j = 0; j <= b.count; j++) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= a.count; i++) {
        int *row = rows[i % 3], least = row[0] = i;
        for (int j = 1; j <= b.count; j++) {
            row[j] = count_edits(&a, &b, rows, i, j);
            least = least_of(least, row[j]);
        }
        if (least > most) {
            return most + 1;
        }
    }
    return least_of(rows[a.count % 3][b.count], most + 1);
}
