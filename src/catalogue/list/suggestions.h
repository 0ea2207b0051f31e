/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SUGGESTIONS_H
#define CAT_CATALOGUE_SUGGESTIONS_H

#include "catalogue/query/query.h"
#include "db/answer_cache.h"
#include "lib/buffer.h"

/* What a user who is still typing may want: words that go on as the last word of the text, and products that have such words. */

typedef struct cat_suggested_product_t {
    const char *id, *name;
} cat_suggested_product_t;

typedef struct cat_suggestions_t {
    apr_array_header_t *words; /* const char *: in lower case; the most used among the newest products first */
    apr_array_header_t
        *products; /* cat_suggested_product_t: those with such a word in the name first, each time the newest */
} cat_suggestions_t;

typedef struct cat_suggestions_query_t {
    const char *text; /* as it was typed so far */
    const cat_list_query_t *
        all; /* the products that text finds: page 1, by time, with what readers may see; limit: of each of the two lists */
    void (*write)(cat_buffer_t *body, const cat_suggestions_t *suggestions);
} cat_suggestions_query_t;

/* The answer: from the response cache, or read from the database, written, and cached. now: the time of the request. */
apr_status_t cat_suggestions_answer(cat_db_t *db, const cat_suggestions_query_t *query, apr_time_t now,
                                    cat_cached_list_t *answer);

#endif
