/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/administration.h"
#include "accounts/session.h"

static cat_administration_t make_administration(const unit_accounts_t *a, const char *actor)
{
    return (cat_administration_t){.db = a->c.db,
                                  .pool = a->c.pool,
                                  .now = a->c.now,
                                  .actor = {CAT_AUDIT_HTTP, actor, "ann", "192.0.2.1", "request"}};
}

/* ANN is an administrator; BOB has a session. */
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
    assert_int_equal(work.ended->nelts, 1);
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
    };
    return UNIT_RUN(tests);
}
