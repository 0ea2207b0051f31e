/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ACCOUNT_CONTEXT_H
#define CAT_API_ACCOUNT_CONTEXT_H

#include "accounts/audit.h"
#include "accounts/context.h"
#include "http/request.h"

/* What accounts/ needs of a request; lives as long as the request. client, network and agent are NULL where the
 * route's row takes no body. */
cat_account_context_t cat_account_context_make(const cat_request_t *q);

/* The administrator who sent the request, for the audit table; the route's row says CAT_ADMIN. */
cat_actor_t cat_account_context_actor(const cat_request_t *q);

#endif
