/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_ANSWER_H
#define CAT_HTTP_ANSWER_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

#include "http/problem.h"
#include "lib/buffer.h"

/* Which ETag a 200 gets; see http/etag.h. */
typedef enum { CAT_TAG_NONE, CAT_TAG_STRONG, CAT_TAG_WEAK } cat_tag_t;

/* A body that is made while it is sent, so that its length does not matter. Used by one thread. */
typedef struct cat_stream_t {
    /* The next piece, valid until the next call; length 0: the body is complete. A failure, which has been logged, ends
     * the body: the client then sees that it is incomplete. */
    apr_status_t (*pull)(void *baton, const char **data, apr_size_t *length);
    /* Gives back what the stream holds: after the last piece, or before, when the client is gone. */
    void (*close)(void *baton);
    void *baton;
} cat_stream_t;

/* An answer before it becomes HTTP; httpd/reply.c sends it. */
typedef struct cat_answer_t {
    int status;
    const char *body; /* NULL: none (204), or the stream. httpd omits that of a 304 */
    apr_size_t length;
    const cat_stream_t *stream; /* NULL: none. It keeps the connection to the database until it is closed */
    const char *file;           /* NULL: none. A path, of a file that httpd sends as it sends any */
    const char *type;           /* Content-Type; NULL: application/json */
    int has_ranges;             /* flag: clients may ask for parts of the body */
    cat_tag_t tag;
    apr_uint64_t hash; /* cat_etag_hash of the body; 0: not computed yet */
    const char *etag; /* quoted; unless headers say otherwise, clients must revalidate the answer with it. NULL: none */
    int malformed;    /* flag: the request body was refused for its form, so the request counts against no limit */
    const char *limit; /* the name of the limit that refuses the request (http/rate_limit.h); NULL: none does */
    const cat_problem_row_t *problem; /* of a failure; NULL: it is none. Then: */
    const char *error;                /* as in the body; NULL: none */
    apr_size_t words;                 /* octets of the body up to the members that follow `error` */
    apr_table_t *headers;             /* more than ETag, Content-Type and Content-Length; NULL: none */
} cat_answer_t;

/* {success:true, data:<json>, message}. message NULL: without. data: JSON text, or NULL: without. */
cat_answer_t *cat_answer_success(apr_pool_t *pool, int status, const cat_buffer_t *data, const char *message);

/* JSON text that is a whole body by itself. */
cat_answer_t *cat_answer_text(apr_pool_t *pool, int status, const char *body, apr_size_t length);

/* A 200 whose body is made while it is sent. type: its Content-Type. */
cat_answer_t *cat_answer_stream(apr_pool_t *pool, const char *type, const cat_stream_t *stream);

/* {success:false, message, error} with the words of the problem's row. error NULL: the row's. */
cat_answer_t *cat_answer_problem(apr_pool_t *pool, cat_problem_t problem, const char *error);

/* The same with the list `errors` (cat_input_t's), as 400 "Validation failed" and 409 have it. */
cat_answer_t *cat_answer_invalid(apr_pool_t *pool, cat_problem_t problem, const json_t *errors);

/* The members status, message, error and errors of an object that reports a problem within an answer; errors may be
 * NULL. */
void cat_answer_write_problem(cat_buffer_t *b, cat_problem_t problem, const json_t *errors);

/* Adds a member to the body, which has one already. name: needs no escapes; value: JSON text. */
void cat_answer_add_member(apr_pool_t *pool, cat_answer_t *a, const char *name, const cat_buffer_t *value);

/* The same of a value without real numbers. */
void cat_answer_add_json(apr_pool_t *pool, cat_answer_t *a, const char *name, const json_t *value);

/* 400 "Validation failed" for faults of several records, rows of a file or products: `error` names the first of them, "row 3: price is
 * required; row 5: it ...". word: what a record is called; member: of an error, the text or number that says which record it is. */
cat_answer_t *cat_answer_rows_invalid(apr_pool_t *pool, const char *word, const char *member, const json_t *errors);

/* 400 "Validation failed" that sets malformed. */
cat_answer_t *cat_answer_malformed(apr_pool_t *pool, const json_t *errors);

/* The answer to a status that httpd or another module chose: with the words of its STATUS row, or with its reason
 * phrase as the message. phrase lives as long as the answer. */
cat_answer_t *cat_answer_status(apr_pool_t *pool, int status, const char *phrase);

/* Sets a header of the answer; name is a literal, value lives as long as the answer. Each Set-Cookie is one more. */
void cat_answer_header(cat_answer_t *a, apr_pool_t *pool, const char *name, const char *value);

/* The same in any table of headers. */
void cat_answer_put_header(apr_table_t *headers, const char *name, const char *value);

/* Names the unknown fields of a body, or the unknown parameters of a query, in `Catalog-Ignored`: separated by commas,
 * percent-encoded where a name is no token (RFC 9110 5.6.2), at most 64 octets of each. names: const char *; empty: no
 * header. */
void cat_answer_name_ignored(cat_answer_t *a, apr_pool_t *pool, const apr_array_header_t *names);

#endif
