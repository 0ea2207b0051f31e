/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>
#include <string.h>

#include "http/header.h"

static void test_bearer_is_found_in_any_case(void **state)
{
    static const char *const headers[] = {"Bearer a.b.c", "bearer a.b.c", "BEARER \t a.b.c  "};
    const char *token;

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_int_equal(cat_header_bearer(*state, headers[i], &token), CAT_BEARER_TOKEN);
        assert_string_equal(token, "a.b.c");
    }
}

static void test_header_without_a_token_is_none(void **state)
{
    static const char *const headers[] = {"", "Bearer", "bearer  ", "Basic YTpi", "BearerX a.b.c", "Bear"};
    const char *token;

    assert_int_equal(cat_header_bearer(*state, NULL, &token), CAT_BEARER_NONE);
    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_int_equal(cat_header_bearer(*state, headers[i], &token), CAT_BEARER_NONE);
        assert_null(token);
    }
}

/* The parser returns damaged and doubled tokens; the verification of the token refuses them. */
static void test_damaged_tokens_are_returned(void **state)
{
    static const char *const headers[] = {"Bearer a b", "Bearer a\tb", "Bearer a.b.c, Bearer a.b.c", "Bearer a.b.c="};
    const char *token;

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_int_equal(cat_header_bearer(*state, headers[i], &token), CAT_BEARER_TOKEN);
        assert_string_equal(token, headers[i] + 7);
    }
}

static void test_foreign_characters_are_malformed(void **state)
{
    static const char *const headers[] = {"Bearer a;b", "Bearer a\"b", "Bearer \x01", "Bearer \xc3\xa4", "Bearer {}"};
    const char *token;

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_int_equal(cat_header_bearer(*state, headers[i], &token), CAT_BEARER_MALFORMED);
        assert_null(token);
    }
}

static void test_media_type_is_recognized(void **)
{
    static const char *const yes[] = {"application/json",
                                      "Application/JSON",
                                      "application/json; charset=utf-8",
                                      "application/json;charset=UTF-8",
                                      "application/json ; charset=\"utf-8\"",
                                      "application/json; odata=verbose",
                                      "application/json; x=y; charset=utf-8"};
    static const char *const no[] = {"",
                                     ";",
                                     "application/",
                                     "application",
                                     ", ",
                                     "text/plain",
                                     "application/merge-patch+json",
                                     "application/json, text/plain",
                                     "application/jsonx",
                                     "application/json+x",
                                     "application/json charset=utf-8",
                                     "application/json; charset=utf-16",
                                     "application/json; charset=utf-8x",
                                     "application/json; charset=utf-8-sig",
                                     "application/json; charset=iso-8859-1",
                                     "application/json; x=y; charset=utf-16"};
    static const char *const charsets[] = {"utf-8", "windows-1252", NULL};
    static const char json[] = "application/json", patches[] = "application/merge-patch+json, application/json";

    assert_false(cat_header_has_type(NULL, json));
    for (size_t i = 0; i < UNIT_COUNT(yes); i++) {
        assert_true(cat_header_has_type(yes[i], json));
    }
    for (size_t i = 0; i < UNIT_COUNT(no); i++) {
        assert_false(cat_header_has_type(no[i], json));
    }
    assert_true(cat_header_has_type("image/png; charset=x", "image/jpeg, image/png")); /* Pictures have no charset. */
    assert_false(cat_header_has_type("image/pngx; charset=x", "image/jpeg, image/png"));
    assert_true(cat_header_has_type_of("text/csv; charset=\"Windows-1252\"", "text/csv", charsets));
    assert_false(cat_header_has_type_of("text/csv; charset=koi8-r", "text/csv", charsets));
    assert_int_equal(cat_header_charset("text/csv", charsets), 0);
    assert_int_equal(cat_header_charset("text/csv; header=present; charset=windows-1252", charsets), 1);
    assert_int_equal(cat_header_charset("text/csv; charset=windows-12520", charsets), -1);
    assert_true(cat_header_has_type("application/json; charset=utf-8", patches));
    assert_true(cat_header_has_type("Application/Merge-Patch+JSON", patches));
    assert_true(cat_header_has_type("application/merge-patch+json; charset=utf-8", patches));
    assert_false(cat_header_has_type("application/merge-patch+json; charset=utf-16", patches));
    assert_false(cat_header_has_type("application/json-patch+json", patches));
    assert_false(cat_header_has_type("application/merge-patch", patches));
}

