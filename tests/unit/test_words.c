/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/fold.h"
#include "lib/words.h"

static const char *join(apr_pool_t *pool, const apr_array_header_t *words, char separator)
{
    const char *joined = apr_array_pstrcat(pool, words, separator);

    return joined ? joined : "";
}

/* Behind one that is joined, a "=". */
static const char *list(apr_pool_t *pool, const char *text)
{
    const apr_array_header_t *words = cat_words_list(pool, cat_fold_text(pool, text));
    const char *all = "";

    for (int i = 0; i < words->nelts; i++) {
        const cat_word_t *word = &APR_ARRAY_IDX(words, i, cat_word_t);
        all = apr_pstrcat(pool, all, i ? "|" : "", word->text, word->is_joined ? "=" : "", NULL);
    }
    return all;
}

typedef struct case_t {
    const char *text, *words;
} case_t;

static void check_lists(apr_pool_t *pool, const case_t *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(list(pool, cases[i].text), cases[i].words);
    }
}

static void test_words_are_runs_of_letters_and_digits(void **state)
{
    static const case_t cases[] = {
        {"", ""},
        {" -- !", ""},
        {"tea", "tea"},
        {"Red kettle, red TEA!", "kettle|red|tea"},
        {"10 9 1", "1|10|9"},
        {"½ pint", "1|2|pint"},
        {"Ⅷ", "viii"},
        {"2.5 1/2 9,20", "1|2|20|5|9"},
        {"b\xff"
         "a",
         "a|b"}, /* an octet that is not UTF-8 ends a word */
    };

    check_lists(*state, cases, UNIT_COUNT(cases));
}

static void test_compounds_are_also_one_word(void **state)
{
    static const case_t cases[] = {
        {"Wi-Fi", "fi|wi|wifi"},
        {"AC/DC USB-C", "ac|acdc|c|dc|usb|usbc"},
        {"o'clock L’Oréal", "clock|l|loreal|o|oclock|oreal"},
        {"H&M", "h|hm|m"},
        {"978-3-16", "16|3|316|978|978316"},
        {"a-b-c", "a|abc|b|bc=|c"},
        {"tea\xe2\x80\x93kettle 10\xe2\x80\x93"
         "20",
         "10|20|kettle|tea|teakettle"}, /* en dashes */
        {"\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb1",
         "\xd8\xb1|\xd9\x85\xdb\x8c|\xd9\x85\xdb\x8c\xd8\xb1"}, /* what keeps letters apart */
        {"tea--cup tea - cup", "cup|tea"},
        {"Akten\xc2\xadschrank", "akten|aktenschrank|schrank"}, /* a soft hyphen */
    };

    check_lists(*state, cases, UNIT_COUNT(cases));
}

static void test_short_neighbours_are_also_one_word(void **state)
{
    static const case_t cases[] = {
        {"Wi Fi", "fi|wi|wifi="},
        {"Wi Fi wifi", "fi|wi|wifi"},
        {"T Shirt", "shirt|t|tshirt="},
        {"rest for a spoon", "a|aspoon=|for|foraspoon=|rest|spoon"},
        {"a tea-kettle", "a|ateakettle=|kettle|tea|teakettle"},
        {"500 ml XPS 13", "13|500|500ml|ml|xps|xps13"},
        {"M 5799DWF", "5799dwf|dwf|m|m5799dwf"},
        {"Wi, Fi", "fi|wi"},
        {"set of 12 34", "12|34|of|of12|set"},
        {"tea cups", "cups|tea"},
        {"80 x 120 cm", "120|120cm|80|80x120cm|cm|x|x120cm"},
        {"Wi-Fi 6", "6|fi|fi6|wi|wifi6"},
    };

    check_lists(*state, cases, UNIT_COUNT(cases));
}

