/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/mail_tokens.h"
#include "accounts/new_password.h"
#include "accounts/outbox.h"
#include "accounts/password_hash.h"

#define OLD "correct horse"
#define NEW "battery staple"

typedef struct stage_t {
    unit_accounts_t *a;
    cat_session_t here, there; /* Two sessions of ANN. */
    const char *link, *other;  /* Tokens of two reset links. */
} stage_t;

static stage_t make_stage(apr_pool_t *pool)
{
    stage_t s = {.a = unit_accounts(pool)};
    const char *hash = NULL;

    assert_int_equal(cat_password_hash_hash(pool, OLD, &hash), APR_SUCCESS);
    unit_accounts_add(s.a, ANN, "ann", hash);
    assert_int_equal(cat_session_open(&s.a->c, ANN, &s.here), APR_SUCCESS);
    assert_int_equal(cat_session_open(&s.a->c, ANN, &s.there), APR_SUCCESS);
    s.link = unit_accounts_link(s.a, CAT_MAIL_RESET, ANN, "ann@example.org", 60);
    s.other = unit_accounts_link(s.a, CAT_MAIL_RESET, ANN, "ann@example.org", 60);
    return s;
}

static int has_password(stage_t *s, const char *password)
{
    cat_account_t *account;

    assert_int_equal(cat_accounts_read(s->a->c.db, s->a->c.pool, ANN, &account), APR_SUCCESS);
    return cat_password_hash_match(s->a->c.pool, password, account->password_hash);
}

static int is_revoked(stage_t *s, const cat_session_t *session)
{
    return cat_revoked_find(s->a->c.revoked, session->id, s->a->c.now) == CAT_REVOKED_YES;
}

static int reset(stage_t *s, const char *token)
{
    int is_set = -1;

    assert_int_equal(cat_new_password_reset(&s->a->c, token, NEW, &is_set), APR_SUCCESS);
    return is_set;
}

static const char *owner_of(stage_t *s, const char *token)
{
    cat_account_t *owner;

    assert_int_equal(cat_new_password_find(&s->a->c, token, &owner), APR_SUCCESS);
    return owner ? owner->id : NULL;
}

static cat_login_outcome_t change(stage_t *s, const char *current)
{
    cat_login_t result;

    assert_int_equal(cat_new_password_change(&s->a->c, ANN, s->here.id, current, NEW, 0, &result), APR_SUCCESS);
    return result.outcome;
}

static void test_a_link_sets_the_password_once(void **state)
{
    stage_t s = make_stage(*state);

    assert_string_equal(owner_of(&s, s.link), ANN);
    assert_true(reset(&s, s.link));
    assert_null(owner_of(&s, s.link));
    assert_true(has_password(&s, NEW));
    assert_true(is_revoked(&s, &s.here) && is_revoked(&s, &s.there));
    assert_false(reset(&s, s.link));
    assert_false(reset(&s, s.other));
    assert_string_equal(unit_accounts_sql(s.a, "SELECT COUNT(*) FROM users WHERE confirmed_at IS NOT NULL"), "1");
    assert_string_equal(unit_accounts_sql(s.a, "SELECT COUNT(*) FROM outbox WHERE template = 'changed'"), "1");
}

static void test_a_locked_account_gets_no_password(void **state)
{
    stage_t s = make_stage(*state);

    unit_accounts_sql(s.a, "UPDATE users SET locked_at = 1");
    assert_null(owner_of(&s, s.link));
    assert_false(reset(&s, s.link));
    assert_int_equal(change(&s, OLD), CAT_LOGIN_WRONG);
    assert_true(has_password(&s, OLD));
}

static void test_a_new_password_is_recorded(void **state)
{
    stage_t s = make_stage(*state);

    assert_true(reset(&s, s.link));
    assert_int_equal(change(&s, NEW), CAT_LOGIN_OK);
    assert_string_equal(
        unit_accounts_sql(s.a, "SELECT group_concat(action || actor_id || target_id || client, ',') FROM audit"),
        "user.password" ANN ANN "192.0.2.1,user.password" ANN ANN "192.0.2.1");
}

static void test_an_invalid_link_sets_nothing(void **state)
{
    stage_t s = make_stage(*state);

    assert_false(reset(&s, "unknown"));
    s.a->c.now += apr_time_from_sec(120);
    assert_false(reset(&s, s.link));
    assert_true(has_password(&s, OLD));
    assert_false(is_revoked(&s, &s.here));
}

static void test_the_current_password_sets_a_new_one(void **state)
{
    stage_t s = make_stage(*state);

    assert_int_equal(change(&s, OLD), CAT_LOGIN_OK);
    assert_true(has_password(&s, NEW));
    assert_false(is_revoked(&s, &s.here));
    assert_true(is_revoked(&s, &s.there));
    assert_false(reset(&s, s.link));
    assert_string_equal(unit_accounts_sql(s.a, "SELECT COUNT(*) FROM login_failures"), "0");
    assert_int_equal(change(&s, OLD), CAT_LOGIN_WRONG);
}

static void test_guesses_are_throttled(void **state)
{
    stage_t s = make_stage(*state);

    for (int i = 0; i < 5; i++) {
        assert_int_equal(change(&s, "wrong"), CAT_LOGIN_WRONG);
    }
    assert_int_equal(change(&s, OLD), CAT_LOGIN_WAIT);
    assert_true(has_password(&s, OLD));
    assert_true(reset(&s, s.link)); /* a reset ends the delay */
    assert_int_equal(change(&s, NEW), CAT_LOGIN_OK);
}

static void test_a_deleted_account_gets_no_password(void **state)
{
    stage_t s = make_stage(*state);
    cat_login_t result;

    unit_accounts_sql(s.a, "PRAGMA foreign_keys = ON; DELETE FROM users");
    assert_int_equal(cat_new_password_change(&s.a->c, ANN, NULL, OLD, NEW, 0, &result), APR_NOTFOUND);
    assert_false(reset(&s, s.link));
}

static void test_all_or_nothing_is_stored(void **state)
{
    stage_t s = make_stage(*state);
    cat_login_t result;
    int is_set;

    unit_accounts_sql(s.a, "DROP TABLE outbox");
    assert_int_not_equal(cat_new_password_reset(&s.a->c, s.link, NEW, &is_set), APR_SUCCESS);
    assert_false(is_set);
    assert_int_not_equal(cat_new_password_change(&s.a->c, ANN, s.here.id, OLD, NEW, 0, &result), APR_SUCCESS);
    assert_true(has_password(&s, OLD));
    assert_false(is_revoked(&s, &s.there));
    assert_string_equal(unit_accounts_sql(s.a, "SELECT failures FROM login_failures"),
                        "0"); /* the server failed, so the attempt does not count */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_link_sets_the_password_once),       UNIT_TEST(test_an_invalid_link_sets_nothing),
        UNIT_TEST(test_the_current_password_sets_a_new_one), UNIT_TEST(test_guesses_are_throttled),
        UNIT_TEST(test_a_deleted_account_gets_no_password),  UNIT_TEST(test_all_or_nothing_is_stored),
        UNIT_TEST(test_a_locked_account_gets_no_password),   UNIT_TEST(test_a_new_password_is_recorded),
    };
    return UNIT_RUN(tests);
}
