/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accounts of all users, for administrators: list, invite, read, change, delete, unlock, end sessions. One
 * transaction makes the change, checks that the actor still is an administrator, and evaluates If-Match
 * (accounts/administration.h). After the commit, this server refuses the access tokens of the sessions that the change
 * ended.
 */
#include "api/user_admin.h"

#include "accounts/administration.h"
#include "accounts/invitation.h"
#include "accounts/mailer.h"
#include "accounts/outbox.h"
#include "accounts/passwords.h"
#include "accounts/role.h"
#include "accounts/session.h"
#include "accounts/user.h"
#include "accounts/user_list.h"
#include "api/account_context.h"
#include "api/account_refusal.h"
#include "api/admin_list.h"
#include "api/failure.h"
#include "api/pagination.h"
#include "db/db.h"
#include "http/challenge.h"
#include "http/etag.h"
#include "lib/id.h"
#include "lib/json.h"
#include "mail/email.h"

/* ---- list ---- */

typedef struct list_request_t {
    cat_admin_list_t list;
    cat_user_query_t query;
} list_request_t;

static void parse_text(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    list_request_t *r = request;
    const char *text = parameter->value && !*parameter->value ? "" : cat_admin_list_take_text(&r->list, p, parameter);

    r->query.text = text ? cat_email_fold(p->pool, text) : NULL;
}

static void parse_role(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    list_request_t *r = request;
    int role = cat_parameters_choose(p, parameter, parameter->value, cat_role_names, "must be " CAT_ROLE_NAMES_TEXT);

    if (role >= 0) {
        r->query.role = cat_role_names[role];
        cat_admin_list_keep(&r->list, parameter);
    }
}

static void parse_sort(void *request, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    static const char *const orders[] = {
        [CAT_USERS_BY_TIME] = "createdAt", [CAT_USERS_BY_NAME] = "username", [CAT_USERS_BY_EMAIL] = "email", NULL};
    list_request_t *r = request;
    const char *value = parameter->value ? parameter->value : "";
    int descending = *value == '-';
    int order = cat_parameters_choose(p, parameter, value + descending, orders,
                                      "must be createdAt, username or email, optionally preceded by -");

    if (order >= 0) {
        r->query.order = (cat_users_order_t)order;
        r->query.descending = descending;
        cat_admin_list_keep(&r->list, parameter);
    }
}

static json_t *describe_role(const cat_conf_t *)
{
    return cat_description_words(cat_role_names, -1);
}

static json_t *describe_sort(const cat_conf_t *)
{
    static const char *const orders[] = {"-createdAt", "createdAt", "username", "-username", "email", "-email", NULL};

    return cat_description_words(orders, 0);
}

/* THE USERS' PARAMETERS */
static const cat_parameter_row_t parameters[] = {
    CAT_ADMIN_LIST_PARAMETERS,
    {"q", 0, parse_text, cat_parameters_describe_text,
     "Part of the user name or of the e-mail address, whatever the case", "\"ada\""},
    {"role", 0, parse_role, describe_role, "Only users with this role", "\"editor\""},
    {"sort", 0, parse_sort, describe_sort, "The order, with `-` for descending order", "\"username\""},
    CAT_PARAMETERS_END,
};

cat_answer_t *cat_user_admin_list(cat_request_t *q)
{
    list_request_t r = {.query = {.order = CAT_USERS_BY_TIME, .descending = 1}};
    cat_parameters_t p;
    cat_answer_t *refusal = cat_admin_list_parse(q, &p, parameters, &r.list);
    apr_status_t rv;

    if (refusal) {
        return refusal;
    }
    rv = cat_user_list_read(q->db, &r.query, &r.list.page);
    return cat_admin_list_answer(q, rv, &r.list, &p, cat_user_view_fields, CAT_USER_VIEW_FIELDS);
}

/* ---- one user ---- */

