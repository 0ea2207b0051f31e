/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write that must happen once claims its key: the key's row is inserted in the write's own transaction, before the work,
 * and the text that later writes with the key shall find, after it.
 *
 *     first write                       second write, same key, perhaps on another server
 *     BEGIN
 *     INSERT key  ok                    BEGIN
 *     ... the work ...                  INSERT key  waits for the end of the first transaction
 *     INSERT text in pieces
 *     COMMIT                            unique key violated: CAT_ECLAIMED, ROLLBACK, nothing was done
 *
 * If the first one rolls back instead, its row is gone, and the second one goes on. So no lock has to be given back after
 * a crash: the database's own transaction is the lock.
 */
#include "db/claim.h"

#include <string.h>

#include <apr_strings.h>

#include "db/dialects/status.h"
#include "db/pool/checkout.h"
#include "lib/buffer.h"
#include "lib/time.h"

/* Octets of a row's content. A column of MySQL takes as many characters, and its driver cuts what is longer than a
 * mebibyte without a word. */
#define PIECE 8000

/* A conflict after such a wait is the end of the database's patience with the transaction that has the key. Before it,
 * the database has chosen one of several to give way, and the transaction is worth repeating. */
#define LONG_WAIT apr_time_from_sec(1)

/* The number of the piece that is the mark; those of the text follow. */
#define MARK_PIECE "0"

/* ---- finding ---- */

typedef struct finding_t {
    cat_claim_t *claim, *stored;
    cat_buffer_t text;
} finding_t;

static apr_status_t collect_piece(void *baton, const char *const *row, int)
{
    finding_t *f = baton;

    if (cat_time_read(row[2]) <= f->claim->now) {
        f->claim->has_expired = 1;
    } else if (!strcmp(row[0], MARK_PIECE)) {
        f->stored->mark = apr_pstrdup(f->text.pool, row[1]);
    } else {
        cat_buffer_add_text(&f->text, row[1]);
    }
    return APR_SUCCESS;
}

apr_status_t cat_claim_find(cat_db_t *db, cat_claim_t *claim, cat_claim_t *stored)
{
    finding_t f = {.claim = claim, .stored = stored};
    apr_status_t rv;

    *stored = (cat_claim_t){.key = claim->key};
    claim->has_expired = 0;
    cat_buffer_init(&f.text, db->pool, 1024);
    rv = cat_db_each(db, SQL_IDEMPOTENCY_GET, CAT_VALUES(claim->key), collect_piece, &f);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    stored->text = cat_buffer_text(&f.text);
    return stored->mark ? APR_SUCCESS : APR_NOTFOUND;
}

/* ---- making ---- */

static apr_status_t insert_piece(const cat_claim_t *claim, const char *number, const char *content)
{
    return cat_db_insert(claim->db, SQL_IDEMPOTENCY_INSERT,
                         CAT_VALUES(claim->key, number, content, cat_time_store(claim->db->pool, claim->expires)));
}

/* Of two transactions that insert the key at once, the database lets the second one wait for the end of the first. */
static apr_status_t insert_key(cat_claim_t *claim)
{
    apr_time_t began = cat_time_monotonic();
    apr_status_t rv = insert_piece(claim, MARK_PIECE, claim->mark);

    if (rv == APR_EEXIST || (rv == CAT_ECONFLICT && cat_time_monotonic() - began >= LONG_WAIT)) {
        claim->is_refused = 1;
        claim->db->use->failed = rv = CAT_ECLAIMED; /* the first failure decides, and this one is no fault */
    }
    return rv;
}

/* At most PIECE octets, and no character is cut. */
static apr_size_t measure_piece(const char *text)
{
    apr_size_t length = strnlen(text, PIECE + 1);

    if (length > PIECE) {
        for (length = PIECE; length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80;) {
            length--;
        }
    }
    return length;
}

static apr_status_t insert_text(const cat_claim_t *claim)
{
    apr_pool_t *pool = claim->db->pool;
    apr_status_t rv = claim->text ? APR_SUCCESS : APR_EINVAL;
    const char *text = claim->text;

    for (int number = 1; rv == APR_SUCCESS && *text; number++) {
        apr_size_t length = measure_piece(text);
        rv = insert_piece(claim, apr_itoa(pool, number), apr_pstrmemdup(pool, text, length));
        text += length;
    }
    return rv;
}

static apr_status_t run_claimed(void *baton, cat_work_t *work, void *work_baton)
{
    cat_claim_t *claim = baton;
    apr_status_t rv = claim->mark ? APR_SUCCESS : APR_EINVAL;

    claim->is_refused = 0;
    if (rv == APR_SUCCESS && claim->has_expired) {
        rv = cat_db_exec(claim->db, SQL_IDEMPOTENCY_EXPIRE,
                         CAT_VALUES(claim->key, cat_time_store(claim->db->pool, claim->now)), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = insert_key(claim);
    }
    if (rv == APR_SUCCESS) {
        rv = work(work_baton);
    }
    return rv == APR_SUCCESS ? insert_text(claim) : rv;
}

void cat_claim_attach(cat_db_t *db, cat_claim_t *claim)
{
    claim->db = db;
    claim->companion = (cat_companion_t){run_claimed, claim};
    cat_db_accompany(db, &claim->companion);
}
