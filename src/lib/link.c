/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/link.h"

#include "lib/buffer.h"

#define LINKS_SIZE 200 /* octets: a guess of all links of a page */

/* What stands between a page or cursor and the next link. */
static void end_link(cat_buffer_t *b, apr_int64_t limit, const char *relation)
{
    CAT_BUFFER_LITERAL(b, "&limit=");
    cat_buffer_add_int(b, limit);
    CAT_BUFFER_LITERAL(b, ">; rel=\"");
    cat_buffer_add_text(b, relation);
    CAT_BUFFER_LITERAL(b, "\"");
}

static void add_page(cat_buffer_t *b, apr_int64_t page, apr_int64_t limit, const char *relation)
{
    cat_buffer_add_text(b, b->length ? ", <?page=" : "<?page=");
    cat_buffer_add_int(b, page);
    end_link(b, limit, relation);
}

void cat_link_pages(cat_answer_t *answer, apr_pool_t *pool, apr_int64_t page, apr_int64_t pages, apr_int64_t limit)
{
    apr_int64_t last = pages > 1 ? pages : 1; /* an empty list has one page, which is empty */
    cat_buffer_t b;

    cat_buffer_init(&b, pool, LINKS_SIZE);
    add_page(&b, 1, limit, "first");
    if (page > 1) {
        add_page(&b, page - 1 < last ? page - 1 : last, limit, "prev");
    }
    if (page < last) {
        add_page(&b, page + 1, limit, "next");
    }
    add_page(&b, last, limit, "last");
    cat_answer_header(answer, pool, "Link", cat_buffer_text(&b));
}

void cat_link_cursor(cat_answer_t *answer, apr_pool_t *pool, const char *next, apr_int64_t limit)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, LINKS_SIZE);
    CAT_BUFFER_LITERAL(&b, "<?cursor=");
    end_link(&b, limit, "first");
    if (next) {
        CAT_BUFFER_LITERAL(&b, ", <?cursor=");
        cat_buffer_add_text(&b, next);
        end_link(&b, limit, "next");
    }
    cat_answer_header(answer, pool, "Link", cat_buffer_text(&b));
}
