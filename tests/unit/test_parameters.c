/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "http/parameters.h"
#include "lib/fields.h"
#include "lib/number.h"

/* Returns "name=value|name=value", with "(none)" for a value that cannot be decoded. */
static const char *split(apr_pool_t *pool, const char *text)
{
    const char *all = "";
    cat_parameters_t p;
    cat_parameter_t parameter;

    cat_parameters_init(&p, pool, 0, text);
    while (cat_parameters_next(&p, &parameter)) {
        all = apr_pstrcat(pool, all, *all ? "|" : "", parameter.name, "=", parameter.value ? parameter.value : "(none)",
                          NULL);
    }
    return all;
}

static void test_splits_and_decodes(void **state)
{
    static const struct {
        const char *text, *all;
    } cases[] = {
        {NULL, ""},
        {"", ""},
        {"&&", ""},
        {"a=1", "a=1"},
        {"a=1&b=2", "a=1|b=2"},
        {"&a=1&&b=2&", "a=1|b=2"},
        {"a", "a="},
        {"a=", "a="},
        {"=a&b=1", "b=1"},
        {"a=b=c", "a=b=c"},
        {"a=1+2%2B3", "a=1 2+3"},
        {"price%5Bgte%5D=5", "price[gte]=5"},
        {"price[gte]=5", "price[gte]=5"},
        {"a%3D=1", "a==1"},
        {"a=%c3%bc", "a=\xc3\xbc"},
        {"a=\xc3\xbc", "a=\xc3\xbc"},
        {"a=%ff", "a=(none)"},
        {"a=\xff", "a=(none)"},
        {"a=%ed%a0%80", "a=(none)"}, /* A surrogate. */
        {"a=%zz", "a=(none)"},
        {"a=%", "a=(none)"},
        {"a=1%00", "a=(none)"},
        {"%zz=1", "%zz=1"},
        {"%00=1", "%00=1"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(split(*state, cases[i].text), cases[i].all);
    }
}

/* A value without a name is refused only in strict mode. */
static void test_values_without_name(void **state)
{
    cat_parameters_t p;
    cat_parameter_t parameter;

    cat_parameters_init(&p, *state, 1, "&=tea&&");
    assert_true(cat_parameters_next(&p, &parameter));
    assert_string_equal(parameter.name, "");
    assert_string_equal(parameter.value, "tea");
    assert_false(cat_parameters_next(&p, &parameter));
}

static void test_unknown_parameters_are_ignored_and_named(void **state)
{
    cat_parameters_t p;

    cat_parameters_init(&p, *state, 0, NULL);
    assert_null(p.ignored);
    for (int i = 0; i < CAT_FIELDS_UNKNOWN_MAX + 5; i++) {
        cat_parameters_add_unknown(&p, "colour");
    }
    assert_null(p.errors);
    assert_int_equal(p.ignored->nelts, CAT_FIELDS_UNKNOWN_MAX);
    assert_string_equal(APR_ARRAY_IDX(p.ignored, 0, const char *), "colour");
}

static void test_unknown_parameters_are_faults_if_strict(void **state)
{
    cat_parameters_t p;

    cat_parameters_init(&p, *state, 1, NULL);
    cat_parameters_add_unknown(&p, "colour");
    cat_parameters_add_unknown(&p, "\xff");
    cat_parameters_add_repeated(&p, "fields");
    assert_null(p.ignored);
    assert_string_equal(
        cat_fields_summary(*state, p.errors),
        "colour is not a known parameter; %FF is not a known parameter; fields must be given only once");
    for (int i = 0; i < CAT_FIELDS_UNKNOWN_MAX + 5; i++) {
        cat_parameters_add_unknown(&p, "colour");
    }
    assert_int_equal(json_array_size(p.errors), CAT_FIELDS_UNKNOWN_MAX + 1);
}

static void test_page_and_limit_are_forgiving(void **)
{
    static const struct {
        const char *value;
        apr_int64_t page, limit; /* The default limit is 10, and the maximum 100. */
    } cases[] = {
        {"2", 2, 2},    {"100", 100, 100}, {"101", 101, 100}, {"99999999999999999999", CAT_NUMBER_SAFE_MAX, 100},
        {"0", 1, 10},   {"-5", 1, 10},     {"", 1, 10},       {"1.5", 1, 10},
        {"two", 1, 10}, {NULL, 1, 10},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_parameter_t parameter = {"page", cases[i].value};
        assert_int_equal(cat_parameters_parse_page(&parameter), cases[i].page);
        assert_int_equal(cat_parameters_parse_limit(&parameter, 10, 100), cases[i].limit);
    }
}

static void keep_value(void *query, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    const char **kept = query;
    *kept = apr_pstrcat(p->pool, *kept, parameter->name, "=", parameter->value, ";", NULL);
}

static const cat_parameter_row_t plain[] = {
    {"page", 1, keep_value, cat_parameters_describe_page, "The page", "2"},
    {"q", 0, keep_value, cat_parameters_describe_text, "The words", "\"tea\""},
    CAT_PARAMETERS_END,
};

static void test_a_table_says_who_parses_what(void **state)
{
    const char *kept = "";
    cat_parameters_t p;

    cat_parameters_init(&p, *state, 0, "q=a&page=1&colour=blue&page=2&q=b");
    cat_parameters_parse(&p, plain, &kept);
    assert_string_equal(kept, "q=a;page=1;");
    assert_string_equal(cat_fields_summary(*state, p.errors), "q must be given only once");
    assert_string_equal(APR_ARRAY_IDX(p.ignored, 0, const char *), "colour");
}

static void test_a_table_with_conditions_refuses_others(void **state)
{
    static const cat_parameter_row_t rows[] = {
        {"page", 1, keep_value, cat_parameters_describe_page, "The page", "2"},
        {"q", 0, keep_value, cat_parameters_describe_text, "The words", "\"tea\""},
        {"name[prefix]", 0, keep_value, cat_parameters_describe_text, "The beginning", "\"te\""},
        CAT_PARAMETERS_END,
    };
    const char *kept = "";
    cat_parameters_t p;

    cat_parameters_init(&p, *state, 0,
                        "name[prefix]=a&name[ne]=b&name[prefix=c&[]=d&q[]=e&pages[]=f&page[]=2&name=g&colour=h");
    cat_parameters_parse(&p, rows, &kept);
    assert_string_equal(kept, "name[prefix]=a;");
    assert_string_equal(
        cat_fields_summary(*state, p.errors),
        "name[ne] is not a known condition; name[prefix is not a known condition; did you mean name[prefix]?; "
        "[] is not a known condition; q[] is not a known condition; pages[] is not a known condition");
    assert_int_equal(p.ignored->nelts, 3);
    assert_string_equal(APR_ARRAY_IDX(p.ignored, 0, const char *), "page[]");

    cat_parameters_init(&p, *state, 0, "q[]=a&page[]=2");
    cat_parameters_parse(&p, plain, &kept);
    assert_null(p.errors);
}

static void test_a_choice_is_one_of_a_list(void **state)
{
    static const char *const choices[] = {"name", "time", NULL};
    const cat_parameter_t parameter = {"sort", "-time"};
    cat_parameters_t p;

    cat_parameters_init(&p, *state, 0, NULL);
    assert_int_equal(cat_parameters_choose(&p, &parameter, "time", choices, "must be name or time"), 1);
    assert_null(p.errors);
    assert_int_equal(cat_parameters_choose(&p, &parameter, "-time", choices, "must be name or time"), -1);
    assert_int_equal(cat_parameters_choose(&p, &parameter, NULL, choices, "must be name or time"), -1);
    assert_int_equal(json_array_size(p.errors), 2);
}

static void test_what_is_written_decodes_to_the_same(void **state)
{
    static const char *const texts[] = {"", "a", "red & blue", "100 %", "a,b=c", "\xc3\xbc", "<>\"#[]\\", "\n\x7f"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        cat_buffer_t b;

        cat_buffer_init(&b, *state, 1);
        CAT_BUFFER_LITERAL(&b, "x=");
        cat_parameters_write(&b, texts[i]);
        assert_string_equal(split(*state, cat_buffer_text(&b)), apr_pstrcat(*state, "x=", texts[i], NULL));
        assert_null(strpbrk(cat_buffer_text(&b), " &<>\"#[]\\\n"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_splits_and_decodes),
        UNIT_TEST(test_values_without_name),
        UNIT_TEST(test_unknown_parameters_are_ignored_and_named),
        UNIT_TEST(test_unknown_parameters_are_faults_if_strict),
        UNIT_TEST(test_page_and_limit_are_forgiving),
        UNIT_TEST(test_a_table_says_who_parses_what),
        UNIT_TEST(test_a_table_with_conditions_refuses_others),
        UNIT_TEST(test_a_choice_is_one_of_a_list),
        UNIT_TEST(test_what_is_written_decodes_to_the_same),
    };
    return UNIT_RUN(tests);
}
