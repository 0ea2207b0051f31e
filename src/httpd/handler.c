/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content handler: calls the function of src/api for a request and sends its answer.
 *
 *     refusal that guard.c has recorded, unknown path, or wrong method
 *       -> Idempotency-Key -> body -> rate limit of the route -> the route's function -> reply.c
 *
 * Each step returns the answer that ends the request, or NULL to go on.
 */
#include "httpd/handler.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <string.h>

#include "catalogue/store.h"
#include "db/db.h"
#include "http/answer.h"
#include "http/cors.h"
#include "http/etag.h"
#include "http/header.h"
#include "http/rate_limit.h"
#include "http/request.h"
#include "http/route.h"
#include "httpd/body.h"
#include "httpd/client.h"
#include "httpd/config_tree.h"
#include "httpd/guard.h"
#include "httpd/identity.h"
#include "httpd/log.h"
#include "httpd/mount.h"
#include "httpd/reply.h"
#include "httpd/routes.h"
#include "httpd/server.h"
#include "httpd/signals.h"
#include "jose/token.h"
#include "lib/json.h"
#include "lib/time.h"
#include "shm/limit.h"

#define DOMAIN_MAX 253 /* Bytes, RFC 1035 2.3.4. */
#define LABELS_MOST 8  /* Labels in the domain name of a host. */

static cat_answer_t *answer_method(request_rec *r, const cat_state_t *state)
{
    int options = !strcmp(r->method, "OPTIONS");
    cat_answer_t *answer = options ? cat_answer_text(r->pool, HTTP_NO_CONTENT, NULL, 0)
                                   : cat_answer_problem(r->pool, CAT_PROBLEM_METHOD, NULL);
    cat_route_match_t patch;

    cat_answer_header(answer, r->pool, "Allow", cat_route_allow(r->pool, cat_routes, state->path));
    cat_route_find(r->pool, cat_routes, "PATCH", state->path, &patch);
    if (options && patch.route) { /* RFC 5789, 3.1 */
        cat_answer_header(answer, r->pool, "Accept-Patch", cat_route_media(patch.route)->types);
    }
    return answer;
}

static int is_foreign(request_rec *r, const cat_conf_t *conf)
{
    const cat_sender_t sender = {
        .site = apr_table_get(r->headers_in, "Sec-Fetch-Site"),
        .origin = apr_table_get(r->headers_in, "Origin"),
        .host = apr_table_get(r->headers_in, "Host"),
    };
    return cat_cors_is_foreign(conf->origins, &sender, conf->base_url);
}

static int count_labels(const char *domain)
{
    int count = 1;

    while ((domain = strchr(domain, '.'))) {
        domain++;
        count++;
    }
    return count;
}

/* Returns true if the host is a domain name of at most LABELS_MOST labels. The client chooses the host, and an answer
 * may name each domain above it several times (api/token_response.c). */
static int is_domain(const char *host)
{
    return host && *host && strlen(host) <= DOMAIN_MAX &&
           !host[strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789-.")] && apr_isalpha(host[strlen(host) - 1]) &&
           count_labels(host) <= LABELS_MOST;
}

static void describe_sender(request_rec *r, cat_request_t *q)
{
    const char *agent = apr_table_get(r->headers_in, "User-Agent");
    q->client = r->useragent_ip;
    q->host = is_domain(r->hostname) ? r->hostname : NULL;
    q->agent = agent ? agent : "";
    q->languages = apr_table_get(r->headers_in, "Accept-Language");
    q->cookies = apr_table_get(r->headers_in, "Cookie");
    q->is_foreign = q->cookies && is_foreign(r, q->conf);
    q->secure = !strcmp(ap_http_scheme(r), "https");
    q->request_id = cat_log_request_id(r);
}

static int is_closed(const cat_request_t *q)
{
    const cat_description_t *about = q->route->about;

    return about->is_open && !about->refuses_closed && !about->is_open(q->conf);
}

static cat_answer_t *run_resource(cat_request_t *q)
{
    if (is_closed(q)) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_ROUTE_UNKNOWN, NULL);
    }
    return q->idempotency_key ? q->route->run_once(q) : q->route->run(q);
}

