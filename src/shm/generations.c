/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database's memory of what has changed. Each answer is stamped with two numbers, which must still be the same when it is used:
 *
 *     epoch        of all answers: another program has written, or nobody knows what has happened
 *     generation   of lists, or of the products whose ids have the same hash, 32,768 of them: this server has written
 *
 * Where the database tells its state (SQLite), `seen` is the last one that is this server's own doing. A state that differs is another
 * program's, unless a writer of this server is between its commit and the note of it (`committing`).
 */
#include "shm/generations.h"

#include <string.h>

#include "lib/hash.h"
#include "shm/shared.h"

#define DATABASES 64
#define STRIPES 32768

/* A writer that commits for longer than this is taken for killed. A shorter time would take a slow disk for that, which invalidates
 * everything; a longer one would leave the cache unused for longer. */
#define PATIENCE apr_time_from_sec(1)

struct cat_generations_t {
    apr_uint64_t name; /* hash; 0: free. Only the parent touches it */
    cat_shared_word_t seen;
    cat_shared_time_t committing; /* since; 0: no writer is. One at most is, under the write lock */
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
    apr_uint64_t hash = cat_hash(name, strlen(name)); /* the administrator chooses the names */
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

apr_uint64_t cat_generations_seen(const cat_generations_t *generations)
{
    return cat_shared_acquire(&generations->seen);
}

static int replace_seen(cat_generations_t *generations, apr_uint64_t seen, apr_uint64_t state)
{
    return atomic_compare_exchange_strong_explicit(&generations->seen, &seen, state, memory_order_acq_rel,
                                                   memory_order_acquire);
}

/* The epoch comes first: a reader that finds the new `seen` finds the new epoch as well. */
static int start_epoch(cat_generations_t *generations, apr_uint64_t seen, apr_uint64_t state)
{
    cat_generations_invalidate_all(generations);
    return replace_seen(generations, seen, state);
}

static int is_committing(const cat_generations_t *generations)
{
    apr_time_t since = atomic_load_explicit(&generations->committing, memory_order_acquire);
    apr_time_t now = since ? apr_time_now() : 0;

    return since && since <= now && now - since < PATIENCE;
}

/* A local writer updates `seen` before it clears `committing`: if neither shows one, the commit was foreign. */
int cat_generations_adopt(cat_generations_t *generations, apr_uint64_t seen, apr_uint64_t state)
{
    return !is_committing(generations) && cat_shared_acquire(&generations->seen) == seen &&
           start_epoch(generations, seen, state);
}

int cat_generations_begin(cat_generations_t *generations, apr_uint64_t before)
{
    apr_uint64_t seen = cat_shared_acquire(&generations->seen);

    return seen != before && start_epoch(generations, seen, before);
}

/* A reader that sees the commit must see this store: the database makes the commit visible after it. */
void cat_generations_commit(cat_generations_t *generations)
{
    atomic_store_explicit(&generations->committing, apr_time_now(), memory_order_seq_cst);
}

void cat_generations_end(cat_generations_t *generations, apr_uint64_t before, apr_uint64_t after)
{
    if (after != before) {
        replace_seen(generations, before, after);
    }
    atomic_store_explicit(&generations->committing, 0, memory_order_release);
}
