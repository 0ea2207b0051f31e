/* SPDX-License-Identifier: Apache-2.0 */
#include "api/account_context.h"

#include "http/header.h"
#include "jose/token.h"

cat_account_context_t cat_account_context_make(const cat_request_t *q)
{
    return (cat_account_context_t){
        .pool = q->pool,
        .log = q->log,
        .conf = q->conf,
        .db = q->db,
        .hashing = q->hashing,
        .metrics = q->metrics,
        .revoked = q->revoked,
        .now = q->now,
        .timing = q->timing,
        .client = q->client,
        .network = q->network,
        .agent = q->agent,
        .language = cat_header_language(q->languages, q->conf->mail_languages),
        .request_id = q->request_id,
    };
}

cat_actor_t cat_account_context_actor(const cat_request_t *q)
{
    const cat_claims_t *user = q->user;

    return (cat_actor_t){CAT_AUDIT_HTTP, user->subject, user->username ? user->username : user->subject, q->client,
                         q->request_id};
}
