/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include <apr_strings.h>

#include "mail/email.h"

static const char *repeat(apr_pool_t *pool, char c, int times)
{
    char *text = apr_palloc(pool, times + 1);
    memset(text, c, times);
    text[times] = '\0';
    return text;
}

static void check(const char *text, int expected)
{
    if (cat_email_check(text) != expected) {
        fail_msg("%s was %s", text, expected ? "refused" : "taken");
    }
}

static void test_accepts_addresses(void **)
{
    static const char *const texts[] = {
        "ada@example.org",
        "a@b.cd",
        "Ada.Lovelace+catalog@Mail.Example.ORG",
        "o'brien@example.org",
        "!#$%&'*+-/=?^_`{|}~@example.org",
        "-@example.org",
        "1@1.example",
        "user@xn--bcher-kva.example",
        "user@example.xn--p1ai",
        "user@1.2.3.c4",
        "user@a-b--c.example",
        "user@sub.sub.sub.example.co",
    };

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        check(texts[i], 1);
    }
}

static void test_refuses_other_texts(void **)
{
    static const char *const texts[] = {
        "",
        "@",
        "a",
        "a@",
        "@b.cd",
        "a@b",
        "a@localhost",
        "a@b.c",
        "a@1.22",
        "a@192.0.2.10",
        "a@b.1a",
        "a@b.",
        "a@.cd",
        "a@b..cd",
        "a@b.cd.",
        "a.b.cd",
        "a@b@c.de",
        "a@@b.cd",
        ".a@b.cd",
        "a.@b.cd",
        "a..b@c.de",
        "a@-b.cd",
        "a@b-.cd",
        "a@b.-cd",
        "a@b.cd-",
        "a@b_c.de",
        "a@[127.0.0.1]",
        "a@[IPv6:::1]",
        "a b@c.de",
        "a@b c.de",
        " a@b.cd",
        "a@b.cd ",
        "a\t@b.cd",
        "a@b.cd\n",
        "a@b.cd\r\nRCPT TO:<evil@example.org>",
        "b@y.zz>\r\nRCPT TO:<evil@z.zz",
        "a@b.cd\r\n.\r\n",
        "a@b.cd>",
        "<a@b.cd>",
        "Ada <a@b.cd>",
        "a@b.cd,evil@example.org",
        "a@b.cd;evil@example.org",
        "a@b.cd evil@example.org",
        "\"a b\"@c.de",
        "\"a\"@c.de",
        "a\"b@c.de",
        "a\\@b@c.de",
        "a(comment)@b.cd",
        "a@b.cd(comment)",
        "a:b@c.de",
        "mailto:a@b.cd",
        "a@b.cd\x7f",
        "\x01@b.cd",
        "j\xc3\xb6rg@example.org",
        "a@b\xc3\xbcro.example",
        "a@b.cd\xe2\x80\xae",
        "a@example.org/",
        "a@example.org:25",
        "a@example.org?subject=x",
        "a%00@",
    };

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        check(texts[i], 0);
    }
}

static void test_tells_international_domains(void **)
{
    assert_true(cat_email_is_international("k@m\xc3\xbcnchen.example"));
    assert_true(cat_email_is_international("k@example.\xe4\xb8\xad\xe5\x9b\xbd"));
    assert_false(cat_email_is_international("k\xc3\xbc@example.org"));
    assert_false(cat_email_is_international("k@xn--mnchen-3ya.example"));
    assert_false(cat_email_is_international("m\xc3\xbcnchen.example"));
    assert_false(cat_email_is_international("k@"));
}

static void test_local_part_has_at_most_64_octets(void **state)
{
    check(apr_pstrcat(*state, repeat(*state, 'a', 64), "@b.cd", NULL), 1);
    check(apr_pstrcat(*state, repeat(*state, 'a', 65), "@b.cd", NULL), 0);
    check(apr_pstrcat(*state, repeat(*state, 'a', 32), ".", repeat(*state, 'a', 32), "@b.cd", NULL), 0);
}

