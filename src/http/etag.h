/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_ETAG_H
#define CAT_HTTP_ETAG_H

#include "http/answer.h"

/* Entity tags and the conditions that name them (RFC 9110 8.8.3 and 13). Conditions on times are ignored, because no
 * resource has a Last-Modified. */

/* If-Match and If-None-Match. A member is NULL if the header was not sent. */
typedef struct cat_conditions_t {
    const char *match;
    const char *none_match;
} cat_conditions_t;

/* Returns the hash from which a tag of these bytes is made. It is the same on every server, and never 0. */
apr_uint64_t cat_etag_hash(const char *body, apr_size_t length);

/* Returns the tag of these bytes, on the pool. If `weak` is true, the tag has the form W/"...". */
const char *cat_etag_make(apr_pool_t *pool, const char *body, apr_size_t length, int weak);

typedef enum { CAT_CONDITION_HOLDS, CAT_IF_MATCH_FAILS, CAT_IF_NONE_MATCH_FAILS } cat_condition_t;

/* Checks the conditions for a resource with this tag of cat_etag_make. A tag to which a filter of httpd has added a
 * suffix, such as mod_deflate's "-gzip", counts as the same tag. */
cat_condition_t cat_etag_judge(const cat_conditions_t *conditions, const char *tag);

/* Checks the conditions for a resource with two representations, of which the client may have either. `other` is NULL
 * if the resource has only one. */
cat_condition_t cat_etag_judge_either(const cat_conditions_t *conditions, const char *tag, const char *other);

/* Sets the ETag of the answer to a GET or HEAD, if the answer is a 200 with a kind of tag, and applies the conditions.
 * Returns the answer, which may have become a 304, or a new 412. */
cat_answer_t *cat_etag_apply(apr_pool_t *pool, cat_answer_t *answer, const cat_conditions_t *conditions);

#endif
