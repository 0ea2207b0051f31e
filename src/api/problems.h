/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PROBLEMS_H
#define CAT_API_PROBLEMS_H

#include "http/answer.h"
#include "http/request.h"

/* What the problems of http/problem.def mean: the URIs of problem details lead here. */
cat_answer_t *cat_problems_list(cat_request_t *q);
cat_answer_t *cat_problems_get(cat_request_t *q);

extern const cat_description_t cat_problems_about_list, cat_problems_about_get;

#endif
