/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_JSON_H
#define CAT_LIB_JSON_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <jansson.h>
#include <string.h>

#include "lib/buffer.h"

/* Limits of cat_json_parse: levels of nesting, and the total number of commas and opening brackets. The second limit
 * bounds memory, because a value of two bytes of text takes a hundred bytes. */
#define CAT_JSON_DEPTH_MAX 32
#define CAT_JSON_MARKS_MAX 200000

/*
 * Parses JSON text (RFC 8259) of `length` bytes: any type of value, valid UTF-8, without BOM, duplicate keys, NUL in
 * strings or text after the value. Numbers must fit into int64 or double. The value lives as long as the pool. Returns
 * NULL if the text is malformed and sets *why, on the pool, to an explanation for the client.
 */
json_t *cat_json_parse(apr_pool_t *pool, const char *text, apr_size_t length, const char **why);

/*
 * Parses JSON text for storage, as cat_json_parse does, with two differences. Integers beyond int64 become real
 * numbers, because JavaScript writes large doubles that way. Inside an object or array, a real number whose stored text
 * would be another number (cat_number_is_exact) is replaced by an object, so that no caller takes it for a number.
 */
json_t *cat_json_parse_exact(apr_pool_t *pool, const char *text, apr_size_t length, const char **why);

/* Parses one value for storage as cat_json_parse_exact does. The value itself may be such a replaced number. Returns
 * NULL if the text is not exactly one JSON value. */
json_t *cat_json_parse_value(apr_pool_t *pool, const char *text, apr_size_t length);

/* Returns the object that replaces a number, as a new reference. */
json_t *cat_json_make_inexact(const char *number);

/* Returns the text of the number that the object replaces. Returns NULL for any other value. */
const char *cat_json_inexact(const json_t *value);

/* Transfers the reference to the pool: its cleanup calls json_decref. Returns `value`, which may be NULL. */
json_t *cat_json_own(apr_pool_t *pool, json_t *value);

/* Returns the compact text of a value, on the pool. The value must not contain real numbers: 19.99 would become
 * 19.989999999999998. */
const char *cat_json_text(apr_pool_t *pool, const json_t *value);

/*
 * Writes the compact text of a value of cat_json_parse_exact, with members in their order and numbers as
 * cat_number_format writes them. Returns NULL if all numbers are exact. Otherwise returns the text of the first number
 * that is not, on the buffer's pool; the caller then discards the output.
 */
const char *cat_json_add_value(cat_buffer_t *b, const json_t *value);

/*
 * Applies a merge patch (RFC 7396) to a value. Returns a new reference. `target` is NULL if the value is absent. Does
 * not change `target` and `patch`, but the result may share values with both. The result is not nested deeper than the
 * deeper of the two.
 */
json_t *cat_json_merge(const json_t *target, const json_t *patch);

/* Writes valid UTF-8 text as a JSON string with its quotes. Escapes only ", \ and U+0000 to U+001F. */
void cat_json_add_string(cat_buffer_t *b, const char *text);

/* Writes a member with a string value. `name` is the text before the value, such as ",\"name\":". */
void cat_json_add_member(cat_buffer_t *b, const char *name, const char *text);

/* Writes the beginning of the next member of the object that the buffer contains: the separator, the name and a colon.
 * Begins the object if the buffer is empty. `name` is the escaped name without quotes. */
void cat_json_begin_member(cat_buffer_t *b, const char *name, apr_size_t length);

/* Member in the text of an object. Both pointers point into that text: to the name as it is escaped there, without
 * quotes, and to the value. */
typedef struct cat_json_member_t {
    const char *name, *value;
    apr_size_t name_length, value_length;
} cat_json_member_t;

/* Returns the next member of an object's text without building a tree. *at is the text of the object on the first call,
 * and advances; the text may continue after the object. Returns 0 if there are no more members, or if the text is not
 * JSON. */
int cat_json_next_member(const char **at, cat_json_member_t *m);

/* Finds a member by name in the text of an object. `name` must not need escapes; `text` may be NULL. Returns 0 if there
 * is no such member. */
int cat_json_find_member(const char *text, const char *name, cat_json_member_t *m);

/* Returns true if the member has this name. `name` must not need escapes. */
static inline int cat_json_is_named(const cat_json_member_t *m, const char *name)
{
    return !strncmp(name, m->name, m->name_length) && !name[m->name_length];
}

#endif
