/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/transfer/import.h"
#include "lib/json.h"
#include <apr_xlate.h>

static const cat_import_options_t create = {.rows = {.kind = CAT_ROWS_NDJSON, .max = 65536}},
                                  upsert = {.rows = {.kind = CAT_ROWS_NDJSON, .may_update = 1, .max = 65536}};

/* Imports the text; *result is valid as long as the database. */
static apr_status_t import_text(unit_database_t *database, const cat_import_options_t *options, const char *text,
                                const cat_import_result_t **result)
{
    cat_import_t *import;
    apr_status_t rv = cat_import_make(unit_database_use(database->pool, database), options, &import);

    assert_int_equal(rv, APR_SUCCESS);
    *result = cat_import_result(import);
    if (*text) {
        rv = cat_import_feed(import, text, strlen(text));
    }
    rv = rv == APR_SUCCESS ? cat_import_feed(import, "", 0) : rv;
    return rv == APR_SUCCESS ? cat_import_store(import) : rv;
}

/* "rows created updated unchanged failed stored" */
static const char *counts_of(unit_database_t *database, const cat_import_result_t *r)
{
    return apr_psprintf(database->pool, "%d %d %d %d %d %d", (int)r->rows, (int)r->created, (int)r->updated,
                        (int)r->unchanged, (int)r->failed, (int)r->stored);
}

static const char *lines(unit_database_t *database, int first, int end)
{
    cat_buffer_t b;

    cat_buffer_init(&b, database->pool, 1 << 16);
    for (int i = first; i < end; i++) {
        cat_buffer_add_text(&b, apr_psprintf(database->pool, "{\"name\":\"n%d\",\"price\":%d}\n", i, i));
    }
    return cat_buffer_text(&b);
}

#define COUNT "SELECT COUNT(*) FROM products"

static void test_rows_create_products_in_their_order(void **state)
{
    unit_database_t *database = unit_database(*state);
    const cat_import_result_t *r;

    assert_int_equal(import_text(database, &create, "", &r), APR_SUCCESS);
    assert_string_equal(counts_of(database, r), "0 0 0 0 0 0");
    assert_int_equal(import_text(database, &create, lines(database, 0, 1234), &r), APR_SUCCESS);
    assert_string_equal(counts_of(database, r), "1234 1234 0 0 0 1234");
    assert_string_equal(
        unit_database_sql(database, "SELECT COUNT(*) FROM (SELECT name, ROW_NUMBER() OVER (ORDER BY n) - 1 AS place"
                                    " FROM products) x WHERE name = 'n' || place"),
        "1234");
    assert_int_equal(unit_products_check(database), 0);
}

/* A trigger numbers the rows of product_words as they come. */
static void test_words_are_inserted_in_their_order(void **state)
{
    unit_database_t *database = unit_database(*state);
    const cat_import_result_t *r;

    unit_database_sql(database, "CREATE TABLE seen (n INTEGER PRIMARY KEY, word TEXT);"
                                " CREATE TRIGGER see AFTER INSERT ON product_words BEGIN"
                                " INSERT INTO seen (word) VALUES (NEW.word); END");
    assert_int_equal(import_text(database, &create, lines(database, 0, 1234), &r), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database,
                                          "SELECT COUNT(*) || ' ' || SUM(word < before) FROM"
                                          " (SELECT word, LAG(word) OVER (ORDER BY n) AS before FROM seen) s"),
                        "2468 0"); /* n12 and 12 */
}

