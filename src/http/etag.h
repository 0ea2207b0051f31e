/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_ETAG_H
#define CAT_HTTP_ETAG_H

#include "http/answer.h"

/* Entity tags and the conditions that name them (RFC 9110 8.8.3 and 13). Conditions on times are ignored, because no
 * resource has a Last-Modified. */

/* If-Match and If-None-Match; NULL: not sent. */
typedef struct cat_conditions_t {
    const char *match;
    const char *none_match;
} cat_conditions_t;

/* The number that a tag of these octets is made of, the same on every server; never 0. */
apr_uint64_t cat_etag_hash(const char *body, apr_size_t length);

/* The tag of these octets; weak: as W/"...". On the pool. */
const char *cat_etag_make(apr_pool_t *pool, const char *body, apr_size_t length, int weak);

typedef enum { CAT_CONDITION_HOLDS, CAT_IF_MATCH_FAILS, CAT_IF_NONE_MATCH_FAILS } cat_condition_t;

/* Do the conditions hold for a resource with this tag of cat_etag_make? A tag with a suffix that a filter of httpd
 * added, such as mod_deflate's "-gzip", counts as the same. */
cat_condition_t cat_etag_judge(const cat_conditions_t *conditions, const char *tag);

/* The same for a resource with two representations, of which the client may have either. other: NULL: it has one. */
cat_condition_t cat_etag_judge_either(const cat_conditions_t *conditions, const char *tag, const char *other);

/* Sets the etag of the answer to a GET or HEAD, if it is a 200 with a tag, and applies the conditions: returns the
 * answer, the same as a 304, or a 412. */
cat_answer_t *cat_etag_apply(apr_pool_t *pool, cat_answer_t *answer, const cat_conditions_t *conditions);

#endif