static void test_preference_is_found(void **state)
{
    static const char *const yes[] = {
        "handling=strict",      "Handling = Strict",           "respond-async, handling=strict",
        "handling=strict; x=1", "handling=\"strict\", wait=5", "  ,handling=strict"};
    static const char *const no[] = {"",
                                     "handling",
                                     "handling=lenient",
                                     "handling=strictly",
                                     "xhandling=strict",
                                     "handling=lenient, handling=strict",
                                     "wait=5; handling=strict"};

    assert_false(cat_header_prefers(*state, NULL, "handling", "strict"));
    for (size_t i = 0; i < UNIT_COUNT(yes); i++) {
        assert_true(cat_header_prefers(*state, yes[i], "handling", "strict"));
    }
    for (size_t i = 0; i < UNIT_COUNT(no); i++) {
        assert_false(cat_header_prefers(*state, no[i], "handling", "strict"));
    }
    assert_true(cat_header_prefers(*state, "wait=5, respond-async", "respond-async", NULL));
}

static void test_language_is_the_one_that_is_liked_best(void **state)
{
    static const struct {
        const char *accept, *language;
    } cases[] = {
        {NULL, NULL},
        {"", NULL},
        {"*", NULL},
        {"fr", NULL},
        {"de", "de"},
        {"DE-at", "de"},
        {"de-AT,de;q=0.9,en;q=0.8", "de"},
        {"fr-FR, en-GB;q=0.3, de;q=0.7", "de"},
        {"en, de", "en"},
        {"en;q=0.5,de;q=0.5", "en"},
        {"de;q=0, en;q=0.001", "en"},
        {"de;q=0", NULL},
        {"de;q=x", NULL},
        {"den, e", NULL},
        {"de_AT", NULL},
        {" , ;q=1,, de ;q=0.2", "de"},
    };
    apr_array_header_t *languages = apr_array_make(*state, 2, sizeof(const char *));

    APR_ARRAY_PUSH(languages, const char *) = "en";
    APR_ARRAY_PUSH(languages, const char *) = "de";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *language = cat_header_language(cases[i].accept, languages);
        const char *expected = cases[i].language;
        if (language != expected && (!language || !expected || strcmp(language, expected) != 0)) {
            fail_msg("%s: %s", cases[i].accept, language);
        }
    }
}

static void test_quality_is_that_of_the_most_specific_range(void **)
{
    static const struct {
        const char *accept;
        int quality, is_named;
    } cases[] = {
        {"application/problem+json", 1000, 1},
        {"Application/Problem+JSON", 1000, 1},
        {"*/*", 1000, 0},
        {"application/*", 1000, 0},
        {"APPLICATION/*;q=0.25", 250, 0},
        {"", 0, 0},
        {"text/html", 0, 0},
        {"text/*", 0, 0},
        {"*", 0, 0},
        {"application/problem+jsonx", 0, 0},
        {"application/problem", 0, 0},
        {"application/problem+json;q=0", 0, 1},
        {"application/problem+json;q=0.000", 0, 1},
        {"application/problem+json;q=1.000", 1000, 1},
        {"application/problem+json;q=1.", 1000, 1},
        {"application/problem+json;q=.5", 0, 0},
        {"application/problem+json;q=1.001", 0, 0},
        {"application/problem+json;q=2", 0, 0},
        {"application/problem+json;q=0.1234", 0, 0},
        {"application/problem+json;q=high, */*;q=0.1", 100, 0},
        {"application/problem+json ; charset=utf-8 ; q=0.5 ", 500, 1},
        {"application/problem+json;Q=0.123", 123, 1},
        {"application/problem+json;a=\"b;q=0,c\\\"\";q=0.7", 700, 1},
        {"*/*;q=0.9, application/*;q=0.2, application/problem+json;q=0.4", 400, 1},
        {"application/problem+json;q=0.4, application/*;q=0.9", 400, 1},
        {" , text/html ,\tapplication/*;q=0.3,,*/*;q=0.8", 300, 0},
        {"text/html;x=\"application/problem+json,application/problem+json\"", 0, 0},
        {"text/html;x=\"unfinished, application/problem+json", 0, 0},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        int is_named = -1;
        int quality = cat_header_quality(cases[i].accept, "application/problem+json", &is_named);
        if (quality != cases[i].quality || is_named != cases[i].is_named) {
            fail_msg("%s: %d, %d", cases[i].accept, quality, is_named);
        }
    }
}

