/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and writes JSON. jansson parses, but keeps real numbers as doubles. cat_json_parse_exact therefore replaces,
 * in the text, each number that a double would change by an object, so that the check of the field can refuse the
 * number and say why. Texts are written by this file instead of jansson, because a list has many of them.
 */
#include "lib/json.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/number.h"

/* Returns why the text has too many levels or values, or NULL. jansson's own limit of 2048 levels would need much
 * stack, also in functions that traverse the value later. A surplus closing bracket makes depth negative, but jansson
 * refuses the text at that bracket. */
static const char *find_excess(const char *text, apr_size_t length)
{
    int depth = 0, marks = 0, in_string = 0;

    for (apr_size_t i = 0; i < length; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                in_string = 0;
            }
        } else if (c == '"') {
            in_string = 1;
        } else if (c == '[' || c == '{') {
            marks++;
            if (++depth > CAT_JSON_DEPTH_MAX) {
                return "nested deeper than " APR_STRINGIFY(CAT_JSON_DEPTH_MAX) " levels";
            }
        } else if (c == ']' || c == '}') {
            depth--;
        } else if (c == ',') {
            marks++;
        }
    }
    return marks > CAT_JSON_MARKS_MAX ? "too many values" : NULL;
}

/* Removes the text near the error from jansson's message, because it may be part of a password. Replaces the messages
 * about U+0000, because they mention jansson's flags. */
static const char *explain_error(apr_pool_t *pool, json_error_t *error)
{
    char *near = strstr(error->text, " near '");

    if (json_error_code(error) == json_error_null_character || json_error_code(error) == json_error_null_byte_in_key) {
        return apr_psprintf(pool, "line %d, column %d: U+0000 is not allowed", error->line, error->column);
    }
    if (near) {
        *near = '\0';
    }
    return apr_psprintf(pool, "line %d, column %d: %s", error->line, error->column, error->text);
}

json_t *cat_json_parse(apr_pool_t *pool, const char *text, apr_size_t length, const char **why)
{
    json_error_t error;
    json_t *value;

    *why = find_excess(text, length);
    if (*why) {
        return NULL;
    }
    value = cat_json_own(pool, json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error));
    if (!value) {
        *why = explain_error(pool, &error);
        return NULL;
    }
    if (memchr(text, '\0', length)) { /* jansson overlooks a NUL after a real number */
        *why = "U+0000 is not allowed";
        return NULL;
    }
    return value;
}

/* ---- numbers that a double would change ---- */

#define INEXACT "" /* name of the only member of the object that replaces such a number */

json_t *cat_json_make_inexact(const char *number)
{
    return json_pack("{s:s}", INEXACT, number);
}

/* Checks the text as well, because a client may have sent an object of this form. */
const char *cat_json_inexact(const json_t *value)
{
    const char *text = json_object_size(value) == 1 ? json_string_value(json_object_get(value, INEXACT)) : NULL;
    double number;

    return text && cat_number_parse_real(text, &number) ? text : NULL;
}

/* Returns the number of bytes of a string, including its quotes. */
static apr_size_t measure_string(const char *text, apr_size_t length)
{
    apr_size_t end = 1;

    while (end < length && text[end] != '"') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return end < length ? end + 1 : length;
}

static apr_size_t measure_number(const char *text, apr_size_t length)
{
    apr_size_t end = 0;

    while (end < length && text[end] && strchr("0123456789+-.eE", text[end])) {
        end++;
    }
    return end;
}

/* Returns the replacement of a number, on the pool. Returns NULL if the number stays. */
typedef const char *replace_t(apr_pool_t *pool, const char *number, apr_size_t length);

static const char *replace_inexact(apr_pool_t *pool, const char *number, apr_size_t length)
{
    int is_real = memchr(number, '.', length) || memchr(number, 'e', length) || memchr(number, 'E', length);

    return is_real && !cat_number_is_exact(pool, number, length)
               ? apr_psprintf(pool, "{\"" INEXACT "\":\"%.*s\"}", (int)length, number)
               : NULL;
}

static const char *replace_integer(apr_pool_t *pool, const char *number, apr_size_t length)
{
    return cat_number_is_beyond_integer(number, length) ? apr_psprintf(pool, "%.*s.0", (int)length, number) : NULL;
}

/* Copies JSON text with replacements for some numbers. Returns the number of replacements. Leaves the buffer
 * uninitialized if there are none. */
