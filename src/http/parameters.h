/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_PARAMETERS_H
#define CAT_HTTP_PARAMETERS_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

#include "http/description.h"
#include "lib/buffer.h"

/* The parameters of a query string, which are read one after the other, and the faults found in them. */
typedef struct cat_parameters_t {
    apr_pool_t *pool;
    const char *rest;         /* Unread rest of the raw query string, or NULL. */
    int strict;               /* True if an unknown parameter is a fault. */
    int unknown;              /* Number of unknown parameters. */
    const char *const *names; /* Known names, with NULL at the end, for suggestions. NULL if there are none. */
    json_t *errors; /* Array of {field, code, message}, in the order of the parameters. NULL if there is no fault. */
    apr_array_header_t *ignored; /* Names of unknown parameters, as const char *. NULL if there is none. */
} cat_parameters_t;

/* Prepares to read a raw query string. `text` is NULL if there is none. */
void cat_parameters_init(cat_parameters_t *p, apr_pool_t *pool, int strict, const char *text);

typedef struct cat_parameter_t {
    /* Percent-decoded name, or the name as it was sent if it cannot be decoded. "" only if `strict` is set. */
    const char *name;
    /* Percent-decoded value in UTF-8 ('+' is a space), or "" without "=". NULL if it cannot be decoded. */
    const char *value;
} cat_parameter_t;

/* Reads the next parameter, onto the pool. Returns false if there is none left. Skips "=value", which has no name,
 * unless `strict` is set. */
int cat_parameters_next(cat_parameters_t *p, cat_parameter_t *parameter);

/* Returns true if the parameter belongs to the list: its name is `name` or `name` with "[]", such as "sort" or
 * "sort[]". */
int cat_parameters_is_list(const cat_parameter_t *parameter, const char *name);

/* Returns the values of a list, as const char *, on the pool. There is at least one; a value that cannot be decoded is
 * NULL. `first` is the list's first parameter, which was read last. If `first` is the only parameter of the list and
 * has no "[]", its value contains several values, separated by commas; "\," is a comma within a value and "\\" a
 * backslash. Otherwise each parameter of the list is one value as it is. cat_parameters_next still returns those after
 * `first`. */
apr_array_header_t *cat_parameters_list(const cat_parameters_t *p, const char *name, const cat_parameter_t *first);

enum {
    /* The first parameter of the name counts. Without this flag, a second one is a fault. */
    CAT_PARAMETER_REPEATS = 1,
    CAT_PARAMETER_REQUIRED = 2 /* A missing parameter is a fault (code "required"). */
};

/* A row of a route's parameter table, which ends with CAT_PARAMETERS_END. */
struct cat_parameter_row_t {
    const char *name;
    int flags; /* Bits CAT_PARAMETER_x. */
    void (*parse)(void *query, cat_parameters_t *p, const cat_parameter_t *parameter);
    json_t *(*describe)(const cat_conf_t *conf); /* Returns the parameter's schema for /openapi.json. */
    const char *about;                           /* A sentence without full stop. */
    const char *example;                         /* JSON text. */
};

#define CAT_PARAMETERS_END {NULL, 0, NULL, NULL, NULL, NULL}

/* Reads all parameters by a table of at most 32 rows. Calls a row's `parse` with `query` once if the parameter was
 * sent. Parameters without a row are unknown. If a row has brackets, unknown names with brackets are faults (code
 * "unknown"), unless they begin with the name of a row that may repeat: "page[]". */
void cat_parameters_parse(cat_parameters_t *p, const cat_parameter_row_t *rows, void *query);

void cat_parameters_describe(cat_describer_t *d, const cat_parameter_row_t *rows);

/* Descriptions of the page and the limit of any list. */
#define CAT_PARAMETERS_PAGE "The number of the page, from 1; a non-integer counts as absent"
#define CAT_PARAMETERS_LIMIT                                                                                           \
    "How many entries a page has; a non-integer counts as absent, more than the maximum as the maximum"

/* Return schemas for such a table: of any text, of a time, and of the page and the limit of a list. */
json_t *cat_parameters_describe_text(const cat_conf_t *conf);
json_t *cat_parameters_describe_time(const cat_conf_t *conf);
json_t *cat_parameters_describe_page(const cat_conf_t *conf);
json_t *cat_parameters_describe_limit(const cat_conf_t *conf);

/* Returns the index of `value` in `choices`, which ends with NULL. Returns -1, and adds a fault, if `value` is not in
 * it. `message` begins with "must". */
int cat_parameters_choose(cat_parameters_t *p, const cat_parameter_t *parameter, const char *value,
                          const char *const *choices, const char *message);

/* Adds a fault of a parameter. `message` continues a sentence that begins with the name, such as "must ...". */
void cat_parameters_add_error(cat_parameters_t *p, const char *name, const char *code, const char *message);

/* Adds the fault of a parameter that was sent twice (code "duplicate"). */
void cat_parameters_add_repeated(cat_parameters_t *p, const char *name);

/* Adds an unknown parameter: as a fault (code "unknown") if `strict` is set, otherwise to `ignored`. Names only the
 * first CAT_FIELDS_UNKNOWN_MAX of them. */
void cat_parameters_add_unknown(cat_parameters_t *p, const char *name);

/* Return the page and the limit of a list. Accept an integer of any size. If the value is no integer or less than 1,
 * the page is 1, and the limit is `otherwise`. A limit above `most` becomes `most`. */
apr_int64_t cat_parameters_parse_page(const cat_parameter_t *parameter);
apr_int64_t cat_parameters_parse_limit(const cat_parameter_t *parameter, apr_int64_t otherwise, apr_int64_t most);

/* Writes a name or a value of a query string. Percent-encodes all characters but letters, digits, "-", ".", "_", "~"
 * and ",". */
void cat_parameters_write(cat_buffer_t *b, const char *text);

#endif
