/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_PATTERN_H
#define CAT_LIB_PATTERN_H

#include <apr_pools.h>

/* A regular expression (PCRE2) that must match a whole text. Several threads may use one at the same time. */
typedef struct cat_pattern_t cat_pattern_t;

/* Compiles the expression onto the pool. Returns NULL, or an error message with the position for the administrator. */
const char *cat_pattern_compile(apr_pool_t *pool, const char *expression, const cat_pattern_t **pattern);

typedef enum {
    CAT_PATTERN_MATCHES,
    CAT_PATTERN_DIFFERS,
    CAT_PATTERN_GIVES_UP /* the comparison exceeds its limits of steps or memory */
} cat_pattern_outcome_t;

/* Compares a UTF-8 text with the pattern. Takes a fraction of a second at most, for any pattern and text. */
cat_pattern_outcome_t cat_pattern_match(const cat_pattern_t *pattern, const char *text);

#endif
