/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_RECALL_H
#define CAT_CATALOGUE_RECALL_H

#include "db/db.h"
#include "shm/response_cache.h"

/*
 * Bodies of answers that were made of the database before, for as long as it would give the same again. All children share
 * them. What a write of this server changed is not found any more when the write is answered; nor, on SQLite, what anybody else
 * changed. On other databases nothing is kept but for CatalogCacheMaxAge seconds.
 */

/* Is there a body for item->key? If so the item has it, on the use's pool. id: the product that it is of; NULL: a list. */
int cat_recall_get(cat_db_t *db, const char *id, apr_time_t now, cat_item_t *item);

/* Gives the item that was not found a body, which was made since then with this use of the database, and keeps it. */
void cat_recall_put(cat_db_t *db, cat_item_t *item, const char *body, apr_size_t length);

#endif
