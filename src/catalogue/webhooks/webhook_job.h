/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_WEBHOOKS_WEBHOOK_JOB_H
#define CAT_CATALOGUE_WEBHOOKS_WEBHOOK_JOB_H

#include "db/job.h"

/* Sends what has changed to the URLs of conf->webhooks, until all of them have it or wait for another attempt. It may take as long as a
 * receiver needs to answer, so no other job should wait for it. */
cat_job_run_t cat_webhook_job_run;

#endif
