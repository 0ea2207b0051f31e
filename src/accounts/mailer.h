/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_MAILER_H
#define CAT_ACCOUNTS_MAILER_H

#include "db/job.h"
#include "lib/conf.h"

/* Sends mails that are due, a limited number in each run. Fails if the mail server does not accept mails now. */
cat_job_run_t cat_mailer_run;

#define CAT_MAILER_TOKEN "%t" /* Placeholder for the token in CatalogLink. */

/* Returns the link that contains the token, for a mail with the template, on the pool. The link has the form that
 * CatalogLink sets for the template. Without CatalogLink it leads to the module's own pages; it is only a path if the
 * address of the pages is not configured. `template` must be one of CAT_MAIL_LINKS (accounts/outbox.h). */
const char *cat_mailer_link(apr_pool_t *pool, const cat_conf_t *conf, const char *template, const char *token);

#endif
