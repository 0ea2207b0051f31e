/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers of request headers, by their RFCs: Authorization, Cookie, Content-Type, Accept, Accept-Language, Prefer,
 * Idempotency-Key. They work on the header as it was sent, accept any bytes in it, and copy to the pool only the
 * result.
 */
#include "http/header.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

static const char *skip_space(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* Returns the text between two separators without the white space around it. */
static char *trim_text(apr_pool_t *pool, const char *start, const char *end)
{
    start = skip_space(start);
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return apr_pstrmemdup(pool, start, start < end ? (apr_size_t)(end - start) : 0);
}

static const char *unquote_text(char *text)
{
    apr_size_t length = strlen(text);

    if (length < 2 || *text != '"' || text[length - 1] != '"') {
        return text;
    }
    text[length - 1] = '\0';
    return text + 1;
}

cat_bearer_t cat_header_bearer(apr_pool_t *pool, const char *authorization, const char **token)
{
    static const char possible[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/= \t,";
    const char *text;

    *token = NULL;
    if (!authorization || strncasecmp(authorization, "Bearer", 6)) {
        return CAT_BEARER_NONE;
    }
    text = authorization + 6;
    if (*text && *text != ' ' && *text != '\t') {
        return CAT_BEARER_NONE; /* A longer scheme name. */
    }
    text = trim_text(pool, text, text + strlen(text));
    if (!*text) {
        return CAT_BEARER_NONE;
    }
    if (strlen(text) != strspn(text, possible)) {
        return CAT_BEARER_MALFORMED;
    }
    *token = text;
    return CAT_BEARER_TOKEN;
}

const char *cat_header_cookie(apr_pool_t *pool, const char *cookies, const char *name, int *is_repeated)
{
    apr_size_t length = strlen(name);
    const char *found = NULL;

    *is_repeated = 0;
    for (const char *p = cookies; p && *p; p += *p == ';') {
        p = skip_space(p);
        if (!strncmp(p, name, length) && p[length] == '=') {
            const char *value = p + length + 1;
            *is_repeated = found != NULL;
            found = found ? found : trim_text(pool, value, value + strcspn(value, ";"));
        }
        p += strcspn(p, ";");
    }
    return found;
}

/* Returns true if the type is in `types`, which are separated by ", ". */
static int is_listed(const char *type, apr_size_t length, const char *types)
{
    for (; *types; types += strspn(types, ", ")) {
        apr_size_t listed = strcspn(types, ",");

        if (listed == length && !strncasecmp(types, type, length)) {
            return 1;
        }
        types += listed;
    }
    return 0;
}

static int is_charset(const char *text, const char *name)
{
    apr_size_t length = strlen(name);

    return !strncasecmp(text, name, length) && !apr_isalnum(text[length]) && text[length] != '-';
}

int cat_header_charset(const char *content_type, const char *const *charsets)
{
    static const char name[] = "charset=";
    const char *p = content_type ? strchr(content_type, ';') : NULL;
    int i = 0;

    for (; p && *p == ';'; p += strcspn(p, ";")) {
        p = skip_space(p + 1);
        if (!strncasecmp(p, name, sizeof(name) - 1)) {
            p += sizeof(name) - 1;
            p += *p == '"';
            while (charsets[i] && !is_charset(p, charsets[i])) {
                i++;
            }
            return charsets[i] ? i : -1;
        }
    }
    return 0;
}

int cat_header_has_type(const char *content_type, const char *types)
{
    static const char *const utf8[] = {"utf-8", NULL};

    return cat_header_has_type_of(content_type, types, utf8);
}

static int is_picture(const char *content_type)
{
    return !strncasecmp(content_type, "image/", strlen("image/"));
}

int cat_header_has_type_of(const char *content_type, const char *types, const char *const *charsets)
{
    apr_size_t length = content_type ? strcspn(content_type, "; \t") : 0;
    const char *rest;

    if (!length || !is_listed(content_type, length, types)) {
        return 0;
    }
    rest = skip_space(content_type + length);
    return *rest == '\0' || (*rest == ';' && (is_picture(content_type) || cat_header_charset(rest, charsets) >= 0));
}

/* Returns the end of a list's element, or of one of its parameters: the next of the separators outside a
 * quoted-string. */
static const char *skip_to(const char *p, const char *separators)
{
    for (int is_quoted = 0; *p && (is_quoted || !strchr(separators, *p)); p++) {
        if (*p == '"') {
            is_quoted = !is_quoted;
        } else if (is_quoted && *p == '\\' && p[1]) {
            p++;
        }
    }
    return p;
}

/* Returns a weight (RFC 9110 12.4.2) in thousandths, or -1 if it is malformed. `end` is the end of its parameter. */
static int parse_weight(const char *p, const char *end)
{
    int weight = *p == '1' ? 1000 : 0;

    if (*p != '0' && *p != '1') {
        return -1;
    }
    p++;
    if (*p == '.') {
        p++;
        for (int digit = 100; digit && apr_isdigit(*p); digit /= 10, p++) {
            weight += (*p - '0') * digit;
        }
    }
    return skip_space(p) >= end && weight <= 1000 ? weight : -1;
}

/* Returns the weight of a range. `parameters` begins at the range's first semicolon. */
static int find_weight(const char *parameters)
{
    for (const char *p = parameters; *p == ';';) {
        const char *end = skip_to(p + 1, ",;");

        p = skip_space(p + 1);
        if ((*p == 'q' || *p == 'Q') && p[1] == '=') {
            return parse_weight(p + 2, end);
        }
        p = end;
    }
    return 1000;
}

/* Returns how specific a range is for the type: 3 for the type itself, 2 for any subtype of its main type, 1 for any
 * type, 0 if the range does not include the type. */
static int rate_range(const char *range, apr_size_t length, const char *type)
{
    apr_size_t major = strcspn(type, "/") + 1;

    if (length == strlen(type) && !strncasecmp(range, type, length)) {
        return 3;
    }
    if (length == major + 1 && !strncasecmp(range, type, major) && range[major] == '*') {
        return 2;
    }
    return length == 3 && !strncmp(range, "*/*", 3);
}

int cat_header_quality(const char *accept, const char *type, int *is_named)
{
    int best = 0, quality = 0;

    for (const char *p = accept; *p; p += *p == ',') {
        const char *range = skip_space(p);
        apr_size_t length = strcspn(range, ",; \t");
        int fit = rate_range(range, length, type), weight;

        p = skip_to(range, ",");
        weight = fit > best ? find_weight(skip_space(range + length)) : -1;
        if (weight >= 0) {
            best = fit;
            quality = weight;
        }
    }
    if (is_named) {
        *is_named = best == 3;
    }
    return quality;
}

const char *cat_header_language(const char *accept, const apr_array_header_t *languages)
{
    const char *found = NULL;
    int most = 0;

    for (const char *p = accept ? accept : ""; *p; p += *p == ',') {
        const char *range = skip_space(p), *end = range + strcspn(range, ",; \t");
        apr_size_t length = strcspn(range, "-,; \t");
        int weight;

        p = skip_to(range, ",");
        weight = find_weight(skip_space(end));
        for (int i = 0; i < languages->nelts && weight > most; i++) {
            const char *language = APR_ARRAY_IDX(languages, i, const char *);
            if (length == strlen(language) && !strncasecmp(range, language, length)) {
                found = language;
                most = weight;
            }
        }
    }
    return found;
}

int cat_header_prefers(apr_pool_t *pool, const char *prefer, const char *name, const char *value)
{
    for (const char *p = prefer; p && *p; p += *p == ',') {
        const char *end = p + strcspn(p, ",");
        const char *item = p + strcspn(p, ",;"); /* Without the preference's own parameters. */
        const char *equals = memchr(p, '=', (apr_size_t)(item - p));

        if (!strcasecmp(trim_text(pool, p, equals ? equals : item), name)) {
            return !value || (equals && !strcasecmp(unquote_text(trim_text(pool, equals + 1, item)), value));
        }
        p = end;
    }
    return 0;
}

/* Copies a String from after its opening quotation mark, and returns the text after it. Returns NULL if the String has
 * no end, or has a character that is not allowed. */
static const char *copy_string(const char *p, char *out)
{
    for (; *p != '"'; p++) {
        if (*p == '\\' && *++p != '"' && *p != '\\') {
            return NULL;
        }
        if (*p < ' ' || *p > '~') {
            return NULL;
        }
        *out++ = *p;
    }
    *out = '\0';
    return p + 1;
}

/* Copies bare text up to the first character that is not allowed, and returns the text after it. */
static const char *copy_bare(const char *p, char *out)
{
    while (*p > ' ' && *p <= '~' && !strchr("\",;\\", *p)) {
        *out++ = *p++;
    }
    *out = '\0';
    return p;
}

const char *cat_header_idempotency_key(apr_pool_t *pool, const char *header)
{
    char *key = apr_palloc(pool, strlen(header) + 1);
    const char *p = skip_space(header);
    apr_size_t length;

    p = *p == '"' ? copy_string(p + 1, key) : copy_bare(p, key);
    if (!p || *skip_space(p)) {
        return NULL;
    }
    length = strlen(key);
    return length >= 1 && length <= CAT_HEADER_KEY_MAX ? key : NULL;
}
