/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks texts of a field of the shop's own.
 *
 *     url                     a form that its type has         http://... and a host (own_url.c)
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

typedef struct own_rule_t {
    cat_text_rule_t rule; /* must be first: lib/fields.c has a pointer to this */
    cat_own_limits_t limits;
    cat_text_rule_t spelling;     /* of cat_own_rule_spelling */
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

const cat_text_rule_t *cat_own_rule_spelling(const cat_text_rule_t *rule)
{
    return rule && rule->form && rule->form->spell ? &((const own_rule_t *)rule)->spelling : NULL;
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
    own->rule.form = own->spelling.form = limits->form;
    own->rule.words = limits->words;
    own->mismatch = limits->words ? apr_pstrcat(pool, "must be ", cat_text_join(pool, limits->words), NULL) : NULL;
    *rule = &own->rule;
    return limits->pattern ? add_pattern(pool, limits->pattern, own) : NULL;
}
