/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/token.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_file_info.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "lib/id.h"
#include "lib/json.h"
#include "lib/secret.h"

/*
 * HS256 alone is a call of HMAC, made here: libjwt 1.10.2 writes typ "JWT" whatever it is told and refuses every other,
 * so that RFC 9068's "at+jwt" can neither be made nor read with it.
 */
#define HEADER "{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}"
#define SIGNATURE_LENGTH 43 /* of 256 bits in base64url */

#define MAKE_KEY "make one: (umask 077; openssl rand -base64 32 > %s)"

/* The last second of the year 9999; a later one might not fit into an apr_time_t. */
#define SECONDS_MOST APR_INT64_C(253402300799)

#define BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const char *cat_token_read_key(apr_pool_t *pool, const char *path, const cat_key_t **key)
{
    apr_finfo_t info;
    const char *text, *fault;
    apr_size_t length;
    cat_key_t *k;

    if (APR_STATUS_IS_ENOENT(apr_stat(&info, path, APR_FINFO_TYPE, pool))) {
        return apr_psprintf(pool, "%s: there is no such file; " MAKE_KEY, path, path);
    }
    fault = cat_secret_read_file(pool, path, &text, &length);
    if (fault) {
        return fault;
    }
    if (length < CAT_TOKEN_KEY_LEAST) {
        return apr_psprintf(pool, "%s: a key of %d octets is needed, this has %" APR_SIZE_T_FMT "; " MAKE_KEY, path,
                            CAT_TOKEN_KEY_LEAST, length, path);
    }
    k = apr_palloc(pool, sizeof(*k));
    k->secret = (const unsigned char *)text;
    k->length = length;
    *key = k;
    return NULL;
}

/* The third segment for the first two and the dot between them. NULL: no signature without a proper key. */
static const char *sign(apr_pool_t *pool, const cat_key_t *key, const char *text, apr_size_t length)
{
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned int size;

    if (key->length < CAT_TOKEN_KEY_LEAST ||
        !HMAC(EVP_sha256(), key->secret, (int)key->length, (const unsigned char *)text, length, mac, &size)) {
        return NULL;
    }
    return apr_pencode_base64_binary(pool, mac, size, APR_ENCODE_BASE64URL, NULL);
}

/* NULL when a claim is not set or not UTF-8. */
static json_t *pack_claims(const cat_claims_t *c)
{
    json_int_t issued = apr_time_sec(c->issued);
    json_int_t expires = apr_time_sec(c->expires);

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "iss", c->issuer, "aud", c->audience, "sub", c->subject,
                     "sid", c->session, "jti", c->id, "iat", issued, "exp", expires);
}

static const char *encode(apr_pool_t *pool, const char *text)
{
    return apr_pencode_base64(pool, text, APR_ENCODE_STRING, APR_ENCODE_BASE64URL, NULL);
}

const char *cat_token_make(apr_pool_t *pool, const cat_key_t *key, const cat_claims_t *claims)
{
    json_t *payload = cat_json_own(pool, pack_claims(claims));
    const char *text, *signature, *token;

    if (!payload) {
        return NULL;
    }
    text = apr_pstrcat(pool, encode(pool, HEADER), ".", encode(pool, cat_json_text(pool, payload)), NULL);
    signature = sign(pool, key, text, strlen(text));
    if (!signature) {
        return NULL;
    }
    token = apr_pstrcat(pool, text, ".", signature, NULL);
    return cat_token_check_shape(token) ? token : NULL;
}

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

static int is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static const char *check_header(const json_t *header)
{
    const json_t *typ = json_object_get(header, "typ");

    if (!is_text(json_object_get(header, "alg"), "HS256")) {
        return "The token is signed with another algorithm";
    }
    if (!is_text(typ, "at+jwt") && !is_text(typ, "application/at+jwt")) {
        return "The token is not an access token";
    }
    if (json_object_get(header, "crit")) {
        return "The token has an unknown critical header";
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

static const char *check_payload(const json_t *payload, const char *issuer, const char *audience, apr_time_t now)
{
    const json_t *sub = json_object_get(payload, "sub");

    if (!is_text(json_object_get(payload, "iss"), issuer)) {
        return "The token is from another issuer";
    }
    if (!is_for(json_object_get(payload, "aud"), audience)) {
        return "The token is for another audience";
    }
    if (!json_is_string(sub) || !cat_id_check(json_string_value(sub))) {
        return "The token names no user";
    }
    if (!json_is_string(json_object_get(payload, "sid")) || !json_is_string(json_object_get(payload, "jti"))) {
        return "The token names no session";
    }
    return check_times(payload, apr_time_sec(now));
}

static const char *get_text(const json_t *payload, const char *name)
{
    return json_string_value(json_object_get(payload, name));
}

static const cat_claims_t *read_claims(apr_pool_t *pool, const json_t *payload, const char *issuer,
                                       const char *audience)
{
    cat_claims_t *c = apr_palloc(pool, sizeof(*c));

    c->issuer = issuer;
    c->audience = audience;
    c->subject = get_text(payload, "sub");
    c->session = get_text(payload, "sid");
    c->id = get_text(payload, "jti");
    c->issued = apr_time_from_sec(json_integer_value(json_object_get(payload, "iat")));
    c->expires = apr_time_from_sec(json_integer_value(json_object_get(payload, "exp")));
    return c;
}

const char *cat_token_verify(apr_pool_t *pool, const cat_key_t *key, const char *issuer, const char *audience,
                             apr_time_t now, const char *token, const cat_claims_t **claims)
{
    const char *payload_text, *signature, *expected, *fault;
    const json_t *header, *payload;

    if (!cat_token_check_shape(token)) {
        return "The token is malformed";
    }
    payload_text = strchr(token, '.') + 1;
    signature = strchr(payload_text, '.') + 1;

    expected = sign(pool, key, token, signature - 1 - token);
    if (!expected || strlen(signature) != SIGNATURE_LENGTH ||
        CRYPTO_memcmp(signature, expected, SIGNATURE_LENGTH) != 0) {
        return "The token's signature is wrong";
    }
    header = parse_segment(pool, token, payload_text - 1 - token);
    payload = parse_segment(pool, payload_text, signature - 1 - payload_text);
    if (!header || !payload) {
        return "The token is malformed";
    }
    fault = check_header(header);
    if (!fault) {
        fault = check_payload(payload, issuer, audience, now);
    }
    if (!fault) {
        *claims = read_claims(pool, payload, issuer, audience);
    }
    return fault;
}
