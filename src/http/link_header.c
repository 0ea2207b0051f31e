/* SPDX-License-Identifier: Apache-2.0 */
#include "http/link_header.h"

static void end_link(cat_buffer_t *b, const char *parameters, const char *relation)
{
    cat_buffer_add_text(b, parameters);
    CAT_BUFFER_LITERAL(b, ">; rel=");
    cat_buffer_add_text(b, relation);
}

static void add_page(cat_buffer_t *b, apr_int64_t page, const char *parameters, const char *relation)
{
    CAT_BUFFER_LITERAL(b, ", <?page=");
    cat_buffer_add_int(b, page);
    end_link(b, parameters, relation);
}

void cat_link_header_pages(cat_buffer_t *b, apr_int64_t page, apr_int64_t pages, const char *parameters)
{
    apr_int64_t last = pages > 1 ? pages : 1; /* An empty list has one page, which is empty. */

    CAT_BUFFER_LITERAL(b, "<?page=1");
    end_link(b, parameters, "\"first\"");
    if (page > 1) {
        add_page(b, page - 1 < last ? page - 1 : last, parameters, "\"prev\"");
    }
    if (page < last) {
        add_page(b, page + 1, parameters, "\"next\"");
    }
    add_page(b, last, parameters, "\"last\"");
}

void cat_link_header_open_pages(cat_buffer_t *b, apr_int64_t page, int has_next, const char *parameters)
{
    CAT_BUFFER_LITERAL(b, "<?page=1");
    end_link(b, parameters, "\"first\"");
    if (page > 1) {
        add_page(b, page - 1, parameters, "\"prev\"");
    }
    if (has_next) {
        add_page(b, page + 1, parameters, "\"next\"");
    }
}

void cat_link_header_cursor(cat_buffer_t *b, const char *next, const char *parameters)
{
    CAT_BUFFER_LITERAL(b, "<?cursor=");
    end_link(b, parameters, "\"first\"");
    if (next) {
        CAT_BUFFER_LITERAL(b, ", <?cursor=");
        cat_buffer_add_text(b, next);
        end_link(b, parameters, "\"next\"");
    }
}
