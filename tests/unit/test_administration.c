/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/administration.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/session.h"

static cat_administration_t make_administration(const unit_accounts_t *a, const char *actor)
{
    return (cat_administration_t){.db = a->c.db,
                                  .pool = a->c.pool,
                                  .now = a->c.now,
                                  .actor = {CAT_AUDIT_HTTP, actor, "ann", "192.0.2.1", "request"}};
}

/* Returns a database in which ANN is an administrator and BOB has a session. */
static unit_accounts_t *make_accounts(apr_pool_t *pool)
{
    unit_accounts_t *a = unit_accounts(pool);
    cat_session_t session;

    unit_accounts_add(a, ANN, "ann", "x");
    unit_accounts_add(a, BOB, "bob", "x");
    assert_int_equal(cat_db_exec(a->c.db, SQL_USER_SET_ROLE, CAT_VALUES("admin", ANN), NULL), APR_SUCCESS);
    assert_int_equal(cat_session_open(&a->c, BOB, &session), APR_SUCCESS);
    return a;
}

#define AUDIT "SELECT group_concat(action || ' ' || target || coalesce(' ' || changes, ''), ', ') FROM audit"

static void test_an_update_is_recorded(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);
    cat_account_t *bob;

    assert_int_equal(
        cat_administration_update(&work, BOB, &(cat_account_change_t){.role = "editor", .verified = "1"}, &bob),
        APR_SUCCESS);
    assert_int_equal(work.outcome, CAT_ADMINISTRATION_DONE);
    assert_string_equal(bob->role, "editor");
    assert_true(bob->confirmed);
    assert_int_equal(work.ended->nelts, 2);
    assert_string_equal(unit_accounts_sql(a, AUDIT), "user.update bob {\"emailVerified\":{\"from\":false,\"to\":true},"
                                                     "\"role\":{\"from\":\"user\",\"to\":\"editor\"}}");
    assert_string_equal(unit_accounts_sql(a, "SELECT actor_id || actor || client || request_id FROM audit"),
                        ANN "ann192.0.2.1request");
}

static void test_what_changes_nothing_is_not_recorded(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);
    cat_account_t *bob;

    assert_int_equal(cat_administration_update(&work, BOB, &(cat_account_change_t){.role = "user"}, &bob), APR_SUCCESS);
    assert_int_equal(work.ended->nelts, 0);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM audit"), "0");
}

static void test_the_last_administrator_stays(void **state)
{
    const cat_account_change_t changes[] = {{.role = "user"}, {.locked = "1"}};
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);
    cat_account_t *ann;

    for (size_t i = 0; i < UNIT_COUNT(changes); i++) {
        assert_int_equal(cat_administration_update(&work, ANN, &changes[i], &ann), APR_SUCCESS);
        assert_int_equal(work.outcome, CAT_ADMINISTRATION_LAST);
    }
    assert_int_equal(cat_administration_delete(&work, ANN), APR_SUCCESS);
    assert_int_equal(work.outcome, CAT_ADMINISTRATION_LAST);
    assert_string_equal(unit_accounts_sql(a, "SELECT role || COUNT(*) FROM users WHERE id = '" ANN "'"), "admin1");
    work.force = 1;
    assert_int_equal(cat_administration_delete(&work, ANN), APR_SUCCESS);
    assert_int_equal(work.outcome, CAT_ADMINISTRATION_DONE);
    assert_string_equal(unit_accounts_sql(a, AUDIT), "user.delete ann");
}

static void test_a_locked_administrator_does_not_count(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);
    cat_account_t *account;

    assert_int_equal(
        cat_administration_update(&work, BOB, &(cat_account_change_t){.role = "admin", .locked = "1"}, &account),
        APR_SUCCESS);
    assert_int_equal(work.outcome, CAT_ADMINISTRATION_DONE);
    assert_int_equal(cat_administration_update(&work, ANN, &(cat_account_change_t){.role = "user"}, &account),
                     APR_SUCCESS);
    assert_int_equal(work.outcome, CAT_ADMINISTRATION_LAST);
    assert_int_equal(cat_administration_unlock(&work, BOB), APR_SUCCESS);
    assert_int_equal(cat_administration_update(&work, ANN, &(cat_account_change_t){.role = "user"}, &account),
                     APR_SUCCESS);
    assert_int_equal(work.outcome, CAT_ADMINISTRATION_DONE);
}

static void test_an_actor_who_is_no_administrator_may_not(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, BOB);
    cat_administration_act_t *const acts[] = {cat_administration_delete, cat_administration_unlock,
                                              cat_administration_revoke};

    for (size_t i = 0; i < UNIT_COUNT(acts); i++) {
        assert_int_equal(acts[i](&work, BOB), APR_SUCCESS);
        assert_int_equal(work.outcome, CAT_ADMINISTRATION_FORBIDDEN);
    }
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM users"), "2");
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM audit"), "0");
}

