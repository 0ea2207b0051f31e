/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "http/link_header.h"

#define MOST APR_INT64_C(9007199254740991)

static const char *pages(void **state, apr_int64_t page, apr_int64_t pages, const char *parameters)
{
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 1);
    cat_link_header_pages(&b, page, pages, parameters);
    return cat_buffer_text(&b);
}

static const char *cursor(void **state, const char *next)
{
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 1);
    cat_link_header_cursor(&b, next, "&limit=10");
    return cat_buffer_text(&b);
}

static void test_links_to_the_other_pages(void **state)
{
    assert_string_equal(pages(state, 2, 3, "&limit=10"),
                        "<?page=1&limit=10>; rel=\"first\", <?page=1&limit=10>; rel=\"prev\", "
                        "<?page=3&limit=10>; rel=\"next\", <?page=3&limit=10>; rel=\"last\"");
    assert_string_equal(pages(state, 1, 2, "&limit=5"),
                        "<?page=1&limit=5>; rel=\"first\", <?page=2&limit=5>; rel=\"next\", "
                        "<?page=2&limit=5>; rel=\"last\"");
    assert_string_equal(pages(state, 2, 2, "&limit=5"),
                        "<?page=1&limit=5>; rel=\"first\", <?page=1&limit=5>; rel=\"prev\", "
                        "<?page=2&limit=5>; rel=\"last\"");
}

static void test_single_page_has_no_neighbours(void **state)
{
    const char *alone = "<?page=1&limit=10>; rel=\"first\", <?page=1&limit=10>; rel=\"last\"";

    assert_string_equal(pages(state, 1, 1, "&limit=10"), alone);
    assert_string_equal(pages(state, 1, 0, "&limit=10"), alone);
}

static void test_page_beyond_the_end_links_back(void **state)
{
    const char *links = "<?page=1&limit=10>; rel=\"first\", <?page=3&limit=10>; rel=\"prev\", "
                        "<?page=3&limit=10>; rel=\"last\"";

    assert_string_equal(pages(state, 4, 3, "&limit=10"), links);
    assert_string_equal(pages(state, MOST, 3, "&limit=10"), links);
    assert_string_equal(pages(state, 7, 0, "&limit=10"),
                        "<?page=1&limit=10>; rel=\"first\", <?page=1&limit=10>; rel=\"prev\", "
                        "<?page=1&limit=10>; rel=\"last\"");
}

static void test_links_to_the_next_cursor(void **state)
{
    assert_string_equal(cursor(state, "a-_9"),
                        "<?cursor=&limit=10>; rel=\"first\", <?cursor=a-_9&limit=10>; rel=\"next\"");
    assert_string_equal(cursor(state, NULL), "<?cursor=&limit=10>; rel=\"first\"");
}

static void test_pages_without_a_last_one(void **state)
{
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 16);
    cat_link_header_open_pages(&b, 2, 1, "&limit=5");
    assert_string_equal(cat_buffer_text(&b), "<?page=1&limit=5>; rel=\"first\", <?page=1&limit=5>; rel=\"prev\","
                                             " <?page=3&limit=5>; rel=\"next\"");
    cat_buffer_init(&b, *state, 16);
    cat_link_header_open_pages(&b, 1, 0, "");
    assert_string_equal(cat_buffer_text(&b), "<?page=1>; rel=\"first\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pages_without_a_last_one),      UNIT_TEST(test_links_to_the_other_pages),
        UNIT_TEST(test_single_page_has_no_neighbours), UNIT_TEST(test_page_beyond_the_end_links_back),
        UNIT_TEST(test_links_to_the_next_cursor),
    };
    return UNIT_RUN(tests);
}
