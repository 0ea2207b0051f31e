/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "catalogue/query/cursor.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/query/query.h"
#include "jose/keyring.h"

#define ID "01a1fdf9-d28a-7c59-b8ec-c42b5a960857"

static const cat_list_position_t lamp = {.n = APR_INT64_C(1849393246042849507)};

static cat_keyring_t *keyring(apr_pool_t *pool, char letter)
{
    cat_keyring_t *keys = NULL;
    char secret[CAT_KEY_SECRET_LEAST];

    for (size_t i = 0; i < sizeof(secret); i++) {
        secret[i] = (char)(letter + i);
    }
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
        {"nam=x&page=2", "/?page=2&limit=10"},
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

static void test_number_of_skipped_products_does_not_overflow(void **)
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
    assert_int_equal(query.after.n, CAT_LIST_KEY_MAX);
    assert_string_equal(query.parameters, "&limit=5");
}

static void test_cursor_continues_after_its_product(void **state)
{
    cat_list_query_t begin, query;
    const char *cursor;

    assert_int_equal(parse(*state, "cursor=", &begin), CAT_QUERY_OK);
    cursor = cat_query_write_cursor(*state, &begin, &lamp);
    assert_int_equal(parse(*state, apr_pstrcat(*state, "cursor=", cursor, NULL), &query), CAT_QUERY_OK);
    assert_int_equal(query.after.n, lamp.n);
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
        assert_string_equal(key_of(*state, strchr(key, '?') + 1), key);
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

/* Same question, same key. */
static void test_conditions_words_and_order_have_one_spelling(void **state)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {"price[gte]=5.0", "/?page=1&price%5Bgte%5D=5&limit=10"},
        {"sort=-price&price%5bgte%5d=05e0&price[gte]", NULL},
        {"price[lt]=9&category=tea&price[gte]=5e0", "/?page=1&price%5Blt%5D=9&price%5Bgte%5D=5&category=tea&limit=10"},
        {"category[in]=b,a,b", "/?page=1&category%5Bin%5D=a,b&limit=10"},
        {"q=Red%20k%C3%89ttle+RE", "/?page=1&q=red%20kettle&limit=10"},
        {"q=red&category=tea&sort=name", "/?page=1&category=tea&q=red&sort=name&limit=10"},
        {"q=red+Tea+teapot", "/?page=1&q=red%20teapot&limit=10"},
        {"match=prefix&q=red+tea+teapot", "/?page=1&q=red%20teapot&match=prefix&limit=10"},
        {"match=exact&q=red+Tea+teapot+tea", "/?page=1&q=red%20tea%20teapot&match=exact&limit=10"},
        {"q=galaxy24", "/?page=1&q=galaxy%2024&limit=10"},
        {"q=galaxy24&match=exact", "/?page=1&q=galaxy%2024&match=exact&limit=10"},
        {"match=exact", "/?page=1&limit=10"},
        {"sort=-createdAt", "/?page=1&limit=10"},
        {"sort=createdAt", "/?page=1&sort=createdAt&limit=10"},
        {"sort=-price,-createdAt", "/?page=1&sort=-price&limit=10"},
        {"sort=-price,createdAt", "/?page=1&sort=-price,createdAt&limit=10"},
        {"sort=-price,-createdAt,name", "/?page=1&sort=-price,-createdAt,name&limit=10"},
        {"count=capped", "/?page=1&limit=10"},
        {"count=exact", "/?page=1&limit=10"},
        {"count=exact&q=x", "/?page=1&q=x&count=exact&limit=10"},
        {"count=none", "/?page=1&count=none&limit=10"},
        {"facets=inStock,category", "/?page=1&facets=category,inStock&limit=10"},
        {"facets=inStock:3,category:50", "/?page=1&facets=category,inStock:3&limit=10"},
        {"limit=3&facets=inStock&count=none&fields=id&sort=name&q=x&id[in]=" ID,
         "/?page=1&id%5Bin%5D=" ID "&q=x&sort=name&fields=id&count=none&facets=inStock&limit=3"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query;
        if (!cases[i].key) {
            assert_int_equal(parse(*state, cases[i].text, &query), CAT_QUERY_INVALID);
            continue;
        }
        assert_string_equal(key_of(*state, cases[i].text), cases[i].key);
        assert_string_equal(key_of(*state, cases[i].key + 2), cases[i].key);
        assert_int_equal(parse(*state, cases[i].text, &query), CAT_QUERY_OK);
        assert_int_equal(query.is_plain, !*query.sealed);
    }
}

