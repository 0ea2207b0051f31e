/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/invitation.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "accounts/mail_tokens.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "lib/id.h"
#include "lib/secret.h"
#include "lib/time.h"

#define NAME_LEAST 3
#define NAME_MOST 57 /* The longest user name, 64 characters, less "-" and the suffix. */
#define SUFFIX 6     /* Digits of the id that make a name unique. */

const char *cat_invitation_password(apr_pool_t *pool)
{
    return cat_secret_make(pool);
}

/* Returns the characters of the address before the @ that a user name may contain, or "user" if they make no name. */
static const char *make_name(apr_pool_t *pool, const char *email)
{
    char *name = apr_palloc(pool, NAME_MOST + 1), *end = name;

    for (const char *c = email; *c && *c != '@' && end - name < NAME_MOST; c++) {
        if (apr_isalnum(*c) || strchr("._-", *c)) {
            *end++ = *c;
        }
    }
    *end = '\0';
    return end - name < NAME_LEAST || cat_id_check(name) ? "user" : name;
}

static apr_status_t choose_name(cat_administration_t *a, const cat_conf_t *conf, cat_invitation_t *i)
{
    const char *name = make_name(a->pool, i->email);
    cat_account_t *account;
    apr_status_t rv = cat_accounts_find(a->db, a->pool, name, &account);
    int is_free = rv == APR_NOTFOUND && !(conf->reserved_names && cat_names_is_reserved(conf, name));

    if (is_free) {
        rv = cat_names_check(a->db, a->pool, name, i->id, a->now);
        is_free = rv == APR_SUCCESS;
    }
    if (rv != APR_SUCCESS && rv != APR_NOTFOUND && rv != APR_EEXIST) {
        return rv;
    }
    i->username = is_free ? name : apr_pstrcat(a->pool, name, "-", i->id + strlen(i->id) - SUFFIX, NULL);
    return APR_SUCCESS;
}

static apr_status_t store_account(cat_administration_t *a, cat_invitation_t *i)
{
    const char *record[CAT_USER_SESSION_FIELDS] = {
        [CAT_USER_ID] = i->id,
        [CAT_USER_USERNAME] = i->username,
        [CAT_USER_EMAIL] = i->email,
        [CAT_USER_CREATED_AT] = cat_time_store(a->pool, a->now),
    };
    const cat_account_change_t change = {.role = i->role};
    apr_status_t rv = cat_administration_add(a, record, i->hash, i->is_mailed ? CAT_MAIL_INVITE : NULL, &change);

    return rv == APR_SUCCESS && !i->is_mailed
               ? cat_mail_tokens_add(a->db, a->pool, CAT_MAIL_INVITE, i->id, i->email, a->now, i->ttl, &i->token)
               : rv;
}

apr_status_t cat_invitation_store(cat_administration_t *a, const cat_conf_t *conf, cat_invitation_t *invitation)
{
    int may;
    apr_status_t rv = cat_administration_begin(a->db, a->pool, &a->actor, &may);

    a->ended = apr_array_make(a->pool, 0, sizeof(const char *));
    a->outcome = may ? CAT_ADMINISTRATION_DONE : CAT_ADMINISTRATION_FORBIDDEN;
    if (rv != APR_SUCCESS || !may) {
        return rv;
    }
    invitation->id = cat_id_make(a->pool, a->now);
    invitation->token = NULL;
    if (!invitation->id) {
        return APR_EGENERAL;
    }
    if (!invitation->username) {
        rv = choose_name(a, conf, invitation);
    }
    return rv == APR_SUCCESS ? store_account(a, invitation) : rv;
}
