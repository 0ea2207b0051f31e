/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/transfer/export.h"
#include <sys/syscall.h>
#include <unistd.h>

static const cat_list_query_t everything = {.after = {.n = CAT_LIST_KEY_MAX},
                                            .is_plain = 1,
                                            .all = &cat_product_built_in,
                                            .fields = {{(1U << CAT_PRODUCT_FIELDS) - 1}}};

static int take_nothing(void *, cat_parameters_t *, const cat_parameter_t *)
{
    return 0;
}

/* The names of the products that a query exports, each with a blank behind it. */
static const char *names_of(unit_database_t *database, apr_pool_t *pool, const char *text)
{
    const cat_query_own_t own = {take_nothing, NULL};
    cat_list_query_t query;
    const char *data;
    apr_size_t length;
    cat_buffer_t names;
    cat_export_t *e;

    assert_true(cat_query_parse_all(pool, &database->conf, 0, text, &own, &query));
    assert_int_equal(cat_export_open(unit_database_use(pool, database), &query, cat_export_format_find("ndjson"),
                                     &(cat_export_style_t){.delimiter = ','}, &e),
                     APR_SUCCESS);
    cat_buffer_init(&names, pool, 4096);
    while (cat_export_read(e, &data, &length) == APR_SUCCESS && length) {
        data = apr_pstrmemdup(pool, data, length);
        for (const char *name = strstr(data, "\"name\":\""); name; name = strstr(name + 8, "\"name\":\"")) {
            cat_buffer_add(&names, name + 8, strcspn(name + 8, "\""));
            cat_buffer_add_text(&names, " ");
        }
    }
    return cat_buffer_text(&names);
}

static const char *numbers(apr_pool_t *pool, int first, int step, int end)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 4096);
    for (int i = first; i != end; i += step) {
        cat_buffer_add_int(&b, i);
        cat_buffer_add_text(&b, " ");
    }
    return cat_buffer_text(&b);
}

/* Of more than one portion each, but the last one. */
static void test_conditions_and_order(void **state)
{
    unit_database_t *database = unit_database(*state);

    database->conf.query_timeout = 60;
    unit_products_insert(database, 1000, 2700);
    assert_string_equal(names_of(database, *state, "sort=name"), numbers(*state, 1000, 1, 2700));
    assert_string_equal(names_of(database, *state, "category=Light"), numbers(*state, 2699, -1, 999));
    assert_string_equal(names_of(database, *state, "sort=category,-name"), numbers(*state, 2699, -1, 999));
    assert_string_equal(names_of(database, *state, "sort=-name&q=1"), numbers(*state, 1999, -1, 999));
    assert_string_equal(names_of(database, *state, "name[in]=1001,2002"), "2002 1001 ");
    assert_string_equal(names_of(database, *state, "category=none"), "");
    assert_string_equal(database->logged, "");
}

static cat_export_t *open_export(unit_database_t *database, apr_pool_t *pool, apr_status_t expected)
{
    cat_export_t *e;

    assert_int_equal(cat_export_open(unit_database_use(pool, database), &everything, cat_export_format_find("ndjson"),
                                     &(cat_export_style_t){.delimiter = ','}, &e),
                     expected);
    return e;
}

/* Reads pieces until the end; checks that the products are those of these numbers, the newest first. */
static void assert_products(apr_pool_t *pool, cat_export_t *e, int first, int end)
{
    const char *data;
    apr_size_t length;
    int number = end;

    for (;;) {
        assert_int_equal(cat_export_read(e, &data, &length), APR_SUCCESS);
        if (length == 0) {
            break;
        }
        data = apr_pstrmemdup(pool, data, length);
        for (const char *line = data; *line; line = strchr(line, '\n') + 1) {
            const char *begin = apr_pstrcat(pool, "{\"id\":\"", unit_product_id(pool, --number), "\"", NULL);
            assert_int_equal(strncmp(line, begin, strlen(begin)), 0);
        }
    }
    assert_int_equal(number, first);
    assert_int_equal(cat_export_count(e), end - first);
    assert_int_equal(cat_export_read(e, &data, &length), APR_SUCCESS);
    assert_int_equal(length, 0);
}

