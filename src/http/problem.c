/* SPDX-License-Identifier: Apache-2.0 */
#include "http/problem.h"

#include <string.h>

const cat_problem_row_t cat_problem_rows[CAT_PROBLEM_COUNT] = {
#define STATUS(id, name, status, retry, message, error, meaning, remedy)                                               \
    {name, 1, status, retry, message, error, meaning, remedy},
#define PROBLEM(id, name, status, retry, message, error, meaning, remedy)                                              \
    {name, 0, status, retry, message, error, meaning, remedy},
#include "http/problem.def"
};

const cat_problem_row_t *cat_problem_find(const char *name)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        if (strcmp(cat_problem_rows[i].name, name) == 0) {
            return &cat_problem_rows[i];
        }
    }
    return NULL;
}

const cat_problem_row_t *cat_problem_find_status(int status)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        if (cat_problem_rows[i].is_general && cat_problem_rows[i].status == status) {
            return &cat_problem_rows[i];
        }
    }
    return NULL;
}
