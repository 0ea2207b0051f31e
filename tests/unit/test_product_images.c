/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product_images.h"
#include "lib/json.h"

#define ID(n) "01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e2" #n
#define IMAGE(n, alt) "{\"id\":\"" ID(n) "\",\"width\":9,\"height\":8,\"alt\":\"" alt "\"}"

/* What a change makes of pictures; "-": none are left, "?": it cannot be made. */
static const char *apply(apr_pool_t *pool, const char *before, const char *change)
{
    const char *after;
    apr_status_t rv = cat_product_images_apply(pool, before, change, &after);

    assert_true(rv == APR_SUCCESS || rv == CAT_ENOIMAGE || rv == CAT_EIMAGES);
    return rv != APR_SUCCESS ? "?" : after ? after : "-";
}

static const cat_image_t third = {ID(3), 9, 8, "x"};

static void test_a_picture_gets_its_place(void **state)
{
    const char *two = "[" IMAGE(1, "") "," IMAGE(2, "") "]";

    assert_string_equal(apply(*state, NULL, cat_product_images_add(*state, &third, 0)), "[" IMAGE(3, "x") "]");
    assert_string_equal(apply(*state, two, cat_product_images_add(*state, &third, 0)),
                        "[" IMAGE(1, "") "," IMAGE(2, "") "," IMAGE(3, "x") "]");
    assert_string_equal(apply(*state, two, cat_product_images_add(*state, &third, 1)),
                        "[" IMAGE(3, "x") "," IMAGE(1, "") "," IMAGE(2, "") "]");
    assert_string_equal(apply(*state, two, cat_product_images_add(*state, &third, 2)),
                        "[" IMAGE(1, "") "," IMAGE(3, "x") "," IMAGE(2, "") "]");
    assert_string_equal(apply(*state, two, cat_product_images_add(*state, &third, 32)),
                        "[" IMAGE(1, "") "," IMAGE(2, "") "," IMAGE(3, "x") "]");
}

static void test_a_product_has_no_more_than_it_may(void **state)
{
    const char *text = NULL;

    for (int i = 0; i < CAT_IMAGES_MOST; i++) {
        const cat_image_t image = {apr_psprintf(*state, "%d", i), 9, 8, ""};
        text = apply(*state, text, cat_product_images_add(*state, &image, 0));
    }
    assert_int_equal(cat_product_images_count(*state, text), CAT_IMAGES_MOST);
    assert_string_equal(apply(*state, text, cat_product_images_add(*state, &third, 1)), "?");
}

static void test_a_picture_is_removed(void **state)
{
    const char *two = "[" IMAGE(1, "") "," IMAGE(2, "") "]";

    assert_string_equal(apply(*state, two, cat_product_images_remove(*state, ID(1))), "[" IMAGE(2, "") "]");
    assert_string_equal(apply(*state, "[" IMAGE(2, "") "]", cat_product_images_remove(*state, ID(2))), "-");
    assert_string_equal(apply(*state, two, cat_product_images_remove(*state, ID(3))), "?");
    assert_string_equal(apply(*state, NULL, cat_product_images_remove(*state, ID(3))), "?");
}

/* The change that a client's JSON is; NULL: it is refused, with the code. */
static const char *arrange(apr_pool_t *pool, const char *json, const char *code)
{
    const char *why, *change;
    cat_field_fault_t fault;

    change = cat_product_images_arrange(pool, cat_json_parse(pool, json, strlen(json), &why), &fault);
    assert_true(fault.code ? code && !strcmp(fault.code, code) : !code);
    assert_true(!change == !!code);
    return change;
}

