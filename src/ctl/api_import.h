/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_API_IMPORT_H
#define CTL_API_IMPORT_H

#include "ctl/ctl.h"

/* import --api: sends standard input, a file of products, to the server of that URL, with the key that --key names. */
ctl_command_t ctl_api_import_run;

/* What is wrong with the options of a command that has --api, or with its absence; NULL: nothing. given: the letters of the options. */
const char *ctl_api_import_check(const ctl_options_t *options, const char *given);

#endif
