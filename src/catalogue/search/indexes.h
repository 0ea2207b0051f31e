/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_INDEXES_H
#define CAT_CATALOGUE_INDEXES_H

#include "catalogue/product/list_key.h"
#include "catalogue/product/portion.h"
#include "catalogue/product/product_keys.h"
#include "db/db.h"
#include "db/job.h"

/*
 * Which parts of the index (catalogue/product/product_keys.h) all products have, and the job that fills in the others: for
 * products that were there before the schema had it, or before CatalogIndex named a part. It goes from the newest to the
 * oldest, some products in each transaction, while servers write. A part is of no use to readers until it is complete.
 *
 * What other programs write is not indexed, or with what was derived of the product before: cat_indexes_compare finds
 * such rows, and cat_indexes_fill mends them.
 */

/* The state of the parts that a reader needs. */
typedef struct cat_indexes_state_t {
    int absent;    /* parts that this mount does not keep: a 400 */
    int filling;   /* parts that are kept, and not complete yet: a 503 */
    int unbuilt;   /* those of them whose database indexes are not there, see cat_indexes_add */
    int is_keying; /* flag: so are keys of fields of the shop's own: a 503, see catalogue/search/key_filler.h */
    int percent;   /* of the products that have the parts that are being filled: 0 to 99 */
} cat_indexes_state_t;

/* parts: a set of CAT_INDEX_*. Both sets are 0 if readers can use all of them. Asks the database at most once a second
 * while they can. */
apr_status_t cat_indexes_check(cat_db_t *db, int parts, cat_indexes_state_t *state);

/* Where a step begins. */
typedef struct cat_indexes_position_t {
    apr_int64_t n;                        /* below which number; CAT_LIST_KEY_MAX: with the newest product */
    char word[CAT_PRODUCT_WORD_SIZE + 1]; /* cat_indexes_sweep: after which word of the dictionary */
} cat_indexes_position_t;

/* What cat_indexes_fill or cat_indexes_compare found in one portion of the products. */
typedef struct cat_indexes_portion_t {
    cat_indexes_position_t end; /* where the next step begins; where it began if there are no more products */
    int rows;                   /* products */
    int wrong;                  /* of which something derived was missing or out of date */
    int unknown;                /* words that the dictionary lacks */
    int gone;                   /* products that are no longer there, of which something derived is */
    const char *
        example; /* the id of one that was wrong, or else the number of one that is gone, on the pool; NULL: there is none */
    int is_last; /* flag: no older products are left */
} cat_indexes_portion_t;

/* A step through the products: deals with the next ones. */
typedef apr_status_t cat_indexes_step_t(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                                        cat_indexes_portion_t *portion);

/* Makes right what is derived of them, in one transaction that takes some hundredths of a second. */
cat_indexes_step_t cat_indexes_fill;

/* The products of one transaction: on SQLite, all writers wait for its end. */
#define CAT_INDEXES_PORTION 200

/* Makes right what is derived of these, which the transaction has read with SQL_INDEX_ROWS. registry: what it has read of the fields. */
apr_status_t cat_indexes_mend(cat_db_t *db, const cat_registry_t *registry, const cat_portion_t *products);

/* The same as cat_indexes_fill, only reads. */
cat_indexes_step_t cat_indexes_compare;

/* Goes through the words of the dictionary, instead of products, and deletes those that no product has. cat_indexes_fill, from
 * the newest product on, has to follow: a product may have got one of them meanwhile. */
cat_indexes_step_t cat_indexes_sweep;

/*
 * The database has a row for each part whose indexes (catalogue/search/index_table.h) are there. The job fills no other part, and
 * no reader uses one. _add adds rows that are missing, of parts that no product has yet; _remove removes those that are
 * there. *were_complete: of the parts removed, those that readers may use for up to CAT_INDEXES_DELAY more.
 */
#define CAT_INDEXES_DELAY apr_time_from_sec(2)
apr_status_t cat_indexes_add(cat_db_t *db, int parts);
apr_status_t cat_indexes_remove(cat_db_t *db, int parts, int *were_complete);

/* *built: the parts that have such a row. */
apr_status_t cat_indexes_read_built(cat_db_t *db, int *built);

/* Notes that all products have the parts that the mount keeps, and that the others are empty. */
apr_status_t cat_indexes_note_complete(cat_db_t *db);

/* The background job. */
cat_job_run_t cat_indexes_run;

#endif
