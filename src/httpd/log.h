/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_LOG_H
#define CAT_HTTPD_LOG_H

#include <httpd.h>

#include "lib/log.h"

/* Returns the id that mod_unique_id gave the request. If httpd refused the request before it had an id, has
 * mod_unique_id give it one. Returns NULL if mod_unique_id is not loaded. */
const char *cat_log_request_id(request_rec *r);

/* Returns "POST /api/products (request ID)" for a line of the error log, on the request's pool. Leaves out the query,
 * which may contain the token of a link. */
const char *cat_log_name_request(request_rec *r);

/* Create logs that write to httpd's error log, on the request's pool or on `pool`. Lines of a request contain its id if
 * mod_unique_id gave it one. */
const cat_log_t *cat_log_for_request(request_rec *r);
const cat_log_t *cat_log_for_server(server_rec *s, apr_pool_t *pool);
const cat_log_t *cat_log_for_jobs(server_rec *s, apr_pool_t *pool);

#endif
