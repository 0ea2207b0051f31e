/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CONDITIONS_H
#define CAT_CATALOGUE_CONDITIONS_H

#include "catalogue/query/query.h"
#include "catalogue/search/select_text.h"

/* Writes the conditions of a list as SQL, on the product that the text reads (cat_select_text_read_from). */

/* Reads what the database knows of the fields that the list reads keys or words of; all texts of the transaction go by that.
 * CAT_EFILLING: some of these keys are being filled in. */
apr_status_t cat_conditions_prepare(cat_db_t *db, const cat_list_query_t *query);

/* Have all products the keys and words that the list reads? */
int cat_conditions_are_filled(const cat_registry_t *registry, const cat_list_query_t *query);

/* The column that orders a built-in field and that its folded values are compared with: "name_key", "n", ... */
const char *cat_conditions_column(int field);

/* Is that of the field one of numbers? */
int cat_conditions_is_number(int field);

/* Adds the same of any field, of the product: "p.name_key", or a subselect. */
void cat_conditions_add_key(cat_select_text_t *s, int field);

/* Adds the condition that a row of product_keys, under this name, is one of the field. */
void cat_conditions_add_field(cat_select_text_t *s, const char *name, int field);

/* " = ", " < ", ... */
const char *cat_conditions_operator(cat_operator_t op);

/* Adds the comparison of the product's time, in milliseconds, as one of its number. op: CAT_EQ, CAT_NE, or one of the order. */
void cat_conditions_add_time(cat_select_text_t *s, cat_operator_t op, apr_int64_t time);

/* Adds one condition, in full. */
void cat_conditions_add(cat_select_text_t *s, const cat_query_condition_t *condition);

/* Adds one condition with one value on the key in keys.value_key, in full: of a list, that the row is of such an element. */
void cat_conditions_add_walked(cat_select_text_t *s, const cat_query_condition_t *condition);

/* Adds what an index on the field's column, or on category, can find of the condition: all that meet it, and perhaps
 * others. Of a field of the shop's own, on the key in keys.value_key. 0, and nothing added: no index finds it. */
int cat_conditions_add_for_index(cat_select_text_t *s, const cat_query_condition_t *condition);

/* Does an index find something of it? */
int cat_conditions_is_indexed(const cat_fields_t *fields, const cat_query_condition_t *condition);

/* Is the field of the shop's own, and a list? Then a product may have several keys of it, or none. */
int cat_conditions_is_list(const cat_fields_t *fields, int field);

/* Adds the same of a row of product_keys under this name: that it is one of the field, with the value. */
void cat_conditions_add_value(cat_select_text_t *s, const char *name, const cat_query_condition_t *condition);

/* Adds the same of a row of the pair, of the registry, with the value as the first one. */
void cat_conditions_add_pair(cat_select_text_t *s, int pair, const cat_query_value_t *value);

/* What a select finds by itself: of the conditions a set, in which bit i is the query's conditions[i]. */
_Static_assert(2 * CAT_QUERY_CONDITIONS_MAX <= 64, "each condition of a query has its bit");
typedef struct cat_found_t {
    apr_uint64_t conditions;
    const char *words[2];
} cat_found_t;

/* Adds all other conditions and words of the query. */
void cat_conditions_add_all(cat_select_text_t *s, const cat_list_query_t *query, const cat_found_t *found);

/* The first text, in the order of octets, that does not begin with the prefix and is above those that do; on the pool.
 * NULL: there is none. */
const char *cat_conditions_end_of_prefix(apr_pool_t *pool, const char *prefix);

#endif
