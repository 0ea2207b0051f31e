/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/json.h"

/* Parses the text, which must be valid, and writes it again. */
static const char *rewrite(apr_pool_t *pool, const char *text)
{
    json_t *value;
    const char *why = NULL;

    value = cat_json_parse(pool, text, strlen(text), &why);
    if (!value) {
        fail_msg("%s: %s", text, why);
    }
    return cat_json_text(pool, value);
}

/* Parses the text, which must be invalid, and returns the reason. */
static const char *refusal(apr_pool_t *pool, const char *text, apr_size_t length)
{
    json_t *value = (json_t *)pool;
    const char *why = NULL;

    value = cat_json_parse(pool, text, length, &why);
    if (value) {
        fail_msg("%s: was taken", text);
    }
    assert_null(value);
    assert_non_null(why);
    return why;
}

static void test_accepts_any_value(void **state)
{
    static const char *const same[] = {
        "null",
        "true",
        "false",
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "\"\"",
        "[]",
        "{}",
        "{\"b\":1,\"a\":[true,{\"c\":null}]}",
    };

    for (size_t i = 0; i < UNIT_COUNT(same); i++) {
        assert_string_equal(rewrite(*state, same[i]), same[i]);
    }
    assert_string_equal(rewrite(*state, " \t\r\n[ 1 ,\n2 ] \n"), "[1,2]");
    assert_string_equal(rewrite(*state, "-0"), "0");
    assert_string_equal(rewrite(*state, "\"\\u00e9\\ud83d\\ude00\\/\""), "\"\xc3\xa9\xf0\x9f\x98\x80/\"");
}

static void test_keeps_unusual_unicode(void **state)
{
    /* U+FFFF, a right-to-left override, a 4-byte name, a BOM inside a string. */
    static const char text[] = "\"\xef\xbf\xbf \xe2\x80\xae \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf \xef\xbb\xbf\"";
    assert_string_equal(rewrite(*state, text), text);
}

static void test_refuses_invalid_json(void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"", "line 1, column 0: unexpected token near end of file"},
        {"  ", "line 1, column 2: unexpected token near end of file"},
        {"{", "line 1, column 1: string or '}' expected near end of file"},
        {"{\"a\":1", "line 1, column 6: '}' expected near end of file"},
        {"{\"a\" 1}", "line 1, column 6: ':' expected"},
        {"{\"a\":1,}", "line 1, column 8: string or '}' expected"},
        {"{\n\n  a:1}", "line 3, column 3: string or '}' expected"},
        {"[1,]", "line 1, column 4: unexpected token"},
        {"]", "line 1, column 1: unexpected token"},
        {"}}}}}}}}{", "line 1, column 1: unexpected token"},
        {"1 2", "line 1, column 3: end of file expected"},
        {"{}{}", "line 1, column 3: end of file expected"},
        {"{} // note", "line 1, column 4: end of file expected"},
        {"nul", "line 1, column 3: invalid token"},
        {"NaN", "line 1, column 3: invalid token"},
        {"-Infinity", "line 1, column 1: invalid token"},
        {"01", "line 1, column 1: invalid token"},
        {"+1", "line 1, column 1: invalid token"},
        {".5", "line 1, column 1: invalid token"},
        {"1.", "line 1, column 2: invalid token"},
        {"0x10", "line 1, column 2: end of file expected"},
        {"1e400", "line 1, column 5: real number overflow"},
        {"9223372036854775808", "line 1, column 19: too big integer"},
        {"-9223372036854775809", "line 1, column 20: too big negative integer"},
        {"'a'", "line 1, column 1: invalid token"},
        {"\"a", "line 1, column 2: premature end of input"},
        {"\"a\nb\"", "line 1, column 2: unexpected newline"},
        {"\"a\tb\"", "line 1, column 2: control character 0x9"},
        {"\"\\x\"", "line 1, column 3: invalid escape"},
        {"\"\\u12\"", "line 1, column 6: invalid escape"},
        {"\"\\u0000\"", "line 1, column 8: U+0000 is not allowed"},
        {"{\"\\u0000\":1}", "line 1, column 9: U+0000 is not allowed"},
        {"\"\\ud800\"", "line 1, column 8: invalid Unicode '\\uD800'"},
        {"\"\\udc00\"", "line 1, column 8: invalid Unicode '\\uDC00'"},
        {"\"\\ud800\\u0041\"", "line 1, column 14: invalid Unicode '\\uD800\\u0041'"},
        {"\"\xff\"", "line 1, column 1: unable to decode byte 0xff"},
        {"\"\xc0\x80\"", "line 1, column 1: unable to decode byte 0xc0"},         /* overlong NUL */
        {"\"\xed\xa0\x80\"", "line 1, column 1: unable to decode byte 0xed"},     /* encoded surrogate */
        {"\"\xf4\x90\x80\x80\"", "line 1, column 1: unable to decode byte 0xf4"}, /* beyond U+10FFFF */
        {"\"ab\xe2\x82\"", "line 1, column 3: unable to decode byte 0xe2"},       /* cut short */
        {"\xef\xbb\xbf{}", "line 1, column 1: invalid token"},                    /* BOM */
        {"\xff\xfe{\0}\0", "line 1, column 0: unable to decode byte 0xff"},       /* UTF-16 */
        {"{\"a\":1,\"a\":2}", "line 1, column 10: duplicate object key"},
        {"{\"a\":1,\"\\u0061\":2}", "line 1, column 15: duplicate object key"},
        {"[{\"b\":{\"a\":1,\"a\":1}}]", "line 1, column 16: duplicate object key"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(refusal(*state, cases[i].text, strlen(cases[i].text)), cases[i].why);
    }
}

