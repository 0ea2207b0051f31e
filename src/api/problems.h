/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PROBLEMS_H
#define CAT_API_PROBLEMS_H

#include "http/answer.h"
#include "http/request.h"

/* Handle GET /problems and GET /problems/:name, which explain the problems of http/problem.def. */
cat_answer_t *cat_problems_list(cat_request_t *q);
cat_answer_t *cat_problems_get(cat_request_t *q);

extern const cat_description_t cat_problems_about_list, cat_problems_about_get;

#endif
