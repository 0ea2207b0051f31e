/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_BACKLOG_H
#define CAT_ACCOUNTS_BACKLOG_H

#include "db/job.h"

/* The background job that reads figures for the metrics from the database: the number of waiting and dead mails, dead
 * and failing webhooks, the age of the oldest mail and of the oldest change without a number, and the version of the
 * schema. It stores them in shared memory, because a request for metrics must not wait for a database. */
cat_job_run_t cat_backlog_run;

#endif