static void test_refuses_nul_bytes(void **state)
{
    refusal(*state, "\0", 1);
    refusal(*state, "{}\0", 3);
    refusal(*state, "\"a\0b\"", 5);
    refusal(*state, "{\"a\0\":1}", 8);
}

static void test_reads_no_further_than_length(void **state)
{
    json_t *value;
    const char *why;

    value = cat_json_parse(*state, "[1]garbage", 3, &why);
    assert_non_null(value);
    assert_string_equal(cat_json_text(*state, value), "[1]");
}

/* The reason goes to the client and perhaps to a log. The text that jansson quotes in it could be part of a password. */
static void test_refusal_quotes_nothing(void **state)
{
    static const char *const texts[] = {
        "{\"password\" secret}",
        "{\"password\": secret}",
        "{\"password\": \"secret\" \"secret\"}",
        "{\"secret\":1, \"secret\":2}",
        "{\"password\": \"x near 'secret\" secret}",
    };

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_null(strstr(refusal(*state, texts[i], strlen(texts[i])), "secret"));
    }
}

static char *repeat(apr_pool_t *pool, const char *text, int times)
{
    cat_buffer_t b;
    cat_buffer_init(&b, pool, 64);
    while (times-- > 0) {
        cat_buffer_add_text(&b, text);
    }
    return cat_buffer_text(&b);
}

static const char *nest(apr_pool_t *pool, const char *open, const char *close, int depth)
{
    return apr_pstrcat(pool, repeat(pool, open, depth), "1", repeat(pool, close, depth), NULL);
}

static void test_depth_is_limited(void **state)
{
    const char *too_deep = "nested deeper than 32 levels";
    const char *mixed = nest(*state, "[{\"a\":", "}]", 17);

    rewrite(*state, nest(*state, "[", "]", 32));
    rewrite(*state, nest(*state, "{\"a\":", "}", 32));
    rewrite(*state, nest(*state, "[{\"a\":", "}]", 16));
    assert_string_equal(refusal(*state, mixed, strlen(mixed)), too_deep);
    for (int depth = 33; depth < 4000000; depth *= 10) {
        const char *text = repeat(*state, "[", depth);
        assert_string_equal(refusal(*state, text, depth), too_deep);
    }
}

static void test_depth_counts_no_brackets_in_strings(void **state)
{
    const char *brackets = repeat(*state, "[{", 40);

    rewrite(*state, apr_psprintf(*state, "[\"%s\",\"\\\"%s\",\"\\\\\",\"%s\"]", brackets, brackets, brackets));
    rewrite(*state, apr_psprintf(*state, "{\"%s\":1}", brackets));
    rewrite(*state, apr_psprintf(*state, "[%s[]]", repeat(*state, "[],", 100)));
}

/* A text that hides its depth from the counter must be invalid at its first byte. */
static void test_depth_cannot_be_hidden(void **state)
{
    const char *deep = repeat(*state, "[", 100);
    const char *closed_first = apr_pstrcat(*state, repeat(*state, "]", 100), deep, NULL);
    const char *after_escape = apr_pstrcat(*state, "\\\"", deep, NULL);

    assert_string_equal(refusal(*state, closed_first, 200), "line 1, column 1: unexpected token");
    assert_string_equal(refusal(*state, after_escape, 102), "line 1, column 1: invalid token");
}

