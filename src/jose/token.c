/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access tokens and API keys: makes and checks JWTs.
 *
 * A token is checked from the outside in, so that invalid input costs little: length and alphabet, the three segments,
 * header, signature, then claims. The header never decides how to verify: the algorithm is that of the signing key, kid
 * only chooses among the keys of the issuer, and everything else in the header is refused or ignored.
 */
#include "jose/token.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include <apr_encode.h>
#include <apr_strings.h>

#include "lib/id.h"
#include "lib/json.h"
#include "lib/text.h"

/* The last second of the year 9999. Later times may overflow an apr_time_t. */
#define SECONDS_MOST APR_INT64_C(253402300799)

#define FOREIGN_SUBJECT_MAX 255 /* In bytes. */

/* Values of token_use. They are needed because the same signing key may sign JWTs for other purposes (RFC 8725
 * 3.12). */
#define USE_ACCESS "access"
#define USE_KEY "key"
#define NOT_ACCESS "the token is not an access token"

#define BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const char cat_token_too_long[] = "the token is too long";
const char cat_token_malformed[] = "the token is malformed";
const char cat_token_expired[] = "the token has expired";

/* ---- making ---- */

static int add_claims(jwt_t *jwt, const cat_claims_t *claims)
{
    const char *const texts[][2] = {
        {"iss", claims->issuer},        {"aud", claims->audience}, {"sub", claims->subject},
        {"sid", claims->session},       {"jti", claims->id},       {"token_use", claims->is_key ? USE_KEY : USE_ACCESS},
        {"username", claims->username}, {"role", claims->role},
    };
    size_t count = sizeof(texts) / sizeof(*texts) - (claims->is_key ? 2 : 0);

    for (size_t i = 0; i < count; i++) {
        if (jwt_add_grant(jwt, texts[i][0], texts[i][1]) != 0) {
            return 0;
        }
    }
    return (claims->is_key || jwt_add_grant_bool(jwt, "email_verified", claims->verified) == 0) &&
           jwt_add_grant_int(jwt, "iat", (long)apr_time_sec(claims->issued)) == 0 &&
           jwt_add_grant_int(jwt, "exp", (long)apr_time_sec(claims->expires)) == 0;
}

const char *cat_token_make(apr_pool_t *pool, const cat_keys_t *keys, const cat_claims_t *claims)
{
    jwt_t *jwt = NULL;
    const char *token = NULL;

    if (jwt_new(&jwt) == 0 && add_claims(jwt, claims)) {
        token = cat_key_sign(pool, keys->all[0], jwt);
    }
    jwt_free(jwt); /* Not freed with the pool, because it contains a copy of the key. */
    return token && strlen(token) <= CAT_TOKEN_MAX && cat_token_check_shape(token) ? token : NULL;
}

/* ---- taking apart ---- */

/* Four characters encode three bytes. The last two or three characters of a segment have unused bits, which must be
 * 0. */
static int is_base64url(const char *segment, apr_size_t length)
{
    static const int spare[] = {0, 0, 0xf, 0x3};
    apr_size_t rest = length % 4;

    return length > 0 && rest != 1 && ((strchr(BASE64URL, segment[length - 1]) - BASE64URL) & spare[rest]) == 0;
}

int cat_token_check_shape(const char *token)
{
    const char *segment = token;

    for (int i = 0; i < 3; i++) {
        apr_size_t length = strspn(segment, BASE64URL);
        if (!is_base64url(segment, length) || segment[length] != (i < 2 ? '.' : '\0')) {
            return 0;
        }
        segment += length + 1;
    }
    return 1;
}

typedef struct segments_t {
    const char *token;
    const json_t *header;
    const json_t *payload;
} segments_t;

/* Returns the JSON object in a segment, or NULL if the segment is not the base64url of an object. */
static const json_t *parse_segment(apr_pool_t *pool, const char *segment, apr_size_t length)
{
    apr_size_t size;
    const char *text = apr_pdecode_base64(pool, segment, length, APR_ENCODE_NONE, &size);
    json_t *value;
    const char *why;

    value = text ? cat_json_parse(pool, text, size, &why) : NULL;
    return json_is_object(value) ? value : NULL;
}

