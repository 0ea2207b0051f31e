/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_METRICS_H
#define CAT_HTTPD_METRICS_H

#include <httpd.h>

#include "shm/metrics.h"

/* Returns the current values of all metrics, on the request's pool, including the size of the response cache and the
 * values that jobs have read from the databases. */
cat_metrics_reading_t *cat_metrics_take(request_rec *r);

/* Hooks; see mod_catalog.c. */
int cat_metrics_serve(request_rec *r); /* Serves "SetHandler catalog-metrics". */
int cat_metrics_log(request_rec *r);

#endif
