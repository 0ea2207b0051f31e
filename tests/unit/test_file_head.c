/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "catalogue/transfer/file_head.h"
#include "lib/json.h"

/* The rows of the text, which comes in pieces of one octet; *rv is that of the last piece. */
static const char *head_of(apr_pool_t *pool, char delimiter, const char *text, apr_status_t *rv)
{
    const cat_csv_options_t options = {delimiter, CAT_UTF_8, 20};
    cat_file_head_t *head = cat_file_head_make(pool, &options);

    *rv = APR_SUCCESS;
    for (const char *at = text; *at && *rv == APR_SUCCESS; at++) {
        *rv = cat_file_head_feed(head, at, 1);
    }
    *rv = *rv == APR_SUCCESS ? cat_file_head_feed(head, "", 0) : *rv;
    return cat_json_text(pool, cat_file_head_rows(head));
}

static void assert_head(apr_pool_t *pool, const char *text, const char *expected, apr_status_t expected_rv)
{
    apr_status_t rv;

    assert_string_equal(head_of(pool, ',', text, &rv), expected);
    assert_int_equal(rv, expected_rv);
}

static void test_the_first_rows_are_read_as_they_are(void **state)
{
    assert_head(*state, "", "[]", APR_SUCCESS);
    assert_head(*state, "Titel,\"Preis, netto\"\r\nx,\n,\"\"", "[[\"Titel\",\"Preis, netto\"],[\"x\",\"\"]]",
                APR_SUCCESS);
    assert_head(*state, "1\n2\n3\n4\n5\n6\n7\n", "[[\"1\"],[\"2\"],[\"3\"],[\"4\"],[\"5\"],[\"6\"]]", APR_EOF);
}

static void test_the_delimiter_is_the_callers(void **state)
{
    apr_status_t rv;

    assert_string_equal(head_of(*state, ';', "a,b;c\n", &rv), "[[\"a,b\",\"c\"]]");
    assert_string_equal(head_of(*state, '\t', "a\tb;c\n", &rv), "[[\"a\",\"b;c\"]]");
}

static void test_the_file_says_what_it_is(void **state)
{
    static const char text[] = "\xff\xfe"
                               "s\0e\0p\0=\0;\0\n\0a\0;\0b\0\n";
    const cat_csv_options_t options = {',', CAT_UTF_8, 20};
    cat_file_head_t *head = cat_file_head_make(*state, &options);

    assert_int_equal(cat_file_head_feed(head, text, sizeof(text)), APR_SUCCESS);
    assert_string_equal(cat_json_text(*state, cat_file_head_rows(head)), "[[\"a\",\"b\"]]");
    assert_int_equal(cat_file_head_delimiter(head), ';');
    assert_int_equal(cat_file_head_encoding(head), CAT_UTF_16LE);
}

static void test_what_cannot_be_read_ends_them(void **state)
{
    assert_head(*state, "a\n\"b\"c\nd\n", "[[\"a\"]]", APR_EOF);
    assert_head(*state, "a\n123456789012345678901\nd\n", "[[\"a\"]]", APR_EOF);
    assert_head(*state, "a,\xff\n", "[[\"a\",\"\xef\xbf\xbd\"]]", APR_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_the_first_rows_are_read_as_they_are),
        UNIT_TEST(test_the_delimiter_is_the_callers),
        UNIT_TEST(test_the_file_says_what_it_is),
        UNIT_TEST(test_what_cannot_be_read_ends_them),
    };
    return UNIT_RUN(tests);
}
