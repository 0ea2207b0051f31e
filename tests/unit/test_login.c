/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/login.h"
#include "accounts/password_hash.h"

#define PASSWORD "correct horse"

static const char *hash_password(apr_pool_t *pool)
{
    const char *hash = NULL;

    assert_int_equal(cat_password_hash_hash(pool, PASSWORD, &hash), APR_SUCCESS);
    return hash;
}

static unit_accounts_t *make_accounts(apr_pool_t *pool)
{
    unit_accounts_t *a = unit_accounts(pool);

    unit_accounts_add(a, ANN, "ann", hash_password(pool));
    return a;
}

static cat_login_t sign_in(unit_accounts_t *a, const char *login, const char *password)
{
    cat_login_t result = {0};

    assert_int_equal(cat_login_sign_in(&a->c, login, password, &result), APR_SUCCESS);
    return result;
}

static void test_name_and_address_sign_in(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_login_t by_name = sign_in(a, "Ann", PASSWORD), by_address = sign_in(a, "ANN@example.org", PASSWORD);

    assert_int_equal(by_name.outcome, CAT_LOGIN_OK);
    assert_string_equal(by_name.account->username, "ann");
    assert_int_equal(by_address.outcome, CAT_LOGIN_OK);
    assert_string_not_equal(by_name.session.id, by_address.session.id);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM sessions"), "2");
}

static void test_wrong_and_unknown_look_the_same(void **state)
{
    unit_accounts_t *a = make_accounts(*state);

    assert_int_equal(sign_in(a, "ann", "wrong").outcome, CAT_LOGIN_WRONG);
    assert_int_equal(sign_in(a, "nobody", PASSWORD).outcome, CAT_LOGIN_WRONG);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM login_failures"), "2");
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM sessions"), "0");
}

static void test_after_five_failures_the_right_password_waits(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_login_t result;

    for (int i = 0; i < 5; i++) {
        assert_int_equal(sign_in(a, "ann", "wrong").outcome, CAT_LOGIN_WRONG);
    }
    result = sign_in(a, "ann", PASSWORD);
    assert_int_equal(result.outcome, CAT_LOGIN_WAIT);
    assert_in_range(result.wait, 1, 3);
    a->c.now += apr_time_from_sec(2);
    assert_int_equal(sign_in(a, "ann", PASSWORD).outcome, CAT_LOGIN_OK);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM login_failures"), "0");
}

static void test_the_oldest_session_makes_room(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_login_t first, second;

    a->database->conf.max_sessions = 1;
    first = sign_in(a, "ann", PASSWORD);
    second = sign_in(a, "ann", PASSWORD);
    assert_string_equal(unit_accounts_sql(a, "SELECT group_concat(id) FROM sessions"), second.session.id);
    assert_int_equal(cat_revoked_find(a->c.revoked, first.session.id, a->c.now), CAT_REVOKED_YES);
}

static void test_a_hash_of_another_kind_is_renewed(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    /* crypt(3), SHA-512 */
    const char *old =
        "$6$rounds=1000$unit$t0L3HLK6uijumGXZmG50zlUn6Bm9W5FlI8nqu8w6HQFASkAbJ.T98t3U6CcJ2r.8Q/5IC6mjA.jbncj7CDf2a.";

    unit_accounts_add(a, ANN, "ann", old);
    assert_int_equal(sign_in(a, "ann", PASSWORD).outcome, CAT_LOGIN_OK);
    assert_true(cat_password_hash_is_current(unit_accounts_sql(a, "SELECT password_hash FROM users")));
    assert_int_equal(sign_in(a, "ann", PASSWORD).outcome, CAT_LOGIN_OK);
}

static void test_too_many_hashes_at_once_do_not_count(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_login_t result;
    int place;

    assert_int_equal(cat_semaphore_create(&a->c.hashing, *state, &(cat_semaphore_size_t){1, 0, 0}), APR_SUCCESS);
    assert_int_equal(cat_semaphore_enter(a->c.hashing, NULL, 0, &place), APR_SUCCESS);
    assert_int_equal(cat_login_sign_in(&a->c, "ann", PASSWORD, &result), CAT_EBUSY);
    cat_semaphore_leave(a->c.hashing, place);
    unit_says(a->database->logged, "CAT011");
    assert_true(unit_database_total(a->database, CAT_METRIC_HASH_REFUSALS) == 1);
    assert_true(unit_database_total(a->database, CAT_METRIC_HASHES) == 0);
    assert_string_equal(unit_accounts_sql(a, "SELECT failures FROM login_failures"), "0");
    assert_int_equal(sign_in(a, "ann", PASSWORD).outcome, CAT_LOGIN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_name_and_address_sign_in),
        UNIT_TEST(test_wrong_and_unknown_look_the_same),
        UNIT_TEST(test_after_five_failures_the_right_password_waits),
        UNIT_TEST(test_the_oldest_session_makes_room),
        UNIT_TEST(test_a_hash_of_another_kind_is_renewed),
        UNIT_TEST(test_too_many_hashes_at_once_do_not_count),
    };
    return UNIT_RUN(tests);
}
