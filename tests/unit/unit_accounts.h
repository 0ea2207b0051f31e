/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_ACCOUNTS_H
#define UNIT_ACCOUNTS_H

#include "unit_database.h"

#include "accounts/accounts.h"
#include "accounts/context.h"
#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"
#include "accounts/user.h"
#include "db/job.h"
#include "lib/id.h"

#define ANN "01a1fdf9-d28a-7c59-b8ec-c42b5a960857"
#define BOB "01a1fdf9-d28a-7c59-b8ec-c42b5a960858"

/* A database, and the context of a request to it. */
typedef struct unit_accounts_t {
    unit_database_t *database; /* A test may change database->conf. */
    cat_account_context_t c;   /* A test may change the context. */
} unit_accounts_t;

static inline unit_accounts_t *unit_accounts(apr_pool_t *pool)
{
    unit_accounts_t *a = apr_pcalloc(pool, sizeof(*a));
    cat_conf_t *conf;

    a->database = unit_database(pool);
    conf = &a->database->conf;
    conf->token_ttl = 900;
    conf->refresh_ttl = 3600;
    conf->session_ttl = 7200;
    conf->max_sessions = 10;
    a->c = (cat_account_context_t){
        .pool = pool,
        .log = &a->database->log,
        .conf = conf,
        .db = unit_database_use(pool, a->database),
        .metrics = a->database->source->database.metrics,
        .revoked = apr_pcalloc(pool, cat_revoked_size()),
        .now = apr_time_now(),
        .client = "192.0.2.1",
        .network = "192.0.2.1",
        .agent = "unit",
    };
    assert_int_equal(cat_semaphore_create(&a->c.hashing, pool, &(cat_semaphore_size_t){1, 1, 0}), APR_SUCCESS);
    return a;
}

/* Stores a user with the address name@example.org, and queues the confirmation mail. `hash` is the password hash. */
static inline void unit_accounts_add(unit_accounts_t *a, const char *id, const char *name, const char *hash)
{
    const char *record[CAT_USER_FIELDS] = {
        [CAT_USER_ID] = id,
        [CAT_USER_USERNAME] = name,
        [CAT_USER_EMAIL] = apr_pstrcat(a->c.pool, name, "@example.org", NULL),
        [CAT_USER_CREATED_AT] = "1763731170442",
    };

    assert_int_equal(cat_accounts_add(a->c.db, a->c.pool, record, hash, CAT_MAIL_CONFIRM, a->c.now), APR_SUCCESS);
    cat_db_release(a->c.db);
}

/* Returns a database with the users ann and bob, each with a confirmation mail in the queue. */
static inline unit_accounts_t *unit_accounts_ann_and_bob(apr_pool_t *pool)
{
    unit_accounts_t *a = unit_accounts(pool);

    unit_accounts_add(a, ANN, "ann", "x");
    unit_accounts_add(a, BOB, "bob", "x");
    return a;
}

/* Queues a mail to an address, claims it like a mailer, and returns it. */
static inline cat_mail_t unit_accounts_mail(unit_accounts_t *a, const char *template, const char *user_id,
                                            const char *email)
{
    cat_mail_t mail = {.id = cat_id_make(a->c.pool, a->c.now),
                       .template = template,
                       .user_id = user_id,
                       .email = email,
                       .lease = "held"};

    assert_int_equal(
        cat_db_insert(a->c.db, SQL_OUTBOX_INSERT, CAT_VALUES(mail.id, template, user_id, NULL, "1", "1", email)),
        APR_SUCCESS);
    assert_int_equal(cat_db_exec(a->c.db, SQL_OUTBOX_CLAIM, CAT_VALUES(mail.lease, "2", mail.id, "1"), NULL),
                     APR_SUCCESS);
    return mail;
}

/* Returns the token of a link that was mailed to `email` and is valid for `ttl` seconds. */
static inline const char *unit_accounts_link(unit_accounts_t *a, const char *purpose, const char *user_id,
                                             const char *email, int ttl)
{
    const cat_mail_t mail = unit_accounts_mail(a, purpose, user_id, email);
    const char *token = NULL;

    assert_int_equal(cat_mail_tokens_make(a->c.db, a->c.pool, &mail, ttl, &token), APR_SUCCESS);
    assert_int_equal(cat_outbox_done(a->c.db, &mail), APR_SUCCESS);
    return token;
}

/* Returns a run of a background job. *stop is not 0 if the server is stopping. */
static inline cat_job_t unit_accounts_job(const unit_accounts_t *a, const atomic_int *stop)
{
    return (cat_job_t){.pool = a->c.pool,
                       .log = a->c.log,
                       .conf = a->c.conf,
                       .db = a->c.db,
                       .source = a->database->source,
                       .database = "sqlite3 a",
                       .metrics = a->database->source->database.metrics,
                       .stop = stop};
}

/* Runs the SQL on another connection and returns the first column of the first row. */
#define unit_accounts_sql(a, sql) (cat_db_release((a)->c.db), unit_database_sql((a)->database, sql))

#endif
