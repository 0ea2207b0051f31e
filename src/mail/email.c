/* SPDX-License-Identifier: Apache-2.0 */
/*
 * E-mail addresses: which texts are accepted, and in which form they are compared. The grammar is much narrower than
 * that of RFC 5322, so an accepted address can be used in a header and in an SMTP command unchanged.
 */
#include "mail/email.h"

#include <string.h>

#include <apr_strings.h>

#define LOCAL_MAX 64 /* In bytes, RFC 5321 4.5.3.1.1. */
#define LABEL_MAX 63 /* In bytes, RFC 1035 2.3.4. */
#define SUFFIX_LEAST 2

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define LETTERS_DIGITS LETTERS "0123456789"
#define ATEXT LETTERS_DIGITS "!#$%&'*+-/=?^_`{|}~"

/* Returns the length of the dot-atom at the beginning of the text, or 0 if there is none. */
static apr_size_t measure_dot_atom(const char *text)
{
    const char *end = text;

    for (;;) {
        apr_size_t atom = strspn(end, ATEXT);
        if (atom == 0) {
            return 0;
        }
        end += atom;
        if (*end != '.') {
            return end - text;
        }
        end++;
    }
}

static int check_label(const char *label, apr_size_t length)
{
    return length >= 1 && length <= LABEL_MAX && label[0] != '-' && label[length - 1] != '-';
}

/* Refuses numbers: each top-level domain begins with a letter, so that none can be mistaken for an IPv4 address (RFC
 * 3696 2). */
static int check_suffix(const char *label, apr_size_t length)
{
    return length >= SUFFIX_LEAST && strspn(label, LETTERS) > 0;
}

int cat_email_check_domain(const char *domain)
{
    const char *label = domain;

    for (;;) {
        apr_size_t length = strspn(label, LETTERS_DIGITS "-");
        if (!check_label(label, length)) {
            return 0;
        }
        if (label[length] == '\0') {
            return label != domain && check_suffix(label, length);
        }
        if (label[length] != '.') {
            return 0;
        }
        label += length + 1;
    }
}

int cat_email_check(const char *text)
{
    apr_size_t local = measure_dot_atom(text);

    if (local < 1 || local > LOCAL_MAX || text[local] != '@' || strlen(text) > CAT_EMAIL_MAX) {
        return 0;
    }
    return cat_email_check_domain(text + local + 1);
}

int cat_email_is_international(const char *text)
{
    const char *at = strrchr(text, '@'), *domain = at ? at + 1 : "";

    while (*domain && (unsigned char)*domain < 0x80) {
        domain++;
    }
    return *domain != '\0';
}

/* Does not use tolower, which depends on the locale. */
const char *cat_email_fold(apr_pool_t *pool, const char *text)
{
    char *folded = apr_pstrdup(pool, text);

    for (char *c = folded; *c; c++) {
        if (*c >= 'A' && *c <= 'Z') {
            *c += 'a' - 'A';
        }
    }
    return folded;
}

const char *cat_email_mailbox(apr_pool_t *pool, const char *key)
{
    const char *plus = strchr(key, '+'), *at = strchr(key, '@');

    return plus && at && plus < at ? apr_pstrcat(pool, apr_pstrmemdup(pool, key, plus + 1 - key), at, NULL) : NULL;
}
