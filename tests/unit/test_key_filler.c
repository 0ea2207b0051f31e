/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_fields.h"

#include "catalogue/product/counts.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/products.h"
#include "catalogue/search/indexes.h"
#include "catalogue/search/key_filler.h"
#include "lib/json.h"

#define INCOMPLETE "SELECT COUNT(*) FROM catalog_fields WHERE complete = 0"

/* Runs the job, which does not wait. stop_value 1: it ends after one portion. It also ends after half a second, and is run again while a field is incomplete. */
static void run_job(unit_database_t *database, int stop_value)
{
    int runs = 0;
    atomic_int stop = stop_value;
    apr_time_t last = 0;
    cat_job_t job = unit_database_job(database, &stop, &last);
    const cat_registry_t *registry;

    assert_int_equal(cat_registry_get_now(job.db, &registry), APR_SUCCESS);
    ((cat_registry_t *)registry)->made = 1; /* long ago */
    do {
        assert_int_equal(cat_key_filler_run(&job), CAT_JOB_DONE);
    } while (!stop_value && strcmp(unit_database_sql(database, INCOMPLETE), "0") != 0 && ++runs < 10);
    cat_db_release(job.db);
}

static apr_status_t update(unit_database_t *database, int i, const char *body)
{
    const cat_fields_t *fields = database->conf.fields;
    cat_db_t *db = unit_database_use(database->pool, database);
    const char *const *product, *why;
    cat_input_t input;
    apr_status_t rv;

    cat_fields_check(database->pool, fields->all, fields->count, CAT_UPDATE, 1,
                     cat_json_parse_exact(database->pool, body, strlen(body), &why), &input);
    rv = cat_products_update_one(db, unit_product_id(database->pool, i), &input, NULL, &product);
    cat_db_release(db);
    return rv;
}

#define TAKEN "SELECT group_concat(value) FROM (SELECT value FROM product_unique ORDER BY value)"
#define COMPLETE "SELECT complete FROM catalog_fields WHERE name = 'sku'"

/* Two products cannot get one value, nor can a new one get what an older one has. */
static void test_nobody_takes_a_value_before_all_are_claimed(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "sku string\nbrand string index\n");

    for (int i = 0; i < 450; i++) {
        assert_int_equal(unit_fields_insert(database, i, apr_psprintf(*state, "{\"sku\":\"S%d\"}", i)), APR_SUCCESS);
    }
    unit_fields_set(database, "sku string unique\nbrand string index\n");
    assert_int_equal(unit_fields_insert(database, 500, "{\"sku\":\"S1\"}"), CAT_EFILLING);
    assert_int_equal(unit_fields_insert(database, 501, NULL), APR_SUCCESS);
    assert_int_equal(update(database, 501, "{\"sku\":\"S1\"}"), CAT_EFILLING);
    assert_int_equal(update(database, 0, "{\"name\":\"cup\",\"sku\":\"S0\"}"), APR_SUCCESS);
    assert_int_equal(update(database, 2, "{\"sku\":null}"), APR_SUCCESS);
    run_job(database, 1);
    assert_string_equal(unit_database_sql(database, COMPLETE), "0");
    assert_int_equal(unit_fields_insert(database, 502, "{\"sku\":\"S1\"}"), CAT_EFILLING);
    run_job(database, 0);
    assert_string_equal(unit_database_sql(database, COMPLETE), "1");
    assert_int_equal(unit_fields_insert(database, 503, "{\"sku\":\"S1\"}"), APR_EEXIST);
    assert_int_equal(update(database, 501, "{\"sku\":\"S2\"}"), APR_SUCCESS);
    /* What is unique already stays so while it gets more options. */
    unit_fields_set(database, "sku string unique search\nbrand string index\n");
    assert_string_equal(unit_database_sql(database, COMPLETE), "0");
    assert_int_equal(unit_fields_insert(database, 504, "{\"sku\":\"S1\"}"), APR_EEXIST);
    assert_int_equal(unit_fields_insert(database, 505, "{\"sku\":\"S505\"}"), APR_SUCCESS);
}

static void test_a_new_field_is_claimed_in_an_empty_catalogue_only(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "sku string unique\n");

    assert_int_equal(unit_fields_insert(database, 1, "{\"sku\":\"S1\",\"code\":\"C1\"}"), APR_SUCCESS);
    unit_fields_set(database, "sku string unique\ncode string unique\n");
    assert_int_equal(unit_fields_insert(database, 2, "{\"sku\":\"S2\",\"code\":\"C1\"}"), CAT_EFILLING);
    assert_int_equal(unit_fields_insert(database, 3, "{\"sku\":\"S3\"}"), APR_SUCCESS);
}

