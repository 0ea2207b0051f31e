/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_SQL_TEXT_H
#define CAT_DB_CONNECTION_SQL_TEXT_H

#include <apr_pools.h>

/* The texts of db/dialects/sql.def and db/dialects/, in which each value is a %s and a literal % is doubled. */

/* How many values the statement takes. */
int cat_sql_text_count(const char *text);

/* The text as PostgreSQL reads it, on the pool: the first %s is $1, the second $2. */
const char *cat_sql_text_number(apr_pool_t *pool, const char *text);

/* Room for a name of a statement, with its NUL. */
#define CAT_SQL_TEXT_NAME 32

/* Writes a name that stands for the text: the same for the same text, in every process, and another one for any other
 * text. Letters, digits and _ only. */
void cat_sql_text_name(const char *text, char name[CAT_SQL_TEXT_NAME]);

#endif
