/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_METRICS_H
#define CAT_HTTPD_METRICS_H

#include <httpd.h>

#include "shm/metrics.h"

/* The values of now, with those that the server's own memory and its jobs know, on the request's pool. */
cat_metrics_reading_t *cat_metrics_take(request_rec *r);

/* Hooks; see mod_catalog.c. */
int cat_metrics_serve(request_rec *r); /* "SetHandler catalog-metrics" */
int cat_metrics_log(request_rec *r);

#endif
