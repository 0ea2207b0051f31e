/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "http/etag.h"

#define TAG "\"0123456789abcdef\""
#define OTHER "\"0123456789abcdee\""
#define WEAK "W/" TAG

static void test_a_tag_depends_on_the_octets_only(void **state)
{
    const char *tag = cat_etag_make(*state, "{\"a\":1}", 7, 0);

    /* The tag must be the same on every server, and in every release. */
    assert_string_equal(tag, "\"c5e3762ffc8453c6\"");
    assert_string_equal(cat_etag_make(*state, "{\"a\":1} ", 7, 0), tag);
    assert_string_not_equal(cat_etag_make(*state, "{\"a\":1} ", 8, 0), tag);
    assert_string_not_equal(cat_etag_make(*state, "{\"a\":2}", 7, 0), tag);
    assert_string_equal(cat_etag_make(*state, "{\"a\":1}", 7, 1) + 2, tag);
    assert_memory_equal(cat_etag_make(*state, "{\"a\":1}", 7, 1), "W/", 2);
}

static void check(const char *match, const char *none_match, const char *tag, cat_condition_t expected)
{
    const cat_conditions_t conditions = {match, none_match};
    cat_condition_t result = cat_etag_judge(&conditions, tag);

    if (result != expected) {
        fail_msg("If-Match: %s, If-None-Match: %s for %s: %d", match ? match : "-", none_match ? none_match : "-", tag,
                 result);
    }
}

static void test_either_tag_of_two_representations_counts(void **)
{
    const cat_conditions_t match = {OTHER, NULL}, none_match = {NULL, OTHER}, neither = {"\"x\"", "\"x\""};

    assert_int_equal(cat_etag_judge_either(&match, TAG, OTHER), CAT_CONDITION_HOLDS);
    assert_int_equal(cat_etag_judge_either(&match, OTHER, TAG), CAT_CONDITION_HOLDS);
    assert_int_equal(cat_etag_judge_either(&match, TAG, NULL), CAT_IF_MATCH_FAILS);
    assert_int_equal(cat_etag_judge_either(&none_match, TAG, OTHER), CAT_IF_NONE_MATCH_FAILS);
    assert_int_equal(cat_etag_judge_either(&none_match, TAG, NULL), CAT_CONDITION_HOLDS);
    assert_int_equal(cat_etag_judge_either(&neither, TAG, OTHER), CAT_IF_MATCH_FAILS);
}

static void test_absent_conditions_hold(void **)
{
    check(NULL, NULL, TAG, CAT_CONDITION_HOLDS);
    check(NULL, NULL, WEAK, CAT_CONDITION_HOLDS);
}

static void test_finds_the_tag_in_lists(void **)
{
    static const char *const lists[] = {TAG,
                                        OTHER ", " TAG,
                                        OTHER "," TAG ",",
                                        ", \t," TAG,
                                        "\"\", " TAG,
                                        "\",\"," TAG,
                                        "W/" OTHER " , " TAG,
                                        "\"0123456789abcdef-gzip\"",
                                        "\"0123456789abcdef-br\"",
                                        "*"};

    for (size_t i = 0; i < UNIT_COUNT(lists); i++) {
        check(lists[i], NULL, TAG, CAT_CONDITION_HOLDS);
        check(NULL, lists[i], TAG, CAT_IF_NONE_MATCH_FAILS);
        check(NULL, lists[i], WEAK, CAT_IF_NONE_MATCH_FAILS);
    }
}

static void test_finds_no_other_tag(void **)
{
    static const char *const lists[] = {"",
                                        ",",
                                        OTHER,
                                        "W/" OTHER,
                                        "0123456789abcdef",
                                        "\"0123456789abcdef",
                                        "\"0123456789abcde\"",
                                        "\"0123456789abcdef0\"",
                                        "\"0123456789abcdef-\"",
                                        "\"0123456789abcdef-gzip",
                                        "\"0123456789abcdef-gzip-\"",
                                        "\"0123456789ABCDEF\"",
                                        "w/" TAG,
                                        "W" TAG,
                                        "W/",
                                        "\"",
                                        "x, " TAG,
                                        "x*"};

    for (size_t i = 0; i < UNIT_COUNT(lists); i++) {
        check(lists[i], NULL, TAG, CAT_IF_MATCH_FAILS);
        check(NULL, lists[i], TAG, CAT_CONDITION_HOLDS);
        check(NULL, lists[i], WEAK, CAT_CONDITION_HOLDS);
    }
}