static void test_all_products_are_read_once(void **state)
{
    static const int sizes[] = {0, 1, 499, 500, 501, 1000, 1700};
    unit_database_t *database = unit_database(*state);
    int count = 0;

    for (size_t i = 0; i < UNIT_COUNT(sizes); i++) {
        unit_products_insert(database, count, sizes[i]);
        count = sizes[i];
        assert_products(*state, open_export(database, *state, APR_SUCCESS), 0, count);
    }
    assert_string_equal(database->logged, "");
}

static void test_an_export_has_one_state(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_export_t *e;

    unit_products_insert(database, 0, 2000);
    e = open_export(database, *state, APR_SUCCESS);
    unit_products_insert(database, 2000, 2010);
    unit_database_sql(database, "DELETE FROM products WHERE name < '500'");
    assert_products(*state, e, 0, 2000);
}

static void test_so_many_run_at_once(void **state)
{
    unit_database_t *database = unit_database(*state);
    apr_pool_t *pool;
    cat_export_t *e;

    unit_products_insert(database, 0, 1000);
    apr_pool_create(&pool, *state);
    e = open_export(database, *state, APR_SUCCESS);
    open_export(database, pool, APR_SUCCESS);
    assert_string_equal(database->logged, "");
    open_export(database, *state, CAT_EBUSY);
    assert_non_null(strstr(database->logged, "CAT060"));
    cat_export_close(e);
    cat_export_close(e);
    e = open_export(database, *state, APR_SUCCESS);
    open_export(database, *state, CAT_EBUSY);
    apr_pool_destroy(pool);
    assert_products(*state, open_export(database, *state, APR_SUCCESS), 0, 1000);
    assert_products(*state, e, 0, 1000);
}

static void test_a_failure_ends_the_export(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *data;
    apr_size_t length;
    cat_export_t *e;

    unit_products_insert(database, 0, 20000); /* more than SQLite keeps of the file */
    unit_database_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    e = open_export(database, *state, APR_SUCCESS);
    assert_int_equal(cat_export_read(e, &data, &length), APR_SUCCESS);
    assert_int_equal(truncate(database->path, 40960), 0);
    assert_int_equal(cat_export_read(e, &data, &length), CAT_EDOWN);
    assert_int_equal(length, 0);
    assert_string_not_equal(database->logged, "");
    cat_export_close(e);
}

static cat_source_t *watched;
static int syncs, syncs_under_mutex;

/* Instead of the C library's: SQLite calls it when it copies the WAL. */
int fdatasync(int fd)
{
    if (watched) {
        apr_status_t rv = apr_thread_mutex_trylock(watched->exports.mutex);
        syncs++;
        syncs_under_mutex += rv != APR_SUCCESS;
        if (rv == APR_SUCCESS) {
            apr_thread_mutex_unlock(watched->exports.mutex);
        }
    }
    return (int)syscall(SYS_fdatasync, fd);
}

static void test_who_is_stopped_keeps_no_other_waiting(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_job_t job = {.db = unit_database_use(*state, database)};
    const char *data;
    apr_size_t length;
    cat_export_t *e;

    database->conf.export_wal = 1;
    unit_products_insert(database, 0, 2000);
    e = open_export(database, *state, APR_SUCCESS);
    unit_database_sql(database, "UPDATE products SET price = '2'");
    watched = database->source;
    assert_int_equal(cat_export_watch(&job), CAT_JOB_DONE);
    watched = NULL;
    assert_true(syncs > 0);
    assert_int_equal(syncs_under_mutex, 0);
    assert_int_equal(cat_export_read(e, &data, &length), APR_SUCCESS);
    assert_int_equal(cat_export_read(e, &data, &length), APR_TIMEUP);
    unit_says(database->logged, "CAT081");
    cat_export_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_all_products_are_read_once), UNIT_TEST(test_conditions_and_order),
        UNIT_TEST(test_an_export_has_one_state),    UNIT_TEST(test_so_many_run_at_once),
        UNIT_TEST(test_a_failure_ends_the_export),  UNIT_TEST(test_who_is_stopped_keeps_no_other_waiting),
    };
    return UNIT_RUN(tests);
}
