/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_METRICS_TEXT_H
#define CAT_SHM_METRICS_TEXT_H

#include "lib/buffer.h"
#include "shm/metrics.h"

/* Writes the metric table and the values as text. */
typedef enum {
    CAT_METRICS_PROMETHEUS, /* Prometheus text format 0.0.4 */
    CAT_METRICS_OPENMETRICS /* OpenMetrics 1.0 */
} cat_metrics_format_t;

/* Writes all series that have a value. Omits a series with the label "route" until it has counted something, except
 * those of CAT_METRIC_REQUESTS for paths and methods of the route table and the codes 2xx, 4xx and 5xx. */
void cat_metrics_text_write(cat_buffer_t *b, const cat_metrics_t *metrics, const cat_metrics_reading_t *reading,
                            cat_metrics_format_t format);

/* Returns the name of the metric for mod_status, on the pool: "CatalogCacheHits" for catalog_cache_hits_total. */
const char *cat_metrics_text_name(apr_pool_t *pool, cat_metric_t metric);

#endif