/* Checks the rate limit that the route's row names, then runs the resource. */
static cat_answer_t *run_counted(cat_request_t *q)
{
    cat_rate_kind_t kind = q->route->rate;
    const char *name = cat_rate_limit_names[kind];
    cat_rate_t rate = q->conf->rates[kind];
    cat_verdict_t verdict;
    cat_answer_t *answer;

    if (kind == CAT_RATE_NONE || !rate.seconds) {
        return run_resource(q);
    }
    verdict = cat_limit_take(q->limits, name, q->network, rate, cat_time_monotonic());
    if (!verdict.allowed) {
        return cat_rate_limit_refuse(q->pool, name, rate, verdict);
    }
    answer = run_resource(q);
    if (answer->malformed) {
        cat_limit_give_back(q->limits, name, q->network, rate, cat_time_monotonic());
        /* The headers of this answer must not say that more requests are allowed. */
    } else if (answer->status != HTTP_TOO_MANY_REQUESTS) {
        cat_rate_limit_describe(q->pool, answer, name, rate, verdict);
    }
    return answer;
}

/* Reads the Idempotency-Key if the request has one and the route accepts it. Returns NULL, or the answer that refuses
 * the key. */
static cat_answer_t *take_key(request_rec *r, cat_request_t *q)
{
    const char *header = q->route->run_once ? apr_table_get(r->headers_in, "Idempotency-Key") : NULL;

    if (!header) {
        return NULL;
    }
    q->idempotency_key = cat_header_idempotency_key(r->pool, header);
    return q->idempotency_key ? NULL : cat_answer_problem(r->pool, CAT_PROBLEM_IDEMPOTENCY_KEY, NULL);
}

/* Reads the body as the route's row says. Returns OK if the body was read or if *refusal says why not; otherwise
 * returns AP_FILTER_ERROR. */
static int read_body(request_rec *r, cat_request_t *q, cat_answer_t **refusal)
{
    *refusal = take_key(r, q);
    if (*refusal) {
        return cat_body_discard(r);
    }
    if (q->route->body == CAT_UPLOAD || q->route->body == CAT_PICTURE) {
        int max = q->route->body == CAT_UPLOAD ? q->conf->max_import : q->conf->max_image;
        *refusal = cat_body_open(r, cat_route_media(q->route), max, &q->upload);
        return *refusal ? cat_body_discard(r) : OK;
    }
    if (q->route->body == CAT_MAY_JSON && !cat_body_is_sent(r)) {
        q->body = cat_json_own(r->pool, json_object());
        return OK;
    }
    return cat_body_read(r, cat_route_media(q->route), q, refusal);
}

static cat_answer_t *run_with_database(cat_request_t *q, cat_source_t *source)
{
    const cat_author_t author = {.user_id = q->user ? q->user->subject : NULL, .source = CAT_SOURCE_REQUEST};
    cat_answer_t *answer;
    int limit;

    q->db = cat_db_make(q->pool, q->conf, source, q->log);
    q->db->author = apr_pmemdup(q->pool, &author, sizeof(author));
    cat_db_serve(q->db, q->network, q->timing);
    answer = run_counted(q);
    limit = answer->limit ? cat_metrics_find(CAT_LABEL_LIMIT, answer->limit) : -1;
    if (limit >= 0) {
        cat_metrics_add(q->metrics, CAT_METRIC_LIMIT_REFUSALS, limit, 1);
    }
    if (!answer->stream) {
        /* Released before the response is written, so that a slow reader holds no connection. */
        cat_db_release(q->db);
    }
    return cat_etag_apply(q->pool, answer, &q->conditions);
}

/* Adds the client's data and the body to the request, then runs the resource. */
static int run_with_body(request_rec *r, cat_request_t *q, cat_source_t *source, cat_answer_t **answer)
{
    int status;

    describe_sender(r, q);
    status = read_body(r, q, answer);
    if (status == OK && !*answer) {
        *answer = run_with_database(q, source);
        status = q->upload ? cat_body_close(r, q->upload) : OK;
    }
    return status;
}

static int run_without_body(request_rec *r, cat_request_t *q, cat_source_t *source, cat_answer_t **answer)
{
    if (q->route->who == CAT_ADMIN || q->route->who == CAT_USER ||
        (q->route->who == CAT_WRITER && r->method_number == M_POST)) {
        describe_sender(r, q); /* The audit table stores the client. */
    } else if (q->route->who == CAT_ANYONE) {
        q->link_token = apr_table_get(r->headers_in, "Link-Token");
    }
    *answer = run_with_database(q, source);
    return cat_body_discard(r);
}