static void test_numbers_of_models_are_also_found_from_within(void **state)
{
    static const case_t cases[] = {
        {"M5799DWF", "5799dwf|dwf|m5799dwf"},
        {"USB3.0", "0|3|usb3"},
        {"Galaxy24S 4tune5", "24s|4tune5|5|galaxy|galaxy24s|s|tune|tune5"}, /* names before numbers */
        {"KS-1167-GRN", "1167|1167grn|grn|ks|ks1167grn"},
        {"a1b2c3d4e5", "1b2c3d4e5|2c3d4e5|3d4e5|4e5|a1b2c3d4e5|b2c3d4e5|c3d4e5|d4e5"}, /* and no more */
    };

    check_lists(*state, cases, UNIT_COUNT(cases));
}

static void test_a_number_beside_a_name_is_a_word(void **state)
{
    static const case_t cases[] = {
        {"Galaxy24", "24|galaxy|galaxy24"},
        {"2litres", "2|2litres|litres"},
        {"Galaxy24 XL", "24|24xl|galaxy|galaxy24xl|xl"},
        {"XPS 2litres-XL", "2|2litresxl|litres|litresxl|xl|xps|xps2litresxl"},
        {"1-2-3-4-5-6-7-8-galaxy9",
         "1|12345678galaxy9|2|2345678galaxy9|3|345678galaxy9|4|45678galaxy9|5|5678galaxy9|6|678galaxy9|7|"
         "78galaxy9|8|8galaxy9|9|galaxy"},
    };

    check_lists(*state, cases, UNIT_COUNT(cases));
}

static void test_scripts_without_blanks_have_pairs(void **state)
{
    static const case_t cases[] = {
        {"三徳包丁", "丁|三徳|包丁|徳包"},
        {"茶", "茶"},
        {"お茶 LED電球5個", "5|led|お茶|個|球|茶|電球"},
        {"カーテン", "カー|テン|ン|ーテ"},
        {"가나", "\xe1\x84\x80\xe1\x85\xa1\xe1\x84\x82\xe1\x85\xa1|\xe1\x84\x82\xe1\x85\xa1"},
        {"ชาไทย", "ชา|ทย|ย|าไ|ไท"},
        {"茶 杯, 皿", "杯|皿|茶|茶杯"},
        {"茶・杯 USB 皿", "usb|杯|皿|茶|茶杯"},
    };

    check_lists(*state, cases, UNIT_COUNT(cases));
}

static void test_long_words_are_not_joined(void **state)
{
    char text[80];

    memset(text, 'a', sizeof(text));
    text[40] = '-';
    text[79] = '\0';
    assert_int_equal(cat_words_list(*state, text)->nelts, 2);
    text[24] = '-';
    text[65] = '\0';
    assert_int_equal(cat_words_list(*state, text)->nelts, 4); /* of 24, 15, 24 and 1 octets: 15, 24, 39 and 63 */
}

static void test_words_of_a_long_text(void **state)
{
    char text[6001];

    for (int i = 0; i < 6000; i++) {
        text[i] = i % 3 == 2 ? ' ' : (char)('a' + i % 25);
    }
    text[6000] = '\0';
    assert_in_range(cat_words_list(*state, text)->nelts, 25, 75);
}

/* Of many joined ones, nobody has to read all again for each of them. */
static void test_long_compound_takes_no_time(void **state)
{
    char *text = apr_palloc(*state, 200001);

    for (int i = 0; i < 200000; i++) {
        text[i] = i % 2 ? '-' : (char)('a' + i / 2 % 26);
    }
    text[200000] = '\0';
    assert_int_equal(cat_words_list(*state, text)->nelts, 34); /* letters, and eight times 64 of them */
    assert_int_equal(cat_words_ask(*state, text).count, 26);
}

static void test_words_in_their_order(void **state)
{
    assert_string_equal(join(*state, cat_words_split(*state, "blue kettle, 2 l blue"), '-'), "blue-kettle-2-l-blue");
    assert_string_equal(join(*state, cat_words_split(*state, "m5799dwf wi-fi"), '-'), "m5799dwf-wi-fi");
    assert_string_equal(join(*state, cat_words_split(*state, "led電球"), '-'), "led電球");
    assert_string_equal(join(*state, cat_words_split(*state, " -a- "), '-'), "a");
    assert_string_equal(join(*state, cat_words_split(*state, "gru\xcc\x88n หม้อ \xcc\x88"), '-'), "gru\xcc\x88n-หม้อ");
    assert_int_equal(cat_words_split(*state, "?!")->nelts, 0);
}

