/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_HANDLER_H
#define CAT_HTTPD_HANDLER_H

#include <httpd.h>

/* The one content handler. */
int cat_handler_run(request_rec *r);

/* fixups hook: undoes a SetHandler of a section around the mount. One in the mount's own section, or in a deeper one, stays. */
int cat_handler_fix(request_rec *r);

/* fixups hook: logs that another module's handler answers requests for a route. */
int cat_handler_check(request_rec *r);

#endif