/* Runs the route and honours "Prefer: handling=strict" (RFC 7240), but only on routes that report unknown members of
 * the body or unknown query parameters. */
static int run_as_preferred(request_rec *r, cat_request_t *q, cat_source_t *source, cat_answer_t **answer)
{
    int takes_body = cat_route_media(q->route)->types != NULL, status;
    int is_strict = (takes_body || (q->route->body == CAT_QUERY && q->query)) &&
                    cat_header_prefers(r->pool, apr_table_get(r->headers_in, "Prefer"), "handling", "strict");

    q->strict |= is_strict;
    status = takes_body ? run_with_body(r, q, source, answer) : run_without_body(r, q, source, answer);
    if (*answer && is_strict) {
        cat_answer_header(*answer, r->pool, "Preference-Applied", "handling=strict");
    }
    return status;
}

/* Returns the claims of a valid token, or NULL. Verifies the token here on routes where guard.c has not verified it. */
static const cat_claims_t *find_claims(request_rec *r, const cat_state_t *state)
{
    const cat_claims_t *claims;
    const char *reason;

    if (cat_route_takes_token(state->match.route, state->conf)) {
        return state->refusal ? NULL : state->user;
    }
    return cat_identity_find(r, state->conf, &claims, &reason) == CAT_KNOWN ? claims : NULL;
}

/* Returns NULL unless the user is an administrator of this service: the times show how busy the server is, and what it
 * does. */
static cat_timing_t *make_timing(request_rec *r, const cat_state_t *state)
{
    const cat_claims_t *claims = state->conf->server_timing ? find_claims(r, state) : NULL;
    int is_admin = claims && claims->session && cat_identity_role(claims) == CAT_ROLE_ADMIN;

    return is_admin ? apr_pcalloc(r->pool, sizeof(cat_timing_t)) : NULL;
}

static int is_error_document(request_rec *r)
{
    return r->prev && ap_is_HTTP_ERROR(r->status);
}

/* Builds the request for the resource. Leaves out the conditions (If-Match, If-None-Match) of a failed request: they
 * refer to the path of that request and not to the path of the error document. */
static cat_request_t make_request(request_rec *r, const cat_state_t *state)
{
    const cat_server_t *server = cat_server_get(r->server);
    const cat_mount_t *mount = cat_server_mount(r->server, state->conf);
    const apr_table_t *in = r->headers_in;
    int may_write = cat_identity_may_write(state->user, state->conf);
    const cat_conf_t *conf = may_write || !state->conf->readers ? state->conf : state->conf->readers;
    cat_request_t q = {
        .pool = r->pool,
        .log = cat_log_for_request(r),
        .conf = conf,
        .hashing = server->hashing,
        .imaging = server->imaging,
        .limits = server->limits,
        .metrics = server->metrics,
        .revoked = server->revoked,
        .now = r->request_time,
        .routes = cat_routes,
        .openapi = !mount                  ? NULL
                   : conf->readers == conf ? mount->openapi_of_readers
                                           : mount->openapi,
        .route = state->match.route,
        .query = state->query,
        .network = cat_client_network(r->pool, r->useragent_addr, r->useragent_ip),
        .strict = state->conf->strict,
        .user = state->user,
        .refusal = state->refusal,
        .may_write = may_write,
        .timing = make_timing(r, state),
    };

    if (!is_error_document(r)) {
        q.conditions = (cat_conditions_t){apr_table_get(in, "If-Match"), apr_table_get(in, "If-None-Match")};
    }
    memcpy(q.params, state->match.params, sizeof(q.params));
    return q;
}

static int run_route(request_rec *r, const cat_state_t *state, cat_answer_t **answer)
{
    cat_request_t q = make_request(r, state);
    int status = run_as_preferred(r, &q, cat_server_source(r->server, state->conf), answer);

    if (*answer && q.conf->currency && q.route->about->headers & CAT_HEADER_CURRENCY) {
        cat_answer_header(*answer, r->pool, "Catalog-Currency", q.conf->currency);
    }
    if (*answer && q.timing) {
        cat_answer_header(*answer, r->pool, "Server-Timing",
                          cat_timing_format(r->pool, q.timing, apr_time_now() - r->request_time));
    }
    return status;
}

