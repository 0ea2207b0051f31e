/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ADMIN_LIST_H
#define CAT_API_ADMIN_LIST_H

#include "accounts/page.h"
#include "http/answer.h"
#include "http/parameters.h"
#include "http/request.h"
#include "lib/fields.h"

/* A list that is not cached; most are for administrators. */
typedef struct cat_admin_list_t {
    const cat_conf_t *conf;
    cat_page_t page;
    int has_page;      /* flag: the query has a page */
    cat_buffer_t link; /* the parameters of links to other pages, each with "&" before it */
} cat_admin_list_t;

/* Parses the query by a table of parameters. The baton of its functions begins with a cat_admin_list_t. NULL: all are
 * good; otherwise the answer that refuses them. */
cat_answer_t *cat_admin_list_parse(cat_request_t *q, cat_parameters_t *p, const cat_parameter_row_t *rows,
                                   cat_admin_list_t *list);

/* The rows of such a table that each list has: page and limit, as forgiving as those of GET /products. */
void cat_admin_list_parse_page(void *list, cat_parameters_t *p, const cat_parameter_t *parameter);
void cat_admin_list_parse_limit(void *list, cat_parameters_t *p, const cat_parameter_t *parameter);
#define CAT_ADMIN_LIST_PARAMETERS                                                                                      \
    {"page", 1, cat_admin_list_parse_page, cat_parameters_describe_page, CAT_PARAMETERS_PAGE, "2"},                    \
        {"limit", 1, cat_admin_list_parse_limit, cat_parameters_describe_limit, CAT_PARAMETERS_LIMIT, "20"}

/* The row of a list that can also be read by cursor, the id of the last row of the page before: check says whether a text is one. */
typedef int cat_admin_list_check_t(const char *text);
void cat_admin_list_parse_cursor(cat_admin_list_t *list, cat_parameters_t *p, const cat_parameter_t *parameter,
                                 cat_admin_list_check_t *check);
json_t *cat_admin_list_describe_cursor(const cat_conf_t *conf);
#define CAT_ADMIN_LIST_CURSOR                                                                                          \
    "Continues the list after a page that had it as `nextCursor`; empty: from the beginning. Not together with `page`"

/* Takes a text of 1 to 254 characters; NULL: it is none, and a fault has been added. Links keep it. */
const char *cat_admin_list_take_text(cat_admin_list_t *list, cat_parameters_t *p, const cat_parameter_t *parameter);

/* Links keep the parameter; for values that have been checked. */
void cat_admin_list_keep(cat_admin_list_t *list, const cat_parameter_t *parameter);

/* The answer with the page that rv says was read. */
cat_answer_t *cat_admin_list_answer(cat_request_t *q, apr_status_t rv, const cat_admin_list_t *list,
                                    const cat_parameters_t *p, const cat_field_t *fields, int count);

#endif
