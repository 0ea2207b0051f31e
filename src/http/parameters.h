/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_PARAMETERS_H
#define CAT_HTTP_PARAMETERS_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

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
    const char *name;  /* percent-decoded, as it was sent if it cannot be decoded; not empty */
    const char *value; /* percent-decoded ('+' is a space) UTF-8, "" without "="; NULL: it is neither */
} cat_parameter_t;

/* 1: the next parameter, on the pool. 0: there are no more. */
int cat_parameters_next(cat_parameters_t *p, cat_parameter_t *parameter);

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
