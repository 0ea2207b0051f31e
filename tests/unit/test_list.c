/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/list/list.h"
#include "http/etag.h"
#include "jose/keyring.h"

/* Writes "[4,3,2|6]<page>" or "[4,3,2|more]<after>". */
static void begin_body(cat_buffer_t *b)
{
    CAT_BUFFER_LITERAL(b, "[");
}

static void add_product(cat_buffer_t *b, const cat_list_query_t *, const char *const *product)
{
    if (b->data[b->length - 1] != '[') {
        CAT_BUFFER_LITERAL(b, ",");
    }
    cat_buffer_add_text(b, product[CAT_PRODUCT_NAME]);
}

static void end_body(cat_buffer_t *b, const cat_list_query_t *query, const cat_list_end_t *end)
{
    CAT_BUFFER_LITERAL(b, "|");
    if (query->page) {
        cat_buffer_add_int(b, end->found.total);
    } else {
        cat_buffer_add_text(b, end->next ? "more" : "end");
    }
    CAT_BUFFER_LITERAL(b, "]");
}

static void write_link(cat_buffer_t *b, const cat_list_query_t *query, const cat_list_end_t *end)
{
    cat_buffer_add_text(b, query->page ? query->parameters : end->next ? end->next : "");
}

static const cat_list_format_t format = {begin_body, add_product, end_body, write_link};

static unit_database_t *database_with_key(apr_pool_t *pool)
{
    unit_database_t *database = unit_database(pool);
    const char *file =
        unit_write(pool, unit_directory(pool), "key", 0600, "a-secret-of-at-least-32-octets,-with-no-more", 44);

    database->conf.default_limit = 10;
    database->conf.max_limit = 100;
    assert_null(cat_keyring_open_file(pool, file, &database->conf.keys));
    return database;
}

static apr_status_t get(unit_database_t *database, const char *text, cat_cached_list_t *list)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    apr_time_t now = apr_time_now();
    cat_list_query_t query;
    apr_status_t rv;

    assert_int_equal(cat_query_parse(database->pool, &database->conf, now, 0, text, &query), CAT_QUERY_OK);
    rv = cat_list_get(db, &query, now, &format, list);
    cat_db_release(db);
    return rv;
}

/* The body, followed by the value of Link. from_cache: whether it must come from the cache. */
static const char *get_text(unit_database_t *database, const char *text, int from_cache)
{
    int hits = unit_database_count_hits(database);
    cat_cached_list_t list;

    assert_int_equal(get(database, text, &list), APR_SUCCESS);
    assert_int_equal(unit_database_count_hits(database) - hits, from_cache);
    assert_int_equal(list.hash, cat_etag_hash(list.body, list.length));
    return apr_pstrcat(database->pool, apr_pstrmemdup(database->pool, list.body, list.length), list.headers, NULL);
}

static void test_pages_are_cached_until_products_change(void **state)
{
    unit_database_t *database = database_with_key(*state);

    assert_string_equal(get_text(database, NULL, 0), "[|0]&limit=10");
    unit_products_insert(database, 0, 7);
    for (int from_cache = 0; from_cache < 2; from_cache++) {
        assert_string_equal(get_text(database, "limit=3", from_cache), "[6,5,4|7]&limit=3");
        assert_string_equal(get_text(database, "limit=3&page=3", from_cache), "[0|7]&limit=3");
        assert_string_equal(get_text(database, "limit=4", from_cache), "[6,5,4,3|7]&limit=4");
    }
    assert_string_equal(get_text(database, "page=1&x=y&limit=3", 1), "[6,5,4|7]&limit=3");
    unit_products_insert(database, 7, 8);
    assert_string_equal(get_text(database, "limit=3", 0), "[7,6,5|8]&limit=3");
}

static void test_pages_beyond_the_end_are_not_cached(void **state)
{
    unit_database_t *database = database_with_key(*state);

    unit_products_insert(database, 0, 6);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(get_text(database, "limit=3&page=3", 0), "[|6]&limit=3");
        assert_string_equal(get_text(database, "page=9007199254740991", 0), "[|6]&limit=10");
    }
}

