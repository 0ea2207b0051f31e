/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_HANDLER_H
#define CAT_HTTPD_HANDLER_H

#include <httpd.h>

/* handler hook: the module's only content handler. */
int cat_handler_run(request_rec *r);

/* fixups hook. Undoes a SetHandler that a section around the mount has set. A SetHandler in the mount's own section, or
 * in a section below the mount, stays in force. */
int cat_handler_fix(request_rec *r);

/* fixups hook. Logs CAT074 if another module's handler answers requests for a route. */
int cat_handler_check(request_rec *r);

#endif
