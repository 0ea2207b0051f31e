/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include "accounts/backlog.h"
#include "accounts/outbox.h"

static cat_database_facts_t run(unit_accounts_t *a)
{
    atomic_int stop = 0;
    cat_job_t job = unit_accounts_job(a, &stop);
    cat_database_facts_t facts;

    assert_int_equal(cat_backlog_run(&job), CAT_JOB_DONE);
    cat_db_release(a->c.db);
    assert_int_equal(cat_metrics_read_databases(job.metrics, &facts, apr_time_now()), 1);
    return facts;
}

static void test_notes_what_waits_and_what_was_given_up(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    cat_database_facts_t facts = run(a);

    assert_int_equal(facts.mails_pending, 0);
    assert_int_equal(facts.mails_dead, 0);
    assert_int_equal(facts.oldest_mail, 0);
    assert_int_equal(facts.schema, atoi(unit_accounts_sql(a, "SELECT MAX(version) FROM schema_version")));
    unit_accounts_add(a, ANN, "ann", "x"); /* queues a mail */
    unit_accounts_add(a, BOB, "bob", "x");
    unit_accounts_sql(a, "UPDATE outbox SET created_at = 1763731170442 WHERE user_id = '" ANN "'");
    facts = run(a);
    assert_int_equal(facts.mails_pending, 2);
    assert_int_equal(facts.mails_dead, 0);
    assert_true(facts.oldest_mail == apr_time_from_msec(APR_INT64_C(1763731170442)));
    unit_accounts_sql(a, "UPDATE outbox SET state = 'dead' WHERE user_id = '" ANN "'");
    facts = run(a);
    assert_int_equal(facts.mails_pending, 1);
    assert_int_equal(facts.mails_dead, 1);
    assert_true(facts.oldest_mail > apr_time_from_msec(APR_INT64_C(1763731170442)));
}

static void add_webhook(unit_accounts_t *a, const char *id, const char *state, apr_time_t seen)
{
    unit_accounts_sql(
        a, apr_psprintf(a->c.pool,
                        "INSERT INTO webhooks (id, url_hash, url, state, sent_seq, until_seq, told_seq, next_at,"
                        " failing_at, created_at, seen_at) VALUES ('%s', '%s', '', '%s', 0, 0, 0, 0, 5000, 0, %ld)",
                        id, id, state, (long)apr_time_as_msec(seen)));
}

static void test_notes_webhooks_that_fail(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    cat_database_facts_t facts;

    add_webhook(a, "removed", "dead", apr_time_now() - apr_time_from_sec(2 * 3600));
    facts = run(a);
    assert_int_equal(facts.webhooks_dead, 0);
    assert_int_equal(facts.webhook_failing, 0);
    add_webhook(a, "dead", "dead", apr_time_now());
    add_webhook(a, "failing", "active", apr_time_now());
    facts = run(a);
    assert_int_equal(facts.webhooks_dead, 1);
    assert_true(facts.webhook_failing == apr_time_from_sec(5));
}

/* Two databases are counted separately, although this test gives both the same source. */
static void test_each_database_counts(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    atomic_int stop = 0;
    cat_job_t job = unit_accounts_job(a, &stop);
    cat_database_facts_t facts;

    unit_accounts_add(a, ANN, "ann", "x");
    run(a);
    job.database = "sqlite3 b";
    assert_int_equal(cat_backlog_run(&job), CAT_JOB_DONE);
    assert_int_equal(cat_metrics_read_databases(job.metrics, &facts, apr_time_now()), 2);
    assert_int_equal(facts.mails_pending, 2);
}

static void test_notes_nothing_if_the_database_fails(void **state)
{
    unit_accounts_t *a = unit_accounts(*state);
    atomic_int stop = 0;
    cat_job_t job = unit_accounts_job(a, &stop);
    cat_database_facts_t facts;

    unit_accounts_sql(a, "DROP TABLE outbox");
    assert_int_equal(cat_backlog_run(&job), CAT_JOB_FAILED);
    assert_int_equal(cat_metrics_read_databases(job.metrics, &facts, apr_time_now()), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_notes_what_waits_and_what_was_given_up),
        UNIT_TEST(test_notes_webhooks_that_fail),
        UNIT_TEST(test_each_database_counts),
        UNIT_TEST(test_notes_nothing_if_the_database_fails),
    };
    return UNIT_RUN(tests);
}
