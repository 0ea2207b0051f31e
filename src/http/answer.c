/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes answers before they become HTTP responses: JSON with data, or a failure with the texts of its row in the
 * problem table.
 *
 *     {"success":true,"data":...,"message":"..."}
 *     {"success":false,"message":"Validation failed","error":"...","errors":[{"field":"price","code":"type",...}]}
 *
 * An answer is a plain value on the pool. Only httpd/reply.c sends it, and adds ETag, request id and caching.
 */
#include "http/answer.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "lib/fields.h"
#include "lib/json.h"

cat_answer_t *cat_answer_text(apr_pool_t *pool, int status, const char *body, apr_size_t length)
{
    cat_answer_t *a = apr_pcalloc(pool, sizeof(*a));
    a->status = status;
    a->body = body;
    a->length = length;
    return a;
}

cat_answer_t *cat_answer_stream(apr_pool_t *pool, const char *type, const cat_stream_t *stream)
{
    cat_answer_t *a = cat_answer_text(pool, 200, NULL, 0);
    a->type = type;
    a->stream = stream;
    return a;
}

static cat_answer_t *finish_answer(cat_buffer_t *b, int status)
{
    const char *body = cat_buffer_text(b);
    return cat_answer_text(b->pool, status, body, b->length);
}

cat_answer_t *cat_answer_success(apr_pool_t *pool, int status, const cat_buffer_t *data, const char *message)
{
    cat_buffer_t b;
    cat_buffer_init(&b, pool, (data ? data->length : 0) + 96);
    CAT_BUFFER_LITERAL(&b, "{\"success\":true");
    if (data) {
        CAT_BUFFER_LITERAL(&b, ",\"data\":");
        cat_buffer_add(&b, data->data, data->length);
    }
    if (message) {
        cat_json_add_member(&b, ",\"message\":", message);
    }
    CAT_BUFFER_LITERAL(&b, "}");
    return finish_answer(&b, status);
}

static void add_words(cat_buffer_t *b, const char *message, const char *error)
{
    cat_json_add_member(b, ",\"message\":", message);
    if (error) {
        cat_json_add_member(b, ",\"error\":", error);
    }
}

static void add_errors(cat_buffer_t *b, const json_t *errors)
{
    if (errors) {
        CAT_BUFFER_LITERAL(b, ",\"errors\":");
        cat_buffer_add_text(b, cat_json_text(b->pool, errors));
    }
}

static cat_answer_t *make_problem(apr_pool_t *pool, const cat_problem_row_t *row, const char *error,
                                  const json_t *errors)
{
    cat_buffer_t b;
    cat_answer_t *a;
    apr_size_t words;

    cat_buffer_init(&b, pool, 256);
    CAT_BUFFER_LITERAL(&b, "{\"success\":false");
    add_words(&b, row->message, error);
    words = b.length;
    add_errors(&b, errors);
    CAT_BUFFER_LITERAL(&b, "}");
    a = finish_answer(&b, row->status);
    a->problem = row;
    a->error = error;
    a->words = words;
    if (row->retry_after) {
        cat_answer_header(a, pool, "Retry-After", apr_itoa(pool, row->retry_after));
    }
    return a;
}

cat_answer_t *cat_answer_problem(apr_pool_t *pool, cat_problem_t problem, const char *error)
{
    const cat_problem_row_t *row = &cat_problem_rows[problem];

    return make_problem(pool, row, error ? error : row->error, NULL);
}

cat_answer_t *cat_answer_invalid(apr_pool_t *pool, cat_problem_t problem, const json_t *errors)
{
    return make_problem(pool, &cat_problem_rows[problem], cat_fields_summary(pool, errors), errors);
}

void cat_answer_write_problem(cat_buffer_t *b, cat_problem_t problem, const json_t *errors)
{
    const cat_problem_row_t *row = &cat_problem_rows[problem];

    CAT_BUFFER_LITERAL(b, "\"status\":");
    cat_buffer_add_int(b, row->status);
    add_words(b, row->message, errors ? cat_fields_summary(b->pool, errors) : row->error);
    add_errors(b, errors);
}