static void test_idempotency_key_is_a_string_or_bare_text(void **state)
{
    static const char *const keys[][2] = {
        {"\"abc\"", "abc"}, {" \t\"a b, c; d\" ", "a b, c; d"}, {"\"a\\\"b\\\\c\"", "a\"b\\c"},
        {"abc", "abc"},     {"  a:b/c=d'  ", "a:b/c=d'"},       {"\" \"", " "},
        {"~", "~"}};

    for (size_t i = 0; i < UNIT_COUNT(keys); i++) {
        assert_string_equal(cat_header_idempotency_key(*state, keys[i][0]), keys[i][1]);
    }
}

static void test_other_idempotency_keys_are_refused(void **state)
{
    static const char *const headers[] = {
        "",     " ",   "\"\"", "\"",  "\"a",  "\"a\\\"", "\"a\\b\"",  "\"a\"b",    "\"a\", \"b\"", "\"a\";b=1",
        "a\"b", "a b", "a,b",  "a;b", "a\\b", "a\x7f",   "\"a\x7f\"", "\"a\x1f\"", "\"\xc3\xa4\"", "\xc3\xa4",
        "a, a", "\"\\"};

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        if (cat_header_idempotency_key(*state, headers[i])) {
            fail_msg("%s", headers[i]);
        }
    }
}

static void test_idempotency_key_has_255_characters(void **state)
{
    char bare[CAT_HEADER_KEY_MAX + 2] = "", quoted[2 * CAT_HEADER_KEY_MAX + 3] = "\"";

    memset(bare, 'x', CAT_HEADER_KEY_MAX);
    for (int i = 0; i < CAT_HEADER_KEY_MAX; i++) {
        memcpy(quoted + 1 + 2 * i, "\\\"", 2);
    }
    strcat(quoted, "\"");
    assert_string_equal(cat_header_idempotency_key(*state, bare), bare);
    assert_int_equal(strlen(cat_header_idempotency_key(*state, quoted)), CAT_HEADER_KEY_MAX);
    strcat(bare, "x");
    assert_null(cat_header_idempotency_key(*state, bare));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_bearer_is_found_in_any_case),
        UNIT_TEST(test_header_without_a_token_is_none),
        UNIT_TEST(test_damaged_tokens_are_returned),
        UNIT_TEST(test_foreign_characters_are_malformed),
        UNIT_TEST(test_media_type_is_recognized),
        UNIT_TEST(test_preference_is_found),
        UNIT_TEST(test_language_is_the_one_that_is_liked_best),
        UNIT_TEST(test_quality_is_that_of_the_most_specific_range),
        UNIT_TEST(test_idempotency_key_is_a_string_or_bare_text),
        UNIT_TEST(test_other_idempotency_keys_are_refused),
        UNIT_TEST(test_idempotency_key_has_255_characters),
    };
    return UNIT_RUN(tests);
}
