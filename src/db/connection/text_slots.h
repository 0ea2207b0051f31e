/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_TEXT_SLOTS_H
#define CAT_DB_CONNECTION_TEXT_SLOTS_H

#include <apr_pools.h>

/*
 * Where a connection keeps the statements whose texts are made at run time: each has a slot, and the owner of the slots
 * keeps what belongs to the statement by the slot's number. When all slots are taken, a new text takes the one that was
 * used least recently. Used by the thread that has the connection.
 */
#define CAT_TEXT_SLOTS 64

typedef struct cat_text_slots_t cat_text_slots_t;

/* Empty slots, on the pool. */
cat_text_slots_t *cat_text_slots_make(apr_pool_t *pool);

/* The slot of the text, which counts as used now; -1: it has none. */
int cat_text_slots_find(cat_text_slots_t *slots, const char *text);

/* The slot that the next new text should take: one that is free, or else the one used least recently. */
int cat_text_slots_choose(const cat_text_slots_t *slots);

/* Gives the slot to the text, which is copied. Returns the slot's pool, cleared: what the last text had on it is gone. */
apr_pool_t *cat_text_slots_take(cat_text_slots_t *slots, int slot, const char *text);

/* Frees the slot and clears its pool. */
void cat_text_slots_free(cat_text_slots_t *slots, int slot);

#endif
