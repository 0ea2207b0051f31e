/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CLAIM_H
#define CAT_DB_CLAIM_H

#include <apr_time.h>

#include "db/db.h"

/*
 * A claim lets only one of several writes happen: its row, whose key is unique, is inserted in the transaction of the
 * write, before all else, and a text at the end. So either both are stored or neither; of writes with the same key only
 * one commits, on whichever server, and those that come later find its text.
 */
typedef struct cat_claim_t {
    const char *key;    /* 64 hexadecimal digits */
    const char *mark;   /* ASCII, at most 8,000 octets: later writes compare it with theirs. NULL: none can be stored */
    apr_time_t now;     /* a claim that has expired by then makes room */
    apr_time_t expires; /* in milliseconds, as all times that are stored */
    const char *text;   /* UTF-8 without NUL; NULL: it must be set before the end of the transaction's work */
    int is_refused;  /* result: flag, the last transaction found the key taken, or waited too long for another's end */
    int has_expired; /* result of cat_claim_find: flag, an expired claim is in the way */
    /* ---- set by cat_claim_attach ---- */
    cat_db_t *db;
    cat_companion_t companion;
} cat_claim_t;

/* Looks for a claim that is stored under the key, and has not expired. APR_NOTFOUND: there is none. *stored gets its
 * mark and text, on the pool of db. */
apr_status_t cat_claim_find(cat_db_t *db, cat_claim_t *claim, cat_claim_t *stored);

/*
 * From now on each cat_db_transact of db makes the claim, which must live as long; so it is for a request that writes in
 * one transaction. The transaction returns CAT_ECLAIMED, and does nothing, when the key is taken; or when another
 * transaction that has it did not end in about three seconds. cat_db_accompany(db, NULL) ends it.
 */
void cat_claim_attach(cat_db_t *db, cat_claim_t *claim);

#endif
