/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl user: adds and changes accounts from the command line. The rules are those of the API's administrators
 * (accounts/administration.h), with the operating system's user as the actor in the audit table.
 */
#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "accounts/accounts.h"
#include "accounts/administration.h"
#include "accounts/blocklist.h"
#include "accounts/invitation.h"
#include "accounts/mailer.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/password_hash.h"
#include "accounts/passwords.h"
#include "accounts/role.h"
#include "accounts/user.h"
#include "accounts/user_key.h"
#include "ctl/ask.h"
#include "ctl/database.h"
#include "ctl/list.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/time.h"

int ctl_users_list(ctl_t *ctl)
{
    return ctl_list_print(ctl, cat_user_view_fields, CAT_USER_VIEW_FIELDS, SQL_USER_LIST, CAT_NO_VALUES);
}

static cat_administration_t make_administration(const ctl_t *ctl)
{
    return (cat_administration_t){
        .db = ctl->db, .pool = ctl->pool, .now = ctl->now, .actor = ctl->actor, .force = ctl->options->force};
}

/* ---- add ---- */

typedef struct addition_t {
    ctl_t *ctl;
    const char **record; /* indexed as in accounts/user.h */
    const char *hash;
    cat_account_change_t change;
} addition_t;

static apr_status_t add_user(void *baton)
{
    const addition_t *a = baton;
    cat_administration_t administration = make_administration(a->ctl);

    return cat_administration_add(&administration, a->record, a->hash, CAT_MAIL_CONFIRM, &a->change);
}

/* Checks the rules of registration, but for CatalogReservedNames: an administrator of the machine speaks for the site. */
static const char *check_user(ctl_t *ctl, const char *username, const char *email, const char *password,
                              const char ***record)
{
    const char *fault = NULL, *prepared;
    cat_blocklist_t *list;
    cat_input_t input;
    json_t *body = cat_json_own(
        ctl->pool, json_pack("{s:s, s:s, s:s}", "username", username, "email", email, "password", password));

    if (!body) {
        return "the name, the address and the password must be UTF-8";
    }
    cat_fields_check(ctl->pool, cat_user_fields, CAT_USER_FIELDS, CAT_CREATE, 1, body, &input);
    *record = input.values;
    if (input.errors) {
        return cat_fields_summary(ctl->pool, input.errors);
    }
    prepared = input.values[CAT_USER_PASSWORD];
    fault = cat_passwords_refuse_personal(prepared, username, email);
    if (fault) {
        return apr_pstrcat(ctl->pool, "password ", fault, NULL);
    }
    if (ctl->site.blocklist) {
        fault = cat_blocklist_read(ctl->pool, ctl->site.blocklist, &list);
        fault =
            !fault && cat_blocklist_has(list, prepared) ? "password is one of those that attackers try first" : fault;
    }
    return fault;
}

static const char no_memory[] = "the system provides no random numbers, or no memory";

static const char *make_user(ctl_t *ctl, const char *password, addition_t *a)
{
    const char *fault = check_user(ctl, ctl->args[0], ctl->args[1], password, &a->record);

    if (fault) {
        return fault;
    }
    a->record[CAT_USER_ID] = cat_id_make(ctl->pool, ctl->now);
    a->record[CAT_USER_CREATED_AT] = cat_time_store(ctl->pool, ctl->now);
    return a->record[CAT_USER_ID] && cat_password_hash_hash(ctl->pool, password, &a->hash) == APR_SUCCESS ? NULL
                                                                                                          : no_memory;
}

static const char *explain_taken(ctl_t *ctl, const addition_t *a)
{
    return cat_names_check(ctl->db, ctl->pool, a->record[CAT_USER_USERNAME], a->record[CAT_USER_ID], ctl->now) ==
                   APR_EEXIST
               ? "somebody gave up this name less than " APR_STRINGIFY(
                     CAT_NAMES_DAYS) " days ago; use --force to give it to another user"
               : "the name or the address is taken";
}

