/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"

static unit_accounts_t *make_accounts(apr_pool_t *pool)
{
    unit_accounts_t *a = unit_accounts(pool);

    unit_accounts_add(a, ANN, "ann", "x");
    unit_accounts_add(a, BOB, "bob", "x");
    return a;
}

static const char *make(unit_accounts_t *a, const char *purpose, const char *user_id)
{
    const cat_mail_link_t link = {user_id, "new@example.org"};
    const char *token = NULL;

    assert_int_equal(cat_mail_tokens_make(a->c.db, a->c.pool, purpose, &link, 3600, &token), APR_SUCCESS);
    return token;
}

static const char *find(unit_accounts_t *a, const char *purpose, const char *token)
{
    cat_mail_link_t link = {"unset", "unset"};

    assert_int_equal(cat_mail_tokens_find(a->c.db, a->c.pool, purpose, token, a->c.now, &link), APR_SUCCESS);
    if (link.user_id) {
        assert_string_equal(link.email, "new@example.org");
    }
    return link.user_id;
}

static const char *use(unit_accounts_t *a, const char *purpose, const char *token)
{
    cat_mail_link_t link = {"unset", "unset"};

    assert_int_equal(cat_mail_tokens_use(a->c.db, a->c.pool, purpose, token, a->c.now, &link), APR_SUCCESS);
    if (link.user_id) {
        assert_string_equal(link.email, "new@example.org");
    }
    return link.user_id;
}

static void test_a_token_is_found_for_its_purpose(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    const char *token = make(a, CAT_MAIL_RESET, ANN);

    assert_string_equal(find(a, CAT_MAIL_RESET, token), ANN);
    assert_null(find(a, CAT_MAIL_CONFIRM, token));
    assert_null(find(a, CAT_MAIL_RESET, "unknown"));
    assert_string_equal(
        unit_accounts_sql(a, apr_psprintf(*state, "SELECT COUNT(*) FROM mail_tokens WHERE token_hash = '%s'", token)),
        "0");
}

static void test_a_token_expires(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    const char *token = make(a, CAT_MAIL_RESET, ANN);

    a->c.now = apr_time_now() + apr_time_from_sec(3598);
    assert_non_null(find(a, CAT_MAIL_RESET, token));
    a->c.now += apr_time_from_sec(3);
    assert_null(find(a, CAT_MAIL_RESET, token));
    assert_null(use(a, CAT_MAIL_RESET, token));
}

static void test_a_use_takes_the_users_other_tokens(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    const char *first = make(a, CAT_MAIL_RESET, ANN), *second = make(a, CAT_MAIL_RESET, ANN);
    const char *confirm = make(a, CAT_MAIL_CONFIRM, ANN), *other = make(a, CAT_MAIL_RESET, BOB);

    assert_string_equal(use(a, CAT_MAIL_RESET, first), ANN);
    assert_null(use(a, CAT_MAIL_RESET, first));
    assert_null(find(a, CAT_MAIL_RESET, second));
    assert_non_null(find(a, CAT_MAIL_CONFIRM, confirm));
    assert_non_null(find(a, CAT_MAIL_RESET, other));
}

static void test_withdrawing_takes_queued_mails_too(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    const char *token = make(a, CAT_MAIL_RESET, ANN);

    cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, ANN, NULL, a->c.now);
    cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, NULL, "ann@example.org", a->c.now);
    cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, NULL, "bob@example.org", a->c.now);
    assert_int_equal(cat_mail_tokens_withdraw(a->c.db, CAT_MAIL_RESET, ANN), APR_SUCCESS);
    assert_null(find(a, CAT_MAIL_RESET, token));
    assert_string_equal(unit_accounts_sql(a, "SELECT group_concat(email_key) FROM outbox WHERE template = 'reset'"),
                        "bob@example.org");
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox WHERE template = 'confirm'"), "2");
}

static void test_a_user_who_is_gone_gets_no_token(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_link_t link = {"gone", NULL};
    const char *token;

    assert_int_equal(cat_mail_tokens_make(a->c.db, *state, CAT_MAIL_RESET, &link, 60, &token), APR_NOTFOUND);
}

static void test_a_database_that_fails_is_a_fault(void **state)
{
    unit_accounts_t *a = make_accounts(*state);
    cat_mail_link_t link = {ANN, NULL};
    const char *token;

    unit_accounts_sql(a, "DROP TABLE mail_tokens");
    assert_int_not_equal(cat_mail_tokens_make(a->c.db, *state, CAT_MAIL_RESET, &link, 60, &token), APR_SUCCESS);
    assert_int_not_equal(cat_mail_tokens_find(a->c.db, *state, CAT_MAIL_RESET, "x", a->c.now, &link), APR_SUCCESS);
    assert_null(link.user_id);
    assert_int_not_equal(cat_mail_tokens_use(a->c.db, *state, CAT_MAIL_RESET, "x", a->c.now, &link), APR_SUCCESS);
    assert_null(link.user_id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_token_is_found_for_its_purpose),   UNIT_TEST(test_a_token_expires),
        UNIT_TEST(test_a_use_takes_the_users_other_tokens), UNIT_TEST(test_withdrawing_takes_queued_mails_too),
        UNIT_TEST(test_a_user_who_is_gone_gets_no_token),   UNIT_TEST(test_a_database_that_fails_is_a_fault),
    };
    return UNIT_RUN(tests);
}
