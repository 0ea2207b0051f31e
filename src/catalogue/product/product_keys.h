/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCT_KEYS_H
#define CAT_CATALOGUE_PRODUCT_KEYS_H

#include <apr_tables.h>

#include "db/db.h"
#include "catalogue/product/registry.h"
#include "db/dialects/product.def"

#define CAT_PRODUCT_KEY(name, field, column, update, compare, ...)                                                     \
    CAT_PRODUCT_KEY_OF_##compare(CAT_PRODUCT_KEY_##name, )
#define CAT_PRODUCT_PART(name, field, column, update, compare, ...)                                                    \
    CAT_PRODUCT_KEY_OF_##compare(CAT_INDEX_##name = 1 << CAT_PRODUCT_KEY_##name, )
#define CAT_PRODUCT_KEY_OF_PLAIN(value, ...)
#define CAT_PRODUCT_KEY_OF_KEYED(value, ...) value,
#define CAT_PRODUCT_KEY_OF_NONE(value, ...)

/*
 * What is derived of a product for conditions, order and search: columns of products, and rows of product_words. Which
 * parts of it a mount keeps is what its CatalogIndex says.
 */

/* The derived columns, CAT_PRODUCT_KEY_NAME and so on, in the order of PRODUCT_KEY_COLUMNS (db/dialects/sql_fragments.h). */
enum { CAT_PRODUCT_TABLE(CAT_PRODUCT_KEY) CAT_PRODUCT_KEY_WORDS, CAT_PRODUCT_KEYS };

/* The parts, as bits: each has one column. Their names in CatalogIndex and in the database are in cat_product_keys_parts, in the same order. */
enum {
    CAT_PRODUCT_TABLE(CAT_PRODUCT_PART) /* CAT_INDEX_NAME and so on */
    CAT_INDEX_SEARCH = 1 << CAT_PRODUCT_KEY_WORDS,
    CAT_INDEX_ALL = (1 << CAT_PRODUCT_KEYS) - 1,
    CAT_INDEX_NEVER = 1 << CAT_PRODUCT_KEYS /* no part: of a field that nothing compares */
};
#define CAT_INDEX_PARTS CAT_PRODUCT_KEYS
extern const char *const cat_product_keys_parts[CAT_INDEX_PARTS];

/* The part that conditions on the field, and orders by it, read; 0: none; CAT_INDEX_NEVER: there are no such conditions and orders. */
int cat_product_keys_part(int field);

/* The value of cat_conf_t.index for a set of parts: the same address each time. */
const int *cat_product_keys_set(int parts);

/* Reads the words of CatalogIndex, separated by blanks; -1: one of them is no part. And writes them, on the pool. "none"
 * is the empty set. */
int cat_product_keys_read_set(const char *words);
const char *cat_product_keys_write_set(apr_pool_t *pool, int parts);

/* The parts that db's mount keeps: all, unless a configuration says otherwise. */
int cat_product_keys_kept(const cat_db_t *db);

#define CAT_PRODUCT_KEY_SIZE 800 /* octets of a name_key or category_key; a longer folded text is cut off */
#define CAT_PRODUCT_WORD_SIZE 64 /* octets of a word in product_words; a longer one is cut off */

#define CAT_PRODUCT_WORDS_SIZE 16000 /* octets of the column words; further words are not found */

/* In the column words, around the number of the field of the shop's own that has the word, before it: " :3:acme ". No word has this mark. */
#define CAT_PRODUCT_WORD_MARK ":"

/* Behind a word of a question that has to be a whole word of a product, as behind each word in the column words. */
#define CAT_PRODUCT_WORD_END " "

/* How product_words has a word of a question, or what begins with it: without that blank, and cut off. On the pool, or the word itself. */
const char *cat_product_keys_cut(apr_pool_t *pool, const char *word);
int cat_product_keys_is_whole(const char *word); /* has it that blank? */
int cat_product_keys_is_cut(const char *word);   /* may product_words have it for a longer word as well? */

/* ":3:", on the pool. */
const char *cat_product_keys_mark(apr_pool_t *pool, const char *number);

/* In the column words, a word of its own behind those of the name: " kettle red : tea ". */
#define CAT_PRODUCT_NAME_END ":"

/* In the column words, a word of its own behind one that is joined (lib/words.h): " a aspoon = spoon : tea ". */
#define CAT_PRODUCT_WORD_JOINED "="

/* Of a field, the text in which words are searched, on the pool or the value itself: of a list its texts, each in a line. */
const char *cat_product_keys_text(apr_pool_t *pool, const cat_field_t *field, const char *value);

/* values[CAT_PRODUCT_KEYS]: the columns of a product, a row (catalogue/product/product.h), on the pool; NULL: of a part that is not in
 * parts. registry: the words of its fields with `search` are behind those of name and category, each marked with the number of its
 * field, because who searches may not see them all. */
void cat_product_keys_make(apr_pool_t *pool, int parts, const cat_registry_t *registry, const char *const *product,
                           const char **values);

/* 1: the columns are the same. */
int cat_product_keys_match(const char *const *one, const char *const *other);

/* A word of a product, as product_words has it. */
typedef struct cat_product_word_t {
    const char *text;
    int in_name;   /* flag: the name has it */
    int is_joined; /* flag: no field has it but joined */
} cat_product_word_t;

/* The words of product_words for a value of the column words, as cat_product_word_t, sorted and distinct, on the pool. None
 * for NULL. */
apr_array_header_t *cat_product_keys_words(apr_pool_t *pool, const char *words);

/* Rows of product_words, and of product_keys, that are to be inserted together. */
typedef struct cat_product_postings_t {
    apr_array_header_t *products; /* with their words */
    apr_array_header_t *keys;     /* of cat_own_keys_collect */
    int are_new;                  /* flag: their ids are new, so product_words has no row of theirs */
} cat_product_postings_t;

cat_product_postings_t cat_product_keys_begin(apr_pool_t *pool);

/* Adds the words of one product, on the pool of the postings. words: of cat_product_keys_words. n: the number of the product. */
void cat_product_keys_add(const cat_product_postings_t *postings, const apr_array_header_t *words, const char *n);

int cat_product_keys_count(const cat_product_postings_t *postings);

/* Sorts the rows and inserts them, in a transaction that the caller has begun. Rows that are there already stay, unless are_new says that
 * there is none. */
apr_status_t cat_product_keys_insert(cat_db_t *db, const cat_product_postings_t *postings);

/* Deletes words of a product from product_words, in a transaction that the caller has begun. */
apr_status_t cat_product_keys_delete(cat_db_t *db, const apr_array_header_t *words, const char *n);

/* Makes product_words follow a change of the column words of one product, from before to after; either may be NULL. The
 * caller has begun a transaction. */
apr_status_t cat_product_keys_change(cat_db_t *db, const char *before, const char *after, const char *n);

#endif
