/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/product/operations.h"
#include "db/answer_cache.h"
#include "db/claim.h"
#include "lib/json.h"

enum { MOST = 10 };

typedef struct batch_t {
    apr_pool_t *pool;
    unit_database_t *database;
    cat_operations_t all;
    cat_operation_t list[MOST];
} batch_t;

/* Products 1 to 3 are there. */
static batch_t *make_batch(apr_pool_t *pool, int is_atomic)
{
    batch_t *b = apr_pcalloc(pool, sizeof(*b));

    b->pool = pool;
    b->database = unit_database(pool);
    b->all = (cat_operations_t){.list = b->list, .is_atomic = is_atomic};
    unit_products_insert(b->database, 1, 4);
    return b;
}

static cat_operation_t *add(batch_t *b, cat_operation_kind_t kind, int number)
{
    cat_operation_t *o = &b->list[b->all.count++];

    *o = (cat_operation_t){.kind = kind, .id = unit_product_id(b->pool, number), .rv = APR_EGENERAL};
    return o;
}

static void create(batch_t *b, int number)
{
    add(b, CAT_OPERATION_CREATE, number)->created = unit_product(b->pool, number);
}

static cat_operation_t *update(batch_t *b, int number, const char *text)
{
    cat_operation_t *o = add(b, CAT_OPERATION_UPDATE, number);
    cat_input_t *input = apr_pcalloc(b->pool, sizeof(*input));
    const char *why;
    json_t *body = cat_json_parse(b->pool, text, strlen(text), &why);

    cat_fields_check(b->pool, cat_product_fields, CAT_PRODUCT_FIELDS, CAT_UPDATE, 0, body, input);
    assert_null(input->errors);
    o->input = input;
    return o;
}

static cat_operation_t *remove_one(batch_t *b, int number)
{
    return add(b, CAT_OPERATION_DELETE, number);
}

static apr_status_t run(batch_t *b)
{
    cat_db_t *db = unit_database_use(b->pool, b->database);
    apr_status_t rv = cat_operations_run(b->pool, db, &b->all);

    assert_int_equal(unit_products_check(b->database), 0);
    return rv;
}

/* The names of all products, in the order of their ids: "1 2 3". */
static const char *names(const batch_t *b)
{
    return unit_database_sql(b->database,
                             "SELECT group_concat(name, ' ') FROM (SELECT name FROM products ORDER BY id)");
}

static void test_operations_run_in_order(void **state)
{
    batch_t *b = make_batch(*state, 1);
    const cat_operation_t *first = update(b, 1, "{\"name\": \"one\", \"rating\": 4}"),
                          *second = update(b, 1, "{\"price\": 7}"), *third = update(b, 1, "{\"rating\": null}");

    create(b, 4);
    remove_one(b, 2);
    assert_int_equal(run(b), APR_SUCCESS);
    assert_int_equal(b->all.failed, -1);
    for (int i = 0; i < b->all.count; i++) {
        assert_int_equal(b->list[i].rv, APR_SUCCESS);
    }
    assert_string_equal(first->product[CAT_PRODUCT_NAME], "one");
    assert_string_equal(first->product[CAT_PRODUCT_PRICE], "12.5");
    assert_string_equal(first->product[CAT_PRODUCT_RATING], "4");
    assert_string_equal(second->product[CAT_PRODUCT_NAME], "one");
    assert_string_equal(second->product[CAT_PRODUCT_PRICE], "7");
    assert_null(third->product[CAT_PRODUCT_RATING]);
    assert_string_equal(names(b), "one 3 4");
    assert_string_equal(unit_database_sql(b->database, "SELECT price FROM products WHERE name = 'one'"), "7");
}

static void test_failure_takes_all_back(void **state)
{
    batch_t *b = make_batch(*state, 1);

    create(b, 5);
    update(b, 4, "{\"name\": \"none\"}");
    remove_one(b, 1);
    update(b, 1, "{\"name\": \"gone\"}");
    assert_int_equal(run(b), APR_NOTFOUND);
    assert_int_equal(b->all.failed, 1);
    assert_int_equal(b->list[0].rv, APR_SUCCESS);
    assert_int_equal(b->list[1].rv, APR_NOTFOUND);
    assert_int_equal(b->list[2].rv, APR_SUCCESS);
    assert_int_equal(b->list[3].rv, APR_NOTFOUND); /* the operation before it would have deleted the product */
    assert_string_equal(names(b), "1 2 3");
}

