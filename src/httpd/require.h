/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_REQUIRE_H
#define CAT_HTTPD_REQUIRE_H

#include <httpd.h>
#include <http_config.h>

/*
 * While "Require catalog-..." is read: checks that an AuthType applies there, or that it is in a mount, which authenticates by itself.
 * Refuses only what certainly has neither; sections with patterns count as applying. NULL: accepted. Otherwise the line to add.
 */
const char *cat_require_check(cmd_parms *cmd, const char *provider);

#endif
