/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_HEALTH_H
#define CAT_API_HEALTH_H

#include "http/answer.h"
#include "http/request.h"

/* GET /health/live: 200 as long as this server answers; needs no database. */
cat_answer_t *cat_health_live(cat_request_t *q);

/* GET /health/ready: 200 if the database answers, takes writes and has its schema, with the schema's version and, if
 * mails wait, the time of the oldest. Otherwise 503. For load balancers and monitoring. */
cat_answer_t *cat_health_ready(cat_request_t *q);

/* GET /database: the program that the database is, its version, and the version of the schema. */
cat_answer_t *cat_health_database(cat_request_t *q);

extern const cat_description_t cat_health_about_live, cat_health_about_ready, cat_health_about_database;

#endif
