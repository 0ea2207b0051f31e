/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_BACKLOG_H
#define CAT_ACCOUNTS_BACKLOG_H

#include "db/job.h"

/* The background job that notes for metrics how many mails wait in the database, since when, which webhooks fail, since when changes wait for
 * their numbers, and the schema's version. A reader of metrics must not wait for a database. */
cat_job_run_t cat_backlog_run;

#endif
