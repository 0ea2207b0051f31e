/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idempotency-Key: a request that is sent again gets the stored response and changes nothing.
 *
 *     first request    runs the route; its transaction stores mark and response under the claim's key
 *     sent again       the mark matches           -> the stored response, with Idempotency-Replayed
 *                      the mark differs           -> 422, the Idempotency-Key belongs to another request
 *                      no response is stored yet  -> 409, the first request is still running
 *
 * The claim's key (db/claim.h) is a digest of the route, the user (or the network if there is no user) and the
 * Idempotency-Key. The mark is a MAC over the claim's key, the path's id, the query and a digest of the body, so the
 * database stores nothing of a body, which may have a password. Of a response with tokens, only the success is stored;
 * the route makes a new response (cat_idempotency_keep_secret).
 */
#include "api/idempotency.h"

#include <string.h>

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/crypto.h>

#include "api/failure.h"
#include "db/claim.h"
#include "db/db.h"
#include "http/rate_limit.h"
#include "jose/keyring.h"
#include "jose/token.h"
#include "lib/json.h"
#include "lib/log.h"
#include "lib/secret.h"
#include "lib/time.h"
#include "shm/limit.h"

#define KEY_NAME_BYTES 8 /* Bytes of a MAC that identify one of the mount's signing keys. */

/* Limit on requests from one network that repeat the Idempotency-Key of an anonymous request with a different body.
 * Such requests could guess a password in the body. */
static const cat_rate_t wrong_bodies = {.count = 10, .seconds = 3600};

struct cat_idempotency_t {
    cat_claim_t claim;
    const char *digest; /* Hexadecimal digest of the body. */
    int is_replay;      /* True if the handler runs again for a repeated request. */
};

int cat_idempotency_is_replay(const cat_request_t *q)
{
    return q->idempotency && q->idempotency->is_replay;
}

/* ---- comparing requests ---- */

/* Returns the claim's key, which includes the route, and the user or else the network. */
static const char *make_key(cat_request_t *q)
{
    const cat_claims_t *user = q->user;

    return cat_secret_digest(q->pool,
                             apr_pstrcat(q->pool, q->route->method, " ", q->route->path, "\n", user ? user->issuer : "",
                                         "\n", user ? user->subject : q->network, "\n", q->idempotency_key, NULL));
}

/* Returns the first `bytes` bytes of a MAC, in hexadecimal, on the pool. Returns NULL if memory runs out. */
static const char *seal_text(apr_pool_t *pool, const cat_key_t *key, const char *text, apr_size_t bytes)
{
    unsigned char seal[CAT_KEY_SEAL_OCTETS];

    return cat_key_seal(key, text, strlen(text), seal) ? apr_pescape_hex(pool, seal, bytes, 0) : NULL;
}

/* Returns a name of the signing key that is derived from its content, because a key file can get another content and
 * keep its name. */
static const char *name_key(apr_pool_t *pool, const cat_key_t *key)
{
    return seal_text(pool, key, "Idempotency-Key", KEY_NAME_BYTES);
}

/* Returns the mark, which differs for another request with the same Idempotency-Key: the name of the signing key, and a
 * MAC made with it. Includes the first id of the path, because the claim's key includes only the route. */
static const char *make_mark(cat_request_t *q, const cat_key_t *key)
{
    const char *about = q->params[0] ? apr_pstrcat(q->pool, q->params[0], "\n", NULL) : "";
    const char *text = apr_pstrcat(q->pool, "Idempotency-Key\n", q->idempotency->claim.key, "\n", about,
                                   q->query ? q->query : "", "\n", q->idempotency->digest, NULL);
    const char *name = name_key(q->pool, key), *seal = seal_text(q->pool, key, text, CAT_KEY_SEAL_OCTETS);

    return name && seal ? apr_pstrcat(q->pool, name, " ", seal, NULL) : NULL;
}

typedef enum { SAME_REQUEST, OTHER_REQUEST, UNKNOWN_KEY } comparison_t;

static comparison_t compare_request(cat_request_t *q, const char *mark)
{
    const cat_keys_t *keys = cat_keyring_get(q->conf->keys, q->now, NULL);

    for (int i = 0; i < keys->count; i++) {
        const char *name = name_key(q->pool, keys->all[i]);
        if (name && !strncmp(mark, name, strlen(name))) {
            const char *own = make_mark(q, keys->all[i]);
            return own && strlen(own) == strlen(mark) && !CRYPTO_memcmp(own, mark, strlen(mark)) ? SAME_REQUEST
                                                                                                 : OTHER_REQUEST;
        }
    }
    return UNKNOWN_KEY;
}

/* ---- the stored answer ---- */

/* Returns true if the header's value is a path below the mount. Such a value is stored without the mount's path,
 * because the request may be repeated through another mount. */
static int is_path(const char *header)
{
    return !strcmp(header, "Location");
}

/* Returns the first line of the stored text, a JSON object; the body follows it. For a response that is not stored
 * (cat_idempotency_keep_secret) the line is an empty object. */
static const char *write_head(const cat_request_t *q, const cat_answer_t *answer)
{
    apr_pool_t *pool = q->pool;
    const apr_array_header_t *list = answer->headers ? apr_table_elts(answer->headers) : NULL;
    apr_size_t mount = strlen(q->conf->mount_uri);
    json_t *headers = json_object();

    for (int i = 0; list && i < list->nelts; i++) {
        const apr_table_entry_t *header = &APR_ARRAY_IDX(list, i, apr_table_entry_t);
        json_object_set_new(headers, header->key, json_string(header->val + (is_path(header->key) ? mount : 0)));
    }
    return cat_json_text(pool, cat_json_own(pool, json_pack("{s:i, s:s*, s:o}", "status", answer->status, "etag",
                                                            answer->etag, "headers", headers)));
}