/* Between the check and the transaction. */
static void test_a_product_that_is_deleted_meanwhile_is_an_error_of_its_row(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_import_options_t options = upsert;
    cat_import_t *import;
    const cat_import_result_t *r;
    const char *id, *text, *error;

    assert_int_equal(import_text(database, &create, lines(database, 0, 2), &r), APR_SUCCESS);
    id = unit_database_sql(database, "SELECT id FROM products WHERE name = 'n1'");
    text = apr_psprintf(*state, "{\"name\":\"new\",\"price\":1}\n\n{\"id\":\"%s\",\"price\":2,\"rating\":null}\n", id);
    options.tells_places = 1;
    assert_int_equal(cat_import_make(unit_database_use(*state, database), &options, &import), APR_SUCCESS);
    assert_int_equal(cat_import_feed(import, text, strlen(text)), APR_SUCCESS);
    assert_int_equal(cat_import_feed(import, "", 0), APR_SUCCESS);
    unit_database_sql(database, "DELETE FROM products WHERE name = 'n1'");
    assert_int_equal(cat_import_store(import), CAT_EREFUSED);
    r = cat_import_result(import);
    assert_string_equal(counts_of(database, r), "2 0 0 0 1 0");
    error = apr_psprintf(*state,
                         "[{\"row\":2,\"line\":3,\"field\":\"id\",\"code\":\"unknown\",\"message\":\"must be the id "
                         "of a product\",\"begin\":26,\"end\":%d}]",
                         (int)strlen(text));
    assert_string_equal(cat_json_text(*state, r->errors), error);
    assert_string_equal(unit_database_sql(database, COUNT), "1");
}

/* message: what it begins with. */
static void check_error(const json_t *error, int row, const char *field, const char *message)
{
    assert_int_equal(json_integer_value(json_object_get(error, "row")), row);
    assert_string_equal(json_string_value(json_object_get(error, "field")), field);
    assert_memory_equal(json_string_value(json_object_get(error, "message")), message, strlen(message));
}

static void test_a_bad_row_stores_nothing(void **state)
{
    unit_database_t *database = unit_database(*state);
    const cat_import_result_t *r;
    const char *text =
        apr_pstrcat(*state, lines(database, 0, 300), "{\"price\":-1}\n", lines(database, 0, 2), "[\n", NULL);

    assert_int_equal(import_text(database, &create, text, &r), CAT_EREFUSED);
    assert_string_equal(counts_of(database, r), "304 302 0 0 2 0");
    assert_int_equal(json_array_size(r->errors), 3);
    check_error(json_array_get(r->errors, 0), 301, "name", "is required");
    check_error(json_array_get(r->errors, 1), 301, "price", "must be at least 0");
    check_error(json_array_get(r->errors, 2), 304, "", "must be a JSON object: line 1, ");
    assert_string_equal(unit_database_sql(database, COUNT), "0");
    assert_string_equal(database->logged, "");
}

static void test_a_dry_run_stores_nothing(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_import_options_t dry = upsert;
    const cat_import_result_t *r;

    dry.is_dry = 1;
    unit_products_insert(database, 0, 2);
    assert_int_equal(
        import_text(database, &dry,
                    apr_psprintf(*state, "{\"id\":\"%s\",\"price\":12.50}\n{\"id\":\"%s\",\"price\":1}\n%s",
                                 unit_product_id(*state, 0), unit_product_id(*state, 1), lines(database, 0, 1)),
                    &r),
        APR_SUCCESS);
    assert_string_equal(counts_of(database, r), "3 1 1 1 0 0");
    assert_string_equal(unit_database_sql(database, COUNT), "2");
}

static void test_ids_update(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *id = unit_product_id(*state, 7);
    const cat_import_result_t *r;

    unit_products_insert(database, 0, 20);
    assert_int_equal(
        import_text(database, &upsert,
                    apr_psprintf(*state,
                                 "{\"id\":\"%s\",\"price\":3,\"rating\":5}\n{\"id\":\"%s\",\"price\":12.5}\n"
                                 "{\"id\":\"%s\",\"rating\":null}\n",
                                 id, id, id),
                    &r),
        APR_SUCCESS);
    assert_string_equal(counts_of(database, r), "3 0 3 0 0 3");
    assert_string_equal(unit_database_sql(database,
                                          "SELECT name || price || category || COALESCE(rating, '-') FROM products"
                                          " WHERE name = '7'"),
                        "712.5Light-");
    assert_int_equal(import_text(database, &upsert,
                                 apr_psprintf(*state, "{\"id\":\"%s\",\"price\":1}\n", unit_product_id(*state, 99)),
                                 &r),
                     CAT_EREFUSED);
    check_error(json_array_get(r->errors, 0), 1, "id", "must be the id of a product");
    assert_int_equal(
        import_text(database, &create, apr_psprintf(*state, "{\"id\":\"%s\",\"name\":\"x\",\"price\":1}\n", id), &r),
        APR_SUCCESS);
    assert_string_equal(counts_of(database, r), "1 1 0 0 0 1");
}

