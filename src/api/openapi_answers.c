/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the responses of a route in /openapi.json: its success, and each way in which it can fail.
 *
 *     row of the route table (token, body, Idempotency-Key)    } -> problems, by status -> responses."404"
 *     the route's own list, cat_description_t.problems         }
 *     http/response_headers.def: a function for each header      -> headers of these responses
 *
 * Responses that several routes have in common are described once, as components.
 */
#include "api/openapi_answers.h"

#include <apr_strings.h>
#include <stdlib.h>

#include "http/problem_details.h"

/* ---- headers ---- */

/* The responses of a route that have a header, as bits. */
typedef enum { NEVER, IN_SUCCESS, IN_FAILURES, IN_ALL } where_t;

static int reads_names(const cat_route_t *route)
{
    return route->body != CAT_NO_BODY;
}

static int has_problem(const cat_route_t *route, cat_problem_t problem)
{
    for (const cat_problem_t *p = route->about->problems; p && *p != CAT_PROBLEM_COUNT; p++) {
        if (*p == problem) {
            return 1;
        }
    }
    return 0;
}

int cat_openapi_answers_is_conditional(const cat_route_t *route)
{
    return route->about->headers & CAT_HEADER_ETAG
               ? !strcmp(route->method, "GET") || has_problem(route, CAT_PROBLEM_PRECONDITION)
               : has_problem(route, CAT_PROBLEM_PRECONDITION);
}

int cat_openapi_answers_is_limited(const cat_conf_t *conf, const cat_route_t *route)
{
    return route->rate != CAT_RATE_NONE && conf->rates && conf->rates[route->rate].seconds > 0;
}

/* Returns true if api/idempotency.c limits requests of anonymous clients that repeat an Idempotency-Key with a
 * different body. */
static int counts_repetitions(const cat_route_t *route)
{
    return route->run_once && route->who == CAT_ANYONE;
}

static where_t find_tag(const cat_conf_t *, const cat_route_t *route)
{
    where_t where = route->about->headers & CAT_HEADER_ETAG ? IN_SUCCESS : NEVER;
    return cat_openapi_answers_is_conditional(route) ? (where_t)(where | IN_FAILURES) : where;
}

static where_t find_currency(const cat_conf_t *conf, const cat_route_t *route)
{
    return conf->currency && route->about->headers & CAT_HEADER_CURRENCY ? IN_ALL : NEVER;
}

static where_t find_ignored(const cat_conf_t *, const cat_route_t *route)
{
    return reads_names(route) ? IN_ALL : NEVER;
}

static where_t find_replayed(const cat_conf_t *, const cat_route_t *route)
{
    return route->run_once ? IN_SUCCESS : NEVER;
}

static where_t find_limit(const cat_conf_t *conf, const cat_route_t *route)
{
    return cat_openapi_answers_is_limited(conf, route) || counts_repetitions(route) ||
                   has_problem(route, CAT_PROBLEM_TOO_MANY)
               ? IN_ALL
               : NEVER;
}

static where_t find_accept(const cat_conf_t *, const cat_route_t *route)
{
    return cat_route_media(route)->types ? IN_FAILURES : NEVER;
}

static where_t find_accept_patch(const cat_conf_t *, const cat_route_t *route)
{
    return route->body == CAT_PATCH ? IN_FAILURES : NEVER;
}

static where_t find_challenge(const cat_conf_t *conf, const cat_route_t *route)
{
    return cat_route_takes_token(route, conf) || has_problem(route, CAT_PROBLEM_CREDENTIALS) ||
                   has_problem(route, CAT_PROBLEM_REFRESH)
               ? IN_FAILURES
               : NEVER;
}

static where_t find_failures(const cat_conf_t *, const cat_route_t *)
{
    return IN_FAILURES;
}

static const struct header_t {
    const char *name;
    /* Returns the responses of the route that have the header. NULL if all responses have it when the route has
     * `flag`. */
    where_t (*find)(const cat_conf_t *conf, const cat_route_t *route);
    unsigned flag;       /* CAT_HEADER_x. If it is 0 and `find` is NULL, the header is not described. */
    int least, most;     /* Range of the statuses of failures that have the header. Both are 0 if no failure has it. */
    const char *example; /* Value, as a text. */
    const char *about;   /* A sentence without a full stop. */
} headers[] = {
#define HEADER(kind, ...) {__VA_ARGS__},
#include "http/response_headers.def"
};

