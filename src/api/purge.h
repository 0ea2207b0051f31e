/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PURGE_H
#define CAT_API_PURGE_H

#include "catalog.h"

/* Deletes what has expired. */
cat_job_run_t cat_purge_run;

#endif
