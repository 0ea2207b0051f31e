/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_strings.h>

#include "lib/json.h"
#include "mail/message.h"

#define TEMPLATE(subject, text) "Subject: " subject "\n\n" text

static const char *const known[] = {"username", "link", NULL};

static cat_message_t message_with(apr_pool_t *pool, const char *username, const char *link)
{
    apr_table_t *values = apr_table_make(pool, 2);

    apr_table_setn(values, "username", username);
    if (link) {
        apr_table_setn(values, "link", link);
    }
    return (cat_message_t){
        .from = "shop@example.org",
        .to = "ann@example.net",
        .id = "01936f4e@example.org",
        .date = apr_time_from_sec(1795253400),
        .values = values,
    };
}

static const char *format(apr_pool_t *pool, const char *text, const char *username)
{
    cat_message_t m = message_with(pool, username, "https://example.org/?a=1");

    assert_null(cat_message_check_template(pool, text, known));
    return cat_message_format(pool, text, &m);
}

/* Checks that each header line ends in CR LF, has at most 78 bytes, and begins with a known name or a space. */
static void check_header(const char *text)
{
    static const char *const names[] = {
        "Date: ",         "From: ",         "To: ",           "Message-ID: ",     "Subject: ",
        "Auto-Submitted", "MIME-Version: ", "Content-Type: ", "Content-Transfer", " "};

    while (strncmp(text, "\r\n", 2) != 0) {
        apr_size_t length = strcspn(text, "\r\n");
        int found = 0;
        for (size_t i = 0; i < UNIT_COUNT(names); i++) {
            found |= strncmp(text, names[i], strlen(names[i])) == 0;
        }
        if (!found || length > 78 || strncmp(text + length, "\r\n", 2) != 0) {
            fail_msg("%.*s", (int)length, text);
        }
        text += length + 2;
    }
}

/* Returns the text between `begin` and `end`, on the pool. */
static const char *between(apr_pool_t *pool, const char *text, const char *begin, const char *end)
{
    const char *from = strstr(text, begin);

    assert_non_null(from);
    from += strlen(begin);
    assert_non_null(strstr(from, end));
    return apr_pstrmemdup(pool, from, strstr(from, end) - from);
}

static const char *body_of(const char *message)
{
    return strstr(message, "\r\n\r\n") + 4;
}

/* Decodes encoded words, each of which must be valid UTF-8 by itself. */
static const char *decode_words(apr_pool_t *pool, const char *text)
{
    const char *all = "";

    while (*text) {
        const char *word = between(pool, text, "=?UTF-8?B?", "?=");
        const char *decoded = apr_pdecode_base64(pool, word, APR_ENCODE_STRING, APR_ENCODE_NONE, NULL);
        assert_int_equal(strncmp(text, "=?UTF-8?B?", 10), 0);
        assert_non_null(cat_json_own(pool, json_string(decoded)));
        all = apr_pstrcat(pool, all, decoded, NULL);
        text += 10 + strlen(word) + 2;
        text += strncmp(text, "\r\n ", 3) == 0 ? 3 : 0;
    }
    return all;
}

static const char *decode_body(apr_pool_t *pool, const char *message)
{
    const char *text = body_of(message);
    const char *all = "";

    assert_non_null(strstr(message, "\r\nContent-Transfer-Encoding: base64\r\n"));
    while (*text) {
        apr_size_t length = strcspn(text, "\r");
        assert_in_range(length, 1, 76);
        all = apr_pstrcat(pool, all, apr_pdecode_base64(pool, text, length, APR_ENCODE_NONE, NULL), NULL);
        text += length + 2;
    }
    return all;
}

static void test_formats_the_whole_message(void **state)
{
    const char *text =
        format(*state, TEMPLATE("Welcome, {{username}}", "Hello {{username}},\n\n    {{link}}\n"), "ann");

    assert_string_equal(text, "Date: Sat, 21 Nov 2026 09:30:00 +0000\r\n"
                              "From: <shop@example.org>\r\n"
                              "To: <ann@example.net>\r\n"
                              "Message-ID: <01936f4e@example.org>\r\n"
                              "Subject: Welcome, ann\r\n"
                              "Auto-Submitted: auto-generated\r\n"
                              "MIME-Version: 1.0\r\n"
                              "Content-Type: text/plain; charset=utf-8\r\n"
                              "Content-Transfer-Encoding: 7bit\r\n"
                              "\r\n"
                              "Hello ann,\r\n"
                              "\r\n"
                              "    https://example.org/?a=1\r\n");
}

static void test_is_the_same_on_every_try(void **state)
{
    static const char text[] = TEMPLATE("a", "{{username}}");

    assert_string_equal(format(*state, text, "ann"), format(*state, text, "ann"));
}

