/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_REVOCATIONS_H
#define CAT_ACCOUNTS_REVOCATIONS_H

#include "db/job.h"

/* Learns which sessions other servers have ended, within CatalogRevocationDelay. */
cat_job_run_t cat_revocations_run;

#endif
