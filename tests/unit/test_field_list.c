/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "catalogue/query/field_list.h"

#define NAME_AND_PRICE (CAT_FIELD_LIST_OF(CAT_PRODUCT_NAME) | CAT_FIELD_LIST_OF(CAT_PRODUCT_PRICE))

static unsigned parse(apr_pool_t *pool, const char *value, unsigned allowed, const json_t **errors)
{
    cat_parameter_t parameter = {"fields", value};
    cat_parameters_t p;
    unsigned fields;

    cat_parameters_init(&p, pool, 0, NULL);
    fields = cat_field_list_parse(&p, "fields", &parameter, allowed);
    *errors = p.errors;
    return fields;
}

static void test_reads_names_in_any_order(void **state)
{
    const json_t *errors;

    assert_int_equal(parse(*state, "price,name,price", CAT_FIELD_LIST_ALL, &errors), NAME_AND_PRICE);
    assert_null(errors);
    assert_int_equal(parse(*state, "createdAt", CAT_FIELD_LIST_ALL, &errors),
                     CAT_FIELD_LIST_OF(CAT_PRODUCT_CREATED_AT));
    assert_null(errors);
}

static void test_refuses_names_of_no_allowed_field(void **state)
{
    static const char *const values[] = {NULL,  "",      ",",           "name,", ",name",
                                         "nam", "names", "name,rating", "Name",  "name;price"};
    const json_t *errors;

    for (size_t i = 0; i < UNIT_COUNT(values); i++) {
        assert_int_equal(parse(*state, values[i], NAME_AND_PRICE, &errors), NAME_AND_PRICE);
        assert_string_equal(cat_fields_summary(*state, errors), "fields must name only these fields: name,price");
    }
}

static void test_writes_and_selects_in_the_products_order(void **state)
{
    const char *product[CAT_PRODUCT_FIELDS] = {"i", "n", "1", "c", "1", NULL, "0"}, *selected[CAT_PRODUCT_FIELDS];
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 1);
    cat_field_list_write(&b, NAME_AND_PRICE);
    assert_string_equal(cat_buffer_text(&b), "name,price");
    cat_field_list_select(NAME_AND_PRICE | CAT_FIELD_LIST_OF(CAT_PRODUCT_RATING), product, selected);
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        assert_ptr_equal(selected[i], i == CAT_PRODUCT_NAME || i == CAT_PRODUCT_PRICE ? product[i] : NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_reads_names_in_any_order),
        UNIT_TEST(test_refuses_names_of_no_allowed_field),
        UNIT_TEST(test_writes_and_selects_in_the_products_order),
    };
    return UNIT_RUN(tests);
}
