/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "catalogue/cursor.h"
#include "catalogue/query.h"
#include "jose/keyring.h"

#define ID "01a1fdf9-d28a-7c59-b8ec-c42b5a960857"

static const cat_list_key_t lamp = {"1763731170442", ID};

static cat_keyring_t *keyring(apr_pool_t *pool, char letter)
{
    cat_keyring_t *keys = NULL;
    char secret[CAT_KEY_SECRET_LEAST];

    memset(secret, letter, sizeof(secret));
    assert_null(cat_keyring_open_file(pool, unit_write(pool, unit_directory(pool), "key", 0600, secret, sizeof(secret)),
                                      &keys));
    return keys;
}

static cat_conf_t conf_with(apr_pool_t *pool)
{
    return (cat_conf_t){.default_limit = 10, .max_limit = 100, .keys = keyring(pool, '1')};
}

static cat_query_outcome_t parse(apr_pool_t *pool, const char *text, cat_list_query_t *query)
{
    cat_conf_t conf = conf_with(pool);

    return cat_query_parse(pool, &conf, apr_time_now(), 0, text, query);
}

/* The cache key, which contains the whole query. */
static const char *key_of(apr_pool_t *pool, const char *text)
{
    cat_list_query_t query;

    assert_int_equal(parse(pool, text, &query), CAT_QUERY_OK);
    return cat_query_write_key(pool, &query);
}

static void test_page_and_limit_have_defaults_and_bounds(void **state)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {NULL, "/?page=1&limit=10"},
        {"", "/?page=1&limit=10"},
        {"page=3", "/?page=3&limit=10"},
        {"limit=7&page=2", "/?page=2&limit=7"},
        {"%70age=2", "/?page=2&limit=10"},
        {"page=%32", "/?page=2&limit=10"},
        {"page=2&page=3", "/?page=2&limit=10"},
        {"name=x&page=2", "/?page=2&limit=10"},
        {"page=0&limit=0", "/?page=1&limit=10"},
        {"page=-1&limit=-1", "/?page=1&limit=10"},
        {"page&limit", "/?page=1&limit=10"},
        {"page=1.5&limit=1e2", "/?page=1&limit=10"},
        {"page=%zz&limit=%00", "/?page=1&limit=10"},
        {"limit=100", "/?page=1&limit=100"},
        {"limit=101", "/?page=1&limit=100"},
        {"page=99999999999999999999&limit=99999999999999999999", "/?page=9007199254740991&limit=100"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(key_of(*state, cases[i].text), cases[i].key);
    }
}

static void test_number_of_skipped_products_does_not_overflow(void **state)
{
    static const struct {
        apr_int64_t page, limit, skip;
    } cases[] = {{1, 10, 0},
                 {2, 10, 10},
                 {4, 7, 21},
                 {APR_INT64_MAX, 1, APR_INT64_MAX - 1},
                 {APR_INT64_MAX / 2 + 1, 2, APR_INT64_MAX - 1},
                 {APR_INT64_MAX / 2 + 2, 2, APR_INT64_MAX},
                 {APR_INT64_MAX, 100, APR_INT64_MAX}};

    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query = {.page = cases[i].page, .limit = cases[i].limit};
        assert_int_equal(cat_query_count_skipped(&query), cases[i].skip);
    }
}

static void test_empty_cursor_begins_the_list(void **state)
{
    cat_list_query_t query;

    assert_int_equal(parse(*state, "limit=5&cursor=", &query), CAT_QUERY_OK);
    assert_int_equal(query.page, 0);
    assert_int_equal(query.limit, 5);
    assert_string_equal(query.after.created_at, CAT_LIST_KEY_MAX.created_at);
    assert_string_equal(query.parameters, "&limit=5");
}

static void test_cursor_continues_after_its_product(void **state)
{
    cat_list_query_t begin, query;
    const char *cursor;

    assert_int_equal(parse(*state, "cursor=", &begin), CAT_QUERY_OK);
    cursor = cat_query_write_cursor(*state, &begin, &lamp);
    assert_int_equal(parse(*state, apr_pstrcat(*state, "cursor=", cursor, NULL), &query), CAT_QUERY_OK);
    assert_string_equal(query.after.created_at, lamp.created_at);
    assert_string_equal(query.after.id, ID);
    assert_string_equal(cat_query_write_key(*state, &query),
                        apr_pstrcat(*state, "/?cursor=", cursor, "&limit=10", NULL));
}

