/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/status.h"

#include <httpd.h>
#include <http_protocol.h>
#include <math.h>
#include <mod_status.h>

#include "httpd/metrics.h"
#include "shm/metrics_text.h"

static void print_metric(request_rec *r, cat_metric_t metric, double total, int is_short)
{
    const char *name = cat_metrics_text_name(r->pool, metric);

    if (isnan(total)) {
        return;
    }
    if (is_short) {
        ap_rprintf(r, "%s: %.0f\n", name, total);
    } else {
        ap_rprintf(r, "<tr><td>%s</td><td>%.0f</td><td>%s</td></tr>\n", name, total, cat_metric_rows[metric].help);
    }
}

static int print_summary(request_rec *r, int flags)
{
    const cat_metrics_reading_t *reading = cat_metrics_take(r);
    int is_short = flags & AP_STATUS_SHORT;

    if (!is_short) {
        ap_rputs("<hr />\n<h2>mod_catalog</h2>\n<table>\n<tr><th>Metric</th><th>Total</th><th>Meaning</th></tr>\n", r);
    }
    for (int i = 0; i < CAT_METRICS; i++) {
        print_metric(r, (cat_metric_t)i, cat_metrics_total(reading, (cat_metric_t)i), is_short);
    }
    if (!is_short) {
        ap_rputs("</table>\n", r);
    }
    return OK;
}

void cat_status_register_hook(void)
{
    APR_OPTIONAL_HOOK(ap, status_hook, print_summary, NULL, NULL, APR_HOOK_MIDDLE);
}
