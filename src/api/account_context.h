/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ACCOUNT_CONTEXT_H
#define CAT_API_ACCOUNT_CONTEXT_H

#include "accounts/audit.h"
#include "accounts/context.h"
#include "http/request.h"

/* Returns the context for functions of accounts/. It lives as long as the request. client and agent are NULL if they
 * are NULL in the request (http/request.h). */
cat_account_context_t cat_account_context_make(const cat_request_t *q);

/* Returns the user who sent the request as the actor for the audit table. Requires an access token: q->user must not be
 * NULL. */
cat_actor_t cat_account_context_actor(const cat_request_t *q);

#endif