/* Stands in the place of a status for all failures that the route does not declare. */
#define ANY_FAILURE 1000
#define ANY_FAILURE_NAME "default"

#define HEADERS (sizeof(headers) / sizeof(headers[0]))

/* Adds the header as a component unless it exists, and returns a reference to it. */
static json_t *refer_to_header(cat_describer_t *d, const struct header_t *header)
{
    if (!json_object_get(d->headers, header->name)) {
        json_object_set_new(d->headers, header->name,
                            json_pack("{s:o, s:{s:s}, s:s}", "description", json_sprintf("%s.", header->about),
                                      "schema", "type", "string", "example", header->example));
    }
    return cat_schema_refer("headers", header->name);
}

static int has_header(const cat_describer_t *d, const struct header_t *header, const cat_route_t *route, int status)
{
    where_t where = header->find ? header->find(d->conf, route) : route->about->headers & header->flag ? IN_ALL : NEVER;

    if (status < 400) {
        return where & IN_SUCCESS;
    }
    return where & IN_FAILURES &&
           (status == ANY_FAILURE ? header->most : status >= header->least && status <= header->most);
}

/* Returns references to the headers of a response, or NULL if it has none. */
static json_t *name_headers(cat_describer_t *d, const cat_route_t *route, int status)
{
    json_t *names = json_object();

    for (size_t i = 0; i < HEADERS; i++) {
        if (has_header(d, &headers[i], route, status)) {
            json_object_set_new(names, headers[i].name, refer_to_header(d, &headers[i]));
        }
    }
    if (!json_object_size(names)) {
        json_decref(names);
        return NULL;
    }
    return names;
}

/* ---- failures ---- */

typedef struct problems_t {
    unsigned char has[CAT_PROBLEM_COUNT];
} problems_t;

/* Adds the problems of a list that ends with CAT_PROBLEM_COUNT. The list may be NULL. */
static void add_problems(problems_t *problems, const cat_problem_t *list)
{
    for (; list && *list != CAT_PROBLEM_COUNT; list++) {
        problems->has[*list] = 1;
    }
}

#define ADD(problems, ...) add_problems(problems, (const cat_problem_t[]){__VA_ARGS__, CAT_PROBLEM_COUNT})

/* Adds the problems that httpd/body.c and the handler report for the body, and for the Idempotency-Key. */
static void add_of_input(problems_t *problems, const cat_route_t *route)
{
    if (cat_route_media(route)->types) {
        ADD(problems, CAT_PROBLEM_BODY, CAT_PROBLEM_TIMEOUT, CAT_PROBLEM_BODY_TOO_LARGE, CAT_PROBLEM_MEDIA_TYPE,
            CAT_PROBLEM_REFUSED_VALUES);
        if (route->body != CAT_UPLOAD && route->body != CAT_PICTURE) {
            ADD(problems, CAT_PROBLEM_JSON);
        }
    }
    if (reads_names(route)) {
        ADD(problems, CAT_PROBLEM_VALIDATION);
    }
    if (route->run_once) {
        ADD(problems, CAT_PROBLEM_IDEMPOTENCY_KEY, CAT_PROBLEM_IDEMPOTENCY_BUSY, CAT_PROBLEM_IDEMPOTENCY_SEALED,
            CAT_PROBLEM_IDEMPOTENCY_REUSED);
    }
}

