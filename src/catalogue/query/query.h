/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_QUERY_H
#define CAT_CATALOGUE_QUERY_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>
#include <jansson.h>

#include "catalogue/product/list_key.h"
#include "catalogue/query/field_list.h"
#include "catalogue/query/query_conditions.h"
#include "catalogue/query/query_others.h"
#include "catalogue/query/query_sort.h"
#include "http/description.h"
#include "http/parameters.h"
#include "jose/key.h"
#include "lib/conf.h"

/*
 * The question that a list answers, parsed once from the query string. Everything that depends on it derives from this
 * value: the statement and its values (catalogue/list/list_page.c, catalogue/list/list.c), the targets of Link, the key in the
 * response cache and the cursors. Two query strings that ask the same have the same value, conditions in the same order.
 */

#define CAT_QUERY_FACET 50 /* values of a facet, unless the client asks for another number */
#define CAT_QUERY_FACET_MAX 1000
#define CAT_QUERY_OCTETS_MAX 8192 /* of the parameters in their canonical spelling */

typedef enum {
    CAT_COUNT_CAPPED, /* exact where a counter knows it, and up to conf->count_limit; the default by page */
    CAT_COUNT_EXACT,
    CAT_COUNT_NONE /* the default by cursor */
} cat_count_t;

typedef enum {
    CAT_MATCH_WIDE,   /* as CAT_MATCH_PREFIX; and where few products match, also inside words, and with slips */
    CAT_MATCH_PREFIX, /* words of q begin words of a product */
    CAT_MATCH_EXACT   /* they are whole words of it, with CAT_PRODUCT_WORD_END behind each */
} cat_match_t;

/* For which words of q others stand that the client has not asked for (catalogue/search/widen.h). */
typedef enum {
    CAT_WIDTH_ASKED,   /* none */
    CAT_WIDTH_UNKNOWN, /* those that begin no word of a product */
    CAT_WIDTH_ALL
} cat_width_t;

typedef struct cat_list_query_t {
    apr_int64_t limit;         /* products in one answer, at least 1 */
    apr_int64_t page;          /* at least 1; 0: the answer begins after a position */
    cat_list_position_t after; /* where page is 0. At the beginning of the list, n is CAT_LIST_KEY_MAX, values NULL */
    const cat_key_t *sealing_key; /* seals cursors, where page is 0 */
    const char *cursor;           /* the client's, where page is 0; NULL: another key has sealed it */

    /* Which products, all of these at once: the client's conditions, and those of CatalogVisible. They are in ascending order of
     * field, operator and text; there may be several of a field, each with another operator, and two with the same one, of which one
     * is of CatalogVisible. */
    const cat_query_condition_t *conditions;
    int condition_count;      /* 0 to twice CAT_QUERY_CONDITIONS_MAX */
    const char *const *words; /* of q: folded, none begins another one; each begins a word of the product, */
    const char *const *const
        *others;        /* or any of these of the same index does, up to a NULL; NULL: only the word counts */
    int word_count;     /* 0 to CAT_QUERY_WORDS_MAX; 0: no q */
    int repeated_count; /* of these, the last ones: the same texts again, with others (catalogue/query/query_clauses.c) */
    apr_array_header_t *looks; /* what the transaction has found of words (catalogue/search/looks.h); NULL: nothing */

    cat_match_t match;
    int can_widen;     /* flag: the answer may have words that the client has not asked for */
    cat_width_t width; /* where page is 0: that of the list that is continued */

    /* In which order: these fields, then createdAt and id in the direction of the first of them. All different; the last
     * of several is never a createdAt that the order has anyway. */
    cat_query_sort_t sort[CAT_LIST_SORT_MAX];
    int sort_count;      /* at least 1; the default is createdAt, descending */
    int is_by_relevance; /* flag: in the order of catalogue/search/relevance.h instead; then sort is the default */

    cat_field_set_t keyed; /* the fields of the shop's own whose keys conditions and order read */
    int parts;    /* of the index that conditions, words and order read: a set of catalogue/product/product_keys.h */
    int is_plain; /* flag: all products, newest first: no condition, no word, the default order */

    const cat_fields_t *all; /* the mount's fields, of which conditions, sort, fields and facets have the indexes */
    cat_field_set_t fields;  /* that each product of the answer has; never empty */
    int has_all_fields;      /* flag: these are all */
    int has_etags;           /* flag: the answer has the tag of each product */
    cat_count_t count;
    cat_field_set_t facets;           /* of which the answer counts the values */
    int has_facets;                   /* flag: there are some */
    short facet_most[CAT_FIELDS_MAX]; /* by field: how many values, the most frequent; 0: CAT_QUERY_FACET */

    /* The canonical spelling, with "&" before each parameter, encoded: */
    const char *parameters; /* "&category=tea&sort=-price&limit=10": all but page and cursor */
    const char *sealed; /* "&category=tea&sort=-price": conditions, q, sort: what a cursor is sealed to; "": plain */

    json_t *errors;                    /* {field, code, message}, in the order sent; NULL: none */
    const apr_array_header_t *ignored; /* const char *: parameters that mean nothing here; NULL: none */
} cat_list_query_t;

typedef enum {
    CAT_QUERY_OK,
    CAT_QUERY_INVALID,        /* query->errors says why */
    CAT_QUERY_CURSOR_INVALID, /* no server wrote it with one of conf's keys for these conditions and this order */
    CAT_QUERY_CURSOR_AND_PAGE /* the client sent both */
} cat_query_outcome_t;

/* text: a raw query string, NULL for none. An unusable page or limit counts as absent, of several the first one counts.
 * strict: a parameter that means nothing here is an error. *query is on the pool, and valid if the outcome is CAT_QUERY_OK.
 * now: the time of the request, for conf->keys. */
cat_query_outcome_t cat_query_parse(apr_pool_t *pool, const cat_conf_t *conf, apr_time_t now, int strict,
                                    const char *text, cat_list_query_t *query);

/* Takes a parameter of the caller's own, or adds its fault to p. 0: it is none of them. */
typedef struct cat_query_own_t {
    int (*take)(void *baton, cat_parameters_t *p, const cat_parameter_t *parameter);
    void *baton;
} cat_query_own_t;

/* The same for a resource that returns all products of a list at once: only conditions, q, sort and fields mean something,
 * besides own. 0: query->errors says why. */
int cat_query_parse_all(apr_pool_t *pool, const cat_conf_t *conf, int strict, const char *text,
                        const cat_query_own_t *own, cat_list_query_t *query);

/* The fields that facets can be of. */
cat_field_set_t cat_query_facets(const cat_conf_t *conf);

/* Adds the parameters to the description of a route. is_all: those of cat_query_parse_all only. */
void cat_query_describe(cat_describer_t *d, int is_all);

/* How many products precede the page; APR_INT64_MAX: more than any catalogue has. */
apr_int64_t cat_query_count_skipped(const cat_list_query_t *query);

/*
 * The cursor that continues the list after a position, on the pool; only where page is 0. NULL: no memory. It has the
 * position and a MAC over it and query->sealed, so cat_query_parse accepts it with the same conditions, words and order
 * only; the client may change limit, fields, count and facets.
 */
const char *cat_query_write_cursor(apr_pool_t *pool, const cat_list_query_t *query, const cat_list_position_t *after);

/* The list's name in the response cache, on the pool. It contains a slash, which no product's has. NULL: no memory. */
const char *cat_query_write_key(apr_pool_t *pool, const cat_list_query_t *query);

#endif
