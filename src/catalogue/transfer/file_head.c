/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/transfer/file_head.h"

#include "lib/json.h"

#define UNREADABLE "\xef\xbf\xbd" /* U+FFFD */

struct cat_file_head_t {
    cat_csv_reader_t *reader;
    json_t *rows;
};

/* A row without content is none for the import, and no header. */
static apr_status_t take_row(void *baton, const cat_csv_cell_t *cells, int count)
{
    cat_file_head_t *head = baton;
    json_t *row;

    if (cat_csv_count_cells(cells, count, 0) == 0) {
        return APR_SUCCESS;
    }
    row = json_array();
    for (int i = 0; i < count; i++) {
        json_t *text = cells[i].text ? json_stringn(cells[i].text, cells[i].length) : json_string("");
        json_array_append_new(row, text ? text : json_string(UNREADABLE));
    }
    json_array_append_new(head->rows, row);
    return json_array_size(head->rows) == CAT_FILE_HEAD_ROWS ? APR_EOF : APR_SUCCESS;
}

cat_file_head_t *cat_file_head_make(apr_pool_t *pool, const cat_csv_options_t *options)
{
    cat_file_head_t *head = apr_palloc(pool, sizeof(*head));

    head->rows = cat_json_own(pool, json_array());
    head->reader = cat_csv_reader_make(pool, options, take_row, head);
    return head;
}

apr_status_t cat_file_head_feed(cat_file_head_t *head, const char *data, apr_size_t length)
{
    apr_status_t rv = cat_csv_reader_feed(head->reader, data, length);

    return rv == APR_EINVAL || rv == APR_ENOSPC || rv == APR_BADCH ? APR_EOF : rv;
}

char cat_file_head_delimiter(const cat_file_head_t *head)
{
    return cat_csv_reader_delimiter(head->reader);
}

cat_encoding_t cat_file_head_encoding(const cat_file_head_t *head)
{
    return cat_csv_reader_encoding(head->reader);
}

const json_t *cat_file_head_rows(const cat_file_head_t *head)
{
    return head->rows;
}
