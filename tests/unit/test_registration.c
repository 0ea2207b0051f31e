/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/confirmation.h"
#include "accounts/mail_tokens.h"
#include "accounts/names.h"
#include "accounts/outbox.h"
#include "accounts/outbox.h"
#include "accounts/registration.h"
#include "lib/id.h"
#include "lib/time.h"

static const char **make_record(apr_pool_t *pool, const char *username, const char *email)
{
    const char **record = apr_pcalloc(pool, CAT_USER_SESSION_FIELDS * sizeof(*record));

    record[CAT_USER_ID] = cat_id_make(pool, apr_time_now());
    record[CAT_USER_CREATED_AT] = cat_time_store(pool, apr_time_now());
    record[CAT_USER_USERNAME] = username;
    record[CAT_USER_EMAIL] = email;
    record[CAT_USER_PASSWORD] = "correct horse";
    return record;
}

static cat_registration_t add(unit_accounts_t *a, const char *username, const char *email)
{
    cat_registration_t result;

    assert_int_equal(cat_registration_add(&a->c, make_record(a->c.pool, username, email), NULL, &result), APR_SUCCESS);
    return result;
}

static void test_account_mail_and_session_are_stored(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    const char **record = make_record(*state, "Ann", "Ann@example.org");
    cat_registration_t result;
    cat_session_t session;
    cat_account_t *account;

    assert_int_equal(cat_registration_add(&a->c, record, &session, &result), APR_SUCCESS);
    assert_int_equal(result.outcome, CAT_REGISTRATION_OK);
    assert_int_equal(cat_accounts_find(a->c.db, *state, "ANN@EXAMPLE.ORG", &account), APR_SUCCESS);
    assert_string_equal(account->id, record[CAT_USER_ID]);
    assert_string_equal(account->username, "Ann");
    assert_string_equal(account->role, "user");
    assert_false(account->confirmed);
    assert_null(strstr(account->password_hash, "correct horse"));
    assert_string_equal(session.user_id, account->id);
    assert_string_equal(unit_accounts_sql(a, "SELECT template FROM outbox"), CAT_MAIL_CONFIRM);
    assert_string_equal(unit_accounts_sql(a, "SELECT id FROM sessions"), session.id);
}

static void test_taken_names_and_addresses_are_reported(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    cat_registration_t result;

    add(a, "ann", "ann@example.org");
    add(a, "bob", "bob@example.org");
    result = add(a, "ANN", "new@example.org");
    assert_int_equal(result.outcome, CAT_REGISTRATION_TAKEN);
    assert_true(result.username_taken && !result.email_taken);
    result = add(a, "new", "BOB@example.org");
    assert_int_equal(result.outcome, CAT_REGISTRATION_TAKEN);
    assert_true(!result.username_taken && result.email_taken);
    result = add(a, "ann", "bob@example.org");
    assert_true(result.username_taken && result.email_taken);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox"), "2");
}

static void test_nothing_is_stored_without_the_session(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    cat_registration_t result;
    cat_session_t session;

    unit_accounts_sql(a, "DROP TABLE refresh_tokens");
    assert_int_not_equal(cat_registration_add(&a->c, make_record(*state, "ann", "ann@example.org"), &session, &result),
                         APR_SUCCESS);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM users"), "0");
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox"), "0");
}

static void test_a_link_confirms_the_address_once(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    const char *token, *reset;
    cat_account_t *account;
    cat_confirmation_t outcome;

    unit_accounts_add(a, ANN, "ann", "x");
    token = unit_accounts_link(a, CAT_MAIL_CONFIRM, ANN, "ann@example.org", 60);
    reset = unit_accounts_link(a, CAT_MAIL_RESET, ANN, "ann@example.org", 60);
    assert_int_equal(cat_confirmation_use(&a->c, reset, &outcome), APR_SUCCESS);
    assert_int_equal(outcome, CAT_CONFIRMATION_INVALID);
    assert_int_equal(cat_confirmation_use(&a->c, token, &outcome), APR_SUCCESS);
    assert_int_equal(outcome, CAT_CONFIRMATION_OK);
    assert_int_equal(cat_accounts_read(a->c.db, *state, ANN, &account), APR_SUCCESS);
    assert_true(account->confirmed);
    assert_int_equal(cat_confirmation_use(&a->c, token, &outcome), APR_SUCCESS);
    assert_int_equal(outcome, CAT_CONFIRMATION_INVALID);
}

static void test_a_link_replaces_the_address(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    const char *token, *reset;
    cat_confirmation_t outcome;

    unit_accounts_add(a, ANN, "ann", "x");
    token = unit_accounts_link(a, CAT_MAIL_NEW_EMAIL, ANN, "new@example.net", 60);
    reset = unit_accounts_link(a, CAT_MAIL_RESET, ANN, "ann@example.org", 60);
    cat_outbox_add(a->c.db, *state, CAT_MAIL_RESET, NULL, "ann@example.org", a->c.now);
    a->c.request_id = "r1";
    assert_int_equal(cat_confirmation_use(&a->c, token, &outcome), APR_SUCCESS);
    assert_int_equal(outcome, CAT_CONFIRMATION_OK);
    assert_string_equal(unit_accounts_sql(a, "SELECT email || email_key || (confirmed_at IS NOT NULL) FROM users"),
                        "new@example.netnew@example.net1");
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM outbox"), "0");
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM mail_tokens"), "0");
    assert_string_equal(
        unit_accounts_sql(a, "SELECT actor_id || actor || request_id || action || target_id || changes FROM audit"),
        ANN "annr1user.update" ANN "{\"email\":{\"from\":\"ann@example.org\",\"to\":\"new@example.net\"}}");
    assert_int_equal(cat_confirmation_use(&a->c, reset, &outcome), APR_SUCCESS);
    assert_int_equal(outcome, CAT_CONFIRMATION_INVALID);
}

/* Nobody but its former owner can take a name that was given up. */
static void test_a_released_name_is_reported(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    cat_registration_t result;

    assert_int_equal(cat_names_release(a->c.db, *state, "Ann", "former", a->c.now), APR_SUCCESS);
    cat_db_release(a->c.db);
    assert_int_equal(cat_registration_add(&a->c, make_record(*state, "ANN", "ann@example.org"), NULL, &result),
                     APR_SUCCESS);
    assert_int_equal(result.outcome, CAT_REGISTRATION_TAKEN);
    assert_true(result.username_taken);
    assert_false(result.email_taken);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM users"), "0");
    a->c.now += apr_time_from_sec(CAT_NAMES_DAYS * 86400);
    assert_int_equal(cat_registration_add(&a->c, make_record(*state, "ANN", "ann@example.org"), NULL, &result),
                     APR_SUCCESS);
    assert_int_equal(result.outcome, CAT_REGISTRATION_OK);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM released_names"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_account_mail_and_session_are_stored),   UNIT_TEST(test_taken_names_and_addresses_are_reported),
        UNIT_TEST(test_nothing_is_stored_without_the_session), UNIT_TEST(test_a_link_replaces_the_address),
        UNIT_TEST(test_a_released_name_is_reported),           UNIT_TEST(test_a_link_confirms_the_address_once),
    };
    return UNIT_RUN(tests);
}
