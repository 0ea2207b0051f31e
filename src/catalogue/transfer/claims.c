/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which product has which unique value while a file is checked: a hash table of pairs of numbers, with open addressing.
 *
 *     a value                  ->  the product that has it; 0: a row gave it up
 *     a product and a field    ->  the value that it has; 0: none
 *
 * A row that takes a value frees the one that its product had: as if each row were stored before the next one is checked. So a value can
 * move from one product to another within a file, if the row that gives it up comes first.
 */
#include "catalogue/transfer/claims.h"

#include <stdlib.h>

#include "lib/hash.h"

#define FIRST_SIZE 1024 /* slots; a power of two */

typedef struct slot_t {
    apr_uint64_t key, value; /* key 0: it is empty */
} slot_t;

struct cat_claims_map_t {
    slot_t *slots;
    apr_size_t size, used;
};

static apr_status_t free_slots(void *data)
{
    free(((cat_claims_map_t *)data)->slots);
    return APR_SUCCESS;
}

static slot_t *allocate_slots(apr_size_t size)
{
    slot_t *slots = calloc(size, sizeof(*slots));

    if (!slots) {
        abort(); /* as APR does without memory */
    }
    return slots;
}

cat_claims_map_t *cat_claims_make(apr_pool_t *pool)
{
    cat_claims_map_t *claims = apr_pcalloc(pool, sizeof(*claims));

    claims->size = FIRST_SIZE;
    claims->slots = allocate_slots(FIRST_SIZE);
    apr_pool_cleanup_register(pool, claims, free_slots, apr_pool_cleanup_null);
    return claims;
}

/* The slot of the key, or the empty one where it would be. */
static slot_t *find_slot(const cat_claims_map_t *claims, apr_uint64_t key)
{
    apr_size_t at = (apr_size_t)key & (claims->size - 1);

    while (claims->slots[at].key && claims->slots[at].key != key) {
        at = (at + 1) & (claims->size - 1);
    }
    return &claims->slots[at];
}

static void grow_table(cat_claims_map_t *claims)
{
    cat_claims_map_t larger = {allocate_slots(2 * claims->size), 2 * claims->size, claims->used};

    for (apr_size_t i = 0; i < claims->size; i++) {
        if (claims->slots[i].key) {
            *find_slot(&larger, claims->slots[i].key) = claims->slots[i];
        }
    }
    free(claims->slots);
    *claims = larger;
}

static void set_pair(cat_claims_map_t *claims, apr_uint64_t key, apr_uint64_t value)
{
    slot_t *slot = find_slot(claims, key);

    claims->used += !slot->key;
    *slot = (slot_t){key, value};
    if (claims->used > claims->size / 2) {
        grow_table(claims);
    }
}

int cat_claims_owner(const cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t *product)
{
    const slot_t *slot = find_slot(claims, value);

    *product = slot->key ? slot->value : 0;
    return slot->key != 0;
}

apr_status_t cat_claims_take(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                             apr_uint64_t before, apr_uint64_t stored)
{
    const apr_uint64_t parts[] = {product, (apr_uint64_t)field + 1};
    apr_uint64_t holding = cat_hash((const char *)parts, sizeof(parts)), now, owner = 0;

    if (!cat_claims_owner(claims, holding, &now)) {
        now = before;
    }
    if (value == now) {
        return APR_SUCCESS;
    }
    if (value && !cat_claims_owner(claims, value, &owner)) {
        owner = stored;
    }
    if (owner && owner != product) {
        return APR_EEXIST;
    }
    if (now) {
        set_pair(claims, now, 0);
    }
    if (value) {
        set_pair(claims, value, product);
    }
    set_pair(claims, holding, value);
    return APR_SUCCESS;
}
