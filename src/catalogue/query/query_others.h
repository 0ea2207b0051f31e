/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_QUERY_OTHERS_H
#define CAT_CATALOGUE_QUERY_OTHERS_H

#include <apr_pools.h>
#include <apr_tables.h>

#define CAT_QUERY_WORDS_MAX 20  /* of q */
#define CAT_QUERY_OTHERS_MAX 32 /* of each */

/* Lists the others of a word of q, each the beginning of words that may stand in its place (cat_list_query_t). */
typedef struct cat_query_others_t {
    const char *word;
    apr_array_header_t *all; /* const char * */
} cat_query_others_t;

cat_query_others_t cat_query_others_begin(apr_pool_t *pool, const char *word);

/* Adds one, unless the word or one of the list begins it, or there are CAT_QUERY_OTHERS_MAX. */
void cat_query_others_add(cat_query_others_t *others, const char *other);

/* The list, with a NULL behind the last one; NULL: it is empty. */
const char *const *cat_query_others_end(cat_query_others_t *others);

#endif