static int replace_numbers(apr_pool_t *pool, cat_buffer_t *b, const char *text, apr_size_t length, replace_t *replace)
{
    const char *copied = text, *end = text + length;
    int replaced = 0;

    for (apr_size_t piece; text < end; text += piece) {
        apr_size_t rest = (apr_size_t)(end - text);
        int is_number = (*text >= '0' && *text <= '9') || *text == '-';
        const char *other;

        piece = *text == '"' ? measure_string(text, rest) : is_number ? measure_number(text, rest) : 1;
        other = is_number ? replace(pool, text, piece) : NULL;
        if (other) {
            if (!replaced++) {
                cat_buffer_init(b, pool, length + sizeof("{\"\":\"\"}"));
            }
            cat_buffer_add(b, copied, (apr_size_t)(text - copied));
            cat_buffer_add_text(b, other);
            copied = text + piece;
        }
    }
    if (replaced) {
        cat_buffer_add(b, copied, (apr_size_t)(end - copied));
    }
    return replaced;
}

/* Writes large integers with ".0" first. jansson refuses integers beyond 64 bits, but JavaScript writes large doubles
 * that way: 100000000000000000000. */
json_t *cat_json_parse_exact(apr_pool_t *pool, const char *text, apr_size_t length, const char **why)
{
    json_t *value = cat_json_parse(pool, text, length, why);
    cat_buffer_t wide, exact;
    const char *other;

    if (!value && replace_numbers(pool, &wide, text, length, replace_integer)) {
        value = cat_json_parse(pool, wide.data, wide.length, &other);
        text = wide.data;
        length = wide.length;
    }
    if ((json_is_object(value) || json_is_array(value)) &&
        replace_numbers(pool, &exact, text, length, replace_inexact)) {
        return cat_json_parse(pool, exact.data, exact.length, why);
    }
    return value;
}

json_t *cat_json_parse_value(apr_pool_t *pool, const char *text, apr_size_t length)
{
    const char *array = apr_pstrcat(pool, "[", apr_pstrmemdup(pool, text, length), "]", NULL), *why;
    json_t *values = cat_json_parse_exact(pool, array, strlen(array), &why);

    return json_array_size(values) == 1 ? json_array_get(values, 0) : NULL;
}

static apr_status_t release_value(void *value)
{
    json_decref(value);
    return APR_SUCCESS;
}

json_t *cat_json_own(apr_pool_t *pool, json_t *value)
{
    if (value) {
        apr_pool_cleanup_register(pool, value, release_value, apr_pool_cleanup_null);
    }
    return value;
}

static int add_dumped(const char *data, size_t length, void *buffer)
{
    cat_buffer_add(buffer, data, length);
    return 0;
}

const char *cat_json_text(apr_pool_t *pool, const json_t *value)
{
    cat_buffer_t b;
    cat_buffer_init(&b, pool, 256);
    json_dump_callback(value, add_dumped, &b, JSON_COMPACT | JSON_ENCODE_ANY);
    return cat_buffer_text(&b);
}

/* Sets the high bit of each byte that is zero ("haszero" of Hacker's Delight, 6-1). The byte above a zero byte may be
 * marked by mistake, so only the lowest mark is reliable. */
#define BYTES(value) (UINT64_C(0x0101010101010101) * (value))

static apr_uint64_t mark_zeros(apr_uint64_t word)
{
    return (word - BYTES(1)) & ~word & BYTES(0x80);
}

/* Returns the number of bytes at the beginning of the text that need no escape. Compares 8 bytes at a time
 * (docs/decisions/0030-tricks-that-pay.md). */