static void test_failures_leave_the_others_alone(void **state)
{
    batch_t *b = make_batch(*state, 0);

    create(b, 5);
    update(b, 4, "{\"name\": \"none\"}");
    remove_one(b, 1);
    update(b, 1, "{\"name\": \"gone\"}");
    add(b, CAT_OPERATION_NONE, 2);
    update(b, 2, "{\"name\": \"two\"}");
    assert_int_equal(run(b), APR_SUCCESS);
    assert_int_equal(b->all.failed, -1);
    assert_int_equal(b->list[0].rv, APR_SUCCESS);
    assert_int_equal(b->list[1].rv, APR_NOTFOUND);
    assert_int_equal(b->list[2].rv, APR_SUCCESS);
    assert_int_equal(b->list[3].rv, APR_NOTFOUND);
    assert_int_equal(b->list[4].rv, APR_EGENERAL); /* as it was */
    assert_int_equal(b->list[5].rv, APR_SUCCESS);
    assert_string_equal(names(b), "two 3 5");
}

static void test_all_may_fail(void **state)
{
    batch_t *b = make_batch(*state, 0);

    remove_one(b, 4);
    remove_one(b, 5)->id = "no id' --";
    assert_int_equal(run(b), APR_SUCCESS);
    assert_int_equal(b->list[0].rv, APR_NOTFOUND);
    assert_int_equal(b->list[1].rv, APR_NOTFOUND);
    assert_string_equal(names(b), "1 2 3");
    assert_string_equal(b->database->logged, "");
}

/* What a batch does at the end of its transaction: the results are known, and the claim gets a text that has them. */
typedef struct ending_t {
    batch_t *batch;
    cat_claim_t claim;
    int count;
} ending_t;

static void note_end(void *baton)
{
    ending_t *e = baton;

    e->count++;
    e->claim.text = "";
    for (int i = 0; i < e->batch->all.count; i++) {
        e->claim.text = apr_psprintf(e->batch->pool, "%s %d", e->claim.text, e->batch->list[i].rv);
    }
}

static ending_t *make_ending(batch_t *b)
{
    ending_t *e = apr_pcalloc(b->pool, sizeof(*e));
    apr_time_t now = apr_time_now();

    *e = (ending_t){.batch = b,
                    .claim = {.key = "key", .mark = "mark", .now = now, .expires = now + apr_time_from_sec(60)}};
    b->all.finish = note_end;
    b->all.baton = e;
    return e;
}

static apr_status_t run_claimed(batch_t *b, ending_t *e)
{
    cat_db_t *db = unit_database_use(b->pool, b->database);

    cat_claim_attach(db, &e->claim);
    return cat_operations_run(b->pool, db, &b->all);
}

static const char *stored_text(const batch_t *b)
{
    return unit_database_sql(b->database, "SELECT group_concat(content, '') FROM idempotency_keys WHERE part > 0");
}

static void test_end_is_part_of_the_transaction(void **state)
{
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        batch_t *b = make_batch(*state, is_atomic);
        ending_t *e = make_ending(b);

        create(b, 4);
        remove_one(b, 1);
        assert_int_equal(run_claimed(b, e), APR_SUCCESS);
        assert_int_equal(e->count, 1);
        assert_string_equal(stored_text(b), " 0 0");
        assert_string_equal(names(b), "2 3 4");
        assert_int_equal(run_claimed(b, e), CAT_ECLAIMED);
        assert_int_equal(b->all.failed, -1);
        assert_int_equal(e->count, 1);
        assert_string_equal(names(b), "2 3 4");
    }
}

static void test_failed_run_has_no_end(void **state)
{
    batch_t *b = make_batch(*state, 1);
    ending_t *e = make_ending(b);

    create(b, 4);
    remove_one(b, 9);
    assert_int_equal(run_claimed(b, e), APR_NOTFOUND);
    assert_int_equal(b->all.failed, 1);
    assert_int_equal(e->count, 0);
    assert_string_equal(unit_database_sql(b->database, "SELECT COUNT(*) FROM idempotency_keys"), "0");
    assert_string_equal(names(b), "1 2 3");
}

static void test_claim_is_stored_if_all_fail(void **state)
{
    batch_t *b = make_batch(*state, 0);
    ending_t *e = make_ending(b);

    remove_one(b, 4);
    remove_one(b, 5);
    assert_int_equal(run_claimed(b, e), APR_SUCCESS);
    assert_int_equal(e->count, 1);
    assert_string_equal(stored_text(b), apr_psprintf(b->pool, " %d %d", APR_NOTFOUND, APR_NOTFOUND));
    assert_string_equal(names(b), "1 2 3");
}

