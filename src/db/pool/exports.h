/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_EXPORTS_H
#define CAT_DB_POOL_EXPORTS_H

#include <apr_thread_mutex.h>

#include "shm/repeats.h"

typedef struct cat_export_t cat_export_t;

/* The exports that a child runs from one source (catalogue/transfer/export.h). */
typedef struct cat_exports_t {
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    int count;           /* of those that are open */
    cat_export_t *first; /* of those that have read their first portion; NULL: there is none */
    /* ---- atomic ---- */
    cat_repeats_t refusals; /* sums up the lines about them */
} cat_exports_t;

#endif