static void test_number_of_values_is_limited(void **state)
{
    const char *most = repeat(*state, ",1", CAT_JSON_MARKS_MAX - 1), *why;
    const char *text = apr_pstrcat(*state, "[1", most, "]", NULL), *more = apr_pstrcat(*state, "[1,1", most, "]", NULL);

    assert_non_null(cat_json_parse(*state, text, strlen(text), &why));
    assert_string_equal(refusal(*state, more, strlen(more)), "too many values");
    text = apr_pstrcat(*state, "[\"", repeat(*state, ",", CAT_JSON_MARKS_MAX + 1), "\"]", NULL);
    assert_non_null(cat_json_parse(*state, text, strlen(text), &why));
}

static void test_survives_every_cut_and_every_changed_byte(void **state)
{
    static const char good[] = "{\"a\":[1,-2.5e3,true,null,\"\xc3\xa9\\u20ac\\n\"],\"b\":{\"c\":\"\xf0\x9f\x98\x80\"}}";
    apr_pool_t *round;

    apr_pool_create(&round, *state);
    for (apr_size_t length = 0; length < sizeof(good) - 1; length++) {
        refusal(round, good, length);
        for (int byte = 0; byte < 256; byte++) {
            char *changed = apr_pstrmemdup(round, good, sizeof(good) - 1);
            json_t *value;
            const char *why = NULL;

            changed[length] = (char)byte;
            value = cat_json_parse(round, changed, sizeof(good) - 1, &why);
            if (value) {
                assert_non_null(value);
            } else {
                json_t *valid_utf8 = cat_json_own(round, json_string(why));
                assert_non_null(valid_utf8);
            }
        }
        apr_pool_clear(round);
    }
    apr_pool_destroy(round);
}

static void test_own_releases_with_the_pool(void **state)
{
    apr_pool_t *inner;
    json_t *value = cat_json_own(*state, json_array());

    apr_pool_create(&inner, *state);
    assert_ptr_equal(cat_json_own(inner, json_incref(value)), value);
    assert_int_equal(value->refcount, 2);
    apr_pool_destroy(inner);
    assert_int_equal(value->refcount, 1);
    assert_null(cat_json_own(*state, NULL));
}

static const char *quote(apr_pool_t *pool, const char *text)
{
    cat_buffer_t b;
    cat_buffer_init(&b, pool, 1);
    cat_json_add_string(&b, text);
    return cat_buffer_text(&b);
}

static void test_writes_strings(void **state)
{
    assert_string_equal(quote(*state, ""), "\"\"");
    assert_string_equal(quote(*state, "plain"), "\"plain\"");
    assert_string_equal(quote(*state, "\""), "\"\\\"\"");
    assert_string_equal(quote(*state, "a\\b\"c"), "\"a\\\\b\\\"c\"");
    assert_string_equal(quote(*state, "\x01\n\x1f "), "\"\\u0001\\u000a\\u001f \"");
    assert_string_equal(quote(*state, "</script> '; DROP TABLE -- %s"), "\"</script> '; DROP TABLE -- %s\"");
    assert_string_equal(quote(*state, "\x7f\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80"),
                        "\"\x7f\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\"");
}

/* The code reads whole words, then the rest of the text octet by octet, so every position matters. */
static void test_escapes_at_every_place(void **state)
{
    static const char special[] = "\"\\\x01\x1f";

    for (const char *c = special; *c; c++) {
        for (int place = 0; place < 24; place++) {
            char text[25] = "\xc3\xa9 twenty-four \xf0\x9f\x98\x80 !!!!";
            const char *quoted = quote(*state, (text[place] = *c, text));
            char escape[8];

            apr_snprintf(escape, sizeof(escape), *c < 0x20 ? "\\u%04x" : "\\%c", *c);
            assert_memory_equal(quoted + 1, text, place);
            assert_memory_equal(quoted + 1 + place, escape, strlen(escape));
            assert_string_equal(quoted + 1 + place + strlen(escape), apr_pstrcat(*state, text + place + 1, "\"", NULL));
        }
    }
}

static void test_strings_read_back(void **state)
{
    for (int before = 1; before < 128; before++) {
        for (int behind = 1; behind < 128; behind++) {
            const char text[] = {(char)before, (char)behind, '\0'};
            const char *quoted = quote(*state, text);
            json_t *value;
            const char *why;

            value = cat_json_parse(*state, quoted, strlen(quoted), &why);
            assert_non_null(value);
            assert_string_equal(json_string_value(value), text);
        }
    }
}

