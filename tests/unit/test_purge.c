/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/purge.h"

#define DAY 86400

static cat_job_result_t purge(unit_accounts_t *a, int stop)
{
    atomic_int flag = stop;
    cat_job_t job = unit_accounts_job(a, &flag);

    return cat_purge_run(&job);
}

/* Inserts two rows: one older than `age` seconds, one younger. */
static void insert_pair(unit_accounts_t *a, const char *insert, int age)
{
    apr_int64_t limit = apr_time_as_msec(apr_time_now()) - (apr_int64_t)age * 1000;

    for (int i = 0; i < 2; i++) {
        unit_accounts_sql(a, apr_psprintf(a->c.pool, insert, i, limit + (i ? 60000 : -60000)));
    }
}

static const char *list(unit_accounts_t *a, const char *column, const char *table)
{
    return unit_accounts_sql(a, apr_psprintf(a->c.pool, "SELECT group_concat(%s) FROM %s", column, table));
}

static void test_only_expired_rows_are_deleted(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    unit_accounts_add(a, ANN, "ann", "x");
    insert_pair(a,
                "INSERT INTO sessions (id, user_id, created_at, used_at, expires_at, client, agent)"
                " VALUES ('s%d', '" ANN "', 0, %ld, 0, '', '')",
                3600);
    unit_accounts_sql(a, "INSERT INTO refresh_tokens (token_hash, session_id, family_hash, created_at, expires_at)"
                         " SELECT id, id, '', 0, 9000000000000 FROM sessions");
    insert_pair(a,
                "INSERT INTO refresh_tokens (token_hash, session_id, family_hash, created_at, expires_at)"
                " VALUES ('r%d', 's1', '', 0, %ld)",
                0);
    insert_pair(a, "INSERT INTO revoked_sessions (session_id, ended_at) VALUES ('e%d', %ld)", 900 + DAY);
    insert_pair(a,
                "INSERT INTO mail_tokens (token_hash, purpose, user_id, created_at, expires_at, email)"
                " VALUES ('m%d', 'reset', '" ANN "', 0, %ld, 'ann@example.org')",
                0);
    insert_pair(
        a,
        "INSERT INTO login_failures (account, network, failures, allowed_at, failed_at) VALUES ('l%d', '', 1, 0, %ld)",
        DAY);
    insert_pair(a, "INSERT INTO idempotency_keys (key_hash, part, content, expires_at) VALUES ('i%d', 0, '', %ld)", 0);
    insert_pair(a,
                "INSERT INTO webhooks (id, url_hash, url, sent_seq, until_seq, told_seq, next_at, created_at, seen_at)"
                " VALUES ('w%d', hex(randomblob(9)), '', 0, 0, 0, 0, 0, %ld)",
                30 * DAY);
    insert_pair(a, "INSERT INTO released_names (name_hash, user_id, expires_at) VALUES ('n%d', '', %ld)", 0);
    insert_pair(a,
                "INSERT INTO audit (id, created_at, source, actor, action)"
                " VALUES ('a%d', %ld, 'http', 'ann', 'user.update')",
                90 * DAY);
    assert_int_equal(purge(a, 0), CAT_JOB_DONE);
    assert_string_equal(list(a, "id", "audit"), "a1");
    assert_string_equal(list(a, "key_hash", "idempotency_keys"), "i1");
    assert_string_equal(list(a, "id", "sessions"), "s1");
    assert_string_equal(list(a, "token_hash", "(SELECT token_hash FROM refresh_tokens ORDER BY 1)"), "r1,s1");
    assert_string_equal(list(a, "session_id", "revoked_sessions"), "e1");
    assert_string_equal(list(a, "token_hash", "mail_tokens"), "m1");
    assert_string_equal(list(a, "account", "login_failures"), "l1");
    assert_string_equal(list(a, "id", "webhooks"), "w1");
    assert_string_equal(list(a, "name_hash", "released_names"), "n1");
}

static void insert_many(unit_accounts_t *a)
{
    unit_accounts_sql(a, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
                         " INSERT INTO revoked_sessions (session_id, ended_at) SELECT i, 0 FROM n");
}

static void test_many_rows_are_deleted_in_rounds(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    insert_many(a);
    assert_int_equal(purge(a, 0), CAT_JOB_DONE);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM revoked_sessions"), "0");
}

static void test_a_server_that_stops_ends_the_job(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    insert_many(a);
    assert_int_equal(purge(a, 1), CAT_JOB_DONE);
    assert_string_equal(unit_accounts_sql(a, "SELECT COUNT(*) FROM revoked_sessions"), "1000");
}

static void test_a_database_that_fails_fails_the_job(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);

    unit_accounts_sql(a, "DROP TABLE mail_tokens");
    assert_int_equal(purge(a, 0), CAT_JOB_FAILED);
    assert_string_not_equal(a->database->logged, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_only_expired_rows_are_deleted),
        UNIT_TEST(test_many_rows_are_deleted_in_rounds),
        UNIT_TEST(test_a_server_that_stops_ends_the_job),
        UNIT_TEST(test_a_database_that_fails_fails_the_job),
    };
    return UNIT_RUN(tests);
}
