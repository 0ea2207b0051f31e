/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CONDITIONS_H
#define CAT_CATALOGUE_CONDITIONS_H

#include "catalogue/query/query.h"
#include "catalogue/search/select_text.h"

/* Writes the conditions of a list as SQL, on the columns of products p. */

/* The column that orders a field and that its folded values are compared with: "name_key", "created_at", ... */
const char *cat_conditions_column(int field);

/* Is the column one of numbers? */
int cat_conditions_is_number(int field);

/* Adds one condition, in full. */
void cat_conditions_add(cat_select_text_t *s, const cat_query_condition_t *condition);

/* Adds what an index on the field's column, or on category, can find of the condition: all that meet it, and perhaps
 * others. 0, and nothing added: no index finds it. */
int cat_conditions_add_for_index(cat_select_text_t *s, const cat_query_condition_t *condition);

/* Does an index find something of it? */
int cat_conditions_is_indexed(const cat_query_condition_t *condition);

/* Adds all conditions and words of the query; but for one condition and two words, which may be NULL. */
void cat_conditions_add_all(cat_select_text_t *s, const cat_list_query_t *query, const cat_query_condition_t *except,
                            const char *except_word, const char *except_second);

/* The first text, in the order of octets, that does not begin with the prefix and is above those that do; on the pool.
 * NULL: there is none. */
const char *cat_conditions_end_of_prefix(apr_pool_t *pool, const char *prefix);

#endif
