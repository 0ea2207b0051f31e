/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/handler.h"

#include <string.h>

#include "db/db.h"
#include "httpd/body.h"
#include "httpd/guard.h"
#include "httpd/lifecycle.h"
#include "httpd/log.h"
#include "httpd/mount.h"
#include "httpd/reply.h"
#include "httpd/routes.h"
#include "lib/header.h"

static const cat_answer_t *answer_method(request_rec *r, const cat_state_t *state)
{
    int options = !strcmp(r->method, "OPTIONS");
    cat_answer_t *answer = options ? cat_answer_text(r->pool, HTTP_NO_CONTENT, NULL, 0)
                                   : cat_answer_problem(r->pool, CAT_PROBLEM_METHOD, NULL);
    cat_answer_header(answer, r->pool, "Allow", cat_route_allow(r->pool, cat_routes, state->path));
    return answer;
}

/* Builds what the resource sees of the request, and runs it. */
static int run_route(request_rec *r, const cat_state_t *state, const cat_answer_t **answer)
{
    const cat_server_t *server = cat_lifecycle_server(r->server);
    const char *prefer = apr_table_get(r->headers_in, "Prefer");
    int prefers_strict = cat_header_prefers(r->pool, prefer, "handling", "strict");
    cat_answer_t *made = NULL;
    int status = OK;
    cat_request_t q = {
        .pool = r->pool,
        .log = cat_log_for_request(r),
        .conf = state->conf,
        .hashing = server->hashing,
        .now = r->request_time,
        .route = state->match.route,
        .query = r->args,
        .strict = prefers_strict || state->conf->strict,
        .user = state->user,
    };

    memcpy(q.params, state->match.params, sizeof(q.params));
    if (q.route->body == CAT_JSON) {
        status = cat_body_read(r, state->conf->max_body, &q.body, &made);
    }
    if (status == OK && !made) {
        q.db = cat_db_make(r->pool, q.conf, cat_lifecycle_source(r->server, q.conf), q.log);
        made = q.route->run(&q);
        cat_db_release(q.db); /* before the response is written: a slow reader holds no connection */
    }
    if (made && prefers_strict && q.route->body == CAT_JSON) {
        cat_answer_header(made, r->pool, "Preference-Applied", "handling=strict");
    }
    *answer = made;
    return status;
}

int cat_handler_run(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);
    const cat_answer_t *answer;
    int status = OK;

    if (!state || strcmp(r->handler, CAT_HANDLER_NAME)) {
        return DECLINED;
    }
    if (state->failed) {
        answer = cat_answer_problem(r->pool, cat_answer_find_problem(state->failed), NULL);
    } else if (!state->match.known) {
        answer = cat_answer_problem(r->pool, CAT_PROBLEM_ROUTE_UNKNOWN, NULL);
    } else if (!state->match.route) {
        answer = answer_method(r, state);
    } else {
        answer = cat_guard_refusal(r, state);
        if (!answer) {
            status = run_route(r, state, &answer);
        }
    }
    return status == OK ? cat_reply_send(r, answer) : status;
}
