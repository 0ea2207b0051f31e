/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_OPTIONS_H
#define CAT_HTTP_OPTIONS_H

#include "http/description.h"
#include "http/parameters.h"

/* A query parameter that takes one of a few words. */
typedef struct cat_option_t {
    const char *name;
    const char *about;        /* what it means, in a sentence without full stop */
    const char *const *words; /* ends with NULL */
    int chosen;               /* index of the word that was sent; before that, the default's */
    int is_sent;              /* flag */
} cat_option_t;

/* 0: none of the options, which end with one without a name, has the parameter's name. 1: it is chosen, or its fault is
 * added to p: code "choice" for a word that is none of them, or "duplicate". */
int cat_options_take(cat_parameters_t *p, cat_option_t *options, const cat_parameter_t *parameter);

/* Adds the options to the description of a route. */
void cat_options_describe(cat_describer_t *d, const cat_option_t *options);

#endif
