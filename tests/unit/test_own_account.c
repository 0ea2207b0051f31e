/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/names.h"
#include "accounts/own_account.h"
#include "accounts/password_hash.h"
#include "accounts/session.h"

#define PASSWORD "correct horse"

/* Ann has a session. */
static unit_accounts_t *make_accounts(apr_pool_t *pool, cat_session_t *session)
{
    unit_accounts_t *a = unit_accounts(pool);
    const char *hash = NULL;

    assert_int_equal(cat_password_hash_hash(pool, PASSWORD, &hash), APR_SUCCESS);
    unit_accounts_add(a, ANN, "ann", hash);
    unit_accounts_add(a, BOB, "bob", hash);
    assert_int_equal(cat_session_open(&a->c, ANN, session), APR_SUCCESS);
    unit_accounts_sql(a, "DELETE FROM outbox");
    return a;
}

static apr_status_t rename_user(unit_accounts_t *a, const char *id, const char *name)
{
    cat_account_t *account;
    apr_status_t rv = cat_own_account_rename(&a->c, id, name, &account);

    if (rv == APR_SUCCESS) {
        assert_string_equal(account->username, name);
    }
    return rv;
}

static int is_revoked(unit_accounts_t *a, const cat_session_t *session)
{
    return cat_revoked_find(a->c.revoked, session->id, a->c.now) == CAT_REVOKED_YES;
}

static void test_a_rename_ends_access_tokens_only(void **state)
{
    cat_session_t session, next;
    unit_accounts_t *a = make_accounts(*state, &session);
    cat_refresh_t outcome;
    int is_ended;

    assert_int_equal(rename_user(a, ANN, "grace"), APR_SUCCESS);
    assert_true(is_revoked(a, &session));
    assert_int_equal(cat_session_check(a->c.db, session.id, &is_ended), APR_SUCCESS);
    assert_true(is_ended);
    assert_int_equal(cat_session_refresh(&a->c, session.refresh_token, &next, &outcome), APR_SUCCESS);
    assert_int_equal(outcome, CAT_REFRESH_OK);
    assert_string_not_equal(next.id, session.id);
    assert_false(is_revoked(a, &next));
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM sessions"), "1");
}

static void test_a_rename_is_told_and_recorded(void **state)
{
    cat_session_t session;
    unit_accounts_t *a = make_accounts(*state, &session);

    assert_int_equal(rename_user(a, ANN, "grace"), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT group_concat(template || user_id) FROM outbox"), "renamed" ANN);
    assert_string_equal(unit_accounts_sql(a, "SELECT action || actor || target || changes FROM audit"),
                        "user.updateannann{\"username\":{\"from\":\"ann\",\"to\":\"grace\"}}");
}

static void test_the_same_name_changes_nothing(void **state)
{
    cat_session_t session;
    unit_accounts_t *a = make_accounts(*state, &session);

    assert_int_equal(rename_user(a, ANN, "ann"), APR_SUCCESS);
    assert_false(is_revoked(a, &session));
    assert_string_equal(unit_accounts_sql(a, "SELECT (SELECT COUNT(*) FROM audit) + (SELECT COUNT(*) FROM outbox)"
                                             " + (SELECT COUNT(*) FROM released_names)"),
                        "0");
}

static void test_a_former_name_is_its_owners(void **state)
{
    cat_session_t session;
    unit_accounts_t *a = make_accounts(*state, &session);

    assert_int_equal(rename_user(a, ANN, "Ann"), APR_SUCCESS); /* the same name */
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM released_names"), "0");
    assert_int_equal(rename_user(a, ANN, "grace"), APR_SUCCESS);
    assert_int_equal(rename_user(a, BOB, "ANN"), APR_EEXIST);
    assert_int_equal(rename_user(a, BOB, "bobby"), APR_SUCCESS);
    assert_int_equal(rename_user(a, ANN, "ann"), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM released_names"), "2"); /* grace, bob */
    assert_int_equal(rename_user(a, ANN, "grace"), APR_SUCCESS);
    a->c.now += apr_time_from_sec(CAT_NAMES_DAYS * 86400 + 1);
    assert_int_equal(rename_user(a, BOB, "ann"), APR_SUCCESS);
}

static cat_login_outcome_t remove_with(unit_accounts_t *a, const char *password)
{
    cat_login_t result;
    int is_last;

    assert_int_equal(cat_own_account_delete(&a->c, ANN, password, &result, &is_last), APR_SUCCESS);
    return result.outcome;
}

static void test_a_rename_does_not_lift_the_delay(void **state)
{
    cat_session_t session;
    unit_accounts_t *a = make_accounts(*state, &session);

    for (int i = 0; i < 5; i++) {
        assert_int_equal(remove_with(a, "wrong"), CAT_LOGIN_WRONG);
    }
    assert_int_equal(rename_user(a, ANN, "grace"), APR_SUCCESS);
    assert_int_equal(remove_with(a, PASSWORD), CAT_LOGIN_WAIT);
}

static void test_a_deletion_is_recorded_and_releases_the_name(void **state)
{
    cat_session_t session;
    unit_accounts_t *a = make_accounts(*state, &session);

    assert_int_equal(remove_with(a, PASSWORD), CAT_LOGIN_OK);
    assert_string_equal(unit_accounts_sql(a, "SELECT action || actor_id || target FROM audit"),
                        "user.delete" ANN "ann");
    assert_int_equal(rename_user(a, BOB, "ann"), APR_EEXIST);
}

static void test_a_locked_user_changes_nothing(void **state)
{
    cat_session_t session;
    unit_accounts_t *a = make_accounts(*state, &session);
    cat_login_t result;

    unit_accounts_sql(a, "UPDATE users SET locked_at = 1");
    assert_int_equal(rename_user(a, ANN, "grace"), APR_NOTFOUND);
    assert_int_equal(cat_own_account_change_email(&a->c, ANN, "thief@example.net", PASSWORD, &result), APR_SUCCESS);
    assert_int_equal(result.outcome, CAT_LOGIN_WRONG);
    assert_int_equal(remove_with(a, PASSWORD), CAT_LOGIN_WRONG);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_rename_ends_access_tokens_only), UNIT_TEST(test_a_rename_is_told_and_recorded),
        UNIT_TEST(test_the_same_name_changes_nothing),    UNIT_TEST(test_a_former_name_is_its_owners),
        UNIT_TEST(test_a_rename_does_not_lift_the_delay), UNIT_TEST(test_a_deletion_is_recorded_and_releases_the_name),
        UNIT_TEST(test_a_locked_user_changes_nothing),
    };
    return UNIT_RUN(tests);
}
