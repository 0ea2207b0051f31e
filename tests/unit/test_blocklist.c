/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "accounts/blocklist.h"

static cat_blocklist_t *read_text(apr_pool_t *pool, const char *content)
{
    cat_blocklist_t *list = NULL;

    assert_null(cat_blocklist_read(pool, unit_write(pool, unit_directory(pool), "list", 0644, content, strlen(content)),
                                   &list));
    return list;
}

static void test_has_each_line(void **state)
{
    static const char *const there[] = {"123456", "password", "pass word", " x ", "p\xc3\xa4ssword", "last"};
    static const char *const absent[] = {"",     "12345", "1234567", "passwor",         "passwords",
                                         "pass", "word",  "x",       "123456\npassword"};
    const cat_blocklist_t *list = read_text(*state, "123456\npassword\npass word\n x \np\xc3\xa4ssword\nlast");

    for (size_t i = 0; i < UNIT_COUNT(there); i++) {
        assert_true(cat_blocklist_has(list, there[i]));
    }
    for (size_t i = 0; i < UNIT_COUNT(absent); i++) {
        assert_false(cat_blocklist_has(list, absent[i]));
    }
}

static void test_ascii_case_makes_no_difference(void **state)
{
    const cat_blocklist_t *list = read_text(*state, "PassWord\nqwerty\n\xc3\x84RGER\n[@`{\n");

    assert_true(cat_blocklist_has(list, "password"));
    assert_true(cat_blocklist_has(list, "PASSWORD"));
    assert_true(cat_blocklist_has(list, "QWERTY"));
    assert_true(cat_blocklist_has(list, "\xc3\x84rger"));
    assert_false(cat_blocklist_has(list, "\xc3\xa4rger")); /* not an ASCII letter */
    assert_false(cat_blocklist_has(list, "{@`{"));
    assert_false(cat_blocklist_has(list, "[`@{"));
}

static void test_reads_unix_and_windows_line_ends(void **state)
{
    const cat_blocklist_t *list = read_text(*state, "\r\nwindows\r\n\n\n\r\nunix\nmac\rmac\nlast\r\n");

    assert_true(cat_blocklist_has(list, "windows"));
    assert_true(cat_blocklist_has(list, "unix"));
    assert_true(cat_blocklist_has(list, "mac\rmac"));
    assert_true(cat_blocklist_has(list, "last"));
    assert_false(cat_blocklist_has(list, ""));
    assert_false(cat_blocklist_has(list, "\r"));
    assert_false(cat_blocklist_has(list, "windows\r"));
}

static void test_an_empty_list_has_nothing(void **state)
{
    static const char *const texts[] = {"", "\n", "\r\n\r\n"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_false(cat_blocklist_has(read_text(*state, texts[i]), ""));
        assert_false(cat_blocklist_has(read_text(*state, texts[i]), "password"));
    }
}

static void test_finds_each_of_many_lines(void **state)
{
    char *text = apr_palloc(*state, 100000 * 8 + 1), *end = text;
    const cat_blocklist_t *list;
    char word[16];

    for (int i = 0; i < 100000; i++) {
        end += sprintf(end, "%d\n", i * 7);
    }
    list = read_text(*state, text);
    for (int i = 0; i < 700000; i++) {
        sprintf(word, "%d", i);
        assert_int_equal(cat_blocklist_has(list, word), i % 7 == 0);
    }
}

static void check_refused(apr_pool_t *pool, const char *path, const char *words)
{
    cat_blocklist_t *list = (cat_blocklist_t *)path;

    unit_says(cat_blocklist_read(pool, path, &list), words);
    assert_null(list);
}

static void test_refuses_unusable_files(void **state)
{
    const char *directory = unit_directory(*state);
    const char *large = unit_write(*state, directory, "large", 0600, "", 0);

    check_refused(*state, apr_pstrcat(*state, directory, "/none", NULL), "No such file");
    check_refused(*state, directory, "not a regular file");
    check_refused(*state, unit_write(*state, directory, "bytes", 0600, "a\0b", 3), "is not a text file");
    assert_int_equal(truncate(large, 64 * 1024 * 1024 + 1), 0);
    check_refused(*state, large, "larger than 65536 KiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_has_each_line),
        UNIT_TEST(test_ascii_case_makes_no_difference),
        UNIT_TEST(test_reads_unix_and_windows_line_ends),
        UNIT_TEST(test_an_empty_list_has_nothing),
        UNIT_TEST(test_finds_each_of_many_lines),
        UNIT_TEST(test_refuses_unusable_files),
    };
    return UNIT_RUN(tests);
}
