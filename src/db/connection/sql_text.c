/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection/sql_text.h"

#include <apr_strings.h>
#include <string.h>

#include "lib/hash.h"

#define DIGITS_MAX 3 /* of the number of a value */

int cat_sql_text_count(const char *text)
{
    int n = 0;

    for (const char *p = text; (p = strchr(p, '%')); p += 2) {
        n += p[1] == 's';
    }
    return n;
}

const char *cat_sql_text_number(apr_pool_t *pool, const char *text)
{
    apr_size_t room = strlen(text) + (apr_size_t)cat_sql_text_count(text) * DIGITS_MAX + 1;
    char *numbered = apr_palloc(pool, room), *to = numbered;
    int n = 0;

    for (; *text; text++) {
        if (*text == '%' && *++text == 's') {
            to += apr_snprintf(to, room - (apr_size_t)(to - numbered), "$%d", ++n);
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return numbered;
}

void cat_sql_text_name(const char *text, char name[CAT_SQL_TEXT_NAME])
{
    apr_snprintf(name, CAT_SQL_TEXT_NAME, "catalog_%016" APR_UINT64_T_HEX_FMT, cat_hash(text, strlen(text)));
}
