/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_ANSWER_CACHE_H
#define CAT_DB_ANSWER_CACHE_H

#include "db/db.h"
#include "lib/buffer.h"
#include "shm/response_cache.h"

/*
 * Answers in the response cache, which all children share. An answer is found as long as the database would still
 * yield it: a write of this server invalidates what it changed before it is answered, and on SQLite another program's
 * commit invalidates everything. On the other databases, where such a commit goes unnoticed, an answer is found for
 * CatalogCacheMaxAge seconds at most.
 */

/* 1: the item has the text cached for item->key, its length and hash, on the pool of db. 0: there is none; the item is
 * ready for cat_answer_cache_put. id: the product that the text is of; NULL: a list. now: the time of the request. */
int cat_answer_cache_get(cat_db_t *db, const char *id, apr_time_t now, cat_item_t *item);

/* Caches the text, length and hash of an item that was not found; the text must have been read since then, with the
 * same db. */
void cat_answer_cache_put(cat_db_t *db, const cat_item_t *item);

/* A list is cached with what its headers say. Makes the item's text of both, in the buffer of the body; the hash is the body's. */
void cat_answer_cache_join(cat_item_t *item, cat_buffer_t *body, const char *headers);

/* A list as it is sent, on the pool of db. */
typedef struct cat_cached_list_t {
    const char *body;
    apr_size_t length;
    apr_uint64_t hash; /* cat_etag_hash of the body */
    const char *headers;
} cat_cached_list_t;

/* What such an item has: within its text. */
cat_cached_list_t cat_answer_cache_split(const cat_item_t *item);

#endif
