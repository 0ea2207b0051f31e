/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_RULE_H
#define CAT_CATALOGUE_OWN_RULE_H

#include "lib/fields.h"

/* The rules of texts in fields of the shop's own. */

/* The forms of types, each in a file of its own: own_url.c. */
extern const cat_text_form_t cat_own_url, cat_own_date, cat_own_duration;

/* Returns a rule that accepts every text and only spells it as `rule` does. Returns NULL if `rule` leaves texts as they were sent. */
const cat_text_rule_t *cat_own_rule_spelling(const cat_text_rule_t *rule);

/* What the texts of one field must be; each may be NULL. */
typedef struct cat_own_limits_t {
    const cat_text_form_t *form;
    const char *const *words; /* the only texts; ends with NULL */
    const char *pattern;      /* a regular expression that the whole text must match */
} cat_own_limits_t;

/* *rule: on the pool; NULL: any text will do. NULL, or what is wrong with the pattern, in words for the administrator. */
const char *cat_own_rule_make(apr_pool_t *pool, const cat_own_limits_t *limits, const cat_text_rule_t **rule);

#endif
