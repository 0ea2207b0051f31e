/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "catalogue/transfer/export_format.h"
#include "catalogue/query/field_list.h"

static const char *const rated[CAT_PRODUCT_FIELDS] = {"id-1", "=1+1", "19.99", "", "1", "4.5", "1763731170123"};
static const char *const unrated[CAT_PRODUCT_FIELDS] = {"id-2", "a, \"b\"", "-1", "-x", "0", NULL, "0"};

static const cat_export_style_t plain = {.delimiter = ','}, safe = {.delimiter = ',', .is_safe = 1};

static const char *write_fields(apr_pool_t *pool, const char *name, const cat_export_style_t *wanted,
                                cat_field_set_t fields, int count)
{
    cat_export_style_t style = *wanted;
    const cat_export_format_t *format = cat_export_format_find(name);
    const char *const *const products[] = {rated, unrated};
    cat_buffer_t b;

    style.all = &cat_product_built_in;
    style.fields = fields;
    assert_non_null(format);
    assert_string_equal(format->name, name);
    cat_buffer_init(&b, pool, 1);
    format->begin(&b, &style);
    for (int i = 0; i < count; i++) {
        format->add(&b, &style, products[i], i == 0);
    }
    format->end(&b);
    return cat_buffer_text(&b);
}

static const char *write_file(apr_pool_t *pool, const char *name, int is_safe, int count)
{
    return write_fields(pool, name, is_safe ? &safe : &plain, cat_field_list_without(&cat_product_built_in, 0), count);
}

#define FIRST                                                                                                          \
    "{\"id\":\"id-1\",\"name\":\"=1+1\",\"price\":19.99,\"category\":\"\",\"inStock\":true,\"rating\":4.5,"            \
    "\"createdAt\":\"2025-11-21T13:19:30.123Z\"}"
#define SECOND                                                                                                         \
    "{\"id\":\"id-2\",\"name\":\"a, \\\"b\\\"\",\"price\":-1,\"category\":\"-x\",\"inStock\":false,"                   \
    "\"createdAt\":\"1970-01-01T00:00:00.000Z\"}"
#define HEADER "id,name,price,category,inStock,rating,createdAt\r\n"

static void test_json_has_an_array_or_lines(void **state)
{
    assert_string_equal(write_file(*state, "json", 0, 0), "[\n]\n");
    assert_string_equal(write_file(*state, "json", 1, 2), "[\n" FIRST ",\n" SECOND "\n]\n");
    assert_string_equal(write_file(*state, "ndjson", 0, 0), "");
    assert_string_equal(write_file(*state, "ndjson", 1, 2), FIRST "\n" SECOND "\n");
}

static void test_csv_has_a_header_and_cells(void **state)
{
    assert_string_equal(write_file(*state, "csv", 0, 0), HEADER);
    assert_string_equal(write_file(*state, "csv", 0, 2),
                        HEADER "id-1,=1+1,19.99,\"\",true,4.5,2025-11-21T13:19:30.123Z\r\n"
                               "id-2,\"a, \"\"b\"\"\",-1,-x,false,,1970-01-01T00:00:00.000Z\r\n");
}

static void test_safe_csv_has_no_formulas(void **state)
{
    assert_string_equal(write_file(*state, "csv", 1, 2),
                        HEADER "id-1,'=1+1,19.99,\"\",true,4.5,2025-11-21T13:19:30.123Z\r\n"
                               "id-2,\"a, \"\"b\"\"\",-1,'-x,false,,1970-01-01T00:00:00.000Z\r\n");
}

static void test_some_fields_are_written(void **state)
{
    const cat_field_set_t fields = {{1U << CAT_PRODUCT_PRICE | 1U << CAT_PRODUCT_RATING}};

    assert_string_equal(write_fields(*state, "csv", &plain, fields, 2), "price,rating\r\n19.99,4.5\r\n-1,\r\n");
    assert_string_equal(write_fields(*state, "ndjson", &plain, fields, 2),
                        "{\"price\":19.99,\"rating\":4.5}\n{\"price\":-1}\n");
}

static void test_csv_is_written_as_spreadsheets_read_it(void **state)
{
    const cat_field_set_t fields = {{1U << CAT_PRODUCT_NAME | 1U << CAT_PRODUCT_PRICE | 1U << CAT_PRODUCT_RATING}};
    const cat_export_style_t german = {.delimiter = ';', .has_comma = 1, .has_mark = 1},
                             both = {.delimiter = ',', .has_comma = 1};

    assert_string_equal(write_fields(*state, "csv", &german, fields, 2),
                        "\xef\xbb\xbfname;price;rating\r\n=1+1;\"19,99\";\"4,5\"\r\n\"a, \"\"b\"\"\";-1;\r\n");
    assert_string_equal(write_fields(*state, "csv", &both, fields, 1),
                        "name,price,rating\r\n=1+1,\"19,99\",\"4,5\"\r\n");
    assert_string_equal(write_fields(*state, "ndjson", &german, fields, 1),
                        "{\"name\":\"=1+1\",\"price\":19.99,\"rating\":4.5}\n");
}

static void test_other_names_are_no_formats(void **)
{
    assert_null(cat_export_format_find(""));
    assert_null(cat_export_format_find("CSV"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_json_has_an_array_or_lines),
        UNIT_TEST(test_csv_has_a_header_and_cells),
        UNIT_TEST(test_safe_csv_has_no_formulas),
        UNIT_TEST(test_some_fields_are_written),
        UNIT_TEST(test_csv_is_written_as_spreadsheets_read_it),
        UNIT_TEST(test_other_names_are_no_formats),
    };
    return UNIT_RUN(tests);
}