void cat_answer_add_member(apr_pool_t *pool, cat_answer_t *a, const char *name, const cat_buffer_t *value)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, a->length + value->length + 32);
    cat_buffer_add(&b, a->body, a->length - strlen("}"));
    CAT_BUFFER_LITERAL(&b, ",\"");
    cat_buffer_add_text(&b, name);
    CAT_BUFFER_LITERAL(&b, "\":");
    cat_buffer_add(&b, value->data, value->length);
    CAT_BUFFER_LITERAL(&b, "}");
    a->body = cat_buffer_text(&b);
    a->length = b.length;
}

void cat_answer_add_json(apr_pool_t *pool, cat_answer_t *a, const char *name, const json_t *value)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 128);
    cat_buffer_add_text(&b, cat_json_text(pool, value));
    cat_answer_add_member(pool, a, name, &b);
}

#define SENTENCES 5 /* Number of faulty records that `error` names. */

cat_answer_t *cat_answer_rows_invalid(apr_pool_t *pool, const char *word, const char *member, const json_t *errors)
{
    cat_buffer_t b;
    size_t i;
    const json_t *error;

    cat_buffer_init(&b, pool, 256);
    json_array_foreach (errors, i, error) {
        const char *field = json_string_value(json_object_get(error, "field"));
        const json_t *record = json_object_get(error, member);
        const char *name = json_is_string(record) ? json_string_value(record) : cat_json_text(pool, record);
        if (i == SENTENCES) {
            CAT_BUFFER_LITERAL(&b, "; and more");
            break;
        }
        cat_buffer_add_text(&b, apr_pstrcat(pool, i ? "; " : "", word, " ", name, ": ", *field ? field : "it", " ",
                                            json_string_value(json_object_get(error, "message")), NULL));
    }
    return make_problem(pool, &cat_problem_rows[CAT_PROBLEM_VALIDATION], cat_buffer_text(&b), errors);
}

cat_answer_t *cat_answer_malformed(apr_pool_t *pool, const json_t *errors)
{
    cat_answer_t *a = cat_answer_invalid(pool, CAT_PROBLEM_VALIDATION, errors);

    a->malformed = 1;
    return a;
}

cat_answer_t *cat_answer_status(apr_pool_t *pool, int status, const char *phrase)
{
    const cat_problem_row_t *row = cat_problem_find_status(status);
    const cat_problem_row_t other = {.is_general = 1, .status = status, .message = phrase};

    return row ? make_problem(pool, row, row->error, NULL)
               : make_problem(pool, apr_pmemdup(pool, &other, sizeof(other)), NULL, NULL);
}

void cat_answer_put_header(apr_table_t *headers, const char *name, const char *value)
{
    if (strcmp(name, "Set-Cookie") == 0) {
        apr_table_addn(headers, name, value);
    } else {
        apr_table_setn(headers, name, value);
    }
}

void cat_answer_header(cat_answer_t *a, apr_pool_t *pool, const char *name, const char *value)
{
    if (!a->headers) {
        a->headers = apr_table_make(pool, 4);
    }
    cat_answer_put_header(a->headers, name, value);
}

#define IGNORED_OCTETS 64 /* Bytes of one name. The rest is cut off. */

/* Encodes every byte that is no character of a token (RFC 9110 5.6.2), and '%', which begins an encoded byte. */
static void add_encoded(cat_buffer_t *b, const char *name)
{
    static const char hex[] = "0123456789ABCDEF";
    for (const unsigned char *p = (const unsigned char *)name; *p && p - (const unsigned char *)name < IGNORED_OCTETS;
         p++) {
        if (apr_isalnum(*p) ? *p < 0x80 : strchr("!#$&'*+-.^_`|~", *p) != NULL) {
            cat_buffer_add(b, (const char *)p, 1);
        } else {
            const char encoded[3] = {'%', hex[*p >> 4], hex[*p & 15]};
            cat_buffer_add(b, encoded, 3);
        }
    }
}

void cat_answer_name_ignored(cat_answer_t *a, apr_pool_t *pool, const apr_array_header_t *names)
{
    cat_buffer_t b;

    if (names->nelts == 0) {
        return;
    }
    cat_buffer_init(&b, pool, 64);
    for (int i = 0; i < names->nelts; i++) {
        if (i > 0) {
            CAT_BUFFER_LITERAL(&b, ", ");
        }
        add_encoded(&b, APR_ARRAY_IDX(names, i, const char *));
    }
    cat_answer_header(a, pool, "Catalog-Ignored", cat_buffer_text(&b));
}