typedef struct progress_t {
    int calls, uneven; /* a number of rows that is no multiple of a step */
    apr_int64_t first, second, stored;
} progress_t;

static void note_progress(void *baton, apr_int64_t stored)
{
    progress_t *progress = baton;

    progress->calls++;
    progress->first = progress->calls == 1 ? stored : progress->first;
    progress->second = progress->calls == 2 ? stored : progress->second;
    progress->uneven += stored % CAT_IMPORT_STEP != 0;
    progress->stored = stored;
}

static void test_a_long_file_is_stored_in_portions_if_allowed(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *text = lines(database, 0, 10001);
    progress_t progress = {.calls = 0};
    cat_import_options_t portions = create;
    const cat_import_result_t *r;

    assert_int_equal(import_text(database, &create, text, &r), CAT_ETOOMANY);
    assert_int_equal(import_text(database, &create, lines(database, 0, 10000), &r), APR_SUCCESS);
    portions.in_batches = 1;
    portions.progress = note_progress;
    portions.baton = &progress;
    assert_int_equal(import_text(database, &portions, lines(database, 0, 2550), &r), APR_SUCCESS);
    assert_true(progress.calls == 1 && progress.stored == 2550);
    assert_int_equal(import_text(database, &portions, text, &r), APR_SUCCESS);
    assert_string_equal(counts_of(database, r), "10001 10001 0 0 0 10001");
    assert_in_range(progress.calls, 1 + 2, 1 + (10001 + CAT_IMPORT_STEP - 1) / CAT_IMPORT_STEP); /* as time allows */
    assert_int_equal(progress.stored, 10001);
    assert_int_equal(progress.uneven, 2); /* the ends of both files */
    assert_string_equal(unit_database_sql(database, COUNT), "22551");
}

/* To count its rows takes far longer than a transaction may. */
static void make_five_million(unit_database_t *database)
{
    unit_database_sql(database, "CREATE VIEW five_million AS WITH RECURSIVE n(i) AS"
                                " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000) SELECT i FROM n");
}

/* The trigger takes far longer than a transaction may: so the one that it delays has one step, and others have more. */
static void test_a_slow_portion_is_one_step(void **state)
{
    unit_database_t *database = unit_database(*state);
    progress_t progress = {.calls = 0};
    cat_import_options_t portions = create;
    const cat_import_result_t *r;

    make_five_million(database);
    unit_database_sql(database, "CREATE TRIGGER slow AFTER INSERT ON products WHEN NEW.name = 'n5' BEGIN"
                                " SELECT COUNT(*) FROM five_million; END");
    portions.in_batches = 1;
    portions.progress = note_progress;
    portions.baton = &progress;
    assert_int_equal(import_text(database, &portions, lines(database, 0, 10001), &r), APR_SUCCESS);
    assert_int_equal(progress.first, CAT_IMPORT_STEP);
    assert_int_equal(progress.stored, 10001);
}

#define WORDS 62

/* A long file, whose first products have so many words each. */
static const char *wordy_lines(apr_pool_t *pool, int wordy)
{
    const char *name = "";
    cat_buffer_t text;

    for (int i = 0; i < WORDS; i++) {
        name = apr_psprintf(pool, "%s%c%d ", name, 'a' + i % 26, i / 26);
    }
    cat_buffer_init(&text, pool, 1);
    for (int i = 0; i <= CAT_IMPORT_ATOMIC_MAX; i++) {
        cat_buffer_add_text(&text, apr_psprintf(pool, "{\"name\":\"%s\",\"price\":1}\n", i < wordy ? name : "x"));
    }
    return cat_buffer_text(&text);
}

