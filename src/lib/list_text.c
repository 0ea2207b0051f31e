/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/list_text.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/csv.h"

/* Copies one text up to the separator, without its backslashes and the blanks around it. Returns the position of the
 * separator or of the end. */
static const char *copy_text(const char *at, char mark, char *copy)
{
    char *begin = copy, *kept = copy;

    for (; *at && *at != mark; at++) {
        apr_size_t blank = cat_csv_measure_blank(at);
        if (*at == '\\' && at[1]) {
            *copy++ = *++at;
            kept = copy;
        } else if (blank == 0) {
            *copy++ = *at;
            kept = copy;
        } else {
            memcpy(copy, at, blank);
            copy += copy == begin ? 0 : blank;
            at += blank - 1;
        }
    }
    *kept = '\0';
    return at;
}

apr_array_header_t *cat_list_text_split(apr_pool_t *pool, const char *text, char mark)
{
    apr_array_header_t *texts = apr_array_make(pool, 4, sizeof(const char *));
    char *copy = apr_palloc(pool, strlen(text) + 1);

    for (;; text++) {
        text = copy_text(text, mark, copy);
        if (*copy) {
            APR_ARRAY_PUSH(texts, const char *) = copy;
            copy += strlen(copy) + 1;
        }
        if (!*text) {
            return texts;
        }
    }
}

json_t *cat_list_text_json(apr_pool_t *pool, const char *text, char mark)
{
    const apr_array_header_t *texts = cat_list_text_split(pool, text, mark);
    json_t *list = json_array();

    for (int i = 0; i < texts->nelts; i++) {
        if (json_array_append_new(list, json_string(APR_ARRAY_IDX(texts, i, const char *))) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

void cat_list_text_add(cat_buffer_t *b, const char *text, char mark)
{
    const char *at = text;

    while (*at) {
        apr_size_t blank = cat_csv_measure_blank(at), length = blank ? blank : 1;
        if (*at == mark || *at == '\\' || (blank && (at == text || !at[blank]))) {
            CAT_BUFFER_LITERAL(b, "\\");
        }
        cat_buffer_add(b, at, length);
        at += length;
    }
}
