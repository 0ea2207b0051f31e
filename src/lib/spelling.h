/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SPELLING_H
#define CAT_LIB_SPELLING_H

#include <apr_tables.h>

/*
 * Measures how similar two folded words are, for searches with a typo or with a substring of a word. Words are compared
 * by characters.
 */

#define CAT_SPELLING_INSIDE_LEAST 3 /* least letters of a word that is searched inside other words */
#define CAT_SPELLING_SLIP_LEAST 5   /* least letters of a word with one typo; the next line, with two */
#define CAT_SPELLING_SLIPS_LEAST 9
#define CAT_SPELLING_EDITS_MAX 2
#define CAT_SPELLING_ENDING_MAX 2 /* largest number of letters after a word with a typo, such as a plural ending */

/* Returns the number of typos that a word of this length may have, 0 to CAT_SPELLING_EDITS_MAX. */
int cat_spelling_edits(int letters);

/* Returns the number of typos that a word of this length may have if it is compared with the beginning of a word with
 * an ending. */
int cat_spelling_edits_with_ending(int letters);

/* Returns the trigrams of a word, in its order, on the pool, as const char *: "<ke", "ket", "ett", "ttl", "tle" and
 * "le>" for "kettle". A word has as many trigrams as letters. */
apr_array_header_t *cat_spelling_parts(apr_pool_t *pool, const char *word);

/* Distance of two trigrams of which one typo leaves at least one, because a typo changes at most four successive
 * trigrams. */
#define CAT_SPELLING_PARTS_APART 4

/* Counts the edits that turn `one` into `other`, or into `other` without an ending of up to `ending` letters. An edit
 * inserts, deletes or replaces a letter, or swaps two neighbours. Returns `most` + 1 if more than `most` edits are
 * needed; `most` is at most CAT_SPELLING_EDITS_MAX. */
int cat_spelling_compare(const char *one, const char *other, int ending, int most);

#endif
