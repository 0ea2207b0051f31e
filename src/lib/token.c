/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/token.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_strings.h>

#include "lib/id.h"
#include "lib/json.h"

/*
 * Not with libjwt 1.10.2: it writes typ "JWT" whatever it is told and refuses every other, so that RFC 9068's "at+jwt"
 * can neither be made nor read with it.
 */

/* The last second of the year 9999; a later one might not fit into an apr_time_t. */
#define SECONDS_MOST APR_INT64_C(253402300799)

#define FOREIGN_SUBJECT_MAX 255 /* octets */

#define BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/* ---- making ---- */

static const char *encode(apr_pool_t *pool, json_t *value)
{
    return apr_pencode_base64(pool, cat_json_text(pool, value), APR_ENCODE_STRING, APR_ENCODE_BASE64URL, NULL);
}

const char *cat_token_make(apr_pool_t *pool, const cat_keys_t *keys, const cat_claims_t *claims)
{
    const cat_key_t *key = keys->all[0];
    json_t *header = cat_json_own(
        pool, json_pack("{s:s, s:s, s:s}", "alg", cat_key_algorithm(key), "typ", "at+jwt", "kid", cat_key_id(key)));
    json_t *payload = cat_json_own(
        pool, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I}", "iss", claims->issuer, "aud",
                        claims->audience, "sub", claims->subject, "sid", claims->session, "jti", claims->id, "username",
                        claims->username, "role", claims->role, "email_verified", claims->verified, "iat",
                        (json_int_t)apr_time_sec(claims->issued), "exp", (json_int_t)apr_time_sec(claims->expires)));
    const char *text, *signature, *token;

    if (!header || !payload) {
        return NULL;
    }
    text = apr_pstrcat(pool, encode(pool, header), ".", encode(pool, payload), NULL);
    signature = cat_key_sign(pool, key, text, strlen(text));
    if (!signature) {
        return NULL;
    }
    token = apr_pstrcat(pool, text, ".", signature, NULL);
    return cat_token_check_shape(token) ? token : NULL;
}

/* ---- taking apart ---- */

int cat_token_check_shape(const char *token)
{
    const char *segment = token;

    for (int i = 0; i < 3; i++) {
        apr_size_t length = strspn(segment, BASE64URL);
        if (length == 0 || segment[length] != (i < 2 ? '.' : '\0')) {
            return 0;
        }
        segment += length + 1;
    }
    return segment - 1 - token <= CAT_TOKEN_MAX;
}

typedef struct parts_t {
    const char *token;
    apr_size_t signed_length; /* of the first two segments and the dot between them */
    const char *signature;
    const json_t *header;
    const json_t *payload;
} parts_t;

/* NULL: the segment is not the base64url of a JSON object. */
static const json_t *parse_segment(apr_pool_t *pool, const char *segment, apr_size_t length)
{
    apr_size_t size;
    const char *text = apr_pdecode_base64(pool, segment, length, APR_ENCODE_NONE, &size);
    json_t *value;
    const char *why;

    if (!text || cat_json_parse(pool, text, size, &value, &why) != APR_SUCCESS || !json_is_object(value)) {
        return NULL;
    }
    return value;
}

static int split(apr_pool_t *pool, const char *token, parts_t *parts)
{
    const char *payload = strchr(token, '.') + 1;
    const char *dot = strchr(payload, '.');

    parts->token = token;
    parts->signed_length = (apr_size_t)(dot - token);
    parts->signature = dot + 1;
    parts->header = parse_segment(pool, token, (apr_size_t)(payload - 1 - token));
    parts->payload = parse_segment(pool, payload, (apr_size_t)(dot - payload));
    return parts->header && parts->payload;
}

static int is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static const char *get_text(const json_t *payload, const char *name)
{
    return json_string_value(json_object_get(payload, name));
}

/* ---- checking ---- */

static const char *check_header(const json_t *header, int foreign)
{
    const json_t *typ = json_object_get(header, "typ");
    int is_access_token = is_text(typ, "at+jwt") || is_text(typ, "application/at+jwt");

    if (!is_access_token && !(foreign && (!typ || is_text(typ, "JWT")))) {
        return "The token is not an access token";
    }
    if (json_object_get(header, "crit")) {
        return "The token has an unknown critical header";
    }
    return NULL;
}

/* The kid is whatever the sender wrote: it is compared with what there is, and never looked up anywhere. */
static const cat_key_t *choose_key(const json_t *header, const cat_keys_t *keys)
{
    const json_t *kid = json_object_get(header, "kid");

    if (!kid) {
        return keys->count == 1 ? keys->all[0] : NULL;
    }
    for (int i = 0; i < keys->count && json_is_string(kid); i++) {
        const char *id = cat_key_id(keys->all[i]);
        if (!id || is_text(kid, id)) {
            return keys->all[i];
        }
    }
    return NULL;
}