static const char *ask(apr_pool_t *pool, const char *text)
{
    cat_words_asked_t asked = cat_words_ask(pool, cat_fold_text(pool, text));
    const char *all = "";

    for (int i = 0; i < asked.count; i++) {
        all = apr_pstrcat(pool, all, i ? " " : "", asked.words[i], asked.joined[i] ? "|" : "",
                          asked.joined[i] ? asked.joined[i] : "", asked.numbers[i] ? "#" : "",
                          asked.numbers[i] ? asked.numbers[i] : "", NULL);
    }
    return all;
}

static void test_words_of_a_question(void **state)
{
    static const case_t cases[] = {
        {"Wi-Fi", "wi fi|wifi"},
        {"wifi", "wifi"},
        {"red kett,kettle", "red kettle|redkettle"},
        {"kettle red Kettle", "kettle red|kettlered"},
        {"Galaxy24 USB3 m5799dwf", "galaxy 24|galaxy24 usb3|24usb3 m5799dwf|usb3m5799dwf#5799dwf"},
        {"M5799 RTX4090 a320 abcd5799",
         "m5799#5799 rtx4090|m5799rtx4090#4090 a320|rtx4090a320 abcd|a320abcd 5799|abcd5799"},
        {"2litres 4tea 34galaxies5", "2 litres|2litres 4tea|litres4tea 34galaxies5|4tea34galaxies5"},
        {"三徳包丁", "三徳 徳包 包丁"},
        {"LED電球", "led 電球"},
        {"茶", "茶"},
        {"一二三四五六七八九十", "一二 二三 三四 四五 五六 六七 七八 八九 九十"},
        {"一二三四五六七八九十百", "一二 三四 五六 七八 九十 十百"},
        {"?", ""},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(ask(*state, cases[i].text), cases[i].words);
    }
}

static int has_beginning(const apr_array_header_t *words, const char *beginning)
{
    for (int i = 0; i < words->nelts; i++) {
        if (beginning && !strncmp(APR_ARRAY_IDX(words, i, cat_word_t).text, beginning, strlen(beginning))) {
            return 1;
        }
    }
    return 0;
}

static int has_word(const apr_array_header_t *words, const char *word)
{
    int i = 0;

    while (i < words->nelts && strcmp(APR_ARRAY_IDX(words, i, cat_word_t).text, word) != 0) {
        i++;
    }
    return i < words->nelts;
}

static int finds(apr_pool_t *pool, const char *question, const char *product)
{
    const apr_array_header_t *words = cat_words_list(pool, cat_fold_text(pool, product));
    cat_words_asked_t asked = cat_words_ask(pool, cat_fold_text(pool, question));

    for (int i = 0; i < asked.count; i++) {
        if (!has_beginning(words, asked.words[i]) && !has_beginning(words, asked.joined[i]) &&
            !has_beginning(words, asked.numbers[i])) {
            return 0;
        }
    }
    return asked.count > 0;
}

