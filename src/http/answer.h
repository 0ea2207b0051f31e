/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_ANSWER_H
#define CAT_HTTP_ANSWER_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

#include "http/problem.h"
#include "lib/buffer.h"

/* The kind of ETag that a 200 gets; see http/etag.h. */
typedef enum { CAT_TAG_NONE, CAT_TAG_STRONG, CAT_TAG_WEAK } cat_tag_t;

/* A body that is made while it is sent, so that its length does not matter. Only one thread uses it. */
typedef struct cat_stream_t {
    /* Sets *data and *length to the next piece, which is valid until the next call. Sets *length to 0 when the body is
     * complete. If it returns a failure, which it has logged, the body ends, and the client sees that the body is
     * incomplete. */
    apr_status_t (*pull)(void *baton, const char **data, apr_size_t *length);
    /* Releases the resources of the stream. Called after the last piece, or earlier if the client is gone. */
    void (*close)(void *baton);
    void *baton;
} cat_stream_t;

/* An answer before it becomes an HTTP response; httpd/reply.c sends it. */
typedef struct cat_answer_t {
    int status;
    /* NULL if the answer has no body (204), or has a stream or a file. httpd omits the body of a 304. */
    const char *body;
    apr_size_t length;
    /* NULL if the answer has none. The stream keeps the database connection until it is closed. */
    const cat_stream_t *stream;
    const char *file; /* Path of a file that httpd sends as it sends any file. NULL if the answer has none. */
    const char *type; /* Content-Type. NULL means application/json. */
    int has_ranges;   /* True if clients may request ranges of the body. */
    cat_tag_t tag;
    apr_uint64_t hash; /* cat_etag_hash of the body, or 0 if it was not computed yet. */
    /* Quoted tag, or NULL if there is none. Unless the headers say otherwise, clients must revalidate the answer with
     * it. */
    const char *etag;
    /* True if the request body was refused for its form, so that the request counts against no limit. */
    int malformed;
    const char *limit; /* Name of the limit that refuses the request (http/rate_limit.h), or NULL if no limit does. */
    /* Row of a failure. NULL if the answer is no failure; then the next two members mean nothing. */
    const cat_problem_row_t *problem;
    const char *error;    /* `error` of the body, or NULL if the body has none. */
    apr_size_t words;     /* Bytes of the body before the members that follow `error`. */
    apr_table_t *headers; /* Headers other than ETag, Content-Type and Content-Length. NULL if there are none. */
} cat_answer_t;

/* Returns {success:true, data:<json>, message}. `data` is JSON text. If `data` or `message` is NULL, the member is left
 * out. */
cat_answer_t *cat_answer_success(apr_pool_t *pool, int status, const cat_buffer_t *data, const char *message);

/* Returns an answer whose whole body is the JSON text. The text must live as long as the answer. */
cat_answer_t *cat_answer_text(apr_pool_t *pool, int status, const char *body, apr_size_t length);

/* Returns a 200 whose body is made while it is sent. `type` is its Content-Type. */
cat_answer_t *cat_answer_stream(apr_pool_t *pool, const char *type, const cat_stream_t *stream);

/* Returns {success:false, message, error} with the texts of the problem's row. If `error` is not NULL, it replaces the
 * row's. */
cat_answer_t *cat_answer_problem(apr_pool_t *pool, cat_problem_t problem, const char *error);

/* Returns a failure with the list `errors` of a cat_input_t, as 400 "Validation failed" and 409 have it. `error`
 * summarizes the list. */
cat_answer_t *cat_answer_invalid(apr_pool_t *pool, cat_problem_t problem, const json_t *errors);

/* Writes the members status, message, error and errors of an object that reports a problem within an answer. `errors`
 * may be NULL. */
void cat_answer_write_problem(cat_buffer_t *b, cat_problem_t problem, const json_t *errors);

/* Adds a member to the body, which must be an object with at least one member. `name` must need no escapes; `value` is
 * JSON text. */
void cat_answer_add_member(apr_pool_t *pool, cat_answer_t *a, const char *name, const cat_buffer_t *value);

/* Adds a member to the body, as cat_answer_add_member does. `value` must contain no real numbers. */
void cat_answer_add_json(apr_pool_t *pool, cat_answer_t *a, const char *name, const json_t *value);

/* Returns 400 "Validation failed" for faults of several records, which are rows of a file or products. `error` names
 * the first of them: "row 3: price is required; row 5: it ...". `word` is the name for a record. `member` is the member
 * of an error that says which record the error is in, a text or a number. */
cat_answer_t *cat_answer_rows_invalid(apr_pool_t *pool, const char *word, const char *member, const json_t *errors);

/* Returns 400 "Validation failed" with `malformed` set. */
cat_answer_t *cat_answer_malformed(apr_pool_t *pool, const json_t *errors);

/* Returns the answer for a status that httpd or another module chose. It has the texts of the status's STATUS row, or
 * else the reason phrase as its message. `phrase` must live as long as the answer. */
cat_answer_t *cat_answer_status(apr_pool_t *pool, int status, const char *phrase);

/* Sets a header of the answer. `name` must be a literal, and `value` must live as long as the answer. Adds a header if
 * `name` is Set-Cookie, instead of replacing the one before it. */
void cat_answer_header(cat_answer_t *a, apr_pool_t *pool, const char *name, const char *value);

/* Sets a header in any table of headers, as cat_answer_header does. */
void cat_answer_put_header(apr_table_t *headers, const char *name, const char *value);

/* Names the unknown fields of a body, or the unknown parameters of a query, in the header Catalog-Ignored: separated by
 * commas, percent-encoded where a name is no token (RFC 9110 5.6.2), and at most 64 bytes of each name. `names` has
 * const char *. Sets no header if `names` is empty. */
void cat_answer_name_ignored(cat_answer_t *a, apr_pool_t *pool, const apr_array_header_t *names);

#endif
