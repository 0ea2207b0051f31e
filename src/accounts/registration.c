/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/registration.h"

#include <string.h>

#include "accounts/accounts.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/passwords.h"
#include "accounts/user.h"
#include "mail/email.h"

typedef struct newcomer_t {
    const cat_account_context_t *c;
    const char *const *record;
    const char *password_hash;
    cat_session_t *session; /* NULL if no session is opened. */
} newcomer_t;

static apr_status_t store_newcomer(void *baton)
{
    newcomer_t *n = baton;
    const cat_account_context_t *c = n->c;
    const char *id = n->record[CAT_USER_ID];
    apr_status_t rv = cat_accounts_add(c->db, c->pool, n->record, n->password_hash, CAT_MAIL_CONFIRM, c->now);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    return n->session ? cat_session_open(c, id, n->session) : cat_accounts_record_visit(c, id, 0);
}

typedef struct taken_t {
    const char *username_key, *email_key;
    cat_registration_t *result;
} taken_t;

static apr_status_t compare_keys(void *baton, const char *const *row, int)
{
    taken_t *t = baton;
    t->result->username_taken |= !strcmp(row[0], t->username_key);
    t->result->email_taken |= !strcmp(row[1], t->email_key);
    return APR_SUCCESS;
}

/* Finds out whether the name or the address was refused. A name is also refused if another user gave it up. */
static apr_status_t find_taken(const cat_account_context_t *c, const char *const *record, cat_registration_t *result)
{
    taken_t t = {cat_email_fold(c->pool, record[CAT_USER_USERNAME]), cat_email_fold(c->pool, record[CAT_USER_EMAIL]),
                 result};
    apr_status_t rv;

    result->outcome = CAT_REGISTRATION_TAKEN;
    rv = cat_names_check(c->db, c->pool, record[CAT_USER_USERNAME], record[CAT_USER_ID], c->now);
    if (rv != APR_SUCCESS && rv != APR_EEXIST) {
        return rv;
    }
    result->username_taken = rv == APR_EEXIST;
    return cat_db_each(c->db, SQL_USER_FIND_KEYS, CAT_VALUES(t.username_key, t.email_key), compare_keys, &t);
}

apr_status_t cat_registration_add(const cat_account_context_t *c, const char *const *record, cat_session_t *session,
                                  cat_registration_t *result)
{
    newcomer_t newcomer = {.c = c, .record = record, .session = session};
    apr_status_t rv = cat_passwords_hash(c, record[CAT_USER_PASSWORD], &newcomer.password_hash);

    *result = (cat_registration_t){.outcome = CAT_REGISTRATION_OK};
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_db_transact(c->db, store_newcomer, &newcomer);
    return rv == APR_EEXIST ? find_taken(c, record, result) : rv;
}
