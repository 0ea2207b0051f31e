/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "catalogue/query/query_conditions.h"

#define ID "01a1fdf9-d28a-7c59-b8ec-c42b5a960857"

/* Takes all parameters; *others: how many were none. */
static cat_query_conditions_t *take(apr_pool_t *pool, const char *text, cat_parameters_t *p, int *others)
{
    cat_query_conditions_t *conditions = apr_pcalloc(pool, sizeof(*conditions));
    cat_parameter_t parameter;

    *others = 0;
    cat_parameters_init(p, pool, 0, text);
    while (cat_parameters_next(p, &parameter)) {
        *others += !cat_query_conditions_take(conditions, p, &(cat_conf_t){.enable = 1}, &parameter);
    }
    return conditions;
}

/* The canonical spelling of a query that has conditions alone. */
static const char *spell(apr_pool_t *pool, const char *text)
{
    cat_parameters_t p;
    cat_buffer_t b;
    int others;
    const cat_query_conditions_t *conditions = take(pool, text, &p, &others);

    assert_null(p.errors);
    assert_int_equal(others, 0);
    cat_buffer_init(&b, pool, 1);
    cat_query_conditions_write(&b, &cat_product_built_in, conditions->all, conditions->count);
    return cat_buffer_text(&b);
}

static void test_each_field_has_its_operators(void **state)
{
    static const struct {
        const char *field, *value, *operators;
    } cases[] = {
        {"id", ID, "in"},
        {"name", "x", "ne lt lte gt gte in prefix"},
        {"price", "5", "ne lt lte gt gte in"},
        {"category", "x", "ne lt lte gt gte in prefix"},
        {"inStock", "true", "in"},
        {"rating", "5", "ne lt lte gt gte in exists"},
        {"createdAt", "2026-11-21T09:30:00Z", "ne lt lte gt gte in"},
    };
    static const char *const operators[] = {"ne", "lt", "lte", "gt", "gte", "in", "prefix", "exists"};
    static const char *const others[] = {"", "eq", "EQ", "NE", "gtee", "gt e", "[gt]", "gt]", "gt]["};
    cat_parameters_t p;
    int rest;

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        take(*state, apr_pstrcat(*state, cases[i].field, "=", cases[i].value, NULL), &p, &rest);
        assert_null(p.errors);
        for (size_t op = 0; op < UNIT_COUNT(operators); op++) {
            const char *value = strcmp(operators[op], "exists") == 0 ? "true" : cases[i].value;
            const char *has = strstr(apr_pstrcat(*state, " ", cases[i].operators, " ", NULL),
                                     apr_pstrcat(*state, " ", operators[op], " ", NULL));
            take(*state, apr_pstrcat(*state, cases[i].field, "[", operators[op], "]=", value, NULL), &p, &rest);
            assert_int_equal(p.errors == NULL, has != NULL);
        }
        for (size_t op = 0; op < UNIT_COUNT(others); op++) {
            take(*state, apr_pstrcat(*state, cases[i].field, "[", others[op], "]=", cases[i].value, NULL), &p, &rest);
            assert_int_equal(json_array_size(p.errors), 1);
            assert_int_equal(rest, 0);
        }
    }
}

