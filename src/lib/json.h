/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_JSON_H
#define CAT_LIB_JSON_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <jansson.h>
#include <string.h>

#include "lib/buffer.h"

/* Deeper nesting of arrays and objects than this is refused; and more commas and opening brackets, because a value of
 * two octets takes a hundred in memory. */
#define CAT_JSON_DEPTH_MAX 32
#define CAT_JSON_MARKS_MAX 200000

/*
 * Parses length bytes of JSON text (RFC 8259): any value at the top, no BOM, nothing after the value, valid UTF-8, no
 * duplicate keys, no NUL in a string, numbers within int64 or double. The value lives on the pool. NULL: the text is
 * malformed, and *why, on the pool, says how in words for the client.
 */
json_t *cat_json_parse(apr_pool_t *pool, const char *text, apr_size_t length, const char **why);

/*
 * The same for what is to be stored. Integers beyond int64 are real numbers, as JavaScript writes them. A real number within an object or
 * array that would be stored as another one (cat_number_is_exact) becomes an object in its place, so that no reader takes it for a number;
 * cat_json_make_inexact makes it, a new reference, and cat_json_inexact returns the number's text, NULL for other values.
 */
json_t *cat_json_parse_exact(apr_pool_t *pool, const char *text, apr_size_t length, const char **why);

/* The same of one value, which may be such a number itself; NULL: the text is none, or several. */
json_t *cat_json_parse_value(apr_pool_t *pool, const char *text, apr_size_t length);

json_t *cat_json_make_inexact(const char *number);
const char *cat_json_inexact(const json_t *value);

/* Transfers a reference to the pool, whose cleanup calls json_decref. Returns value; NULL stays NULL. */
json_t *cat_json_own(apr_pool_t *pool, json_t *value);

/* Compact text of a value, on the pool. Not for values with real numbers: 19.99 would become 19.989999999999998. */
const char *cat_json_text(apr_pool_t *pool, const json_t *value);

/*
 * Writes the compact text of a value of cat_json_parse_exact, its members in their order and its numbers as cat_number_format writes them.
 * NULL, or the text of a number within that would be stored as another one, on the buffer's pool: what was written is of no use then.
 */
const char *cat_json_add_value(cat_buffer_t *b, const json_t *value);

/*
 * Applies a merge patch (RFC 7396) to a value. target NULL is an absent value. Returns a new reference; target and patch stay as they are, and
 * the result may share values with both. The result is not nested deeper than the deeper of the two.
 */
json_t *cat_json_merge(const json_t *target, const json_t *patch);

/* Writes valid UTF-8 text as a JSON string with its quotes. Only ", \ and U+0000 to U+001F are escaped. */
void cat_json_add_string(cat_buffer_t *b, const char *text);

/* Writes a member whose value is such a string. name: as it is written, such as ",\"name\":". */
void cat_json_add_member(cat_buffer_t *b, const char *name, const char *text);

/* Begins the next member of the object that the buffer consists of; if it is empty, begins the object, too. name: as it is spelled in
 * JSON, without its quotation marks. */
void cat_json_begin_member(cat_buffer_t *b, const char *name, apr_size_t length);

/* A member of an object, within the object's text: the name as it is spelled there, without its quotation marks, and the value. */
typedef struct cat_json_member_t {
    const char *name, *value;
    apr_size_t name_length, value_length;
} cat_json_member_t;

/* Steps through the text of an object, without a tree. *at: at first the text, which may have more behind the object. 0: there are
 * no more members, or the text is not JSON. */
int cat_json_next_member(const char **at, cat_json_member_t *m);

/* The member of a text of an object, or of NULL, that has the name, one that needs no escapes. 0: it has none. */
int cat_json_find_member(const char *text, const char *name, cat_json_member_t *m);

/* Is this its name, one that needs no escapes? */
static inline int cat_json_is_named(const cat_json_member_t *m, const char *name)
{
    return !strncmp(name, m->name, m->name_length) && !name[m->name_length];
}

#endif