static void write_user(cat_request_t *, const cat_account_t *user, cat_buffer_t *b)
{
    const char *const values[CAT_USER_VIEW_FIELDS] = {
        [CAT_USER_VIEW_ID] = user->id,
        [CAT_USER_VIEW_USERNAME] = user->username,
        [CAT_USER_VIEW_EMAIL] = user->email,
        [CAT_USER_VIEW_VERIFIED] = user->confirmed ? "1" : "0",
        [CAT_USER_VIEW_ROLE] = user->role,
        [CAT_USER_VIEW_LOCKED] = user->locked ? "1" : "0",
        [CAT_USER_VIEW_CREATED_AT] = user->created_at,
        [CAT_USER_VIEW_SIGNED_IN_AT] = user->signed_in_at,
    };

    cat_fields_write(b, cat_user_view_fields, CAT_USER_VIEW_FIELDS, values);
}

/* Returns the response to GET if `message` is NULL. The ETag of that response is the ETag of the user in every
 * response. */
static cat_answer_t *represent_user(cat_request_t *q, const cat_account_t *user, const char *message)
{
    cat_answer_t *answer;
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 256);
    write_user(q, user, &b);
    answer = cat_answer_success(q->pool, 200, &b, message);
    answer->tag = message ? CAT_TAG_NONE : CAT_TAG_STRONG;
    return answer;
}

static const char *make_tag(cat_request_t *q, const cat_account_t *user)
{
    const cat_answer_t *answer = represent_user(q, user, NULL);
    return cat_etag_make(q->pool, answer->body, answer->length, 0);
}

static cat_answer_t *answer_failure(cat_request_t *q, apr_status_t rv)
{
    return rv == APR_NOTFOUND ? cat_answer_problem(q->pool, CAT_PROBLEM_USER_UNKNOWN, NULL)
                              : cat_failure_answer(q->pool, rv);
}

cat_answer_t *cat_user_admin_get(cat_request_t *q)
{
    cat_account_t *user;
    apr_status_t rv =
        cat_id_check(q->params[0]) ? cat_accounts_read(q->db, q->pool, q->params[0], &user) : APR_NOTFOUND;

    return rv == APR_SUCCESS ? represent_user(q, user, NULL) : answer_failure(q, rv);
}

/* ---- changes ---- */

/* A request that changes an account. */
typedef struct change_request_t {
    cat_request_t *q;
    cat_administration_t administration;
    cat_account_condition_t condition;
    const char *tag;               /* ETag of the stored account that was checked last. NULL if none was checked. */
    cat_administration_act_t *act; /* NULL for an update. */
    const cat_account_change_t *change;
    cat_account_t *account; /* The account after an update. */
} change_request_t;

static apr_status_t judge_conditions(void *baton, const cat_account_t *account)
{
    change_request_t *r = baton;

    r->tag = make_tag(r->q, account);
    return cat_etag_judge(&r->q->conditions, r->tag) == CAT_CONDITION_HOLDS ? APR_SUCCESS : CAT_ECHANGED;
}

static apr_status_t change_account(void *baton)
{
    change_request_t *r = baton;
    const char *id = r->q->params[0];

    return r->act ? r->act(&r->administration, id)
                  : cat_administration_update(&r->administration, id, r->change, &r->account);
}

static void describe_work(change_request_t *r)
{
    cat_request_t *q = r->q;

    r->condition = (cat_account_condition_t){judge_conditions, r};
    r->administration = (cat_administration_t){
        .db = q->db,
        .pool = q->pool,
        .now = q->now,
        .actor = cat_account_context_actor(q),
        .condition = q->conditions.match || q->conditions.none_match ? &r->condition : NULL,
    };
}

