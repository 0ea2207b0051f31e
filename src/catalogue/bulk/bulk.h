/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_BULK_BULK_H
#define CAT_CATALOGUE_BULK_BULK_H

#include "catalogue/bulk/bulk_request.h"
#include "db/db.h"

/* Changes all products that match. */

#define CAT_BULK_ERRORS_MOST 100 /* that a result describes */

typedef struct cat_bulk_result_t {
    apr_int64_t matched, changed, unchanged, failed; /* products; with is_dry, what would have become of them */
    json_t *errors; /* array of {id, field, code, message}, of products that would become invalid */
} cat_bulk_result_t;

typedef enum {
    CAT_BULK_DONE,
    CAT_BULK_UNEXPECTED, /* nothing was done: as many match as result->matched says, and the client expects another number */
    CAT_BULK_TOO_MANY, /* nothing was done: more match than one transaction changes */
    CAT_BULK_REFUSED   /* nothing was done: result->errors says which products would become invalid */
} cat_bulk_outcome_t;

/* Is called in the transaction after the last change, and again if it is repeated. */
typedef void cat_bulk_finish_t(void *baton, const cat_bulk_result_t *result);

/* One change. */
typedef struct cat_bulk_t {
    cat_db_t *db;
    const cat_bulk_request_t *request;
    cat_bulk_finish_t *finish; /* NULL: none */
    void *baton;               /* of finish */
    /* Set by cat_bulk_run: */
    cat_bulk_outcome_t outcome;
    int is_more; /* flag: more match than result.matched */
    cat_bulk_result_t result;
} cat_bulk_t;

/* Changes all products that match, in one transaction. The parts request->query.parts of the index must be complete. Failures are those of
 * db/db.h, CAT_ESLOW (not logged) of the search included; on the pool of db. */
apr_status_t cat_bulk_run(cat_bulk_t *bulk);

/* Within a transaction of cat_products_transact: changes those of the products ids (const char *, which it sorts) that exist and match; the
 * ids of those that it changes are added to `changed`. A product that would become invalid is left as it is; an atomic request changes no
 * others after that. The caller rolls back a dry run. */
apr_status_t cat_bulk_change_within(cat_db_t *db, const cat_bulk_request_t *request, apr_array_header_t *ids,
                                    apr_array_header_t *changed, cat_bulk_result_t *result);

/* Adds an error of a product to the result. */
void cat_bulk_add_error(cat_bulk_result_t *result, const char *id, const char *field, const char *code,
                        const char *message);

/* Leaves those of at most CAT_BULK_GROUP ids (const char *) that match, in ascending order; in a transaction. CAT_EFILLING. */
#define CAT_BULK_GROUP 100
apr_status_t cat_bulk_match(cat_db_t *db, const cat_list_query_t *query, apr_array_header_t *ids);

#endif
