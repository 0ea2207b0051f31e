/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ADMIN_LIST_H
#define CAT_API_ADMIN_LIST_H

#include "accounts/page.h"
#include "http/answer.h"
#include "http/parameters.h"
#include "http/request.h"
#include "lib/fields.h"

/* A list that is read from the database in every request. Most of these lists are for administrators. */
typedef struct cat_admin_list_t {
    const cat_conf_t *conf;
    cat_page_t page;
    int has_page;      /* True if the query has the parameter page. */
    cat_buffer_t link; /* Parameters for links to other pages, each preceded by "&". */
} cat_admin_list_t;

/* Initializes `list` and parses the query with a table of parameters. `list` is the baton of the functions in `rows`,
 * and may be the first member of a larger struct. Returns NULL, or the response that refuses the query. */
cat_answer_t *cat_admin_list_parse(cat_request_t *q, cat_parameters_t *p, const cat_parameter_row_t *rows,
                                   cat_admin_list_t *list);

/* Rows for the parameters page and limit, which every list has. An invalid value counts as the default, and a limit
 * above CatalogMaxLimit as CatalogMaxLimit. */
void cat_admin_list_parse_page(void *list, cat_parameters_t *p, const cat_parameter_t *parameter);
void cat_admin_list_parse_limit(void *list, cat_parameters_t *p, const cat_parameter_t *parameter);
#define CAT_ADMIN_LIST_PARAMETERS                                                                                      \
    {"page", 1, cat_admin_list_parse_page, cat_parameters_describe_page, CAT_PARAMETERS_PAGE, "2"},                    \
        {"limit", 1, cat_admin_list_parse_limit, cat_parameters_describe_limit, CAT_PARAMETERS_LIMIT, "20"}

/* For a list that can also be read by cursor, the id of the last row before the page. `check` returns true if a text
 * has the form of such an id. */
typedef int cat_admin_list_check_t(const char *text);
void cat_admin_list_parse_cursor(cat_admin_list_t *list, cat_parameters_t *p, const cat_parameter_t *parameter,
                                 cat_admin_list_check_t *check);
json_t *cat_admin_list_describe_cursor(const cat_conf_t *conf);
#define CAT_ADMIN_LIST_CURSOR                                                                                          \
    "Continues the list after a page that had it as `nextCursor`; empty: from the beginning. Not together with `page`"

/* Returns the value of the parameter and adds the parameter to the links. If the value is not UTF-8 of 1 to 254 bytes,
 * adds an error to `p` and returns NULL. */
const char *cat_admin_list_take_text(cat_admin_list_t *list, cat_parameters_t *p, const cat_parameter_t *parameter);

/* Adds the parameter, whose value must be valid, to the links. */
void cat_admin_list_keep(cat_admin_list_t *list, const cat_parameter_t *parameter);

/* Returns the response with list->page, whose rows have the columns `fields`. `rv` is the status of reading the page;
 * if it is not APR_SUCCESS, returns the failure. */
cat_answer_t *cat_admin_list_answer(cat_request_t *q, apr_status_t rv, const cat_admin_list_t *list,
                                    const cat_parameters_t *p, const cat_field_t *fields, int count);

#endif
