/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_OPTION_H
#define CAT_LIB_OPTION_H

#include <apr_pools.h>

/* Reads lines of options in directives, such as: index min=0 label="Gross weight" */

/*
 * Removes the next option from the line. Sets *name to its name, including "=" if the option has a value, and *value to
 * the value or NULL, both on the pool. The name is "" at the end of the line. A value with blanks is in quotation
 * marks; inside them, a backslash escapes a quotation mark or a backslash, as in httpd's own directives. Returns NULL,
 * or an error message for the administrator.
 */
const char *cat_option_take(apr_pool_t *pool, const char **line, const char **name, const char **value);

#endif
