/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "catalogue/query/query_clauses.h"
#include "catalogue/query/query_others.h"
#include "lib/fold.h"

static const char file[] = "tv => television set, flat screen\n"
                           "dining table, Esstisch\n"
                           "T-Shirt, tee\n"
                           "flat screen tv => monitor\n"
                           "三徳包丁, knife\n"
                           "m5799 => grinder\n";

/* "word|other|other word": each clause behind a blank. */
static const char *write_clauses(apr_pool_t *pool, const cat_words_asked_t *words)
{
    const cat_synonyms_t *synonyms;
    const char *asked = "";
    cat_query_clauses_t clauses;

    assert_null(cat_synonyms_parse(pool, file, &synonyms));
    clauses = cat_query_clauses_make(pool, words, synonyms);
    assert_true(clauses.count >= words->count && clauses.count <= CAT_QUERY_WORDS_MAX);
    for (int i = 0; i < clauses.count; i++) {
        asked = apr_pstrcat(pool, asked, i ? " " : "", clauses.words[i], NULL);
        for (const char *const *other = clauses.others[i]; other && *other; other++) {
            asked = apr_pstrcat(pool, asked, "|", *other, NULL);
        }
        for (int k = 0; k < i; k++) { /* plans tell words apart by their address */
            assert_ptr_not_equal(clauses.words[k], clauses.words[i]);
        }
    }
    return asked;
}

static const char *ask(apr_pool_t *pool, const char *text)
{
    const cat_words_asked_t words = cat_words_ask(pool, cat_fold_text(pool, text));

    return write_clauses(pool, &words);
}

static void test_words_without_synonyms(void **state)
{
    assert_string_equal(ask(*state, "kettle"), "kettle");
    assert_string_equal(ask(*state, "red kettle"), "red kettle|redkettle");
}

static void test_a_synonym_of_several_words_repeats_the_word(void **state)
{
    assert_string_equal(ask(*state, "tv"), "tv|television|flat tv|set|televisionset|flat "
                                           "tv|television|screen|flatscreen tv|set|televisionset|screen|flatscreen");
    assert_string_equal(ask(*state, "esstisch"), "esstisch|dining esstisch|table|diningtable");
    assert_string_equal(ask(*state, "knife"), "knife|三徳 knife|徳包 knife|包丁");
}

static void test_a_number_may_be_meant_without_its_letters(void **state)
{
    assert_string_equal(ask(*state, "kt5799"), "kt5799|5799");
    assert_string_equal(ask(*state, "m5799"), "m5799|5799|grinder");
    assert_string_equal(ask(*state, "grinder"), "grinder");
}

/* Of whole words, none finds what it begins. */
static void test_whole_words_are_joined_to_either_side(void **state)
{
    static const char *const words[] = {"multi ", "tool ", "tv "}, *const joined[] = {NULL, "multitool ", "tooltv "},
                             *const numbers[] = {NULL, NULL, NULL};

    assert_string_equal(
        write_clauses(*state, &(cat_words_asked_t){words, joined, numbers, 3}),
        "multi |multitool |multitooltv  tool |multitool |multitooltv |tooltv  tv |tooltv |multitooltv ");
}

static void test_several_words_have_a_synonym(void **state)
{
    assert_string_equal(ask(*state, "Dining-Table red"), "dining|esstisch table|diningtable|esstisch red|tablered");
    assert_string_equal(ask(*state, "table dining"), "table dining|tabledining");
    assert_string_equal(ask(*state, "三徳包丁"), "三徳|knife 徳包|knife 包丁|knife");
    assert_string_equal(ask(*state, "三徳包"), "三徳 徳包");
}

static void test_it_does_not_matter_how_two_words_are_joined(void **state)
{
    assert_string_equal(ask(*state, "tshirt"), "tshirt|tee");
    assert_string_equal(ask(*state, "t shirt"), "t shirt|tshirt|tee");
    assert_string_equal(ask(*state, "tee"), "tee|t tee|shirt|tshirt");
}

/* Sixteen words more, and only those of which there is room take part. */
static void test_a_question_has_no_more_words_than_it_may(void **state)
{
    const char *sixteen = "aa bb cc dd ee ff gg hh ii jj kk ll mm nn oo pp";

    assert_non_null(strstr(ask(*state, apr_pstrcat(*state, sixteen, " tv", NULL)), "|screen|flatscreen"));
    assert_null(strstr(ask(*state, apr_pstrcat(*state, sixteen, " qq tv", NULL)), "|screen"));
    assert_non_null(strstr(ask(*state, apr_pstrcat(*state, sixteen, " qq tv", NULL)), "|television"));
    assert_null(strstr(ask(*state, apr_pstrcat(*state, sixteen, " qq rr ss tv", NULL)), "|television"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_words_without_synonyms),
        UNIT_TEST(test_a_synonym_of_several_words_repeats_the_word),
        UNIT_TEST(test_a_number_may_be_meant_without_its_letters),
        UNIT_TEST(test_whole_words_are_joined_to_either_side),
        UNIT_TEST(test_several_words_have_a_synonym),
        UNIT_TEST(test_it_does_not_matter_how_two_words_are_joined),
        UNIT_TEST(test_a_question_has_no_more_words_than_it_may),
    };

    return UNIT_RUN(tests);
}
