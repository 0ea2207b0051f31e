/* SPDX-License-Identifier: Apache-2.0 */
#include "api/keys.h"

#include <string.h>

#include "http/answer.h"
#include "http/request.h"
#include "jose/keyring.h"
#include "lib/json.h"

/* A JWK Set (RFC 7517) without the usual envelope, for any JOSE library. */
cat_answer_t *cat_keys_jwks(cat_request_t *q)
{
    const char *text = cat_json_text(q->pool, cat_keyring_jwks(q->pool, cat_keyring_get(q->conf->keys, q->now, NULL)));
    cat_answer_t *answer = cat_answer_text(q->pool, 200, text, strlen(text));

    cat_answer_header(answer, q->pool, "Cache-Control", "public, max-age=300");
    return answer;
}