/* Asks for a password, or generates one with --generate, and sets *password to it. Returns a fault or NULL. */
static const char *choose_password(ctl_t *ctl, const char **password)
{
    if (!ctl->options->generate) {
        return ctl_ask_password(ctl->pool, password);
    }
    *password = ctl_ask_generate_password(ctl->pool);
    return *password ? NULL : no_memory;
}

static const char no_role[] = "is not a role; use " CAT_ROLE_NAMES_TEXT;

int ctl_users_add(ctl_t *ctl)
{
    const char *name = ctl->options->role;
    addition_t a = {.ctl = ctl, .change = {.role = name, .verified = ctl->options->verified ? "1" : NULL}};
    const char *password = NULL, *fault;
    cat_role_t role;
    apr_status_t rv;

    if (name && !cat_role_parse(name, &role)) {
        return ctl_fail(name, no_role);
    }
    fault = choose_password(ctl, &password);
    fault = fault ? fault : make_user(ctl, password, &a);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    rv = ctl_database_write(ctl, add_user, &a);
    if (rv == APR_EEXIST) {
        return ctl_fail(NULL, explain_taken(ctl, &a));
    }
    if (rv == APR_SUCCESS) {
        printf("%s%s%s\n", a.record[CAT_USER_ID], ctl->options->generate ? "\t" : "",
               ctl->options->generate ? password : "");
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}

/* ---- invite ---- */

typedef struct inviting_t {
    ctl_t *ctl;
    cat_invitation_t invitation;
} inviting_t;

static apr_status_t invite_user(void *baton)
{
    inviting_t *i = baton;
    cat_administration_t administration = make_administration(i->ctl);

    return cat_invitation_store(&administration, &i->ctl->conf, &i->invitation);
}

/* Checks the address and the name as if the user registered, with the password that the account gets for now. */
static const char *check_invitation(ctl_t *ctl, inviting_t *i)
{
    const ctl_options_t *o = ctl->options;
    const char *password = cat_invitation_password(ctl->pool), **record, *fault;
    cat_role_t role;

    if (!ctl->site.invite_link) {
        return "an invitation has a link, which httpd's configuration has; --driver has none";
    }
    if (o->role && !cat_role_parse(o->role, &role)) {
        return apr_pstrcat(ctl->pool, o->role, " ", no_role, NULL);
    }
    if (!password || cat_password_hash_hash(ctl->pool, password, &i->invitation.hash) != APR_SUCCESS) {
        return no_memory;
    }
    fault = check_user(ctl, o->name ? o->name : "user", ctl->args[0], password, &record);
    i->invitation.email = fault ? NULL : record[CAT_USER_EMAIL];
    i->invitation.username = o->name;
    i->invitation.role = o->role;
    i->invitation.ttl = ctl->site.invite_ttl;
    i->invitation.is_mailed = ctl->site.mail != NULL;
    return fault;
}

/* Prints the id and, if no mail takes the link along, the link. */
int ctl_users_invite(ctl_t *ctl)
{
    inviting_t i = {.ctl = ctl};
    cat_conf_t conf = {.link_reset = ctl->site.invite_link};
    const char *fault = check_invitation(ctl, &i);
    apr_status_t rv;

    if (fault) {
        return ctl_fail(NULL, fault);
    }
    rv = ctl_database_write(ctl, invite_user, &i);
    if (rv == APR_EEXIST) {
        return ctl_fail(NULL, "the name or the address is taken");
    }
    if (rv != APR_SUCCESS) {
        return CTL_FAILED;
    }
    fputs(i.invitation.id, stdout);
    if (i.invitation.token) {
        printf("\t%s", cat_mailer_link(ctl->pool, &conf, CAT_MAIL_INVITE, i.invitation.token));
    }
    puts("");
    return CTL_DONE;
}

/* ---- what is done to one user ---- */

/* One command. */
typedef struct change_t {
    ctl_t *ctl;
    cat_administration_act_t *act; /* NULL: update */
    cat_account_change_t fields;
    const char *hash; /* NULL: the password stays */
    cat_administration_outcome_t outcome;
} change_t;

static const char no_user[] = "there is no such user";

/* login: an id, a name or an address. */
static apr_status_t find_user(ctl_t *ctl, const char *login, cat_account_t **user)
{
    const char *id = cat_id_fold(ctl->pool, login);
    apr_status_t rv = cat_id_check(id) ? cat_accounts_read(ctl->db, ctl->pool, id, user) : APR_NOTFOUND;

    return rv == APR_NOTFOUND ? cat_accounts_find(ctl->db, ctl->pool, login, user) : rv;
}

static apr_status_t find_and_change(void *baton)
{
    change_t *change = baton;
    cat_administration_t administration = make_administration(change->ctl);
    cat_account_t *user;
    apr_status_t rv = find_user(change->ctl, change->ctl->args[0], &user);

    if (rv == APR_SUCCESS) {
        rv = change->act    ? change->act(&administration, user->id)
             : change->hash ? cat_administration_set_password(&administration, user->id, change->hash)
                            : cat_administration_update(&administration, user->id, &change->fields, &user);
        change->outcome = administration.outcome;
    }
    return rv;
}

static int change_user(ctl_t *ctl, change_t change)
{
    apr_status_t rv;

    change.ctl = ctl;
    rv = ctl_database_write(ctl, find_and_change, &change);
    if (rv == APR_NOTFOUND) {
        return ctl_fail(ctl->args[0], no_user);
    }
    if (rv == APR_SUCCESS && change.outcome == CAT_ADMINISTRATION_LAST) {
        return ctl_fail(ctl->args[0], "is the last administrator; use --force to leave none");
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}

int ctl_users_set_role(ctl_t *ctl)
{
    const char *name = ctl->args[1];
    cat_role_t role;

    return cat_role_parse(name, &role) ? change_user(ctl, (change_t){.fields = {.role = name}})
                                       : ctl_fail(name, no_role);
}

int ctl_users_lock(ctl_t *ctl)
{
    return change_user(ctl, (change_t){.fields = {.locked = "1"}});
}

int ctl_users_unlock(ctl_t *ctl)
{
    return change_user(ctl, (change_t){.act = cat_administration_unlock});
}

int ctl_users_remove(ctl_t *ctl)
{
    return change_user(ctl, (change_t){.act = cat_administration_delete});
}

int ctl_users_revoke(ctl_t *ctl)
{
    return change_user(ctl, (change_t){.act = cat_administration_revoke});
}

int ctl_users_set_password(ctl_t *ctl)
{
    const char *password = NULL, *hash = NULL, *fault, **record;
    cat_account_t *user;
    apr_status_t rv = find_user(ctl, ctl->args[0], &user);
    int result;

    if (rv != APR_SUCCESS) {
        return rv == APR_NOTFOUND ? ctl_fail(ctl->args[0], no_user) : CTL_FAILED;
    }
    cat_db_release(ctl->db);
    fault = choose_password(ctl, &password);
    fault = fault ? fault : check_user(ctl, user->username, user->email, password, &record);
    if (!fault && cat_password_hash_hash(ctl->pool, password, &hash) != APR_SUCCESS) {
        fault = no_memory;
    }
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    result = change_user(ctl, (change_t){.hash = hash});
    if (result == CTL_DONE && ctl->options->generate) {
        puts(password);
    }
    return result;
}

/* ---- a key for a program ---- */

typedef struct new_key_t {
    ctl_t *ctl;
    const char *role; /* NULL: the user's */
    cat_keyring_t *ring;
    cat_user_key_t key;
    const char *token; /* of the key; NULL: it cannot be signed */
    cat_user_key_outcome_t outcome;
} new_key_t;

/* CatalogMaxKeys is for users: an administrator of the machine speaks for the site. */
static apr_status_t add_key(void *baton)
{
    new_key_t *n = baton;
    ctl_t *ctl = n->ctl;
    cat_account_t *user;
    apr_status_t rv = find_user(ctl, ctl->args[0], &user);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    n->key.user_id = user->id;
    n->key.role = n->role;
    n->token = cat_user_key_sign(ctl->pool, &ctl->conf, cat_keyring_get(n->ring, ctl->now, NULL), &n->key);
    if (!n->token) {
        return APR_EGENERAL;
    }
    return cat_user_key_add(ctl->db, ctl->pool, &n->key, -1, &ctl->actor, &n->outcome);
}

/* The keys that sign are read first: only root may read them, perhaps, and opening the database makes root the server's user. */
static const char *open_signing(ctl_t *ctl, cat_keyring_t **ring)
{
    const ctl_site_t *site = &ctl->site;
    const char *fault =
        !site->server ? "a key is signed as httpd's configuration says; --driver has none" : site->strangers;

    if (!fault) {
        fault = site->key_dir ? cat_keyring_open_directory(ctl->pool, site->key_dir, ring)
                              : cat_keyring_open_file(ctl->pool, site->key_file, ring);
    }
    fault = fault ? fault : ctl_database_open(ctl, 0);
    ctl->conf.issuer = site->issuer;
    ctl->conf.audience = site->audience;
    return fault;
}

/* Checks the options and the name. A token has whole seconds. */
static const char *prepare_key(ctl_t *ctl, new_key_t *n)
{
    const ctl_options_t *o = ctl->options;
    apr_int64_t days = CAT_USER_KEY_DAYS;
    const json_t *text = cat_json_own(ctl->pool, json_string(ctl->args[1]));
    cat_field_fault_t fault = cat_fields_no_fault;
    const char *name;
    cat_role_t role;

    if (text) {
        fault = cat_fields_read_value(ctl->pool, &cat_user_key_fields[CAT_USER_KEY_NAME], text, &name);
    }
    if (!text || fault.code) {
        return apr_pstrcat(ctl->pool, "NAME ", text ? fault.message : "must be UTF-8", NULL);
    }
    if (o->days && (!cat_number_parse_integer(o->days, &days) || days < 1 || days > CAT_USER_KEY_DAYS_MOST)) {
        return "--days must be a number from 1 to " APR_STRINGIFY(CAT_USER_KEY_DAYS_MOST);
    }
    if (o->role && !cat_role_parse(o->role, &role)) {
        return apr_pstrcat(ctl->pool, o->role, " ", no_role, NULL);
    }
    *n = (new_key_t){.ctl = ctl, .role = o->role};
    n->key = (cat_user_key_t){
        .id = cat_id_make(ctl->pool, ctl->now),
        .name = name,
        .created = ctl->now,
        .expires = apr_time_from_sec(apr_time_sec(ctl->now) + days * 86400),
    };
    return n->key.id ? NULL : "the system provides no random numbers";
}

int ctl_users_make_key(ctl_t *ctl)
{
    new_key_t n;
    const char *fault = prepare_key(ctl, &n);
    apr_status_t rv;

    fault = fault ? fault : open_signing(ctl, &n.ring);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    rv = ctl_database_write(ctl, add_key, &n);
    if (rv == APR_NOTFOUND) {
        return ctl_fail(ctl->args[0], "there is no such user, or it is locked");
    }
    if (rv == APR_SUCCESS && n.outcome == CAT_USER_KEY_ABOVE) {
        return ctl_fail(n.role, "is above the role of the user");
    }
    if (rv == APR_EGENERAL && !n.token) {
        return ctl_fail(NULL, "the key cannot be signed");
    }
    if (rv == APR_SUCCESS) {
        puts(n.token);
    }
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}
