/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "http/webhook.h"

#define SECRET "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define ID "msg_p5jXN8AQM9LWM0D4loKWxJek"
#define TIME "1614265330"
#define BODY "{\"test\": 2432232314}"

/* The example comes from the tests of the Standard Webhooks libraries. */
static void test_signs_as_the_standard_says(void **state)
{
    cat_webhook_t webhook = {.url = NULL};

    assert_null(cat_webhook_set_secrets(*state, &webhook, SECRET));
    assert_string_equal(cat_webhook_sign(*state, &webhook, ID, TIME, BODY),
                        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void test_signs_with_each_secret(void **state)
{
    cat_webhook_t webhook = {.url = NULL};
    const char *other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    const char *signatures;

    assert_null(cat_webhook_set_secrets(*state, &webhook, apr_pstrcat(*state, other, "\n", SECRET, "\n", NULL)));
    signatures = cat_webhook_sign(*state, &webhook, ID, TIME, BODY);
    assert_memory_equal(signatures, "v1,", 3);
    assert_string_equal(strchr(signatures, ' '), " v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

static void test_refuses_bad_secrets(void **state)
{
    const char *const bad[] = {
        "",
        "\n\n",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",          /* Has no prefix. */
        "whsec_",                                    /* Is empty. */
        "whsec_c2hvcnQ=",                            /* Is too short. */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La-_Sw",    /* Is base64url. */
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw \n", /* Has a blank at the end. */
        SECRET "\r\n" SECRET,                        /* Has line ends of Windows. */
        SECRET "\n" SECRET "\n" SECRET "\n" SECRET "\n" SECRET,
        /* Has 66 bytes. */
        "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    };

    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        cat_webhook_t webhook = {.url = NULL};
        const char *fault = cat_webhook_set_secrets(*state, &webhook, bad[i]);
        if (!fault) {
            fail_msg("%s was taken", bad[i]);
        }
        assert_null(strstr(fault, "MfKQ"));
    }
}

static void test_accepts_https_and_this_machine(void **state)
{
    const char *const good[] = {"https://erp.example.com/hooks",
                                "https://erp.example.com:8443/a?b=c",
                                "http://localhost:3000/",
                                "http://127.0.0.1/x",
                                "http://[::1]:80/",
                                "https://10.0.0.1/"};
    const char *const bad[] = {"http://erp.example.com/",
                               "http://10.0.0.1/",
                               "http://localhost.example.com/",
                               "ftp://localhost/",
                               "file:///etc/passwd",
                               "https:/erp.example.com",
                               "erp.example.com",
                               "",
                               "https://user@erp.example.com/",
                               "https://user:password@erp.example.com/",
                               "https://erp.example.com/#top",
                               "https://erp example.com/"};
    cat_webhook_t webhook;
    char *path = apr_palloc(*state, CAT_WEBHOOK_URL_MAX);

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        if (cat_webhook_set_url(*state, &webhook, good[i])) {
            fail_msg("%s was refused", good[i]);
        }
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        if (!cat_webhook_set_url(*state, &webhook, bad[i])) {
            fail_msg("%s was taken", bad[i]);
        }
    }
    memset(path, 'a', CAT_WEBHOOK_URL_MAX - 1);
    path[CAT_WEBHOOK_URL_MAX - 1] = '\0';
    assert_non_null(cat_webhook_set_url(*state, &webhook, apr_pstrcat(*state, "https://a/", path, NULL)));
    assert_null(cat_webhook_set_url(*state, &webhook, "https://a/b?token=1"));
    assert_string_equal(webhook.name, "https://a/b");
}

static void test_reads_events(void **state)
{
    cat_webhook_t webhook = {.url = NULL};

    assert_null(cat_webhook_set_events(*state, &webhook, "product.created,product.deleted"));
    assert_int_equal(webhook.events, CAT_WEBHOOK_CREATED | CAT_WEBHOOK_DELETED);
    assert_non_null(strstr(cat_webhook_set_events(*state, &webhook, "product.created,user.created"), "'user.created'"));
    webhook.events = 0;
    assert_non_null(cat_webhook_set_events(*state, &webhook, ""));
    assert_non_null(cat_webhook_set_events(*state, &webhook, ","));
    assert_int_equal(cat_webhook_event("update"), CAT_WEBHOOK_UPDATED);
    assert_int_equal(cat_webhook_event("other"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_signs_as_the_standard_says),
        UNIT_TEST(test_signs_with_each_secret),
        UNIT_TEST(test_refuses_bad_secrets),
        UNIT_TEST(test_accepts_https_and_this_machine),
        UNIT_TEST(test_reads_events),
    };
    return cmocka_run_group_tests(tests, unit_start, NULL);
}
