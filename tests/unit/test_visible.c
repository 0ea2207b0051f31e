/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/query/query.h"
#include "catalogue/query/visible.h"

/* The settings of a mount with these lines; the last is NULL. visible: of CatalogVisible; NULL: none. */
static const cat_conf_t *derive(apr_pool_t *pool, const char *const *lines, const char *visible)
{
    cat_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    conf->default_limit = 10;
    conf->max_limit = 100;
    conf->visible_text = visible;
    for (; *lines; lines++) {
        assert_null(cat_own_fields_add(pool, conf->fields, *lines, &conf->fields));
    }
    cat_visible_derive(pool, conf);
    return conf;
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const no_lines[] = {NULL};

static void test_a_mount_that_hides_nothing_has_no_readers(void **state)
{
    const cat_conf_t *plain = derive(*state, no_lines, NULL), *own = derive(*state, LINES("a string"), NULL);

    assert_null(plain->readers);
    assert_null(plain->view);
    assert_null(own->readers);
    assert_int_equal(strlen(own->view), 16);
    assert_null(derive(*state, no_lines, "ALL")->readers);
}

static void test_readers_have_fewer_fields(void **state)
{
    const cat_conf_t *conf = derive(*state, LINES("a string private", "b string"), NULL);

    assert_int_equal(conf->fields->count, CAT_PRODUCT_FIELDS + 2);
    assert_int_equal(conf->readers->fields->count, CAT_PRODUCT_FIELDS + 1);
    assert_string_equal(conf->readers->fields->all[CAT_PRODUCT_FIELDS].name, "b");
    assert_ptr_equal(conf->readers->readers, conf->readers);
    assert_null(conf->readers->visible);
}

static void test_answers_are_apart_where_they_differ(void **state)
{
    const cat_conf_t *conf = derive(*state, LINES("a string private", "b string"), NULL);
    const cat_conf_t *same = derive(*state, LINES("b string", "a string private"), NULL);
    const cat_conf_t *open = derive(*state, LINES("b string"), NULL);
    const cat_conf_t *other = derive(*state, LINES("b string detail"), NULL);
    const cat_conf_t *hidden = derive(*state, LINES("b string"), "price[gt]=1&inStock=true");
    const cat_conf_t *spelled = derive(*state, LINES("b string"), "inStock=true&price%5Bgt%5D=1.0");

    assert_string_equal(conf->view, same->view);
    assert_string_equal(conf->readers->view, open->view);
    assert_string_not_equal(conf->view, conf->readers->view);
    assert_string_not_equal(open->view, other->view);
    assert_string_equal(hidden->view, open->view);
    assert_string_not_equal(hidden->readers->view, open->view);
    assert_string_equal(hidden->readers->view, spelled->readers->view);
    assert_null(derive(*state, no_lines, "price=1")->view);
    assert_non_null(derive(*state, no_lines, "price=1")->readers->view);
}

static void test_conditions_may_be_on_private_fields(void **state)
{
    const cat_conf_t *conf = derive(*state, LINES("a boolean index private", "b string"), "a=true&price=5");
    const cat_visible_t *visible = conf->readers->visible;

    assert_null(conf->fault);
    assert_null(conf->visible);
    assert_int_equal(visible->count, 2);
    assert_string_equal(visible->text, "&price=5&a=true");
    assert_int_equal(visible->conditions[1].field, CAT_PRODUCT_FIELDS + 1);
    assert_true(visible->conditions[1].field >= conf->readers->fields->count);
    assert_string_equal(conf->readers->fields->all[visible->conditions[1].field].name, "a");
}

static void test_conditions_are_added_to_those_of_a_list(void **state)
{
    const cat_conf_t *conf = derive(*state, no_lines, "category=tea&price[lt]=9")->readers;
    cat_list_query_t query;

    assert_int_equal(cat_query_parse(*state, conf, 0, 0, "price[lt]=5&count=exact", &query), CAT_QUERY_OK);
    assert_int_equal(query.condition_count, 3);
    assert_int_equal(query.conditions[0].field, CAT_PRODUCT_PRICE);
    assert_int_equal(query.conditions[1].field, CAT_PRODUCT_PRICE);
    assert_int_equal(query.conditions[2].field, CAT_PRODUCT_CATEGORY);
    assert_int_equal(query.parts, CAT_INDEX_PRICE | CAT_INDEX_CATEGORY);
    assert_string_equal(query.parameters, "&price%5Blt%5D=5&count=exact&limit=10");
    assert_string_equal(query.sealed, "&price%5Blt%5D=5");
    assert_int_equal(cat_query_parse(*state, conf, 0, 0, "count=exact", &query), CAT_QUERY_OK);
    assert_int_equal(query.count, CAT_COUNT_EXACT);
    assert_int_equal(query.condition_count, 2);
    assert_string_equal(query.sealed, "");
    assert_false(query.is_plain);
    assert_true(cat_query_parse_all(*state, conf, 0, NULL, NULL, &query));
    assert_int_equal(query.condition_count, 2);
    assert_false(query.is_plain);
}

static void test_says_what_is_wrong(void **state)
{
    static const char *const faults[][2] = {
        {"price=x", "price must be a number"},
        {"category[in]=", "category[in] must have at least one value"},
        {"colour=red", "colour is not a field"},
        {"sort=price", "sort is not a field"},
        {"", "it must have a condition, such as published=true"},
        {"price=1&price=2", "price must be given only once"},
        {"a=x", "a is not available: this server has no index for the field"},
    };

    for (size_t i = 0; i < UNIT_COUNT(faults); i++) {
        const cat_conf_t *conf = derive(*state, LINES("a string"), faults[i][0]);
        assert_string_equal(conf->fault ? conf->fault : "", faults[i][1]);
        assert_non_null(conf->readers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_mount_that_hides_nothing_has_no_readers), UNIT_TEST(test_readers_have_fewer_fields),
        UNIT_TEST(test_answers_are_apart_where_they_differ),       UNIT_TEST(test_conditions_may_be_on_private_fields),
        UNIT_TEST(test_conditions_are_added_to_those_of_a_list),   UNIT_TEST(test_says_what_is_wrong),
    };
    return UNIT_RUN(tests);
}
