/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of mails to send is a queue for the mailers of all servers.
 *
 * A mailer finds a due row and claims it by setting a unique lease. If another mailer has claimed the row in between,
 * the update matches no row, and the mailer looks for the next due row. Every statement that ends a claim requires the
 * lease, so a mailer whose lease has expired changes nothing.
 */
#include "accounts/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "lib/id.h"
#include "lib/text.h"
#include "lib/time.h"

/* Number of attempts to claim a mail when other mailers claim the due mail first. */
#define CLAIM_TRIES 5

/* Columns of the table. NULL if the column is not set. */
typedef struct recipient_t {
    const char *user_id, *email_key, *email;
} recipient_t;

static apr_status_t add_mail(cat_db_t *db, apr_pool_t *pool, const char *template, recipient_t to, apr_time_t now)
{
    const char *time = cat_time_store(pool, now);
    const char *id = cat_id_make(pool, now);

    return id ? cat_db_insert(db, SQL_OUTBOX_INSERT,
                              CAT_VALUES(id, template, to.user_id, to.email_key, time, time, to.email))
              : APR_EGENERAL;
}

apr_status_t cat_outbox_add(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                            const char *email_key, apr_time_t now)
{
    return add_mail(db, pool, template, (recipient_t){user_id, email_key, NULL}, now);
}

apr_status_t cat_outbox_add_to(cat_db_t *db, apr_pool_t *pool, const char *template, const char *user_id,
                               const char *email, apr_time_t now)
{
    return add_mail(db, pool, template, (recipient_t){user_id, NULL, email}, now);
}

static apr_status_t read_mail(cat_db_t *db, apr_pool_t *pool, const char *id, const char *lease, cat_mail_t **mail)
{
    const char *const *row;
    cat_mail_t *m;
    apr_status_t rv = cat_db_one(db, SQL_OUTBOX_READ, CAT_VALUES(id, lease), &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    m = apr_pcalloc(pool, sizeof(*m));
    m->id = id;
    m->lease = lease;
    m->template = row[0];
    m->attempts = atoi(row[1]);
    m->created = cat_time_read(row[2]);
    m->user_id = row[3];
    m->username = row[4];
    m->other_email = row[7] && (!row[5] || strcmp(row[7], row[5]) != 0);
    m->email = row[7] ? row[7] : row[5];
    m->confirmed = row[6] && !m->other_email;
    m->locked = row[8] != NULL;
    m->language = row[9];
    *mail = m;
    return APR_SUCCESS;
}

apr_status_t cat_outbox_claim(cat_db_t *db, apr_pool_t *pool, apr_time_t now, apr_interval_time_t lease,
                              cat_mail_t **mail)
{
    const char *const *row;
    const char *time = cat_time_store(pool, now);
    const char *until = cat_time_store(pool, now + lease);
    const char *token = cat_id_make(pool, now);
    apr_status_t rv = token ? APR_SUCCESS : APR_EGENERAL;
    int claimed = 0;

    *mail = NULL;
    for (int tries = 0; rv == APR_SUCCESS && !claimed && tries < CLAIM_TRIES; tries++) {
        rv = cat_db_one(db, SQL_OUTBOX_DUE, CAT_VALUES(time), &row);
        if (rv == APR_SUCCESS) {
            rv = cat_db_exec(db, SQL_OUTBOX_CLAIM, CAT_VALUES(token, until, row[0], time), &claimed);
        }
    }
    if (rv == APR_SUCCESS && claimed) {
        rv = read_mail(db, pool, row[0], token, mail);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_outbox_done(cat_db_t *db, const cat_mail_t *mail)
{
    return cat_db_exec(db, SQL_OUTBOX_DONE, CAT_VALUES(mail->id, mail->lease), NULL);
}

apr_status_t cat_outbox_retry(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, const char *error,
                              apr_time_t when)
{
    return cat_db_exec(db, SQL_OUTBOX_RETRY,
                       CAT_VALUES(cat_time_store(pool, when), cat_text_shorten(pool, error, CAT_MAIL_ERROR_MAX),
                                  mail->id, mail->lease),
                       NULL);
}

apr_status_t cat_outbox_bury(cat_db_t *db, apr_pool_t *pool, const cat_mail_t *mail, const char *error)
{
    return cat_db_exec(db, SQL_OUTBOX_BURY,
                       CAT_VALUES(cat_text_shorten(pool, error, CAT_MAIL_ERROR_MAX), mail->id, mail->lease), NULL);
}
