/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/mail_tokens.h"
#include "accounts/outbox.h"

/* Returns the token of a link that was mailed to the user's own address. */
static const char *make(unit_accounts_t *a, const char *purpose, const char *user_id)
{
    return unit_accounts_link(a, purpose, user_id, strcmp(user_id, ANN) ? "bob@example.org" : "ann@example.org", 3600);
}

static const char *find(unit_accounts_t *a, const char *purpose, const char *token)
{
    cat_mail_link_t link = {"unset", "unset"};

    assert_int_equal(cat_mail_tokens_find(a->c.db, a->c.pool, purpose, token, a->c.now, &link), APR_SUCCESS);
    return link.user_id;
}

static const char *use(unit_accounts_t *a, const char *purpose, const char *token)
{
    cat_mail_link_t link = {"unset", "unset"};

    assert_int_equal(cat_mail_tokens_use(a->c.db, a->c.pool, purpose, token, a->c.now, &link), APR_SUCCESS);
    return link.user_id;
}

static void test_a_token_is_found_for_its_purpose(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
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
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    const char *token = make(a, CAT_MAIL_RESET, ANN);

    a->c.now = apr_time_now() + apr_time_from_sec(3598);
    assert_non_null(find(a, CAT_MAIL_RESET, token));
    a->c.now += apr_time_from_sec(3);
    assert_null(find(a, CAT_MAIL_RESET, token));
    assert_null(use(a, CAT_MAIL_RESET, token));
}

static void test_a_use_takes_the_users_other_tokens(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
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
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
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

static apr_status_t make_for(unit_accounts_t *a, const cat_mail_t *mail)
{
    const char *token;

    return cat_mail_tokens_make(a->c.db, a->c.pool, mail, 60, &token);
}

#define count_tokens(a) unit_accounts_sql(a, "SELECT COUNT(*) FROM mail_tokens")

/* The withdrawals happen after a mailer has claimed the mails and before it stores their tokens. */
static void test_a_claimed_mail_that_is_withdrawn_gets_no_token(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    const cat_mail_t reset = unit_accounts_mail(a, CAT_MAIL_RESET, ANN, "ann@example.org");
    const cat_mail_t change = unit_accounts_mail(a, CAT_MAIL_NEW_EMAIL, ANN, "new@example.org");
    const cat_mail_t confirm = unit_accounts_mail(a, CAT_MAIL_CONFIRM, ANN, "ann@example.org");

    assert_int_equal(cat_mail_tokens_withdraw(a->c.db, CAT_MAIL_RESET, ANN), APR_SUCCESS);
    assert_int_equal(make_for(a, &reset), APR_NOTFOUND);
    assert_int_equal(make_for(a, &change), APR_SUCCESS);
    assert_int_equal(cat_mail_tokens_withdraw_all(a->c.db, ANN), APR_SUCCESS);
    assert_int_equal(make_for(a, &change), APR_NOTFOUND);
    assert_int_equal(make_for(a, &confirm), APR_NOTFOUND);
    assert_string_equal(count_tokens(a), "0");
}

static void test_a_claim_that_another_mailer_has_gets_no_token(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    const cat_mail_t mail = unit_accounts_mail(a, CAT_MAIL_RESET, ANN, "ann@example.org");

    unit_accounts_sql(a, "UPDATE outbox SET lease = 'another' WHERE lease = 'held'");
    assert_int_equal(make_for(a, &mail), APR_NOTFOUND);
    assert_string_equal(count_tokens(a), "0");
}

static void test_a_user_who_is_locked_or_gone_gets_no_token(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    const cat_mail_t to_ann = unit_accounts_mail(a, CAT_MAIL_RESET, ANN, "ann@example.org");
    cat_mail_t to_bob = unit_accounts_mail(a, CAT_MAIL_RESET, BOB, "bob@example.org");

    unit_accounts_sql(a, "UPDATE users SET locked_at = 1 WHERE id = '" ANN "'");
    assert_int_equal(make_for(a, &to_ann), APR_NOTFOUND);
    to_bob.user_id = "gone";
    assert_int_equal(make_for(a, &to_bob), APR_NOTFOUND);
    assert_string_equal(count_tokens(a), "0");
}

static void test_a_locked_users_links_are_void(void **state)
{
    static const char *const purposes[] = {CAT_MAIL_LINKS};
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);

    for (size_t i = 0; i < UNIT_COUNT(purposes); i++) {
        const char *token = make(a, purposes[i], ANN);
        unit_accounts_sql(a, "UPDATE users SET locked_at = 1");
        assert_null(find(a, purposes[i], token));
        assert_null(use(a, purposes[i], token));
        unit_accounts_sql(a, "UPDATE users SET locked_at = NULL");
        assert_string_equal(use(a, purposes[i], token), ANN);
    }
}

static void test_a_link_to_a_former_address_is_void(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    const char *reset = make(a, CAT_MAIL_RESET, ANN), *confirm = make(a, CAT_MAIL_CONFIRM, ANN);
    const char *change = make(a, CAT_MAIL_NEW_EMAIL, ANN);

    unit_accounts_sql(a, "UPDATE users SET email = 'grace@example.org' WHERE id = '" ANN "'");
    assert_null(find(a, CAT_MAIL_RESET, reset));
    assert_null(use(a, CAT_MAIL_RESET, reset));
    assert_null(use(a, CAT_MAIL_CONFIRM, confirm));
    assert_string_equal(use(a, CAT_MAIL_NEW_EMAIL, change), ANN);
}

static void test_a_database_that_fails_is_a_fault(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    const cat_mail_t mail = unit_accounts_mail(a, CAT_MAIL_RESET, ANN, "ann@example.org");
    cat_mail_link_t link;

    unit_accounts_sql(a, "DROP TABLE mail_tokens");
    assert_int_not_equal(make_for(a, &mail), APR_SUCCESS);
    assert_int_not_equal(cat_mail_tokens_find(a->c.db, *state, CAT_MAIL_RESET, "x", a->c.now, &link), APR_SUCCESS);
    assert_null(link.user_id);
    assert_int_not_equal(cat_mail_tokens_use(a->c.db, *state, CAT_MAIL_RESET, "x", a->c.now, &link), APR_SUCCESS);
    assert_null(link.user_id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_token_is_found_for_its_purpose),
        UNIT_TEST(test_a_token_expires),
        UNIT_TEST(test_a_use_takes_the_users_other_tokens),
        UNIT_TEST(test_withdrawing_takes_queued_mails_too),
        UNIT_TEST(test_a_claimed_mail_that_is_withdrawn_gets_no_token),
        UNIT_TEST(test_a_claim_that_another_mailer_has_gets_no_token),
        UNIT_TEST(test_a_user_who_is_locked_or_gone_gets_no_token),
        UNIT_TEST(test_a_locked_users_links_are_void),
        UNIT_TEST(test_a_link_to_a_former_address_is_void),
        UNIT_TEST(test_a_database_that_fails_is_a_fault),
    };
    return UNIT_RUN(tests);
}
