/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_HANDLER_H
#define CAT_HTTPD_HANDLER_H

#include <httpd.h>

/* The one content handler. */
int cat_handler_run(request_rec *r);

#endif
