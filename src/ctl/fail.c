/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl/ctl.h"

#include <stdio.h>

int ctl_fail(const char *subject, const char *fault)
{
    fprintf(stderr, "catalogctl: %s%s%s\n", subject ? subject : "", subject && fault ? ": " : "", fault ? fault : "");
    return CTL_FAILED;
}
