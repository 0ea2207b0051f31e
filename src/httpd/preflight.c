/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/preflight.h"

#include <httpd.h>

#include "http/cors.h"
#include "httpd/body.h"
#include "httpd/mount.h"
#include "httpd/reply.h"
#include "httpd/routes.h"
#include "httpd/signals.h"

/* Browsers send a preflight without credentials, and send nothing else until it has succeeded. So the preflight is
 * answered before the site's access rules, which would refuse it. The answer says only which methods a route has. */
int cat_preflight_answer(request_rec *r)
{
    const cat_state_t *state = cat_mount_state(r);
    cat_answer_t *answer;
    const char *methods;
    int status;

    if (!state || r->method_number != M_OPTIONS || !apr_table_get(r->headers_in, "Access-Control-Request-Method") ||
        !state->match.resource || state->failed ||
        !cat_cors_allows(state->conf->origins, apr_table_get(r->headers_in, "Origin"))) {
        return DECLINED;
    }
    methods = cat_route_allow(r->pool, cat_routes, state->path);
    answer = cat_answer_text(r->pool, HTTP_NO_CONTENT, NULL, 0);
    cat_answer_header(answer, r->pool, "Allow", methods);
    cat_cors_describe_preflight(r->pool, answer, methods, state->conf->allow_headers);
    status = cat_body_discard(r);
    if (status != OK) {
        return status;
    }
    cat_signals_block();
    cat_reply_send(r, answer);
    cat_signals_unblock();
    return DONE;
}
