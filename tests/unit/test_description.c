/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "http/description.h"
#include "lib/json.h"

static cat_describer_t begin(apr_pool_t *pool)
{
    return (cat_describer_t){.pool = pool,
                             .schemas = cat_json_own(pool, json_object()),
                             .components = cat_json_own(pool, json_object()),
                             .parameters = cat_json_own(pool, json_array()),
                             .group = "things"};
}

static void expect(apr_pool_t *pool, const json_t *value, const char *expected)
{
    assert_string_equal(cat_json_text(pool, value), expected);
}

static void test_parameters_are_components(void **state)
{
    cat_describer_t d = begin(*state);

    cat_description_add_parameter(&d, "price[gte]", "At least", json_pack("{s:s}", "type", "number"), json_integer(5));
    cat_description_add_parameter(&d, "sort", "The order", json_pack("{s:s}", "type", "array"), NULL);
    expect(*state, d.components,
           "{\"things.price.gte\":{\"name\":\"price[gte]\",\"in\":\"query\",\"description\":\"At least.\","
           "\"schema\":{\"type\":\"number\"},\"example\":5},"
           "\"things.sort\":{\"name\":\"sort\",\"in\":\"query\",\"description\":\"The order.\","
           "\"schema\":{\"type\":\"array\"},\"explode\":true}}");
    expect(
        *state, d.parameters,
        "[{\"$ref\":\"#/components/parameters/things.price.gte\"},{\"$ref\":\"#/components/parameters/things.sort\"}]");
}

static void test_of_two_schemas_with_a_name_the_first_stays(void **state)
{
    cat_describer_t d = begin(*state);

    expect(*state, cat_json_own(*state, cat_description_add_schema(&d, "Thing", json_integer(1))),
           "{\"$ref\":\"#/components/schemas/Thing\"}");
    expect(*state, cat_json_own(*state, cat_description_add_schema(&d, "Thing", json_integer(2))),
           "{\"$ref\":\"#/components/schemas/Thing\"}");
    expect(*state, d.schemas, "{\"Thing\":1}");
}

static void test_words_may_have_a_default(void **state)
{
    static const char *const words[] = {"one", "two", NULL};

    expect(*state, cat_json_own(*state, cat_description_words(words, 1)),
           "{\"type\":\"string\",\"enum\":[\"one\",\"two\"],\"default\":\"two\"}");
    expect(*state, cat_json_own(*state, cat_description_words(words, -1)),
           "{\"type\":\"string\",\"enum\":[\"one\",\"two\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_parameters_are_components),
        UNIT_TEST(test_of_two_schemas_with_a_name_the_first_stays),
        UNIT_TEST(test_words_may_have_a_default),
    };
    return UNIT_RUN(tests);
}
