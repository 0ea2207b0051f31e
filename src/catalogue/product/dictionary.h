/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_DICTIONARY_H
#define CAT_CATALOGUE_DICTIONARY_H

#include <apr_tables.h>

#include "db/db.h"

/*
 * The distinct words of product_words that have letters only, at least CAT_DICTIONARY_LEAST, and that some product has not only joined
 * (lib/words.h), each listed by its parts (lib/spelling.h), so that those that contain another word, or are nearly the same, are found. A word
 * whose last product is gone stays until a sweep.
 */

#define CAT_DICTIONARY_LEAST 4 /* letters: one more than a word has that is looked for inside others */

/* Adds those of the words that it lacks, in a transaction that the caller has begun. words: const char *, in any order; some are left out, and
 * the others sorted. */
apr_status_t cat_dictionary_add(cat_db_t *db, apr_array_header_t *words);

/* *lacking: how many of the words it should have, and lacks. Changes words in the same way. */
apr_status_t cat_dictionary_compare(cat_db_t *db, apr_array_header_t *words, int *lacking);

/* Deletes those words, of some that follow the word *end, that product_words has not, in a transaction that the caller has begun. *end: the
 * last of them, on the pool of db; NULL: there are no more. */
apr_status_t cat_dictionary_sweep(cat_db_t *db, const char **end);

#endif