/* Each spelling finds all others of its line. */
static void test_spellings_find_each_other(void **state)
{
    static const char *const lines[][5] = {
        {"wifi", "Wi-Fi", "wi fi", "WiFi"},
        {"acdc", "AC/DC", "ac dc", "AC-DC"},
        {"usbc", "USB-C", "usb c"},
        {"tshirt", "T-Shirt", "t shirt"},
        {"loreal", "L'Oréal", "l oréal"},
        {"500ml", "500 ml", "500-ml"},
        {"80x120cm", "80 x 120 cm", "80x120 cm"},
        {"M5799DWF", "M-5799-DWF", "m 5799dwf", "M5799-DWF"},
        {"Galaxy24", "Galaxy 24", "galaxy-24"},
        {"80x120 cm", "80×120 cm", "80 × 120 cm"},
        {"collecció", "col·lecció", "co\xc5\x80lecci\xc3\xb3"},
        {"전기주전자", "전기 주전자"},
        {"ゴルフクラブ", "ゴルフ・クラブ", "ゴルフ クラブ", "ｺﾞﾙﾌ･ｸﾗﾌﾞ"},
        {"M5799", "5799"},
        {"2 litres", "2litres", "2-litres"},
        {"Łódź", "lodz", "LODZ"},
    };

    for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
        for (int one = 0; lines[i][one]; one++) {
            for (int other = 0; lines[i][other]; other++) {
                if (!finds(*state, lines[i][one], lines[i][other])) {
                    fail_msg("%s does not find %s", lines[i][one], lines[i][other]);
                }
            }
        }
    }
    assert_true(finds(*state, "5799", "Press M5799DWF") && finds(*state, "5799dwf", "M5799DWF"));
    assert_true(finds(*state, "包丁", "三徳包丁") && finds(*state, "丁", "三徳包丁"));
    assert_false(finds(*state, "徳丁", "三徳包丁") || finds(*state, "25", "2.5 l"));
}

/* Of what a text asks for, whole words, the product with this text has all. */
static void test_a_text_is_found_by_itself(void **state)
{
    static const char *const texts[] = {
        "abcd1 x-abcd12 xl",          "Galaxy24-XL", "79-2litres 9litres-A", "Galaxy12 Galaxy24 XL, 12",
        "1-2-3-4-5-6-7-8-galaxy9-XL",
    };

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        const apr_array_header_t *words = cat_words_list(*state, cat_fold_text(*state, texts[i]));
        cat_words_asked_t asked = cat_words_ask_whole(*state, cat_fold_text(*state, texts[i]));
        for (int k = 0; k < asked.count; k++) {
            if (!has_word(words, asked.words[k])) {
                fail_msg("%s has no %s", texts[i], asked.words[k]);
            }
        }
    }
}

static void test_spellings_of_a_text(void **state)
{
    static const struct {
        const char *text, *word, *spelling;
    } cases[] = {
        {"Kettle", "kettle", "kettle"},
        {"Red GRÜN, blau", "grun", "grün"},
        {"gru\xcc\x88n", "grun", "gru\xcc\x88n"},
        {"Grunge, grün", "grun", "grün"}, /* a whole word is better */
        {"Grüner Tee", "grun", "grün"},
        {"Straße", "strasse", "straße"},
        {"Tea-Kettle 2", "teakettle", "tea-kettle"},
        {"Galaxy24", "galaxy", "galaxy"},
        {"a Spoon", "spoon", "spoon"},
        {"a Spoon", "aspoon", NULL},
        {"teaspoon", "spoon", NULL},
        {"", "tea", NULL},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const char *spelling = cat_words_find_spelling(*state, cases[i].text, cases[i].word);
        assert_string_equal(spelling ? spelling : "", cases[i].spelling ? cases[i].spelling : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_words_are_runs_of_letters_and_digits),
        UNIT_TEST(test_compounds_are_also_one_word),
        UNIT_TEST(test_short_neighbours_are_also_one_word),
        UNIT_TEST(test_numbers_of_models_are_also_found_from_within),
        UNIT_TEST(test_a_number_beside_a_name_is_a_word),
        UNIT_TEST(test_scripts_without_blanks_have_pairs),
        UNIT_TEST(test_long_words_are_not_joined),
        UNIT_TEST(test_words_of_a_long_text),
        UNIT_TEST(test_long_compound_takes_no_time),
        UNIT_TEST(test_words_in_their_order),
        UNIT_TEST(test_words_of_a_question),
        UNIT_TEST(test_spellings_find_each_other),
        UNIT_TEST(test_a_text_is_found_by_itself),
        UNIT_TEST(test_spellings_of_a_text),
    };
    return UNIT_RUN(tests);
}
