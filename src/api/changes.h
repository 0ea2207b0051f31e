/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_CHANGES_H
#define CAT_API_CHANGES_H

#include "http/answer.h"
#include "http/route.h"

/* Handle GET /changes, GET /products/:id/history and POST /products/:id/restore. */
cat_handler_t cat_changes_list, cat_changes_history, cat_changes_restore;

extern const cat_description_t cat_changes_about_list, cat_changes_about_history, cat_changes_about_restore;

/* Implements cat_description_t.is_open for the routes of the history: returns false if CatalogHistory is Off. */
int cat_changes_are_kept(const cat_conf_t *conf);

/* Returns the author of a change as JSON, {"id": ..., "username": ...}, on the pool. `username` may be NULL. Returns
 * NULL if `user_id` is NULL. */
const char *cat_changes_write_author(apr_pool_t *pool, const char *user_id, const char *username);

/* Adds the header Catalog-Batch with the number of the batch of changes that the request made. Adds nothing if `batch`
 * is 0. */
void cat_changes_name_batch(cat_request_t *q, cat_answer_t *answer, apr_int64_t batch);

#endif
