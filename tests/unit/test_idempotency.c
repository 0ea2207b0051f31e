/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "api/idempotency.h"
#include "api/failure.h"
#include "db/claim.h"
#include "jose/keyring.h"
#include "jose/token.h"
#include "lib/secret.h"
#include "shm/limit.h"

static int runs;            /* Number of times that the handler ran. */
static const char *product; /* Id of the product that the handler inserts. */

static apr_status_t insert_product(void *db)
{
    return cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT(product));
}

static cat_answer_t *answer_created(cat_request_t *q)
{
    static const char body[] = "{\"a\":\"line\\nof text\"}\n";
    cat_answer_t *answer = cat_answer_text(q->pool, 201, body, sizeof(body) - 1);

    answer->etag = "\"tag\"";
    cat_answer_header(answer, q->pool, "Location", "/api/things/1");
    return answer;
}

static cat_answer_t *create_thing(cat_request_t *q)
{
    cat_answer_t *answer = answer_created(q);
    apr_status_t rv;

    runs++;
    cat_idempotency_keep(q, answer);
    rv = cat_db_transact(q->db, insert_product, q->db);
    return rv == APR_SUCCESS ? answer : cat_failure_answer(q->pool, rv);
}

static cat_answer_t *create_secret(cat_request_t *q)
{
    runs++;
    if (cat_idempotency_is_replay(q)) {
        return cat_answer_text(q->pool, 201, "{\"fresh\":1}", 11);
    }
    cat_idempotency_keep_secret(q);
    return cat_db_transact(q->db, insert_product, q->db) == APR_SUCCESS
               ? cat_answer_text(q->pool, 201, "{\"secret\":1}", 12)
               : cat_answer_problem(q->pool, CAT_PROBLEM_INTERNAL, NULL);
}

static const cat_route_t
    things = {.method = "POST", .path = "/things", .run = create_thing, .run_once = cat_idempotency_run},
    secrets = {.method = "POST", .path = "/secrets", .run = create_secret, .run_once = cat_idempotency_run};

typedef struct trial_t {
    unit_database_t *database;
    cat_limit_t *limits;
    const char *directory; /* Directory of the signing keys. */
} trial_t;

static void use_key(trial_t *t, const char *name, const char *secret)
{
    t->database->conf.keys = NULL;
    assert_null(cat_keyring_open_file(t->database->pool,
                                      unit_write(t->database->pool, t->directory, name, 0600, secret, strlen(secret)),
                                      &t->database->conf.keys));
}

static trial_t make_trial(apr_pool_t *pool)
{
    trial_t t = {.database = unit_database(pool), .directory = unit_directory(pool)};

    t.limits = apr_pcalloc(pool, cat_limit_size());
    cat_limit_start(t.limits, 1);
    t.database->conf.idempotency_ttl = 60;
    t.database->conf.mount_uri = "/api";
    use_key(&t, "1.key", "0123456789abcdef0123456789abcdef");
    runs = 0;
    return t;
}

static cat_request_t make_request(trial_t *t, const cat_route_t *route, const char *body)
{
    static int count;
    apr_pool_t *pool = t->database->pool;

    product = apr_itoa(pool, ++count);
    return (cat_request_t){
        .pool = pool,
        .log = &t->database->log,
        .conf = &t->database->conf,
        .now = apr_time_now(),
        .route = route,
        .body_text = body,
        .idempotency_key = "key",
        .network = "192.0.2.1",
        .limits = t->limits,
        .db = unit_database_use(pool, t->database),
    };
}

static cat_answer_t *run_request(cat_request_t *q)
{
    cat_answer_t *answer = cat_idempotency_run(q);

    cat_db_release(q->db);
    return answer;
}

static cat_answer_t *ask(trial_t *t, const cat_route_t *route, const char *body)
{
    cat_request_t q = make_request(t, route, body);

    return run_request(&q);
}

static int is_replayed(const cat_answer_t *a)
{
    return a->headers && apr_table_get(a->headers, "Idempotency-Replayed") != NULL;
}

