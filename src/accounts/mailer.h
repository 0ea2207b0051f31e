/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAILER_H
#define CAT_ACCOUNTS_MAILER_H

#include "db/job.h"

/* Sends the mails that are due, a few at a time. Fails if the mail server does not take them now. */
cat_job_run_t cat_mailer_run;

#endif
