/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "unit_select_text.h"

#include "catalogue/search/order.h"

static void test_order_and_position_are_written(void **state)
{
    static const struct {
        const char *driver;
        cat_query_sort_t sort[2];
        int sort_count;
        const char *text, *values;
    } cases[] = {
        {"sqlite3",
         {{CAT_PRODUCT_PRICE, 1}},
         1,
         " WHERE (p.price_key, p.n) < (%s + 0, %s + 0) ORDER BY p.price_key DESC, p.n DESC",
         "5|7340033"},
        {"sqlite3", {{CAT_PRODUCT_CREATED_AT, 0}}, 1, " WHERE p.n > CAST(%s AS INTEGER) ORDER BY p.n", "7340033"},
        {"mysql",
         {{CAT_PRODUCT_PRICE, 1}},
         1,
         " WHERE ((p.price_key < CAST(%s AS SIGNED)) OR (p.price_key = CAST(%s AS SIGNED) AND p.n < CAST(%s AS "
         "SIGNED)))"
         " ORDER BY p.price_key DESC, p.n DESC",
         "5|5|7340033"},
        {"mysql", {{CAT_PRODUCT_ID, 1}}, 1, " WHERE p.n < CAST(%s AS SIGNED) ORDER BY p.n DESC", "7340033"},
        /* The products of one millisecond, 7, are ordered by another field. */
        {"sqlite3",
         {{CAT_PRODUCT_CREATED_AT, 1}, {CAT_PRODUCT_PRICE, 1}},
         2,
         " WHERE p.n < CAST(%s AS INTEGER) AND ((p.n < CAST(%s AS INTEGER))"
         " OR ((p.n >= CAST(%s AS INTEGER) AND p.n < CAST(%s AS INTEGER)) AND p.price_key < CAST(%s AS INTEGER))"
         " OR ((p.n >= CAST(%s AS INTEGER) AND p.n < CAST(%s AS INTEGER)) AND p.price_key = CAST(%s AS INTEGER)"
         " AND p.n < CAST(%s AS INTEGER))) ORDER BY (p.n >> 20) DESC, p.price_key DESC, p.n DESC",
         "8388608|7340032|7340032|8388608|5|7340032|8388608|5|7340033"},
        {"pgsql",
         {{CAT_PRODUCT_CREATED_AT, 0}, {CAT_PRODUCT_ID, 1}},
         2,
         " WHERE p.n >= %s AND ((p.n >= %s) OR ((p.n >= %s AND p.n < %s) AND p.n < %s))"
         " ORDER BY (p.n >> 20), p.n DESC",
         "7340032|8388608|7340032|8388608|7340033"},
        {"pgsql", {{CAT_PRODUCT_CREATED_AT, 0}, {CAT_PRODUCT_ID, 0}}, 2, " WHERE p.n > %s ORDER BY p.n", "7340033"},
        {"pgsql",
         {{CAT_PRODUCT_PRICE, 1}, {CAT_PRODUCT_NAME, 0}},
         2,
         " WHERE p.price_key <= %s AND ((p.price_key < %s) OR (p.price_key = %s AND p.name_key > %s)"
         " OR (p.price_key = %s AND p.name_key = %s AND p.n < %s))"
         " ORDER BY p.price_key DESC, p.name_key, p.n DESC",
         "5|5|5|n|5|n|7340033"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_list_query_t query = {.limit = 10, .after.n = (7 << 20) + 1, .sort_count = cases[i].sort_count};
        cat_select_text_t s = unit_begin_text(*state, cases[i].driver);
        cat_order_t order;

        memcpy(query.sort, cases[i].sort, sizeof(cases[i].sort));
        for (int k = 0; k < 2; k++) {
            query.after.values[k] = query.sort[k].field == CAT_PRODUCT_CREATED_AT ? "7"
                                    : query.sort[k].field == CAT_PRODUCT_PRICE    ? "5"
                                                                                  : "n";
        }
        order = cat_order_make(*state, &query);
        cat_order_add_after(&s, &order, 0);
        cat_order_add(&s, &order, 0, NULL);
        assert_string_equal(cat_buffer_text(&s.text), cases[i].text);
        assert_string_equal(unit_values_of(&s), cases[i].values);
    }
}

static void test_beginning_of_the_list_has_no_position(void **state)
{
    cat_list_query_t query = {.limit = 10, .after = {.n = CAT_LIST_KEY_MAX}, .sort_count = 1};
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");
    cat_order_t order;

    query.sort[0] = (cat_query_sort_t){CAT_PRODUCT_NAME, 0};
    order = cat_order_make(*state, &query);
    assert_true(cat_order_has_one_direction(&order, 0));
    cat_order_add_after(&s, &order, 0);
    assert_string_equal(cat_buffer_text(&s.text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_order_and_position_are_written),
        UNIT_TEST(test_beginning_of_the_list_has_no_position),
    };
    return UNIT_RUN(tests);
}
