/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "catalogue/query/field_list.h"

static const cat_field_set_t name_and_price = {{1U << CAT_PRODUCT_NAME | 1U << CAT_PRODUCT_PRICE}};

/* The names that the value is read as. */
static const char *parse(apr_pool_t *pool, const char *value, const cat_field_set_t *allowed, const json_t **errors)
{
    cat_parameter_t parameter = {"fields", value};
    cat_parameters_t p;
    cat_field_set_t fields;
    cat_buffer_t b;

    cat_parameters_init(&p, pool, 0, NULL);
    fields = cat_field_list_parse(&p, &cat_product_built_in, "fields", &parameter, allowed);
    *errors = p.errors;
    cat_buffer_init(&b, pool, 1);
    cat_field_list_write(&b, &cat_product_built_in, &fields);
    return cat_buffer_text(&b);
}

static void test_reads_names_in_any_order(void **state)
{
    const cat_field_set_t all = cat_field_list_without(&cat_product_built_in, 0);
    const json_t *errors;

    assert_string_equal(parse(*state, "price,name,price", &all, &errors), "name,price");
    assert_null(errors);
    assert_string_equal(parse(*state, "createdAt", &all, &errors), "createdAt");
    assert_null(errors);
}

static void test_refuses_names_of_no_allowed_field(void **state)
{
    static const char *const values[] = {NULL,  "",      ",",           "name,", ",name",
                                         "nam", "names", "name,rating", "Name",  "name;price"};
    const json_t *errors;

    for (size_t i = 0; i < UNIT_COUNT(values); i++) {
        assert_string_equal(parse(*state, values[i], &name_and_price, &errors), "name,price");
        assert_string_equal(cat_fields_summary(*state, errors), "fields must name only these fields: name,price");
    }
}

static void test_writes_and_selects_in_the_products_order(void **)
{
    const char *product[CAT_PRODUCT_FIELDS] = {"i", "n", "1", "c", "1", NULL, "0"}, *selected[CAT_FIELDS_MAX];
    cat_field_set_t fields = name_and_price;

    cat_field_set_add(&fields, CAT_PRODUCT_RATING);
    cat_field_list_select(&cat_product_built_in, &fields, product, selected);
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