static void test_a_nul_behind_a_number_is_refused(void **state)
{
    static const char text[] = "{\"a\":1.5\0,\"b\":2}";
    const char *why;

    assert_null(cat_json_parse(*state, text, sizeof(text) - 1, &why));
    assert_non_null(strstr(why, "U+0000"));
    assert_null(cat_json_parse_exact(*state, text, sizeof(text) - 1, &why));
}

static const char *exact_of(apr_pool_t *pool, const char *text)
{
    const char *why;
    const json_t *value = cat_json_parse_exact(pool, text, strlen(text), &why);

    return value ? cat_json_text(pool, value) : why;
}

static void test_numbers_that_would_be_others_are_objects(void **state)
{
    const char *why, *text = "{\"a\":99999999999999.99}";
    const json_t *value = cat_json_parse_exact(*state, text, strlen(text), &why);

    assert_string_equal(cat_json_inexact(json_object_get(value, "a")), "99999999999999.99");
    assert_string_equal(exact_of(*state, "[1e-400,-1e-400 , 1.5,{\"a\\\"1e-400\":[1e-400]},\"1e-400\"]"),
                        "[{\"\":\"1e-400\"},{\"\":\"-1e-400\"},1.5,{\"a\\\"1e-400\":[{\"\":\"1e-400\"}]},\"1e-400\"]");
    assert_string_equal(exact_of(*state, "{\"a\":9007199254740993,\"b\":19.5,\"1e-400\":true}"),
                        "{\"a\":9007199254740993,\"b\":19.5,\"1e-400\":true}");
    assert_string_equal(exact_of(*state, "1e-400"), "0.0");
    assert_string_equal(exact_of(*state, "[100000000000000000000,\"100000000000000000000\",9223372036854775807]"),
                        "[1e20,\"100000000000000000000\",9223372036854775807]");
    assert_string_equal(exact_of(*state, "{\"a\":-9223372036854775808,\"b\":-9223372036854775809}"),
                        "{\"a\":-9223372036854775808,\"b\":{\"\":\"-9223372036854775809.0\"}}");
    assert_string_equal(exact_of(*state, "[1e-400,01]"), exact_of(*state, "[1e-300,01]"));
    assert_null(cat_json_inexact(cat_json_own(*state, json_string("1e-400"))));
    assert_null(cat_json_inexact(cat_json_own(*state, json_pack("{s:s}", "", "x"))));
    assert_null(cat_json_inexact(cat_json_own(*state, json_pack("{s:s,s:i}", "", "1e-400", "a", 1))));
    assert_null(cat_json_inexact(NULL));
}

/* The examples of RFC 7396, appendix A, then numbers and the order of members. */
static void test_merges_patches(void **state)
{
    static const char *const examples[][3] = {
        {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
        {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
        {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
        {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
        {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
        {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
        {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
        {"{\"a\":\"foo\"}", "null", "null"},
        {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
        {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
        {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
        {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
        {"{\"a\":19.99,\"b\":1e+20,\"c\":9007199254740993}", "{\"a\":0.1,\"d\":-0.25}",
         "{\"a\":0.1,\"b\":1e+20,\"c\":9007199254740993,\"d\":-0.25}"},
    };

    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
        const char *const *e = examples[i];
        json_t *merged = cat_json_merge(cat_json_parse_value(*state, e[0], strlen(e[0])),
                                        cat_json_parse_value(*state, e[1], strlen(e[1])));
        cat_buffer_t b;
        cat_buffer_init(&b, *state, 64);
        assert_null(cat_json_add_value(&b, cat_json_own(*state, merged)));
        assert_string_equal(cat_buffer_text(&b), e[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_accepts_any_value),
        UNIT_TEST(test_keeps_unusual_unicode),
        UNIT_TEST(test_refuses_invalid_json),
        UNIT_TEST(test_refuses_nul_bytes),
        UNIT_TEST(test_reads_no_further_than_length),
        UNIT_TEST(test_refusal_quotes_nothing),
        UNIT_TEST(test_depth_is_limited),
        UNIT_TEST(test_depth_counts_no_brackets_in_strings),
        UNIT_TEST(test_depth_cannot_be_hidden),
        UNIT_TEST(test_number_of_values_is_limited),
        UNIT_TEST(test_survives_every_cut_and_every_changed_byte),
        UNIT_TEST(test_own_releases_with_the_pool),
        UNIT_TEST(test_writes_strings),
        UNIT_TEST(test_escapes_at_every_place),
        UNIT_TEST(test_strings_read_back),
        UNIT_TEST(test_a_nul_behind_a_number_is_refused),
        UNIT_TEST(test_numbers_that_would_be_others_are_objects),
        UNIT_TEST(test_merges_patches),
    };
    return UNIT_RUN(tests);
}
