/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes /openapi.json, the description of a mount, from the tables that the server itself uses: routes, fields,
 * parameters, headers and problems. Everything else is in the cat_description_t next to the route's handler.
 *
 *     route table row  +  cat_description_t  ->  paths./products/{id}.get
 *     field table                            ->  components.schemas
 *     problem table                          ->  responses (api/openapi_answers.c)
 *
 * The description is made once and depends on the settings of the mount: a server without search describes no `q`.
 */
#include "api/openapi.h"

#include <stdlib.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "accounts/role.h"
#include "accounts/user.h"
#include "api/listing.h"
#include "api/openapi_answers.h"
#include "api/products.h"
#include "api/token_response.h"
#include "catalogue/store.h"
#include "http/answer.h"
#include "http/etag.h"
#include "http/parameters.h"
#include "lib/version.h"

/* Significant digits of numbers in examples, so that 19.99 is not written as 19.989999999999998. */
#define DIGITS 15

/* THE TAG TABLE: groups of routes, in the order in which documentation shows them. */
static const struct tag_t {
    const char *name, *about;
} tags[] = {
    {"Products", "Products, one by one, as lists, in batches and as files."},
    {"Categories", "The categories of the products."},
    {"Accounts", "Accounts and their sessions."},
    {"Administration", "The accounts of all users, and the record of what administrators changed."},
    {"Mail", "Links that are sent by mail."},
    {"Server", "The server itself."},
};

static json_t *describe_tags(void)
{
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", tags[i].name, "description", tags[i].about));
    }
    return list;
}

/* ---- the request ---- */

/* THE HEADERS of requests. */
enum { PREFER, IF_MATCH, IF_NONE_MATCH, IDEMPOTENCY_KEY };
static const struct header_t {
    const char *name, *example, *about;
} headers[] = {
    [PREFER] = {"Prefer", "handling=strict",
                "`handling=strict`: refuse unknown fields and parameters instead of ignoring "
                "them (RFC 7240). The answer then has the same in `Preference-Applied`."},
    [IF_MATCH] = {"If-Match", "\"32d12cc0690b9d54\"", "The `ETag` that the resource must have."},
    [IF_NONE_MATCH] = {"If-None-Match", "\"7fe7f7d0f0e41231\"", "The `ETag` that the resource must not have."},
    [IDEMPOTENCY_KEY] =
        {"Idempotency-Key", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"",
         "A text of the client's choice, such as a UUID. A repetition of the request with the same key is "
         "served once and gets the same answer."},
};

static void add_header(cat_describer_t *d, int header)
{
    json_array_append_new(d->parameters, cat_schema_refer("parameters", headers[header].name));
}

static void add_headers(cat_describer_t *d, const cat_route_t *route)
{
    if (route->body != CAT_NO_BODY) {
        add_header(d, PREFER);
    }
    if (cat_openapi_answers_is_conditional(route)) {
        add_header(d, IF_MATCH);
        add_header(d, IF_NONE_MATCH);
    }
    if (route->run_once) {
        add_header(d, IDEMPOTENCY_KEY);
    }
}

static void describe_headers(json_t *parameters)
{
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        json_object_set_new(parameters, headers[i].name,
                            json_pack("{s:s, s:s, s:s, s:{s:s}, s:s}", "name", headers[i].name, "in", "header",
                                      "description", headers[i].about, "schema", "type", "string", "example",
                                      headers[i].example));
    }
}

/* Describes a ':' segment of the path. `is_first` is true for the first one, which about->param describes. */
static json_t *describe_segment(const cat_describer_t *d, const cat_route_t *route, int is_first, const char *name)
{
    const cat_description_t *about = route->about;
    const char *example = is_first ? about->param_example : NULL;
    json_t *schema = json_pack("{s:s}", "type", "string");
    int has_name = is_first && about->takes_name && cat_product_name_can_be(cat_product_fields_of(d->conf));
    int is_id = !example && !has_name;

    cat_schema_add_rule(schema, is_id ? &cat_fields_id : NULL);
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:s}", "name", name, "in", "path", "required", 1, "description",
                     json_sprintf("%s.", is_first ? about->param : about->param2), "schema", schema, "example",
                     example ? example : "01a1fee5-af25-7514-8a69-477230296f5b");
}

/* Adds a parameter for each ':' segment of the path. Routes with the same path up to the segment share the component,
 * such as "path.products.id" for "/products/:id". */