static void test_words_are_folded_and_none_begins_another(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"q=Kettle", "kettle"},
        {"q=red+kett,kettle!", "red kettle"},
        {"q=a+ab+abc+b+ba", "abc ba"},
        {"q=%EF%AC%81ne", "fine"},
        {"q=5.5", "5"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query;
        const char *words = "";

        assert_int_equal(parse(*state, cases[i].text, &query), CAT_QUERY_OK);
        for (int w = 0; w < query.word_count; w++) {
            words = apr_pstrcat(*state, words, w ? " " : "", query.words[w], NULL);
        }
        assert_string_equal(words, cases[i].words);
    }
}

static void test_count_is_none_by_cursor_unless_sent(void **state)
{
    static const struct {
        const char *text;
        cat_count_t count;
        const char *parameters;
    } cases[] = {
        {"", CAT_COUNT_CAPPED, "&limit=10"},
        {"q=x&count=exact", CAT_COUNT_EXACT, "&q=x&count=exact&limit=10"},
        {"count=none", CAT_COUNT_NONE, "&count=none&limit=10"},
        {"cursor=", CAT_COUNT_NONE, "&limit=10"},
        {"cursor=&count=none", CAT_COUNT_NONE, "&limit=10"},
        {"cursor=&count=capped", CAT_COUNT_CAPPED, "&count=capped&limit=10"},
        {"cursor=&count=exact", CAT_COUNT_CAPPED, "&count=capped&limit=10"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query;

        assert_int_equal(parse(*state, cases[i].text, &query), CAT_QUERY_OK);
        assert_int_equal(query.count, cases[i].count);
        assert_string_equal(query.parameters, cases[i].parameters);
    }
}

static void test_cursor_is_sealed_to_conditions_and_order(void **state)
{
    static const char *const lists[] = {"",           "category=tea", "category[in]=tea",       "q=tea",
                                        "sort=price", "sort=-price",  "category=tea&sort=price"};
    static const cat_list_position_t positions[] = {{.n = 1}, {{"5"}, 1}};

    for (size_t i = 0; i < UNIT_COUNT(lists); i++) {
        cat_list_query_t begin, query;
        const char *cursor;

        assert_int_equal(parse(*state, apr_pstrcat(*state, "cursor=&", lists[i], NULL), &begin), CAT_QUERY_OK);
        cursor = cat_query_write_cursor(*state, &begin, &positions[!begin.is_plain]);
        for (size_t other = 0; other < UNIT_COUNT(lists); other++) {
            const char *text = apr_pstrcat(*state, "limit=5&fields=id&count=capped&facets=inStock&cursor=", cursor, "&",
                                           lists[other], NULL);
            assert_int_equal(parse(*state, text, &query), other == i ? CAT_QUERY_OK : CAT_QUERY_CURSOR_INVALID);
        }
    }
}

static void test_cursors_say_whether_the_list_was_widened(void **state)
{
    static const cat_list_position_t position = {{"5"}, 1};
    static const struct {
        const char *text;
        cat_query_outcome_t outcome;
    } cases[] = {
        {"q=tea", CAT_QUERY_OK},
        {"q=teas", CAT_QUERY_CURSOR_INVALID},
        {"q=tea&match=prefix", CAT_QUERY_CURSOR_INVALID},
        {"q=tea&match=exact", CAT_QUERY_CURSOR_INVALID},
        {"", CAT_QUERY_CURSOR_INVALID},
    };
    cat_list_query_t begin, query;
    const char *cursor;

    assert_int_equal(parse(*state, "cursor=&q=tea", &begin), CAT_QUERY_OK);
    assert_true(begin.can_widen && begin.width == CAT_WIDTH_ASKED);
    for (begin.width = CAT_WIDTH_UNKNOWN; begin.width <= CAT_WIDTH_ALL; begin.width++) {
        cursor = cat_query_write_cursor(*state, &begin, &position);
        for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
            const char *text = apr_pstrcat(*state, "cursor=", cursor, "&", cases[i].text, NULL);
            assert_int_equal(parse(*state, text, &query), cases[i].outcome);
            assert_true(query.width == begin.width || cases[i].outcome != CAT_QUERY_OK);
        }
    }
    begin.width = CAT_WIDTH_ASKED;
    cursor = cat_query_write_cursor(*state, &begin, &position);
    assert_int_equal(parse(*state, apr_pstrcat(*state, "q=tea&cursor=", cursor, NULL), &query), CAT_QUERY_OK);
    assert_int_equal(query.width, CAT_WIDTH_ASKED);
}

