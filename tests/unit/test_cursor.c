/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <apr_encode.h>

#include "catalogue/query/cursor.h"

#define N "1849393246042849507"
#define NUMBER APR_INT64_C(1849393246042849507)

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static const cat_key_t *key(apr_pool_t *pool, char letter)
{
    const cat_key_t *key = NULL;
    char secret[CAT_KEY_SECRET_LEAST];

    for (size_t i = 0; i < sizeof(secret); i++) {
        secret[i] = (char)(letter + i);
    }
    assert_null(cat_key_read(pool, unit_write(pool, unit_directory(pool), "key", 0600, secret, sizeof(secret)), &key));
    return key;
}

#define PLAIN ""
#define TEA "&category=tea"

static const char *write_one(apr_pool_t *pool, const cat_key_t *key)
{
    return cat_cursor_write(pool, key, PLAIN, &(cat_list_position_t){.n = NUMBER});
}

static int reads(apr_pool_t *pool, const cat_key_t *key, const char *text)
{
    cat_list_position_t after;
    const cat_key_t *used;

    return cat_cursor_read(pool, &(cat_keys_t){&key, 1}, PLAIN, text, &after, &used);
}

static void test_reads_what_it_wrote(void **state)
{
    static const cat_list_position_t positions[] = {{.n = NUMBER},
                                                    {.n = 0},
                                                    {.n = 7},
                                                    {.n = CAT_LIST_KEY_MAX},
                                                    {{"-1"}, NUMBER},
                                                    {{"kettle, red", "1"}, NUMBER},
                                                    {{"", "\xc3\xbc\n&category=tea", ""}, NUMBER}};
    static const char *const lists[] = {PLAIN, TEA, TEA "&sort=name"};
    const cat_key_t *one = key(*state, '1');

    for (size_t i = 0; i < UNIT_COUNT(positions) * UNIT_COUNT(lists); i++) {
        const cat_list_position_t *position = &positions[i / UNIT_COUNT(lists)];
        const char *list = lists[i % UNIT_COUNT(lists)], *text = cat_cursor_write(*state, one, list, position);
        cat_list_position_t after;
        const cat_key_t *used;

        assert_int_equal(strspn(text, alphabet), strlen(text));
        assert_true(cat_cursor_read(*state, &(cat_keys_t){&one, 1}, list, text, &after, &used));
        assert_int_equal(after.n, position->n);
        for (int v = 0; v < CAT_LIST_SORT_MAX; v++) {
            assert_int_equal(after.values[v] == NULL, position->values[v] == NULL);
            assert_true(!after.values[v] || strcmp(after.values[v], position->values[v]) == 0);
        }
    }
}

static void test_refuses_cursors_of_other_lists(void **state)
{
    static const char *const lists[] = {PLAIN, TEA, TEA "&sort=name", "&sort=name", "&category=teapot"};
    const cat_list_position_t position = {{"x\n" TEA}, NUMBER};
    const cat_key_t *one = key(*state, '1');

    for (size_t i = 0; i < UNIT_COUNT(lists); i++) {
        const char *text = cat_cursor_write(*state, one, lists[i], &position);
        for (size_t other = 0; other < UNIT_COUNT(lists); other++) {
            cat_list_position_t after;
            const cat_key_t *used;
            assert_int_equal(cat_cursor_read(*state, &(cat_keys_t){&one, 1}, lists[other], text, &after, &used),
                             other == i);
        }
    }
}

static void test_seal_of_the_plain_list_is_of_the_number_alone(void **state)
{
    const cat_key_t *one = key(*state, '1');
    const char *text = write_one(*state, one);
    unsigned char seal[CAT_KEY_SEAL_OCTETS];
    apr_size_t length;
    const char *content = apr_pdecode_base64(*state, text, APR_ENCODE_STRING, APR_ENCODE_NONE, &length);

    assert_int_equal(length, strlen(N) + 16);
    assert_true(cat_key_seal(one, N, strlen(N), seal));
    assert_memory_equal(content, N, strlen(N));
    assert_memory_equal(content + strlen(N), seal, 16);
}

static void test_empty_cursor_is_the_beginning(void **state)
{
    cat_list_position_t after;
    const cat_key_t *used;

    assert_true(cat_cursor_read(*state, &(cat_keys_t){NULL, 0}, TEA, "", &after, &used));
    assert_null(used);
    assert_int_equal(after.n, CAT_LIST_KEY_MAX);
    assert_null(after.values[0]);
}

static void test_reads_cursors_of_all_keys(void **state)
{
    const cat_key_t *keys[] = {key(*state, '1'), key(*state, '2'), key(*state, '3')};
    cat_list_position_t after;
    const cat_key_t *used;

    for (int i = 0; i < 3; i++) {
        const char *text = write_one(*state, keys[i]);
        assert_int_equal(cat_cursor_read(*state, &(cat_keys_t){keys, 2}, PLAIN, text, &after, &used), i < 2);
        assert_ptr_equal(used, i < 2 ? keys[i] : NULL);
    }
    assert_string_equal(write_one(*state, keys[0]), write_one(*state, key(*state, '1')));
}

/* This includes the bits of the last character that encode nothing. */
static void test_refuses_any_change(void **state)
{
    const cat_key_t *one = key(*state, '1');
    const char *good = write_one(*state, one);

    assert_true(reads(*state, one, good));
    for (size_t i = 1; i < strlen(good); i++) {
        assert_false(reads(*state, one, apr_pstrmemdup(*state, good, i)));
        assert_false(reads(*state, one, good + i));
    }
    for (size_t i = 0; i < strlen(good); i++) {
        char *text = apr_pstrdup(*state, good);
        for (const char *c = alphabet; *c; c++) {
            text[i] = *c;
            assert_int_equal(reads(*state, one, text), *c == good[i]);
        }
    }
}

static void test_refuses_other_texts(void **state)
{
    const cat_key_t *one = key(*state, '1');
    const char *good = write_one(*state, one);
    const char *const texts[] = {"x",
                                 "=",
                                 "A===",
                                 " ",
                                 "%",
                                 "AAAA",
                                 "AAAAAAAAAAAAAAAAAAAAAA",
                                 "\xc3\xbc",
                                 apr_pstrcat(*state, good, "=", NULL),
                                 apr_pstrcat(*state, good, good, NULL),
                                 apr_pstrcat(*state, " ", good, NULL),
                                 apr_pstrcat(*state, good, "\n", NULL)};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_false(reads(*state, one, texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_reads_what_it_wrote),
        UNIT_TEST(test_empty_cursor_is_the_beginning),
        UNIT_TEST(test_reads_cursors_of_all_keys),
        UNIT_TEST(test_refuses_any_change),
        UNIT_TEST(test_refuses_other_texts),
        UNIT_TEST(test_refuses_cursors_of_other_lists),
        UNIT_TEST(test_seal_of_the_plain_list_is_of_the_number_alone),
    };
    return UNIT_RUN(tests);
}