/* Makes the change. Returns NULL, or the response to a failure. */
static cat_answer_t *run_change(change_request_t *r)
{
    cat_request_t *q = r->q;
    const cat_account_context_t c = cat_account_context_make(q);
    cat_answer_t *answer;
    apr_status_t rv;

    if (!cat_id_check(q->params[0])) {
        return answer_failure(q, APR_NOTFOUND);
    }
    describe_work(r);
    rv = cat_db_transact(q->db, change_account, r);
    if (rv != APR_SUCCESS) {
        answer = answer_failure(q, rv);
        answer->etag = rv == CAT_ECHANGED ? r->tag : NULL;
        return answer;
    }
    switch (r->administration.outcome) {
    case CAT_ADMINISTRATION_LAST:
        return cat_answer_problem(q->pool, CAT_PROBLEM_LAST_ADMIN, NULL);
    case CAT_ADMINISTRATION_FORBIDDEN:
        return cat_challenge_refuse_role(q->pool, q->conf);
    default:
        cat_session_revoke(&c, r->administration.ended);
        return NULL;
    }
}

cat_answer_t *cat_user_admin_update(cat_request_t *q)
{
    cat_account_change_t change;
    change_request_t r = {.q = q, .change = &change};
    cat_answer_t *answer;
    cat_input_t input;

    cat_fields_check(q->pool, cat_user_view_fields, CAT_USER_VIEW_FIELDS, CAT_UPDATE, q->strict, q->body, &input);
    if (!input.errors && !input.given) {
        cat_fields_add_error(q->pool, &input, "", "required", "must have role, emailVerified or locked");
    }
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    change = (cat_account_change_t){.role = input.values[CAT_USER_VIEW_ROLE],
                                    .verified = input.values[CAT_USER_VIEW_VERIFIED],
                                    .locked = input.values[CAT_USER_VIEW_LOCKED]};
    answer = run_change(&r);
    if (!answer) {
        answer = represent_user(q, r.account, "User updated");
        answer->etag = make_tag(q, r.account);
        cat_answer_name_ignored(answer, q->pool, input.ignored);
    }
    return answer;
}

static cat_answer_t *act_on_account(cat_request_t *q, cat_administration_act_t *function, const char *message)
{
    change_request_t r = {.q = q, .act = function};
    cat_answer_t *answer = run_change(&r);

    return answer ? answer : cat_answer_success(q->pool, 200, NULL, message);
}

cat_answer_t *cat_user_admin_remove(cat_request_t *q)
{
    return act_on_account(q, cat_administration_delete, "User deleted");
}

cat_answer_t *cat_user_admin_unlock(cat_request_t *q)
{
    return act_on_account(q, cat_administration_unlock, "User unlocked");
}

cat_answer_t *cat_user_admin_revoke(cat_request_t *q)
{
    return act_on_account(q, cat_administration_revoke, "Sessions ended");
}

/* ---- invite ---- */

enum { INVITE_EMAIL, INVITE_USERNAME, INVITE_ROLE, INVITE_FIELDS };

/* clang-format off */
static const cat_field_t invite_fields[INVITE_FIELDS] = {
    [INVITE_EMAIL] =    {"email",    CAT_STRING, CAT_REQUIRED, 1, CAT_EMAIL_MAX, NULL, &cat_user_email_rule,
        "The address of the person to invite", "grace@example.com"},
    [INVITE_USERNAME] = {"username", CAT_STRING, 0,            3, 64,            NULL, &cat_user_name_rule,
        "The user name; if it is absent, one is made of the address", "grace"},
    [INVITE_ROLE] =     {"role",     CAT_STRING, 0,            1, 16,            NULL, &cat_user_role_rule,
        "The role; `user` if it is absent", "editor"},
};
/* clang-format on */

typedef struct invite_request_t {
    cat_request_t *q;
    cat_administration_t administration;
    cat_invitation_t invitation;
    cat_account_t *account; /* The new account. */
} invite_request_t;

static apr_status_t store_invitation(void *baton)
{
    invite_request_t *r = baton;
    cat_request_t *q = r->q;
    apr_status_t rv = cat_invitation_store(&r->administration, q->conf, &r->invitation);

    return rv == APR_SUCCESS && r->administration.outcome == CAT_ADMINISTRATION_DONE
               ? cat_accounts_read(q->db, q->pool, r->invitation.id, &r->account)
               : rv;
}

