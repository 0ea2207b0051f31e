/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_OPTIONS_H
#define CAT_HTTP_OPTIONS_H

#include "http/description.h"
#include "http/parameters.h"

/* A query parameter that takes one of a few words. */
typedef struct cat_option_t {
    const char *name;
    const char *about;        /* What the parameter means, in a sentence without full stop. */
    const char *const *words; /* Ends with NULL. */
    int chosen;               /* Index of the word that was sent; until then, of the default. */
    int is_sent;              /* True if the parameter was sent. */
} cat_option_t;

/* Reads the parameter if it is one of the options, which end with an option without a name. Returns false if it is not.
 * Returns true if it is, after setting `chosen` or adding a fault to `p`: code "choice" for an unknown word, or
 * "duplicate". */
int cat_options_take(cat_parameters_t *p, cat_option_t *options, const cat_parameter_t *parameter);

void cat_options_describe(cat_describer_t *d, const cat_option_t *options);

#endif