static problems_t find_problems(const cat_describer_t *d, const cat_route_t *route)
{
    problems_t problems = {{0}};

    ADD(&problems, CAT_PROBLEM_BAD_REQUEST, CAT_PROBLEM_INTERNAL, CAT_PROBLEM_UNABLE);
    if (!route->about->needs_no_database || cat_route_takes_token(route, d->conf)) {
        ADD(&problems, CAT_PROBLEM_DATABASE, CAT_PROBLEM_UNAVAILABLE, CAT_PROBLEM_DATABASE_NOT_READY,
            CAT_PROBLEM_DATABASE_READ_ONLY);
        if (strcmp(route->method, "GET") != 0) {
            ADD(&problems, CAT_PROBLEM_UNSURE, CAT_PROBLEM_DISK_FULL);
        }
    }
    if (cat_route_takes_token(route, d->conf)) { /* httpd/guard.c reports these problems */
        ADD(&problems, CAT_PROBLEM_TOKEN_REQUEST, CAT_PROBLEM_TOKEN_INVALID, CAT_PROBLEM_TOKEN_TOO_LONG,
            CAT_PROBLEM_TOKEN_MALFORMED, CAT_PROBLEM_TOKEN_EXPIRED, CAT_PROBLEM_TOKEN_REVOKED);
    }
    if (cat_route_takes_token(route, d->conf) && route->who != CAT_READER) {
        ADD(&problems, CAT_PROBLEM_UNAUTHORIZED, CAT_PROBLEM_SCOPE);
    }
    if (route->about->takes_cookie) {
        ADD(&problems, CAT_PROBLEM_CROSS_SITE, CAT_PROBLEM_COOKIES);
    }
    add_of_input(&problems, route);
    if (cat_openapi_answers_is_limited(d->conf, route) || counts_repetitions(route)) {
        ADD(&problems, CAT_PROBLEM_TOO_MANY);
    }
    if (cat_openapi_answers_is_conditional(route)) {
        ADD(&problems, CAT_PROBLEM_PRECONDITION);
    }
    add_problems(&problems, route->about->problems);
    return problems;
}

/* Adds the problem's title to the description, as in "Validation failed, or: Invalid JSON". */
static void add_words(json_t *response, const char *message)
{
    const char *before = json_string_value(json_object_get(response, "description"));

    if (!before) {
        json_object_set_new(response, "description", json_string(message));
    } else if (!strstr(before, message)) {
        json_object_set_new(response, "description", json_sprintf("%s, or: %s", before, message));
    }
}

static const cat_shape_t details_type = {.kind = CAT_SHAPE_TEXT, .example = "\"/api/problems/product-not-found\""};
static const cat_shape_t details_status = {.kind = CAT_SHAPE_WHOLE, .example = "404"};
static const cat_member_t details_members[] = {
    {"type", &details_type, CAT_ALWAYS, "The problem; GET of this URI says what it means"},
    {"title", &cat_schema_text, CAT_ALWAYS, "What went wrong, in a few words for people"},
    {"status", &details_status, CAT_ALWAYS, "The status of the answer"},
    {"detail", &cat_schema_text, CAT_USUALLY, "Its cause, in a sentence"},
    {"requestId", &cat_schema_text, CAT_USUALLY, "The request, as the server's logs name it"},
    {"errors", &cat_description_errors, CAT_RARELY, "Each fault of the request"},
    CAT_MEMBER_END,
};
static const cat_shape_t details = {.kind = CAT_SHAPE_OBJECT, .name = "ProblemDetails", .members = details_members};

/* Returns true if the failure can happen after an import has stored some of the rows. */
static int is_of_import(const cat_route_t *route, int status)
{
    return route->body == CAT_UPLOAD && status >= 500 && status != ANY_FAILURE;
}

/* Starts the description of a failure. Only a 400 and the failure of an import use the route's own shape,
 * about->refusal. */
static json_t *begin_failure(cat_describer_t *d, const cat_route_t *route, int status)
{
    int says_more = status == 400 || is_of_import(route, status);
    const cat_shape_t *shape = says_more && route->about->refusal ? route->about->refusal : &cat_description_problem;
    json_t *other = cat_schema_of_shape(d->schemas, &details);

    /* Clients may request problem details (http/problem_details.h), which may have more members (RFC 9457, 3.2). */
    json_object_set_new(json_object_get(d->schemas, details.name), "additionalProperties", json_true());
    return json_pack("{s:o, s:{s:{s:o, s:{}}, s:{s:o}}}", "headers", name_headers(d, route, status), "content",
                     "application/json", "schema", cat_schema_of_shape(d->schemas, shape), "examples",
                     CAT_PROBLEM_DETAILS_TYPE, "schema", other);
}

