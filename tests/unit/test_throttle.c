/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/throttle.h"

#define HOME "192.0.2.1"
#define AWAY "198.51.100.1"

static int attempt(unit_accounts_t *a, const char *login, const char *network)
{
    int wait = -1;

    assert_int_equal(
        cat_throttle_attempt(a->c.db, a->c.pool, cat_throttle_login_key(a->c.pool, login), network, a->c.now, &wait),
        APR_SUCCESS);
    return wait;
}

static void fail_often(unit_accounts_t *a, const char *login, int times)
{
    for (int i = 0; i < times; i++) {
        assert_int_equal(attempt(a, login, HOME), 0);
    }
}

static void test_five_failures_are_free(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    fail_often(a, "ann", 5);
    assert_in_range(attempt(a, "ann", HOME), 2, 3);
    assert_in_range(attempt(a, "ANN", HOME), 2, 3);
    assert_string_equal(unit_accounts_sql(a, "SELECT failures FROM login_failures"),
                        "5"); /* a delayed attempt does not count */
}

static void test_the_delay_doubles_up_to_15_minutes(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    static const int delays[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900};

    fail_often(a, "ann", 5);
    for (size_t i = 0; i < UNIT_COUNT(delays); i++) {
        a->c.now += apr_time_from_sec(delays[i] - 1);
        assert_in_range(attempt(a, "ann", HOME), 1, 2);
        a->c.now += apr_time_from_sec(1);
        assert_int_equal(attempt(a, "ann", HOME), 0);
    }
}

static void test_failures_count_for_a_login_and_a_network(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    fail_often(a, "ann", 5);
    assert_int_equal(attempt(a, "ann", AWAY), 0);
    assert_int_equal(attempt(a, "ann@example.org", HOME), 0);
    assert_int_not_equal(attempt(a, "ann", HOME), 0);
}

static void test_a_withdrawn_attempt_does_not_count(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    fail_often(a, "ann", 5);
    assert_int_equal(cat_throttle_withdraw(a->c.db, cat_throttle_login_key(*state, "Ann"), HOME), APR_SUCCESS);
    assert_int_equal(attempt(a, "ann", HOME), 0);
    assert_int_not_equal(attempt(a, "ann", HOME), 0);
}

static void test_a_right_password_forgives_one_network(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    fail_often(a, "ann", 5);
    assert_int_equal(attempt(a, "ann", AWAY), 0);
    assert_int_equal(cat_throttle_forgive(a->c.db, cat_throttle_login_key(*state, "Ann"), HOME), APR_SUCCESS);
    fail_often(a, "ann", 5);
    assert_string_equal(unit_accounts_sql(a, "SELECT failures FROM login_failures WHERE network = '" AWAY "'"), "1");
}

static void test_failures_follow_a_name(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    fail_often(a, "ann", 5);
    fail_often(a, "grace", 2);
    assert_int_equal(cat_throttle_move(a->c.db, *state, "ann", "Ann"), APR_SUCCESS);
    assert_int_not_equal(attempt(a, "ann", HOME), 0);
    assert_int_equal(cat_throttle_move(a->c.db, *state, "ann", "Grace"), APR_SUCCESS);
    assert_int_not_equal(attempt(a, "grace", HOME), 0);
    assert_int_equal(attempt(a, "ann", HOME), 0);
}

/* A failure of the new name can be stored between the two statements of cat_throttle_move: after SQL_LOGIN_CLEAR has
 * deleted the new name's failures, and before SQL_LOGIN_MOVE moves the failures of the old name. */
static void test_new_name_may_fail_while_a_user_takes_it(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    const char *ann = cat_throttle_login_key(*state, "ann"), *grace = cat_throttle_login_key(*state, "grace");

    fail_often(a, "ann", 3);
    attempt(a, "grace", HOME);
    assert_int_equal(cat_db_exec(a->c.db, SQL_LOGIN_MOVE, CAT_VALUES(grace, ann), NULL), APR_SUCCESS);
    assert_string_equal(
        unit_accounts_sql(
            a, apr_pstrcat(*state, "SELECT failures FROM login_failures WHERE account = '", grace, "'", NULL)),
        "4");
}

static void test_no_login_has_the_key_of_a_user(void **state)
{
    assert_string_not_equal(cat_throttle_user_key(*state, ANN), cat_throttle_login_key(*state, ANN));
    assert_string_not_equal(cat_throttle_user_key(*state, ANN), cat_throttle_login_key(*state, "ID " ANN));
    assert_string_not_equal(cat_throttle_user_key(*state, ANN), cat_throttle_user_key(*state, BOB));
}

static void test_unlocking_an_account_forgives_both_logins(void **state)
{
    int wait;
    unit_accounts_t *a = unit_accounts(*state);
    const cat_account_t ann = {.id = ANN, .username = "Ann", .email = "ann@example.org"};

    attempt(a, "ann", HOME);
    attempt(a, "ann", AWAY);
    attempt(a, "ann@example.org", HOME);
    attempt(a, "bob", HOME);
    assert_int_equal(
        cat_throttle_attempt(a->c.db, a->c.pool, cat_throttle_user_key(*state, ANN), HOME, a->c.now, &wait),
        APR_SUCCESS);
    assert_int_equal(cat_throttle_unlock(a->c.db, *state, &ann), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM login_failures"), "1");
}

static void test_a_clock_set_back_ends_the_delay(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    fail_often(a, "ann", 5);
    a->c.now -= apr_time_from_sec(30); /* the clocks of two servers may differ by this much */
    assert_int_not_equal(attempt(a, "ann", HOME), 0);
    a->c.now -= apr_time_from_sec(60);
    assert_int_equal(attempt(a, "ann", HOME), 0);
}

static void test_logins_are_not_stored(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    attempt(a, "a-password-in-the-wrong-field", HOME);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM login_failures WHERE account LIKE '%password%'"),
                        "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_five_failures_are_free),
        UNIT_TEST(test_the_delay_doubles_up_to_15_minutes),
        UNIT_TEST(test_failures_count_for_a_login_and_a_network),
        UNIT_TEST(test_a_withdrawn_attempt_does_not_count),
        UNIT_TEST(test_a_right_password_forgives_one_network),
        UNIT_TEST(test_unlocking_an_account_forgives_both_logins),
        UNIT_TEST(test_a_clock_set_back_ends_the_delay),
        UNIT_TEST(test_logins_are_not_stored),
        UNIT_TEST(test_failures_follow_a_name),
        UNIT_TEST(test_new_name_may_fail_while_a_user_takes_it),
        UNIT_TEST(test_no_login_has_the_key_of_a_user),
    };
    return UNIT_RUN(tests);
}
