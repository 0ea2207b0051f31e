/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "lib/file.h"

static void check_content(apr_pool_t *pool, const char *content, size_t length)
{
    const char *path = unit_write(pool, unit_directory(pool), "file", 0600, content, length);
    char *read = NULL;
    apr_size_t n = 0;

    assert_null(cat_file_read(pool, path, 1, 1, &read, &n));
    assert_int_equal(n, length);
    assert_memory_equal(read, content, length);
    assert_int_equal(read[n], '\0');
}

static void test_reads_all_of_it(void **state)
{
    char *most = memset(apr_palloc(*state, 1024), 'x', 1024);

    check_content(*state, "", 0);
    check_content(*state, "a\nb\r\n\n", 6);
    check_content(*state, "a\0b", 3);
    check_content(*state, most, 1024);
}

static void check_fault(apr_pool_t *pool, const char *path, int closed, const char *words)
{
    char *content;
    apr_size_t n;
    const char *fault = cat_file_read(pool, path, closed, 1, &content, &n);

    unit_says(fault, words);
    assert_int_equal(strncmp(fault, path, strlen(path)), 0);
}

static void test_a_text_begins_behind_its_byte_order_mark(void **state)
{
    static const char *const files[][2] = {
        {"\xef\xbb\xbfone", "one"}, {"\xef\xbb\xbf", ""}, {"\xef\xbb", "\xef\xbb"}, {"two", "two"}};
    char *content;
    apr_size_t length;

    for (size_t i = 0; i < UNIT_COUNT(files); i++) {
        const char *path = unit_write(*state, unit_directory(*state), "text", 0644, files[i][0], strlen(files[i][0]));
        assert_null(cat_file_read_text(*state, path, 1, &content, &length));
        assert_string_equal(content, files[i][1]);
        assert_int_equal(length, strlen(files[i][1]));
    }
}

static void test_refuses_other_than_regular_files(void **state)
{
    const char *directory = unit_directory(*state);
    const char *pipe = apr_pstrcat(*state, directory, "/pipe", NULL);

    assert_int_equal(mkfifo(pipe, 0600), 0);
    check_fault(*state, apr_pstrcat(*state, directory, "/none", NULL), 0, "No such file");
    check_fault(*state, directory, 0, "not a regular file");
    check_fault(*state, pipe, 0, "not a regular file"); /* at once, though no program will ever write to the pipe */
    check_fault(*state, "/dev/null", 0, "not a regular file");
}

static void test_refuses_a_large_file(void **state)
{
    char *content = memset(apr_palloc(*state, 1025), 'x', 1025);

    check_fault(*state, unit_write(*state, unit_directory(*state), "file", 0600, content, 1025), 0,
                "larger than 1 KiB");
}

static void test_refuses_files_open_to_others_on_request(void **state)
{
    const char *path = unit_write(*state, unit_directory(*state), "file", 0604, "x", 1);
    char *content;
    apr_size_t n;

    check_fault(*state, path, 1, apr_pstrcat(*state, "run: chmod o-rwx ", path, NULL));
    assert_null(cat_file_read(*state, path, 0, 1, &content, &n));
    assert_int_equal(chmod(path, 0660), 0);
    assert_null(cat_file_read(*state, path, 1, 1, &content, &n));
}

static void test_paths_are_quoted_for_a_shell(void **state)
{
    assert_string_equal(cat_file_quote(*state, "/etc/catalog/token-1.key"), "/etc/catalog/token-1.key");
    assert_string_equal(cat_file_quote(*state, "/srv/the shop/$HOME"), "'/srv/the shop/$HOME'");
    assert_string_equal(cat_file_quote(*state, "/srv/it's/x'"), "'/srv/it'\\''s/x'\\'''");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_reads_all_of_it),
        UNIT_TEST(test_a_text_begins_behind_its_byte_order_mark),
        UNIT_TEST(test_refuses_other_than_regular_files),
        UNIT_TEST(test_refuses_a_large_file),
        UNIT_TEST(test_refuses_files_open_to_others_on_request),
        UNIT_TEST(test_paths_are_quoted_for_a_shell),
    };
    return UNIT_RUN(tests);
}
