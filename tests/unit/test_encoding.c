/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/buffer.h"
#include "lib/encoding.h"

static apr_status_t take_text(void *baton, const char *text, apr_size_t length)
{
    assert_true(length > 0);
    cat_buffer_add(baton, text, length);
    return APR_SUCCESS;
}

typedef struct decoding_t {
    const char *text;
    apr_status_t rv;
    cat_encoding_t encoding;
    apr_size_t mark;
} decoding_t;

static decoding_t decode_by(apr_pool_t *pool, cat_encoding_t encoding, const char *data, apr_size_t length,
                            apr_size_t piece)
{
    cat_buffer_t b;
    cat_decoder_t *d = cat_decoder_make(pool, encoding, take_text, &b);
    decoding_t result = {.rv = APR_SUCCESS};

    cat_buffer_init(&b, pool, 16);
    for (apr_size_t at = 0; at < length && result.rv == APR_SUCCESS; at += piece) {
        result.rv = cat_decoder_feed(d, data + at, length - at < piece ? length - at : piece);
    }
    result.rv = result.rv == APR_SUCCESS ? cat_decoder_feed(d, "", 0) : result.rv;
    result.text = cat_buffer_text(&b);
    result.encoding = cat_decoder_encoding(d);
    result.mark = cat_decoder_mark(d);
    return result;
}

static void assert_text(apr_pool_t *pool, cat_encoding_t encoding, const char *data, apr_size_t length,
                        const char *expected, apr_status_t rv)
{
    for (apr_size_t piece = 1; piece <= length; piece++) {
        decoding_t d = decode_by(pool, encoding, data, length, piece);
        assert_string_equal(d.text, expected);
        assert_int_equal(d.rv, rv);
    }
}

#define DATA(literal) literal, sizeof(literal) - 1

static void test_texts_become_utf_8(void **state)
{
    assert_text(*state, CAT_UTF_8, DATA("a\xc3\xbc\xff"), "a\xc3\xbc\xff", APR_SUCCESS);
    assert_text(*state, CAT_WINDOWS_1252, DATA("a\x80\xfc\x99\xff"), "a\u20ac\u00fc\u2122\u00ff", APR_SUCCESS);
    assert_text(*state, CAT_UTF_16LE, DATA("a\0\xfc\0\xac\x20\x3d\xd8\x00\xde"), "a\u00fc\u20ac\U0001f600",
                APR_SUCCESS);
    assert_text(*state, CAT_UTF_16BE, DATA("\0a\0\xfc\x20\xac\xd8\x3d\xde\x00"), "a\u00fc\u20ac\U0001f600",
                APR_SUCCESS);
}

static void test_marks_are_stronger(void **state)
{
    static const struct {
        const char *data;
        apr_size_t length;
        const char *text;
        cat_encoding_t encoding;
        apr_size_t mark;
    } cases[] = {
        {DATA("\xef\xbb\xbf\xc3\xbc"), "\u00fc", CAT_UTF_8, 3},
        {DATA("\xff\xfe\xfc\0"), "\u00fc", CAT_UTF_16LE, 2},
        {DATA("\xfe\xff\0\xfc"), "\u00fc", CAT_UTF_16BE, 2},
        {DATA("\xff\xff"), "\u00ff\u00ff", CAT_WINDOWS_1252, 0},
        {DATA("\xef\xbb"), "\u00ef\u00bb", CAT_WINDOWS_1252, 0},
        {DATA("\xef\xbb\xbf\xef\xbb\xbf"), "\ufeff", CAT_UTF_8, 3},
        {DATA("\xff\xfe"), "", CAT_UTF_16LE, 2},
        {DATA("x\xff\xfe"), "x\u00ff\u00fe", CAT_WINDOWS_1252, 0},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_text(*state, CAT_WINDOWS_1252, cases[i].data, cases[i].length, cases[i].text, APR_SUCCESS);
        assert_int_equal(decode_by(*state, CAT_WINDOWS_1252, cases[i].data, cases[i].length, 1).encoding,
                         cases[i].encoding);
        assert_int_equal(decode_by(*state, CAT_WINDOWS_1252, cases[i].data, cases[i].length, 1).mark, cases[i].mark);
    }
}

static void test_what_the_encoding_does_not_have_is_refused(void **state)
{
    assert_text(*state, CAT_WINDOWS_1252, DATA("ab\x81z"), "ab", APR_BADCH);
    assert_text(*state, CAT_UTF_16LE, DATA("a\0b"), "a", APR_BADCH);
    assert_text(*state, CAT_UTF_16LE, DATA("a\0\x00\xde\x61\0"), "a", APR_BADCH);
    assert_text(*state, CAT_UTF_16LE, DATA("a\0\x3d\xd8\x61\0"), "a", APR_BADCH);
    assert_text(*state, CAT_UTF_16LE, DATA("a\0\x3d\xd8"), "a", APR_BADCH);
}

/* Random text in each encoding: it comes back, and is measured as it was, whatever the pieces are. */
static void test_random_texts_come_back(void **state)
{
    srand(4);
    for (int round = 0; round < 300; round++) {
        apr_size_t length = (apr_size_t)rand() % 3000, be = 0, le = 0;
        char *big = apr_palloc(*state, 2 * length + 4), *little = apr_palloc(*state, 2 * length + 4);
        decoding_t one, other;
        for (apr_size_t i = 0; i < length; i++) {
            unsigned unit = 0x20 + (unsigned)rand() % (i % 2 ? 0xd7e0 : 0x60);
            big[be++] = little[le + 1] = (char)(unit >> 8);
            big[be++] = little[le] = (char)unit;
            le += 2;
        }
        one = decode_by(*state, CAT_UTF_16BE, big, be, 1 + (apr_size_t)rand() % 2000);
        other = decode_by(*state, CAT_UTF_16LE, little, le, 1 + (apr_size_t)rand() % 2000);
        assert_string_equal(one.text, other.text);
        assert_int_equal(one.rv, APR_SUCCESS);
        assert_int_equal(cat_encoding_measure(CAT_UTF_16BE, one.text, strlen(one.text)) + one.mark, be);
        apr_pool_clear(*state);
    }
}

static void test_texts_are_measured(void **)
{
    const char *text = "a\u00fc\u20ac\U0001f600";

    assert_int_equal(cat_encoding_measure(CAT_UTF_8, text, strlen(text)), 10);
    assert_int_equal(cat_encoding_measure(CAT_WINDOWS_1252, "a\u00fc\u20ac", 6), 3);
    assert_int_equal(cat_encoding_measure(CAT_UTF_16LE, text, strlen(text)), 10);
    assert_int_equal(cat_encoding_measure(CAT_UTF_16BE, text, 0), 0);
}

static apr_status_t refuse_text(void *, const char *, apr_size_t)
{
    return APR_EGENERAL;
}

static void test_the_takers_status_is_returned(void **state)
{
    cat_decoder_t *d = cat_decoder_make(*state, CAT_WINDOWS_1252, refuse_text, NULL);

    assert_int_equal(cat_decoder_feed(d, "abc\x81", 4), APR_EGENERAL);
    assert_int_equal(cat_decoder_feed(cat_decoder_make(*state, CAT_UTF_8, refuse_text, NULL), "abcd", 4), APR_EGENERAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_texts_become_utf_8),
        UNIT_TEST(test_marks_are_stronger),
        UNIT_TEST(test_what_the_encoding_does_not_have_is_refused),
        UNIT_TEST(test_random_texts_come_back),
        UNIT_TEST(test_texts_are_measured),
        UNIT_TEST(test_the_takers_status_is_returned),
    };
    return UNIT_RUN(tests);
}