static int split_token(apr_pool_t *pool, const char *token, segments_t *segments)
{
    const char *payload = strchr(token, '.') + 1;
    const char *dot = strchr(payload, '.');

    segments->token = token;
    segments->header = parse_segment(pool, token, (apr_size_t)(payload - 1 - token));
    segments->payload = parse_segment(pool, payload, (apr_size_t)(dot - payload));
    return segments->header && segments->payload;
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

/* Compares a media type, which the sender may write without "application/" (RFC 7515 4.1.9). */
static int is_type(const json_t *typ, const char *name)
{
    static const char prefix[] = "application/";
    const char *text = json_string_value(typ);

    if (text && strncasecmp(text, prefix, strlen(prefix)) == 0) {
        text += strlen(prefix);
    }
    return text && strcasecmp(text, name) == 0;
}

static const char *check_header(const json_t *header, int foreign)
{
    const json_t *typ = json_object_get(header, "typ");

    if (!is_type(typ, "JWT") && !(foreign && (!typ || is_type(typ, "at+jwt")))) {
        return NOT_ACCESS;
    }
    if (json_object_get(header, "crit")) {
        return "the token has an unknown critical header";
    }
    return NULL;
}

/* Compares kid with the ids of the keys. kid comes from the sender, so it is used for no other lookup. */
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

static const char *check_signature(apr_pool_t *pool, const segments_t *segments, const cat_keys_t *keys)
{
    const cat_key_t *key = choose_key(segments->header, keys);

    if (!key) {
        return "the token is signed with an unknown key";
    }
    if (!is_text(json_object_get(segments->header, "alg"), cat_key_algorithm(key))) {
        return "the token is signed with another algorithm";
    }
    if (!cat_key_verify(pool, key, segments->token)) {
        return "the token's signature is invalid";
    }
    return NULL;
}

static int is_for_audience(const json_t *aud, const char *audience)
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

/* A double represents all of these whole seconds exactly. */
static int is_seconds(const json_t *value)
{
    return json_is_number(value) && fabs(json_number_value(value)) <= (double)SECONDS_MOST;
}

static int is_past_or_absent(const json_t *value, apr_int64_t latest)
{
    return !value || (is_seconds(value) && json_number_value(value) <= (double)latest);
}

static const char *check_times(const json_t *payload, apr_int64_t now)
{
    const json_t *exp = json_object_get(payload, "exp");

    if (!is_seconds(exp)) {
        return "the token has no valid expiry";
    }
    if (json_number_value(exp) <= (double)(now - CAT_TOKEN_LEEWAY)) {
        return cat_token_expired;
    }
    if (!is_past_or_absent(json_object_get(payload, "nbf"), now + CAT_TOKEN_LEEWAY) ||
        !is_past_or_absent(json_object_get(payload, "iat"), now + CAT_TOKEN_LEEWAY)) {
        return "the token is not valid yet";
    }
    return NULL;
}

static const char *check_user(const json_t *payload, const char *const *roles)
{
    const json_t *use = json_object_get(payload, "token_use");
    const json_t *username = json_object_get(payload, "username");
    const json_t *role = json_object_get(payload, "role");
    const json_t *verified = json_object_get(payload, "email_verified");
    const char *sub = get_text(payload, "sub");

    if (!is_text(use, USE_ACCESS) && !is_text(use, USE_KEY)) {
        return NOT_ACCESS;
    }
    if (!sub || !cat_id_check(sub)) {
        return "the token names no user";
    }
    if (!get_text(payload, "sid") || !get_text(payload, "jti")) {
        return "the token names no session";
    }
    if ((username && !json_is_string(username)) || (verified && !json_is_boolean(verified)) ||
        (role && !(json_is_string(role) && roles[cat_text_find(roles, json_string_value(role))]))) {
        return "the token's claims about the user are malformed";
    }
    return NULL;
}

/* Restricts the subject, which gets into logs and into headers for proxied applications. Refuses API keys: a service
 * that trusts another instance of this module accepts its access tokens but not its API keys, because it does not learn
 * when they end. */
static const char *check_foreign_user(const json_t *payload)
{
    const json_t *use = json_object_get(payload, "token_use");
    const char *sub = get_text(payload, "sub");

    if (use && !is_text(use, USE_ACCESS)) {
        return NOT_ACCESS;
    }
    if (!sub || !*sub || strlen(sub) > FOREIGN_SUBJECT_MAX) {
        return "the token names no user";
    }
    for (const char *c = sub; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return "the token names no user";
        }
    }
    return NULL;
}

