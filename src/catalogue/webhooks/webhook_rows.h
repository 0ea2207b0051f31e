/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_WEBHOOKS_WEBHOOK_ROWS_H
#define CAT_CATALOGUE_WEBHOOKS_WEBHOOK_ROWS_H

#include "db/db.h"

/*
 * How far each webhook has come, for all servers of the database. A server that sends claims the row for a lease; when it dies in between,
 * another one sends the same message again after the lease has expired.
 */
typedef struct cat_webhook_row_t {
    const char *id, *url;
    int is_active;    /* flag; 0: dead */
    apr_int64_t sent; /* number of the last change that the receiver has accepted or is not told of */
    apr_int64_t told; /* `next` of the last message that the receiver has accepted, and `since` of the next one */
    apr_int64_t
        until;    /* that of the last change of the message that is being sent, or tried again; = sent: there is none */
    int attempts; /* of the message */
    apr_time_t next_at;    /* when it may be claimed; while a server works on it, the end of its lease */
    apr_time_t failing_at; /* of the first of the attempts that failed since one succeeded; 0: none has */
    apr_time_t seen_at;    /* when a server last said that its configuration has the URL */
    const char *lease;     /* after cat_webhook_rows_claim */
} cat_webhook_row_t;

/* All rows, as an array of cat_webhook_row_t on the pool of db. */
apr_status_t cat_webhook_rows_read(cat_db_t *db, apr_array_header_t **rows);

/* Adds a webhook, which receives the changes after `sent`. Another server may have added it. */
apr_status_t cat_webhook_rows_add(cat_db_t *db, const char *url, apr_int64_t sent, apr_time_t now);

/* Says that this server's configuration has the URL. */
apr_status_t cat_webhook_rows_see(cat_db_t *db, const cat_webhook_row_t *row, apr_time_t now);

/* Skips changes that the webhook is not told of, up to the number `sent`. told: `since` of the next message. Does nothing if the row has changed
 * since it was read. */
apr_status_t cat_webhook_rows_skip(cat_db_t *db, const cat_webhook_row_t *row, apr_int64_t sent, apr_int64_t told);

/* Claims the row, for the message with the changes up to `until`. *claimed: flag; 0: another server was first. */
apr_status_t cat_webhook_rows_claim(cat_db_t *db, cat_webhook_row_t *row, apr_int64_t until, apr_time_t now,
                                    int *claimed);

/* What came of an attempt. */
typedef struct cat_webhook_result_t {
    apr_time_t now;
    int status;        /* of the answer; 0: none came */
    const char *error; /* NULL: the receiver has accepted the message */
    apr_time_t next_at;
    int is_dead; /* flag: there will be no other attempt */
} cat_webhook_result_t;

/* Ends the claim; without effect if the lease has expired and another server has claimed the row. */
apr_status_t cat_webhook_rows_end(cat_db_t *db, const cat_webhook_row_t *row, const cat_webhook_result_t *result);

/* Gives the claim back, as if nothing had been sent. */
apr_status_t cat_webhook_rows_release(cat_db_t *db, const cat_webhook_row_t *row, apr_time_t now);

#endif
