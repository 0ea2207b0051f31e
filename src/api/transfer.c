/* SPDX-License-Identifier: Apache-2.0 */
#include "api/transfer.h"

#include <apr_strings.h>
#include <string.h>

#include "api/failure.h"
#include "catalogue/export.h"
#include "catalogue/import.h"
#include "http/answer.h"
#include "http/options.h"
#include "http/header.h"
#include "http/request.h"
#include "lib/json.h"

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

/* ---- import ---- */

static const char *const modes[] = {"create", "upsert", NULL};
static const char *const false_or_true[] = {"false", "true", NULL};

static json_t *parse_import(cat_request_t *q, cat_import_options_t *o, cat_parameters_t *p)
{
    enum { MODE, DRY_RUN, ATOMIC };
    cat_option_t options[] = {
        {"mode", modes, 0, 0}, {"dryRun", false_or_true, 0, 0}, {"atomic", false_or_true, 1, 0}, {NULL, NULL, 0, 0}};
    cat_parameter_t parameter;

    cat_parameters_init(p, q->pool, q->strict, q->query);
    while (cat_parameters_next(p, &parameter)) {
        if (!cat_options_take(p, options, &parameter)) {
            cat_parameters_add_unknown(p, parameter.name);
        }
    }
    *o = (cat_import_options_t){
        .rows = {.kind = cat_header_has_type(q->upload->type, "text/csv") ? CAT_ROWS_CSV : CAT_ROWS_NDJSON,
                 .strict = q->strict,
                 .may_update = options[MODE].chosen,
                 .max = (apr_size_t)q->conf->max_body},
        .is_dry = options[DRY_RUN].chosen,
        .in_batches = !options[ATOMIC].chosen,
    };
    return p->errors;
}

static void add_summary(cat_request_t *q, cat_answer_t *answer, const json_t *summary)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 128);
    cat_buffer_add_text(&b, cat_json_text(q->pool, summary));
    cat_answer_add_member(q->pool, answer, "summary", &b);
}

static cat_answer_t *answer_imported(cat_request_t *q, const cat_import_options_t *o, const cat_import_result_t *result)
{
    json_t *summary =
        cat_json_own(q->pool, json_pack("{s:I, s:I, s:I, s:I}", "rows", (json_int_t)result->rows, "created",
                                        (json_int_t)result->created, "updated", (json_int_t)result->updated,
                                        "unchanged", (json_int_t)result->unchanged));
    cat_answer_t *answer =
        cat_answer_success(q->pool, 200, NULL, o->is_dry ? "Checked, nothing was stored" : "Products imported");

    if (o->in_batches) {
        json_object_set_new(summary, "stored", json_integer(result->stored));
    }
    add_summary(q, answer, summary);
    return answer;
}

static cat_answer_t *make_refusal(cat_request_t *q, apr_status_t rv, const cat_import_result_t *result)
{
    if (rv == CAT_ETOOMANY) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_IMPORT_TOO_LONG, NULL);
    }
    return rv == CAT_EREFUSED ? cat_answer_rows_invalid(q->pool, cat_import_summary(q->pool, result), result->errors)
                              : cat_failure_answer(q->pool, rv);
}

static cat_answer_t *answer_refused(cat_request_t *q, apr_status_t rv, const cat_import_result_t *result)
{
    cat_answer_t *answer = make_refusal(q, rv, result);

    add_summary(q, answer,
                cat_json_own(q->pool, json_pack("{s:I, s:I, s:I}", "rows", (json_int_t)result->rows, "failed",
                                                (json_int_t)result->failed, "stored", (json_int_t)result->stored)));
    return answer;
}

/* Reads the body to its end, or as far as it is good for anything. */
static cat_answer_t *read_file(cat_request_t *q, cat_import_t *import, apr_status_t *rv)
{
    const char *data;
    apr_size_t length = 1;

    for (*rv = APR_SUCCESS; *rv == APR_SUCCESS && length > 0;) {
        cat_answer_t *refusal = q->upload->read(q->upload, &data, &length);
        if (refusal) {
            return refusal;
        }
        *rv = cat_import_feed(import, data, length);
    }
    return NULL;
}

static void name_ignored(cat_request_t *q, cat_answer_t *answer, const cat_parameters_t *p,
                         const cat_import_result_t *result)
{
    apr_array_header_t *names = apr_array_copy(q->pool, result->ignored);

    if (p->ignored) {
        apr_array_cat(names, p->ignored);
    }
    cat_answer_name_ignored(answer, q->pool, names);
}

cat_answer_t *cat_transfer_import(cat_request_t *q)
{
    cat_import_options_t options;
    cat_parameters_t parameters;
    const cat_import_result_t *result;
    cat_import_t *import;
    cat_answer_t *answer;
    apr_status_t rv;

    if (parse_import(q, &options, &parameters)) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, parameters.errors);
    }
    rv = cat_import_make(q->db, &options, &import);
    answer = rv == APR_SUCCESS ? read_file(q, import, &rv) : NULL;
    if (answer) {
        return answer;
    }
    rv = rv == APR_SUCCESS ? cat_import_store(import) : rv;
    result = cat_import_result(import);
    answer = rv == APR_SUCCESS ? answer_imported(q, &options, result) : answer_refused(q, rv, result);
    name_ignored(q, answer, &parameters, result);
    return answer;
}
