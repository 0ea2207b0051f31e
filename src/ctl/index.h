/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_INDEX_H
#define CTL_INDEX_H

#include "catalogue/index.h"
#include "ctl/ctl.h"

/* What is derived of the products, compared with them. */
typedef struct ctl_index_found_t {
    apr_int64_t rows;    /* products */
    apr_int64_t wrong;   /* of which something derived is missing or out of date */
    apr_int64_t unknown; /* words that the dictionary lacks, once a portion */
    apr_int64_t gone;    /* that are no longer there, while something derived is */
    const char *example; /* the id of one that is wrong, or is gone; NULL: there is none */
} ctl_index_found_t;

/* Compares the products, or about as many as `most`, a portion here and there; 0: all. */
apr_status_t ctl_index_compare(ctl_t *ctl, cat_indexes_step_t *compare, int most, ctl_index_found_t *found);

#endif
