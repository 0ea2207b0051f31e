/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_MOUNT_H
#define CAT_HTTPD_MOUNT_H

#include <httpd.h>

#include "http/answer.h"
#include "http/route.h"
#include "jose/token.h"
#include "lib/conf.h"

#define CAT_HANDLER_NAME "catalog"

/* What is known of a request below a mount. */
typedef struct cat_state_t {
    const cat_conf_t *conf;
    int served;        /* nobody else may answer the request; the rest is known then */
    const char *path;  /* below the mount: "/products/1" */
    const char *query; /* raw; r->args has it only where it may be logged */
    cat_route_match_t match;
    int failed;  /* a status that httpd gave before the mount was known, which this request is to report */
    int guarded; /* guard.c has looked: */
    const cat_claims_t *user;
    cat_answer_t *refusal; /* NULL: may go on */
} cat_state_t;

/* The state of a request that is ours; NULL: it is not, or not yet. */
cat_state_t *cat_mount_state(request_rec *r);

/* The settings for a request that failed, perhaps before httpd looked at its path; no log gets its query. NULL: it is not below
 * a mount. */
const cat_conf_t *cat_mount_conf_of_failed(request_rec *r);

/* Hooks; see mod_catalog.c for their order. */
int cat_mount_pre_translate(request_rec *r);
int cat_mount_translate(request_rec *r);
int cat_mount_map(request_rec *r);
int cat_mount_type(request_rec *r);

#endif
