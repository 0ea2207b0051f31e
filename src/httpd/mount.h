/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_H
#define CAT_HTTPD_MOUNT_H

#include <httpd.h>

#include "http/answer.h"
#include "http/route.h"
#include "jose/token.h"
#include "lib/conf.h"

#define CAT_HANDLER_NAME "catalog"

/* The state of a request below a mount. */
typedef struct cat_state_t {
    const cat_conf_t *conf;
    int served;        /* True if the mount has claimed the request. The fields below are set only then. */
    const char *path;  /* Path below the mount, such as "/products/1". */
    const char *query; /* Raw query. r->args contains it only if logs may contain it. */
    cat_route_match_t match;
    /* Status that httpd set before the request was claimed, and that this request reports; otherwise 0. */
    int failed;
    int guarded; /* True if guard.c has checked the token and set the next two fields. */
    const cat_claims_t *user;
    cat_answer_t *refusal; /* NULL if guard.c allowed the request. */
} cat_state_t;

/* Returns the state of a claimed request. Returns NULL if the request is not claimed, or not yet. */
cat_state_t *cat_mount_state(request_rec *r);

/* Returns the settings for a request that failed, perhaps before httpd read its path, and hides the request's query
 * from logs. Returns NULL if the request is not below a mount. */
const cat_conf_t *cat_mount_conf_of_failed(request_rec *r);

/* Returns true if the request is below a mount, even if it failed or was mapped elsewhere. Sets *resource to a row of
 * the route table with the request's path, or to NULL if no row has it or if httpd refused the request before the mount
 * saw it. */
int cat_mount_is_target(request_rec *r, const cat_route_t **resource);

/* Logs, once in each child for each mount, that requests for the route do not reach the mount because of `why`
 * (CAT074). Does nothing if `resource` is NULL. */
void cat_mount_warn_of_other(request_rec *r, const cat_conf_t *conf, const cat_route_t *resource, const char *why);

/* Hooks; see mod_catalog.c for their order. */
int cat_mount_pre_translate(request_rec *r);
int cat_mount_translate(request_rec *r);
int cat_mount_map(request_rec *r);
int cat_mount_type(request_rec *r);

#endif