static void test_orders_need_their_index(void **state)
{
    static const struct {
        const char *text;
        int index;
    } cases[] = {
        {"sort=name", CAT_INDEX_NAME},
        {"sort=-price", CAT_INDEX_PRICE},
        {"sort=category", CAT_INDEX_CATEGORY},
        {"sort=createdAt,-rating", CAT_INDEX_RATING},
        {"q=x", CAT_INDEX_SEARCH},
        {"price[in]=1,2", CAT_INDEX_PRICE},
        {"category=x", CAT_INDEX_CATEGORY},
    };
    cat_conf_t conf = conf_with(*state);
    cat_list_query_t query;

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        int index = cases[i].index;
        conf.index = &index;
        assert_int_equal(cat_query_parse(*state, &conf, 0, 0, cases[i].text, &query), CAT_QUERY_OK);
        assert_int_equal(query.parts, cases[i].index);
        index = CAT_INDEX_ALL & ~cases[i].index;
        assert_int_equal(cat_query_parse(*state, &conf, 0, 0, cases[i].text, &query), CAT_QUERY_INVALID);
        assert_string_equal(json_string_value(json_object_get(json_array_get(query.errors, 0), "code")), "no_index");
        index = 0;
        assert_int_equal(cat_query_parse(*state, &conf, 0, 0, "sort=inStock,createdAt&inStock=true", &query),
                         CAT_QUERY_OK);
    }
}