static void add_example(cat_describer_t *d, json_t *response, cat_problem_t problem)
{
    json_t *media = json_object_get(json_object_get(response, "content"), "application/json");
    const cat_problem_row_t *row = &cat_problem_rows[problem];

    if (!json_object_get(d->examples, row->name)) {
        json_object_set_new(
            d->examples, row->name,
            json_pack("{s:{s:b, s:s, s:s*}}", "value", "success", 0, "message", row->message, "error", row->error));
    }
    json_object_set_new(json_object_get(media, "examples"), row->name, cat_schema_refer("examples", row->name));
}

static void add_problem(cat_describer_t *d, const cat_route_t *route, cat_problem_t problem, json_t *responses)
{
    const cat_problem_row_t *row = &cat_problem_rows[problem];
    const char *status = apr_itoa(d->pool, row->status);
    json_t *response = json_object_get(responses, status);

    if (!response) {
        response = begin_failure(d, route, row->status);
        json_object_set_new(responses, status, response);
    }
    add_words(response, row->message);
    add_example(d, response, problem);
}

/* ---- success ---- */

static json_t *describe_json(cat_describer_t *d, const cat_shape_t *shape)
{
    return json_pack("{s:{s:o}}", "application/json", "schema", cat_schema_of_shape(d->schemas, shape));
}

static json_t *describe_content(cat_describer_t *d, const cat_description_t *about)
{
    if (about->describe_content) {
        return about->describe_content(d);
    }
    return about->shape ? describe_json(d, about->shape) : NULL;
}

static void add_success(cat_describer_t *d, const cat_route_t *route, json_t *responses)
{
    const cat_description_t *about = route->about;

    json_object_set_new(responses, apr_itoa(d->pool, about->status),
                        json_pack("{s:o, s:o*, s:o*}", "description", json_sprintf("%s.", about->answered), "headers",
                                  name_headers(d, route, about->status), "content", describe_content(d, about)));
    if (about->other_status) {
        json_object_set_new(
            responses, apr_itoa(d->pool, about->other_status),
            json_pack("{s:o, s:o*, s:o}", "description", json_sprintf("%s.", about->other_answered), "headers",
                      name_headers(d, route, about->other_status), "content",
                      about->other_shape ? describe_json(d, about->other_shape) : about->describe_content(d)));
    }
    if (about->headers & CAT_HEADER_ETAG && !strcmp(route->method, "GET")) {
        json_object_set_new(responses, "304",
                            json_pack("{s:s, s:o}", "description", "The client has this state already.", "headers",
                                      name_headers(d, route, 304)));
    }
}

/* ---- shared responses ---- */

/* Returns true for failures of the server itself and for malformed requests, which many routes have in common. These
 * are described once, as examples of the response `default`. */
static int is_common(cat_problem_t problem)
{
    switch (problem) {
    case CAT_PROBLEM_BODY:
    case CAT_PROBLEM_JSON:
    case CAT_PROBLEM_REFUSED_VALUES:
    case CAT_PROBLEM_TOKEN_REQUEST:
    case CAT_PROBLEM_IDEMPOTENCY_KEY:
    case CAT_PROBLEM_COOKIES:
    case CAT_PROBLEM_TIMEOUT:
    case CAT_PROBLEM_BODY_TOO_LARGE:
    case CAT_PROBLEM_MEDIA_TYPE:
    case CAT_PROBLEM_INTERNAL:
    case CAT_PROBLEM_UNSURE:
    case CAT_PROBLEM_UNABLE:
    case CAT_PROBLEM_DISK_FULL:
    case CAT_PROBLEM_DATABASE:
    case CAT_PROBLEM_UNAVAILABLE:
    case CAT_PROBLEM_DATABASE_NOT_READY:
    case CAT_PROBLEM_DATABASE_READ_ONLY:
        return 1;
    case CAT_PROBLEM_RANGE: /* only files have ranges */
        return 0;
    default:
        return cat_problem_rows[problem].is_general;
    }
}

/* Returns true if the problems include one with the status that is not common. */
static int has_own(const problems_t *problems, int status)
{
    for (int problem = 0; problem < CAT_PROBLEM_COUNT; problem++) {
        if (problems->has[problem] && cat_problem_rows[problem].status == status &&
            !is_common((cat_problem_t)problem)) {
            return 1;
        }
    }
    return 0;
}

/* Returns true if the route describes the problem itself. A route without a 400 of its own describes its common
 * 400s. */