/* Words are inserted when the products of the transaction are. */
static void test_a_portion_of_many_words_has_few_rows(void **state)
{
    unit_database_t *database = unit_database(*state);
    progress_t progress = {.calls = 0};
    cat_import_options_t portions = create;
    const cat_import_result_t *r;

    portions.in_batches = 1;
    portions.progress = note_progress;
    portions.baton = &progress;
    assert_int_equal(import_text(database, &portions, wordy_lines(*state, 2500), &r), APR_SUCCESS);
    assert_in_range(progress.first, CAT_IMPORT_STEP, CAT_IMPORT_POSTINGS / WORDS + CAT_IMPORT_STEP);
    assert_int_equal(progress.stored, CAT_IMPORT_ATOMIC_MAX + 1);
}

/* So slow that the time of one transaction is that of a few hundred products. */
static void test_slow_words_make_the_next_portion_small(void **state)
{
    unit_database_t *database = unit_database(*state);
    progress_t progress = {.calls = 0};
    cat_import_options_t portions = create;
    const cat_import_result_t *r;

    make_five_million(database);
    unit_database_sql(database, "CREATE TRIGGER slow AFTER INSERT ON product_words WHEN NEW.word = 'a0' AND NOT EXISTS"
                                " (SELECT 1 FROM product_words WHERE word = 'a0' AND n <> NEW.n) BEGIN"
                                " SELECT COUNT(*) FROM five_million; SELECT COUNT(*) FROM five_million; END");
    portions.in_batches = 1;
    portions.progress = note_progress;
    portions.baton = &progress;
    assert_int_equal(import_text(database, &portions, wordy_lines(*state, 2500), &r), APR_SUCCESS);
    assert_in_range(progress.second - progress.first, CAT_IMPORT_STEP, 5 * CAT_IMPORT_STEP);
    assert_int_equal(progress.stored, CAT_IMPORT_ATOMIC_MAX + 1);
}

static void test_unknown_fields_are_noted(void **state)
{
    unit_database_t *database = unit_database(*state);
    const cat_import_result_t *r;

    assert_int_equal(import_text(database, &create,
                                 "{\"name\":\"x\",\"price\":1,\"b\":1}\n{\"name\":\"x\",\"price\":1,\"a\":1,\"b\":2}",
                                 &r),
                     APR_SUCCESS);
    assert_int_equal(r->ignored->nelts, 2);
    assert_string_equal(APR_ARRAY_IDX(r->ignored, 0, const char *), "b");
    assert_string_equal(APR_ARRAY_IDX(r->ignored, 1, const char *), "a");
}

/* Instead of APR's, as where the C library lacks its converters. */
apr_status_t apr_xlate_open(apr_xlate_t **converter, const char *, const char *, apr_pool_t *)
{
    *converter = NULL;
    return APR_EINVAL;
}

static void test_a_missing_converter_is_reported(void **state)
{
    unit_database_t *database = unit_database(*state);
    const cat_import_options_t options = {
        .rows = {.kind = CAT_ROWS_CSV, .delimiter = ',', .encoding = CAT_WINDOWS_1252, .max = 65536}};
    const cat_import_result_t *r;

    assert_int_equal(import_text(database, &options, "name,price\nx,1\n", &r), APR_ENOTIMPL);
    unit_says(database->logged, "CAT086");
    assert_string_equal(unit_database_sql(database, COUNT), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_rows_create_products_in_their_order),
        UNIT_TEST(test_words_are_inserted_in_their_order),
        UNIT_TEST(test_a_product_that_is_deleted_meanwhile_is_an_error_of_its_row),
        UNIT_TEST(test_a_bad_row_stores_nothing),
        UNIT_TEST(test_a_dry_run_stores_nothing),
        UNIT_TEST(test_ids_update),
        UNIT_TEST(test_a_long_file_is_stored_in_portions_if_allowed),
        UNIT_TEST(test_a_slow_portion_is_one_step),
        UNIT_TEST(test_a_portion_of_many_words_has_few_rows),
        UNIT_TEST(test_slow_words_make_the_next_portion_small),
        UNIT_TEST(test_unknown_fields_are_noted),
        UNIT_TEST(test_a_missing_converter_is_reported),
    };
    return UNIT_RUN(tests);
}
