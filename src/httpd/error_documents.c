/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/error_documents.h"

#include <apr_hash.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>

/* Returns true if the site has an ErrorDocument for the status. httpd treats a status that it does not know as 500. */
static int has_error_document(const core_dir_config *core, int status)
{
    int key = ap_index_of_response(status);
    return (status == HTTP_INTERNAL_SERVER_ERROR || key != ap_index_of_response(HTTP_INTERNAL_SERVER_ERROR)) &&
           apr_hash_get(core->response_code_exprs, &key, sizeof(key));
}

/* Replaces each ErrorDocument by an empty text, so that httpd neither redirects nor runs a document; the filter of
 * reply.c writes the body. Returns at once on sites without ErrorDocuments. */
void cat_error_documents_prevent(request_rec *r)
{
    const core_dir_config *core = ap_get_core_module_config(r->per_dir_config);
    unsigned left = core->response_code_exprs ? apr_hash_count(core->response_code_exprs) : 0;

    for (int status = HTTP_BAD_REQUEST; left && status < 600; status++) {
        if (has_error_document(core, status)) {
            ap_custom_response(r, status, "");
            left--;
        }
    }
}

void cat_error_documents_allow(request_rec *r)
{
    core_request_config *core = ap_get_core_module_config(r->request_config);
    core->response_code_strings = NULL;
}
