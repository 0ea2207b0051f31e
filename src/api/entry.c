/* SPDX-License-Identifier: Apache-2.0 */
#include "api/entry.h"

#include <apr_strings.h>
#include <string.h>

#include "http/route.h"
#include "lib/json.h"
#include "lib/version.h"

/* Names of links and paths of routes. A path that is not in the route table is left out. */
static const char *const links[][2] = {
    {"products", "/products"}, {"categories", "/categories"}, {"health", "/health/ready"},
    {"problems", "/problems"}, {"openapi", "/openapi.json"},
};

static void add_link(const cat_request_t *q, json_t *all, const char *name, const char *base, const char *path)
{
    json_object_set_new(all, name, json_string(apr_pstrcat(q->pool, base, path, NULL)));
}

static json_t *list_links(const cat_request_t *q)
{
    const char *pages = cat_conf_pages_url(q->conf);
    json_t *all = json_object();
    cat_route_match_t match;

    for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
        cat_route_find(q->pool, q->routes, "GET", links[i][1], &match);
        if (match.route) {
            add_link(q, all, links[i][0], q->conf->mount_uri, links[i][1]);
        }
    }
    if (q->conf->images) {
        add_link(q, all, "images", q->conf->mount_uri, "/images/");
    }
    if (pages) {
        add_link(q, all, "pages", pages, "/");
        add_link(q, all, "docs", pages, "/api.html");
    }
    return all;
}

cat_answer_t *cat_entry_get(cat_request_t *q)
{
    json_t *data = cat_json_own(q->pool, json_pack("{s:s, s:s, s:s*, s:o}", "name", "mod_catalog", "version",
                                                   CAT_VERSION, "currency", q->conf->currency, "links", list_links(q)));
    cat_answer_t *answer;
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 512);
    cat_buffer_add_text(&b, cat_json_text(q->pool, data));
    answer = cat_answer_success(q->pool, 200, &b, NULL);
    answer->tag = CAT_TAG_STRONG;
    return answer;
}

/* ---- description ---- */

static const cat_shape_t link_list = {
    .kind = CAT_SHAPE_ANY, .example = "{\"products\": \"/api/products\", \"openapi\": \"/api/openapi.json\"}"};
static const cat_member_t data_members[] = {
    {"name", &cat_schema_text, CAT_ALWAYS, "`mod_catalog`"},
    {"version", &cat_schema_text, CAT_ALWAYS, "The version of the server"},
    {"currency", &cat_schema_text, CAT_RARELY, "The currency of prices (ISO 4217), if the server says it"},
    {"links", &link_list, CAT_ALWAYS, "Where a client may begin, by name"},
    CAT_MEMBER_END,
};
static const cat_shape_t entry_data = {.kind = CAT_SHAPE_OBJECT, .members = data_members};
static const cat_member_t members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &entry_data, CAT_ALWAYS, "What is there"},
    CAT_MEMBER_END,
};
static const cat_shape_t shape = {.kind = CAT_SHAPE_OBJECT, .name = "Entry", .members = members};

const cat_description_t cat_entry_about = {
    .id = "getEntry",
    .tag = "Server",
    .summary = "Read what is at the mount",
    .status = 200,
    .answered = "Name, version and links",
    .shape = &shape,
    .headers = CAT_HEADER_ETAG,
    .needs_no_database = 1,
};