static void test_canonical_spelling_is_bounded(void **state)
{
    const char *text = "category[in]=";
    cat_list_query_t query;

    for (int i = 0; i < 100; i++) {
        text = apr_psprintf(*state, "%s%s%0100d", text, i ? "," : "", i);
    }
    assert_int_equal(parse(*state, text, &query), CAT_QUERY_INVALID);
    assert_string_equal(json_string_value(json_object_get(json_array_get(query.errors, 0), "field")), "parameters");
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
        {0, "fields=name&fields=%zz", "fields unknown"},
        {0, "fields=name,price&fields=name", "fields unknown"},
        {0, "fields[]=name,price", "fields unknown"},
        {0, "facets[]=category,inStock", "facets unknown"},
        {0, "sort=name,price&sort=rating", "sort unknown"},
        {0, "sort[]=price&sort[]=-price", "sort duplicate"},
        {0, "sort=name&sort=price&sort=rating&sort=category", "sort too_many"},
        {0, "sort[0]=name", "sort[0] unknown"},
        {0, "category[]=tea", "category[] operator"},
        {0, "category[ne][]=tea", "category[ne][] operator"},
        {0, "category[in]=a&category[in]=%zz", "category[in] encoding"},
        {0, "price[in][]=1,2", "price[in] type"},
        {0, "fields=x&cursor=&cursor=", "fields unknown; cursor duplicate"},
        {1, "page=x&colour=red&fields=x", "colour unknown; fields unknown"},
        {1, "cursor=nonsense&x=1", "x unknown"},
        {0, "q=%ff", "q encoding"},
        {0, "q=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u", "q too_many"},
        {0, "q=a&q=b", "q duplicate"},
        {0, "sort=", "sort unknown"},
        {0, "sort=name,,price", "sort unknown"},
        {0, "sort=--name", "sort unknown"},
        {0, "sort=+name", "sort unknown"},
        {0, "sort=name,-name", "sort duplicate"},
        {0, "sort=name,price,rating,category", "sort too_many"},
        {0, "sort=name&sort=name", "sort duplicate"},
        {0, "q=a&match=", "match unknown"},
        {0, "q=a&match=wide", "match unknown"},
        {0, "q=a&match=exact&match=exact", "match duplicate"},
        {0, "q=a+ab+abc+abcd+abcde+b+ba+bab+baba+babab+c+ca+cac+caca+cacac+d+da+dad+dada+dadad+e&match=exact",
         "q too_many"},
        {0, "count=all", "count unknown"},
        {0, "count=%zz", "count unknown"},
        {0, "facets=name", "facets unknown"},
        {0, "facets=name:2", "facets unknown"},
        {0, "facets=category:0", "facets invalid"},
        {0, "facets=category:1001", "facets invalid"},
        {0, "price=x&colour[gte]=1&price[foo]=1&sort=x&q=%zz&cursor=x",
         "price type; colour[gte] unknown; price[foo] operator; sort unknown; q encoding"},
        {1, "page[]=1&limit[x]=2", "page[] unknown; limit[x] unknown"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(errors_of(*state, cases[i].strict, cases[i].text), cases[i].errors);
    }
}