static void test_end_without_claim(void **state)
{
    batch_t *b = make_batch(*state, 0);
    ending_t *e = make_ending(b);

    remove_one(b, 4);
    assert_int_equal(run(b), APR_SUCCESS);
    assert_int_equal(e->count, 1);
    assert_string_equal(names(b), "1 2 3");
}

/* baton: the name that the product must have. */
static apr_status_t judge_name(void *baton, const char *const *product)
{
    return strcmp(product[CAT_PRODUCT_NAME], baton) == 0 ? APR_SUCCESS : CAT_ECHANGED;
}

static void test_conditions_see_what_was_done_before(void **state)
{
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        batch_t *b = make_batch(*state, is_atomic);
        cat_products_condition_t is_one = {judge_name, "1"}, is_new = {judge_name, "new"};

        update(b, 1, "{\"name\": \"new\"}")->condition = &is_one;
        update(b, 1, "{\"price\": 1}")->condition = &is_one;
        update(b, 1, "{\"price\": 2}")->condition = &is_new;
        remove_one(b, 4)->condition = &is_new;
        assert_int_equal(run(b), is_atomic ? CAT_ECHANGED : APR_SUCCESS);
        assert_int_equal(b->all.failed, is_atomic ? 1 : -1);
        assert_int_equal(b->list[0].rv, APR_SUCCESS);
        assert_int_equal(b->list[1].rv, CAT_ECHANGED);
        assert_int_equal(b->list[2].rv, APR_SUCCESS);
        assert_int_equal(b->list[3].rv, APR_NOTFOUND);
        assert_string_equal(names(b), is_atomic ? "1 2 3" : "new 2 3");
    }
}

static void test_refused_values_fail_by_themselves(void **state)
{
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        batch_t *b = make_batch(*state, is_atomic);

        unit_database_sql(b->database, "CREATE TRIGGER t BEFORE UPDATE ON products WHEN new.name = 'eve' BEGIN"
                                       " SELECT RAISE(ABORT, 'CHECK constraint failed: no eve'); END");
        create(b, 4);
        update(b, 1, "{\"name\": \"eve\"}");
        create(b, 1); /* gets another number, and so another id */
        update(b, 1, "{\"price\": 3}");
        assert_int_equal(run(b), is_atomic ? CAT_EVALUE : APR_SUCCESS);
        assert_int_equal(b->all.failed, is_atomic ? 1 : -1);
        assert_int_equal(b->list[0].rv, APR_SUCCESS);
        assert_int_equal(b->list[1].rv, CAT_EVALUE);
        assert_int_equal(b->list[2].rv, APR_SUCCESS);
        assert_string_not_equal(b->list[2].product[CAT_PRODUCT_ID], unit_product_id(*state, 1));
        assert_int_equal(b->list[3].rv, APR_SUCCESS);
        assert_string_equal(b->list[3].product[CAT_PRODUCT_NAME], "1");
        assert_string_equal(names(b), is_atomic ? "1 2 3" : "1 1 2 3 4");
        unit_says(b->database->logged, "no eve");
        assert_null(strstr(strstr(b->database->logged, "no eve") + 1, "no eve")); /* once */
    }
}

static int is_cached(const batch_t *b, int number)
{
    cat_db_t *db = unit_database_use(b->pool, b->database);
    const char *key = number ? unit_product_id(b->pool, number) : "/list";
    cat_item_t item = {.key = key, .body = "x", .length = 1, .hash = 1};
    int found = cat_answer_cache_get(db, number ? key : NULL, apr_time_now(), &item);
    const char *const *row;

    if (!found) {
        assert_int_equal(cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row), APR_SUCCESS);
        item.body = "x";
        item.length = item.hash = 1;
        cat_answer_cache_put(db, &item);
    }
    cat_db_release(db);
    return found;
}

static void cache_all(const batch_t *b)
{
    for (int i = 0; i < 4; i++) {
        is_cached(b, i);
        assert_true(is_cached(b, i));
    }
}