static void add_segments(cat_describer_t *d, const cat_route_t *route)
{
    const char *colon = strchr(route->path, ':');

    for (int i = 0; colon; i++, colon = strchr(colon + 1, ':')) {
        const char *name = apr_pstrmemdup(d->pool, colon + 1, strcspn(colon + 1, "/"));
        char *component = apr_pstrcat(
            d->pool, "path", apr_pstrmemdup(d->pool, route->path, (apr_size_t)(colon - route->path)), name, NULL);
        for (char *c = component; *c; c++) {
            *c = *c == '/' ? '.' : *c == ':' ? '_' : *c;
        }
        if (!json_object_get(d->components, component)) {
            json_object_set_new(d->components, component, describe_segment(d, route, i == 0, name));
        }
        json_array_append_new(d->parameters, cat_schema_refer("parameters", component));
    }
}

/* Returns NULL if the route has no parameters. */
static json_t *describe_parameters(cat_describer_t *d, const cat_route_t *route)
{
    json_t *parameters = d->parameters = json_array();

    add_segments(d, route);
    d->group = route->about->group;
    if (route->about->parameters) {
        cat_parameters_describe(d, route->about->parameters);
    } else if (route->about->describe_parameters) {
        route->about->describe_parameters(d);
    }
    add_headers(d, route);
    if (json_array_size(parameters) == 0) {
        json_decref(parameters);
        return NULL;
    }
    return parameters;
}

static json_t *describe_input(cat_describer_t *d, const cat_description_t *about, json_t **example)
{
    json_t *schema;

    if (about->describe_input) {
        schema = about->describe_input(d, example);
    } else {
        schema = cat_schema_of_input(about->fields, about->field_count, about->purpose);
        *example = cat_schema_input_example(about->fields, about->field_count);
    }
    if (about->needs_more) {
        cat_schema_require_more(schema);
    }
    /* A named schema contains the example. */
    if (about->input) {
        json_object_set_new(schema, "examples", json_pack("[o]", *example));
        *example = NULL;
        return cat_description_add_schema(d, about->input, schema);
    }
    return schema;
}

/* Describes the body in each media type, with the same schema. An example that is a text belongs to the first type
 * only. */
static json_t *describe_types(const cat_describer_t *d, const char *types, json_t *schema, json_t *example)
{
    json_t *content = json_object();
    char *rest = apr_pstrdup(d->pool, types), *type;

    for (int i = 0; (type = apr_strtok(i ? NULL : rest, ", ", &rest)); i++) {
        json_t *media = json_pack("{s:O}", "schema", schema);
        if (example && (i == 0 || !json_is_string(example))) {
            json_object_set(media, "example", example);
        }
        json_object_set_new(content, type, media);
    }
    return content;
}

static json_t *describe_body(cat_describer_t *d, const cat_route_t *route)
{
    const cat_media_t *media = cat_route_media(route);
    const char *types = media->other ? apr_pstrcat(d->pool, media->types, ", ", media->other, NULL) : media->types;
    int max = media->max;
    int largest = route->body == CAT_UPLOAD    ? d->conf->max_import
                  : route->body == CAT_PICTURE ? d->conf->max_image
                  : max                        ? max
                                               : d->conf->max_body;
    json_t *example = NULL, *schema = describe_input(d, route->about, &example);
    json_t *body = json_pack("{s:b, s:o}", "required", route->body != CAT_MAY_JSON, "content",
                             describe_types(d, types, schema, example));

    if (largest != d->conf->max_body) { /* describe_server mentions max_body */
        json_object_set_new(body, "description", json_sprintf("At most %d bytes.", largest));
    }

    json_decref(schema);
    json_decref(example);
    return body;
}

/* ---- access ---- */

#define ACCESS_TOKEN "accessToken"
#define REFRESH_COOKIE "refreshCookie"
#define KEY "key"

/* Returns the role that a user must have. CAT_ROLE_USER means every user, or no user at all. */
static cat_role_t find_role(const cat_conf_t *conf, const cat_route_t *route)
{
    switch (route->who) {
    case CAT_WRITER:
        return conf->write_role;
    case CAT_ADMIN:
        return CAT_ROLE_ADMIN;
    default:
        return CAT_ROLE_USER;
    }
}