/* Returns the answer to a request that reaches no resource, or NULL if a resource handles the request. */
static cat_answer_t *refuse_request(request_rec *r, cat_state_t *state)
{
    cat_answer_t *refusal;

    if (state->failed) {
        return cat_reply_status(r, state->failed);
    }
    if (!state->match.resource) {
        return cat_answer_problem(r->pool, CAT_PROBLEM_ROUTE_UNKNOWN, NULL);
    }
    if (!state->match.route) {
        return answer_method(r, state);
    }
    refusal = cat_guard_refusal(r, state);
    /* The handler of such a route checks the refresh token first. */
    return state->match.route->who == CAT_HOLDER ? NULL : refusal;
}

/* Answers the request. If an ErrorDocument leads into a mount, the answer becomes the body of the failed request, which
 * keeps its status. */
static int answer_request(request_rec *r, cat_state_t *state)
{
    cat_answer_t *answer = refuse_request(r, state);
    int status = answer ? cat_body_discard(r) : run_route(r, state, &answer);

    if (status != OK) {
        return status;
    }
    if (is_error_document(r) && ap_is_HTTP_ERROR(answer->status)) {
        answer = cat_reply_status(r, r->status);
    } else if (is_error_document(r)) {
        answer->status = r->status;
        answer->etag = NULL;
    }
    return answer->file ? cat_reply_pass_file(r, answer) : cat_reply_send(r, answer);
}

/* Returns true for the handler of this module and for that of mod_dav. mod_dav sets its handler for all methods but GET
 * and POST where "Dav On" is in force. */
static int is_ours(const char *handler)
{
    return handler && (!strcmp(handler, CAT_HANDLER_NAME) || !strcmp(handler, "dav-handler"));
}

int cat_handler_run(request_rec *r)
{
    cat_state_t *state = cat_mount_state(r);
    int status;

    if (!state || !is_ours(r->handler)) {
        return DECLINED;
    }
    cat_signals_block();
    status = answer_request(r, state);
    cat_signals_unblock();
    return status;
}

/* ---- the handler that the site sets ---- */

/* Returns the SetHandler of a section. Merging copies the pointer, so comparing pointers shows which section a setting
 * comes from. */
static const void *handler_of(const core_dir_config *section)
{
    return section->expr_handler ? (const void *)section->expr_handler : section->handler;
}

static int is_set_around(request_rec *r, const char *mount)
{
    const core_server_config *server = ap_get_core_module_config(r->server->module_config);
    const void *in_force = handler_of(ap_get_core_module_config(r->per_dir_config));

    if (!in_force) {
        return 0; /* Another module chose the handler, as mod_rewrite does for a rule in a <Location>. */
    }
    if (handler_of(ap_get_core_module_config(r->server->lookup_defaults)) == in_force) {
        return 1;
    }
    for (int i = 0; i < server->sec_url->nelts; i++) {
        const core_dir_config *section =
            ap_get_core_module_config(APR_ARRAY_IDX(server->sec_url, i, ap_conf_vector_t *));
        if (handler_of(section) == in_force && !section->r && section->d &&
            cat_config_tree_is_below(mount, section->d) && !cat_config_tree_is_below(section->d, mount)) {
            return 1;
        }
    }
    return 0;
}

int cat_handler_fix(request_rec *r)
{
    const cat_state_t *state = cat_mount_state(r);

    if (state && strcmp(r->handler, CAT_HANDLER_NAME) && is_set_around(r, state->conf->mount)) {
        r->handler = CAT_HANDLER_NAME;
    }
    return DECLINED;
}

int cat_handler_check(request_rec *r)
{
    const cat_state_t *state = cat_mount_state(r);

    if (state && !is_ours(r->handler)) {
        cat_mount_warn_of_other(
            r, state->conf, state->match.resource,
            apr_psprintf(r->pool,
                         "a section around them has a SetHandler, or a RewriteRule, for the handler %s; leave the "
                         "mount out of that section: <LocationMatch \"^(?!%s(/|$))\">",
                         r->handler, state->conf->mount));
    }
    return DECLINED;
}
