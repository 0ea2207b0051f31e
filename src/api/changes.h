/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_CHANGES_H
#define CAT_API_CHANGES_H

#include "http/answer.h"
#include "http/route.h"

/* GET /changes, GET /products/:id/history and POST /products/:id/restore. */
cat_handler_t cat_changes_list, cat_changes_history, cat_changes_restore;

extern const cat_description_t cat_changes_about_list, cat_changes_about_history, cat_changes_about_restore;

/* Routes for the history are closed where CatalogHistory is Off; of cat_description_t.is_open. */
int cat_changes_are_kept(const cat_conf_t *conf);

/* Who made a change, as answers have it: {"id": ..., "username": ...} on the pool; NULL: nobody is known. */
const char *cat_changes_write_author(apr_pool_t *pool, const char *user_id, const char *username);

/* Names in the header Catalog-Batch the batch that the request has made, cat_author_t.batch; 0: none. */
void cat_changes_name_batch(cat_request_t *q, cat_answer_t *answer, apr_int64_t batch);

#endif
