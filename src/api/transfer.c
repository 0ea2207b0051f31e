/* SPDX-License-Identifier: Apache-2.0 */
#include "api/transfer.h"

#include <apr_strings.h>
#include <string.h>

#include "api/failure.h"
#include "catalogue/export.h"
#include "http/answer.h"
#include "http/options.h"
#include "http/request.h"

/* ---- export ---- */

static const char *const formats[] = {"ndjson", "csv", "json", NULL};
static const char *const no_or_yes[] = {"0", "1", NULL};

typedef struct export_request_t {
    cat_parameters_t parameters;
    cat_list_query_t query;
    const cat_export_format_t *format;
} export_request_t;

static void parse_export(cat_request_t *q, export_request_t *e)
{
    enum { FORMAT, SAFE };
    cat_option_t options[] = {{"format", formats, 0, 0}, {"safe", no_or_yes, 0, 0}, {NULL, NULL, 0, 0}};
    cat_parameters_t *p = &e->parameters;
    cat_parameter_t parameter;
    int has_fields = 0;

    e->query = (cat_list_query_t){.after = {.key = CAT_LIST_KEY_MAX}, .fields = CAT_FIELD_LIST_ALL};
    cat_parameters_init(p, q->pool, q->strict, q->query);
    while (cat_parameters_next(p, &parameter)) {
        if (cat_options_take(p, options, &parameter)) {
            continue;
        }
        if (strcmp(parameter.name, "fields") != 0) {
            cat_parameters_add_unknown(p, parameter.name);
        } else if (has_fields++) {
            cat_parameters_add_repeated(p, parameter.name);
        } else {
            e->query.fields = cat_field_list_parse(p, &parameter, CAT_FIELD_LIST_ALL);
        }
    }
    e->format = cat_export_format_find(formats[options[FORMAT].chosen], options[SAFE].chosen);
}

static apr_status_t pull_piece(void *export, const char **data, apr_size_t *length)
{
    return cat_export_read(export, data, length);
}

static void close_export(void *export)
{
    cat_export_close(export);
}

static cat_answer_t *answer_export(cat_request_t *q, const cat_export_format_t *format, cat_export_t *export)
{
    cat_stream_t *stream = apr_palloc(q->pool, sizeof(*stream));
    cat_answer_t *answer = cat_answer_stream(q->pool, format->type, stream);

    *stream = (cat_stream_t){pull_piece, close_export, export};
    cat_answer_header(answer, q->pool, "Content-Disposition",
                      apr_pstrcat(q->pool, "attachment; filename=\"products.", format->name, "\"", NULL));
    cat_answer_header(answer, q->pool, "Cache-Control", "no-store");
    return answer;
}

cat_answer_t *cat_transfer_export(cat_request_t *q)
{
    export_request_t e;
    cat_export_t *export;
    cat_answer_t *answer;
    apr_status_t rv;

    parse_export(q, &e);
    if (e.parameters.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, e.parameters.errors);
    }
    rv = cat_export_open(q->db, &e.query, e.format, &export);
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    answer = answer_export(q, e.format, export);
    if (e.parameters.ignored) {
        cat_answer_name_ignored(answer, q->pool, e.parameters.ignored);
    }
    return answer;
}
