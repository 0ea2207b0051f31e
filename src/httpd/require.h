/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_REQUIRE_H
#define CAT_HTTPD_REQUIRE_H

#include <httpd.h>
#include <http_config.h>

/*
 * Checks, while httpd reads a "Require catalog-..." line, that an AuthType applies to it or that it is in a mount,
 * which authenticates by itself. Refuses only a line that certainly has neither; a section with a pattern counts as
 * applying. Returns NULL if the line is accepted. Otherwise returns the cause and the line to add.
 */
const char *cat_require_check(cmd_parms *cmd, const char *provider);

#endif
