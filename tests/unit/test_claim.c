/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "db/claim.h"
#include "db/work/batch.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define PIECE 8000

/* A write with a claim: its work inserts a product, and ends with an outcome. */
typedef struct write_t {
    cat_db_t *db;
    cat_claim_t claim;
    const char *id;
    apr_status_t outcome;
} write_t;

static write_t make_write(unit_database_t *database, const char *id, const char *text)
{
    apr_time_t now = apr_time_now();

    return (write_t){
        .db = unit_database_use(database->pool, database),
        .claim = {.key = KEY, .mark = "mark", .now = now, .expires = now + apr_time_from_sec(60), .text = text},
        .id = id};
}

static apr_status_t insert_product(void *baton)
{
    const write_t *w = baton;
    apr_status_t rv = cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT(w->id));

    return rv == APR_SUCCESS ? w->outcome : rv;
}

static apr_status_t run_write(write_t *w)
{
    cat_claim_attach(w->db, &w->claim);
    return cat_db_transact(w->db, insert_product, w);
}

static int count_rows(unit_database_t *database)
{
    return atoi(unit_database_sql(database, "SELECT COUNT(*) FROM idempotency_keys"));
}

static void check_found(write_t *w, const char *mark, const char *text)
{
    cat_claim_t stored;

    assert_int_equal(cat_claim_find(w->db, &w->claim, &stored), APR_SUCCESS);
    assert_string_equal(stored.mark, mark);
    assert_string_equal(stored.text, text);
    cat_db_release(w->db);
}

static void test_claim_is_stored_with_the_write(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t w = make_write(database, "a", "the answer");
    cat_claim_t stored;

    assert_int_equal(cat_claim_find(w.db, &w.claim, &stored), APR_NOTFOUND);
    assert_false(w.claim.has_expired);
    assert_int_equal(run_write(&w), APR_SUCCESS);
    assert_false(w.claim.is_refused);
    assert_int_equal(unit_count_products(database), 1);
    check_found(&w, "mark", "the answer");
}

static void test_second_write_is_refused(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t first = make_write(database, "a", "first"), second = make_write(database, "b", "second");

    assert_int_equal(run_write(&first), APR_SUCCESS);
    assert_int_equal(run_write(&second), CAT_ECLAIMED);
    assert_true(second.claim.is_refused);
    assert_int_equal(unit_count_products(database), 1);
    check_found(&second, "mark", "first");
    assert_string_equal(database->logged, "");
    second.claim.key = "another key";
    assert_int_equal(run_write(&second), APR_SUCCESS);
    assert_false(second.claim.is_refused);
}

static void test_failed_write_leaves_no_claim(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t w = make_write(database, "a", "the answer");

    w.outcome = APR_NOTFOUND;
    assert_int_equal(run_write(&w), APR_NOTFOUND);
    assert_int_equal(count_rows(database) + unit_count_products(database), 0);
    w.outcome = APR_SUCCESS;
    assert_int_equal(run_write(&w), APR_SUCCESS);
    check_found(&w, "mark", "the answer");
}

/* A function that keeps no answer, or a route that has read no body: a fault of the module's. */
static void test_incomplete_claim_prevents_the_write(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t w = make_write(database, "a", NULL);

    assert_int_equal(run_write(&w), APR_EINVAL);
    w.claim.text = "x";
    w.claim.mark = NULL;
    assert_int_equal(run_write(&w), APR_EINVAL);
    assert_int_equal(count_rows(database) + unit_count_products(database), 0);
}

static void test_use_without_claim_stores_none(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t w = make_write(database, "a", "x");

    cat_claim_attach(w.db, &w.claim);
    assert_true(cat_db_is_accompanied(w.db));
    cat_db_accompany(w.db, NULL);
    assert_false(cat_db_is_accompanied(w.db));
    assert_int_equal(cat_db_transact(w.db, insert_product, &w), APR_SUCCESS);
    assert_int_equal(count_rows(database), 0);
}

static void test_expired_claim_makes_room(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t first = make_write(database, "a", "first"), second = make_write(database, "b", "second");
    cat_claim_t stored;

    assert_int_equal(run_write(&first), APR_SUCCESS);
    unit_database_sql(database, "UPDATE idempotency_keys SET expires_at = 1");
    assert_int_equal(cat_claim_find(second.db, &second.claim, &stored), APR_NOTFOUND);
    assert_true(second.claim.has_expired);
    assert_int_equal(run_write(&second), APR_SUCCESS);
    check_found(&second, "mark", "second");
    assert_int_equal(count_rows(database), 2);
}

/* Texts of several pieces, which end in characters of one to four octets on either side of where a piece may end. */
static void test_long_text_is_stored_in_pieces(void **state)
{
    static const char *const characters[] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8d\xb5"};
    unit_database_t *database = unit_database(*state);

    for (int shift = 0; shift < 8; shift++) {
        const char *character = characters[shift % 4];
        char *text = apr_pcalloc(*state, 3 * PIECE), *end = text;
        write_t w = make_write(database, apr_itoa(*state, shift), text);

        memset(end, 'y', (size_t)shift);
        for (end += shift; end - text < 2 * PIECE + 10; end += strlen(character)) {
            memcpy(end, character, strlen(character));
        }
        w.claim.key = apr_itoa(*state, shift);
        assert_int_equal(run_write(&w), APR_SUCCESS);
        check_found(&w, "mark", text);
        assert_string_equal(
            unit_database_sql(database, "SELECT MAX(LENGTH(CAST(content AS BLOB))) <= 8000 FROM idempotency_keys"),
            "1");
    }
}

static apr_status_t insert_items(cat_db_t *db, const void *const *items, int count)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        rv = cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT(items[i]));
    }
    return rv;
}

static void test_batch_makes_the_claim_too(void **state)
{
    unit_database_t *database = unit_database(*state);
    write_t w = make_write(database, "a", "the answer");

    cat_claim_attach(w.db, &w.claim);
    assert_int_equal(cat_batch_write(w.db, CAT_BATCH_STATEMENT, insert_items, "a"), APR_SUCCESS);
    check_found(&w, "mark", "the answer");
    assert_int_equal(cat_batch_write(w.db, CAT_BATCH_STATEMENT, insert_items, "b"), CAT_ECLAIMED);
    assert_int_equal(unit_count_products(database), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_claim_is_stored_with_the_write), UNIT_TEST(test_second_write_is_refused),
        UNIT_TEST(test_failed_write_leaves_no_claim),   UNIT_TEST(test_incomplete_claim_prevents_the_write),
        UNIT_TEST(test_use_without_claim_stores_none),  UNIT_TEST(test_expired_claim_makes_room),
        UNIT_TEST(test_long_text_is_stored_in_pieces),  UNIT_TEST(test_batch_makes_the_claim_too),
    };
    return UNIT_RUN(tests);
}
