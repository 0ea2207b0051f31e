/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of users for administrators. One statement counts the users and another selects those of the page. Both are
 * made at run time from the conditions and the order; values are always arguments. A text to search for becomes a LIKE
 * pattern in which its own characters are not special.
 */
#include "accounts/user_list.h"

#include <apr_strings.h>
#include <string.h>

#include "db/db.h"
#include "lib/buffer.h"

/* ORDER BY clauses by cat_users_order_t: ascending, descending. An index has the same order. */
static const char *const orders[][2] = {
    [CAT_USERS_BY_TIME] = {"created_at, id", "created_at DESC, id DESC"},
    [CAT_USERS_BY_NAME] = {"username_key", "username_key DESC"},
    [CAT_USERS_BY_EMAIL] = {"email_key", "email_key DESC"},
};

/* Conditions of both statements, and their values. */
typedef struct conditions_t {
    const char *text;
    const char *values[3];
    int count;
} conditions_t;

/* Returns a pattern for LIKE that matches every value containing `text`. If `text` is empty, the pattern matches no
 * name or address. */
static const char *make_pattern(apr_pool_t *pool, const char *text)
{
    cat_buffer_t b;

    if (!*text) {
        return "";
    }
    cat_buffer_init(&b, pool, 2 * strlen(text) + 3);
    CAT_BUFFER_LITERAL(&b, "%");
    for (; *text; text++) {
        if (strchr("%_!", *text)) {
            CAT_BUFFER_LITERAL(&b, "!");
        }
        cat_buffer_add(&b, text, 1);
    }
    CAT_BUFFER_LITERAL(&b, "%");
    return cat_buffer_text(&b);
}

static conditions_t make_conditions(apr_pool_t *pool, const cat_user_query_t *query)
{
    static const char role[] = "role = %s";
    static const char text[] = "(username_key LIKE %s ESCAPE '!' OR email_key LIKE %s ESCAPE '!')";
    conditions_t c = {.text = ""};

    if (query->role) {
        c.values[c.count++] = query->role;
    }
    if (query->text) {
        c.values[c.count++] = make_pattern(pool, query->text);
        c.values[c.count] = c.values[c.count - 1];
        c.count++;
    }
    if (c.count) {
        c.text = apr_pstrcat(pool, " WHERE ", query->role ? role : "", query->role && query->text ? " AND " : "",
                             query->text ? text : "", NULL);
    }
    return c;
}

apr_status_t cat_user_list_read(cat_db_t *db, const cat_user_query_t *query, cat_page_t *page)
{
    const conditions_t c = make_conditions(db->pool, query);
    const cat_page_query_t statements = {
        .count_text = apr_pstrcat(db->pool, "SELECT COUNT(*) FROM users", c.text, NULL),
        .select_text = apr_pstrcat(db->pool, "SELECT " USER_VIEW " FROM users", c.text, " ORDER BY ",
                                   orders[query->order][query->descending], " LIMIT %s OFFSET %s", NULL),
        .values = c.values,
        .count = c.count,
    };

    return cat_page_read(db, &statements, page);
}
