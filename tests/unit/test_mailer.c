/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_accounts.h"

#include <apr_file_info.h>

#include "accounts/mailer.h"
#include "accounts/outbox.h"
#include "http/rate_limit.h"
#include "shm/limit.h"

typedef struct post_t {
    unit_accounts_t *a;
    const char *directory; /* Directory to which the mailer writes mails. */
    cat_limit_t *limits;
} post_t;

static const cat_rate_t no_limits[CAT_RATE_COUNT];
static const cat_rate_t one_an_hour[CAT_RATE_COUNT] = {[CAT_RATE_MAIL] = {1, 3600}};
static const cat_rate_t two_an_hour[CAT_RATE_COUNT] = {[CAT_RATE_MAIL] = {2, 3600}};

static const char *const templates[] = {CAT_MAIL_CONFIRM,      CAT_MAIL_RESET,   CAT_MAIL_CHANGED, CAT_MAIL_NEW_EMAIL,
                                        CAT_MAIL_EMAIL_NOTICE, CAT_MAIL_RENAMED, CAT_MAIL_TEST};

/* Returns a database in which ANN has one mail in the queue, the confirmation. */
static post_t make_post(apr_pool_t *pool)
{
    post_t p = {unit_accounts(pool), unit_directory(pool), apr_pcalloc(pool, cat_limit_size())};
    cat_conf_t *conf = &p.a->database->conf;

    cat_limit_start(p.limits, 1);
    conf->mail = apr_pstrcat(pool, "file:", p.directory, NULL);
    conf->rates = no_limits;
    conf->mail_from = "Shop <shop@example.org>";
    conf->base_url = "https://shop.example.org";
    conf->mail_texts = apr_table_make(pool, 8);
    for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++) {
        apr_table_setn(conf->mail_texts, templates[i],
                       "Subject: Hello {{username}}\n\n{{link}} within {{hours}} hours\n");
    }
    conf->confirm_ttl = conf->reset_ttl = 7200;
    unit_accounts_add(p.a, ANN, "ann", "x");
    return p;
}

static cat_job_result_t run_stopped(post_t *p, int stop)
{
    atomic_int flag = stop;
    cat_job_t job = unit_accounts_job(p->a, &flag);

    job.limits = p->limits;
    return cat_mailer_run(&job);
}

static cat_job_result_t run(post_t *p)
{
    return run_stopped(p, 0);
}

/* Returns the text of the last mail in the directory and sets *count to the number of mails. The text is valid until
 * the next call. */
static const char *read_mail(post_t *p, int *count)
{
    apr_pool_t *pool = p->a->c.pool;
    apr_dir_t *directory;
    apr_finfo_t entry;
    static char text[4000];

    *count = 0;
    assert_int_equal(apr_dir_open(&directory, p->directory, pool), APR_SUCCESS);
    while (apr_dir_read(&entry, APR_FINFO_NAME, directory) == APR_SUCCESS) {
        if (entry.name[0] != '.') {
            FILE *file = fopen(apr_pstrcat(pool, p->directory, "/", entry.name, NULL), "r");
            text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
            fclose(file);
            ++*count;
        }
    }
    apr_dir_close(directory);
    return text;
}

static int count_mails(post_t *p)
{
    int count;

    read_mail(p, &count);
    return count;
}

#define queue_state(p)                                                                                                 \
    unit_accounts_sql((p)->a, "SELECT COALESCE(group_concat(state || attempts || (lease <> '')), '') FROM outbox")

#define queue_error(p) unit_accounts_sql((p)->a, "SELECT COALESCE(error, '') FROM outbox")
#define NO_DIRECTORY "No such file or directory: /nowhere/at/all/"

static void test_a_mail_is_sent_and_leaves_the_queue(void **state)
{
    post_t p = make_post(*state);
    int count;

    assert_int_equal(run(&p), CAT_JOB_DONE);
    unit_says(read_mail(&p, &count), "Subject: Hello ann\r\n");
    unit_says(read_mail(&p, &count), "https://shop.example.org/confirm.html#token=");
    unit_says(read_mail(&p, &count), "within 2 hours");
    assert_int_equal(count, 1);
    assert_string_equal(queue_state(&p), "");
    assert_string_equal(unit_accounts_sql(p.a, "SELECT purpose FROM mail_tokens"), CAT_MAIL_CONFIRM);
    unit_says(p.a->database->logged, "CAT016");
}

