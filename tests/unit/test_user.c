/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>
#include <string.h>

#include "accounts/user.h"
#include "lib/json.h"

static const char *repeat(apr_pool_t *pool, const char *text, int times)
{
    const char *all = "";
    while (times-- > 0) {
        all = apr_pstrcat(pool, all, text, NULL);
    }
    return all;
}

/* The faults of an account as "field code; field code", "" if it has none. */
static const char *faults(void **state, const char *username, const char *email, const char *password)
{
    json_t *body =
        cat_json_own(*state, json_pack("{s:s, s:s, s:s}", "username", username, "email", email, "password", password));
    cat_input_t input;
    const char *text = "";
    json_t *error;
    size_t i;

    cat_fields_check(*state, cat_user_fields, CAT_USER_FIELDS, CAT_CREATE, 0, body, &input);
    json_array_foreach (input.errors, i, error) {
        text = apr_pstrcat(*state, text, i ? "; " : "", json_string_value(json_object_get(error, "field")), " ",
                           json_string_value(json_object_get(error, "code")), NULL);
    }
    return text;
}

#define EMAIL "ada@example.com"
#define PASSWORD "correct horse"

static void test_usernames_have_a_format_and_a_length(void **state)
{
    static const char *const good[] = {"ada", "A.d_a-9", "..."};
    static const char *const bad[] = {"a b", "ad\xc3\xa4", "ada@x", "a/b", "ada\n"};

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        assert_string_equal(faults(state, good[i], EMAIL, PASSWORD), "");
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        assert_string_equal(faults(state, bad[i], EMAIL, PASSWORD), "username format");
    }
    assert_string_equal(faults(state, "ad", EMAIL, PASSWORD), "username too_short");
    assert_string_equal(faults(state, repeat(*state, "a", 64), EMAIL, PASSWORD), "");
    assert_string_equal(faults(state, repeat(*state, "a", 65), EMAIL, PASSWORD), "username too_long");
}

static void test_emails_have_a_format_and_a_length(void **state)
{
    assert_string_equal(faults(state, "ada", "ada", PASSWORD), "email format");
    assert_string_equal(faults(state, "ada", "ada@example", PASSWORD), "email format");
    assert_string_equal(faults(state, "ada", "a b@example.com", PASSWORD), "email format");
    assert_string_equal(faults(state, "ada", repeat(*state, "a", 255), PASSWORD), "email too_long");
}

static void test_passwords_have_a_length(void **state)
{
    assert_string_equal(faults(state, "ada", EMAIL, "1234567"), "password too_short");
    assert_string_equal(faults(state, "ada", EMAIL, "        "), ""); /* any eight characters are valid */
    assert_string_equal(faults(state, "ada", EMAIL, repeat(*state, "\xf0\x9f\x94\x91", 256)), "");
    assert_string_equal(faults(state, "ada", EMAIL, repeat(*state, "a", 257)), "password too_long");
}

static void test_reports_all_faults_at_once(void **state)
{
    assert_string_equal(faults(state, "a", "b", "c"), "username too_short; email format; password too_short");
}

static void test_no_password_is_written(void **state)
{
    const char *const values[CAT_USER_FIELDS] = {"1", "ada", EMAIL, PASSWORD, "0"};
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 64);
    cat_fields_write(&b, cat_user_fields, CAT_USER_FIELDS, values);
    assert_string_equal(cat_buffer_text(&b), "{\"id\":\"1\",\"username\":\"ada\",\"email\":\"" EMAIL
                                             "\",\"createdAt\":\"1970-01-01T00:00:00.000Z\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_usernames_have_a_format_and_a_length),
        UNIT_TEST(test_emails_have_a_format_and_a_length),
        UNIT_TEST(test_passwords_have_a_length),
        UNIT_TEST(test_reports_all_faults_at_once),
        UNIT_TEST(test_no_password_is_written),
    };
    return UNIT_RUN(tests);
}
