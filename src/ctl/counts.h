/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_COUNTS_H
#define CTL_COUNTS_H

#include "ctl/ctl.h"

/* Does what a server's job would do by and by after many products came or went. It is that job's if it cannot be done here. */
void ctl_counts_maintain(ctl_t *ctl);

#endif
