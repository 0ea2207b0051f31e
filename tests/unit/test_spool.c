/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/spool.h"

#define TEXTS 3

static void assert_record(cat_spool_t *spool, apr_pool_t *pool, const char *a, const char *b, const char *c)
{
    const char *const expected[TEXTS] = {a, b, c}, *texts[TEXTS];

    assert_int_equal(cat_spool_read(spool, pool, texts, TEXTS), APR_SUCCESS);
    for (int i = 0; i < TEXTS; i++) {
        if (expected[i]) {
            assert_string_equal(texts[i], expected[i]);
        } else {
            assert_null(texts[i]);
        }
    }
}

static void add(cat_spool_t *spool, const char *a, const char *b, const char *c)
{
    const char *const texts[TEXTS] = {a, b, c};

    assert_int_equal(cat_spool_add(spool, texts, TEXTS), APR_SUCCESS);
}

static void test_records_are_read_as_often_as_needed(void **state)
{
    const char *texts[TEXTS], *longer = memset(apr_pcalloc(*state, 100001), 'x', 100000);
    cat_spool_t *spool;
    apr_off_t second;

    assert_int_equal(cat_spool_open(*state, &spool), APR_SUCCESS);
    add(spool, "a", NULL, "");
    add(spool, NULL, "\xff -+\n", longer);
    add(spool, "", NULL, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cat_spool_seek(spool, 0), APR_SUCCESS);
        assert_record(spool, *state, "a", NULL, "");
        second = cat_spool_tell(spool);
        assert_record(spool, *state, NULL, "\xff -+\n", longer);
        assert_record(spool, *state, "", NULL, NULL);
        assert_int_equal(cat_spool_read(spool, *state, texts, TEXTS), APR_EOF);
    }
    assert_int_equal(cat_spool_seek(spool, second), APR_SUCCESS);
    assert_record(spool, *state, NULL, "\xff -+\n", longer);
}

static void test_an_empty_spool_has_no_record(void **state)
{
    const char *texts[TEXTS];
    cat_spool_t *spool;

    assert_int_equal(cat_spool_open(*state, &spool), APR_SUCCESS);
    assert_int_equal(cat_spool_seek(spool, 0), APR_SUCCESS);
    assert_int_equal(cat_spool_read(spool, *state, texts, TEXTS), APR_EOF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_records_are_read_as_often_as_needed),
        UNIT_TEST(test_an_empty_spool_has_no_record),
    };
    return UNIT_RUN(tests);
}
