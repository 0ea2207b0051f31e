/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "http/options.h"

static const char *const formats[] = {"ndjson", "csv", "json", NULL};
static const char *const no_or_yes[] = {"0", "1", NULL};

/* Returns "<format><safe>", followed by the faults. */
static const char *parse(apr_pool_t *pool, const char *query)
{
    cat_option_t options[] = {
        {"format", "How", formats, 0, 0}, {"safe", "Whether", no_or_yes, 1, 0}, {NULL, NULL, NULL, 0, 0}};
    cat_parameters_t p;
    cat_parameter_t parameter;
    const char *text;
    json_t *error;
    size_t i;

    cat_parameters_init(&p, pool, 1, query);
    while (cat_parameters_next(&p, &parameter)) {
        if (!cat_options_take(&p, options, &parameter)) {
            cat_parameters_add_unknown(&p, parameter.name);
        }
    }
    text = apr_psprintf(pool, "%d%d", options[0].chosen, options[1].chosen);
    json_array_foreach (p.errors, i, error) {
        text = apr_pstrcat(pool, text, " ", json_string_value(json_object_get(error, "field")), ":",
                           json_string_value(json_object_get(error, "code")), NULL);
    }
    return text;
}

static void test_words_are_chosen(void **state)
{
    assert_string_equal(parse(*state, NULL), "01");
    assert_string_equal(parse(*state, ""), "01");
    assert_string_equal(parse(*state, "format=csv"), "11");
    assert_string_equal(parse(*state, "safe=0&format=j%73on"), "20");
}

static void test_faults_are_reported_at_once(void **state)
{
    assert_string_equal(parse(*state, "format=xml&safe&safe=1&x=1"),
                        "01 format:choice safe:choice safe:duplicate x:unknown");
    assert_string_equal(parse(*state, "format=%zz"), "01 format:choice");
    assert_string_equal(parse(*state, "format="), "01 format:choice");
}

static void test_a_fault_names_the_words(void **state)
{
    cat_option_t options[] = {{"format", "How", formats, 0, 0}, {NULL, NULL, NULL, 0, 0}};
    const cat_parameter_t parameter = {"format", "xml"};
    cat_parameters_t p;

    cat_parameters_init(&p, *state, 0, NULL);
    assert_true(cat_options_take(&p, options, &parameter));
    assert_string_equal(json_string_value(json_object_get(json_array_get(p.errors, 0), "message")),
                        "must be ndjson, csv or json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_words_are_chosen),
        UNIT_TEST(test_faults_are_reported_at_once),
        UNIT_TEST(test_a_fault_names_the_words),
    };
    return UNIT_RUN(tests);
}
