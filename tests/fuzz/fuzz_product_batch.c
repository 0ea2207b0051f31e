/* SPDX-License-Identifier: Apache-2.0 */
/* The body of POST /products/batch, against a database with one product, which has a name, and fields of each type: every batch has an answer, whose results say what has become of
 * the products. */
#include "api/product_batch.h"
#include "catalogue/product/change_notes.h"
#include "fuzz_database.h"
#include "fuzz_fields.h"

#define BATCH_MAX 8

#define RESTORE                                                                                                        \
    "DELETE FROM products; DELETE FROM product_keys; DELETE FROM product_unique;"                                      \
    " INSERT INTO products (n, id, name, price, category, in_stock, extra)"                                            \
    " VALUES (1882469035349400035, '01a1fdf9-d28a-7c59-b8ec-000000000001', 'Kettle', '12.5', 'Light', 1, "             \
    "'{\"sku\":\"A\"}');"                                                                                              \
    " INSERT INTO product_unique (field, value, n) SELECT number, 'A', 1882469035349400035"                            \
    " FROM catalog_fields WHERE name = 'sku'"

static int status_of(const json_t *result)
{
    return (int)json_integer_value(json_object_get(result, "status"));
}

/* How many products there are more than before. */
static int check_results(const json_t *operations, const json_t *results, int is_stored)
{
    int change = 0;
    size_t i;
    json_t *result;

    FUZZ_CHECK(json_array_size(results) == json_array_size(operations));
    json_array_foreach (results, i, result) {
        int status = status_of(result), is_done = status == 200 || status == 201;
        const json_t *op = json_object_get(json_array_get(operations, i), "op");

        FUZZ_CHECK(json_integer_value(json_object_get(result, "index")) == (json_int_t)i);
        FUZZ_CHECK(is_done ? is_stored
                           : status == 400 || status == 404 || status == 412 || (status == 424 && !is_stored));
        FUZZ_CHECK(is_done || json_object_get(result, "message"));
        if (is_done) {
            change += status == 201 ? 1 : !strcmp(json_string_value(op), "delete") ? -1 : 0;
        }
    }
    return change;
}

static void check_answer(const json_t *body, const json_t *answer, int status)
{
    const json_t *operations = json_object_get(body, "operations"), *results = json_object_get(answer, "results");
    int change = results ? check_results(operations, results, status == 200) : 0;

    FUZZ_CHECK(results || status == 400);
    FUZZ_CHECK(json_array_size(json_object_get(answer, "errors")) <= 100);
    FUZZ_CHECK(fuzz_select_number("SELECT COUNT(*) FROM products") == 1 + change);
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    static cat_conf_t conf = {.max_connections = 1, .migrate = 1, .max_batch = BATCH_MAX};
    cat_source_t *source;
    cat_request_t q = {.pool = pool, .log = &fuzz_nowhere, .conf = &conf, .now = apr_time_now()};
    cat_author_t author = {0};
    const cat_answer_t *answer;
    const char *why;

    conf.fields = fuzz_fields();
    source = fuzz_open(&conf, RESTORE);
    q.strict = size && *data == ' ';
    q.body = cat_json_parse(pool, (const char *)data, size, &why);
    if (!q.body) {
        return;
    }
    q.db = cat_db_make(pool, &conf, source, &fuzz_nowhere);
    q.db->author = &author;
    answer = cat_product_batch_run(&q);
    cat_db_release(q.db);
    FUZZ_CHECK(answer->status == 200 || answer->status == 400);
    check_answer(q.body, fuzz_parse_answer(pool, answer), answer->status);
    if (answer->status == 200) {
        fuzz_execute(RESTORE);
    }
}
