/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "catalogue/query/synonyms.h"

static const cat_synonyms_t *parse(apr_pool_t *pool, const char *text)
{
    const cat_synonyms_t *synonyms;
    const char *fault = cat_synonyms_parse(pool, text, &synonyms);

    assert_null(fault);
    return synonyms;
}

static const char *write_term(apr_pool_t *pool, const cat_words_asked_t *term)
{
    const char *text = term->words[0];

    for (int i = 1; i < term->count; i++) {
        text = apr_pstrcat(pool, text, "+", term->words[i], NULL);
    }
    return text;
}

/* Those of the words of a question, one behind the other. */
static const char *find_all(apr_pool_t *pool, const cat_synonyms_t *synonyms, const char *const *words, int count)
{
    const char *text = "";

    for (const cat_synonym_t *s = cat_synonyms_find(synonyms, words[0]); s; s = s->next) {
        for (int i = 0; i < s->others->nelts && cat_synonyms_is_there(&s->term, words, count); i++) {
            text = apr_pstrcat(pool, text, *text ? " " : "",
                               write_term(pool, &APR_ARRAY_IDX(s->others, i, cat_words_asked_t)), NULL);
        }
    }
    return text;
}

static const char *find(apr_pool_t *pool, const cat_synonyms_t *synonyms, const char *word)
{
    return find_all(pool, synonyms, &word, 1);
}

static void test_each_word_of_a_line_stands_for_each_other(void **state)
{
    const cat_synonyms_t *synonyms =
        parse(*state, "# furniture\r\n\r\n Sofa ,couch,\tSettee # and more\r\nsofa, divan");

    assert_string_equal(find(*state, synonyms, "sofa"), "couch settee divan");
    assert_string_equal(find(*state, synonyms, "couch"), "sofa settee");
    assert_string_equal(find(*state, synonyms, "divan"), "sofa");
    assert_string_equal(find(*state, synonyms, "sof"), "");
    assert_string_equal(find(*state, synonyms, "sofas"), "");
    assert_string_equal(find(*state, NULL, "sofa"), "");
}

static void test_an_arrow_leads_one_way(void **state)
{
    const cat_synonyms_t *synonyms = parse(*state, "tv, telly => television, set\ntelly=>tube");

    assert_string_equal(find(*state, synonyms, "tv"), "television set");
    assert_string_equal(find(*state, synonyms, "telly"), "television set tube");
    assert_string_equal(find(*state, synonyms, "television"), "");
}

/* As those of a question. */
static void test_words_are_folded_and_split(void **state)
{
    const cat_synonyms_t *synonyms = parse(*state, "GRÖSSE, Größe, M5799DWF, 包丁, \xc5\x81\xc3\xb3\xc5\xba");

    assert_string_equal(find(*state, synonyms, "grosse"), "m5799dwf 包丁 loz");
    assert_string_equal(find(*state, synonyms, "loz"), "grosse m5799dwf 包丁");
}

/* Two words are looked for as one, so that it does not matter how they are joined; three are looked for one behind the other. */
static void test_a_term_may_be_several_words(void **state)
{
    static const char *const flat[] = {"flat", "screen", "tv", "big"}, *const pairs[] = {"三徳", "徳包", "包丁"};
    const cat_synonyms_t *synonyms =
        parse(*state, "tv => television set\nT-Shirt, tee\nflat screen tv => television, Galaxy24\n三徳包丁, knife");

    assert_string_equal(find(*state, synonyms, "tv"), "television+set");
    assert_string_equal(find(*state, synonyms, "tshirt"), "tee");
    assert_string_equal(find(*state, synonyms, "tee"), "t+shirt");
    assert_string_equal(find_all(*state, synonyms, flat, 4), "television galaxy+24");
    assert_string_equal(find_all(*state, synonyms, flat, 2), "");
    assert_string_equal(find_all(*state, synonyms, flat + 1, 3), "");
    assert_string_equal(find_all(*state, synonyms, pairs, 3), "knife");
    assert_string_equal(find(*state, synonyms, "knife"), "三徳+徳包+包丁");
}

static void test_no_term_is_its_own_synonym(void **state)
{
    const cat_synonyms_t *synonyms = parse(*state, "cup, Cup, mug, mug\nt-shirt, tshirt, tee");

    assert_string_equal(find(*state, synonyms, "cup"), "mug");
    assert_string_equal(find(*state, synonyms, "tshirt"), "tee");
}

