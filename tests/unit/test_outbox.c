/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/outbox.h"

#define LEASE apr_time_from_sec(60)

/* Returns a database in which each user has one mail in the queue, the confirmation. */
static unit_accounts_t *make_accounts(apr_pool_t *pool)
{
    unit_accounts_t *a = unit_accounts(pool);

    unit_accounts_add(a, ANN, "ann", "x");
    return a;
}

static cat_mail_t *claim(unit_accounts_t *a)
{
    cat_mail_t *mail = NULL;

    assert_int_equal(cat_outbox_claim(a->c.db, a->c.pool, a->c.now, LEASE, &mail), APR_SUCCESS);
    return mail;
}

static void test_a_mail_is_claimed_by_one(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_t *mail = claim(a);

    assert_non_null(mail);
    assert_string_equal(mail->template, CAT_MAIL_CONFIRM);
    assert_string_equal(mail->user_id, ANN);
    assert_string_equal(mail->username, "ann");
    assert_string_equal(mail->email, "ann@example.org");
    assert_int_equal(mail->attempts, 1);
    assert_false(mail->confirmed);
    assert_null(claim(a));
}

static void test_the_longest_due_is_first(void **state)
{
    unit_accounts_t *a = make_accounts(*state);

    unit_accounts_add(a, BOB, "bob", "x");
    unit_accounts_sql(a, "UPDATE outbox SET next_at = next_at - 1000 WHERE user_id = '" BOB "'");
    assert_string_equal(claim(a)->user_id, BOB);
    assert_string_equal(claim(a)->user_id, ANN);
}

static void test_after_the_lease_another_may_claim(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_t *first = claim(a), *second;

    a->c.now += LEASE;
    second = claim(a);
    assert_non_null(second);
    assert_string_equal(second->id, first->id);
    assert_int_equal(second->attempts, 2);
    assert_int_equal(cat_outbox_done(a->c.db, first), APR_SUCCESS);
    assert_int_equal(cat_outbox_retry(a->c.db, *state, first, "late", a->c.now), APR_SUCCESS);
    assert_int_equal(cat_outbox_bury(a->c.db, *state, first, "late"), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT state || (lease <> '') || (error IS NULL) FROM outbox"),
                        "pending11"); /* unchanged */
    assert_int_equal(cat_outbox_done(a->c.db, second), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox"), "0");
}

static void test_a_retry_is_due_at_its_time(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_t *mail = claim(a);

    assert_int_equal(cat_outbox_retry(a->c.db, *state, mail, "busy", a->c.now + apr_time_from_sec(8)), APR_SUCCESS);
    a->c.now += apr_time_from_sec(7);
    assert_null(claim(a));
    a->c.now += apr_time_from_sec(1);
    assert_string_equal(claim(a)->id, mail->id);
    assert_string_equal(unit_accounts_sql(a, "SELECT error FROM outbox"), "busy"); /* until the next attempt ends */
}

static void test_a_buried_mail_is_never_claimed(void **state)
{
    unit_accounts_t *a = make_accounts(*state);

    assert_int_equal(cat_outbox_bury(a->c.db, *state, claim(a), "never"), APR_SUCCESS);
    a->c.now += apr_time_from_sec(86400);
    assert_null(claim(a));
    assert_string_equal(unit_accounts_sql(a, "SELECT state || error FROM outbox"), "deadnever");
}

static void test_a_long_error_is_shortened(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    char error[2 * 300 + 1];

    for (size_t i = 0; i < sizeof(error) - 1; i += 2) {
        memcpy(&error[i], "ö", 2);
    }
    error[sizeof(error) - 1] = '\0';
    assert_int_equal(cat_outbox_retry(a->c.db, *state, claim(a), error, a->c.now), APR_SUCCESS);
    error[2 * CAT_MAIL_ERROR_MAX] = '\0';
    assert_string_equal(unit_accounts_sql(a, "SELECT error FROM outbox"), error);
    assert_int_equal(cat_outbox_bury(a->c.db, *state, claim(a), "no\xff\r\n"), APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT error FROM outbox"), "no\xef\xbf\xbd  ");
}

static void test_an_address_finds_its_user_when_it_is_sent(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_t *mail;

    claim(a);
    cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, NULL, "nobody@example.org", a->c.now);
    mail = claim(a);
    assert_null(mail->user_id);
    cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, NULL, "ann@example.org", a->c.now);
    mail = claim(a);
    assert_string_equal(mail->user_id, ANN);
    assert_string_equal(mail->template, CAT_MAIL_RESET);
}

static void test_a_database_that_fails_is_a_fault(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_t *mail;

    unit_accounts_sql(a, "DROP TABLE outbox");
    assert_int_not_equal(cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, ANN, NULL, a->c.now), APR_SUCCESS);
    assert_int_not_equal(cat_outbox_claim(a->c.db, *state, a->c.now, LEASE, &mail), APR_SUCCESS);
    assert_null(mail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_mail_is_claimed_by_one),
        UNIT_TEST(test_the_longest_due_is_first),
        UNIT_TEST(test_after_the_lease_another_may_claim),
        UNIT_TEST(test_a_retry_is_due_at_its_time),
        UNIT_TEST(test_a_buried_mail_is_never_claimed),
        UNIT_TEST(test_a_long_error_is_shortened),
        UNIT_TEST(test_an_address_finds_its_user_when_it_is_sent),
        UNIT_TEST(test_a_database_that_fails_is_a_fault),
    };
    return UNIT_RUN(tests);
}