static const char *check_signature(apr_pool_t *pool, const parts_t *parts, const cat_keys_t *keys)
{
    const cat_key_t *key = choose_key(parts->header, keys);

    if (!key) {
        return "The token is signed with an unknown key";
    }
    if (!is_text(json_object_get(parts->header, "alg"), cat_key_algorithm(key))) {
        return "The token is signed with another algorithm";
    }
    if (!cat_key_verify(pool, key, parts->token, parts->signed_length, parts->signature)) {
        return "The token's signature is wrong";
    }
    return NULL;
}

static int is_for(const json_t *aud, const char *audience)
{
    size_t i;
    const json_t *one;

    if (!json_is_array(aud)) {
        return is_text(aud, audience);
    }
    json_array_foreach (aud, i, one) {
        if (is_text(one, audience)) {
            return 1;
        }
    }
    return 0;
}

static int is_seconds(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= -SECONDS_MOST &&
           json_integer_value(value) <= SECONDS_MOST;
}

static int is_past_or_absent(const json_t *value, apr_int64_t latest)
{
    return !value || (is_seconds(value) && json_integer_value(value) <= latest);
}

static const char *check_times(const json_t *payload, apr_int64_t now)
{
    const json_t *exp = json_object_get(payload, "exp");

    if (!is_seconds(exp)) {
        return "The token has no proper expiry";
    }
    if (json_integer_value(exp) <= now - CAT_TOKEN_LEEWAY) {
        return "The token has expired";
    }
    if (!is_past_or_absent(json_object_get(payload, "nbf"), now + CAT_TOKEN_LEEWAY) ||
        !is_past_or_absent(json_object_get(payload, "iat"), now + CAT_TOKEN_LEEWAY)) {
        return "The token is not valid yet";
    }
    return NULL;
}

static int is_role(const json_t *value)
{
    return is_text(value, "user") || is_text(value, "editor") || is_text(value, "admin");
}

static const char *check_user(const json_t *payload)
{
    const json_t *username = json_object_get(payload, "username");
    const json_t *role = json_object_get(payload, "role");
    const json_t *verified = json_object_get(payload, "email_verified");
    const char *sub = get_text(payload, "sub");

    if (!sub || !cat_id_check(sub)) {
        return "The token names no user";
    }
    if (!get_text(payload, "sid") || !get_text(payload, "jti")) {
        return "The token names no session";
    }
    if ((username && !json_is_string(username)) || (role && !is_role(role)) ||
        (verified && !json_is_boolean(verified))) {
        return "The token's claims about the user are malformed";
    }
    return NULL;
}

/* Such a subject ends up in logs, and in headers for proxied applications. */
static const char *check_foreign_user(const json_t *payload)
{
    const char *sub = get_text(payload, "sub");

    if (!sub || !*sub || strlen(sub) > FOREIGN_SUBJECT_MAX) {
        return "The token names no user";
    }
    for (const char *c = sub; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return "The token names no user";
        }
    }
    return NULL;
}

static const char *check_payload(const json_t *payload, const cat_trust_t *trust, apr_time_t now)
{
    const char *fault;

    if (!is_for(json_object_get(payload, "aud"), trust->audience)) {
        return "The token is for another audience";
    }
    fault = trust->foreign ? check_foreign_user(payload) : check_user(payload);
    return fault ? fault : check_times(payload, apr_time_sec(now));
}

static const char *check(apr_pool_t *pool, const parts_t *parts, const cat_trust_t *trust, apr_time_t now)
{
    const char *fault = check_header(parts->header, trust->foreign);

    fault = fault ? fault : check_signature(pool, parts, trust->keys);
    return fault ? fault : check_payload(parts->payload, trust, now);
}

static const cat_claims_t *read_claims(apr_pool_t *pool, const json_t *payload, const cat_trust_t *trust)
{
    cat_claims_t *c = apr_pcalloc(pool, sizeof(*c));
    const char *role = get_text(payload, "role");

    c->issuer = trust->issuer;
    c->audience = trust->audience;
    c->keys = trust->keys;
    c->subject = get_text(payload, "sub");
    c->issued = apr_time_from_sec(json_integer_value(json_object_get(payload, "iat")));
    c->expires = apr_time_from_sec(json_integer_value(json_object_get(payload, "exp")));
    c->role = "user";
    if (!trust->foreign) {
        c->session = get_text(payload, "sid");
        c->id = get_text(payload, "jti");
        c->username = get_text(payload, "username");
        c->role = role ? role : c->role;
        c->verified = json_is_true(json_object_get(payload, "email_verified"));
    }
    return c;
}

const char *cat_token_verify(apr_pool_t *pool, const cat_trust_t *trusts, int count, apr_time_t now, const char *token,
                             const cat_claims_t **claims)
{
    const char *fault = "The token is from another issuer";
    parts_t parts;

    if (!cat_token_check_shape(token) || !split(pool, token, &parts)) {
        return "The token is malformed";
    }
    for (int i = 0; i < count; i++) {
        if (!is_text(json_object_get(parts.payload, "iss"), trusts[i].issuer)) {
            continue;
        }
        fault = check(pool, &parts, &trusts[i], now);
        if (!fault) {
            *claims = read_claims(pool, parts.payload, &trusts[i]);
            return NULL;
        }
    }
    return fault;
}
