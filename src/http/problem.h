/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_PROBLEM_H
#define CAT_HTTP_PROBLEM_H

/* The rows of http/problem.def: every way in which a request can fail. */
typedef enum {
#define STATUS(id, ...) CAT_PROBLEM_##id,
#define PROBLEM STATUS
#include "http/problem.def"
    CAT_PROBLEM_COUNT
} cat_problem_t;

typedef struct cat_problem_row_t {
    const char *name; /* End of the problem's URI. NULL if another module chose a status without a row. */
    int is_general;   /* True for a STATUS row, whose texts are true whichever module chose the status. */
    int status;
    int retry_after;     /* Value of Retry-After in seconds. 0 means no header. */
    const char *message; /* `title` of problem details. */
    const char *error;   /* `detail` of problem details. NULL if there is none, or if the caller supplies it. */
    const char *meaning; /* What the problem means, in sentences. */
    const char *remedy;
} cat_problem_row_t;

/* Indexed by cat_problem_t. */
extern const cat_problem_row_t cat_problem_rows[CAT_PROBLEM_COUNT];

/* Returns the row with the name, or NULL if there is none. */
const cat_problem_row_t *cat_problem_find(const char *name);

/* Returns the STATUS row of a status that httpd or another module chose, or NULL if there is none. */
const cat_problem_row_t *cat_problem_find_status(int status);

#endif