static json_t *describe_security(const cat_conf_t *conf, const cat_route_t *route)
{
    json_t *security = json_array();
    cat_role_t role = find_role(conf, route);

    if (route->who == CAT_READER && conf->readers) {
        json_array_append_new(security, json_object()); /* the token is optional: a writer sees more */
    }
    if (cat_route_takes_token(route, conf)) {
        json_array_append_new(security, role != CAT_ROLE_USER ? json_pack("{s:[s]}", ACCESS_TOKEN, cat_role_names[role])
                                                              : json_pack("{s:[]}", ACCESS_TOKEN));
    }
    if (cat_route_takes_token(route, conf) && (route->who == CAT_READER || route->who == CAT_WRITER)) {
        json_array_append_new(security, json_pack("{s:[]}", KEY));
    }
    if (route->about->takes_cookie) {
        json_array_append_new(security, json_pack("{s:[]}", REFRESH_COOKIE));
        json_array_append_new(security, json_object()); /* the cookie is optional: the token may be in the body */
    }
    return security;
}

static json_t *describe_schemes(apr_pool_t *pool, const cat_conf_t *conf)
{
    return json_pack("{s:{s:s, s:s, s:s, s:s}, s:{s:s, s:s, s:s, s:s}, s:{s:s, s:s, s:s, s:o}}", ACCESS_TOKEN, "type",
                     "http", "scheme", "bearer", "bearerFormat", "JWT", "description",
                     "The access token that signing in returns.", KEY, "type", "http", "scheme", "bearer",
                     "bearerFormat", "JWT", "description", "A key for programs, which POST /auth/keys creates.",
                     REFRESH_COOKIE, "type", "apiKey", "in", "cookie", "name", cat_token_response_cookie(pool, conf, 0),
                     "description",
                     json_sprintf("The refresh token, if signing in was asked for a cookie. Over TLS its name is `%s`.",
                                  cat_token_response_cookie(pool, conf, 1)));
}

/* ---- operations ---- */

static const char *describe_limit(const cat_describer_t *d, const cat_route_t *route)
{
    const cat_rate_t *rate = &d->conf->rates[route->rate];

    return apr_psprintf(d->pool, " At most %d requests of a client in %d seconds.", rate->count, rate->seconds);
}

/* Returns the description: the route's own text, the role that it requires, and its rate limit. Returns NULL if there
 * is none of these. */
static json_t *describe_effect(const cat_describer_t *d, const cat_route_t *route)
{
    const cat_description_t *about = route->about;
    cat_role_t role = find_role(d->conf, route);
    const char *text = apr_pstrcat(
        d->pool, about->about ? about->about : "",
        role != CAT_ROLE_USER ? apr_pstrcat(d->pool, " Requires the role ", cat_role_names[role], ".", NULL) : "",
        cat_openapi_answers_is_limited(d->conf, route) ? describe_limit(d, route) : "", NULL);

    return *text ? json_string(text + (*text == ' ')) : NULL;
}

static json_t *describe_operation(cat_describer_t *d, const cat_route_t *route)
{
    const cat_description_t *about = route->about;
    json_t *operation = json_pack("{s:s, s:[s], s:s, s:o*, s:o, s:o*}", "operationId", about->id, "tags", about->tag,
                                  "summary", about->summary, "description", describe_effect(d, route), "security",
                                  describe_security(d->conf, route), "parameters", describe_parameters(d, route));

    if (cat_route_media(route)->types) {
        json_object_set_new(operation, "requestBody", describe_body(d, route));
    }
    json_object_set_new(operation, "responses", cat_openapi_answers_describe(d, route));
    return operation;
}

/* Returns "/products/{id}" for "/products/:id". */
static const char *write_path(apr_pool_t *pool, const char *path)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    for (const char *colon; (colon = strchr(path, ':')); path = colon + strcspn(colon, "/")) {
        cat_buffer_add(&b, path, (apr_size_t)(colon - path));
        CAT_BUFFER_LITERAL(&b, "{");
        cat_buffer_add(&b, colon + 1, strcspn(colon + 1, "/"));
        CAT_BUFFER_LITERAL(&b, "}");
    }
    cat_buffer_add_text(&b, path);
    return cat_buffer_text(&b);
}