/* A list contains the next cursor, so a list whose cursor another key has sealed is another entry of the cache. */
static void test_cache_key_depends_on_the_sealing_key(void **state)
{
    cat_conf_t conf = conf_with(*state), other = {.default_limit = 10, .max_limit = 100, .keys = keyring(*state, '2')};
    cat_list_query_t query, others;

    assert_int_equal(cat_query_parse(*state, &conf, apr_time_now(), 0, "cursor", &query), CAT_QUERY_OK);
    assert_int_equal(cat_query_parse(*state, &other, apr_time_now(), 0, "cursor", &others), CAT_QUERY_OK);
    assert_string_not_equal(cat_query_write_key(*state, &query), cat_query_write_key(*state, &others));
}

static void test_cache_key_is_a_query_for_the_same_list(void **state)
{
    static const char *const texts[] = {NULL,     "page=7&limit=3",      "limit=1000&page=x",
                                        "cursor", "x=1&limit=2&cursor=", "fields=price,name&page=2"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        const char *key = key_of(*state, texts[i]);
        assert_string_equal(key_of(*state, key + 2), key);
    }
}

static void test_refuses_invalid_cursors(void **state)
{
    static const struct {
        const char *text;
        cat_query_outcome_t outcome;
    } cases[] = {
        {"cursor=x", CAT_QUERY_CURSOR_INVALID},
        {"cursor=%zz", CAT_QUERY_CURSOR_INVALID},
        {"cursor=x&cursor=", CAT_QUERY_INVALID},
        {"cursor=&page=1", CAT_QUERY_CURSOR_AND_PAGE},
        {"page=%zz&cursor=%zz", CAT_QUERY_CURSOR_AND_PAGE},
        {"cursor&page", CAT_QUERY_CURSOR_AND_PAGE},
    };
    cat_list_query_t query;

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_int_equal(parse(*state, cases[i].text, &query), cases[i].outcome);
    }
}

static void test_fields_are_a_set(void **state)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {"fields=name", "/?page=1&fields=name&limit=10"},
        {"limit=5&fields=price,name", "/?page=1&fields=name,price&limit=5"},
        {"fields=name%2Cname", "/?page=1&fields=name&limit=10"},
        {"fields=createdAt,rating,inStock,category,price,name,id", "/?page=1&limit=10"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(key_of(*state, cases[i].text), cases[i].key);
    }
}

/* "field code; field code" */
static const char *errors_of(apr_pool_t *pool, int strict, const char *text)
{
    cat_conf_t conf = conf_with(pool);
    cat_list_query_t query;
    const char *errors = "";
    size_t i;
    json_t *error;

    assert_int_equal(cat_query_parse(pool, &conf, apr_time_now(), strict, text, &query), CAT_QUERY_INVALID);
    json_array_foreach (query.errors, i, error) {
        errors = apr_pstrcat(pool, errors, i ? "; " : "", json_string_value(json_object_get(error, "field")), " ",
                             json_string_value(json_object_get(error, "code")), NULL);
    }
    return errors;
}

static void test_reports_all_errors_at_once(void **state)
{
    static const struct {
        int strict;
        const char *text, *errors;
    } cases[] = {
        {0, "fields=", "fields unknown"},
        {0, "fields", "fields unknown"},
        {0, "fields=name,", "fields unknown"},
        {0, "fields=Name", "fields unknown"},
        {0, "fields=name,%20price", "fields unknown"},
        {0, "fields=%zz", "fields unknown"},
        {0, "fields=name&fields=name&fields=price", "fields duplicate"},
        {0, "fields=x&cursor=&cursor=", "fields unknown; cursor duplicate"},
        {1, "page=x&colour=red&fields=x", "colour unknown; fields unknown"},
        {1, "cursor=nonsense&x=1", "x unknown"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(errors_of(*state, cases[i].strict, cases[i].text), cases[i].errors);
    }
}

static void test_names_ignored_parameters(void **state)
{
    cat_list_query_t query;

    assert_int_equal(parse(*state, "page=2&limit=3", &query), CAT_QUERY_OK);
    assert_null(query.ignored);
    assert_int_equal(parse(*state, "a=1&page=2&%62=2&Page=3&page=4", &query), CAT_QUERY_OK);
    assert_int_equal(query.page, 2);
    assert_string_equal(apr_array_pstrcat(*state, query.ignored, ','), "a,b,Page");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_page_and_limit_have_defaults_and_bounds),
        UNIT_TEST(test_number_of_skipped_products_does_not_overflow),
        UNIT_TEST(test_empty_cursor_begins_the_list),
        UNIT_TEST(test_cursor_continues_after_its_product),
        UNIT_TEST(test_cache_key_depends_on_the_sealing_key),
        UNIT_TEST(test_cache_key_is_a_query_for_the_same_list),
        UNIT_TEST(test_refuses_invalid_cursors),
        UNIT_TEST(test_fields_are_a_set),
        UNIT_TEST(test_reports_all_errors_at_once),
        UNIT_TEST(test_names_ignored_parameters),
    };
    return UNIT_RUN(tests);
}