static void test_answer_is_repeated(void **state)
{
    trial_t t = make_trial(*state);
    const cat_answer_t *first = ask(&t, &things, "{}"), *again = ask(&t, &things, "{}");

    assert_int_equal(runs, 1);
    assert_int_equal(first->status, 201);
    assert_false(is_replayed(first));
    assert_int_equal(again->status, 201);
    assert_true(is_replayed(again));
    assert_string_equal(again->body, first->body);
    assert_int_equal(again->length, first->length);
    assert_string_equal(again->etag, "\"tag\"");
    assert_string_equal(apr_table_get(again->headers, "Location"), "/api/things/1");
}

static void test_another_request_is_refused(void **state)
{
    trial_t t = make_trial(*state);
    cat_request_t other;

    ask(&t, &things, "{}");
    assert_int_equal(ask(&t, &things, "{ }")->status, 422);
    other = make_request(&t, &things, "{}");
    other.query = "mode=other";
    assert_int_equal(run_request(&other)->status, 422);
    assert_int_equal(runs, 1);
}

static void test_scope_is_route_and_user_or_network(void **state)
{
    static const cat_claims_t ann = {.issuer = "here", .subject = "ann"}, there = {.issuer = "there", .subject = "ann"};
    trial_t t = make_trial(*state);
    cat_request_t others[3];

    ask(&t, &things, "{}");
    assert_int_equal(ask(&t, &secrets, "{}")->status, 201);
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        others[i] = make_request(&t, &things, "{ }");
        others[i].network = "192.0.2.2";
        others[i].user = i == 0 ? NULL : i == 1 ? &ann : &there;
        assert_int_equal(run_request(&others[i])->status, 201);
    }
    assert_int_equal(runs, 5);
}

static void test_secret_answer_is_made_anew(void **state)
{
    trial_t t = make_trial(*state);
    const cat_answer_t *again;

    assert_string_equal(ask(&t, &secrets, "{}")->body, "{\"secret\":1}");
    again = ask(&t, &secrets, "{}");
    assert_string_equal(again->body, "{\"fresh\":1}");
    assert_true(is_replayed(again));
    assert_string_equal(unit_database_sql(t.database, "SELECT COUNT(*) FROM products"), "1");
}

static void test_failure_is_not_stored(void **state)
{
    trial_t t = make_trial(*state);
    cat_request_t q;

    unit_database_sql(t.database,
                      "CREATE TRIGGER refuse BEFORE INSERT ON products BEGIN SELECT RAISE(ABORT, 'x'); END");
    assert_int_equal(ask(&t, &things, "{}")->status, 503);
    unit_database_sql(t.database, "DROP TRIGGER refuse");
    q = make_request(&t, &things, "{ }");
    assert_int_equal(run_request(&q)->status, 201);
}

static trial_t *late_trial;

/* Runs another request with the same Idempotency-Key first, so that its claim is stored after this request has looked
 * for a claim and before its transaction. */
static cat_answer_t *create_late(cat_request_t *q)
{
    cat_request_t first;

    if (!runs++) {
        first = make_request(late_trial, q->route, "{}");
        run_request(&first);
        product = "late";
    }
    return create_thing(q);
}

static void test_request_that_came_second_gets_the_answer(void **state)
{
    static const cat_route_t late = {
        .method = "POST", .path = "/things", .run = create_late, .run_once = cat_idempotency_run};
    trial_t t = make_trial(*state);
    cat_request_t q = make_request(&t, &late, "{}"), other;
    const cat_answer_t *answer;

    late_trial = &t;
    answer = run_request(&q);
    assert_int_equal(answer->status, 201);
    assert_true(is_replayed(answer));
    assert_string_equal(unit_database_sql(t.database, "SELECT COUNT(*) FROM products"), "1");
    other = make_request(&t, &things, "{}");
    assert_true(is_replayed(run_request(&other)));
}

static void test_replaced_key_neither_repeats_nor_runs(void **state)
{
    trial_t t = make_trial(*state);
    const cat_answer_t *answer;

    ask(&t, &things, "{}");
    use_key(&t, "1.key", "another-secret,-of-thirty-two-bytes");
    answer = ask(&t, &things, "{}");
    assert_int_equal(answer->status, 409);
    assert_non_null(strstr(answer->body, "already processed"));
    use_key(&t, "renamed.key", "0123456789abcdef0123456789abcdef");
    assert_true(is_replayed(ask(&t, &things, "{}")));
    assert_int_equal(runs, 1);
}