static void test_if_match_compares_strongly(void **)
{
    check(WEAK, NULL, TAG, CAT_IF_MATCH_FAILS);
    check(TAG, NULL, WEAK, CAT_IF_MATCH_FAILS);
    check(WEAK, NULL, WEAK, CAT_IF_MATCH_FAILS);
    check(WEAK ", " TAG, NULL, TAG, CAT_CONDITION_HOLDS);
    check("*", NULL, WEAK, CAT_CONDITION_HOLDS);
}

static void test_if_none_match_compares_weakly(void **)
{
    check(NULL, WEAK, TAG, CAT_IF_NONE_MATCH_FAILS);
    check(NULL, WEAK, WEAK, CAT_IF_NONE_MATCH_FAILS);
}

static void test_if_match_comes_first(void **)
{
    check(OTHER, TAG, TAG, CAT_IF_MATCH_FAILS);
    check(TAG, TAG, TAG, CAT_IF_NONE_MATCH_FAILS);
    check(TAG, OTHER, TAG, CAT_CONDITION_HOLDS);
}

static cat_answer_t *answer(void **state, int status, cat_tag_t tag, cat_conditions_t conditions)
{
    cat_answer_t *a = cat_answer_text(*state, status, "{}", 2);

    a->tag = tag;
    return cat_etag_apply(*state, a, &conditions);
}

static void test_an_answer_gets_its_tag(void **state)
{
    cat_answer_t *strong = answer(state, 200, CAT_TAG_STRONG, (cat_conditions_t){NULL, NULL});
    cat_answer_t *weak = answer(state, 200, CAT_TAG_WEAK, (cat_conditions_t){NULL, NULL});

    assert_int_equal(strong->status, 200);
    assert_string_equal(strong->etag, cat_etag_make(*state, "{}", 2, 0));
    assert_string_equal(weak->etag, cat_etag_make(*state, "{}", 2, 1));
}

static void test_only_a_200_gets_a_tag(void **state)
{
    assert_null(answer(state, 200, CAT_TAG_NONE, (cat_conditions_t){"*", "*"})->etag);
    assert_int_equal(answer(state, 200, CAT_TAG_NONE, (cat_conditions_t){NULL, "*"})->status, 200);
    assert_null(answer(state, 404, CAT_TAG_STRONG, (cat_conditions_t){"*", "*"})->etag);
    assert_int_equal(answer(state, 404, CAT_TAG_STRONG, (cat_conditions_t){NULL, "*"})->status, 404);
}

static void test_conditions_change_the_answer(void **state)
{
    cat_answer_t *same = answer(state, 200, CAT_TAG_STRONG, (cat_conditions_t){NULL, "*"});
    cat_answer_t *failed = answer(state, 200, CAT_TAG_STRONG, (cat_conditions_t){OTHER, NULL});

    assert_int_equal(same->status, 304);
    assert_non_null(same->etag);
    assert_int_equal(failed->status, 412);
    assert_null(failed->etag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_tag_depends_on_the_octets_only),
        UNIT_TEST(test_either_tag_of_two_representations_counts),
        UNIT_TEST(test_absent_conditions_hold),
        UNIT_TEST(test_finds_the_tag_in_lists),
        UNIT_TEST(test_finds_no_other_tag),
        UNIT_TEST(test_if_match_compares_strongly),
        UNIT_TEST(test_if_none_match_compares_weakly),
        UNIT_TEST(test_if_match_comes_first),
        UNIT_TEST(test_an_answer_gets_its_tag),
        UNIT_TEST(test_only_a_200_gets_a_tag),
        UNIT_TEST(test_conditions_change_the_answer),
    };
    return UNIT_RUN(tests);
}
