/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "catalogue/query/query_sort.h"

static const char *sort(apr_pool_t *pool, const char *value)
{
    cat_parameter_t parameter = {"sort", value};
    cat_query_sort_t order[CAT_LIST_SORT_MAX];
    cat_parameters_t p;
    cat_buffer_t b;
    int count, is_by_relevance;

    cat_parameters_init(&p, pool, 0, NULL);
    count = cat_query_sort_parse(&p, &(cat_conf_t){.enable = 1}, &parameter, order, &is_by_relevance);
    if (count == 0) {
        return json_string_value(json_object_get(json_array_get(p.errors, 0), "message"));
    }
    cat_buffer_init(&b, pool, 1);
    if (is_by_relevance) {
        CAT_BUFFER_LITERAL(&b, "by relevance, else ");
    }
    cat_query_sort_write(&b, &cat_product_built_in, order, count);
    return cat_buffer_text(&b);
}

static void test_reads_what_it_writes(void **state)
{
    static const char *const values[] = {
        "name",       "-name",           "category,price,-rating", "-inStock,name",       "createdAt",
        "-createdAt", "-createdAt,name", "price,-createdAt",       "price,createdAt,name"};

    for (size_t i = 0; i < UNIT_COUNT(values); i++) {
        assert_string_equal(sort(*state, values[i]), values[i]);
    }
}

static void test_leaves_out_a_last_time_in_the_first_direction(void **state)
{
    assert_string_equal(sort(*state, "price,createdAt"), "price");
    assert_string_equal(sort(*state, "-price,-createdAt"), "-price");
    assert_string_equal(sort(*state, "-price,name,-createdAt"), "-price,name");
    assert_string_equal(sort(*state, "-price,-name,createdAt"), "-price,-name,createdAt");
}

static void test_explains_faults(void **state)
{
    static const char *const unknown[] = {NULL,    "",       "-",      "x",     "ID",  "name,",
                                          ",name", "name,x", "--name", " name", "Name"};

    for (size_t i = 0; i < UNIT_COUNT(unknown); i++) {
        assert_string_equal(
            sort(*state, unknown[i]),
            "must name only these fields: id,name,price,category,inStock,rating,createdAt, each with \"-\" before "
            "it for descending order");
    }
    assert_string_equal(sort(*state, "name,-name"), "must name each field only once");
    assert_string_equal(sort(*state, "name,price,rating,category"), "must have at most 3 fields");
}

static void test_relevance_is_alone(void **state)
{
    assert_string_equal(sort(*state, "relevance"), "by relevance, else -createdAt");
    assert_string_equal(sort(*state, "relevance,name"), "must have relevance alone");
    assert_string_equal(sort(*state, "-price,relevance"), "must have relevance alone");
    assert_true(strstr(sort(*state, "-relevance"), "must name only these fields") != NULL);
}

static void test_default_is_newest_first(void **)
{
    cat_query_sort_t order[CAT_LIST_SORT_MAX];

    assert_int_equal(cat_query_sort_by_default(order), 1);
    assert_true(cat_query_sort_is_default(order, 1));
    assert_false(cat_query_sort_is_default(order, 2));
    order[0].descending = 0;
    assert_false(cat_query_sort_is_default(order, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_reads_what_it_writes),    UNIT_TEST(test_leaves_out_a_last_time_in_the_first_direction),
        UNIT_TEST(test_explains_faults),         UNIT_TEST(test_relevance_is_alone),
        UNIT_TEST(test_default_is_newest_first),
    };
    return UNIT_RUN(tests);
}
