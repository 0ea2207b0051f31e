/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "lib/buffer.h"

static void test_starts_empty(void **state)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 1);
    assert_int_equal(b.length, 0);
    assert_string_equal(cat_buffer_text(&b), "");
    assert_int_equal(b.length, 0);
}

static void test_adds_in_order(void **state)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 4);
    CAT_BUFFER_LITERAL(&b, "{\"a\":");
    cat_buffer_add_int(&b, 42);
    cat_buffer_add_text(&b, ",\"b\":");
    cat_buffer_add(&b, "nullx", 4);
    CAT_BUFFER_LITERAL(&b, "}");
    assert_string_equal(cat_buffer_text(&b), "{\"a\":42,\"b\":null}");
    assert_int_equal(b.length, strlen("{\"a\":42,\"b\":null}"));
}

static void test_text_may_be_followed_by_more(void **state)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 1);
    cat_buffer_add_text(&b, "a");
    assert_string_equal(cat_buffer_text(&b), "a");
    cat_buffer_add_text(&b, "b");
    assert_string_equal(cat_buffer_text(&b), "ab");
}

static void test_keeps_nul_bytes(void **state)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 2);
    cat_buffer_add(&b, "a\0b", 3);
    CAT_BUFFER_LITERAL(&b, "\0c");
    assert_int_equal(b.length, 5);
    assert_memory_equal(cat_buffer_text(&b), "a\0b\0c", 6);
}

static void test_adding_nothing_changes_nothing(void **state)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 1);
    cat_buffer_add_text(&b, "");
    cat_buffer_add(&b, "x", 0);
    assert_int_equal(b.length, 0);
    assert_int_equal(b.size, 1);
}

static void test_adds_integers(void **state)
{
    static const struct {
        apr_int64_t value;
        const char *text;
    } cases[] = {
        {0, "0"}, {-1, "-1"}, {9, "9"}, {INT64_MAX, "9223372036854775807"}, {INT64_MIN, "-9223372036854775808"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_buffer_t b;
        cat_buffer_init(&b, *state, 1);
        cat_buffer_add_int(&b, cases[i].value);
        assert_string_equal(cat_buffer_text(&b), cases[i].text);
    }
}

static void test_grows_from_every_size(void **state)
{
    static const char source[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (apr_size_t size = 1; size <= 33; size++) {
        for (apr_size_t length = 0; length < sizeof(source); length++) {
            cat_buffer_t b;
            cat_buffer_init(&b, *state, size);
            cat_buffer_add(&b, source, length);
            assert_true(b.length <= b.size);
            assert_int_equal(strlen(cat_buffer_text(&b)), length);
            assert_true(b.length < b.size); /* room for the NUL */
            assert_memory_equal(b.data, source, length);
        }
    }
}

static void test_grows_large(void **state)
{
    enum { ROUNDS = 200000 };
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 1);
    for (int i = 0; i < ROUNDS; i++) {
        cat_buffer_add(&b, "0123456789", 10);
    }
    assert_int_equal(b.length, 10 * ROUNDS);
    assert_true(b.size < 2 * b.length);
    for (int i = 0; i < ROUNDS; i++) {
        assert_memory_equal(b.data + 10 * (apr_size_t)i, "0123456789", 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_starts_empty),
        UNIT_TEST(test_adds_in_order),
        UNIT_TEST(test_text_may_be_followed_by_more),
        UNIT_TEST(test_keeps_nul_bytes),
        UNIT_TEST(test_adding_nothing_changes_nothing),
        UNIT_TEST(test_adds_integers),
        UNIT_TEST(test_grows_from_every_size),
        UNIT_TEST(test_grows_large),
    };
    return UNIT_RUN(tests);
}
