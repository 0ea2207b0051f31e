/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl export and import with --products: files of products alone, as the API reads and writes them. The work is the
 * catalogue's (catalogue/transfer/); here are standard input and output, progress, and transactions that yield to servers.
 */
#include "ctl/products.h"

#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/files.h"
#include "catalogue/store.h"
#include "ctl/counts.h"
#include "ctl/database.h"
#include "ctl/image_rows.h"
#include "ctl/move.h"
#include "ctl/progress.h"
#include "lib/text.h"

#define PIECE 65536
#define ROW_MAX 65536 /* octets: CatalogMaxBody's default */

/* Files of the server have the field images, too; --images makes another one of it. */
static const char *take_file_fields(ctl_t *ctl)
{
    const char *fault = ctl_move_take_fields(ctl);

    if (!fault && ctl->site.images && !ctl->options->images) {
        ctl->conf.fields = cat_own_fields_with_images(ctl->pool, ctl->conf.fields, ctl->site.mount_uri);
    }
    return fault;
}

/* ---- export ---- */

static int write_export(cat_export_t *export)
{
    ctl_progress_t progress;
    const char *data;
    apr_size_t length;
    apr_status_t rv;

    ctl_progress_begin(&progress);
    while ((rv = cat_export_read(export, &data, &length)) == APR_SUCCESS && length && !ferror(stdout)) {
        fwrite(data, 1, length, stdout);
        ctl_progress_show(&progress, cat_export_count(export), 0);
    }
    cat_export_close(export);
    ctl_progress_leave(&progress);
    return rv == APR_SUCCESS ? CTL_DONE : ctl_fail(NULL, "the export is incomplete; the cause is above");
}

static const char *find_word(apr_pool_t *pool, const char *option, const char *const *words, const char *name,
                             int *which)
{
    *which = name ? cat_text_find(words, name) : 0;
    return words[*which] ? NULL : apr_pstrcat(pool, option, " must be ", cat_text_join(pool, words), NULL);
}

/* The options that files have in both directions. */
static const char *parse_marks(apr_pool_t *pool, const ctl_options_t *o, char *delimiter, int *has_comma)
{
    int which;
    const char *fault = find_word(pool, "--delimiter", cat_row_delimiters, o->delimiter, &which);

    if (fault) {
        return fault;
    }
    *delimiter = cat_row_delimiter(which);
    return find_word(pool, "--decimal", cat_row_decimals, o->decimal, has_comma);
}

int ctl_products_export(ctl_t *ctl)
{
    const ctl_options_t *o = ctl->options;
    cat_list_query_t query = {.after = {.n = CAT_LIST_KEY_MAX}, .is_plain = 1};
    const cat_export_format_t *format = cat_export_format_find(o->products);
    cat_export_style_t style = {.has_mark = o->bom, .is_safe = o->safe};
    ctl_image_rows_t *images = NULL;
    cat_export_t *export;
    const char *fault;
    int code;

    if (!format) {
        return ctl_fail(o->products, "is not a format; use ndjson, csv or json");
    }
    fault = parse_marks(ctl->pool, o, &style.delimiter, &style.has_comma);
    fault = fault ? fault : take_file_fields(ctl);
    fault = !fault && o->images ? ctl_image_rows_write(ctl, &style, &images) : fault;
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    query.all = cat_product_fields_of(&ctl->conf);
    query.fields = cat_field_list_without(query.all, 0);
    ctl->conf.max_exports = 1;
    code = cat_export_open(ctl->db, &query, format, &style, &export) == APR_SUCCESS
               ? write_export(export)
               : ctl_fail(NULL, "the database cannot be read; the cause is above");
    return code == CTL_DONE && images ? ctl_image_rows_result(images) : code;
}

/* ---- import ---- */

typedef struct products_import_t {
    ctl_t *ctl;
    cat_import_t *import;
    const cat_import_result_t *result;
    ctl_image_rows_t *images; /* NULL: no column names files */
    ctl_progress_t progress;
} products_import_t;

static apr_status_t transact_group(void *baton, cat_work_t *work, void *work_baton)
{
    const products_import_t *im = baton;

    return ctl_database_write(im->ctl, work, work_baton);
}

static void show_stored(void *baton, apr_int64_t stored)
{
    products_import_t *im = baton;

    im->progress.total = im->result->rows;
    ctl_progress_show(&im->progress, stored, stored);
}

static apr_status_t read_input(products_import_t *im)
{
    char piece[PIECE];
    apr_int64_t octets = 0;
    apr_status_t rv = APR_SUCCESS;
    size_t length = 1;

    ctl_progress_expect_input(&im->progress);
    while (length && rv == APR_SUCCESS) {
        length = fread(piece, 1, sizeof(piece), stdin);
        octets += (apr_int64_t)length;
        rv = length || !ferror(stdin) ? cat_import_feed(im->import, piece, length) : APR_EGENERAL;
        ctl_progress_show(&im->progress, im->result->rows, octets);
    }
    ctl_progress_leave(&im->progress);
    return rv;
}

