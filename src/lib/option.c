/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/option.h"

#include <string.h>

#include <apr_strings.h>

#define BLANKS " \t"

/* Reads a quoted value. *at is the position after the opening quote, and then the position after the closing quote.
 * Returns NULL if there is no closing quote. */
static const char *take_quoted(apr_pool_t *pool, const char **at)
{
    char *text = apr_palloc(pool, strlen(*at) + 1), *end = text;

    for (; **at && **at != '"'; ++*at) {
        if (**at == '\\' && ((*at)[1] == '"' || (*at)[1] == '\\')) {
            ++*at;
        }
        *end++ = **at;
    }
    *end = '\0';
    return *(*at) ? (++*at, text) : NULL;
}

static const char *take_bare(apr_pool_t *pool, const char **at, const char *ends)
{
    apr_size_t length = strcspn(*at, ends);
    const char *text = apr_pstrmemdup(pool, *at, length);

    *at += length;
    return text;
}

static const char *take_value(apr_pool_t *pool, const char **at, const char *name, const char **value)
{
    if (**at != '"') {
        *value = take_bare(pool, at, BLANKS);
        return NULL;
    }
    ++*at;
    *value = take_quoted(pool, at);
    if (!*value) {
        return apr_psprintf(pool, "the quotation mark after %s is not closed by another one", name);
    }
    return strchr(BLANKS, **at) /* also true at the end */
               ? NULL
               : apr_psprintf(pool, "a blank must follow the value of %s; write \\\" for a quotation mark within it",
                              name);
}

const char *cat_option_take(apr_pool_t *pool, const char **line, const char **name, const char **value)
{
    *line += strspn(*line, BLANKS);
    *name = take_bare(pool, line, BLANKS "=");
    *value = NULL;
    if (**line != '=') {
        return NULL;
    }
    ++*line;
    *name = apr_pstrcat(pool, *name, "=", NULL);
    return take_value(pool, line, *name, value);
}
