/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LIST_KEY_H
#define CAT_CATALOGUE_LIST_KEY_H

#include <apr.h>

/* A position in the list of products: a number (lib/id.h), which no product need have. */
#define CAT_LIST_KEY_MAX APR_INT64_MAX            /* above the number of every product */
#define CAT_LIST_KEY_NEWEST "9223372036854775807" /* the same as a value of a statement */
#define CAT_LIST_KEY_MIN APR_INT64_C(0)           /* no product has a lower one */

#define CAT_LIST_SORT_MAX 3 /* fields that a client may order a list by */

/* A position in a list in any order. */
typedef struct cat_list_position_t {
    /* One for each field of the query's sort, in its order, the rest NULL; of a plain list none. Text: as the column
     * *_key has it; number: decimal text of the column *_key, "-1" if the field is not set; boolean: "0" or "1"; time:
     * milliseconds; id: the number again. */
    const char *values[CAT_LIST_SORT_MAX];
    apr_int64_t n; /* CAT_LIST_KEY_MAX: the beginning of the list */
} cat_list_position_t;

#endif
