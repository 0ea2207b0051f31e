/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "shm/generations.h"

static const char one[] = "01a1fd8d-47a8-77ac-9778-38d2c78c295b";

static cat_generations_t *make_generations(apr_pool_t *pool)
{
    return cat_generations_find(apr_pcalloc(pool, cat_generations_size()), "sqlite3 /x.db");
}

static int is_good(const cat_generations_t *generations, const char *id, cat_stamp_t stamp)
{
    cat_stamp_t now = cat_generations_read(generations, id);

    return now.epoch == stamp.epoch && now.generation == stamp.generation;
}

static void test_each_database_has_its_own_generations(void **state)
{
    void *memory = apr_pcalloc(*state, cat_generations_size());
    cat_generations_t *a = cat_generations_find(memory, "a"), *b = cat_generations_find(memory, "b");

    assert_ptr_not_equal(a, b);
    assert_ptr_equal(cat_generations_find(memory, "a"), a);
    for (int i = 0; i < 62; i++) {
        assert_non_null(cat_generations_find(memory, apr_itoa(*state, i)));
    }
    assert_null(cat_generations_find(memory, "one too many"));
    assert_ptr_equal(cat_generations_find(memory, "b"), b);
}

static void test_invalidates_what_changed(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t product = cat_generations_read(generations, one), list = cat_generations_read(generations, NULL);

    assert_true(is_good(generations, one, product) && is_good(generations, NULL, list));
    cat_generations_invalidate(generations, NULL);
    assert_true(is_good(generations, one, product) && !is_good(generations, NULL, list));
    list = cat_generations_read(generations, NULL);
    cat_generations_invalidate(generations, one);
    assert_false(is_good(generations, one, product) || is_good(generations, NULL, list));
    list = cat_generations_read(generations, NULL);
    product = cat_generations_read(generations, one);
    cat_generations_invalidate_all(generations);
    assert_false(is_good(generations, one, product) || is_good(generations, NULL, list));
}

/* Products share counters, so a change may invalidate a few others of a thousand. */
static void test_leaves_others_valid(void **state)
{
    cat_generations_t *generations = make_generations(*state);
    cat_stamp_t stamp = cat_generations_read(generations, one);
    int good = 0;

    cat_generations_invalidate(generations, one);
    for (int i = 0; i < 1000; i++) {
        good += is_good(generations, apr_psprintf(*state, "01a1fd8d-47a8-77ac-9778-38d2c78c%04x", i), stamp);
    }
    assert_in_range(good, 995, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_database_has_its_own_generations),
        UNIT_TEST(test_invalidates_what_changed),
        UNIT_TEST(test_leaves_others_valid),
    };
    return UNIT_RUN(tests);
}