static cat_answer_t *answer_taken(cat_request_t *q, const invite_request_t *r, cat_input_t *input)
{
    cat_account_t *owner;
    apr_status_t rv = cat_accounts_find(q->db, q->pool, r->invitation.email, &owner);

    if (rv != APR_SUCCESS && rv != APR_NOTFOUND) {
        return cat_failure_answer(q->pool, rv);
    }
    cat_fields_add_error(q->pool, input, rv == APR_SUCCESS ? "email" : "username", "taken", "is already taken");
    return cat_answer_invalid(q->pool, CAT_PROBLEM_USER_EXISTS, input->errors);
}

/* Returns the response with the new user. It includes the link only if the server sends no mails. */
static cat_answer_t *answer_invited(cat_request_t *q, const invite_request_t *r)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 512);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true,\"data\":");
    write_user(q, r->account, &b);
    cat_json_add_member(&b, ",\"message\":", r->invitation.token ? "User invited; pass the link on" : "User invited");
    if (r->invitation.token) {
        cat_json_add_member(&b, ",\"link\":", cat_mailer_link(q->pool, q->conf, CAT_MAIL_INVITE, r->invitation.token));
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return cat_answer_text(q->pool, 201, b.data, b.length);
}

static cat_answer_t *run_invitation(invite_request_t *r, cat_input_t *input)
{
    cat_request_t *q = r->q;
    const cat_account_context_t c = cat_account_context_make(q);
    const char *password = cat_invitation_password(q->pool);
    apr_status_t rv = password ? cat_passwords_hash(&c, password, &r->invitation.hash) : APR_EGENERAL;

    if (rv == APR_SUCCESS) {
        rv = cat_db_transact(q->db, store_invitation, r);
    }
    if (rv == APR_EEXIST) {
        return answer_taken(q, r, input);
    }
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    return r->administration.outcome == CAT_ADMINISTRATION_FORBIDDEN ? cat_challenge_refuse_role(q->pool, q->conf)
                                                                     : answer_invited(q, r);
}

cat_answer_t *cat_user_admin_invite(cat_request_t *q)
{
    invite_request_t r = {.q = q};
    cat_answer_t *answer;
    cat_input_t input;

    cat_fields_check(q->pool, invite_fields, INVITE_FIELDS, CAT_CREATE, q->strict, q->body, &input);
    if (input.values[INVITE_USERNAME]) {
        cat_account_refusal_check_name(q, &input, input.values[INVITE_USERNAME]);
    }
    if (input.errors) {
        return cat_answer_malformed(q->pool, input.errors);
    }
    r.administration =
        (cat_administration_t){.db = q->db, .pool = q->pool, .now = q->now, .actor = cat_account_context_actor(q)};
    r.invitation = (cat_invitation_t){.email = input.values[INVITE_EMAIL],
                                      .username = input.values[INVITE_USERNAME],
                                      .role = input.values[INVITE_ROLE],
                                      .ttl = q->conf->confirm_ttl,
                                      .is_mailed = q->conf->mail != NULL};
    answer = run_invitation(&r, &input);
    cat_answer_name_ignored(answer, q->pool, input.ignored);
    return answer;
}

/* ---- descriptions ---- */

static const cat_shape_t user_list = {.kind = CAT_SHAPE_LIST, .of = &cat_user_view_shape};
static const cat_member_t list_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &user_list, CAT_ALWAYS, "The users of the page"},
    CAT_PAGINATION_MEMBER,
    CAT_MEMBER_END,
};
static const cat_shape_t list_shape = {.kind = CAT_SHAPE_OBJECT, .name = "UserList", .members = list_members};

static const cat_member_t get_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_user_view_shape, CAT_ALWAYS, "The user"},
    CAT_MEMBER_END,
};
static const cat_shape_t get_shape = {.kind = CAT_SHAPE_OBJECT, .name = "ManagedUserAnswer", .members = get_members};

static const cat_member_t update_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"data", &cat_user_view_shape, CAT_ALWAYS, "The user afterwards"},
    CAT_MEMBER_END,
};
static const cat_shape_t update_shape = {
    .kind = CAT_SHAPE_OBJECT, .name = "ManagedUserUpdated", .members = update_members};

