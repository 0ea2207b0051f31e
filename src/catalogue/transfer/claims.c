/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which product has which unique value while a file is checked: two hash tables of numbers, with open addressing.
 *
 *     pairs    a value                  ->  the product that has it; 0: a row gave it up
 *              a product and a field    ->  the value that it has; 0: none
 *     taken    a value                      of a product that no other row of the file is about
 *
 * A row that takes a value frees the one that its product had, as if each row were stored before the next one is checked. If another product still
 * has the value, the import asks for it again at the end of the file, because a later row may have freed it. Most rows of a long file create
 * products, whose values are only ever taken: eight bytes are enough for each of these values.
 */
#include "catalogue/transfer/claims.h"

#include <stdlib.h>

#include "lib/hash.h"

#define FIRST_SIZE 1024 /* places; a power of two */

#define UNNAMED (~(apr_uint64_t)0) /* the product of a value that is taken */

typedef struct table_t {
    apr_uint64_t *keys;   /* 0: the place is empty */
    apr_uint64_t *values; /* NULL: it has keys alone */
    apr_size_t size, used;
} table_t;

struct cat_claims_map_t {
    table_t pairs, taken;
};

static apr_uint64_t *allocate_numbers(apr_size_t size)
{
    apr_uint64_t *numbers = calloc(size, sizeof(*numbers));

    if (!numbers) {
        abort(); /* as APR does without memory */
    }
    return numbers;
}

static table_t make_table(apr_size_t size, int has_values)
{
    return (table_t){allocate_numbers(size), has_values ? allocate_numbers(size) : NULL, size, 0};
}

static void free_table(const table_t *table)
{
    free(table->keys);
    free(table->values);
}

/* The place of the key, or the empty one where it would be. */
static apr_size_t find_place(const table_t *table, apr_uint64_t key)
{
    apr_size_t at = (apr_size_t)key & (table->size - 1);

    while (table->keys[at] && table->keys[at] != key) {
        at = (at + 1) & (table->size - 1);
    }
    return at;
}

static void put_number(table_t *table, apr_uint64_t key, apr_uint64_t value)
{
    apr_size_t at = find_place(table, key);

    table->used += !table->keys[at];
    table->keys[at] = key;
    if (table->values) {
        table->values[at] = value;
    }
}

static void grow_table(table_t *table)
{
    table_t larger = make_table(2 * table->size, table->values != NULL);

    for (apr_size_t i = 0; i < table->size; i++) {
        if (table->keys[i]) {
            put_number(&larger, table->keys[i], table->values ? table->values[i] : 0);
        }
    }
    free_table(table);
    *table = larger;
}

static void set_number(table_t *table, apr_uint64_t key, apr_uint64_t value)
{
    put_number(table, key, value);
    if (table->used > table->size / 4 * 3) {
        grow_table(table);
    }
}

static apr_status_t free_claims(void *data)
{
    cat_claims_map_t *claims = data;

    free_table(&claims->pairs);
    free_table(&claims->taken);
    return APR_SUCCESS;
}

cat_claims_map_t *cat_claims_make(apr_pool_t *pool)
{
    cat_claims_map_t *claims = apr_palloc(pool, sizeof(*claims));

    *claims = (cat_claims_map_t){make_table(FIRST_SIZE, 1), make_table(FIRST_SIZE, 0)};
    apr_pool_cleanup_register(pool, claims, free_claims, apr_pool_cleanup_null);
    return claims;
}

static int find_pair(const table_t *pairs, apr_uint64_t key, apr_uint64_t *value)
{
    apr_size_t at = find_place(pairs, key);

    *value = pairs->keys[at] ? pairs->values[at] : 0;
    return pairs->keys[at] != 0;
}

int cat_claims_owner(const cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t *product)
{
    if (claims->taken.keys[find_place(&claims->taken, value)]) {
        *product = UNNAMED;
        return 1;
    }
    return find_pair(&claims->pairs, value, product);
}

/* The owner of the value, of which the database says `stored` if no row has been about it. */
static apr_uint64_t find_owner(const cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t stored)
{
    apr_uint64_t owner;

    return cat_claims_owner(claims, value, &owner) ? owner : stored;
}

apr_status_t cat_claims_add(cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t stored)
{
    if (find_owner(claims, value, stored)) {
        return APR_EEXIST;
    }
    set_number(&claims->taken, value, 0);
    return APR_SUCCESS;
}

static apr_uint64_t name_holding(apr_uint64_t product, int field)
{
    const apr_uint64_t parts[] = {product, (apr_uint64_t)field + 1};

    return cat_hash((const char *)parts, sizeof(parts));
}

static apr_status_t take_value(cat_claims_map_t *claims, apr_uint64_t product, apr_uint64_t value, apr_uint64_t stored)
{
    apr_uint64_t owner = find_owner(claims, value, stored);

    if (owner && owner != product) {
        return APR_EEXIST;
    }
    set_number(&claims->pairs, value, product);
    return APR_SUCCESS;
}

apr_status_t cat_claims_take(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                             apr_uint64_t before, apr_uint64_t stored)
{
    apr_uint64_t holding = name_holding(product, field), now, owner;

    if (!find_pair(&claims->pairs, holding, &now)) {
        now = before;
    }
    if (value == now) {
        return APR_SUCCESS;
    }
    if (now && (!cat_claims_owner(claims, now, &owner) || owner == product)) {
        set_number(&claims->pairs, now, 0);
    }
    set_number(&claims->pairs, holding, value);
    return value ? take_value(claims, product, value, stored) : APR_SUCCESS;
}

apr_status_t cat_claims_retry(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                              apr_uint64_t stored)
{
    apr_uint64_t now;

    return find_pair(&claims->pairs, name_holding(product, field), &now) && now != value
               ? APR_SUCCESS
               : take_value(claims, product, value, stored);
}