void cat_idempotency_keep(cat_request_t *q, const cat_answer_t *answer)
{
    if (q->idempotency) {
        q->idempotency->claim.text = apr_pstrcat(q->pool, write_head(q, answer), "\n",
                                                 apr_pstrmemdup(q->pool, answer->body, answer->length), NULL);
    }
}

void cat_idempotency_keep_secret(cat_request_t *q)
{
    if (q->idempotency) {
        q->idempotency->claim.text = "{}\n";
    }
}

static cat_answer_t *read_answer(cat_request_t *q, const json_t *head, const char *body)
{
    cat_answer_t *answer =
        cat_answer_text(q->pool, (int)json_integer_value(json_object_get(head, "status")), body, strlen(body));
    const char *name;
    json_t *value;

    answer->etag = json_string_value(json_object_get(head, "etag"));
    json_object_foreach (json_object_get(head, "headers"), name, value) {
        cat_answer_header(
            answer, q->pool, name,
            apr_pstrcat(q->pool, is_path(name) ? q->conf->mount_uri : "", json_string_value(value), NULL));
    }
    return answer;
}

static cat_answer_t *repeat_answer(cat_request_t *q, const char *text)
{
    const char *end = strchr(text, '\n'), *why;
    const json_t *head = end ? cat_json_parse(q->pool, text, (apr_size_t)(end - text), &why) : NULL;
    cat_answer_t *answer;

    if (!json_is_object(head)) {
        cat_log(q->log, CAT_LOG_ERROR, 0, "CAT061: the stored answer to an Idempotency-Key is damaged");
        return cat_answer_problem(q->pool, CAT_PROBLEM_INTERNAL, NULL);
    }
    if (json_object_size(head)) {
        answer = read_answer(q, head, end + 1);
    } else {
        q->idempotency->is_replay = 1;
        cat_db_accompany(q->db, NULL);
        answer = q->route->run(q);
    }
    if (answer->status < 300) {
        cat_answer_header(answer, q->pool, "Idempotency-Replayed", "true");
    }
    return answer;
}

/* ---- running ---- */

static cat_answer_t *answer_comparison(cat_request_t *q, comparison_t comparison, const char *text)
{
    switch (comparison) {
    case SAME_REQUEST:
        return repeat_answer(q, text);
    case OTHER_REQUEST:
        return cat_answer_problem(q->pool, CAT_PROBLEM_IDEMPOTENCY_REUSED, NULL);
    default:
        return cat_answer_problem(q->pool, CAT_PROBLEM_IDEMPOTENCY_SEALED, NULL);
    }
}

/* Applies the limit before comparing the bodies, so that a refusal does not show whether the body was the same. */
static cat_answer_t *answer_stored(cat_request_t *q, const cat_claim_t *stored)
{
    cat_rate_t rate = q->user ? (cat_rate_t){.seconds = 0} : wrong_bodies;
    cat_verdict_t verdict = cat_limit_take(q->limits, CAT_RATE_LIMIT_REPLAY, stored->key, rate, cat_time_monotonic());
    comparison_t comparison;

    if (!verdict.allowed) {
        return cat_rate_limit_refuse(q->pool, CAT_RATE_LIMIT_REPLAY, rate, verdict);
    }
    comparison = compare_request(q, stored->mark);
    if (comparison != OTHER_REQUEST) {
        cat_limit_give_back(q->limits, CAT_RATE_LIMIT_REPLAY, stored->key, rate, cat_time_monotonic());
    }
    return answer_comparison(q, comparison, stored->text);
}

/* Returns the response to a request that was stored before, or NULL if nothing is stored under the claim's key. */
static cat_answer_t *find_answer(cat_request_t *q)
{
    cat_claim_t stored;
    apr_status_t rv = cat_claim_find(q->db, &q->idempotency->claim, &stored);

    if (rv == APR_NOTFOUND) {
        return NULL;
    }
    return rv == APR_SUCCESS ? answer_stored(q, &stored) : cat_failure_answer(q->pool, rv);
}

cat_answer_t *cat_idempotency_check(cat_request_t *q, const char *digest)
{
    cat_idempotency_t *own = q->idempotency;
    cat_answer_t *answer;

    if (!own) {
        return NULL;
    }
    own->digest = digest;
    own->claim.mark = make_mark(q, cat_keyring_get(q->conf->keys, q->now, NULL)->all[0]);
    answer = find_answer(q);
    if (!answer) {
        cat_claim_attach(q->db, &own->claim);
    }
    return answer;
}

/* Returns the response if another request with the same Idempotency-Key was first. That request has ended by now,
 * unless the wait for its end timed out. */
static cat_answer_t *answer_claimed(cat_request_t *q)
{
    cat_answer_t *answer;

    cat_db_release(q->db);
    answer = find_answer(q);
    return answer ? answer : cat_answer_problem(q->pool, CAT_PROBLEM_IDEMPOTENCY_BUSY, NULL);
}

cat_answer_t *cat_idempotency_run(cat_request_t *q)
{
    cat_idempotency_t *own = apr_pcalloc(q->pool, sizeof(*own));
    cat_answer_t *answer;

    q->idempotency = own;
    own->claim = (cat_claim_t){
        .key = make_key(q), .now = q->now, .expires = q->now + apr_time_from_sec(q->conf->idempotency_ttl)};
    answer = q->body_text ? cat_idempotency_check(q, cat_secret_digest(q->pool, q->body_text)) : NULL;
    if (answer) {
        return answer;
    }
    answer = q->route->run(q);
    return own->claim.is_refused ? answer_claimed(q) : answer;
}
