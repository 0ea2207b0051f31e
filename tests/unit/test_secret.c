/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <apr_encode.h>

#include "lib/secret.h"

#define BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define KIB64 (64 * 1024)

static void test_makes_256_bits_of_base64url(void **state)
{
    const char *secret = cat_secret_make(*state);

    assert_int_equal(strlen(secret), 43);
    assert_int_equal(strspn(secret, BASE64URL), 43);
}

static void test_makes_a_new_secret_each_time(void **state)
{
    assert_string_not_equal(cat_secret_make(*state), cat_secret_make(*state));
}

/* FIPS 180-2, B.1, and the digest of nothing. */
static void test_digests_as_sha256(void **state)
{
    assert_string_equal(cat_secret_digest(*state, "abc"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(cat_secret_digest(*state, ""),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* RFC 4231, 4.3: HMAC-SHA256 of this key and text is 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843. */
static void test_derives_by_hmac_sha256(void **state)
{
    assert_string_equal(cat_secret_derive(*state, "Jefe", "what do ya want for nothing?"),
                        "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM");
}

static const char *make_file(apr_pool_t *pool, mode_t mode, const char *content, size_t length)
{
    return unit_write(pool, unit_directory(pool), "secret", mode, content, length);
}

static void check_content(apr_pool_t *pool, const char *content, size_t length, const char *expected,
                          size_t expected_length)
{
    const char *text;
    apr_size_t n;

    assert_null(cat_secret_read_file(pool, make_file(pool, 0600, content, length), &text, &n));
    assert_int_equal(n, expected_length);
    assert_memory_equal(text, expected, expected_length + 1);
}

static void test_reads_a_file_without_its_last_newline(void **state)
{
    check_content(*state, "secret\n", 7, "secret", 6);
    check_content(*state, "secret", 6, "secret", 6);
    check_content(*state, "secret\n\n", 8, "secret\n", 7);
    check_content(*state, " a\r\nb \n", 7, " a\r\nb ", 6);
    check_content(*state, "a\0b\n", 4, "a\0b", 3);
    check_content(*state, "\n", 1, "", 0);
    check_content(*state, "", 0, "", 0);
}

static void test_reads_up_to_64_kib(void **state)
{
    char *content = apr_pcalloc(*state, KIB64 + 2);

    memset(content, 'x', KIB64 + 1);
    content[KIB64 - 1] = '\n';
    check_content(*state, content, KIB64, memset(apr_pcalloc(*state, KIB64), 'x', KIB64 - 1), KIB64 - 1);
}

static void check_fault(apr_pool_t *pool, const char *path, const char *words)
{
    const char *text;
    apr_size_t n;
    const char *fault = cat_secret_read_file(pool, path, &text, &n);

    unit_says(fault, words);
    assert_int_equal(strncmp(fault, path, strlen(path)), 0);
}

/* The last byte of 32 random ones may be a newline, and the one before it a carriage return. */
static void test_reads_32_random_bytes_as_they_are(void **state)
{
    char bytes[33] = "0123456789\xff\0abcdefghijklmnopqr\r\n";

    check_content(*state, bytes, 32, bytes, 32);
    memcpy(bytes, "0123456789ABabcdefghijklmnopqr.\n", 32);
    check_content(*state, bytes, 32, "0123456789ABabcdefghijklmnopqr.", 31);
}

static void check_random(apr_pool_t *pool, int hexadecimal)
{
    unsigned char bytes[32];
    const char *text = (const char *)bytes;
    apr_size_t length = sizeof(bytes);

    assert_int_equal(apr_generate_random_bytes(bytes, sizeof(bytes)), APR_SUCCESS);
    if (hexadecimal >= 0) {
        text = hexadecimal ? apr_pencode_base16_binary(pool, bytes, sizeof(bytes), APR_ENCODE_LOWER, NULL)
                           : apr_pencode_base64_binary(pool, bytes, sizeof(bytes), APR_ENCODE_NONE, NULL);
        length = strlen(text);
    }
    assert_null(cat_secret_find_weakness(text, length));
}

static void test_random_keys_have_no_weakness(void **state)
{
    apr_pool_t *pool;

    apr_pool_create(&pool, *state);
    for (int i = 0; i < 10000; i++) {
        check_random(pool, -1);
        check_random(pool, 0);
        check_random(pool, 1);
        apr_pool_clear(pool);
    }
}

static void test_finds_what_is_no_random_secret(void **state)
{
    static const char *const weak[] = {
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
        "0011223344556677889900112233445566778899",
        "abababababababababababababababababababababababababababababababab",
        "# The keys of the shop, and who may have them",
        "Die_Schl\xc3\xbcssel\tdes_Katalogs,_und_wer_sie_haben_darf\n",
    };
    static const char *const strong[] = {
        "0123456789abcdef0123456789abcdef",
        "0123456789ABCDE1123456789ABCDE2223456789ABCDE33",
        "kZ3v8Qm1Wc5Xn7Lp0Rt2Yh4Jd6Gf9Sb\n kZ3v8Qm1Wc5Xn7Lp0Rt2Yh4Jd6Gf9Sb \n",
        "kZ3v8Qm1 Wc5Xn7Lp0Rt2Yh4Jd6Gf9Sb\xff",
    };

    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(weak); i++) {
        assert_non_null(cat_secret_find_weakness(weak[i], strlen(weak[i])));
    }
    for (size_t i = 0; i < UNIT_COUNT(strong); i++) {
        assert_null(cat_secret_find_weakness(strong[i], strlen(strong[i])));
    }
}

static void test_refuses_a_file_that_others_may_use(void **state)
{
    static const mode_t open[] = {0604, 0602, 0601, 0644, 0666};
    static const mode_t closed[] = {0600, 0400, 0640, 0660};
    const char *text;
    apr_size_t n;

    for (size_t i = 0; i < UNIT_COUNT(open); i++) {
        const char *path = make_file(*state, open[i], "secret", 6);
        check_fault(*state, path, apr_pstrcat(*state, "run: chmod o-rwx ", path, NULL));
    }
    for (size_t i = 0; i < UNIT_COUNT(closed); i++) {
        assert_null(cat_secret_read_file(*state, make_file(*state, closed[i], "secret", 6), &text, &n));
    }
}

static void test_refuses_other_than_regular_files(void **state)
{
    const char *directory = unit_directory(*state), *pipe = apr_pstrcat(*state, directory, "/pipe", NULL);

    assert_int_equal(mkfifo(pipe, 0600), 0);
    check_fault(*state, directory, "not a regular file");
    check_fault(*state, pipe, "not a regular file"); /* at once, though no program will ever write to the pipe */
    check_fault(*state, apr_pstrcat(*state, directory, "/none", NULL), "No such file");
}

static void test_refuses_a_large_file(void **state)
{
    char *content = memset(apr_palloc(*state, KIB64 + 1), 'x', KIB64 + 1);

    check_fault(*state, make_file(*state, 0600, content, KIB64 + 1), "64 KiB");
}

static void test_refuses_windows_line_ends(void **state)
{
    const char *path = make_file(*state, 0600, "secret\r\n", 8);

    check_fault(*state, path, "ends in CR LF");
    unit_run(strstr(cat_secret_read_file(*state, path, &(const char *){0}, &(apr_size_t){0}), "sed "));
    assert_null(cat_secret_read_file(*state, path, &(const char *){0}, &(apr_size_t){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_makes_256_bits_of_base64url),
        UNIT_TEST(test_makes_a_new_secret_each_time),
        UNIT_TEST(test_digests_as_sha256),
        UNIT_TEST(test_derives_by_hmac_sha256),
        UNIT_TEST(test_reads_a_file_without_its_last_newline),
        UNIT_TEST(test_reads_up_to_64_kib),
        UNIT_TEST(test_reads_32_random_bytes_as_they_are),
        UNIT_TEST(test_random_keys_have_no_weakness),
        UNIT_TEST(test_finds_what_is_no_random_secret),
        UNIT_TEST(test_refuses_a_file_that_others_may_use),
        UNIT_TEST(test_refuses_other_than_regular_files),
        UNIT_TEST(test_refuses_a_large_file),
        UNIT_TEST(test_refuses_windows_line_ends),
    };
    return UNIT_RUN(tests);
}
