/* SPDX-License-Identifier: Apache-2.0 */
/* The body of POST /products/batch, against a database with one product, which has a name, and fields of each type: every batch has an answer, whose results say what has become of
 * the products. */
#include "api/product_batch.h"
#include "catalogue/product/change_notes.h"
#include "catalogue/product/products.h"
#include "catalogue/product/registry.h"
#include "db/pool/pool.h"
#include "db/schema/migration.h"
#include "fuzz_fields.h"
#include "http/answer.h"
#include "http/request.h"
#include "lib/json.h"

#include <sqlite3.h>
#include <unistd.h>

#define BATCH_MAX 8

/* A connection that has been idle for long is closed, and another one opened, at any input. What it holds, and what the fields have, only pools
 * know, whose memory LeakSanitizer does not search: Debian's APR maps it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#define RESTORE                                                                                                        \
    "DELETE FROM products; DELETE FROM product_keys; DELETE FROM product_unique;"                                      \
    " INSERT INTO products (id, name, price, category, in_stock, created_at, extra)"                                   \
    " VALUES ('01a1fdf9-d28a-7c59-b8ec-000000000001', 'Kettle', '12.5', 'Light', 1, 1763731170000, "                   \
    "'{\"sku\":\"A\"}');"                                                                                              \
    " INSERT INTO product_unique (field, value, id) SELECT number, 'A', '01a1fdf9-d28a-7c59-b8ec-000000000001'"        \
    " FROM catalog_fields WHERE name = 'sku'"

static char directory[] = "/tmp/fuzz_product_batch.XXXXXX";

static void remove_directory(void)
{
    static const char *const names[] = {"/db", "/db-wal", "/db-shm", ""};

    for (int i = 0; i < 4; i++) {
        char path[sizeof(directory) + 8];
        snprintf(path, sizeof(path), "%s%s", directory, names[i]);
        remove(path);
    }
}

static void ignore_log(void *context, cat_log_level_t level, apr_status_t rv, const char *message)
{
    (void)context, (void)level, (void)rv, (void)message;
}

static const cat_log_t nowhere = {.write = ignore_log};

/* The database as another program sees it. */
static sqlite3 *other;

static void restore(void)
{
    FUZZ_CHECK(sqlite3_exec(other, RESTORE, NULL, NULL, NULL) == SQLITE_OK);
}

static int count_products(void)
{
    sqlite3_stmt *statement;
    int count;

    FUZZ_CHECK(sqlite3_prepare_v2(other, "SELECT COUNT(*) FROM products", -1, &statement, NULL) == SQLITE_OK);
    FUZZ_CHECK(sqlite3_step(statement) == SQLITE_ROW);
    count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

/* The first statement creates the schema. An empty catalogue has the keys of all fields. */
static void open_other(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source)
{
    cat_db_t *db = cat_db_make(pool, conf, source, &nowhere);
    const cat_registry_t *registry;
    const char *const *row;

    FUZZ_CHECK(cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row) == APR_SUCCESS);
    FUZZ_CHECK(cat_registry_get(db, &registry) == APR_SUCCESS);
    cat_db_release(db);
    FUZZ_CHECK(sqlite3_open(source->path, &other) == SQLITE_OK);
    restore();
}

static cat_source_t *open_source(const cat_conf_t *conf)
{
    static cat_source_t *source;
    cat_write_locks_t *locks;
    cat_file_registry_t *registry;
    apr_pool_t *pool;
    const char *path;

    if (source) {
        return source;
    }
    FUZZ_CHECK(mkdtemp(directory) != NULL);
    atexit(remove_directory);
    apr_pool_create(&pool, NULL);
    path = apr_pstrcat(pool, directory, "/db", NULL);
    source = cat_pool_create(pool, "sqlite3", path);
    source->path = path;
    FUZZ_CHECK(cat_write_lock_create(&locks, pool, pool) == APR_SUCCESS);
    FUZZ_CHECK(cat_file_registry_create(&registry, pool) == APR_SUCCESS);
    FUZZ_CHECK(cat_source_child_init(source, pool, locks, registry, cat_migration_try) == APR_SUCCESS);
    open_other(pool, conf, source);
    return source;
}

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

    FUZZ_CHECK(json_is_true(json_object_get(answer, "success")) == (status == 200));
    FUZZ_CHECK(results || status == 400);
    FUZZ_CHECK(json_array_size(json_object_get(answer, "errors")) <= 100);
    FUZZ_CHECK(count_products() == 1 + change);
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    static cat_conf_t conf = {.max_connections = 1, .migrate = 1, .max_batch = BATCH_MAX};
    cat_source_t *source;
    cat_request_t q = {.pool = pool, .log = &nowhere, .conf = &conf, .now = apr_time_now()};
    cat_author_t author = {0};
    const cat_answer_t *answer;
    const char *why;
    const json_t *parsed;

    conf.fields = fuzz_fields();
    source = open_source(&conf);
    q.strict = size && *data == ' ';
    q.body = cat_json_parse(pool, (const char *)data, size, &why);
    if (!q.body) {
        return;
    }
    q.db = cat_db_make(pool, &conf, source, &nowhere);
    q.db->author = &author;
    answer = cat_product_batch_run(&q);
    cat_db_release(q.db);
    FUZZ_CHECK(answer->status == 200 || answer->status == 400);
    parsed = cat_json_parse(pool, answer->body, answer->length, &why);
    FUZZ_CHECK(parsed != NULL);
    check_answer(q.body, parsed, answer->status);
    if (answer->status == 200) {
        restore();
    }
}
