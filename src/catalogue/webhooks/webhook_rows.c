/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of webhooks, which several servers work on, as mailers do on the outbox (accounts/outbox.c).
 *
 * A claim is an UPDATE that requires the row to be as it was read. It sets a lease, and moves next_at, which is part of what was read, to the
 * lease's end: so of several servers that have read the same row one claims it, and nobody else finds it due before that. All that
 * ends a claim names the lease, so a server that was too slow changes nothing.
 */
#include "catalogue/webhooks/webhook_rows.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/id.h"
#include "lib/number.h"
#include "lib/secret.h"
#include "lib/text.h"
#include "lib/time.h"

/* Longer than an attempt may take (http/poster.h), by what a slow database may add. */
#define LEASE apr_time_from_sec(30)

#define ERROR_CHARACTERS 255

/* The columns of SQL_WEBHOOK_ROWS. */
enum { ID, URL, STATE, SENT, UNTIL, TOLD, ATTEMPTS, NEXT_AT, FAILING_AT, SEEN_AT };

static apr_status_t add_row(void *baton, const char *const *values, int)
{
    apr_array_header_t *rows = baton;

    *(cat_webhook_row_t *)apr_array_push(rows) = (cat_webhook_row_t){
        .id = apr_pstrdup(rows->pool, values[ID]),
        .url = apr_pstrdup(rows->pool, values[URL]),
        .is_active = !strcmp(values[STATE], "active"),
        .sent = apr_atoi64(values[SENT]),
        .until = apr_atoi64(values[UNTIL]),
        .told = apr_atoi64(values[TOLD]),
        .attempts = atoi(values[ATTEMPTS]),
        .next_at = cat_time_read(values[NEXT_AT]),
        .failing_at = values[FAILING_AT] ? cat_time_read(values[FAILING_AT]) : 0,
        .seen_at = cat_time_read(values[SEEN_AT]),
    };
    return APR_SUCCESS;
}

apr_status_t cat_webhook_rows_read(cat_db_t *db, apr_array_header_t **rows)
{
    *rows = apr_array_make(db->pool, 8, sizeof(cat_webhook_row_t));
    return cat_db_each(db, SQL_WEBHOOK_ROWS, CAT_NO_VALUES, add_row, *rows);
}

apr_status_t cat_webhook_rows_add(cat_db_t *db, const char *url, apr_int64_t sent, apr_time_t now)
{
    const char *id = cat_id_make(db->pool, now), *number = cat_number_write(db->pool, sent);
    const char *time = cat_time_store(db->pool, now);
    apr_status_t rv = id ? cat_db_insert(db, SQL_WEBHOOK_INSERT,
                                         CAT_VALUES(id, cat_secret_digest(db->pool, url), url, number, number, number,
                                                    time, time, time))
                         : APR_EGENERAL;

    return rv == APR_EEXIST ? APR_SUCCESS : rv;
}

apr_status_t cat_webhook_rows_see(cat_db_t *db, const cat_webhook_row_t *row, apr_time_t now)
{
    return cat_db_exec(db, SQL_WEBHOOK_SEE, CAT_VALUES(cat_time_store(db->pool, now), row->id), NULL);
}

apr_status_t cat_webhook_rows_skip(cat_db_t *db, const cat_webhook_row_t *row, apr_int64_t sent, apr_int64_t told)
{
    const char *number = cat_number_write(db->pool, sent);

    return cat_db_exec(db, SQL_WEBHOOK_SKIP,
                       CAT_VALUES(number, number, cat_number_write(db->pool, told), row->id,
                                  cat_number_write(db->pool, row->sent), cat_number_write(db->pool, row->until),
                                  cat_time_store(db->pool, row->next_at)),
                       NULL);
}

apr_status_t cat_webhook_rows_claim(cat_db_t *db, cat_webhook_row_t *row, apr_int64_t until, apr_time_t now,
                                    int *claimed)
{
    *claimed = 0;
    row->lease = cat_id_make(db->pool, now);
    if (!row->lease) {
        return APR_EGENERAL;
    }
    row->attempts++;
    return cat_db_exec(db, SQL_WEBHOOK_CLAIM,
                       CAT_VALUES(row->lease, cat_time_store(db->pool, now + LEASE), cat_number_write(db->pool, until),
                                  row->id, cat_number_write(db->pool, row->sent),
                                  cat_number_write(db->pool, row->until), cat_time_store(db->pool, row->next_at)),
                       claimed);
}

apr_status_t cat_webhook_rows_end(cat_db_t *db, const cat_webhook_row_t *row, const cat_webhook_result_t *result)
{
    apr_pool_t *pool = db->pool;
    const char *now = cat_time_store(pool, result->now), *next = cat_time_store(pool, result->next_at);
    const char *status = result->status ? apr_itoa(pool, result->status) : NULL;

    if (!result->error) {
        return cat_db_exec(db, SQL_WEBHOOK_DONE, CAT_VALUES(now, status, now, row->id, row->lease), NULL);
    }
    return cat_db_exec(db, SQL_WEBHOOK_RETRY,
                       CAT_VALUES(result->is_dead ? "dead" : "active", next, now, status, now,
                                  cat_text_shorten(pool, result->error, ERROR_CHARACTERS), row->id, row->lease),
                       NULL);
}

apr_status_t cat_webhook_rows_release(cat_db_t *db, const cat_webhook_row_t *row, apr_time_t now)
{
    return cat_db_exec(db, SQL_WEBHOOK_RELEASE, CAT_VALUES(cat_time_store(db->pool, now), row->id, row->lease), NULL);
}