static void test_older_key_of_the_ring_compares(void **state)
{
    trial_t t = make_trial(*state);
    const char *old = apr_pstrcat(*state, t.directory, "/old.key", NULL);

    use_key(&t, "old.key", "0123456789abcdef0123456789abcdef");
    ask(&t, &things, "{}");
    unit_run(apr_psprintf(*state, "rm %s/1.key; touch -d 2020-01-01 %s", t.directory, old));
    unit_write(*state, t.directory, "new.key", 0600, "another-secret,-of-thirty-two-bytes", 35);
    assert_null(cat_keyring_open_directory(*state, t.directory, &t.database->conf.keys));
    assert_true(is_replayed(ask(&t, &things, "{}")));
    assert_int_equal(ask(&t, &things, "{ }")->status, 422);
}

static void test_anonymous_guesses_are_limited(void **state)
{
    static const cat_claims_t ann = {.issuer = "here", .subject = "ann"};
    trial_t t = make_trial(*state);
    cat_request_t q;
    int refused = 0;

    ask(&t, &things, "{}");
    for (int i = 0; i < 30; i++) {
        assert_true(i > 9 || is_replayed(ask(&t, &things, "{}"))); /* requests with the same body do not count */
        refused += ask(&t, &things, apr_itoa(*state, i))->status == 429;
    }
    assert_int_equal(refused, 20);
    assert_int_equal(ask(&t, &things, "{}")->status, 429);
    for (int i = 0; i < 30; i++) {
        q = make_request(&t, &things, apr_itoa(*state, i));
        q.user = &ann;
        assert_int_equal(run_request(&q)->status, i ? 422 : 201);
    }
}

static void test_damaged_answer_is_logged(void **state)
{
    trial_t t = make_trial(*state);

    ask(&t, &things, "{}");
    unit_database_sql(t.database, "UPDATE idempotency_keys SET content = 'x' WHERE part = 1");
    assert_int_equal(ask(&t, &things, "{}")->status, 500);
    assert_non_null(strstr(t.database->logged, "CAT061: "));
}

static cat_answer_t *read_then_create(cat_request_t *q)
{
    cat_answer_t *answer = cat_idempotency_check(q, cat_secret_digest(q->pool, q->agent));

    return answer ? answer : create_thing(q);
}

static void test_route_may_read_its_body_itself(void **state)
{
    static const cat_route_t imports = {
        .method = "POST", .path = "/i", .run = read_then_create, .run_once = cat_idempotency_run};
    trial_t t = make_trial(*state);
    static const struct {
        const char *body;
        int status, is_replayed;
    } cases[] = {{"a", 201, 0}, {"a", 201, 1}, {"b", 422, 0}};

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_request_t q = make_request(&t, &imports, NULL);
        const cat_answer_t *answer;

        q.agent = cases[i].body;
        answer = run_request(&q);
        assert_int_equal(answer->status, cases[i].status);
        assert_int_equal(is_replayed(answer), cases[i].is_replayed);
    }
    assert_int_equal(runs, 1);
}

static void test_request_without_key_keeps_nothing(void **state)
{
    trial_t t = make_trial(*state);
    cat_request_t q = make_request(&t, &things, "{}");

    q.idempotency_key = NULL;
    assert_int_equal(create_thing(&q)->status, 201);
    cat_idempotency_keep_secret(&q);
    assert_false(cat_idempotency_is_replay(&q));
    assert_null(cat_idempotency_check(&q, "digest"));
    assert_string_equal(unit_database_sql(t.database, "SELECT COUNT(*) FROM idempotency_keys"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_answer_is_repeated),
        UNIT_TEST(test_another_request_is_refused),
        UNIT_TEST(test_scope_is_route_and_user_or_network),
        UNIT_TEST(test_secret_answer_is_made_anew),
        UNIT_TEST(test_failure_is_not_stored),
        UNIT_TEST(test_request_that_came_second_gets_the_answer),
        UNIT_TEST(test_replaced_key_neither_repeats_nor_runs),
        UNIT_TEST(test_older_key_of_the_ring_compares),
        UNIT_TEST(test_anonymous_guesses_are_limited),
        UNIT_TEST(test_damaged_answer_is_logged),
        UNIT_TEST(test_route_may_read_its_body_itself),
        UNIT_TEST(test_request_without_key_keeps_nothing),
    };
    return UNIT_RUN(tests);
}
