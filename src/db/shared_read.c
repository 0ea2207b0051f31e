/* SPDX-License-Identifier: Apache-2.0 */
#include "db/shared_read.h"

#include <apr_strings.h>

#include "db/pool/checkout.h"

/* What a thread wants, on its stack. While the thread sleeps, the leader uses its pool and writes the text and rv. */
typedef struct wish_t {
    cat_group_item_t item; /* first: a list of items is a list of wishes */
    apr_pool_t *pool;
    cat_item_t *text;
    apr_status_t rv;
} wish_t;

static wish_t *next_wish(const wish_t *wish)
{
    return (wish_t *)wish->item.next;
}

static void copy_text(const wish_t *leader, wish_t *wish)
{
    wish->rv = leader->rv;
    if (leader->rv == APR_SUCCESS) {
        wish->text->body = apr_pmemdup(wish->pool, leader->text->body, leader->text->length);
        wish->text->length = leader->text->length;
        wish->text->hash = leader->text->hash;
    }
}

/* A connection that hangs holds up all threads that its leader has collected. So these are no more than there may be
 * connections. The connection is given back before a thread that needs one is woken. */
static void lead_wishes(cat_db_t *db, wish_t *own, cat_work_t *read, void *baton)
{
    cat_group_collect(db->use->source->texts, &own->item, db->conf->max_connections);
    own->rv = read(baton);
    cat_db_release(db);
    for (wish_t *wish = next_wish(own); wish; wish = next_wish(wish)) {
        copy_text(own, wish);
    }
    cat_group_leave(db->use->source->texts, &own->item);
}

apr_status_t cat_shared_read(cat_db_t *db, cat_item_t *item, cat_work_t *read, void *baton)
{
    wish_t own = {.item.key = item->key, .pool = db->pool, .text = item};

    switch (
        cat_checkout_join(db, db->use->source->texts, &own.item, apr_time_now() + db->use->source->leader_patience)) {
    case CAT_GROUP_WAITING:
        return read(baton);
    case CAT_GROUP_LEADER:
        lead_wishes(db, &own, read, baton);
        break;
    case CAT_GROUP_DONE:
        break;
    }
    return own.rv;
}
