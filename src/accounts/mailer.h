/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAILER_H
#define CAT_ACCOUNTS_MAILER_H

#include "db/job.h"
#include "lib/conf.h"

/* Sends the mails that are due, a few at a time. Fails if the mail server does not take them now. */
cat_job_run_t cat_mailer_run;

#define CAT_MAILER_TOKEN "%t" /* stands for the token in CatalogLink */

/* The link with a token of a mail's template, to the pages or as CatalogLink says; without an address of the site only its path. */
const char *cat_mailer_link(apr_pool_t *pool, const cat_conf_t *conf, const char *template, const char *token);

#endif
