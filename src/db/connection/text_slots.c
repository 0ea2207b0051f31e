/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection/text_slots.h"

#include <apr_strings.h>
#include <string.h>

#include "lib/hash.h"

typedef struct slot_t {
    const char *text; /* NULL: the slot is free */
    apr_uint64_t hash;
    apr_uint64_t used; /* the use of the slots that was its last; 0: free */
    apr_pool_t *pool;  /* NULL: the slot was never taken */
} slot_t;

struct cat_text_slots_t {
    apr_pool_t *pool;
    apr_uint64_t uses;
    slot_t slots[CAT_TEXT_SLOTS];
};

cat_text_slots_t *cat_text_slots_make(apr_pool_t *pool)
{
    cat_text_slots_t *slots = apr_pcalloc(pool, sizeof(*slots));

    slots->pool = pool;
    return slots;
}

int cat_text_slots_find(cat_text_slots_t *slots, const char *text)
{
    apr_uint64_t hash = cat_hash(text, strlen(text));

    for (int i = 0; i < CAT_TEXT_SLOTS; i++) {
        slot_t *slot = &slots->slots[i];
        if (slot->hash == hash && slot->text && !strcmp(slot->text, text)) {
            slot->used = ++slots->uses;
            return i;
        }
    }
    return -1;
}

int cat_text_slots_choose(const cat_text_slots_t *slots)
{
    int oldest = 0;

    for (int i = 1; i < CAT_TEXT_SLOTS; i++) {
        if (slots->slots[i].used < slots->slots[oldest].used) {
            oldest = i;
        }
    }
    return oldest;
}

void cat_text_slots_free(cat_text_slots_t *slots, int slot)
{
    slot_t *s = &slots->slots[slot];

    s->text = NULL;
    s->used = 0;
    if (s->pool) {
        apr_pool_clear(s->pool);
    }
}

apr_pool_t *cat_text_slots_take(cat_text_slots_t *slots, int slot, const char *text)
{
    slot_t *s = &slots->slots[slot];

    cat_text_slots_free(slots, slot);
    if (!s->pool) {
        apr_pool_create(&s->pool, slots->pool);
    }
    s->text = apr_pstrdup(s->pool, text);
    s->hash = cat_hash(text, strlen(text));
    s->used = ++slots->uses;
    return s->pool;
}
