/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_QUERY_H
#define CAT_CATALOGUE_QUERY_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>
#include <jansson.h>

#include "catalogue/field_list.h"
#include "catalogue/list_key.h"
#include "jose/key.h"
#include "lib/conf.h"

/*
 * The question that a list answers, parsed once from the query string. Everything that depends on it derives from this
 * value: the statement and its values (catalogue/list_page.c, catalogue/list.c), the targets of Link, the key in the
 * response cache and the cursors.
 */
typedef struct cat_list_query_t {
    apr_int64_t limit;            /* products in one answer, at least 1 */
    apr_int64_t page;             /* at least 1; 0: the answer begins after a list key */
    cat_list_key_t after;         /* where page is 0 */
    const cat_key_t *sealing_key; /* seals cursors, where page is 0 */
    unsigned fields;              /* that each product of the answer has: CAT_FIELD_LIST_OF(CAT_PRODUCT_x) | ... */
    /* "&fields=name&limit=10": all but page and cursor, in the same spelling for every way to ask the same */
    const char *parameters;
    json_t *errors;                    /* array of {field, code, message}; NULL: none */
    const apr_array_header_t *ignored; /* const char *: parameters that mean nothing here; NULL: none */
} cat_list_query_t;

typedef enum {
    CAT_QUERY_OK,
    CAT_QUERY_INVALID,        /* query->errors says why */
    CAT_QUERY_CURSOR_INVALID, /* no server wrote it with one of conf's keys */
    CAT_QUERY_CURSOR_AND_PAGE /* the client sent both */
} cat_query_outcome_t;

/* text: a raw query string, NULL for none. An unusable page or limit counts as absent, of several the first one counts.
 * strict: a parameter that means nothing here is an error. *query is on the pool, and valid if the outcome is
 * CAT_QUERY_OK. now: the time of the request, for conf->keys. */
cat_query_outcome_t cat_query_parse(apr_pool_t *pool, const cat_conf_t *conf, apr_time_t now, int strict,
                                    const char *text, cat_list_query_t *query);

/* How many products precede the page; APR_INT64_MAX: more than any catalogue has. */
apr_int64_t cat_query_count_skipped(const cat_list_query_t *query);

/* The cursor that continues the list after a key, on the pool; only where page is 0. NULL: no memory. */
const char *cat_query_write_cursor(apr_pool_t *pool, const cat_list_query_t *query, const cat_list_key_t *after);

/* The list's name in the response cache, on the pool. It contains a slash, which no product's has. NULL: no memory. */
const char *cat_query_write_key(apr_pool_t *pool, const cat_list_query_t *query);

#endif
