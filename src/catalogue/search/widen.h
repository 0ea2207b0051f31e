/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_WIDEN_H
#define CAT_CATALOGUE_WIDEN_H

#include "catalogue/query/query.h"
#include "db/db.h"

/* Words of products that stand in the place of a word of q. */
typedef struct cat_correction_t {
    const char *word; /* of q */
    const char *const *
        words; /* the likeliest first, up to a NULL; as in others of cat_list_query_t, or as they are named (corrections.h) */
} cat_correction_t;

#define CAT_WIDEN_WORDS 8 /* of q, that are widened: the first ones */

typedef struct cat_widened_t {
    const cat_list_query_t *query;                 /* NULL: there are no such words */
    cat_width_t width;                             /* CAT_WIDTH_ASKED: nothing was widened yet */
    int is_last;                                   /* flag: no greater width finds more */
    cat_correction_t corrections[CAT_WIDEN_WORDS]; /* in the order of q */
    int count;

    /* By word of q: */
    int tried[CAT_WIDEN_WORDS];                /* flags */
    const char *const *words[CAT_WIDEN_WORDS]; /* up to a NULL; NULL: none */
} cat_widened_t;

/*
 * Makes a question that more products answer, on the pool of db, in the transaction of a search. For its words that begin no word of a product,
 * or for all of them if each begins one or the width asks for that, others stand as well: those that contain it, from
 * CAT_SPELLING_INSIDE_LEAST letters on, and those that differ by a slip (lib/spelling.h), and what begins with these. Only words of products that
 * the client may see take part. The query has looks. *widened: empty, or what was made of the same question with a smaller width.
 */
apr_status_t cat_widen_query(cat_db_t *db, const cat_list_query_t *query, cat_width_t width, cat_widened_t *widened);

#endif
