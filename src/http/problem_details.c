/* SPDX-License-Identifier: Apache-2.0 */
#include "http/problem_details.h"

#include <apr_strings.h>
#include <string.h>

#include "http/header.h"
#include "lib/json.h"

int cat_problem_details_wanted(const char *accept)
{
    int is_named, quality;

    if (!accept) {
        return 0;
    }
    quality = cat_header_quality(accept, CAT_PROBLEM_DETAILS_TYPE, &is_named);
    return is_named && quality > 0 && quality >= cat_header_quality(accept, "application/json", NULL);
}

const char *cat_problem_details_name(const cat_problem_row_t *row)
{
    return row->name ? row->name : CAT_PROBLEM_UNNAMED;
}

const char *cat_problem_details_uri(apr_pool_t *pool, const char *mount_uri, const cat_problem_row_t *row)
{
    return row->name ? apr_pstrcat(pool, mount_uri, "/problems/", row->name, NULL) : CAT_PROBLEM_UNNAMED;
}

const cat_answer_t *cat_problem_details_make(apr_pool_t *pool, const cat_answer_t *answer, const char *mount_uri,
                                             const char *request_id)
{
    const cat_problem_row_t *row = answer->problem;
    cat_answer_t *details = apr_pmemdup(pool, answer, sizeof(*details));
    cat_buffer_t b;

    cat_buffer_init(&b, pool, answer->length + 256);
    cat_json_add_member(&b, "{\"type\":", cat_problem_details_uri(pool, mount_uri, row));
    cat_json_add_member(&b, ",\"title\":", row->message);
    CAT_BUFFER_LITERAL(&b, ",\"status\":");
    cat_buffer_add_int(&b, answer->status);
    if (answer->error) {
        cat_json_add_member(&b, ",\"detail\":", answer->error);
    }
    if (request_id) {
        cat_json_add_member(&b, ",\"requestId\":", request_id);
    }
    cat_buffer_add(&b, answer->body + answer->words, answer->length - answer->words);
    details->body = cat_buffer_text(&b);
    details->length = b.length;
    details->type = CAT_PROBLEM_DETAILS_TYPE;
    return details;
}
