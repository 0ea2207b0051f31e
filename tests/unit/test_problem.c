/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "http/problem.h"

/* The name is the end of a URI, which never changes. */
static void test_names_are_unique_and_kebab_case(void **)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        const char *name = cat_problem_rows[i].name;

        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
        assert_true(*name && *name != '-' && name[strlen(name) - 1] != '-' && !strstr(name, "--"));
        /* The name is unique, so the first row with it is this one. */
        assert_ptr_equal(cat_problem_find(name), &cat_problem_rows[i]);
    }
    assert_null(cat_problem_find("no-such-problem"));
    assert_null(cat_problem_find(""));
}

static void check_sentences(const char *text)
{
    assert_true(*text >= 'A' && *text <= 'Z');
    assert_int_equal(text[strlen(text) - 1], '.');
}

static void test_each_problem_is_explained(void **)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        check_sentences(cat_problem_rows[i].meaning);
        check_sentences(cat_problem_rows[i].remedy);
    }
}

static void test_a_status_has_one_general_row(void **)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        const cat_problem_row_t *row = &cat_problem_rows[i];
        if (row->is_general) {
            assert_ptr_equal(cat_problem_find_status(row->status), row);
        }
    }
    assert_ptr_equal(cat_problem_find_status(404), &cat_problem_rows[CAT_PROBLEM_ROUTE_UNKNOWN]);
    assert_null(cat_problem_find_status(401));
    assert_null(cat_problem_find_status(999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_names_are_unique_and_kebab_case),
        UNIT_TEST(test_each_problem_is_explained),
        UNIT_TEST(test_a_status_has_one_general_row),
    };
    return UNIT_RUN(tests);
}
