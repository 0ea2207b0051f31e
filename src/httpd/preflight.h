/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_PREFLIGHT_H
#define CAT_HTTPD_PREFLIGHT_H

#include <httpd.h>

/* map_to_storage hook. Answers CORS preflights (Fetch, 3.2.2) of origins that CatalogAllowOrigin names. */
int cat_preflight_answer(request_rec *r);

#endif
