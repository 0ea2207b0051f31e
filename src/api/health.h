/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_HEALTH_H
#define CAT_API_HEALTH_H

#include "http/answer.h"
#include "http/request.h"

/* Handles GET /health/live: returns 200 as long as this server answers. Uses no database. */
cat_answer_t *cat_health_live(cat_request_t *q);

/* Handles GET /health/ready, for load balancers and monitoring. Returns 200 if the database answers, accepts writes,
 * has its schema, and agrees with the CatalogField lines; the body has the schema's version and, if mails are waiting,
 * the time of the oldest one. Otherwise returns 503. */
cat_answer_t *cat_health_ready(cat_request_t *q);

/* Handles GET /database: returns the name and version of the database program, and the version of the schema. */
cat_answer_t *cat_health_database(cat_request_t *q);

extern const cat_description_t cat_health_about_live, cat_health_about_ready, cat_health_about_database;

#endif
