/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks texts of a field of the shop's own.
 *
 *     url                     a form that its type has         http://... and a host
 *     choice values="a|b"     words                            "a" or "b"
 *     string pattern="[A-Z]+" a pattern, for the whole text    "KT"
 *
 * A rule is made once, with the configuration; the checks of lib/fields.c call it, and the schemas of /openapi.json say it.
 */
#include "catalogue/product/own_rule.h"

#include <apr_strings.h>
#include <string.h>

#include "lib/buffer.h"
#include "lib/pattern.h"
#include "lib/text.h"
#include "lib/time.h"

/* ---- forms ---- */

#define NO_PART_OF_URL " \"<>^`{|}\\" /* printable characters that RFC 3986 does not allow anywhere */

/* Returns the length of "https://" or "http://" at the beginning of the text, or 0. */
static apr_size_t measure_scheme(const char *text)
{
    return !strncasecmp(text, "https://", 8) ? 8 : !strncasecmp(text, "http://", 7) ? 7 : 0;
}

static apr_size_t measure_host(const char *text)
{
    return strcspn(text, "/\\?#");
}

static void add_spelled(cat_buffer_t *b, char c, int is_path)
{
    static const char digits[] = "0123456789ABCDEF";
    const char escape[] = {'%', digits[(unsigned char)c >> 4], digits[(unsigned char)c & 15]};

    if (c == '\\' && is_path) {
        CAT_BUFFER_LITERAL(b, "/");
    } else if ((unsigned char)c >= 0x80 || strchr(NO_PART_OF_URL, c)) {
        cat_buffer_add(b, escape, sizeof(escape));
    } else {
        cat_buffer_add(b, &c, 1);
    }
}

/* Returns the URL as browsers send it: without white space around it, with "/" for each "\" of the path, and with the characters after the host
 * percent-encoded that RFC 3986 does not allow. Keeps existing percent-encoding. Returns a text that does not begin with https:// or http://
 * unchanged. */
static const char *spell_url(apr_pool_t *pool, const char *text)
{
    static const char blanks[] = " \t\r\n";
    const char *begin = text + strspn(text, blanks), *end = text + strlen(text);
    apr_size_t scheme = measure_scheme(begin);
    const char *path = begin + scheme + measure_host(begin + scheme);
    cat_buffer_t b;
    int is_path = 1;

    if (!scheme) {
        return text;
    }
    while (end > path && strchr(blanks, end[-1])) {
        end--;
    }
    cat_buffer_init(&b, pool, (apr_size_t)(end - begin) + 1);
    cat_buffer_add(&b, begin, (apr_size_t)(path - begin));
    for (const char *at = path; at < end; at++) {
        is_path = is_path && *at != '?' && *at != '#';
        add_spelled(&b, *at, is_path);
    }
    return cat_buffer_text(&b);
}

static const char *refuse_url(const char *text)
{
    apr_size_t scheme = measure_scheme(text), host = measure_host(text + scheme);

    if (cat_text_has_control(text)) {
        return "must have no control characters, such as a line break";
    }
    if (!scheme || !host || text[scheme] == ':') {
        return "must be a URL that begins with https:// or http:// and a host";
    }
    return strcspn(text + scheme, NO_PART_OF_URL) < host
               ? "must have a host without spaces and the characters \" < > ^ ` { | }"
               : NULL;
}

static const char *refuse_date(const char *text)
{
    char time[sizeof("2026-11-21T00:00:00Z")];
    apr_int64_t milliseconds;

    apr_snprintf(time, sizeof(time), "%sT00:00:00Z", text);
    return strlen(text) == strlen("2026-11-21") && cat_time_parse(time, &milliseconds)
               ? NULL
               : "must be a date such as 2026-11-21";
}

const cat_own_form_t cat_own_rule_url = {refuse_url, "uri", spell_url}, cat_own_rule_date = {refuse_date, "date", NULL};

const cat_text_rule_t *cat_own_rule_spelling(const cat_text_rule_t *rule)
{
    static const cat_text_rule_t spelling = {.spell = spell_url};

    return rule && rule->spell ? &spelling : NULL;
}

/* ---- the rule of a field ---- */

typedef struct own_rule_t {
    cat_text_rule_t rule; /* must be first: lib/fields.c has a pointer to this */
    cat_own_limits_t limits;
    const cat_pattern_t *pattern; /* limits.pattern, compiled */
    const char *mismatch;         /* what is said of a text that the words or the pattern refuse */
} own_rule_t;

static const char *refuse_mismatch(const own_rule_t *own, const char *text)
{
    switch (cat_pattern_match(own->pattern, text)) {
    case CAT_PATTERN_MATCHES:
        return NULL;
    case CAT_PATTERN_DIFFERS:
        return own->mismatch;
    case CAT_PATTERN_GIVES_UP:
        break;
    }
    return "must be simpler: comparing it with the field's pattern takes too long";
}

static const char *refuse_text(const cat_text_rule_t *rule, const char *text)
{
    const own_rule_t *own = (const own_rule_t *)rule;
    const char *message = own->limits.form ? own->limits.form->refuse(text) : NULL;

    if (!message && rule->words) {
        message = rule->words[cat_text_find(rule->words, text)] ? NULL : own->mismatch;
    }
    return message || !own->pattern ? message : refuse_mismatch(own, text);
}

static const char *add_pattern(apr_pool_t *pool, const char *pattern, own_rule_t *own)
{
    const char *fault = cat_pattern_compile(pool, pattern, &own->pattern);

    own->rule.pattern = apr_pstrcat(pool, "^(?:", pattern, ")$", NULL);
    own->mismatch = apr_pstrcat(pool, "must match the pattern ", pattern, NULL);
    return fault ? apr_psprintf(pool, "pattern=%s: %s", pattern, fault) : NULL;
}

const char *cat_own_rule_make(apr_pool_t *pool, const cat_own_limits_t *limits, const cat_text_rule_t **rule)
{
    own_rule_t *own;

    *rule = NULL;
    if (!limits->form && !limits->words && !limits->pattern) {
        return NULL;
    }
    own = apr_pcalloc(pool, sizeof(*own));
    own->limits = *limits;
    own->rule.refuse = refuse_text;
    own->rule.format = limits->form ? limits->form->format : NULL;
    own->rule.spell = limits->form ? limits->form->spell : NULL;
    own->rule.words = limits->words;
    own->mismatch = limits->words ? apr_pstrcat(pool, "must be ", cat_text_join(pool, limits->words), NULL) : NULL;
    *rule = &own->rule;
    return limits->pattern ? add_pattern(pool, limits->pattern, own) : NULL;
}
