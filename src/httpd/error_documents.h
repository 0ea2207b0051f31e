/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_ERROR_DOCUMENTS_H
#define CAT_HTTPD_ERROR_DOCUMENTS_H

#include <httpd.h>

/* Disable the site's ErrorDocuments for this request, and enable them again. */
void cat_error_documents_prevent(request_rec *r);
void cat_error_documents_allow(request_rec *r);

#endif
