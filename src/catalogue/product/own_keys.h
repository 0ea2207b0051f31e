/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_OWN_KEYS_H
#define CAT_CATALOGUE_OWN_KEYS_H

#include "catalogue/product/registry.h"

/*
 * What conditions, orders, facets and uniqueness need of fields of the shop's own: rows of product_keys and product_unique. Only
 * catalogue/product/products.c and the job that fills them in write these. A row of a product is that of catalogue/product/product.h.
 */

#define CAT_OWN_KEY_SIZE                                                                                               \
    400 /* octets of a key and of a value in product_keys; of a longer one, a part or a digest is there */

/*
 * The key and the exact value that product_keys has of a value of a field, on the pool. key: ordered as the values are, octet by octet:
 *
 *     texts      folded                          choices    the place in their list, "000", "001"
 *     numbers    16 hexadecimal digits           times, durations  the same
 *     booleans   "0", "1"                        lists      of each element, the exact text
 *
 * A choice that the list lacks is "~" and its SHA-256.
 *
 * value: the exact text if cat_own_keys_has_value; NULL for other fields, as the key says which value it is; of a row that value_counts counts, always
 * the exact text. text: as a record has it, of a list an element; NULL: the product lacks the field, and the key is "".
 */
const char *cat_own_keys_key(apr_pool_t *pool, const cat_fields_t *fields, int field, const char *text);
const char *cat_own_keys_value(apr_pool_t *pool, const cat_fields_t *fields, int field, const char *text);

/* Returns true if two different values of the field can have the same key: texts that are compared folded. */
int cat_own_keys_has_value(const cat_fields_t *fields, int field);

/* The same of product_unique: the text, or a digest of a long one. */
const char *cat_own_keys_unique(apr_pool_t *pool, const char *text);

/*
 * Of a pair (catalogue/product/own_fields.h): what the keys begin with that have the text as first value, and their exact value, NULL: they
 * have none; and the second part, of the key of a built-in field as a number, decimal.
 */
const char *cat_own_keys_pair_begin(apr_pool_t *pool, const cat_registry_t *registry, int pair, const char *text);
const char *cat_own_keys_pair_value(apr_pool_t *pool, const cat_registry_t *registry, int pair, const char *text);
const char *cat_own_keys_pair_second(apr_pool_t *pool, const char *bits);

/* Is the field one of the pair's? */
int cat_own_keys_is_of_pair(const cat_registry_t *registry, int pair, int field);

/* An empty array for rows of product_keys, on the pool. */
apr_array_header_t *cat_own_keys_begin(apr_pool_t *pool);

/* Adds the rows of a product, on the array's pool. pool: for what is needed meanwhile. */
void cat_own_keys_collect(apr_pool_t *pool, apr_array_header_t *rows, const cat_registry_t *registry,
                          const char *const *product);

/* Sorts such rows, inserts them, and counts their values (catalogue/product/value_counts.h), in a transaction that the caller has begun. */
apr_status_t cat_own_keys_insert(cat_db_t *db, apr_array_header_t *rows);

/* Takes a value of a unique field for a product, in its transaction. APR_EEXIST: another one has it, and the transaction can go on.
 * CAT_EFILLING: nobody knows, as the values of products that were there before are still being claimed. */
apr_status_t cat_own_keys_take(cat_db_t *db, const cat_registry_t *registry, int field, const char *text,
                               const char *id);

/* Have the products that were there before taken all their unique values? */
int cat_own_keys_are_claimed(const cat_registry_t *registry);

/*
 * A queue of unique values that another product still has when a transaction sets them, and that a later write of the transaction may free:
 *
 *     cat_own_keys_wait           begins the queue, on the pool: until it ends, cat_own_keys_reclaim and cat_own_keys_claim_all add such a value
 *                                 to it instead of returning APR_EEXIST
 *     db->waiting->writer         is stored with each value; the caller sets it before a write, and cat_own_keys_claim_all adds 1 for each product
 *     cat_own_keys_take_waiting   ends the queue and takes its values, in the order of the writes, so that of several products the first one gets
 *                                 a value. Adds a copy of each value that another product has (cat_waiting_value_t) to `refused`, and then
 *                                 returns APR_EEXIST
 *     db->waiting = NULL          ends the queue if the transaction is rolled back anyway
 *
 * The pool must live as long as the queue and `refused`.
 */