static void test_without_a_mail_server_mails_wait(void **state)
{
    post_t p = make_post(*state);

    p.a->database->conf.mail = NULL;
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_string_equal(queue_state(&p), "pending00");
}

static void test_a_mail_that_fails_is_put_off(void **state)
{
    post_t p = make_post(*state);

    p.a->database->conf.mail = "file:/nowhere/at/all";
    assert_int_equal(run(&p), CAT_JOB_FAILED);
    assert_string_equal(queue_state(&p), "pending10");
    assert_memory_equal(queue_error(&p), NO_DIRECTORY, strlen(NO_DIRECTORY));
    unit_says(p.a->database->logged, "CAT015");
    unit_says(p.a->database->logged, "next attempt in 2 s");
    assert_int_equal(run(&p), CAT_JOB_DONE); /* the mail is not due yet */
    assert_string_equal(queue_state(&p), "pending10");
}

static void test_a_template_that_is_none_puts_the_mail_off(void **state)
{
    post_t p = make_post(*state);

    apr_table_setn(p.a->database->conf.mail_texts, CAT_MAIL_CONFIRM, "no subject");
    assert_int_equal(run(&p), CAT_JOB_FAILED);
    assert_int_equal(count_mails(&p), 0);
    assert_string_equal(queue_state(&p), "pending10");
    assert_string_equal(queue_error(&p), "the template of the mail is not valid");
}

static void test_the_wait_doubles_up_to_15_minutes(void **state)
{
    post_t p = make_post(*state);
    static const char *const waits[] = {"in 4 s", "in 8 s", "in 16 s", "in 512 s", "in 900 s", "in 900 s"};
    static const int attempts[] = {1, 2, 3, 8, 9, 60};

    p.a->database->conf.mail = "file:/nowhere/at/all";
    for (size_t i = 0; i < UNIT_COUNT(waits); i++) {
        unit_accounts_sql(p.a, apr_psprintf(*state, "UPDATE outbox SET next_at = 0, attempts = %d", attempts[i]));
        p.a->database->logged[0] = '\0';
        assert_int_equal(run(&p), CAT_JOB_FAILED);
        unit_says(p.a->database->logged, waits[i]);
    }
}

static void test_a_mail_is_given_up_after_three_days(void **state)
{
    post_t p = make_post(*state);

    p.a->database->conf.mail = "file:/nowhere/at/all";
    unit_accounts_sql(p.a, "UPDATE outbox SET created_at = created_at - 3 * 86400000 - 1000");
    assert_int_equal(run(&p), CAT_JOB_FAILED);
    assert_string_equal(queue_state(&p), "dead10");
    assert_memory_equal(queue_error(&p), NO_DIRECTORY, strlen(NO_DIRECTORY));
    unit_says(p.a->database->logged, "CAT014");
    assert_int_equal(unit_database_count(p.a->database, CAT_METRIC_MAILS_FAILED, CAT_MAIL_EXPIRED), 1);
    assert_true(unit_database_total(p.a->database, CAT_METRIC_MAILS_FAILED) == 1);
}

static void test_pointless_mails_are_not_sent(void **state)
{
    post_t p = make_post(*state);

    unit_accounts_sql(p.a, "UPDATE users SET confirmed_at = 1");
    cat_outbox_add(p.a->c.db, *state, "unknown", ANN, NULL, p.a->c.now);
    cat_outbox_add(p.a->c.db, *state, CAT_MAIL_RESET, NULL, "nobody@example.org", p.a->c.now);
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 0);
    assert_string_equal(queue_state(&p), "");
    cat_outbox_add(p.a->c.db, *state, CAT_MAIL_CHANGED, ANN, NULL, p.a->c.now);
    cat_outbox_add(p.a->c.db, *state, CAT_MAIL_RENAMED, ANN, NULL, p.a->c.now);
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 2);
    unit_accounts_sql(p.a, "UPDATE users SET confirmed_at = NULL");
    cat_outbox_add(p.a->c.db, *state, CAT_MAIL_RENAMED, ANN, NULL, p.a->c.now);
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 2);
}