static void test_values_have_one_spelling(void **state)
{
    static const struct {
        const char *text, *spelling;
    } cases[] = {
        {"category=", "&category="},
        {"name=Red+Kettle", "&name=Red%20Kettle"},
        {"name=a%2Cb\\", "&name=a,b%5C"},
        {"price=5.00", "&price=5"},
        {"price=-0.0", "&price=0"},
        {"price=1E2", "&price=100"},
        {"price=-7", "&price=-7"},
        {"price=0.30000000000000004", "&price=0.30000000000000004"},
        {"price=100000000000000000000000", "&price=1e%2B23"},
        {"inStock=true", "&inStock=true"},
        {"rating[exists]=false", "&rating%5Bexists%5D=false"},
        {"createdAt[gt]=2026-11-21T11:30:00%2B02:00", "&createdAt%5Bgt%5D=2026-11-21T09%3A30%3A00.000Z"},
        {"createdAt=2026-11-21t09:30:00.5z", "&createdAt=2026-11-21T09%3A30%3A00.500Z"},
        {"id=" ID, "&id=" ID},
        {"category[in]=b,a,,b", "&category%5Bin%5D=,a,b"},
        {"category=", "&category="},
        {"category[in]=,tea", "&category%5Bin%5D=,tea"},
        {"category[in]=a%5C,b,c%5C%5C,d%5Ce", "&category%5Bin%5D=a%5C,b,c%5C%5C,d%5C%5Ce"},
        {"price[in]=2,1.0,1,10", "&price%5Bin%5D=1,10,2"},
        {"inStock[in]=true,false", "&inStock%5Bin%5D=false,true"},
        {"rating[gte]=4&price[lt]=5&price=3&name[prefix]=K",
         "&name%5Bprefix%5D=K&price=3&price%5Blt%5D=5&rating%5Bgte%5D=4"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const char *spelling = spell(*state, cases[i].text);
        assert_string_equal(spelling, cases[i].spelling);
        assert_string_equal(spell(*state, spelling + 1), spelling);
    }
}

static const cat_query_value_t *value_of(apr_pool_t *pool, const char *text)
{
    cat_parameters_t p;
    int others;
    const cat_query_conditions_t *conditions = take(pool, text, &p, &others);

    assert_int_equal(conditions->count, 1);
    assert_int_equal(conditions->all->count, 1);
    return conditions->all->values;
}

static void test_values_are_typed(void **state)
{
    double price = 19.99;
    apr_int64_t key;

    memcpy(&key, &price, sizeof(key));
    assert_string_equal(value_of(*state, "name=K%C3%89ttle")->text, "K\xc3\x89ttle");
    assert_string_equal(value_of(*state, "name=K%C3%89ttle")->folded, "kettle");
    assert_null(value_of(*state, "id=" ID)->folded);
    assert_string_equal(value_of(*state, "price=19.990")->text, "19.99");
    assert_true(value_of(*state, "price=19.990")->key == key);
    assert_true(value_of(*state, "price=0")->key == 0);
    assert_true(value_of(*state, "price=-0.0")->key == 0);
    assert_true(value_of(*state, "price[gt]=-1e300")->key == CAT_QUERY_BELOW_ALL);
    assert_true(value_of(*state, "inStock=true")->key == 1);
    assert_string_equal(value_of(*state, "inStock=false")->text, "0");
    assert_true(value_of(*state, "rating[exists]=true")->key == 1);
    assert_true(value_of(*state, "createdAt=1970-01-01T00:00:01.002Z")->key == 1002);
    assert_string_equal(value_of(*state, "createdAt=1970-01-01T00:00:01.002Z")->text, "1002");
}

/* "field code; field code" */
static const char *faults(apr_pool_t *pool, const char *text)
{
    const char *codes = "";
    cat_parameters_t p;
    size_t i;
    int others;
    json_t *error;

    take(pool, text, &p, &others);
    json_array_foreach (p.errors, i, error) {
        codes = apr_pstrcat(pool, codes, i ? "; " : "", json_string_value(json_object_get(error, "field")), " ",
                            json_string_value(json_object_get(error, "code")), NULL);
    }
    return codes;
}

static void test_reports_faults(void **state)
{
    static const struct {
        const char *text, *faults;
    } cases[] = {
        {"price=", "price type"},
        {"price", "price type"},
        {"price=x", "price type"},
        {"price=%2B5", "price type"},
        {"price=+5", "price type"},
        {"price=5+", "price type"},
        {"price=05", "price type"},
        {"price=.5", "price type"},
        {"price=5.", "price type"},
        {"price=0x5", "price type"},
        {"price=1e999", "price type"},
        {"price=NaN", "price type"},
        {"price=%225%22", "price type"},
        {"price=[5]", "price type"},
        {"inStock=1", "inStock type"},
        {"inStock=True", "inStock type"},
        {"rating[exists]=1", "rating[exists] type"},
        {"createdAt=2026-11-21", "createdAt format"},
        {"createdAt=2026-11-21T11:30:00+02:00", "createdAt format"},
        {"createdAt=1763731170442", "createdAt format"},
        {"id=x", "id format"},
        {"id[in]=" ID ",x", "id[in] format"},
        {"name=", "name too_short"},
        {"name[prefix]=", "name[prefix] too_short"},
        {"category[prefix]=", "category[prefix] too_short"},
        {"category[prefix]=%CC%81", "category[prefix] too_short"},
        {"category=%ff", "category encoding"},
        {"category=%zz", "category encoding"},
        {"category[in]=%zz", "category[in] encoding"},
        {"price[in]=1,,2", "price[in] type"},
        {"category[in]=", "category[in] too_short"},
        {"category[in]=,", "category[in] too_short"},
        {"category[in]", "category[in] too_short"},
        {"category[in][]=&category[in][]=", "category[in] too_short"},
        {"id[in]=", "id[in] too_short"},
        {"price[in]=&inStock[in]=&createdAt[in]=",
         "price[in] too_short; inStock[in] too_short; createdAt[in] too_short"},
        {"price[foo]=1", "price[foo] operator"},
        {"price[gte=1", "price[gte operator"},
        {"colour[gte]=1", "colour[gte] unknown"},
        {"[gte]=1", "[gte] unknown"},
        {"price[gte]=1&price%5Bgte%5D=2&price[gte]=3", "price[gte] duplicate"},
        {"price=x&price=1", "price type; price duplicate"},
        {"price=x&inStock=y&category=%zz&price[gt]=1", "price type; inStock type; category encoding"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(faults(*state, cases[i].text), cases[i].faults);
    }
}

static const char *repeat(apr_pool_t *pool, const char *begin, const char *item, int count)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_buffer_add_text(&b, begin);
    for (int i = 0; i < count; i++) {
        cat_buffer_add_text(&b, item);
    }
    return cat_buffer_text(&b);
}

static void test_texts_and_lists_have_a_most(void **state)
{
    assert_string_equal(faults(*state, repeat(*state, "category=", "\xc3\xbc", 100)), "");
    assert_string_equal(faults(*state, repeat(*state, "category=", "\xc3\xbc", 101)), "category too_long");
    assert_string_equal(faults(*state, repeat(*state, "name[prefix]=", "x", 201)), "name[prefix] too_long");
    assert_string_equal(faults(*state, repeat(*state, "price[in]=1", ",2", 99)), "");
    assert_string_equal(faults(*state, repeat(*state, "price[in]=1", ",2", 100)), "price[in] too_many");
    assert_string_equal(faults(*state, repeat(*state, "price[in]=1", ",", 100000)), "price[in] type");
}

static void test_more_than_twenty_conditions_are_one_fault(void **state)
{
    static const char *const names[] = {"name", "category", "price", "rating"};
    static const char *const operators[] = {"[ne]", "[lt]", "[lte]", "[gt]", "[gte]"};
    const char *text = "";

    for (size_t i = 0; i < 20; i++) {
        text = apr_pstrcat(*state, text, names[i / 5], operators[i % 5], "=1&", NULL);
    }
    assert_string_equal(faults(*state, text), "");
    assert_string_equal(faults(*state, apr_pstrcat(*state, text, "name=x&price=y&rating=z", NULL)), "name too_many");
}

static void test_other_parameters_are_left(void **state)
{
    cat_parameters_t p;
    int others;

    take(*state, "page=1&q=x&names=x&Name=x&colour=red&pric=1&a%5D=1", &p, &others);
    assert_int_equal(others, 7);
    assert_null(p.errors);
}

static void test_names_of_no_condition_are_bounded(void **state)
{
    cat_parameters_t p;
    int others;

    take(*state, repeat(*state, "", "x[]=1&", 1000), &p, &others);
    assert_int_equal(others, 0);
    assert_int_equal(json_array_size(p.errors), CAT_FIELDS_UNKNOWN_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_field_has_its_operators),
        UNIT_TEST(test_values_have_one_spelling),
        UNIT_TEST(test_values_are_typed),
        UNIT_TEST(test_reports_faults),
        UNIT_TEST(test_texts_and_lists_have_a_most),
        UNIT_TEST(test_more_than_twenty_conditions_are_one_fault),
        UNIT_TEST(test_other_parameters_are_left),
        UNIT_TEST(test_names_of_no_condition_are_bounded),
    };
    return UNIT_RUN(tests);
}
