/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_COUNTS_H
#define CTL_COUNTS_H

#include "ctl/ctl.h"

/* Maintains the counts after many products were added, which a server's job would do over time. If it fails, that job will do it. */
void ctl_counts_maintain(ctl_t *ctl);

#endif