/* A trigger deletes the mail when the mailer claims it, like a request that withdraws it at that moment. */
static void test_a_mail_that_is_withdrawn_after_the_claim_is_not_sent(void **state)
{
    post_t p = make_post(*state);

    unit_accounts_sql(p.a, "CREATE TRIGGER overtake AFTER UPDATE OF lease ON outbox WHEN OLD.lease = '' BEGIN"
                           " DELETE FROM outbox WHERE id = NEW.id; END");
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 0);
    assert_string_equal(unit_accounts_sql(p.a, "SELECT COUNT(*) FROM mail_tokens"), "0");
}

/* A trigger deletes the mail after the mailer has read it and before the mailer stores the token. */
static void test_a_mail_that_is_withdrawn_before_its_token_is_not_sent(void **state)
{
    post_t p = make_post(*state);

    unit_accounts_sql(p.a, "CREATE TRIGGER overtake BEFORE UPDATE OF id ON users BEGIN"
                           " DELETE FROM outbox WHERE user_id = NEW.id; END");
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 0);
    assert_string_equal(queue_state(&p), "");
    assert_string_equal(unit_accounts_sql(p.a, "SELECT COUNT(*) FROM mail_tokens"), "0");
}

static void test_mails_beyond_the_rate_are_dropped(void **state)
{
    post_t p = make_post(*state);

    p.a->database->conf.rates = two_an_hour;
    for (int i = 0; i < 5; i++) {
        cat_outbox_add(p.a->c.db, *state, CAT_MAIL_RESET, ANN, NULL, p.a->c.now);
    }
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 3); /* two with this template, and the confirmation */
    assert_string_equal(queue_state(&p), "");
    unit_says(p.a->database->logged, "CAT018");
    assert_int_equal(unit_database_count(p.a->database, CAT_METRIC_MAILS_FAILED, CAT_MAIL_DROPPED), 3);
    assert_true(unit_database_total(p.a->database, CAT_METRIC_MAILS_SENT) == 3);
}

static void test_a_mail_that_was_not_sent_does_not_count(void **state)
{
    post_t p = make_post(*state);
    cat_conf_t *conf = &p.a->database->conf;
    const char *good = conf->mail;

    conf->rates = one_an_hour;
    conf->mail = "file:/nowhere/at/all";
    assert_int_equal(run(&p), CAT_JOB_FAILED);
    conf->mail = good;
    unit_accounts_sql(p.a, "UPDATE outbox SET next_at = 0");
    assert_int_equal(run(&p), CAT_JOB_DONE);
    assert_int_equal(count_mails(&p), 1);
}

static void test_a_server_that_stops_sends_nothing(void **state)
{
    post_t p = make_post(*state);

    assert_int_equal(run_stopped(&p, 1), CAT_JOB_DONE);
    assert_string_equal(queue_state(&p), "pending00");
}

static void test_a_database_that_fails_fails_the_job(void **state)
{
    post_t p = make_post(*state);

    unit_accounts_sql(p.a, "DROP TABLE mail_tokens");
    assert_int_equal(run(&p), CAT_JOB_FAILED);
    assert_int_equal(count_mails(&p), 0);
    assert_string_equal(queue_state(&p), "pending11"); /* stays claimed until the lease expires */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_mail_is_sent_and_leaves_the_queue),
        UNIT_TEST(test_without_a_mail_server_mails_wait),
        UNIT_TEST(test_a_template_that_is_none_puts_the_mail_off),
        UNIT_TEST(test_a_mail_that_fails_is_put_off),
        UNIT_TEST(test_the_wait_doubles_up_to_15_minutes),
        UNIT_TEST(test_a_mail_is_given_up_after_three_days),
        UNIT_TEST(test_pointless_mails_are_not_sent),
        UNIT_TEST(test_a_mail_that_is_withdrawn_after_the_claim_is_not_sent),
        UNIT_TEST(test_a_mail_that_is_withdrawn_before_its_token_is_not_sent),
        UNIT_TEST(test_mails_beyond_the_rate_are_dropped),
        UNIT_TEST(test_a_mail_that_was_not_sent_does_not_count),
        UNIT_TEST(test_a_server_that_stops_sends_nothing),
        UNIT_TEST(test_a_database_that_fails_fails_the_job),
    };
    return UNIT_RUN(tests);
}
