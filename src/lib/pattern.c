/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pattern.h"

#include <string.h>

#include <apr_strings.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Limits of one comparison. A pattern such as (a+)+b can need exponential time. This many steps take some hundredths of
 * a second. */
#define STEPS_MAX 1000000
#define MEMORY_MAX 16384 /* KiB */

struct cat_pattern_t {
    pcre2_code *code;
    pcre2_match_context *limits;
};

static apr_status_t free_pattern(void *data)
{
    cat_pattern_t *pattern = data;

    pcre2_code_free(pattern->code);
    pcre2_match_context_free(pattern->limits);
    return APR_SUCCESS;
}

static const char *explain_failure(apr_pool_t *pool, int error, PCRE2_SIZE offset)
{
    PCRE2_UCHAR words[256];

    pcre2_get_error_message(error, words, sizeof(words));
    return apr_psprintf(pool, "%s at offset %lu", (const char *)words, (unsigned long)offset);
}

const char *cat_pattern_compile(apr_pool_t *pool, const char *expression, const cat_pattern_t **pattern)
{
    cat_pattern_t *made = apr_pcalloc(pool, sizeof(*made));
    const uint32_t options =
        PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY | PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
    PCRE2_SIZE offset;
    int error;

    made->code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, options, &error, &offset, NULL);
    made->limits = pcre2_match_context_create(NULL);
    apr_pool_cleanup_register(pool, made, free_pattern, apr_pool_cleanup_null);
    if (!made->code || !made->limits) {
        return made->code ? "out of memory" : explain_failure(pool, error, offset);
    }
    pcre2_set_match_limit(made->limits, STEPS_MAX);
    pcre2_set_heap_limit(made->limits, MEMORY_MAX);
    *pattern = made;
    return NULL;
}

cat_pattern_outcome_t cat_pattern_match(const cat_pattern_t *pattern, const char *text)
{
    pcre2_match_data *room = pcre2_match_data_create(1, NULL);
    int result = room ? pcre2_match(pattern->code, (PCRE2_SPTR)text, strlen(text), 0, 0, room, pattern->limits)
                      : PCRE2_ERROR_NOMEMORY;

    pcre2_match_data_free(room);
    return result >= 0                     ? CAT_PATTERN_MATCHES
           : result == PCRE2_ERROR_NOMATCH ? CAT_PATTERN_DIFFERS
                                           : CAT_PATTERN_GIVES_UP;
}