/* A list in each of its spellings is the same question. */
static void test_lists_may_be_repeated(void **state)
{
    static const struct {
        const char *text, *parameters;
    } cases[] = {
        {"sort=-price&sort=name", "&sort=-price,name&limit=10"},
        {"sort[]=-price&limit=10&sort[]=name", "&sort=-price,name&limit=10"},
        {"sort%5B%5D=-price&sort=name", "&sort=-price,name&limit=10"},
        {"sort[]=price", "&sort=price&limit=10"},
        {"fields=price&fields=name&fields=price", "&fields=name,price&limit=10"},
        {"fields[]=price&fields[]=name", "&fields=name,price&limit=10"},
        {"facets=inStock&facets=category", "&facets=category,inStock&limit=10"},
        {"facets[]=inStock", "&facets=inStock&limit=10"},
        {"category[in]=a,b&category[in]=c", "&category%5Bin%5D=a%5C,b,c&limit=10"},
        {"category[in]=b&x=1&category%5Bin%5D=a", "&category%5Bin%5D=a,b&limit=10"},
        {"category[in][]=a,b", "&category%5Bin%5D=a%5C,b&limit=10"},
        {"category[in][]=a%5C,b&category[in][]=", "&category%5Bin%5D=,a%5C%5C%5C,b&limit=10"},
        {"price[in][]=2&price[in][]=1.0&price[in]=1", "&price%5Bin%5D=1,2&limit=10"},
        {"category[in]=a%5C,b", "&category%5Bin%5D=a%5C,b&limit=10"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query;
        assert_int_equal(parse(*state, cases[i].text, &query), CAT_QUERY_OK);
        assert_string_equal(query.parameters, cases[i].parameters);
    }
}

static void test_order_by_id(void **state)
{
    static const struct {
        const char *text, *sealed;
    } cases[] = {
        {"sort=id", "&sort=id"},
        {"sort=-id", "&sort=-id"},
        {"sort=id,name", "&sort=id"},
        {"sort=price,id", "&sort=price,id"},
        {"sort=price,-id,name", "&sort=price,-id"},
        {"sort=-createdAt,-id", ""},
        {"sort=createdAt,id", "&sort=createdAt"},
        {"sort=createdAt,-id", "&sort=createdAt,-id"},
        {"sort=price,createdAt,id", "&sort=price"},
        {"sort=price,-createdAt,id", "&sort=price,-createdAt"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query;
        assert_int_equal(parse(*state, cases[i].text, &query), CAT_QUERY_OK);
        assert_string_equal(query.sealed, cases[i].sealed);
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

static int take_own(void *baton, cat_parameters_t *, const cat_parameter_t *parameter)
{
    if (strcmp(parameter->name, "format") != 0) {
        return 0;
    }
    *(const char **)baton = parameter->value;
    return 1;
}

static void test_a_list_without_pages(void **state)
{
    const char *format = NULL;
    const cat_query_own_t own = {take_own, &format};
    cat_conf_t conf = conf_with(*state);
    cat_list_query_t query;

    assert_true(cat_query_parse_all(*state, &conf, 0, NULL, &own, &query));
    assert_true(query.is_plain);
    assert_int_equal(query.page, 0);
    assert_int_equal(query.after.n, CAT_LIST_KEY_MAX);
    assert_true(cat_query_parse_all(
        *state, &conf, 0, "sort=-price&page=2&format=csv&limit=3&category=tea&count=exact&cursor=&facets=category&x=1",
        &own, &query));
    assert_string_equal(query.sealed, "&category=tea&sort=-price");
    assert_string_equal(format, "csv");
    assert_false(query.is_plain);
    assert_int_equal(query.parts, CAT_INDEX_CATEGORY | CAT_INDEX_PRICE);
    assert_int_equal(query.page, 0);
    assert_int_equal(query.count, CAT_COUNT_NONE);
    assert_int_equal(query.has_facets, 0);
    assert_string_equal(apr_array_pstrcat(*state, query.ignored, ','), "page,limit,count,cursor,facets,x");
    assert_false(cat_query_parse_all(*state, &conf, 1, "limit=3", &own, &query));
    assert_false(cat_query_parse_all(*state, &conf, 0, "price[gte]=x", &own, &query));
    assert_non_null(query.errors);
}

static void test_what_a_word_begins_is_no_other(void **state)
{
    cat_query_others_t others = cat_query_others_begin(*state, "sofa");

    assert_null(cat_query_others_end(&others));
    cat_query_others_add(&others, "sofabed");
    cat_query_others_add(&others, "couch");
    cat_query_others_add(&others, "couches");
    cat_query_others_add(&others, "so");
    assert_string_equal(cat_query_others_end(&others)[0], "couch");
    assert_string_equal(cat_query_others_end(&others)[1], "so");
    assert_null(cat_query_others_end(&others)[2]);
}

static void test_others_are_bounded(void **state)
{
    cat_query_others_t others = cat_query_others_begin(*state, "sofa");

    for (int i = 10; i < 50; i++) {
        cat_query_others_add(&others, apr_itoa(*state, i));
    }
    assert_null(cat_query_others_end(&others)[CAT_QUERY_OTHERS_MAX]);
    assert_string_equal(cat_query_others_end(&others)[CAT_QUERY_OTHERS_MAX - 1], "41");
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
        UNIT_TEST(test_conditions_words_and_order_have_one_spelling),
        UNIT_TEST(test_words_are_folded_and_none_begins_another),
        UNIT_TEST(test_count_is_none_by_cursor_unless_sent),
        UNIT_TEST(test_cursor_is_sealed_to_conditions_and_order),
        UNIT_TEST(test_cursors_say_whether_the_list_was_widened),
        UNIT_TEST(test_orders_need_their_index),
        UNIT_TEST(test_canonical_spelling_is_bounded),
        UNIT_TEST(test_fields_are_a_set),
        UNIT_TEST(test_reports_all_errors_at_once),
        UNIT_TEST(test_lists_may_be_repeated),
        UNIT_TEST(test_order_by_id),
        UNIT_TEST(test_names_ignored_parameters),
        UNIT_TEST(test_a_list_without_pages),
        UNIT_TEST(test_what_a_word_begins_is_no_other),
        UNIT_TEST(test_others_are_bounded),
    };
    return UNIT_RUN(tests);
}
