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

#include "lib/pattern.h"
#include "lib/text.h"
#include "lib/time.h"

/* ---- forms ---- */

static const char *refuse_url(const char *text)
{
    static const char message[] = "must be a URL without spaces that begins with https:// or http:// and a host";
    apr_size_t scheme = !strncasecmp(text, "https://", 8) ? 8 : !strncasecmp(text, "http://", 7) ? 7 : 0;
    apr_size_t host = strcspn(text + scheme, "/?#");

    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at <= ' ' || strchr("<>\"\\^`{|}\x7f", *at)) {
            return message;
        }
    }
    return scheme && host && text[scheme] != ':' ? NULL : message;
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

const cat_own_form_t cat_own_rule_url = {refuse_url, "uri"}, cat_own_rule_date = {refuse_date, "date"};

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
    own->rule.words = limits->words;
    own->mismatch = limits->words ? apr_pstrcat(pool, "must be ", cat_text_join(pool, limits->words), NULL) : NULL;
    *rule = &own->rule;
    return limits->pattern ? add_pattern(pool, limits->pattern, own) : NULL;
}
