/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/spelling.h"

static const char *list(apr_pool_t *pool, const char *word)
{
    const char *joined = apr_array_pstrcat(pool, cat_spelling_parts(pool, word), '|');

    return joined ? joined : "";
}

static void test_parts_have_three_letters(void **state)
{
    assert_string_equal(list(*state, "kettle"), "<ke|ket|ett|ttl|tle|le>");
    assert_string_equal(list(*state, "ab"), "<ab|ab>");
    assert_string_equal(list(*state, "чайн"), "<ча|чай|айн|йн>");
}

static void test_edits_are_counted(void **)
{
    static const struct {
        const char *one, *other;
        int most, edits;
    } cases[] = {
        {"kettle", "kettle", 1, 0}, {"ketle", "kettle", 1, 1},
        {"kettle", "ketle", 1, 1},  {"kattle", "kettle", 1, 1},
        {"kettel", "kettle", 1, 1}, {"ekttle", "kettle", 1, 1},
        {"katle", "kettle", 1, 2},  {"katle", "kettle", 2, 2},
        {"kat", "kettle", 2, 3},    {"blankett", "blanket", 1, 1},
        {"чайник", "чайнки", 1, 1}, {"abc", "ca", 2, 3},
        {"", "ab", 2, 2},           {"teapot", "teacup", 1, 2},
        {"teapot", "teacup", 2, 3}, {"", "", 0, 0},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_int_equal(cat_spelling_compare(cases[i].one, cases[i].other, 0, cases[i].most), cases[i].edits);
    }
}

static void test_an_ending_is_no_edit(void **)
{
    static const struct {
        const char *one, *other;
        int ending, edits;
    } cases[] = {
        {"trvet", "trivets", 2, 1},    {"trvet", "trivets", 0, 2},
        {"trvet", "trivetings", 2, 3}, {"kettle", "kettles", 2, 0},
        {"ketlte", "kettles", 2, 1},   {"kettles", "kettle", 2, 1},
        {"stul", "stuhlen", 2, 1},     {"stuhl", "stuelen", 2, 1},
        {"чайик", "чайники", 2, 1},    {"", "ab", 2, 0},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_int_equal(cat_spelling_compare(cases[i].one, cases[i].other, cases[i].ending, 2), cases[i].edits);
    }
    assert_int_equal(cat_spelling_edits_with_ending(4), 0);
    assert_int_equal(cat_spelling_edits_with_ending(5), 1);
    assert_int_equal(cat_spelling_edits_with_ending(9), 1);
    assert_int_equal(cat_spelling_edits_with_ending(10), 2);
}

static void test_long_words_may_have_slips(void **)
{
    assert_int_equal(cat_spelling_edits(4), 0);
    assert_int_equal(cat_spelling_edits(5), 1);
    assert_int_equal(cat_spelling_edits(8), 1);
    assert_int_equal(cat_spelling_edits(9), 2);
}

/* A word with another letter, one less, one more, or two in each other's place. */
static char *edit(apr_pool_t *pool, const char *word)
{
    size_t length = strlen(word), at = (size_t)rand() % length;
    char *edited = apr_pstrcat(pool, word, "x", NULL), letter = (char)('a' + rand() % 3);

    edited[length] = '\0';
    switch (rand() % 4) {
    case 0:
        edited[at] = letter;
        break;
    case 1:
        memmove(edited + at, edited + at + 1, length - at);
        break;
    case 2:
        memmove(edited + at + 1, edited + at, length - at);
        edited[at] = letter;
        edited[length + 1] = '\0';
        break;
    default:
        at = at + 1 == length ? at - 1 : at;
        edited[at] = word[at + 1];
        edited[at + 1] = word[at];
    }
    return edited;
}

static int has_part(const apr_array_header_t *parts, const char *part)
{
    for (int i = 0; i < parts->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(parts, i, const char *), part)) {
            return 1;
        }
    }
    return 0;
}

/* Does the word have one of so many parts of the other, each as far from the next as it must be? */
static int is_met(const apr_array_header_t *parts, const apr_array_header_t *asked, int from, int count)
{
    for (int i = 0; i < count; i++) {
        if (has_part(parts, APR_ARRAY_IDX(asked, from + i * CAT_SPELLING_PARTS_APART, const char *))) {
            return 1;
        }
    }
    return 0;
}

static void test_a_slip_leaves_one_of_the_parts_that_are_apart(void **state)
{
    apr_pool_t *pool;

    srand(1);
    apr_pool_create(&pool, *state);
    for (int i = 0; i < 20000; i++, apr_pool_clear(pool)) {
        int letters = CAT_SPELLING_SLIP_LEAST + rand() % 8, edits = cat_spelling_edits(letters);
        char *word = apr_pcalloc(pool, 32);
        const char *slip = word;
        const apr_array_header_t *asked, *parts;
        for (int j = 0; j < letters; j++) {
            word[j] = (char)('a' + rand() % 3);
        }
        for (int j = 0; j < edits; j++) {
            slip = edit(pool, slip);
        }
        if (cat_spelling_compare(word, slip, 0, edits) > edits) {
            continue; /* edits that overlap */
        }
        asked = cat_spelling_parts(pool, word);
        parts = cat_spelling_parts(pool, slip);
        for (int from = 0; from + edits * CAT_SPELLING_PARTS_APART < asked->nelts; from++) {
            assert_true(is_met(parts, asked, from, edits + 1));
        }
    }
    apr_pool_destroy(pool);
}

/* The same of a word with an ending, which has not the last part; five letters are too few (catalogue/search/widen.c). */
static void test_a_slip_before_an_ending_leaves_one_of_the_others(void **state)
{
    apr_pool_t *pool;

    srand(2);
    apr_pool_create(&pool, *state);
    for (int i = 0; i < 20000; i++, apr_pool_clear(pool)) {
        int letters = CAT_SPELLING_SLIP_LEAST + 1 + rand() % 8, edits = cat_spelling_edits_with_ending(letters);
        char *word = apr_pcalloc(pool, 32);
        const char *slip = word;
        const apr_array_header_t *asked, *parts;
        for (int j = 0; j < letters; j++) {
            word[j] = (char)('a' + rand() % 3);
        }
        for (int j = 0; j < edits; j++) {
            slip = edit(pool, slip);
        }
        if (cat_spelling_compare(word, slip, 0, edits) > edits) {
            continue; /* edits that overlap */
        }
        slip = apr_pstrcat(pool, slip, rand() % 2 ? "s" : "es", NULL);
        assert_true(cat_spelling_compare(word, slip, CAT_SPELLING_ENDING_MAX, edits) <= edits);
        asked = cat_spelling_parts(pool, word);
        parts = cat_spelling_parts(pool, slip);
        for (int from = 0; from + edits * CAT_SPELLING_PARTS_APART < asked->nelts - 1; from++) {
            assert_true(is_met(parts, asked, from, edits + 1));
        }
    }
    apr_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_parts_have_three_letters),
        UNIT_TEST(test_edits_are_counted),
        UNIT_TEST(test_an_ending_is_no_edit),
        UNIT_TEST(test_long_words_may_have_slips),
        UNIT_TEST(test_a_slip_leaves_one_of_the_parts_that_are_apart),
        UNIT_TEST(test_a_slip_before_an_ending_leaves_one_of_the_others),
    };

    return UNIT_RUN(tests);
}