/* The notice that names the product is not hidden by the one on the order of choices, and the product can get another value. */
static void test_a_shared_value_is_named_and_can_be_changed(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "sku string\ncolor choice values=\"red|blue\" index\n");

    for (int i = 0; i < 4; i++) {
        assert_int_equal(unit_fields_insert(database, i, i % 3 ? "{\"sku\":\"A\"}" : "{}"), APR_SUCCESS);
    }
    unit_database_sql(database, "UPDATE catalog_fields SET ordered_at = 9223372036854775807 WHERE name = 'color'");
    unit_fields_set(database, "sku string unique\ncolor choice values=\"blue|red\" index\n");
    run_job(database, 0);
    assert_non_null(strstr(database->logged, "CAT089"));
    assert_non_null(strstr(database->logged, unit_product_id(*state, 1)));
    assert_string_equal(unit_database_sql(database, COMPLETE), "0");
    assert_int_equal(update(database, 2, "{\"sku\":\"B\"}"), CAT_EFILLING);
    assert_int_equal(update(database, 1, "{\"sku\":\"B\"}"), APR_SUCCESS);
    database->logged[0] = '\0';
    run_job(database, 0);
    assert_string_equal(unit_database_sql(database, COMPLETE), "1");
    assert_string_equal(unit_database_sql(database, TAKEN), "A,B");
    assert_null(strstr(database->logged, "CAT089"));
    assert_non_null(strstr(database->logged, "CAT095"));
}

/* A writer that does not know of a new field has deleted products that another one had given its keys, in one portion more than are
 * remembered. */
static void test_keys_that_a_writer_left_behind_are_removed(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "brand string index\n");

    for (int i = 0; i < 850; i++) {
        assert_int_equal(unit_fields_insert(database, i, "{\"brand\":\"Acme\"}"), APR_SUCCESS);
    }
    unit_database_sql(database, "UPDATE catalog_fields SET complete = 0;"
                                "DELETE FROM products WHERE name + 0 BETWEEN 100 AND 799");
    run_job(database, 0);
    assert_string_equal(unit_database_sql(database, "SELECT complete FROM catalog_fields"), "1");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_keys"), "150");
}

typedef struct renewal_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    const char *const *row;
    apr_array_header_t *rows;
} renewal_t;

static apr_status_t renew(void *baton)
{
    renewal_t *r = baton;
    apr_status_t rv = cat_registry_get(r->db, &r->registry);

    rv = rv == APR_SUCCESS ? cat_own_keys_renew(r->db, r->registry, CAT_PRODUCT_FIELDS, r->row, 1, r->rows) : rv;
    return rv == APR_EEXIST ? cat_own_keys_insert(r->db, r->rows) : rv;
}

/* catalogctl index goes on with a product whose value another one has. */
static void test_a_product_with_a_taken_value_keeps_its_keys(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "sku string unique\n");
    const char **row = unit_product(*state, 2);
    renewal_t r = {.db = unit_database_use(*state, database), .row = row, .rows = cat_own_keys_begin(*state)};

    assert_int_equal(unit_fields_insert(database, 1, "{\"sku\":\"A\"}"), APR_SUCCESS);
    assert_int_equal(unit_fields_insert(database, 2, "{\"sku\":\"B\"}"), APR_SUCCESS);
    row[CAT_PRODUCT_EXTRA] = "{\"sku\":\"A\"}"; /* as another program has written it */
    assert_int_equal(cat_db_transact(r.db, renew, &r), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, "SELECT group_concat(value) FROM product_keys"), "A,A");
    assert_string_equal(unit_database_sql(database, TAKEN), "A");
}

/* As a version with other rules for folding has left them. */
static void test_keys_of_other_rules_are_filled_in_anew(void **state)
{
    unit_database_t *database = unit_fields_database(*state, "brand string index facet\nsize number index\n");
    atomic_int stop = 0;
    cat_job_t job = unit_database_job(database, &stop, NULL);

    for (int i = 0; i < 450; i++) {
        assert_int_equal(unit_fields_insert(database, i, "{\"brand\":\"Łódź\",\"size\":3}"), APR_SUCCESS);
    }
    unit_database_sql(database, "UPDATE product_keys SET value_key = 'łodz' WHERE value_key = 'lodz';"
                                "UPDATE value_counts SET value_key = 'łodz' WHERE value_key = 'lodz';"
                                "DELETE FROM product_indexes WHERE part LIKE 'rules%'");
    assert_int_equal(cat_indexes_run(&job), CAT_JOB_DONE);
    assert_string_equal(unit_database_sql(database, "SELECT group_concat(name) FROM catalog_fields WHERE complete = 0"),
                        "brand");
    run_job(database, 0);
    assert_string_equal(unit_database_sql(database, INCOMPLETE), "0");
    assert_string_equal(unit_database_sql(database,
                                          "SELECT COUNT(*) || MIN(value_key) || MAX(value_key) FROM product_keys"
                                          " WHERE field = (SELECT number FROM catalog_fields WHERE name = 'brand')"),
                        "450lodzlodz");
    assert_int_equal(cat_counts_rebuild(unit_database_use(*state, database)), APR_SUCCESS); /* catalogctl recount */
    assert_string_equal(
        unit_database_sql(database, "SELECT group_concat(value_key || n) FROM value_counts WHERE n > 0"), "lodz450");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_keys_of_other_rules_are_filled_in_anew),
        UNIT_TEST(test_nobody_takes_a_value_before_all_are_claimed),
        UNIT_TEST(test_a_new_field_is_claimed_in_an_empty_catalogue_only),
        UNIT_TEST(test_a_shared_value_is_named_and_can_be_changed),
        UNIT_TEST(test_keys_that_a_writer_left_behind_are_removed),
        UNIT_TEST(test_a_product_with_a_taken_value_keeps_its_keys),
    };
    return UNIT_RUN(tests);
}
