/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/session.h"

static cat_session_t open_session(unit_accounts_t *a, const char *user_id)
{
    cat_session_t session;

    assert_int_equal(cat_session_open(&a->c, user_id, &session), APR_SUCCESS);
    return session;
}

static cat_refresh_t find(unit_accounts_t *a, const char *token)
{
    cat_session_t session;
    cat_refresh_t outcome;

    assert_int_equal(cat_session_find(&a->c, token, &session, &outcome), APR_SUCCESS);
    return outcome;
}

static cat_refresh_t refresh(unit_accounts_t *a, const char *token, cat_session_t *session)
{
    cat_refresh_t outcome;

    assert_int_equal(cat_session_refresh(&a->c, token, session, &outcome), APR_SUCCESS);
    return outcome;
}

static int is_revoked(unit_accounts_t *a, const char *id)
{
    return cat_revoked_find(a->c.revoked, id, a->c.now) == CAT_REVOKED_YES;
}

static void test_only_digests_are_stored(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t session = open_session(a, ANN);

    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM refresh_tokens"), "1");
    assert_string_equal(
        unit_accounts_sql(a, apr_psprintf(*state,
                                          "SELECT COUNT(*) FROM refresh_tokens WHERE token_hash = '%s'"
                                          " OR family_hash = '%.16s' OR seed = '%s'",
                                          session.refresh_token, session.refresh_token, session.refresh_token)),
        "0");
}

static void test_a_token_is_found_until_it_expires(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t session = open_session(a, ANN);

    assert_int_equal(find(a, session.refresh_token), CAT_REFRESH_OK);
    a->c.now += apr_time_from_sec(3599);
    assert_int_equal(find(a, session.refresh_token), CAT_REFRESH_OK);
    a->c.now += apr_time_from_sec(1);
    assert_int_equal(find(a, session.refresh_token), CAT_REFRESH_UNKNOWN);
    assert_int_equal(refresh(a, session.refresh_token, &session), CAT_REFRESH_UNKNOWN);
}

static void test_a_session_expires_before_its_last_token(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t session;

    a->database->conf.session_ttl = 60;
    session = open_session(a, ANN);
    a->c.now += apr_time_from_sec(60);
    assert_int_equal(find(a, session.refresh_token), CAT_REFRESH_UNKNOWN);
}

static void test_unknown_tokens_are_refused(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);

    assert_int_equal(find(a, ""), CAT_REFRESH_UNKNOWN);
    assert_int_equal(find(a, "short"), CAT_REFRESH_UNKNOWN);
    assert_int_equal(find(a, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), CAT_REFRESH_UNKNOWN);
}

static void test_a_refresh_replaces_the_token(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t first = open_session(a, ANN), second, third;

    assert_int_equal(refresh(a, first.refresh_token, &second), CAT_REFRESH_OK);
    assert_string_equal(second.id, first.id);
    assert_string_equal(second.user_id, ANN);
    assert_string_not_equal(second.refresh_token, first.refresh_token);
    assert_int_equal(refresh(a, second.refresh_token, &third), CAT_REFRESH_OK);
    assert_int_equal(find(a, third.refresh_token), CAT_REFRESH_OK);
    assert_false(is_revoked(a, first.id));
}

static void test_within_the_grace_period_the_successor_is_the_same(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t first = open_session(a, ANN), second, again;

    a->database->conf.refresh_grace = 600;
    assert_int_equal(refresh(a, first.refresh_token, &second), CAT_REFRESH_OK);
    assert_int_equal(find(a, first.refresh_token), CAT_REFRESH_OK);
    assert_int_equal(refresh(a, first.refresh_token, &again), CAT_REFRESH_OK);
    assert_string_equal(again.refresh_token, second.refresh_token);
}

/* Of two browser tabs that refresh at different times, the slower one must not get a used token. */
static void test_within_the_grace_period_the_newest_successor_is_returned(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t first = open_session(a, ANN), last, again, session;

    a->database->conf.refresh_grace = 600;
    assert_int_equal(refresh(a, first.refresh_token, &last), CAT_REFRESH_OK);
    for (int i = 0; i < 5; i++) {
        session = last;
        assert_int_equal(refresh(a, session.refresh_token, &last), CAT_REFRESH_OK);
    }
    assert_int_equal(refresh(a, first.refresh_token, &again), CAT_REFRESH_OK);
    assert_string_equal(again.refresh_token, last.refresh_token);
    assert_string_equal(again.id, first.id);
    assert_int_equal(refresh(a, again.refresh_token, &session), CAT_REFRESH_OK);
    assert_string_not_equal(session.refresh_token, last.refresh_token);
}