static const char *check_payload(const json_t *payload, const cat_trust_t *trust, apr_time_t now)
{
    const char *fault;

    if (!is_for_audience(json_object_get(payload, "aud"), trust->audience)) {
        return "the token is for another audience";
    }
    fault = trust->foreign ? check_foreign_user(payload) : check_user(payload, trust->roles);
    return fault ? fault : check_times(payload, apr_time_sec(now));
}

static const char *check_token(apr_pool_t *pool, const segments_t *segments, const cat_trust_t *trust, apr_time_t now)
{
    const char *fault = check_header(segments->header, trust->foreign);

    fault = fault ? fault : check_signature(pool, segments, trust->keys);
    return fault ? fault : check_payload(segments->payload, trust, now);
}

/* Returns the time in whole seconds. Returns 1970 if `value` is NULL. */
static apr_time_t read_time(const json_t *value)
{
    return apr_time_from_sec((apr_int64_t)json_number_value(value));
}

static const cat_claims_t *read_claims(apr_pool_t *pool, const json_t *payload, const cat_trust_t *trust)
{
    cat_claims_t *c = apr_pcalloc(pool, sizeof(*c));
    const char *role = get_text(payload, "role");

    c->issuer = trust->issuer;
    c->audience = trust->audience;
    c->keys = trust->keys;
    c->subject = get_text(payload, "sub");
    c->issued = read_time(json_object_get(payload, "iat"));
    c->expires = read_time(json_object_get(payload, "exp"));
    c->role = trust->roles[0];
    if (!trust->foreign) {
        c->session = get_text(payload, "sid");
        c->id = get_text(payload, "jti");
        c->is_key = is_text(json_object_get(payload, "token_use"), USE_KEY);
        c->username = get_text(payload, "username");
        c->role = role ? role : c->role;
        c->verified = json_is_true(json_object_get(payload, "email_verified"));
    }
    return c;
}

static apr_size_t find_most(const cat_trust_t *trusts, int count)
{
    for (int i = 0; i < count; i++) {
        if (trusts[i].foreign) {
            return CAT_TOKEN_MAX_FOREIGN;
        }
    }
    return CAT_TOKEN_MAX;
}

const char *cat_token_verify(apr_pool_t *pool, const cat_trust_t *trusts, int count, apr_time_t now, const char *token,
                             const cat_claims_t **claims)
{
    const char *fault = "the token is from another issuer";
    apr_size_t length = strlen(token);
    segments_t segments;

    if (length > find_most(trusts, count)) {
        return cat_token_too_long;
    }
    if (!cat_token_check_shape(token) || !split_token(pool, token, &segments)) {
        return cat_token_malformed;
    }
    for (int i = 0; i < count; i++) {
        if (!is_text(json_object_get(segments.payload, "iss"), trusts[i].issuer)) {
            continue;
        }
        if (!trusts[i].foreign && length > CAT_TOKEN_MAX) {
            fault = cat_token_too_long;
            continue;
        }
        fault = check_token(pool, &segments, &trusts[i], now);
        if (!fault) {
            *claims = read_claims(pool, segments.payload, &trusts[i]);
            return NULL;
        }
    }
    return fault;
}