typedef struct cat_waiting_t {
    apr_pool_t *pool;
    apr_array_header_t *values;  /* cat_waiting_value_t *, in the order of the writes */
    struct apr_hash_t *by_owner; /* "FIELD ID" -> the value that the product waits for */
    int writer;
} cat_waiting_t;

typedef struct cat_waiting_value_t {
    const char *number; /* number of the field in the registry */
    const char *value;  /* as product_unique stores it */
    const char *id;     /* id of the product that waits for the value */
    int writer;         /* db->waiting->writer when the value was set */
    int is_over;        /* true if the product has given the value up again */
} cat_waiting_value_t;

void cat_own_keys_wait(cat_db_t *db, apr_pool_t *pool);
apr_status_t cat_own_keys_take_waiting(cat_db_t *db, apr_array_header_t *refused);

/* Returns true if the product waits for the value that it set in the field with this number in the registry. False without a queue. */
int cat_own_keys_is_waiting(const cat_db_t *db, const char *number, const char *id);

/* Takes the values of new products. APR_EEXIST: another one has one of those of products[*claimed]; the transaction is to be rolled back,
 * unless there is one product alone: then nothing is taken where the database has one writer at a time. */
apr_status_t cat_own_keys_claim_all(cat_db_t *db, const cat_registry_t *registry, const char *const *const *products,
                                    int count, int *claimed);

/* What changes if the product changes from the row before to the row after: first the unique values, where before is NULL of a new product;
 * APR_EEXIST, CAT_EFILLING: as above. */
apr_status_t cat_own_keys_reclaim(cat_db_t *db, const cat_registry_t *registry, const char *const *before,
                                  const char *const *after);
apr_status_t cat_own_keys_change(cat_db_t *db, const cat_registry_t *registry, const char *const *before,
                                 const char *const *after);

/* A row of product_keys, of a product and a field. */
typedef struct cat_own_key_t {
    const char *key, *value; /* value NULL: it has none */
    int is_counted;
} cat_own_key_t;

/* Are these the rows of the field that the product should have? keys: cat_own_key_t; NULL: none. */
int cat_own_keys_match(apr_pool_t *pool, const cat_registry_t *registry, int field, const char *const *product,
                       const apr_array_header_t *keys);

/* Claims the value of one field anew and adds its rows to the array, for a product that may have them; has_keys 0: product_keys has none.
 * APR_EEXIST: another product has the value; the rows are added all the same. */
apr_status_t cat_own_keys_renew(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *product,
                                int has_keys, apr_array_header_t *rows);

/* Claims the value of one field for a product that was there before. APR_EEXIST: another one has it. */
apr_status_t cat_own_keys_claim(cat_db_t *db, const cat_registry_t *registry, int field, const char *const *product);

/* Deletes the keys and the unique values of the product with the number n. id: NULL if no product has the number any more. */
apr_status_t cat_own_keys_delete(cat_db_t *db, const cat_registry_t *registry, const char *n, const char *id);

/* *id: the product that has the value of the unique field, on the pool of db. APR_NOTFOUND: none. number: of the registry. */
apr_status_t cat_own_keys_find(cat_db_t *db, const char *number, const char *text, const char **id);

/* *is_there: whether a product other than the one with the id has the value. id NULL: whether any has. */
apr_status_t cat_own_keys_find_other(cat_db_t *db, const char *number, const char *text, const char *id, int *is_there);

/* The same of up to CAT_OWN_KEYS_FOUND texts, NULL: of none. ids: of each, NULL: no product has it. */
#define CAT_OWN_KEYS_FOUND 100
apr_status_t cat_own_keys_find_many(cat_db_t *db, const char *number, const char *const *texts, int count,
                                    const char **ids);

#endif
