/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that tell whether an answer in the response cache still matches the database.
 *
 * Each database has an epoch, a generation for its lists, and 32,768 generations for products; the hash of a product's
 * id selects one of these. All counters only increase. A stamp consists of the epoch and one generation. An answer is
 * valid while its stamp equals the current stamp.
 *
 *     event                                              counters that increase
 *     this server created a product                      lists
 *     this server updated or deleted a product           the product's generation, lists
 *     an unknown change of the database                  epoch
 *
 * SQLite has a number of its own that every commit changes (db/sqlite/wal_index.h). The stamp of a SQLite database is
 * the epoch and that number.
 */
#include "shm/generations.h"

#include <string.h>

#include "lib/hash.h"
#include "shm/shared.h"

#define DATABASES 64
#define STRIPES 32768

struct cat_generations_t {
    apr_uint64_t name; /* hash of the name; 0 if the slot is free; only the parent process accesses it */
    cat_shared_word_t epoch;
    cat_shared_word_t lists;
    cat_shared_word_t products[STRIPES];
};

apr_size_t cat_generations_size(void)
{
    return DATABASES * sizeof(cat_generations_t);
}

cat_generations_t *cat_generations_find(void *memory, const char *name)
{
    apr_uint64_t hash = cat_hash(name, strlen(name)); /* unkeyed, because the administrator chooses the names */
    cat_generations_t *all = memory;

    for (int i = 0; i < DATABASES; i++) {
        if (all[i].name == 0 || all[i].name == hash) {
            all[i].name = hash;
            return &all[i];
        }
    }
    return NULL;
}

static void increment_word(cat_shared_word_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_acq_rel);
}

static unsigned stripe_of(const char *id)
{
    return cat_hash(id, strlen(id)) % STRIPES;
}

cat_stamp_t cat_generations_read(const cat_generations_t *generations, const char *id)
{
    cat_stamp_t stamp = {.epoch = cat_shared_acquire(&generations->epoch)};

    stamp.generation = cat_shared_acquire(id ? &generations->products[stripe_of(id)] : &generations->lists);
    return stamp;
}

void cat_generations_invalidate(cat_generations_t *generations, const char *id)
{
    if (id) {
        increment_word(&generations->products[stripe_of(id)]);
    }
    increment_word(&generations->lists);
}

void cat_generations_invalidate_all(cat_generations_t *generations)
{
    increment_word(&generations->epoch);
}
