/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SPELLING_H
#define CAT_LIB_SPELLING_H

#include <apr_tables.h>

/*
 * How alike two folded words are, for questions with a slip or with a part of a longer word. Words are compared by characters.
 */

#define CAT_SPELLING_INSIDE_LEAST 3 /* letters of a word that is looked for inside others */
#define CAT_SPELLING_SLIP_LEAST 5   /* of one that may have a slip; of one that may have two: */
#define CAT_SPELLING_SLIPS_LEAST 9
#define CAT_SPELLING_EDITS_MAX 2
#define CAT_SPELLING_ENDING_MAX 2 /* letters behind a word with a slip, as of a plural */

/* The number of slips that a word of this length may have: 0 to CAT_SPELLING_EDITS_MAX. */
int cat_spelling_edits(int letters);

/* The same of one whose slip may be in the beginning of a word with an ending. */
int cat_spelling_edits_with_ending(int letters);

/* The parts of three letters of a word, in its order, on the pool, as const char *: "<ke", "ket", "ett", "ttl", "tle", "le>" of "kettle", as many as
 * the word has letters. */
apr_array_header_t *cat_spelling_parts(apr_pool_t *pool, const char *word);

/* Of two parts that are so far from each other, a slip leaves one: at most four follow each other that it changes. */
#define CAT_SPELLING_PARTS_APART 4

/* How many edits make one word of the other, or of what the other has before an ending of up to `ending` letters: a letter that is missing, too many,
 * another one, or in the place of its neighbour. More than `most`, which is at most CAT_SPELLING_EDITS_MAX: most + 1. */
int cat_spelling_compare(const char *one, const char *other, int ending, int most);

#endif