static void test_cursors_lead_through_the_whole_list(void **state)
{
    static const char *const bodies[] = {"[9,8,7,6|more]", "[5,4,3,2|more]", "[1,0|end]"};
    unit_database_t *database = database_with_key(*state);
    const char *next = "";

    unit_products_insert(database, 0, 10);
    for (size_t i = 0; i < UNIT_COUNT(bodies); i++) {
        const char *query = apr_pstrcat(*state, "limit=4&cursor=", next, NULL);
        const char *text = get_text(database, query, 0);
        assert_string_equal(get_text(database, query, 1), text);
        next = text + strlen(bodies[i]);
        assert_memory_equal(text, bodies[i], strlen(bodies[i]));
    }
    assert_string_equal(next, "");
}

static void test_walk_ends_with_a_full_answer(void **state)
{
    unit_database_t *database = database_with_key(*state);

    assert_string_equal(get_text(database, "cursor", 0), "[|end]");
    unit_products_insert(database, 0, 4);
    assert_string_equal(get_text(database, "cursor&limit=4", 0), "[3,2,1,0|end]");
}

static void test_walk_neither_skips_nor_repeats_products(void **state)
{
    unit_database_t *database = database_with_key(*state);
    const char *text, *cursor;

    unit_products_insert(database, 0, 6);
    text = get_text(database, "limit=2&cursor=", 0);
    cursor = apr_pstrcat(*state, "limit=2&cursor=", strchr(text, ']') + 1, NULL);
    unit_products_insert(database, 6, 9);
    unit_database_sql(database, "DELETE FROM products WHERE name IN ('4', '2')");
    assert_memory_equal(get_text(database, cursor, 0), "[3,1|more]", 10);
}

static void test_works_without_a_cache(void **state)
{
    unit_database_t *database = database_with_key(*state);
    cat_cached_list_t list;

    database->source->cache = NULL;
    unit_products_insert(database, 0, 3);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(get(database, "limit=2", &list), APR_SUCCESS);
        assert_string_equal(list.body, "[2,1|3]"); /* a NUL ends it */
        assert_int_equal(list.length, 7);
        assert_string_equal(list.headers, "&limit=2");
    }
}

static void test_mounts_with_other_limits_have_lists_of_their_own(void **state)
{
    unit_database_t *database = database_with_key(*state);

    database->conf.query_timeout = 60;
    database->conf.count_limit = 3;
    unit_products_insert(database, 0, 6);
    for (int from_cache = 0; from_cache < 2; from_cache++) {
        assert_string_equal(get_text(database, "price=12.5&limit=2", from_cache), "[5,4|3]&price=12.5&limit=2");
        assert_string_equal(get_text(database, "limit=2", from_cache), "[5,4|6]&limit=2");
    }
    database->conf.count_limit = 1000;
    assert_string_equal(get_text(database, "price=12.5&limit=2", 0), "[5,4|6]&price=12.5&limit=2");
    assert_string_equal(get_text(database, "limit=2", 1), "[5,4|6]&limit=2");
}

static void test_failing_database_is_reported(void **state)
{
    unit_database_t *database = database_with_key(*state);
    cat_cached_list_t list;

    unit_database_sql(database, "DROP TABLE products");
    assert_int_equal(get(database, NULL, &list), CAT_EDOWN);
    assert_int_equal(get(database, "page=1000", &list), APR_SUCCESS); /* the counts show that there is no such page */
    assert_int_equal(get(database, "cursor", &list), CAT_EDOWN);
    unit_says(database->logged, "products");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pages_are_cached_until_products_change),
        UNIT_TEST(test_pages_beyond_the_end_are_not_cached),
        UNIT_TEST(test_cursors_lead_through_the_whole_list),
        UNIT_TEST(test_walk_ends_with_a_full_answer),
        UNIT_TEST(test_walk_neither_skips_nor_repeats_products),
        UNIT_TEST(test_works_without_a_cache),
        UNIT_TEST(test_mounts_with_other_limits_have_lists_of_their_own),
        UNIT_TEST(test_failing_database_is_reported),
    };
    return UNIT_RUN(tests);
}
