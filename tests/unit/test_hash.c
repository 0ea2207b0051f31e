/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/hash.h"

static apr_uint64_t hash(const char *text)
{
    return cat_hash(text, strlen(text));
}

/* Servers behind one load balancer must make the same entity tags, whatever version of libxxhash they have. */
static void test_is_xxh3(void **)
{
    assert_true(hash("") == UINT64_C(0x2d06800538d394c2));
    assert_true(hash("catalogue") == UINT64_C(0x37f7b2d044e5c8bf));
}

static void test_octets_after_the_length_make_no_difference(void **)
{
    assert_true(cat_hash("catalogue", 7) == cat_hash("catalog", 7));
    assert_true(cat_hash("products/1", 10) == cat_hash("products/12", 10));
    assert_true(hash("") == cat_hash("x", 0));
}

static void test_each_octet_makes_a_difference(void **state)
{
    const char *text = "018cc252-1b0f-770f-870f-000004b83901";

    for (apr_size_t length = 0; length <= strlen(text); length++) {
        for (apr_size_t i = 0; i < length; i++) {
            char *other = apr_pstrmemdup(*state, text, length);
            other[i] ^= 1;
            assert_false(cat_hash(text, length) == cat_hash(other, length));
        }
        assert_false(length > 0 && cat_hash(text, length) == cat_hash(text, length - 1));
    }
}

static void test_zeros_are_counted(void **)
{
    static const char zeros[32];

    for (apr_size_t length = 1; length <= sizeof(zeros); length++) {
        assert_false(cat_hash(zeros, length) == cat_hash(zeros, length - 1));
    }
}

/* Hashes texts that differ in a number only, like ids made one after another: as many texts as there are places. Each place gets
 * few of them, whether the lower or the upper bits of the hash choose it. */
#define BITS 12
#define PLACES (1 << BITS)
#define MOST 9 /* a random function would fill some place with 7 or 8 */

static void test_spreads_similar_texts(void **state)
{
    static int lower[PLACES], upper[PLACES];

    for (int i = 0; i < PLACES; i++) {
        apr_uint64_t h = hash(apr_psprintf(*state, "018cc252-1b0f-7000-8000-%012d", i));
        assert_true(++lower[h % PLACES] <= MOST);
        assert_true(++upper[h >> (64 - BITS)] <= MOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_is_xxh3),
        UNIT_TEST(test_octets_after_the_length_make_no_difference),
        UNIT_TEST(test_each_octet_makes_a_difference),
        UNIT_TEST(test_zeros_are_counted),
        UNIT_TEST(test_spreads_similar_texts),
    };
    return UNIT_RUN(tests);
}
