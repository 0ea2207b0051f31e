/* SPDX-License-Identifier: Apache-2.0 */
#include "api/keys.h"

#include <string.h>

#include "http/answer.h"
#include "http/request.h"
#include "jose/keyring.h"
#include "lib/json.h"

/* Returns a JWK Set (RFC 7517) without the members that other responses have, so that any JOSE library can read it. */
cat_answer_t *cat_keys_jwks(cat_request_t *q)
{
    const char *text = cat_json_text(q->pool, cat_keyring_jwks(q->pool, cat_keyring_get(q->conf->keys, q->now, NULL)));
    cat_answer_t *answer = cat_answer_text(q->pool, 200, text, strlen(text));

    cat_answer_header(answer, q->pool, "Cache-Control", "public, max-age=300");
    return answer;
}

/* ---- description ---- */

static const cat_shape_t key = {.kind = CAT_SHAPE_ANY};
static const cat_shape_t keys = {.kind = CAT_SHAPE_LIST, .of = &key, .example = "[]"};
static const cat_member_t members[] = {
    {"keys", &keys, CAT_ALWAYS, "The public keys; none if a shared secret signs the tokens"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "KeySet", .members = members};

const cat_description_t cat_keys_about = {
    .id = "getKeys",
    .tag = "Server",
    .summary = "Read the public keys",
    .about = "A JWK Set (RFC 7517) of the keys that verify access tokens.",
    .status = 200,
    .answered = "The keys",
    .shape = &shape,
    .needs_no_database = 1,
};