/* Makes three tokens of mailed links for BOB, and queues two more mails with links: one to his id, one to his
 * address. */
static void mail_links(unit_accounts_t *a, const char *tokens[3])
{
    tokens[0] = unit_accounts_link(a, CAT_MAIL_CONFIRM, BOB, "bob@example.org", 60);
    tokens[1] = unit_accounts_link(a, CAT_MAIL_RESET, BOB, "bob@example.org", 60);
    tokens[2] = unit_accounts_link(a, CAT_MAIL_NEW_EMAIL, BOB, "thief@example.net", 60);
    cat_outbox_add_to(a->c.db, a->c.pool, CAT_MAIL_NEW_EMAIL, BOB, "thief@example.net", a->c.now);
    cat_outbox_add(a->c.db, a->c.pool, CAT_MAIL_RESET, NULL, "bob@example.org", a->c.now);
}

#define LINKS                                                                                                          \
    "SELECT (SELECT COUNT(*) FROM mail_tokens) || (SELECT COUNT(*) FROM outbox WHERE template <> 'confirm' OR user_id" \
    " = '" BOB "')"

static void test_what_takes_a_right_withdraws_links(void **state)
{
    static const cat_account_change_t changes[] = {{.locked = "1"}, {.role = "editor"}, {.verified = "0"}};
    cat_account_t *bob;
    const char *tokens[3];

    for (size_t i = 0; i <= UNIT_COUNT(changes); i++) {
        unit_accounts_t *a = make_accounts(*state);
        cat_administration_t work = make_administration(a, ANN);
        unit_accounts_sql(a, "UPDATE users SET confirmed_at = 1");
        mail_links(a, tokens);
        assert_string_not_equal(unit_accounts_sql(a, LINKS), "00");
        assert_int_equal(i < UNIT_COUNT(changes) ? cat_administration_update(&work, BOB, &changes[i], &bob)
                                                 : cat_administration_revoke(&work, BOB),
                         APR_SUCCESS);
        assert_string_equal(unit_accounts_sql(a, LINKS), "00");
        assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox"), "1"); /* ANN's confirmation mail */
    }
}

static void test_what_takes_no_right_leaves_links(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);
    cat_account_t *bob;
    const char *tokens[3];

    mail_links(a, tokens);
    assert_int_equal(cat_administration_update(&work, BOB, &(cat_account_change_t){.verified = "1"}, &bob),
                     APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM mail_tokens"), "3");
}

static void test_a_deleted_users_name_is_released(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);
    const char *record[CAT_USER_FIELDS] = {[CAT_USER_ID] = BOB,
                                           [CAT_USER_USERNAME] = "Bob",
                                           [CAT_USER_EMAIL] = "b@example.org",
                                           [CAT_USER_CREATED_AT] = "1"};

    assert_int_equal(cat_administration_delete(&work, BOB), APR_SUCCESS);
    record[CAT_USER_ID] = "01a1fdf9-d28a-7c59-b8ec-c42b5a960859";
    assert_int_equal(cat_names_check(a->c.db, *state, "BOB", record[CAT_USER_ID], a->c.now), APR_EEXIST);
    assert_string_equal(unit_accounts_sql(a, "SELECT name_hash LIKE '%bob%' FROM released_names"), "0");
    work.force = 1;
    assert_int_equal(cat_administration_add(&work, record, "x", NULL, &(cat_account_change_t){NULL}), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM released_names"), "0");
}

static void test_an_unknown_account_is_not_found(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_administration_t work = make_administration(a, ANN);

    assert_int_equal(cat_administration_delete(&work, "nobody"), APR_NOTFOUND);
    assert_int_equal(cat_administration_unlock(&work, "nobody"), APR_NOTFOUND);
    assert_int_equal(cat_administration_revoke(&work, "nobody"), APR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_an_update_is_recorded),
        UNIT_TEST(test_what_changes_nothing_is_not_recorded),
        UNIT_TEST(test_the_last_administrator_stays),
        UNIT_TEST(test_a_locked_administrator_does_not_count),
        UNIT_TEST(test_an_actor_who_is_no_administrator_may_not),
        UNIT_TEST(test_an_unknown_account_is_not_found),
        UNIT_TEST(test_what_takes_a_right_withdraws_links),
        UNIT_TEST(test_what_takes_no_right_leaves_links),
        UNIT_TEST(test_a_deleted_users_name_is_released),
    };
    return UNIT_RUN(tests);
}