static void test_a_client_orders_renames_and_drops(void **state)
{
    const char *two = "[" IMAGE(1, "a") "," IMAGE(2, "b") "]";

    assert_string_equal(apply(*state, two, arrange(*state, "[{\"id\":\"" ID(2) "\"},{\"id\":\"" ID(1) "\"}]", NULL)),
                        "[" IMAGE(2, "b") "," IMAGE(1, "a") "]");
    assert_string_equal(apply(*state, two, arrange(*state, "[{\"id\":\"" ID(2) "\",\"alt\":\"c\",\"width\":1}]", NULL)),
                        "[" IMAGE(2, "c") "]");
    assert_string_equal(apply(*state, two, arrange(*state, "[]", NULL)), "-");
    assert_string_equal(apply(*state, two, arrange(*state, "null", NULL)), "-");
    assert_string_equal(apply(*state, two, arrange(*state, "[{\"id\":\"" ID(3) "\"}]", NULL)), "?");
    assert_string_equal(apply(*state, two, "[{\"id\":\"" ID(1) "\"},{\"id\":\"" ID(1) "\"}]"), "?");
    arrange(*state, "[{\"id\":1}]", "type");
    arrange(*state, "[[]]", "type");
    arrange(*state, "{}", "type");
    arrange(*state, "[{\"id\":\"x\",\"alt\":null}]", "type");
    arrange(*state, "[{\"id\":\"x\"},{\"id\":\"x\"}]", "duplicate");
}

static void test_addresses_follow_from_the_mount(void **state)
{
    const cat_field_t field = cat_product_images_field(*state, "/shop%20x");

    assert_string_equal(
        cat_fields_value_text(*state, &field,
                              "[{\"id\":\"" ID(1) "\",\"width\":400,\"height\":201,\"alt\":\"\\\"}{\"}]"),
        "[{\"id\":\"" ID(1) "\",\"url\":\"/shop%20x/images/" ID(
            1) "-400.webp\",\"width\":400,\"height\":201,"
               "\"alt\":\"\\\"}{\",\"sizes\":[{\"url\":\"/shop%20x/images/" ID(
                   1) "-320.webp\",\"width\":320,\"height\":161},"
                      "{\"url\":\"/shop%20x/images/" ID(1) "-400.webp\",\"width\":400,\"height\":201}]}]");
}

/* Another program may have written anything: what is read of it is JSON still. */
static void test_what_is_no_text_of_pictures_is_none(void **state)
{
    static const char *const texts[] = {"[]", "{}", "[{}]", "[{\"id\":5,\"width\":-1,\"alt\":[]}]", "x{", "{{{{", ""};
    const cat_field_t field = cat_product_images_field(*state, NULL);
    const char *why;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *written = cat_fields_value_text(*state, &field, texts[i]);
        assert_true(json_is_array(cat_json_parse(*state, written, strlen(written), &why)));
        cat_product_images_count(*state, texts[i]);
        apply(*state, texts[i], cat_product_images_add(*state, &third, 0));
    }
}

static void test_pictures_are_compared_by_what_they_are(void **state)
{
    const char *two = "[" IMAGE(1, "") "," IMAGE(2, "x") "]";

    assert_true(cat_product_images_are_equal(*state, two, "[ " IMAGE(1, "") ", " IMAGE(2, "x") " ]"));
    assert_false(cat_product_images_are_equal(*state, two, "[" IMAGE(2, "x") "," IMAGE(1, "") "]"));
    assert_false(cat_product_images_are_equal(*state, two, "[" IMAGE(1, "") "," IMAGE(2, "y") "]"));
    assert_false(cat_product_images_are_equal(*state, two, NULL));
    assert_false(cat_product_images_are_equal(*state, NULL, two));
    assert_true(cat_product_images_are_equal(*state, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pictures_are_compared_by_what_they_are), UNIT_TEST(test_a_picture_gets_its_place),
        UNIT_TEST(test_a_product_has_no_more_than_it_may),      UNIT_TEST(test_a_picture_is_removed),
        UNIT_TEST(test_a_client_orders_renames_and_drops),      UNIT_TEST(test_addresses_follow_from_the_mount),
        UNIT_TEST(test_what_is_no_text_of_pictures_is_none),
    };
    return UNIT_RUN(tests);
}
