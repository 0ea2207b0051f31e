/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_QUERY_CLAUSES_H
#define CAT_CATALOGUE_QUERY_CLAUSES_H

#include "catalogue/query/synonyms.h"

/* The words of q, with what may stand for each, as cat_list_query_t has them. Where a synonym is several words, words are repeated behind those
 * that were asked. */
typedef struct cat_query_clauses_t {
    const char *const *words, *const *const *others;
    int count; /* as many as were asked, or more, up to CAT_QUERY_WORDS_MAX */
} cat_query_clauses_t;

cat_query_clauses_t cat_query_clauses_make(apr_pool_t *pool, const cat_words_asked_t *asked,
                                           const cat_synonyms_t *synonyms);

#endif