static void check_replayed(unit_accounts_t *a, const char *token, const char *last)
{
    cat_session_t session;

    assert_int_equal(find(a, token), CAT_REFRESH_REPLAYED);
    assert_int_equal(refresh(a, token, &session), CAT_REFRESH_REPLAYED);
    assert_true(is_revoked(a, session.id));
    assert_int_equal(find(a, last), CAT_REFRESH_UNKNOWN);
    unit_says(a->database->logged, "CAT040");
    unit_says(a->database->logged, session.id);
    assert_null(strstr(a->database->logged, token));
}

static void test_a_replay_ends_the_session(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t first = open_session(a, ANN), second;

    assert_int_equal(refresh(a, first.refresh_token, &second), CAT_REFRESH_OK);
    check_replayed(a, first.refresh_token, second.refresh_token);
}

static void test_after_the_grace_period_a_second_use_is_a_replay(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t first = open_session(a, ANN), second;

    a->database->conf.refresh_grace = 600;
    assert_int_equal(refresh(a, first.refresh_token, &second), CAT_REFRESH_OK);
    unit_accounts_sql(a, "UPDATE refresh_tokens SET used_at = used_at - 601000 WHERE used_at IS NOT NULL");
    check_replayed(a, first.refresh_token, second.refresh_token);
}

static void test_a_replay_is_recognized_by_its_family(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t first = open_session(a, ANN), second, third;

    assert_int_equal(refresh(a, first.refresh_token, &second), CAT_REFRESH_OK);
    unit_accounts_sql(a, "UPDATE refresh_tokens SET used_at = used_at - 1000 WHERE used_at IS NOT NULL");
    assert_int_equal(refresh(a, second.refresh_token, &third), CAT_REFRESH_OK);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM refresh_tokens"),
                        "2"); /* the first token's row is deleted */
    check_replayed(a, first.refresh_token, third.refresh_token);
}

static void test_a_session_is_ended_once_and_by_its_user(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t session = open_session(a, ANN);
    int is_ended;

    assert_int_equal(cat_session_end(&a->c, session.id, BOB), APR_NOTFOUND);
    assert_false(is_revoked(a, session.id));
    assert_int_equal(cat_session_check(a->c.db, session.id, &is_ended), APR_SUCCESS);
    assert_false(is_ended);
    assert_int_equal(cat_session_end(&a->c, session.id, ANN), APR_SUCCESS);
    assert_true(is_revoked(a, session.id));
    assert_int_equal(cat_session_check(a->c.db, session.id, &is_ended), APR_SUCCESS);
    assert_true(is_ended);
    assert_int_equal(cat_session_end(&a->c, session.id, ANN), APR_NOTFOUND);
    assert_int_equal(find(a, session.refresh_token), CAT_REFRESH_UNKNOWN);
}

static void test_all_sessions_of_a_user_end(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t one = open_session(a, ANN), two = open_session(a, ANN), other = open_session(a, BOB);

    assert_int_equal(cat_session_end_all(&a->c, ANN), APR_SUCCESS);
    assert_true(is_revoked(a, one.id) && is_revoked(a, two.id));
    assert_false(is_revoked(a, other.id));
    assert_int_equal(find(a, other.refresh_token), CAT_REFRESH_OK);
}

static void test_the_least_recently_used_session_makes_room(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t sessions[3];
    apr_array_header_t *ended;

    a->database->conf.max_sessions = 2;
    for (int i = 0; i < 3; i++) {
        a->c.now += apr_time_from_sec(1);
        sessions[i] = open_session(a, ANN);
    }
    assert_int_equal(cat_session_end_surplus(&a->c, &sessions[2], &ended), APR_SUCCESS);
    assert_int_equal(ended->nelts, 1);
    assert_string_equal(APR_ARRAY_IDX(ended, 0, const char *), sessions[0].id);
    assert_false(is_revoked(a, sessions[0].id)); /* only cat_session_revoke adds it to the set */
    cat_session_revoke(&a->c, ended);
    assert_true(is_revoked(a, sessions[0].id));
    assert_int_equal(find(a, sessions[0].refresh_token), CAT_REFRESH_UNKNOWN);
    assert_int_equal(find(a, sessions[1].refresh_token), CAT_REFRESH_OK);
}

