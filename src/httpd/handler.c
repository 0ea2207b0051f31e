/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/handler.h"

#include <apr_strings.h>
#include <http_protocol.h>
#include <string.h>

#include "db/db.h"
#include "httpd/body.h"
#include "httpd/client.h"
#include "httpd/guard.h"
#include "httpd/identity.h"
#include "httpd/lifecycle.h"
#include "httpd/log.h"
#include "httpd/mount.h"
#include "httpd/reply.h"
#include "httpd/routes.h"
#include "lib/header.h"
#include "lib/json.h"
#include "shm/rate.h"

static cat_answer_t *answer_method(request_rec *r, const cat_state_t *state)
{
    int options = !strcmp(r->method, "OPTIONS");
    cat_answer_t *answer = options ? cat_answer_text(r->pool, HTTP_NO_CONTENT, NULL, 0)
                                   : cat_answer_problem(r->pool, CAT_PROBLEM_METHOD, NULL);
    cat_answer_header(answer, r->pool, "Allow", cat_route_allow(r->pool, cat_routes, state->path));
    return answer;
}

static void describe_sender(request_rec *r, cat_request_t *q)
{
    const char *agent = apr_table_get(r->headers_in, "User-Agent");
    q->client = r->useragent_ip;
    q->network = cat_client_network(r->pool, r->useragent_addr, r->useragent_ip);
    q->agent = agent ? agent : "";
    q->cookies = apr_table_get(r->headers_in, "Cookie");
    q->secure = !strcmp(ap_http_scheme(r), "https");
}

/* Runs the resource, behind the limit that the route's row names. */
static cat_answer_t *run_counted(cat_request_t *q)
{
    static const char *const names[CAT_RATE_COUNT] = {"", "login", "register", "mail"};
    cat_rate_kind_t kind = q->route->rate;
    cat_rate_t rate = q->conf->rates[kind];
    cat_verdict_t verdict;
    cat_answer_t *answer;

    if (kind == CAT_RATE_NONE || !rate.seconds) {
        return q->route->run(q);
    }
    verdict = cat_limit_take(q->limits, names[kind], q->network, rate, apr_time_now());
    if (!verdict.allowed) {
        return cat_rate_refuse(q->pool, names[kind], rate, verdict);
    }
    answer = q->route->run(q);
    if (answer->status != HTTP_TOO_MANY_REQUESTS) { /* or it would say that more are allowed */
        cat_rate_describe(q->pool, answer, names[kind], rate, verdict);
    }
    return answer;
}

static int takes_body(const cat_route_t *route)
{
    return route->body == CAT_JSON || route->body == CAT_MAY_JSON;
}

/* OK: the body is there, or *refusal says why not. */
static int read_body(request_rec *r, cat_request_t *q, cat_answer_t **refusal)
{
    if (q->route->body == CAT_MAY_JSON && !cat_body_is_sent(r)) {
        q->body = cat_json_own(r->pool, json_object());
        return OK;
    }
    return cat_body_read(r, q->conf->max_body, &q->body, refusal);
}

static int prefers_strict(request_rec *r)
{
    return cat_header_prefers(r->pool, apr_table_get(r->headers_in, "Prefer"), "handling", "strict");
}

static cat_answer_t *run_with_database(cat_request_t *q, cat_source_t *source)
{
    cat_answer_t *answer;

    q->db = cat_db_make(q->pool, q->conf, source, q->log);
    answer = run_counted(q);
    cat_db_release(q->db); /* before the response is written: a slow reader holds no connection */
    return cat_etag_apply(q->pool, answer, &q->conditions);
}

/* The same, with all that is to be known of a body and of who sent it. */
static int run_with_body(request_rec *r, cat_request_t *q, cat_source_t *source, cat_answer_t **answer)
{
    int is_strict = prefers_strict(r), status;

    q->strict |= is_strict;
    describe_sender(r, q);
    status = read_body(r, q, answer);
    if (status == OK && !*answer) {
        *answer = run_with_database(q, source);
    }
    if (*answer && is_strict) {
        cat_answer_header(*answer, r->pool, "Preference-Applied", "handling=strict");
    }
    return status;
}

/* Builds what the resource sees of the request, and runs it. */
static int run_route(request_rec *r, const cat_state_t *state, cat_answer_t **answer)
{
    const cat_server_t *server = cat_lifecycle_server(r->server);
    cat_source_t *source = cat_lifecycle_source(r->server, state->conf);
    cat_request_t q = {
        .pool = r->pool,
        .log = cat_log_for_request(r),
        .conf = state->conf,
        .hashing = server->hashing,
        .limits = server->limits,
        .revoked = server->revoked,
        .now = r->request_time,
        .route = state->match.route,
        .query = state->query,
        .conditions = {apr_table_get(r->headers_in, "If-Match"), apr_table_get(r->headers_in, "If-None-Match")},
        .strict = state->conf->strict,
        .user = state->user,
        .may_write = cat_identity_may_write(state->user, state->conf),
    };

    memcpy(q.params, state->match.params, sizeof(q.params));
    if (takes_body(q.route)) {
        return run_with_body(r, &q, source, answer);
    }
    *answer = run_with_database(&q, source);
    return OK;
}

int cat_handler_run(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);
    cat_answer_t *answer;
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