static json_t *describe_paths(cat_describer_t *d, const cat_route_t *rows)
{
    json_t *paths = json_object();

    for (; rows->method; rows++) {
        const char *path = write_path(d->pool, rows->path);
        char *method = apr_pstrdup(d->pool, rows->method);
        json_t *item = json_object_get(paths, path);

        if (rows->about->is_open && !rows->about->is_open(d->conf)) {
            continue;
        }
        if (!item) {
            item = json_object();
            json_object_set_new(paths, path, item);
        }
        for (char *c = method; *c; c++) {
            *c = (char)apr_tolower(*c);
        }
        json_object_set_new(item, method, describe_operation(d, rows));
    }
    return paths;
}

/* ---- the document ---- */

static json_t *describe_server(const cat_conf_t *conf)
{
    json_t *about = json_sprintf(
        "A product catalogue and its accounts. This description is made of the tables by which this server "
        "dispatches, checks and answers requests, and of its settings. HEAD works wherever GET does, OPTIONS on "
        "every path. A failure has its name in the header `Catalog-Problem`; GET /problems/{name} says what to do. "
        "Unknown fields and parameters are ignored and named in `Catalog-Ignored`. Every answer has the header "
        "`X-Request-Id`, by which the server's logs name the request, if mod_unique_id is loaded. "
        "A body has at most %d bytes unless its operation says otherwise.",
        conf->max_body);

    return json_pack("{s:s, s:s, s:o, s:s*, s:{s:s, s:s}}", "title", "mod_catalog", "version", CAT_VERSION,
                     "description", about, "x-currency", conf->currency, "license", "name", "Apache License 2.0",
                     "identifier", "Apache-2.0");
}

static json_t *describe_mount(cat_describer_t *d, const cat_route_t *rows)
{
    json_t *paths;

    cat_schema_name_rule(d->schemas, &cat_fields_id);
    cat_schema_name_rule(d->schemas, &cat_user_email_rule);
    cat_products_describe(d);
    cat_listing_describe(d);
    paths = describe_paths(d, rows);

    describe_headers(d->components);
    return json_pack("{s:s, s:o, s:[{s:s}], s:o, s:o, s:{s:O, s:O, s:O, s:O, s:O, s:o}}", "openapi", "3.1.0", "info",
                     describe_server(d->conf), "servers", "url", *d->conf->mount_uri ? d->conf->mount_uri : "/", "tags",
                     describe_tags(), "paths", paths, "components", "schemas", d->schemas, "parameters", d->components,
                     "headers", d->headers, "responses", d->responses, "examples", d->examples, "securitySchemes",
                     describe_schemes(d->pool, d->conf));
}

static const cat_openapi_t *write_document(apr_pool_t *pool, const json_t *document)
{
    cat_openapi_t *openapi = apr_palloc(pool, sizeof(*openapi));
    char *text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) : NULL;

    if (!text) {
        return NULL;
    }
    openapi->length = strlen(text);
    openapi->text = apr_pstrmemdup(pool, text, openapi->length);
    openapi->hash = cat_etag_hash(openapi->text, openapi->length);
    free(text);
    return openapi;
}

const cat_openapi_t *cat_openapi_make(apr_pool_t *pool, const cat_route_t *rows, const cat_conf_t *conf)
{
    cat_describer_t d = {.conf = conf,
                         .pool = pool,
                         .schemas = json_object(),
                         .components = json_object(),
                         .headers = json_object(),
                         .responses = json_object(),
                         .shared = json_object(),
                         .examples = json_object()};
    json_t *document = describe_mount(&d, rows);
    const cat_openapi_t *openapi = write_document(pool, document);

    json_decref(document);
    json_decref(d.schemas);
    json_decref(d.components);
    json_decref(d.headers);
    json_decref(d.responses);
    json_decref(d.shared);
    json_decref(d.examples);
    return openapi;
}

/* ---- the resource ---- */

cat_answer_t *cat_openapi_get(cat_request_t *q)
{
    cat_answer_t *answer;

    if (!q->openapi) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
    }
    answer = cat_answer_text(q->pool, 200, q->openapi->text, q->openapi->length);
    answer->tag = CAT_TAG_STRONG;
    answer->hash = q->openapi->hash;
    return answer;
}

static const cat_shape_t document = {.kind = CAT_SHAPE_ANY, .example = "{\"openapi\": \"3.1.0\"}"};

const cat_description_t cat_openapi_about = {
    .id = "getDescription",
    .tag = "Server",
    .summary = "Read this description",
    .status = 200,
    .answered = "The description, in OpenAPI 3.1",
    .shape = &document,
    .headers = CAT_HEADER_ETAG,
    .needs_no_database = 1,
};