static int is_declared(const cat_route_t *route, const problems_t *problems, cat_problem_t problem)
{
    int status = cat_problem_rows[problem].status;
    int is_alone = status == 400 && !has_own(problems, status);

    return problems->has[problem] && (!is_common(problem) || is_alone || is_of_import(route, status));
}

/* Describes the response `default`: the common failures, and failures from httpd and other modules, such as a refusal
 * by "Require", or a 405, which belongs to no route. */
static json_t *describe_others(cat_describer_t *d, const cat_route_t *route)
{
    static const cat_description_t about = {.headers = CAT_HEADER_ALLOW};
    const cat_route_t other = {.path = "", .about = &about};
    json_t *response = begin_failure(d, route, ANY_FAILURE), *headers = name_headers(d, &other, ANY_FAILURE);

    json_object_update_missing(json_object_get(response, "headers"), headers);
    json_decref(headers);
    json_object_set_new(response, "description",
                        json_string("Another failure, of the server or the site's own configuration."));
    for (int problem = 0; problem < CAT_PROBLEM_COUNT; problem++) {
        if (is_common((cat_problem_t)problem)) {
            add_example(d, response, (cat_problem_t)problem);
        }
    }
    return response;
}

/* Adds the response `default`, which all routes share. Each route adds its headers to the component. */
static void add_others(cat_describer_t *d, const cat_route_t *route, json_t *responses)
{
    static const char name[] = ANY_FAILURE_NAME ".1";
    json_t *others = json_object_get(d->responses, name), *headers;

    if (others) {
        headers = name_headers(d, route, ANY_FAILURE);
        json_object_update_missing(json_object_get(others, "headers"), headers);
        json_decref(headers);
    } else {
        json_object_set_new(d->responses, name, describe_others(d, route));
    }
    json_object_set_new(responses, ANY_FAILURE_NAME, cat_schema_refer("responses", name));
}

/* Returns the name of the component with this content, such as "404.2". Takes a new name if there is none. */
static const char *name_response(cat_describer_t *d, const char *status, const char *content)
{
    const char *name = json_string_value(json_object_get(d->shared, content));

    for (int i = 1; !name; i++) {
        const char *next = apr_psprintf(d->pool, "%s.%d", status, i);
        if (!json_object_get(d->responses, next)) {
            json_object_set_new(d->shared, content, json_string(next));
            name = next;
        }
    }
    return name;
}

/* Returns a reference to the component with the same content as the response; adds the component if it does not exist.
 * The component has the headers of all routes that share it. */
static json_t *share_response(cat_describer_t *d, const char *status, json_t *response)
{
    json_t *headers = json_incref(json_object_get(response, "headers")), *shared;
    const char *name;
    char *content;

    json_object_del(response, "headers");
    content = json_dumps(response, JSON_COMPACT | JSON_SORT_KEYS);
    name = name_response(d, status, apr_pstrcat(d->pool, status, content, NULL));
    free(content);
    shared = json_object_get(d->responses, name);
    if (shared) {
        json_object_update_missing(json_object_get(shared, "headers"), headers);
    } else {
        json_object_set(response, "headers", headers);
        json_object_set(d->responses, name, response);
    }
    json_decref(headers);
    return cat_schema_refer("responses", name);
}

/* Replaces failures, 202 and 304 by references to shared components. Otherwise /openapi.json would be three times as
 * long. */
static void share_responses(cat_describer_t *d, json_t *responses)
{
    const char *status;
    json_t *response;
    void *next;

    json_object_foreach_safe(responses, next, status, response)
    {
        if (*status >= '3' || !strcmp(status, "202")) {
            json_object_set_new(responses, status, share_response(d, status, response));
        }
    }
}

json_t *cat_openapi_answers_describe(cat_describer_t *d, const cat_route_t *route)
{
    json_t *responses = json_object();
    problems_t problems = find_problems(d, route);

    add_success(d, route, responses);
    for (int problem = 0; problem < CAT_PROBLEM_COUNT; problem++) {
        if (is_declared(route, &problems, (cat_problem_t)problem)) {
            add_problem(d, route, (cat_problem_t)problem, responses);
        }
    }
    share_responses(d, responses);
    add_others(d, route, responses);
    return responses;
}