static void test_label_has_at_most_63_octets(void **state)
{
    check(apr_pstrcat(*state, "a@", repeat(*state, 'b', 63), ".cd", NULL), 1);
    check(apr_pstrcat(*state, "a@", repeat(*state, 'b', 64), ".cd", NULL), 0);
    check(apr_pstrcat(*state, "a@b.", repeat(*state, 'c', 63), NULL), 1);
    check(apr_pstrcat(*state, "a@b.", repeat(*state, 'c', 64), NULL), 0);
}

static void test_address_has_a_maximum_length(void **state)
{
    const char *label = apr_pstrcat(*state, repeat(*state, 'b', 59), ".", NULL);
    const char *head = apr_pstrcat(*state, "ada@", label, label, label, label, NULL);

    check(apr_pstrcat(*state, head, repeat(*state, 'c', CAT_EMAIL_MAX - (int)strlen(head)), NULL), 1);
    check(apr_pstrcat(*state, head, repeat(*state, 'c', CAT_EMAIL_MAX + 1 - (int)strlen(head)), NULL), 0);
    check(apr_pstrcat(*state, repeat(*state, 'a', 1000000), "@b.cd", NULL), 0);
    check(apr_pstrcat(*state, "a@", repeat(*state, '.', 1000000), NULL), 0);
}

/* A byte outside the two alphabets makes an address invalid at every position. */
static void test_refuses_hostile_bytes_at_every_position(void **state)
{
    static const char good[] = "ada@example.org";

    for (size_t at = 0; at < sizeof(good); at++) {
        for (int byte = 1; byte < 256; byte++) {
            const char text[] = {(char)byte, '\0'};
            const char *changed = apr_pstrcat(*state, apr_pstrmemdup(*state, good, at), text, good + at, NULL);
            if (byte <= ' ' || byte >= 0x7f || strchr("()<>[]:;@\\,\"", byte)) {
                check(changed, 0);
            }
        }
    }
}

static void test_folds_ascii_letters_to_lower_case(void **state)
{
    const char *text = "Ada.LOVELACE@Example.ORG";

    assert_string_equal(cat_email_fold(*state, text), "ada.lovelace@example.org");
    assert_string_equal(text, "Ada.LOVELACE@Example.ORG");
    assert_string_equal(cat_email_fold(*state, ""), "");
    assert_string_equal(cat_email_fold(*state, "@[`{AZaz09_-"), "@[`{azaz09_-");
    assert_string_equal(cat_email_fold(*state, "\xc3\x84"), "\xc3\x84");
}

static void test_mailbox_is_the_address_without_its_tag(void **state)
{
    static const struct {
        const char *key, *mailbox;
    } cases[] = {
        {"ada+shop@example.org", "ada+@example.org"},
        {"ada+a+b@example.org", "ada+@example.org"},
        {"ada+@example.org", "ada+@example.org"},
        {"+ada@example.org", "+@example.org"},
        {"ada@example.org", NULL},
        {"a.d.a@example.org", NULL},
        {"ada", NULL},
        {"ada@exa+mple.org", NULL},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const char *mailbox = cat_email_mailbox(*state, cases[i].key);
        if (cases[i].mailbox) {
            assert_non_null(mailbox);
            assert_string_equal(mailbox, cases[i].mailbox);
        } else {
            assert_null(mailbox);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_accepts_addresses),
        UNIT_TEST(test_refuses_other_texts),
        UNIT_TEST(test_tells_international_domains),
        UNIT_TEST(test_local_part_has_at_most_64_octets),
        UNIT_TEST(test_label_has_at_most_63_octets),
        UNIT_TEST(test_address_has_a_maximum_length),
        UNIT_TEST(test_refuses_hostile_bytes_at_every_position),
        UNIT_TEST(test_folds_ascii_letters_to_lower_case),
        UNIT_TEST(test_mailbox_is_the_address_without_its_tag),
    };
    return UNIT_RUN(tests);
}
