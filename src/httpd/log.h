/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_LOG_H
#define CAT_HTTPD_LOG_H

#include <httpd.h>

#include "lib/log.h"

/* Logs that write to httpd's error log, on the pool. A request's lines carry its id where mod_unique_id gave it one. */
const cat_log_t *cat_log_for_request(request_rec *r);
const cat_log_t *cat_log_for_server(server_rec *s, apr_pool_t *pool);

#endif