/* "row 3, line 5" */
static const char *name_row(apr_pool_t *pool, const json_t *error)
{
    json_int_t row = json_integer_value(json_object_get(error, "row")),
               line = json_integer_value(json_object_get(error, "line"));
    const char *name = apr_psprintf(pool, "row %" APR_INT64_T_FMT, (apr_int64_t)row);

    return line ? apr_psprintf(pool, "%s, line %" APR_INT64_T_FMT, name, (apr_int64_t)line) : name;
}

static void report_errors(const products_import_t *im)
{
    const json_t *error;
    size_t i;

    json_array_foreach (im->result->errors, i, error) {
        const char *field = json_string_value(json_object_get(error, "field"));
        ctl_fail(name_row(im->ctl->pool, error),
                 apr_pstrcat(im->ctl->pool, *field ? field : "it", " ",
                             json_string_value(json_object_get(error, "message")), NULL));
    }
}

static int report_failure(const products_import_t *im, apr_status_t rv)
{
    const cat_import_result_t *r = im->result;
    const char *stored = r->stored ? apr_psprintf(im->ctl->pool, "; rows that are stored: %" APR_INT64_T_FMT, r->stored)
                                   : ", nothing is stored";

    if (rv == CAT_EREFUSED) {
        report_errors(im);
        return ctl_fail(NULL, apr_psprintf(im->ctl->pool, "bad rows: %" APR_INT64_T_FMT "%s", r->failed, stored));
    }
    return ctl_fail(NULL, apr_pstrcat(im->ctl->pool, "the import is incomplete", stored, NULL));
}

static int report_success(const products_import_t *im)
{
    const cat_import_result_t *r = im->result;

    printf("%" APR_INT64_T_FMT " rows, %" APR_INT64_T_FMT " created, %" APR_INT64_T_FMT " updated, %" APR_INT64_T_FMT
           " unchanged%s\n",
           r->rows, r->created, r->updated, r->unchanged, im->ctl->options->dry_run ? ", nothing stored" : "");
    for (int i = 0; i < r->ignored->nelts; i++) {
        const char *name = APR_ARRAY_IDX(r->ignored, i, const char *);
        if (!im->images || strcmp(name, "images") != 0) {
            ctl_fail(name, "is not a field of a product; it was ignored");
        }
    }
    return im->images && !im->ctl->options->dry_run ? ctl_image_rows_store(im->images) : CTL_DONE;
}

static int import_input(products_import_t *im)
{
    apr_status_t rv = read_input(im);

    if (rv == APR_SUCCESS) {
        ctl_progress_begin(&im->progress);
        rv = cat_import_store(im->import);
    }
    ctl_progress_leave(&im->progress);
    if (im->result->stored) {
        ctl_counts_maintain(im->ctl);
    }
    return rv == APR_SUCCESS ? report_success(im) : report_failure(im, rv);
}

static const char *parse_rows(apr_pool_t *pool, const cat_fields_t *fields, const ctl_options_t *o,
                              cat_row_options_t *rows)
{
    int encoding;
    const char *fault;

    *rows = (cat_row_options_t){
        .fields = fields,
        .kind = strcmp(o->products, "csv") ? CAT_ROWS_NDJSON : CAT_ROWS_CSV,
        .may_update = o->upsert,
        .lacks_header = o->no_header,
        .max = ROW_MAX,
    };
    if (rows->kind == CAT_ROWS_NDJSON && strcmp(o->products, "ndjson")) {
        return apr_pstrcat(pool, o->products, ": is not a format; use ndjson or csv", NULL);
    }
    fault = parse_marks(pool, o, &rows->delimiter, &rows->has_comma);
    fault = fault ? fault : find_word(pool, "--encoding", cat_encodings, o->encoding, &encoding);
    if (fault) {
        return fault;
    }
    rows->encoding = (cat_encoding_t)encoding;
    if (o->key && !cat_row_key_parse(o->key, rows)) {
        return "--key must be the name of a unique field";
    }
    if (o->list && !cat_row_list_parse(o->list, rows)) {
        return "--list " CAT_ROW_LIST_FAULT;
    }
    if (o->columns && !cat_row_columns_parse(pool, o->columns, rows)) {
        return "--columns " CAT_ROW_COLUMNS_FAULT;
    }
    return rows->lacks_header && !rows->columns ? "--no-header goes with --columns that name all columns" : NULL;
}

int ctl_products_import(ctl_t *ctl)
{
    const ctl_options_t *o = ctl->options;
    products_import_t im = {.ctl = ctl};
    cat_import_options_t options = {
        .is_dry = o->dry_run,
        .in_batches = 1,
        .transact = transact_group,
        .progress = show_stored,
        .baton = &im,
    };
    const char *fault = take_file_fields(ctl);

    fault = fault ? fault : parse_rows(ctl->pool, cat_product_fields_of(&ctl->conf), o, &options.rows);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    if (o->images) {
        im.images = ctl_image_rows_read(ctl, &options);
    }
    ctl_progress_begin(&im.progress);
    if (cat_import_make(ctl->db, &options, &im.import) != APR_SUCCESS) {
        return ctl_fail(NULL, "the import cannot begin; the cause is above");
    }
    im.result = cat_import_result(im.import);
    return import_input(&im);
}