static void test_texts_have_names(void **state)
{
    const char *one = cat_synonyms_name(parse(*state, "sofa, couch")),
               *other = cat_synonyms_name(parse(*state, "a, b"));

    assert_string_not_equal(one, other);
    assert_string_equal(one, cat_synonyms_name(parse(*state, "sofa, couch")));
    assert_string_equal(cat_synonyms_name(parse(*state, "# none\n")), "");
    assert_string_equal(cat_synonyms_name(NULL), "");
}

static void test_faults_name_their_line(void **state)
{
    static const char *const faults[][2] = {
        {"tea, chai\n\ncoffee", "line 3 has neither a comma nor =>"},
        {"sofa, , couch", "line 1 has an empty term"},
        {"sofa, couch,", "line 1 has an empty term"},
        {"=> sofa", "line 1 has an empty term"},
        {"sofa =>", "line 1 has an empty term"},
        {"tv => television => tube", "line 1 has => twice"},
        {"# pans\na, b c d e f g h i j k", "line 2 has \"b c d e f g h i j k\", which is 10 words or pairs"},
        {"a b c d e, f g h i j", "line 1 makes a search for \"a b c d e\" longer than 20 words"},
        {"x => a b, c d\nx => e f, g h, i j", "line 2 makes a search for \"x\" longer than 20 words"},
        {"--, dash", "line 1 has \"--\", which has no letter and no digit"},
        {"gr\xf6sse, size", "is not text in UTF-8"},
        {"a123456789b123456789c123456789d123456789e123456789f123456789g123456789, b",
         "with a word of more than 64 octets"},
    };

    for (size_t i = 0; i < UNIT_COUNT(faults); i++) {
        const cat_synonyms_t *synonyms;
        const char *fault = cat_synonyms_parse(*state, faults[i][0], &synonyms);
        assert_non_null(fault);
        assert_non_null(strstr(fault, faults[i][1]));
        assert_null(synonyms);
    }
}

static void test_faults_show_the_beginning_of_a_long_term(void **state)
{
    const cat_synonyms_t *synonyms;
    char *line = apr_palloc(*state, 5001);

    memset(line, 'a', 5000);
    line[5000] = '\0';
    assert_in_range(strlen(cat_synonyms_parse(*state, apr_pstrcat(*state, line, ", b", NULL), &synonyms)), 100, 200);
}

static void test_a_word_has_a_bounded_number(void **state)
{
    const cat_synonyms_t *synonyms;
    const char *line = "word => w10";
    const char *fault;

    for (int i = 11; i < 10 + CAT_SYNONYMS_MAX; i++) {
        line = apr_psprintf(*state, "%s, w%d", line, i);
    }
    assert_null(cat_synonyms_parse(*state, line, &synonyms));
    fault = cat_synonyms_parse(*state, apr_pstrcat(*state, line, "\nword => more", NULL), &synonyms);
    assert_string_equal(fault, "line 2 gives \"word\" more than 31 synonyms");
}

static void test_reads_a_file(void **state)
{
    const char *directory = unit_directory(*state);
    const cat_synonyms_t *synonyms;

    assert_null(cat_synonyms_read(*state, unit_write(*state, directory, "good", 0644, "sofa, couch\n", 12), &synonyms));
    assert_string_equal(find(*state, synonyms, "sofa"), "couch");
    assert_null(cat_synonyms_read(
        *state, unit_write(*state, directory, "marked", 0644, "\xef\xbb\xbf# seats\nsofa, couch\n", 23), &synonyms));
    assert_string_equal(find(*state, synonyms, "sofa"), "couch");
    assert_non_null(
        strstr(cat_synonyms_read(*state, unit_write(*state, directory, "nul", 0644, "sofa, \0couch\n", 13), &synonyms),
               "/nul: is not text in UTF-8"));
    assert_non_null(
        strstr(cat_synonyms_read(*state, unit_write(*state, directory, "bad", 0644, "sofa\n", 5), &synonyms),
               "/bad: line 1 has neither a comma"));
    assert_non_null(strstr(cat_synonyms_read(*state, "/nowhere", &synonyms), "/nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_word_of_a_line_stands_for_each_other),
        UNIT_TEST(test_an_arrow_leads_one_way),
        UNIT_TEST(test_words_are_folded_and_split),
        UNIT_TEST(test_a_term_may_be_several_words),
        UNIT_TEST(test_no_term_is_its_own_synonym),
        UNIT_TEST(test_texts_have_names),
        UNIT_TEST(test_faults_name_their_line),
        UNIT_TEST(test_faults_show_the_beginning_of_a_long_term),
        UNIT_TEST(test_a_word_has_a_bounded_number),
        UNIT_TEST(test_reads_a_file),
    };

    return UNIT_RUN(tests);
}
