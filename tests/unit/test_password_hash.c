/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_time.h>
#include <argon2.h>

#include "accounts/password_hash.h"

typedef struct known_t {
    const char *password;
    const char *hash;
} known_t;

/* Test vectors of the argon2 reference implementation. The first version of argon2 wrote hashes without a version. */
static const known_t argon2_known[] = {
    {"password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"},
    {"password", "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ"},
    {"password", "$argon2i$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs"},
    {"differentpassword", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$FK6NoBr+qHAMI1jc73xTWNkCEoK9iGY6RWL1n7dNIu4"},
};

/* Openwall's test vectors for bcrypt, Drepper's for SHA-512, and a yescrypt hash made with Perl's crypt. */
static const known_t crypt_known[] = {
    {"U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
    {"U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
    {"U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
    {"Hello world!",
     "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"},
    {"correct horse", "$y$j9T$abcdefghijklmnop$0Hi8KsZH/hAMRN9Bam6ce3nmi5QAIz3R/KeaXG/c7p9"},
};

static const char *hash(apr_pool_t *pool, const char *password)
{
    const char *text = NULL;

    assert_int_equal(cat_password_hash_hash(pool, password, &text), APR_SUCCESS);
    return text;
}

static void test_hashes_with_argon2id(void **state)
{
    static const char head[] = "$argon2id$v=19$m=19456,t=2,p=1$";
    const char *text = hash(*state, "correct horse");

    assert_memory_equal(text, head, strlen(head));
    assert_true(cat_password_hash_match(*state, "correct horse", text));
    assert_false(cat_password_hash_match(*state, "correct Horse", text));
    assert_false(cat_password_hash_match(*state, "correct horse ", text));
    assert_false(cat_password_hash_match(*state, "", text));
    assert_string_not_equal(text, hash(*state, "correct horse"));
}

/* Hashes 256 characters of four bytes. Bytes after the 72nd, where bcrypt stops, and after the 512th must count. */
static void test_truncates_nothing(void **state)
{
    char password[256 * 4 + 1] = "";
    const char *text;

    for (int i = 0; i < 256; i++) {
        memcpy(password + i * 4, "\xf0\x9f\x98\x80", 5);
    }
    text = hash(*state, password);
    assert_true(cat_password_hash_match(*state, password, text));
    password[256 * 4 - 1] = '\x81';
    assert_false(cat_password_hash_match(*state, password, text));
    password[256 * 4 - 4] = '\0';
    assert_false(cat_password_hash_match(*state, password, text));
}

static void check_known(apr_pool_t *pool, const known_t *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!cat_password_hash_match(pool, known[i].password, known[i].hash)) {
            fail_msg("no match: %s", known[i].hash);
        }
        assert_false(cat_password_hash_match(pool, "another", known[i].hash));
        assert_false(cat_password_hash_match(pool, apr_pstrcat(pool, known[i].password, "x", NULL), known[i].hash));
    }
}

static void test_matches_known_argon2_hashes(void **state)
{
    check_known(*state, argon2_known, UNIT_COUNT(argon2_known));
}

static void test_matches_known_crypt_hashes(void **state)
{
    check_known(*state, crypt_known, UNIT_COUNT(crypt_known));
}

static const char *hash_with(apr_pool_t *pool, argon2_type type, unsigned memory, unsigned passes, unsigned lanes)
{
    char *text = apr_palloc(pool, 256);

    assert_int_equal(
        argon2_hash(passes, memory, lanes, "password", 8, "somesalt", 8, NULL, 32, text, 256, type, ARGON2_VERSION_13),
        ARGON2_OK);
    return text;
}

static void test_matches_every_kind_of_argon2(void **state)
{
    assert_true(cat_password_hash_match(*state, "password", hash_with(*state, Argon2_i, 64, 3, 2)));
    assert_true(cat_password_hash_match(*state, "password", hash_with(*state, Argon2_d, 64, 3, 2)));
    assert_true(cat_password_hash_match(*state, "password", hash_with(*state, Argon2_id, 64, 3, 2)));
}

static void test_refuses_broken_hashes(void **state)
{
    static const char *const broken[] = {
        "",
        "*",
        "!",
        "x",
        "*0",
        "*1",
        "password",
        "$",
        "$$",
        "$y$",
        "$6$",
        "$2y$",
        "$argon2",
        "$argon2id",
        "$argon2id$",
        "$argon2id$v=19$",
        "$argon2id$v=19$m=65536,t=2,p=1",
        "$argon2id$v=19$m=65536,t=2,p=1$",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPP", /* cut */
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPcx",
        "$argon2id$v=19$m=0,t=0,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=-1,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2x$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$ARGON2ID$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe", /* cut */
        "$2y$99$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "!$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", /* a locked account */
    };

    for (size_t i = 0; i < UNIT_COUNT(broken); i++) {
        if (cat_password_hash_match(*state, "password", broken[i]) ||
            cat_password_hash_match(*state, "U*U", broken[i]) || cat_password_hash_match(*state, "", broken[i])) {
            fail_msg("match: %s", broken[i]);
        }
    }
}

/* Each of these hashes would keep the server busy for seconds, or forever. */
static void test_does_not_run_absurd_parameters(void **state)
{
    static const char *const absurd[] = {
        "$argon2id$v=19$m=2097152,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=1048576,t=5,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=8,t=4294967295,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2i$m=8,t=4294967295,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=18446744073709551615,t=18446744073709551615,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJH"};
    apr_time_t start = apr_time_now();

    for (size_t i = 0; i < UNIT_COUNT(absurd); i++) {
        assert_false(cat_password_hash_match(*state, "password", absurd[i]));
    }
    assert_in_range(apr_time_as_msec(apr_time_now() - start), 0, 500);
}

/* Other programs must be able to read our hashes. */
static void test_makes_what_libargon2_verifies(void **state)
{
    const char *text = hash(*state, "correct horse");

    assert_int_equal(argon2id_verify(text, "correct horse", strlen("correct horse")), ARGON2_OK);
    assert_int_equal(argon2id_verify(text, "correct Horse", strlen("correct Horse")), ARGON2_VERIFY_MISMATCH);
}

static void test_other_kinds_and_parameters_are_not_current(void **state)
{
    assert_true(cat_password_hash_is_current(hash(*state, "correct horse")));
    assert_true(cat_password_hash_is_current(hash_with(*state, Argon2_id, 19456, 2, 1)));
    assert_false(cat_password_hash_is_current(hash_with(*state, Argon2_i, 19456, 2, 1)));
    assert_false(cat_password_hash_is_current(hash_with(*state, Argon2_id, 19457, 2, 1)));
    assert_false(cat_password_hash_is_current(hash_with(*state, Argon2_id, 19456, 1, 1)));
    assert_false(cat_password_hash_is_current(hash_with(*state, Argon2_id, 19456, 2, 2)));
    assert_false(
        cat_password_hash_is_current("$argon2id$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZ"));
    assert_false(cat_password_hash_is_current(crypt_known[0].hash));
    assert_false(cat_password_hash_is_current(""));
}

/* Returns the resident memory of this process in KiB. */
static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Hashes several times, because malloc would keep the memory only from the second hash on. */
static void test_gives_the_memory_back(void **state)
{
    long before = resident();

    for (int i = 0; i < 3; i++) {
        assert_true(cat_password_hash_match(*state, "correct horse", hash(*state, "correct horse")));
    }
    assert_in_range(resident(), 0, before + CAT_PASSWORD_MEMORY / 2);
}

static void test_bounds_the_threads_of_a_hash(void **state)
{
    assert_true(cat_password_hash_match(*state, "password", hash_with(*state, Argon2_id, 136, 1, 16)));
    assert_false(cat_password_hash_match(*state, "password", hash_with(*state, Argon2_id, 136, 1, 17)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_gives_the_memory_back), /* first, before other tests leave free memory to malloc */
        UNIT_TEST(test_hashes_with_argon2id),
        UNIT_TEST(test_truncates_nothing),
        UNIT_TEST(test_matches_known_argon2_hashes),
        UNIT_TEST(test_matches_known_crypt_hashes),
        UNIT_TEST(test_matches_every_kind_of_argon2),
        UNIT_TEST(test_refuses_broken_hashes),
        UNIT_TEST(test_does_not_run_absurd_parameters),
        UNIT_TEST(test_makes_what_libargon2_verifies),
        UNIT_TEST(test_other_kinds_and_parameters_are_not_current),
        UNIT_TEST(test_bounds_the_threads_of_a_hash),
    };
    return UNIT_RUN(tests);
}
