/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SELECT_TEXT_H
#define CAT_CATALOGUE_SELECT_TEXT_H

#include <apr_tables.h>

#include "catalogue/product/registry.h"
#include "db/db.h"
#include "lib/buffer.h"

/*
 * The text of a select while it is written, with the values of its placeholders. All that depends on the database is in
 * its dialect (db/dialects/dialect.h, `syntax`), so that no other file of the catalogue knows which database it is. Pieces are
 * added in the order of the text.
 */
typedef struct cat_select_text_t {
    const cat_dialect_t *dialect;
    cat_buffer_t text;
    apr_array_header_t *values; /* const char * */
    int conditions;             /* since the last cat_select_text_begin_where */
    int leaves_choice;          /* flag: several indexes can answer it, and which is best depends on the values */
    int merges;                 /* flag: it joins two lists in the order of time, which are read side by side */

    /* The fields of the mount, and what the database knows of the shop's own; NULL: there are only built-in ones. */
    const cat_fields_t *fields;
    const cat_registry_t *registry;

    /* Where conditions and orders find a product: the table with its time and its id, the one with its other columns, and the field whose
     * keys are in keys.value_key; 0: none. */
    const char *keys, *products;
    int own;
} cat_select_text_t;

/* An empty text, on the pool; or for the database of db, on its pool. */
void cat_select_text_init(cat_select_text_t *s, apr_pool_t *pool, const cat_dialect_t *dialect);
void cat_select_text_begin(cat_select_text_t *s, const cat_db_t *db);

/* What such a text knows of the fields of the shop's own: what its transaction goes by; NULL: nothing was read yet. */
const cat_registry_t *cat_select_text_registry(const cat_db_t *db);

/* Adds texts, of the source only; the last argument is NULL. */
void cat_select_text_add(cat_select_text_t *s, ...) __attribute__((sentinel));

/* Adds a number. */
void cat_select_text_add_number(cat_select_text_t *s, apr_int64_t number);

/* Adds a placeholder; the value stays the caller's, and must live until the select has run. */
void cat_select_text_add_value(cat_select_text_t *s, const char *value);
/* The same for a value that is compared with a column of numbers: decimal text, or a number, on the text's pool. */
void cat_select_text_add_integer(cat_select_text_t *s, const char *value);
void cat_select_text_add_row_integer(cat_select_text_t *s, const char *value); /* within a row value */
void cat_select_text_add_octets(cat_select_text_t *s, const char *value);      /* compared with a column of octets */
void cat_select_text_add_key(cat_select_text_t *s, apr_int64_t key);

/* Says where the product is that is written about from here on, see above; at first it is p. */
void cat_select_text_read_from(cat_select_text_t *s, const char *keys, const char *products, int own);

/* Adds "product_keys", under another name, read by its index by product, or else by its primary key. */
void cat_select_text_add_keys(cat_select_text_t *s, const char *name, int is_by_product);

/* Adds "products p", read by the index alone; NULL: the database chooses. */
void cat_select_text_add_products(cat_select_text_t *s, const char *index);

/* Begins the conditions of a select, of which there may be none; adds " WHERE " before its first condition, " AND "
 * before each of the others. */
void cat_select_text_begin_where(cat_select_text_t *s);
void cat_select_text_add_condition(cat_select_text_t *s);

/* Adds the condition that the column of p has a value; column NULL: nothing. */
void cat_select_text_add_not_null(cat_select_text_t *s, const char *column);

/* Do products have words of fields that q does not look into, because the mount does not have them, or readers do not see them? Then
 * only the words of p tell whether a product is found; its postings do not. */
int cat_select_text_hides_words(const cat_select_text_t *s);

/* Adds the comparison: the words of p that q looks into contain a word that begins with this one, or with one of the others up to a NULL,
 * unless there are none (NULL). */
void cat_select_text_add_word(cat_select_text_t *s, const char *word, const char *const *others);

/* The same of the words of p's name only. */
void cat_select_text_add_word_of_name(cat_select_text_t *s, const char *word, const char *const *others);

/* Adds a condition that is met wherever cat_select_text_add_word is, and sooner: the words of p have the word somewhere. Nothing, where the
 * others do not all contain it, or are few. */
void cat_select_text_add_part(cat_select_text_t *s, const char *word, const char *const *others);

/* Runs it. Contract of cat_db_each. */
apr_status_t cat_select_text_run(cat_select_text_t *s, cat_db_t *db, cat_row_t *row, void *baton);

#endif
