/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_USE_H
#define CAT_DB_POOL_USE_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "lib/conf.h"
#include "lib/log.h"

typedef struct cat_use_t cat_use_t;

/* A use of a database, as db/db.h describes it: what it was made with, to read, and what src/db keeps of it. */
typedef struct cat_db_t {
    apr_pool_t *pool; /* cat_db_use_pool changes it */
    const cat_conf_t *conf;
    const cat_log_t *log;
    cat_use_t *use; /* db/pool/checkout.h */
    const char *
        taken; /* number of the unique field because of which the last write was refused (catalogue/product/own_keys.h); NULL: none */
    struct cat_author_t
        *author; /* who writes products (catalogue/product/change_notes.h); NULL: nobody's name is noted */
    /* Queue of unique values that other products still have (catalogue/product/own_keys.h); NULL: a write that sets one is refused at once. */
    struct cat_waiting_t *waiting;
    struct cat_notes_t *notes; /* of the work that is under way (the same); NULL: there is none */
} cat_db_t;

/*
 * What the work of a transaction goes by, and does not read anew each time. `confirm` is called between work that writes and the
 * COMMIT. A status other than APR_SUCCESS rolls the transaction back; after CAT_ECONFLICT it begins anew.
 */
typedef struct cat_basis_t {
    const void *what; /* NULL: nothing yet */
    apr_time_t since; /* when it was read */
    int is_writing;   /* flag: the transaction is one of cat_db_transact */
    int is_anew;      /* flag: it was read in the transaction itself */
    apr_status_t (*confirm)(cat_db_t *db, const struct cat_basis_t *basis); /* NULL: it need not be confirmed */
} cat_basis_t;

#endif
