/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_OPTION_H
#define CAT_LIB_OPTION_H

#include <apr_pools.h>

/* A line of options, as the configuration has them: index min=0 label="Gross weight" */

/*
 * Takes the next option off the line, onto the pool: its name, with "=" if it has that, and its value, NULL without "=". At the end of the
 * line the name is "". A value with blanks is between quotation marks; there, a backslash before a quotation mark or another backslash
 * makes it part of the value, as in httpd's own directives. NULL, or what is wrong, in words for the administrator.
 */
const char *cat_option_take(apr_pool_t *pool, const char **line, const char **name, const char **value);

#endif