/* On a database server; on SQLite any commit makes all answers invalid. */
static void test_only_what_was_changed_is_invalidated(void **state)
{
    batch_t *b = make_batch(*state, 0);
    cat_dialect_t *dialect = apr_pmemdup(*state, b->database->source->dialect, sizeof(*dialect));

    dialect->file = 0;
    b->database->source->dialect = dialect;
    b->database->conf.cache_max_age = 60;
    cache_all(b);
    update(b, 1, "{\"price\": 3}");
    update(b, 2, "{\"price\": 3}")->condition = &(cat_products_condition_t){judge_name, "other"};
    remove_one(b, 3);
    assert_int_equal(run(b), APR_SUCCESS);
    assert_false(is_cached(b, 0));
    assert_false(is_cached(b, 1));
    assert_true(is_cached(b, 2));
    assert_false(is_cached(b, 3));

    b->all.count = 0;
    cache_all(b);
    create(b, 7);
    assert_int_equal(run(b), APR_SUCCESS);
    assert_false(is_cached(b, 0));
    assert_true(is_cached(b, 1));

    b->all.count = 0;
    cache_all(b);
    remove_one(b, 3);
    assert_int_equal(run(b), APR_SUCCESS);
    assert_int_equal(b->list[0].rv, APR_NOTFOUND);
    assert_true(is_cached(b, 0));
    assert_true(is_cached(b, 3));
}

static void test_failing_database_is_returned(void **state)
{
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        batch_t *b = make_batch(*state, is_atomic);

        create(b, 4);
        remove_one(b, 8);
        update(b, 1, "{\"price\": 3}");
        unit_database_sql(b->database, "ALTER TABLE products RENAME COLUMN rating TO other");
        assert_int_equal(cat_operations_run(b->pool, unit_database_use(b->pool, b->database), &b->all), CAT_EDOWN);
        assert_int_equal(b->all.failed, -1);
        assert_string_equal(names(b), "1 2 3");
        unit_says(b->database->logged, "CAT003");
    }
}

/* Takes the numbers of the product's microsecond: those whose last 8 bits are at least `first`. */
static void take_numbers(batch_t *b, int number, int first)
{
    apr_int64_t n = cat_id_number(unit_product_id(b->pool, number)) & ~APR_INT64_C(255);

    unit_database_sql(b->database,
                      apr_psprintf(b->pool,
                                   "WITH RECURSIVE x(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM x WHERE i < 255)"
                                   " INSERT INTO products (id, name, price, category, in_stock, n)"
                                   " SELECT 'other', 'other', '1', '', 1, %" APR_INT64_T_FMT " + i FROM x",
                                   first, n));
}

static void test_numbers_that_are_taken_are_drawn_again(void **state)
{
    batch_t *b = make_batch(*state, 1);
    const char *id;

    take_numbers(b, 8, 128); /* half of them, and so 16 draws find a free one */
    create(b, 8);
    create(b, 4);
    assert_int_equal(run(b), APR_SUCCESS);
    id = b->list[0].product[CAT_PRODUCT_ID];
    assert_in_range(cat_id_number(id) & 255, 0, 127);
    assert_int_equal(cat_id_number(id) >> 8, cat_id_number(unit_product_id(*state, 8)) >> 8);
    assert_string_equal(b->list[1].product[CAT_PRODUCT_ID], unit_product_id(*state, 4));
}

static void test_a_batch_gives_up_if_no_number_is_free(void **state)
{
    batch_t *b = make_batch(*state, 1);

    take_numbers(b, 5, 0);
    create(b, 5);
    create(b, 4);
    assert_int_equal(run(b), CAT_EBUSY);
    assert_string_equal(unit_database_sql(b->database, "SELECT COUNT(*) FROM products"), "259");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_operations_run_in_order),
        UNIT_TEST(test_failure_takes_all_back),
        UNIT_TEST(test_failures_leave_the_others_alone),
        UNIT_TEST(test_all_may_fail),
        UNIT_TEST(test_end_is_part_of_the_transaction),
        UNIT_TEST(test_failed_run_has_no_end),
        UNIT_TEST(test_claim_is_stored_if_all_fail),
        UNIT_TEST(test_end_without_claim),
        UNIT_TEST(test_conditions_see_what_was_done_before),
        UNIT_TEST(test_refused_values_fail_by_themselves),
        UNIT_TEST(test_numbers_that_are_taken_are_drawn_again),
        UNIT_TEST(test_a_batch_gives_up_if_no_number_is_free),
        UNIT_TEST(test_only_what_was_changed_is_invalidated),
        UNIT_TEST(test_failing_database_is_returned),
    };
    return UNIT_RUN(tests);
}