typedef struct list_t {
    int count;
    const char *agent;
} list_t;

static apr_status_t count_session(void *baton, const char *const *row, int count)
{
    list_t *list = baton;

    assert_int_equal(count, CAT_SESSION_COLUMNS);
    assert_string_equal(row[CAT_SESSION_CLIENT], "192.0.2.1");
    list->agent = strdup(row[CAT_SESSION_AGENT]);
    list->count++;
    return APR_SUCCESS;
}

static void test_the_list_has_the_users_open_sessions(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    list_t list = {0};
    cat_session_t closed;
    char agent[300];

    memset(agent, 'a', sizeof(agent));
    memcpy(agent, "\x01\xc3\xa4+", 4);
    agent[sizeof(agent) - 1] = '\0';
    a->c.agent = agent;
    closed = open_session(a, ANN);
    open_session(a, ANN);
    open_session(a, BOB);
    assert_int_equal(cat_session_end(&a->c, closed.id, ANN), APR_SUCCESS);
    assert_int_equal(cat_session_each(&a->c, ANN, count_session, &list), APR_SUCCESS);
    assert_int_equal(list.count, 1);
    assert_int_equal(strlen(list.agent), 200);
    assert_memory_equal(list.agent, "???+aaa", 7);
    free((char *)list.agent);
}

static void test_another_server_learns_of_ended_sessions(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t session = open_session(a, ANN);
    cat_revoked_t *all = apr_pcalloc(*state, cat_revoked_size()), *later = apr_pcalloc(*state, cat_revoked_size());

    assert_int_equal(cat_session_end(&a->c, session.id, ANN), APR_SUCCESS);
    assert_int_equal(cat_session_learn(a->c.db, a->c.conf, all, 0), APR_SUCCESS);
    assert_int_equal(cat_revoked_find(all, session.id, a->c.now), CAT_REVOKED_YES);
    assert_int_equal(cat_session_learn(a->c.db, a->c.conf, later, a->c.now + apr_time_from_sec(1)), APR_SUCCESS);
    assert_int_equal(cat_revoked_find(later, session.id, a->c.now), CAT_REVOKED_NO);
}

static void test_a_database_that_fails_is_a_fault(void **state)
{
    unit_accounts_t *a = unit_accounts_ann_and_bob(*state);
    cat_session_t session = open_session(a, ANN), found;
    cat_refresh_t outcome;

    unit_accounts_sql(a, "DROP TABLE refresh_tokens");
    assert_int_not_equal(cat_session_find(&a->c, session.refresh_token, &found, &outcome), APR_SUCCESS);
    assert_int_not_equal(cat_session_refresh(&a->c, session.refresh_token, &found, &outcome), APR_SUCCESS);
    unit_accounts_sql(a, "DROP TABLE sessions");
    assert_int_not_equal(cat_session_end(&a->c, session.id, ANN), APR_SUCCESS);
    assert_int_not_equal(cat_session_end_all(&a->c, ANN), APR_SUCCESS);
    assert_false(is_revoked(a, session.id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_only_digests_are_stored),
        UNIT_TEST(test_a_token_is_found_until_it_expires),
        UNIT_TEST(test_a_session_expires_before_its_last_token),
        UNIT_TEST(test_unknown_tokens_are_refused),
        UNIT_TEST(test_a_refresh_replaces_the_token),
        UNIT_TEST(test_within_the_grace_period_the_successor_is_the_same),
        UNIT_TEST(test_within_the_grace_period_the_newest_successor_is_returned),
        UNIT_TEST(test_a_replay_ends_the_session),
        UNIT_TEST(test_after_the_grace_period_a_second_use_is_a_replay),
        UNIT_TEST(test_a_replay_is_recognized_by_its_family),
        UNIT_TEST(test_a_session_is_ended_once_and_by_its_user),
        UNIT_TEST(test_all_sessions_of_a_user_end),
        UNIT_TEST(test_the_least_recently_used_session_makes_room),
        UNIT_TEST(test_the_list_has_the_users_open_sessions),
        UNIT_TEST(test_another_server_learns_of_ended_sessions),
        UNIT_TEST(test_a_database_that_fails_is_a_fault),
    };
    return UNIT_RUN(tests);
}