static apr_size_t plain_length(const char *text, apr_size_t length)
{
    apr_size_t i = 0;

    for (; i + sizeof(apr_uint64_t) <= length; i += sizeof(apr_uint64_t)) {
        apr_uint64_t word;
        memcpy(&word, text + i, sizeof(word));
        if (mark_zeros(word & BYTES(0xe0)) | mark_zeros(word ^ BYTES('"')) | mark_zeros(word ^ BYTES('\\'))) {
            break; /* bytes below 0x20 have none of the upper three bits */
        }
    }
    while (i < length && (unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\') {
        i++;
    }
    return i;
}

void cat_json_add_string(cat_buffer_t *b, const char *text)
{
    const char *end = text + strlen(text);

    CAT_BUFFER_LITERAL(b, "\"");
    for (;;) {
        apr_size_t plain = plain_length(text, end - text);
        unsigned char c = (unsigned char)text[plain];
        char escape[sizeof("\\u0000")];

        cat_buffer_add(b, text, plain);
        text += plain;
        if (text == end) {
            break;
        }
        cat_buffer_add(b, escape, apr_snprintf(escape, sizeof(escape), c < 0x20 ? "\\u%04x" : "\\%c", c));
        text++;
    }
    CAT_BUFFER_LITERAL(b, "\"");
}

void cat_json_add_member(cat_buffer_t *b, const char *name, const char *text)
{
    cat_buffer_add_text(b, name);
    cat_json_add_string(b, text);
}

void cat_json_begin_member(cat_buffer_t *b, const char *name, apr_size_t length)
{
    cat_buffer_add_text(b, b->length ? ",\"" : "{\"");
    cat_buffer_add(b, name, length);
    CAT_BUFFER_LITERAL(b, "\":");
}

static const char *add_elements(cat_buffer_t *b, const json_t *array)
{
    const char *inexact = NULL;
    size_t i;
    json_t *element;

    CAT_BUFFER_LITERAL(b, "[");
    json_array_foreach (array, i, element) {
        cat_buffer_add_text(b, i ? "," : "");
        inexact = inexact ? inexact : cat_json_add_value(b, element);
    }
    CAT_BUFFER_LITERAL(b, "]");
    return inexact;
}

static const char *add_members(cat_buffer_t *b, const json_t *object)
{
    const char *inexact = NULL, *key, *before = "{";
    json_t *member;

    json_object_foreach ((json_t *)object, key, member) {
        cat_buffer_add_text(b, before);
        cat_json_add_string(b, key);
        CAT_BUFFER_LITERAL(b, ":");
        inexact = inexact ? inexact : cat_json_add_value(b, member);
        before = ",";
    }
    cat_buffer_add_text(b, *before == '{' ? "{}" : "}");
    return inexact;
}

/* Writes the members unless the object replaces a number. An object that contains an exact number comes from the
 * client. */
static const char *add_object(cat_buffer_t *b, const json_t *object)
{
    const char *inexact = cat_json_inexact(object);

    return inexact && !cat_number_is_exact(b->pool, inexact, strlen(inexact)) ? apr_pstrdup(b->pool, inexact)
                                                                              : add_members(b, object);
}

/* Recursion is bounded because cat_json_parse limits the depth. */
const char *cat_json_add_value(cat_buffer_t *b, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return add_object(b, value);
    case JSON_ARRAY:
        return add_elements(b, value);
    case JSON_STRING:
        cat_json_add_string(b, json_string_value(value));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        cat_buffer_add_text(b, cat_number_format(b->pool, value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        cat_buffer_add_text(b, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
        break;
    }
    return NULL;
}

/* ---- merge patches ---- */

/* Recursion is bounded because cat_json_parse limits the depth. */
json_t *cat_json_merge(const json_t *target, const json_t *patch)
{
    json_t *merged, *value;
    const char *key;

    if (!json_is_object(patch)) {
        return json_incref((json_t *)patch);
    }
    merged = json_is_object(target) ? json_copy((json_t *)target) : json_object();
    json_object_foreach ((json_t *)patch, key, value) {
        if (json_is_null(value)) {
            json_object_del(merged, key);
        } else {
            json_object_set_new(merged, key, cat_json_merge(json_object_get(merged, key), value));
        }
    }
    return merged;
}

/* ---- members of an object's text ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Returns the position after the string that begins at `at`, or the end of an incomplete text. `at` is the opening
 * quote. */
static const char *skip_string(const char *at)
{
    for (at++; *(at += strcspn(at, "\"\\")) == '\\';) {
        at += at[1] ? 2 : 1;
    }
    return at + (*at == '"');
}

static const char *skip_value(const char *at)
{
    int depth = 0;

    while (*at && (depth > 0 || (*at != ',' && *at != '}'))) {
        if (*at == '"') {
            at = skip_string(at);
        } else {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
        }
    }
    return at;
}

int cat_json_find_member(const char *text, const char *name, cat_json_member_t *m)
{
    int is_found = 0;

    while (text && !is_found && cat_json_next_member(&text, m)) {
        is_found = cat_json_is_named(m, name);
    }
    return is_found;
}

int cat_json_next_member(const char **at, cat_json_member_t *m)
{
    const char *text = skip_blanks(*at);

    if (*text != '{' && *text != ',') {
        return 0;
    }
    text = skip_blanks(text + 1);
    if (*text != '"') {
        return 0;
    }
    m->name = text + 1;
    text = skip_string(text);
    m->name_length = (apr_size_t)(text - m->name) - (text > m->name);
    text = skip_blanks(text);
    m->value = skip_blanks(text + (*text == ':'));
    *at = skip_value(m->value);
    m->value_length = (apr_size_t)(*at - m->value);
    while (m->value_length > 0 && strchr(" \t\r\n", m->value[m->value_length - 1])) {
        m->value_length--;
    }
    return m->value_length > 0;
}