static void test_expands_no_placeholder_in_a_value(void **state)
{
    const char *text = format(*state, TEMPLATE("a", "{{username}}"), "{{link}} {{username}} {{");

    assert_string_equal(body_of(text), "{{link}} {{username}} {{\r\n");
}

static void test_missing_value_is_empty(void **state)
{
    cat_message_t m = message_with(*state, "ann", NULL);
    const char *text = cat_message_format(*state, TEMPLATE("a", "<{{link}}> {{username"), &m);

    assert_string_equal(body_of(text), "<> {{username\r\n");
}

static void test_lets_no_value_add_a_header(void **state)
{
    static const char *const hostile[] = {"a\r\nBcc: eve@example.org", "a\nBcc: eve@example.org",
                                          "a\rBcc: eve@example.org", "a\r\n\r\nBcc: eve@example.org"};

    for (size_t i = 0; i < UNIT_COUNT(hostile); i++) {
        const char *text = format(*state, TEMPLATE("{{username}}", "text"), hostile[i]);
        check_header(text);
        assert_string_equal(between(*state, text, "Subject: ", "\r\n"), "aBcc: eve@example.org");
        assert_string_equal(body_of(text), "text\r\n");
    }
}

static void test_encodes_subjects(void **state)
{
    static const char *const subjects[] = {
        "Gr\xc3\xbc\xc3\x9f"
        "e",
        "=?UTF-8?Q?a?=", "a subject that is plain and yet too long for a line of a header: it is folded somewhere",
        /* Characters of three bytes, then of four, which the limit of an encoded word would split. */
        "a"
        "\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82"
        "\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82"
        "\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82"
        "\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82\xe3\x81\x82",
        "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
        "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
        "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
        "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"};

    for (size_t i = 0; i < UNIT_COUNT(subjects); i++) {
        const char *text = format(*state, TEMPLATE("{{username}}", "text"), subjects[i]);
        check_header(text);
        assert_string_equal(decode_words(*state, between(*state, text, "Subject: ", "\r\nAuto-Submitted")),
                            subjects[i]);
    }
    assert_string_equal(between(*state, format(*state, TEMPLATE("\xc3\xa9", "text"), ""), "Subject: ", "\r\n"),
                        "=?UTF-8?B?w6k=?=");
}

static void test_ends_every_line_with_cr_lf(void **state)
{
    assert_string_equal(body_of(format(*state, "Subject: a\r\n\r\na\nb\r\nc\rd\n\n\re", "")),
                        "a\r\nb\r\nc\r\nd\r\n\r\n\r\ne\r\n");
}

static void test_encodes_text_that_is_not_ascii(void **state)
{
    const char *value = apr_pstrcat(*state, "J\xc3\xb6rg ", memset(apr_pcalloc(*state, 301), 'x', 300), NULL);
    const char *text = format(*state, TEMPLATE("a", "Hello {{username}}\n.\n"), value);

    check_header(text);
    assert_string_equal(decode_body(*state, text), apr_pstrcat(*state, "Hello ", value, "\r\n.\r\n", NULL));
}

static void test_encodes_lines_that_are_too_long(void **state)
{
    char *line = memset(apr_pcalloc(*state, 1000), 'x', 998);
    const char *text = format(*state, TEMPLATE("a", "one\n{{username}}\nthree"), line);

    assert_string_equal(body_of(text), apr_pstrcat(*state, "one\r\n", line, "\r\nthree\r\n", NULL));
    line[998] = 'x';
    text = format(*state, TEMPLATE("a", "one\n{{username}}\nthree"), line);
    assert_string_equal(decode_body(*state, text), apr_pstrcat(*state, "one\r\n", line, "\r\nthree\r\n", NULL));
}

static const char *format_from(apr_pool_t *pool, const char *from)
{
    cat_message_t m = message_with(pool, "ann", NULL);
    const char *text;

    m.from = from;
    text = cat_message_format(pool, TEMPLATE("a", "b"), &m);
    check_header(text);
    return between(pool, text, "From: ", "\r\nTo: ");
}