static const cat_problem_t get_problems[] = {CAT_PROBLEM_USER_UNKNOWN, CAT_PROBLEM_COUNT};
static const cat_problem_t change_problems[] = {CAT_PROBLEM_USER_UNKNOWN, CAT_PROBLEM_PRECONDITION, CAT_PROBLEM_COUNT};
static const cat_problem_t last_problems[] = {CAT_PROBLEM_USER_UNKNOWN, CAT_PROBLEM_PRECONDITION,
                                              CAT_PROBLEM_LAST_ADMIN, CAT_PROBLEM_COUNT};

const cat_description_t cat_user_admin_about_list = {
    .id = "listUsers",
    .tag = "Administration",
    .summary = "List the users",
    .about = "Newest first, unless `sort` says otherwise.",
    .group = "users",
    .parameters = parameters,
    .status = 200,
    .answered = "A page of the list",
    .shape = &list_shape,
    .headers = CAT_HEADER_LINK,
};

static const cat_member_t invite_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_user_view_shape, CAT_ALWAYS, "The user"},
    CAT_MEMBER_MESSAGE,
    {"link", &cat_schema_text, CAT_RARELY, "The link to set the password, if the server sends no mails"},
    CAT_MEMBER_END,
};
static const cat_shape_t invite_shape = {.kind = CAT_SHAPE_OBJECT, .name = "UserInvited", .members = invite_members};
static const cat_problem_t invite_problems[] = {CAT_PROBLEM_USER_EXISTS, CAT_PROBLEM_COUNT};

const cat_description_t cat_user_admin_about_invite = {
    .id = "inviteUser",
    .tag = "Administration",
    .summary = "Invite a user",
    .about = "Creates an account whose user sets the password with a link, which a mail takes along.",
    .input = "Invitation",
    .fields = invite_fields,
    .field_count = INVITE_FIELDS,
    .purpose = CAT_CREATE,
    .status = 201,
    .answered = "The user is invited",
    .shape = &invite_shape,
    .problems = invite_problems,
};

const cat_description_t cat_user_admin_about_get = {
    .id = "getUser",
    .tag = "Administration",
    .summary = "Read a user",
    .param = "The user's id",
    .status = 200,
    .answered = "The user",
    .shape = &get_shape,
    .headers = CAT_HEADER_ETAG,
    .problems = get_problems,
};

const cat_description_t cat_user_admin_about_update = {
    .id = "updateUser",
    .tag = "Administration",
    .summary = "Change a user",
    .about = "A change of the role, a lock, and an address that is no longer verified end the user's sessions.",
    .param = "The user's id",
    .input = "ManagedUserChange",
    .fields = cat_user_view_fields,
    .field_count = CAT_USER_VIEW_FIELDS,
    .purpose = CAT_UPDATE,
    .status = 200,
    .answered = "The user has changed",
    .shape = &update_shape,
    .headers = CAT_HEADER_ETAG,
    .problems = last_problems,
};

const cat_description_t cat_user_admin_about_remove = {
    .id = "deleteUser",
    .tag = "Administration",
    .summary = "Delete a user",
    .param = "The user's id",
    .status = 200,
    .answered = "The user is deleted",
    .shape = &cat_description_done,
    .problems = last_problems,
};

const cat_description_t cat_user_admin_about_unlock = {
    .id = "unlockUser",
    .tag = "Administration",
    .summary = "Unlock a user",
    .about = "Lifts the lock, and the delay after wrong passwords.",
    .param = "The user's id",
    .status = 200,
    .answered = "The user is unlocked",
    .shape = &cat_description_done,
    .problems = change_problems,
};

const cat_description_t cat_user_admin_about_revoke = {
    .id = "endSessionsOfUser",
    .tag = "Administration",
    .summary = "End all sessions of a user",
    .param = "The user's id",
    .status = 200,
    .answered = "The sessions have ended",
    .shape = &cat_description_done,
    .problems = change_problems,
};
