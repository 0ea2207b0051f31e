/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "accounts/accounts.h"
#include "accounts/blocklist.h"
#include "accounts/password_hash.h"
#include "accounts/role.h"
#include "accounts/session.h"
#include "accounts/throttle.h"
#include "accounts/user.h"
#include "ctl/ask.h"
#include "ctl/database.h"
#include "ctl/list.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/time.h"

/* ---- list ---- */

enum { ID, USERNAME, EMAIL, ROLE, VERIFIED, CREATED_AT, FIELDS };
static const cat_field_t fields[FIELDS] = {
    [ID] = {.name = "id", .kind = CAT_STRING},
    [USERNAME] = {.name = "username", .kind = CAT_STRING},
    [EMAIL] = {.name = "email", .kind = CAT_STRING},
    [ROLE] = {.name = "role", .kind = CAT_STRING},
    [VERIFIED] = {.name = "emailVerified", .kind = CAT_BOOLEAN},
    [CREATED_AT] = {.name = "createdAt", .kind = CAT_TIME},
};

int ctl_users_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, fields, FIELDS, SQL_USER_LIST);
}

/* ---- add ---- */

typedef struct addition_t {
    const char **record; /* indexed as in accounts/user.h */
    const char *hash;
    const char *role;
    int verified;
} addition_t;

static apr_status_t add(ctl_t *ctl, void *baton)
{
    const addition_t *a = baton;
    const char *id = a->record[CAT_USER_ID];
    apr_status_t rv = cat_accounts_add(ctl->db, ctl->pool, a->record, a->hash, ctl->now);

    if (rv == APR_SUCCESS && a->role) {
        rv = cat_db_exec(ctl->db, SQL_USER_SET_ROLE, CAT_VALUES(a->role, id), NULL);
    }
    /* The mailer drops the confirmation mail, because the address is confirmed. */
    if (rv == APR_SUCCESS && a->verified) {
        rv = cat_db_exec(ctl->db, SQL_USER_CONFIRM, CAT_VALUES(a->record[CAT_USER_CREATED_AT], id), NULL);
    }
    return rv;
}

/* Checks the rules of registration. */
static const char *check(ctl_t *ctl, const char *password, addition_t *a)
{
    const char *fault = NULL;
    cat_blocklist_t *list;
    cat_input_t input;
    json_t *body = cat_json_own(
        ctl->pool, json_pack("{s:s, s:s, s:s}", "username", ctl->args[0], "email", ctl->args[1], "password", password));

    if (!body) {
        return "the name, the address and the password must be UTF-8";
    }
    cat_fields_check(ctl->pool, cat_user_fields, CAT_USER_FIELDS, CAT_CREATE, 1, body, &input);
    a->record = input.values;
    if (input.errors) {
        return cat_fields_summary(ctl->pool, input.errors);
    }
    if (ctl->site.blocklist) {
        fault = cat_blocklist_read(ctl->pool, ctl->site.blocklist, &list);
        fault = !fault && cat_blocklist_has(list, password) ? "password is one of those that are tried first" : fault;
    }
    return fault;
}

static const char *make(ctl_t *ctl, const char *password, addition_t *a)
{
    const char *fault = check(ctl, password, a);

    if (fault) {
        return fault;
    }
    a->record[CAT_USER_ID] = cat_id_make(ctl->pool, ctl->now);
    a->record[CAT_USER_CREATED_AT] = cat_time_store(ctl->pool, ctl->now);
    return a->record[CAT_USER_ID] && cat_password_hash_hash(ctl->pool, password, &a->hash) == APR_SUCCESS
               ? NULL
               : "the system provides no random numbers, or no memory";
}

static const char no_role[] = "is not a role; use " CAT_ROLE_NAMES_TEXT;

int ctl_users_add(ctl_t *ctl)
{
    addition_t a = {.role = ctl->options->role, .verified = ctl->options->verified};
    const char *password = NULL, *fault = NULL;
    cat_role_t role;
    apr_status_t rv;

    if (a.role && !cat_role_parse(a.role, &role)) {
        return ctl_fail(a.role, no_role);
    }
    if (ctl->options->generate) {
        password = ctl_ask_generate_password(ctl->pool);
        fault = password ? NULL : "the system provides no random numbers";
    } else {
        fault = ctl_ask_password(ctl->pool, &password);
    }
    fault = fault ? fault : make(ctl, password, &a);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    rv = ctl_database_write(ctl, add, &a);
    if (rv == APR_EEXIST) {
        return ctl_fail(NULL, "the name or the address is taken");
    }
    if (rv == APR_SUCCESS) {
        printf("%s%s%s\n", a.record[CAT_USER_ID], ctl->options->generate ? "\t" : "",
               ctl->options->generate ? password : "");
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}

/* ---- what is done to one user ---- */

typedef apr_status_t change_t(ctl_t *ctl, const cat_account_t *user);

/* If a user name looks like another user's id, the id wins. */
static apr_status_t find(ctl_t *ctl, const char *login, cat_account_t **user)
{
    apr_status_t rv = cat_id_check(login) ? cat_accounts_read(ctl->db, ctl->pool, login, user) : APR_NOTFOUND;

    return rv == APR_NOTFOUND ? cat_accounts_find(ctl->db, ctl->pool, login, user) : rv;
}

static apr_status_t find_and_change(ctl_t *ctl, void *change)
{
    cat_account_t *user;
    apr_status_t rv = find(ctl, ctl->args[0], &user);

    return rv == APR_SUCCESS ? (*(change_t **)change)(ctl, user) : rv;
}

static int change_user(ctl_t *ctl, change_t *change)
{
    apr_status_t rv = ctl_database_write(ctl, find_and_change, &change);

    if (rv == APR_NOTFOUND) {
        return ctl_fail(ctl->args[0], "there is no such user");
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}

static apr_status_t end_sessions(ctl_t *ctl, const cat_account_t *user)
{
    apr_array_header_t *ended;

    return cat_session_end_others(ctl->db, ctl->pool, user->id, NULL, ctl->now, &ended);
}

/* An access token keeps its role until it expires, so the user's sessions end. */
static apr_status_t set_role(ctl_t *ctl, const cat_account_t *user)
{
    apr_status_t rv;

    if (!strcmp(user->role, ctl->args[1])) {
        return APR_SUCCESS;
    }
    rv = cat_db_exec(ctl->db, SQL_USER_SET_ROLE, CAT_VALUES(ctl->args[1], user->id), NULL);
    return rv == APR_SUCCESS ? end_sessions(ctl, user) : rv;
}

static apr_status_t unlock(ctl_t *ctl, const cat_account_t *user)
{
    return cat_throttle_unlock(ctl->db, ctl->pool, user);
}

static apr_status_t delete_user(ctl_t *ctl, const cat_account_t *user)
{
    apr_status_t rv = end_sessions(ctl, user);

    if (rv == APR_SUCCESS) {
        rv = unlock(ctl, user);
    }
    return rv == APR_SUCCESS ? cat_db_exec(ctl->db, SQL_USER_DELETE, CAT_VALUES(user->id), NULL) : rv;
}

int ctl_users_set_role(ctl_t *ctl)
{
    cat_role_t role;
    return cat_role_parse(ctl->args[1], &role) ? change_user(ctl, set_role) : ctl_fail(ctl->args[1], no_role);
}

int ctl_users_unlock(ctl_t *ctl)
{
    return change_user(ctl, unlock);
}

int ctl_users_remove(ctl_t *ctl)
{
    return change_user(ctl, delete_user);
}

int ctl_users_revoke(ctl_t *ctl)
{
    return change_user(ctl, end_sessions);
}
