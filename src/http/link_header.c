/* SPDX-License-Identifier: Apache-2.0 */
#include "http/link_header.h"

#include "lib/buffer.h"
#include "lib/number.h"

#define LINKS_SIZE 200 /* octets: a guess of all links of a page */

/* The links of one list. */
typedef struct links_t {
    cat_buffer_t b;
    cat_buffer_t limit; /* what stands between a page or cursor and the name of its link */
} links_t;

static void begin(links_t *links, apr_pool_t *pool, apr_int64_t limit)
{
    cat_buffer_init(&links->b, pool, LINKS_SIZE);
    cat_buffer_init(&links->limit, pool, sizeof("&limit=>; rel=") + CAT_NUMBER_DIGITS);
    CAT_BUFFER_LITERAL(&links->limit, "&limit=");
    cat_buffer_add_int(&links->limit, limit);
    CAT_BUFFER_LITERAL(&links->limit, ">; rel=");
}

static void end_link(links_t *links, const char *relation)
{
    cat_buffer_add(&links->b, links->limit.data, links->limit.length);
    cat_buffer_add_text(&links->b, relation);
}

static void add_page(links_t *links, apr_int64_t page, const char *relation)
{
    CAT_BUFFER_LITERAL(&links->b, ", <?page=");
    cat_buffer_add_int(&links->b, page);
    end_link(links, relation);
}

void cat_link_header_pages(cat_answer_t *answer, apr_pool_t *pool, apr_int64_t page, apr_int64_t pages,
                           apr_int64_t limit)
{
    apr_int64_t last = pages > 1 ? pages : 1; /* an empty list has one page, which is empty */
    links_t links;

    begin(&links, pool, limit);
    CAT_BUFFER_LITERAL(&links.b, "<?page=1");
    end_link(&links, "\"first\"");
    if (page > 1) {
        add_page(&links, page - 1 < last ? page - 1 : last, "\"prev\"");
    }
    if (page < last) {
        add_page(&links, page + 1, "\"next\"");
    }
    add_page(&links, last, "\"last\"");
    cat_answer_header(answer, pool, "Link", cat_buffer_text(&links.b));
}

void cat_link_header_cursor(cat_answer_t *answer, apr_pool_t *pool, const char *next, apr_int64_t limit)
{
    links_t links;

    begin(&links, pool, limit);
    CAT_BUFFER_LITERAL(&links.b, "<?cursor=");
    end_link(&links, "\"first\"");
    if (next) {
        CAT_BUFFER_LITERAL(&links.b, ", <?cursor=");
        cat_buffer_add_text(&links.b, next);
        end_link(&links, "\"next\"");
    }
    cat_answer_header(answer, pool, "Link", cat_buffer_text(&links.b));
}
