/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_PARAMETERS_H
#define CAT_HTTP_PARAMETERS_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

#include "http/description.h"
#include "lib/buffer.h"

/* The parameters of a query string, read one after the other, and the faults found in them. */
typedef struct cat_parameters_t {
    apr_pool_t *pool;
    const char *rest;            /* of the raw query string; NULL: none */
    int strict;                  /* flag: an unknown parameter is a fault */
    int unknown;                 /* how many there were */
    json_t *errors;              /* array of {field, code, message}, in the order of the parameters; NULL: none */
    apr_array_header_t *ignored; /* const char *: names of unknown parameters; NULL: none */
} cat_parameters_t;

/* text: a raw query string, NULL for none. */
void cat_parameters_init(cat_parameters_t *p, apr_pool_t *pool, int strict, const char *text);

typedef struct cat_parameter_t {
    const char *name;  /* percent-decoded, as it was sent if it cannot be decoded; "" only if strict */
    const char *value; /* percent-decoded ('+' is a space) UTF-8, "" without "="; NULL: it is neither */
} cat_parameter_t;

/* 1: the next parameter, on the pool. 0: there are no more. "=value", which has no name, is skipped unless strict. */
int cat_parameters_next(cat_parameters_t *p, cat_parameter_t *parameter);

/* Is the parameter of a list called that: "sort" or "sort[]"? */
int cat_parameters_is_list(const cat_parameter_t *parameter, const char *name);

/* The values of a list (const char *), at least one, on the pool; NULL for one that cannot be decoded. first: its first
 * parameter, which was read last. If it stands alone and has no "[]", its value is several, separated by commas: "\," is
 * a comma in one of them, "\\" a backslash. Otherwise each parameter of that name, wherever it follows, is one value, as it
 * is; they are all still to be read. */
apr_array_header_t *cat_parameters_list(const cat_parameters_t *p, const char *name, const cat_parameter_t *first);

enum {
    CAT_PARAMETER_REPEATS = 1, /* of several the first one counts; otherwise the second one is a fault */
    CAT_PARAMETER_REQUIRED = 2 /* its absence is a fault (code "required") */
};

/* A row of a route's parameter table, which ends with CAT_PARAMETERS_END. */
struct cat_parameter_row_t {
    const char *name;
    int flags; /* CAT_PARAMETER_... */
    void (*parse)(void *query, cat_parameters_t *p, const cat_parameter_t *parameter);
    json_t *(*describe)(const cat_conf_t *conf); /* its schema, for /openapi.json */
    const char *about;                           /* a sentence without full stop */
    const char *example;                         /* JSON */
};

#define CAT_PARAMETERS_END {NULL, 0, NULL, NULL, NULL, NULL}

/* Reads all parameters by a table of at most 32 parameters: parse is called once for each that is there, with query; others
 * are unknown. If a row has brackets, other names with brackets are faults (code "unknown"), unless they begin like a row
 * that repeats: "page[]". */
void cat_parameters_parse(cat_parameters_t *p, const cat_parameter_row_t *rows, void *query);

/* Adds the parameters of a table to the description of a route. */
void cat_parameters_describe(cat_describer_t *d, const cat_parameter_row_t *rows);

/* What the page and the limit of any list are. */
#define CAT_PARAMETERS_PAGE "The number of the page, from 1; a non-integer counts as absent"
#define CAT_PARAMETERS_LIMIT                                                                                           \
    "How many entries a page has; a non-integer counts as absent, more than the maximum as the maximum"

/* Schemas for such a table: any text; a time; page and limit of a list. */
json_t *cat_parameters_describe_text(const cat_conf_t *conf);
json_t *cat_parameters_describe_time(const cat_conf_t *conf);
json_t *cat_parameters_describe_page(const cat_conf_t *conf);
json_t *cat_parameters_describe_limit(const cat_conf_t *conf);

/* Finds a parameter's value in a list that ends with NULL: its index; -1: it is not in the list, and a fault has been
 * added. message: "must ...". */
int cat_parameters_choose(cat_parameters_t *p, const cat_parameter_t *parameter, const char *value,
                          const char *const *choices, const char *message);

/* Adds a fault of the parameter. message: "must ...". */
void cat_parameters_add_error(cat_parameters_t *p, const char *name, const char *code, const char *message);

/* Adds the fault of a parameter that is there twice (code "duplicate"). */
void cat_parameters_add_repeated(cat_parameters_t *p, const char *name);

/* Adds a parameter that means nothing here: a fault (code "unknown") if strict, else to ignored. Only the first
 * CAT_FIELDS_UNKNOWN_MAX are named. */
void cat_parameters_add_unknown(cat_parameters_t *p, const char *name);

/* page and limit of a list. An integer of any size is taken; what is none, or is less than 1, counts as absent: then the
 * page is 1, and the limit its default. A limit above `most` is `most`. */
apr_int64_t cat_parameters_parse_page(const cat_parameter_t *parameter);
apr_int64_t cat_parameters_parse_limit(const cat_parameter_t *parameter, apr_int64_t otherwise, apr_int64_t most);

/* Writes a name or a value of a query string: all but letters, digits, "-", ".", "_", "~" and "," is percent-encoded. */
void cat_parameters_write(cat_buffer_t *b, const char *text);

#endif