static void test_formats_the_sender(void **state)
{
    static const char *const encoded[][2] = {
        {"Caf\xc3\xa9 <shop@example.org>", "Caf\xc3\xa9"},     {"Doe, J. <shop@example.org>", "Doe, J."},
        {"\"Doe, J.\" <shop@example.org>", "Doe, J."},         {"a@b <shop@example.org>", "a@b"},
        {"=?UTF-8?Q?a?= <shop@example.org>", "=?UTF-8?Q?a?="},
    };

    assert_string_equal(format_from(*state, "shop@example.org"), "<shop@example.org>");
    assert_string_equal(format_from(*state, "<shop@example.org>"), "<shop@example.org>");
    assert_string_equal(format_from(*state, "The Shop <shop@example.org>"), "The Shop\r\n <shop@example.org>");
    assert_string_equal(format_from(*state, "\"The Shop\"<shop@example.org>"), "The Shop\r\n <shop@example.org>");
    for (size_t i = 0; i < UNIT_COUNT(encoded); i++) {
        const char *from = format_from(*state, encoded[i][0]);
        const char *words = apr_pstrmemdup(*state, from, strlen(from) - strlen("\r\n <shop@example.org>"));
        assert_string_equal(decode_words(*state, words), encoded[i][1]);
        assert_string_equal(from + strlen(words), "\r\n <shop@example.org>");
    }
}

static void test_finds_the_address_in_a_mailbox(void **state)
{
    static const char *const good[] = {"shop@example.org", "<shop@example.org>", "The Shop <shop@example.org>",
                                       "\"<x>\" <shop@example.org>", "Caf\xc3\xa9 <shop@example.org>"};
    static const char *const bad[] = {"",
                                      "shop",
                                      "<>",
                                      "<",
                                      ">",
                                      "The Shop",
                                      "The Shop <>",
                                      "The Shop shop@example.org",
                                      "shop@example.org>",
                                      "The Shop <shop@example.org> x",
                                      "The Shop <shop@example.org",
                                      "<shop@example.org>, <eve@example.org>\n",
                                      "a\r\nBcc: eve@example.org\r\nX: <shop@example.org>",
                                      "a\x7f <shop@example.org>",
                                      "a <shop@example.org\r\n>",
                                      "a < shop@example.org>",
                                      "shop@example.org\n"};

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        assert_string_equal(cat_message_address(*state, good[i]), "shop@example.org");
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        if (cat_message_address(*state, bad[i])) {
            fail_msg("was taken: %s", bad[i]);
        }
    }
}

static void test_checks_templates(void **state)
{
    static const char *const good[] = {TEMPLATE("a", "b"), "Subject: a\r\n\r\nb\r\n",
                                       TEMPLATE("{{username}}", "{{link}} {{username}}{{link}}"),
                                       TEMPLATE("a", "{ {{link}} } {{ b"), TEMPLATE("\xc3\xa9", "\xf0\x9f\x98\x80")};
    static const char *const bad[][2] = {
        {"", "first line"},
        {"Hello", "first line"},
        {"\nSubject: a\n\nb", "first line"},
        {"subject: a\n\nb", "first line"},
        {"\xef\xbb\xbfSubject: a\n\nb", "first line"},
        {"Subject: a", "second line"},
        {"Subject: a\n", "second line"},
        {"Subject: a\nb", "second line"},
        {"Subject: a\nBcc: eve@example.org\n\nb", "second line"},
        {"Subject: a\rBcc: eve@example.org\n\nb", "second line"},
        {"Subject: a\n\n", "no text"},
        {"Subject: a\n\n \r\n\t\n", "no text"},
        {TEMPLATE("{{user}}", "b"), "{{user}}"},
        {TEMPLATE("a", "{{link}} {{Link}}"), "{{Link}}"},
        {TEMPLATE("a", "{{ link }}"), "{{ link }}"},
        {TEMPLATE("a", "{{}}"), "{{}}"},
        {TEMPLATE("caf\xe9", "b"), "UTF-8"},
    };

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        assert_null(cat_message_check_template(*state, good[i], known));
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        const char *fault = cat_message_check_template(*state, bad[i][0], known);
        if (!fault || !strstr(fault, bad[i][1])) {
            fail_msg("\"%s\": \"%s\"", bad[i][0], fault);
        }
    }
}

static void test_formats_only_templates(void **state)
{
    cat_message_t m = message_with(*state, "ann", NULL);

    assert_null(cat_message_format(*state, "Subject: a\nBcc: eve@example.org\n\nb", &m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_formats_the_whole_message),
        UNIT_TEST(test_is_the_same_on_every_try),
        UNIT_TEST(test_expands_no_placeholder_in_a_value),
        UNIT_TEST(test_missing_value_is_empty),
        UNIT_TEST(test_lets_no_value_add_a_header),
        UNIT_TEST(test_encodes_subjects),
        UNIT_TEST(test_ends_every_line_with_cr_lf),
        UNIT_TEST(test_encodes_text_that_is_not_ascii),
        UNIT_TEST(test_encodes_lines_that_are_too_long),
        UNIT_TEST(test_formats_the_sender),
        UNIT_TEST(test_finds_the_address_in_a_mailbox),
        UNIT_TEST(test_checks_templates),
        UNIT_TEST(test_formats_only_templates),
    };
    return UNIT_RUN(tests);
}
