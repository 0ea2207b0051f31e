/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_WEBHOOKS_H
#define CAT_CATALOGUE_WEBHOOKS_H

/* What the rooms above include of webhooks: the job that sends them. */

#include "catalogue/webhooks/webhook_job.h"

#endif
