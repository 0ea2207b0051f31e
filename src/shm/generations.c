/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/generations.h"

#include <string.h>

#include "lib/hash.h"

#define DATABASES 64
#define STRIPES 32768

/* A writer who commits for longer than this has died in it. Fewer seconds would take a slow disk for a death, which costs the
 * tickets; more would leave them unused for longer. */
#define PATIENCE apr_time_from_sec(1)

struct cat_generations_t {
    apr_uint64_t name; /* hash; 0: free */
    apr_uint64_t seen;
    apr_time_t committing; /* since; 0: nobody is. Writers take turns, so there is one at most */
    apr_uint64_t epoch;
    apr_uint64_t lists;
    apr_uint64_t products[STRIPES];
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

static apr_uint64_t load(const apr_uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void increment(apr_uint64_t *word)
{
    __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL);
}

static unsigned stripe_of(const char *id)
{
    return cat_hash(id, strlen(id)) % STRIPES;
}

cat_ticket_t cat_generations_draw(const cat_generations_t *fresh, const char *id)
{
    cat_ticket_t ticket = {.epoch = load(&fresh->epoch)};

    ticket.generation = load(id ? &fresh->products[stripe_of(id)] : &fresh->lists);
    return ticket;
}

void cat_generations_mark(cat_generations_t *fresh, const char *id)
{
    if (id) {
        increment(&fresh->products[stripe_of(id)]);
    }
    increment(&fresh->lists);
}

void cat_generations_forget(cat_generations_t *fresh)
{
    increment(&fresh->epoch);
}

apr_uint64_t cat_generations_seen(const cat_generations_t *fresh)
{
    return load(&fresh->seen);
}

/* The epoch comes first: who finds the state seen finds the new epoch as well. */
static int see(cat_generations_t *fresh, apr_uint64_t seen, apr_uint64_t state)
{
    cat_generations_forget(fresh);
    return __atomic_compare_exchange_n(&fresh->seen, &seen, state, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int is_committing(const cat_generations_t *fresh)
{
    apr_time_t since = __atomic_load_n(&fresh->committing, __ATOMIC_ACQUIRE);
    apr_time_t now = since ? apr_time_now() : 0;

    return since && since <= now && now - since < PATIENCE;
}

/* Who made the state says so after it has changed `seen`. So where nobody is committing and `seen` is what it was, nobody of us
 * made it. */
int cat_generations_settle(cat_generations_t *fresh, apr_uint64_t seen, apr_uint64_t state)
{
    return !is_committing(fresh) && load(&fresh->seen) == seen && see(fresh, seen, state);
}

void cat_generations_begin(cat_generations_t *fresh, apr_uint64_t before)
{
    apr_uint64_t seen = load(&fresh->seen);

    if (seen != before) {
        see(fresh, seen, before);
    }
}

void cat_generations_commit(cat_generations_t *fresh)
{
    __atomic_store_n(&fresh->committing, apr_time_now(), __ATOMIC_SEQ_CST);
}

void cat_generations_end(cat_generations_t *fresh, apr_uint64_t before, apr_uint64_t after)
{
    if (after != before) {
        __atomic_compare_exchange_n(&fresh->seen, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
    __atomic_store_n(&fresh->committing, 0, __ATOMIC_RELEASE);
}
