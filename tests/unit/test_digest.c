/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "lib/digest.h"
#include "lib/secret.h"

static void test_of_nothing(void **state)
{
    assert_string_equal(cat_digest_end(cat_digest_begin(*state)), cat_secret_digest(*state, ""));
}

/* FIPS 180-2, B.1. */
static void test_pieces_do_not_matter(void **state)
{
    cat_digest_t *whole = cat_digest_begin(*state), *pieces = cat_digest_begin(*state);

    cat_digest_add(whole, "abc", 3);
    cat_digest_add(pieces, "a", 1);
    cat_digest_add(pieces, "", 0);
    cat_digest_add(pieces, "bc", 2);
    assert_string_equal(cat_digest_end(whole), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(cat_digest_end(pieces), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_nul_counts(void **state)
{
    cat_digest_t *one = cat_digest_begin(*state), *other = cat_digest_begin(*state);

    cat_digest_add(one, "a\0b", 3);
    cat_digest_add(other, "a\0c", 3);
    assert_string_not_equal(cat_digest_end(one), cat_digest_end(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_of_nothing),
        UNIT_TEST(test_pieces_do_not_matter),
        UNIT_TEST(test_nul_counts),
    };
    return UNIT_RUN(tests);
}
