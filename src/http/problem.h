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
    const char *name; /* the end of its URI; NULL: another module chose a status without a row */
    int is_general;   /* flag, a STATUS row: its words are true whichever module chose the status */
    int status;
    int retry_after;     /* seconds; 0: no header */
    const char *message; /* `title` of problem details */
    const char *error;   /* `detail` of problem details; NULL: none, or the caller's */
    const char *meaning; /* sentences */
    const char *remedy;
} cat_problem_row_t;

/* By cat_problem_t. */
extern const cat_problem_row_t cat_problem_rows[CAT_PROBLEM_COUNT];

/* The row with the name; NULL: there is none. */
const cat_problem_row_t *cat_problem_find(const char *name);

/* The STATUS row of a status that httpd or another module chose; NULL: there is none. */
const cat_problem_row_t *cat_problem_find_status(int status);

#endif
