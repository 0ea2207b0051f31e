/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_REQUIRE_H
#define CAT_HTTPD_REQUIRE_H

#include <httpd.h>
#include <http_config.h>

/*
 * While a Require line of ours is read: does an AuthType apply there, or is it in a mount, which authenticates by itself? Only what
 * certainly has neither is refused; sections with patterns count as if they applied. NULL: accepted. Otherwise the line to write.
 */
const char *cat_require_check(cmd_parms *cmd, const char *provider);

#endif
