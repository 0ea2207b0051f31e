/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the row of the route table for a path and a method. A path is compared segment by segment; ":id" matches any
 * one segment. A path without a row for the method is a 405, and all rows of the path together make up Allow.
 */
#include "http/route.h"

#include <string.h>

#include <apr_escape.h>
#include <apr_strings.h>

#include "lib/id.h"

const cat_media_t *cat_route_media(const cat_route_t *route)
{
    static const cat_media_t media[] = {
        [CAT_NO_BODY] = {NULL, NULL, 0, NULL, NULL},
        [CAT_QUERY] = {NULL, NULL, 0, NULL, NULL},
        [CAT_JSON] = {"application/json", "Accept", 0, NULL, NULL},
        [CAT_MAY_JSON] = {"application/json", "Accept", 0, NULL, NULL},
        [CAT_PATCH] = {CAT_MERGE_PATCH ", application/json", "Accept-Patch", 0, NULL, NULL}, /* RFC 5789, 2.2. */
        [CAT_BATCH] = {"application/json", "Accept", 4 * 1024 * 1024, NULL, NULL},
        [CAT_UPLOAD] = {"text/csv, application/x-ndjson", "Accept", 0, "text/csv", NULL},
        [CAT_PICTURE] = {"image/jpeg, image/png, image/webp, image/avif, image/gif", "Accept", 0, NULL,
                         "image/jpg, image/pjpeg, image/x-png"},
    };
    return &media[route->body];
}

int cat_route_takes_token(const cat_route_t *route, const cat_conf_t *conf)
{
    return route->who != CAT_ANYONE && (route->who != CAT_READER || conf->readers);
}

int cat_route_is_private(const cat_route_t *route)
{
    return (route->who != CAT_ANYONE && route->who != CAT_READER) ||
           !strncmp(route->path, "/auth/", strlen("/auth/")) || route->about->headers & CAT_HEADER_COOKIE;
}

/* A piece of a path or of a query. */
typedef struct piece_t {
    const char *begin, *end;
} piece_t;

/* Returns the path without one trailing slash. The path of the mount itself is "/". */
static piece_t trim_slash(const char *path)
{
    static const char mount[] = "/";
    const char *end = path + strlen(path);

    if (end > path && end[-1] == '/') {
        end--;
    }
    return end > path ? (piece_t){path, end} : (piece_t){mount, mount + 1};
}

/* Returns true if the path matches the pattern, and sets the pattern's params. In unused params, `begin` is NULL. */
static int match_pattern(const char *pattern, piece_t path, piece_t params[CAT_PARAMS_MAX])
{
    const char *at = path.begin, *colon;

    memset(params, 0, CAT_PARAMS_MAX * sizeof(*params));
    for (int count = 0; (colon = strchr(pattern, ':')); count++) {
        apr_size_t literal = (apr_size_t)(colon - pattern), left = (apr_size_t)(path.end - at);
        if (count == CAT_PARAMS_MAX || left <= literal || memcmp(at, pattern, literal) != 0) {
            return 0;
        }
        params[count].begin = at += literal;
        at = memchr(at, '/', left - literal);
        at = at ? at : path.end;
        if (at == params[count].begin) {
            return 0;
        }
        params[count].end = at;
        pattern = colon + strcspn(colon, "/");
    }
    return strlen(pattern) == (apr_size_t)(path.end - at) && memcmp(at, pattern, (apr_size_t)(path.end - at)) == 0;
}

/* Returns the first row that matches the path and the method, or NULL. If `method` is NULL, any method matches. */
static const cat_route_t *find_row(const cat_route_t *rows, const char *method, piece_t path,
                                   piece_t params[CAT_PARAMS_MAX])
{
    for (; rows->method; rows++) {
        if ((!method || strcmp(rows->method, method) == 0) && match_pattern(rows->path, path, params)) {
            return rows;
        }
    }
    return NULL;
}

void cat_route_find(apr_pool_t *pool, const cat_route_t *rows, const char *method, const char *path,
                    cat_route_match_t *match)
{
    piece_t trimmed = trim_slash(path), params[CAT_PARAMS_MAX];

    memset(match, 0, sizeof(*match));
    match->route = find_row(rows, strcmp(method, "HEAD") == 0 ? "GET" : method, trimmed, params);
    match->resource = match->route ? match->route : find_row(rows, NULL, trimmed, params);
    for (int i = 0; match->route && i < CAT_PARAMS_MAX && params[i].begin; i++) {
        match->params[i] = cat_id_fold(pool, apr_pstrmemdup(pool, params[i].begin, params[i].end - params[i].begin));
    }
}

static void add_once(apr_array_header_t *methods, const char *method)
{
    for (int i = 0; i < methods->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(methods, i, const char *), method) == 0) {
            return;
        }
    }
    APR_ARRAY_PUSH(methods, const char *) = method;
}

const char *cat_route_allow(apr_pool_t *pool, const cat_route_t *rows, const char *path)
{
    piece_t trimmed = trim_slash(path), params[CAT_PARAMS_MAX];
    apr_array_header_t *methods = apr_array_make(pool, 8, sizeof(const char *));
    const char *allow = "";

    for (; rows->method; rows++) {
        if (match_pattern(rows->path, trimmed, params)) {
            add_once(methods, rows->method);
            if (strcmp(rows->method, "GET") == 0) {
                add_once(methods, "HEAD");
            }
        }
    }
    for (int i = 0; i < methods->nelts; i++) {
        allow = apr_pstrcat(pool, allow, APR_ARRAY_IDX(methods, i, const char *), ", ", NULL);
    }
    return apr_pstrcat(pool, allow, "OPTIONS", NULL);
}

/* Returns the first parameter with the name, including its value. `begin` is NULL if there is none. */
static piece_t find_parameter(const char *query, const char *name)
{
    apr_size_t name_length = strlen(name);

    while (query && *query) {
        apr_size_t length = strcspn(query, "&");
        if (length >= name_length && strncmp(query, name, name_length) == 0 &&
            (length == name_length || query[name_length] == '=')) {
            return (piece_t){query, query + length};
        }
        query += length + (query[length] == '&');
    }
    return (piece_t){NULL, NULL};
}

const char *cat_route_query(apr_pool_t *pool, const char *query, const char *name)
{
    piece_t found = find_parameter(query, name);
    apr_size_t length = (apr_size_t)(found.end - found.begin), name_length = strlen(name);

    if (length <= name_length) {
        return found.begin ? "" : NULL;
    }
    return apr_punescape_url(pool, apr_pstrmemdup(pool, found.begin + name_length + 1, length - name_length - 1), NULL,
                             NULL, 1);
}
