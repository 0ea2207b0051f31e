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
    int served;        /* flag: claimed by the mount; the fields below are set then */
    const char *path;  /* below the mount: "/products/1" */
    const char *query; /* raw; r->args has it only if it may be logged */
    cat_route_match_t match;
    int failed;  /* a status that httpd set before the request was claimed, and that this request reports; 0: none */
    int guarded; /* guard.c has looked: */
    const cat_claims_t *user;
    cat_answer_t *refusal; /* NULL: none */
} cat_state_t;

/* The state of a claimed request; NULL: it is not claimed, or not yet. */
cat_state_t *cat_mount_state(request_rec *r);

/* The settings for a request that failed, perhaps before httpd looked at its path; hides its query from logs. NULL: it is not below a
 * mount. */
const cat_conf_t *cat_mount_conf_of_failed(request_rec *r);

/* Is the request below a mount, whatever became of it? *resource: a row of the route table with its path; NULL: there is none, or httpd
 * refused the request before the mount saw it. */
int cat_mount_is_target(request_rec *r, const cat_route_t **resource);

/* Logs, once in each child for each mount, that requests for the route do not reach the mount. Does nothing if resource is NULL. */
void cat_mount_warn_of_other(request_rec *r, const cat_conf_t *conf, const cat_route_t *resource, const char *why);

/* Hooks; see mod_catalog.c for their order. */
int cat_mount_pre_translate(request_rec *r);
int cat_mount_translate(request_rec *r);
int cat_mount_map(request_rec *r);
int cat_mount_type(request_rec *r);

#endif
