/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PATTERN_H
#define CAT_LIB_PATTERN_H

#include <apr_pools.h>

/* A regular expression (PCRE2) that a whole text must match. Any number of threads may use one at once. */
typedef struct cat_pattern_t cat_pattern_t;

/* Compiles it onto the pool. NULL, or what is wrong with it and where, in words for the administrator who wrote it. */
const char *cat_pattern_compile(apr_pool_t *pool, const char *expression, const cat_pattern_t **pattern);

typedef enum {
    CAT_PATTERN_MATCHES,
    CAT_PATTERN_DIFFERS,
    CAT_PATTERN_GIVES_UP /* the comparison would take too many steps, or too much memory */
} cat_pattern_outcome_t;

/* text: UTF-8. Takes a fraction of a second at most, whatever pattern and text are. */
cat_pattern_outcome_t cat_pattern_match(const cat_pattern_t *pattern, const char *text);

#endif
