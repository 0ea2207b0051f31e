/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of products over HTTP: parameters and responses of two routes. catalogue/transfer makes and reads the files.
 *
 *     GET /products/export    the catalogue makes the next piece of the file when the last one has been sent
 *     POST /products/import   passes the body to the import piece by piece; returns a summary, or the rows' errors
 *              ?dryRun=head   reads only the first rows (catalogue/transfer/file_head.h); returns their cells unchecked
 */
#include "api/transfer.h"

#include <apr_strings.h>
#include <string.h>

#include "api/changes.h"
#include "api/failure.h"
#include "api/idempotency.h"
#include "api/indexing.h"
#include "api/products.h"
#include "catalogue/files.h"
#include "catalogue/lists.h"
#include "http/answer.h"
#include "http/header.h"
#include "http/options.h"
#include "http/request.h"
#include "lib/digest.h"
#include "lib/json.h"
#include "lib/text.h"

/* ---- export ---- */

static const char *const formats[] = {"ndjson", "csv", "json", NULL};
static const char *const no_or_yes[] = {"0", "1", NULL};
static const char *const false_or_true[] = {"false", "true", NULL};

enum { FORMAT, EXPORT_DELIMITER, EXPORT_DECIMAL, BOM, SAFE, EXPORT_OPTIONS };
static const cat_option_t export_options[EXPORT_OPTIONS + 1] = {
    [FORMAT] = {"format", "How the file is written", formats, 0, 0},
    [EXPORT_DELIMITER] = {"delimiter", "The mark between the cells of a CSV file", cat_row_delimiters, 0, 0},
    [EXPORT_DECIMAL] = {"decimal", "The decimal mark of numbers in a CSV file", cat_row_decimals, 0, 0},
    [BOM] = {"bom", "With `true`, a CSV file begins with a byte order mark, by which Excel recognizes UTF-8",
             false_or_true, 0, 0},
    [SAFE] = {"safe",
              "With `1`, texts that a spreadsheet would take for formulas begin with an apostrophe; an import would "
              "store it",
              no_or_yes, 0, 0},
    [EXPORT_OPTIONS] = {NULL, NULL, NULL, 0, 0},
};

typedef struct export_request_t {
    cat_option_t options[EXPORT_OPTIONS + 1];
    cat_list_query_t query;
    const cat_export_format_t *format;
    cat_export_style_t style;
} export_request_t;

static int take_export_option(void *baton, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    export_request_t *e = baton;

    return cat_options_take(p, e->options, parameter);
}

/* Parses the query. Returns false and sets e->query.errors if it is invalid. */
static int parse_export(cat_request_t *q, export_request_t *e)
{
    const cat_query_own_t own = {take_export_option, e};
    int is_valid;

    *e = (export_request_t){.format = NULL};
    memcpy(e->options, export_options, sizeof(export_options));
    is_valid = cat_query_parse_all(q->pool, q->conf, q->strict, q->query, &own, &e->query);
    e->format = cat_export_format_find(formats[e->options[FORMAT].chosen]);
    e->style = (cat_export_style_t){
        .delimiter = cat_row_delimiter(e->options[EXPORT_DELIMITER].chosen),
        .has_comma = e->options[EXPORT_DECIMAL].chosen,
        .has_mark = e->options[BOM].chosen,
        .is_safe = e->options[SAFE].chosen,
    };
    return is_valid;
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

    if (!parse_export(q, &e)) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, e.query.errors);
    }
    answer = cat_indexing_refuse(q, &e.query);
    if (answer) {
        return answer;
    }
    rv = cat_export_open(q->db, &e.query, e.format, &e.style, &export);
    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    answer = answer_export(q, e.format, export);
    if (e.query.ignored) {
        cat_answer_name_ignored(answer, q->pool, e.query.ignored);
    }
    return answer;
}

/* ---- import ---- */

static const char *const modes[] = {"create", "upsert", NULL};
static const char *const runs[] = {"false", "true", "head", "sample", NULL};
static const char *const parts[] = {"whole", "more", "last", NULL};

enum { STORED, CHECKED, HEAD, SAMPLE }; /* Indexes of runs. */
enum { WHOLE, MORE, LAST };             /* Indexes of parts. */
enum { MODE, DRY_RUN, ATOMIC, DELIMITER, DECIMAL, ENCODING, HEADER, PART, ETAGS, IMPORT_OPTIONS };
static const cat_option_t import_options[IMPORT_OPTIONS + 1] = {
    [MODE] = {"mode",
              "`upsert` updates the product of each row that has an id, and creates the others; `create` ignores ids",
              modes, 0, 0},
    [DRY_RUN] =
        {"dryRun",
         "With `true`, the file is checked and nothing is stored; `sample` also returns what its first good rows would "
         "store; `head` only the cells of the first rows of a CSV file",
         runs, STORED, 0},
    [ATOMIC] = {"atomic", "With `false`, more than 10000 rows are stored too, in several transactions", false_or_true,
                1, 0},
    [DELIMITER] = {"delimiter", "The mark between the cells of a CSV file, unless its first line is such as `sep=;`",
                   cat_row_delimiters, 0, 0},
    [DECIMAL] = {"decimal", "The decimal mark of numbers in a CSV file", cat_row_decimals, 0, 0},
    [ENCODING] =
        {"encoding",
         "The encoding of a CSV file, unless it begins with a byte order mark; `charset` of its Content-Type if absent",
         cat_encodings, 0, 0},
    [HEADER] = {"header", "With `false`, a CSV file has no header row, and `columns` says what its columns are",
                false_or_true, 1, 0},
    [PART] = {"part",
              "`more`: the body is a part of a file; a row without the end of its line is left to the next one. "
              "`last`: it is "
              "the last part. The answer tells where rows are",
              parts, WHOLE, 0},
    [ETAGS] = {"etags", "With `true`, the answer has id and `ETag` of each product that is created", false_or_true, 0,
               0},
    [IMPORT_OPTIONS] = {NULL, NULL, NULL, 0, 0},
};

#define COLUMNS "columns"
#define KEY "key"
#define KEY_FAULT "must name a unique field, and requires mode=upsert"
#define LIST "list"
#define NOT_OF_CSV "must be left out, unless the file is CSV"
#define SAMPLE_MAX 5    /* Number of products that dryRun=sample returns. */
#define IGNORED_MAX 200 /* Characters of the name of an ignored column. */

typedef struct import_request_t {
    cat_request_t *q;
    cat_import_options_t options;
    int wants_head;        /* True for dryRun=head. */
    cat_buffer_t products; /* JSON of the products in the response, separated by commas. */
    int product_count;     /* Number of these products. */
    apr_pool_t *pool;      /* Cleared after each of these products. NULL if the response has no products. */
    cat_parameters_t parameters;
    cat_digest_t *digest; /* Digest of the body. NULL if the request has no Idempotency-Key. */
    cat_answer_t *kept;   /* Response stored for the Idempotency-Key. NULL if none was stored. */
} import_request_t;

static void take_columns(import_request_t *im, cat_row_options_t *rows, const cat_parameter_t *parameter)
{
    if (rows->columns || rows->names) {
        cat_parameters_add_repeated(&im->parameters, COLUMNS);
    } else if (!parameter->value || !cat_row_columns_parse(im->q->pool, parameter->value, rows)) {
        cat_parameters_add_error(&im->parameters, COLUMNS, "format", CAT_ROW_COLUMNS_FAULT);
    }
}

static void take_key(import_request_t *im, cat_row_options_t *rows, const cat_parameter_t *parameter)
{
    if (rows->key != CAT_PRODUCT_ID) {
        cat_parameters_add_repeated(&im->parameters, KEY);
    } else if (!parameter->value || !cat_row_key_parse(parameter->value, rows)) {
        cat_parameters_add_error(&im->parameters, KEY, "format", KEY_FAULT);
    }
}

static void take_list(import_request_t *im, cat_row_options_t *rows, const cat_parameter_t *parameter)
{
    if (rows->list_mark) {
        cat_parameters_add_repeated(&im->parameters, LIST);
    } else if (!cat_row_list_parse(parameter->value ? parameter->value : "", rows)) {
        cat_parameters_add_error(&im->parameters, LIST, "format", CAT_ROW_LIST_FAULT);
    }
}

static void check_options(import_request_t *im, const cat_option_t *options, const cat_row_options_t *rows)
{
    if (options[DRY_RUN].chosen == HEAD && rows->kind != CAT_ROWS_CSV) {
        cat_parameters_add_error(&im->parameters, "dryRun", "format", "must be false or true, unless the file is CSV");
    }
    for (int i = 0; i < IMPORT_OPTIONS && rows->kind != CAT_ROWS_CSV; i++) {
        if ((i == DECIMAL || i == ENCODING) && options[i].is_sent) {
            cat_parameters_add_error(&im->parameters, options[i].name, "format", NOT_OF_CSV);
        }
    }
    if (rows->key != CAT_PRODUCT_ID && !rows->may_update) {
        cat_parameters_add_error(&im->parameters, KEY, "format", KEY_FAULT);
    }
    if (rows->kind != CAT_ROWS_CSV && rows->list_mark) {
        cat_parameters_add_error(&im->parameters, LIST, "format", NOT_OF_CSV);
    }
    if (rows->lacks_header && rows->kind == CAT_ROWS_CSV && !rows->columns) {
        cat_parameters_add_error(&im->parameters, "header", "format",
                                 "must be true, unless `columns` names all columns");
    }
}

/* Adds id and ETag of a created product. The ETag is the one that a list with `etags` has (api/listing.c). */
static void add_created(import_request_t *im, const char *const *product)
{
    const char *tag = cat_products_tag(im->pool, cat_product_fields_of(im->q->conf), product);

    cat_json_add_member(&im->products, "{\"id\":", product[CAT_PRODUCT_ID]);
    cat_json_add_member(&im->products, ",\"etag\":", tag);
    CAT_BUFFER_LITERAL(&im->products, "}");
}

/* Collects a product for the response. `product` is NULL when a transaction begins, perhaps again. */
static void collect_product(void *baton, const char *const *product)
{
    import_request_t *im = baton;
    const cat_fields_t *fields = cat_product_fields_of(im->q->conf);

    if (!product) {
        im->products.length = 0;
        im->product_count = 0;
    } else if (!im->options.is_dry || im->product_count < SAMPLE_MAX) {
        cat_buffer_add_text(&im->products, im->product_count++ ? "," : "");
        if (im->options.is_dry) {
            cat_fields_write(&im->products, fields->all, fields->count, product);
        } else {
            add_created(im, product);
        }
        apr_pool_clear(im->pool);
    }
}

static void collect_products(import_request_t *im, const cat_option_t *options)
{
    int is_sample = options[DRY_RUN].chosen == SAMPLE;

    if (options[ETAGS].chosen && !options[ATOMIC].chosen) {
        cat_parameters_add_error(&im->parameters, "etags", "format", "must be false if atomic is false");
    }
    if (is_sample || (options[ETAGS].chosen && options[DRY_RUN].chosen == STORED)) {
        im->options.note = collect_product;
        apr_pool_create(&im->pool, im->q->pool);
        cat_buffer_init(&im->products, im->q->pool, is_sample ? 2048 : 65536);
    }
}

/* Returns the names of all parameters of an import, with NULL at the end, on the pool. */
static const char *const *list_parameters(apr_pool_t *pool)
{
    static const char *const others[] = {COLUMNS, KEY, LIST};
    const char **names = apr_pcalloc(pool, (IMPORT_OPTIONS + 3 + 1) * sizeof(*names));

    for (int i = 0; i < IMPORT_OPTIONS; i++) {
        names[i] = import_options[i].name;
    }
    memcpy(names + IMPORT_OPTIONS, others, sizeof(others));
    return names;
}

static json_t *parse_import(import_request_t *im)
{
    cat_option_t options[IMPORT_OPTIONS + 1];
    cat_request_t *q = im->q;
    cat_row_options_t rows = {.fields = cat_product_fields_of(q->conf)};
    cat_parameter_t parameter;

    memcpy(options, import_options, sizeof(options));
    options[ENCODING].chosen = cat_header_charset(q->upload->type, cat_encodings);
    cat_parameters_init(&im->parameters, q->pool, q->strict, q->query);
    im->parameters.names = list_parameters(q->pool);
    while (cat_parameters_next(&im->parameters, &parameter)) {
        if (!strcmp(parameter.name, COLUMNS)) {
            take_columns(im, &rows, &parameter);
        } else if (!strcmp(parameter.name, KEY)) {
            take_key(im, &rows, &parameter);
        } else if (!strcmp(parameter.name, LIST)) {
            take_list(im, &rows, &parameter);
        } else if (!cat_options_take(&im->parameters, options, &parameter)) {
            cat_parameters_add_unknown(&im->parameters, parameter.name);
        }
    }
    rows.kind = cat_header_has_type_of(q->upload->type, "text/csv", cat_encodings) ? CAT_ROWS_CSV : CAT_ROWS_NDJSON;
    rows.delimiter = cat_row_delimiter(options[DELIMITER].chosen);
    rows.has_comma = options[DECIMAL].chosen;
    rows.encoding = (cat_encoding_t)options[ENCODING].chosen;
    rows.strict = q->strict;
    rows.may_update = options[MODE].chosen;
    rows.max = (apr_size_t)q->conf->max_body;
    rows.lacks_header = !options[HEADER].chosen;
    rows.is_cut = options[PART].chosen == MORE;
    check_options(im, options, &rows);
    im->wants_head = options[DRY_RUN].chosen == HEAD;
    im->options = (cat_import_options_t){
        .rows = rows,
        .is_dry = options[DRY_RUN].chosen != STORED,
        .in_batches = !options[ATOMIC].chosen,
        .tells_places = options[PART].chosen != WHOLE,
        .baton = im,
    };
    collect_products(im, options);
    return im->parameters.errors;
}

static void add_summary(const import_request_t *im, cat_answer_t *answer, json_t *summary,
                        const cat_import_result_t *result)
{
    json_t *ignored = json_array();

    for (int i = 0; i < result->ignored->nelts; i++) {
        const char *name = APR_ARRAY_IDX(result->ignored, i, const char *);
        json_array_append_new(ignored, json_string(cat_text_shorten(im->q->pool, name, IGNORED_MAX)));
    }
    if (im->options.tells_places) {
        json_object_set_new(summary, "octets", json_integer(result->octets));
    }
    if (json_array_size(ignored)) {
        json_object_set(summary, "ignored", ignored);
    }
    json_decref(ignored);
    cat_answer_add_json(im->q->pool, answer, "summary", summary);
}

static cat_answer_t *name_ignored(const import_request_t *im, cat_answer_t *answer, const cat_import_result_t *result)
{
    apr_array_header_t *names = apr_array_copy(im->q->pool, result->ignored);

    if (im->parameters.ignored) {
        apr_array_cat(names, im->parameters.ignored);
    }
    cat_answer_name_ignored(answer, im->q->pool, names);
    return answer;
}

/* Returns the JSON array of the collected products, or NULL if the response has none. */
static const cat_buffer_t *list_products(const import_request_t *im)
{
    cat_buffer_t *b = apr_palloc(im->q->pool, sizeof(*b));

    if (!im->pool) {
        return NULL;
    }
    cat_buffer_init(b, im->q->pool, im->products.length + 2);
    CAT_BUFFER_LITERAL(b, "[");
    cat_buffer_add(b, im->products.data, im->products.length);
    CAT_BUFFER_LITERAL(b, "]");
    return b;
}

static cat_answer_t *answer_imported(const import_request_t *im, const cat_import_result_t *result)
{
    apr_pool_t *pool = im->q->pool;
    json_t *summary = cat_json_own(pool, json_pack("{s:I, s:I, s:I, s:I}", "rows", (json_int_t)result->rows, "created",
                                                   (json_int_t)result->created, "updated", (json_int_t)result->updated,
                                                   "unchanged", (json_int_t)result->unchanged));
    cat_answer_t *answer = cat_answer_success(pool, 200, list_products(im),
                                              im->options.is_dry ? "Checked, nothing was stored" : "Products imported");

    if (im->options.in_batches) {
        json_object_set_new(summary, "stored", json_integer(result->stored));
    }
    cat_changes_name_batch(im->q, answer, im->q->db->author->batch);
    add_summary(im, answer, summary, result);
    return name_ignored(im, answer, result);
}

static cat_answer_t *answer_refused(const import_request_t *im, apr_status_t rv, const cat_import_result_t *result)
{
    cat_request_t *q = im->q;
    cat_answer_t *answer;

    if (rv == CAT_ETOOMANY) {
        answer = cat_answer_problem(q->pool, CAT_PROBLEM_IMPORT_TOO_LONG, NULL);
    } else if (rv == CAT_EREFUSED) {
        answer = cat_answer_rows_invalid(q->pool, "row", "row", result->errors);
    } else {
        answer = cat_failure_answer(q->pool, rv);
    }
    add_summary(im, answer,
                cat_json_own(q->pool, json_pack("{s:I, s:I, s:I}", "rows", (json_int_t)result->rows, "failed",
                                                (json_int_t)result->failed, "stored", (json_int_t)result->stored)),
                result);
    cat_changes_name_batch(q, answer, q->db->author->stored);
    if (im->pool && im->options.is_dry) {
        cat_answer_add_member(q->pool, answer, "data", list_products(im));
    }
    return name_ignored(im, answer, result);
}

/* Reads the body to its end, or until the import fails, and then sets *rv. Returns NULL, or the response if the body
 * cannot be read. */
static cat_answer_t *read_file(const import_request_t *im, cat_import_t *import, apr_status_t *rv)
{
    cat_upload_t *upload = im->q->upload;
    const char *data;
    apr_size_t length = 1;

    for (*rv = APR_SUCCESS; *rv == APR_SUCCESS && length > 0;) {
        cat_answer_t *refusal = upload->read(upload, &data, &length);
        if (refusal) {
            return refusal;
        }
        if (im->digest) {
            cat_digest_add(im->digest, data, length);
        }
        *rv = cat_import_feed(import, data, length);
    }
    return NULL;
}

static void add_word(cat_request_t *q, cat_answer_t *answer, const char *name, const char *word)
{
    cat_answer_add_json(q->pool, answer, name, cat_json_own(q->pool, json_string(word)));
}

static cat_answer_t *answer_head(const import_request_t *im)
{
    cat_request_t *q = im->q;
    const cat_row_options_t *rows = &im->options.rows;
    const cat_csv_options_t options = {rows->delimiter, rows->encoding, rows->max};
    cat_file_head_t *head = cat_file_head_make(q->pool, &options);
    apr_status_t rv = APR_SUCCESS;
    const char *data;
    apr_size_t length = 1;
    cat_answer_t *answer;

    while (rv == APR_SUCCESS && length > 0) {
        answer = q->upload->read(q->upload, &data, &length);
        if (answer) {
            return answer;
        }
        rv = length > 0 || !rows->is_cut ? cat_file_head_feed(head, data, length) : APR_EOF;
    }
    if (rv != APR_SUCCESS && rv != APR_EOF) {
        cat_import_report_encoding(q->log, rv);
        return cat_failure_answer(q->pool, rv);
    }
    answer = cat_answer_success(q->pool, 200, NULL, "First rows read");
    cat_answer_add_json(q->pool, answer, "head", cat_file_head_rows(head));
    add_word(q, answer, "delimiter", cat_row_delimiters[cat_row_find_delimiter(cat_file_head_delimiter(head))]);
    add_word(q, answer, "encoding", cat_encodings[cat_file_head_encoding(head)]);
    return answer;
}

/* Writes the response at the end of the transaction, which stores it for the Idempotency-Key. */
static void keep_answer(void *baton, const cat_import_result_t *result)
{
    import_request_t *im = baton;

    im->kept = answer_imported(im, result);
    cat_idempotency_keep(im->q, im->kept);
}

static cat_answer_t *begin_idempotency(import_request_t *im)
{
    cat_request_t *q = im->q;

    if (!q->idempotency) {
        return NULL;
    }
    if (im->options.in_batches) {
        return cat_answer_problem(
            q->pool, CAT_PROBLEM_IDEMPOTENCY_KEY,
            "an import with atomic=false may take several transactions; leave out Idempotency-Key or atomic=false");
    }
    im->options.finish = keep_answer;
    im->digest = cat_digest_begin(q->pool);
    return im->digest ? NULL : cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
}

/* Looks for a stored response before it reports bad rows: when a file is sent again, a product that it updated the
 * first time may have been deleted. */
static cat_answer_t *store_file(import_request_t *im, cat_import_t *import)
{
    const cat_import_result_t *result = cat_import_result(import);
    cat_answer_t *answer = im->digest ? cat_idempotency_check(im->q, cat_digest_end(im->digest)) : NULL;
    apr_status_t rv;

    if (answer) {
        return answer;
    }
    im->q->db->author->source = CAT_SOURCE_IMPORT;
    rv = cat_import_store(import);
    if (rv != APR_SUCCESS) {
        return answer_refused(im, rv, result);
    }
    return im->kept ? im->kept : answer_imported(im, result);
}

cat_answer_t *cat_transfer_import(cat_request_t *q)
{
    import_request_t im = {.q = q};
    cat_import_t *import;
    cat_answer_t *answer;
    apr_status_t rv;

    if (parse_import(&im)) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, im.parameters.errors);
    }
    if (im.wants_head) {
        return answer_head(&im);
    }
    answer = begin_idempotency(&im);
    if (answer) {
        return answer;
    }
    rv = cat_import_make(q->db, &im.options, &import);
    answer = rv == APR_SUCCESS ? read_file(&im, import, &rv) : NULL;
    if (answer) {
        return answer;
    }
    return rv == APR_SUCCESS ? store_file(&im, import) : answer_refused(&im, rv, cat_import_result(import));
}

/* ---- descriptions ---- */

static void describe_export(cat_describer_t *d)
{
    cat_options_describe(d, export_options);
    cat_query_describe(d, 1);
}

static void describe_import(cat_describer_t *d)
{
    cat_options_describe(d, import_options);
    cat_description_add_parameter(d, COLUMNS,
                                  "The fields of a CSV file's columns, in their order; an empty name leaves one out. "
                                  "Or the columns whose names are "
                                  "not those of their fields: `Title:name,Shelf:`",
                                  json_pack("{s:s}", "type", "string"), json_string("name,,price"));
    cat_description_add_parameter(d, KEY,
                                  "With `mode=upsert`: a unique field. A row updates the product that has its value, "
                                  "and creates one where none has",
                                  json_pack("{s:s}", "type", "string"), json_string("sku"));
    cat_description_add_parameter(
        d, LIST, "The mark between the texts of a list in a cell of a CSV file",
        json_pack("{s:s, s:s, s:i, s:i}", "type", "string", "default", "|", "minLength", 1, "maxLength", 1),
        json_string(","));
}

/* Describes a file of each format. JSON files have a schema, other files are texts. */
static json_t *describe_file(cat_describer_t *d)
{
    static const cat_shape_t products = {.kind = CAT_SHAPE_LIST, .of = &cat_products_shape};
    json_t *content = json_object();

    for (const cat_export_format_t *format = cat_export_formats; format->name; format++) {
        int is_json = !strcmp(format->type, "application/json");
        json_t *schema = is_json ? cat_schema_of_shape(d->schemas, &products) : json_pack("{s:s}", "type", "string");
        json_object_set_new(content, apr_pstrmemdup(d->pool, format->type, strcspn(format->type, ";")),
                            json_pack("{s:o}", "schema", schema));
    }
    return content;
}

static json_t *describe_rows(cat_describer_t *, json_t **example)
{
    *example = json_string("name,price,category\r\nKettle,19.99,kitchen\r\n");
    return json_pack("{s:s, s:s}", "type", "string", "description",
                     "A file with a row or a line for each product, with the fields of `NewProduct`.");
}

static const cat_problem_t export_problems[] = {CAT_PROBLEM_NOT_INDEXED, CAT_PROBLEM_INDEXING, CAT_PROBLEM_QUERY_SLOW,
                                                CAT_PROBLEM_COUNT};

const cat_description_t cat_transfer_about_export = {
    .id = "exportProducts",
    .tag = "Products",
    .summary = "Export products to a file",
    .about = "All that meet the conditions, in one state of the database. What was exported can be imported.",
    .group = "products",
    .describe_parameters = describe_export,
    .status = 200,
    .answered = "The file",
    .describe_content = describe_file,
    .headers = CAT_HEADER_DISPOSITION,
    .problems = export_problems,
};

static const cat_shape_t cells = {.kind = CAT_SHAPE_LIST, .of = &cat_schema_text};
static const cat_member_t summary_members[] = {
    {"rows", &cat_schema_whole, CAT_ALWAYS, "The rows of the file"},
    {"created", &cat_schema_whole, CAT_USUALLY, "How many products were created"},
    {"updated", &cat_schema_whole, CAT_USUALLY, "How many were updated"},
    {"unchanged", &cat_schema_whole, CAT_USUALLY, "How many were already as the file has them"},
    {"failed", &cat_schema_whole, CAT_RARELY, "How many rows are bad"},
    {"stored", &cat_schema_whole, CAT_RARELY, "How many rows are stored, of an import in several transactions"},
    {"ignored", &cells, CAT_RARELY, "Columns and fields that were left out"},
    {"octets", &cat_schema_whole, CAT_RARELY, "Of a part: where the next one begins"},
    CAT_MEMBER_END,
};
static const cat_shape_t summary = {.kind = CAT_SHAPE_OBJECT, .name = "ImportSummary", .members = summary_members};
/* A product without id and times (dryRun=sample), or only its id and ETag (etags). */
static const cat_shape_t part_of_product = {.kind = CAT_SHAPE_ANY};
static const cat_shape_t sample = {.kind = CAT_SHAPE_LIST, .of = &part_of_product};
static const cat_shape_t head = {.kind = CAT_SHAPE_LIST, .of = &cells};
static const cat_member_t import_members[] = {
    CAT_MEMBER_SUCCESS,
    CAT_MEMBER_MESSAGE,
    {"summary", &summary, CAT_USUALLY, "What was done"},
    {"data", &sample, CAT_RARELY, "With `etags`: of each product that is created; with `dryRun=sample`: of some rows"},
    {"head", &head, CAT_RARELY, "With `dryRun=head`: the cells of the first rows"},
    {"delimiter", &cat_schema_text, CAT_RARELY, "With `dryRun=head`: what is between the cells"},
    {"encoding", &cat_schema_text, CAT_RARELY, "With `dryRun=head`: the encoding of the file"},
    CAT_MEMBER_END,
};
static const cat_shape_t import_answer = {.kind = CAT_SHAPE_OBJECT, .name = "Import", .members = import_members};
static const cat_member_t refusal_members[] = {
    CAT_DESCRIPTION_PROBLEM,
    {"summary", &summary, CAT_RARELY, "What was done"},
    {"data", &sample, CAT_RARELY, "With `dryRun=sample`"},
    CAT_MEMBER_END,
};
static const cat_shape_t refusal = {.kind = CAT_SHAPE_OBJECT, .name = "ImportProblem", .members = refusal_members};
static const cat_problem_t import_problems[] = {CAT_PROBLEM_IMPORT_TOO_LONG, CAT_PROBLEM_COUNT};

const cat_description_t cat_transfer_about_import = {
    .id = "importProducts",
    .tag = "Products",
    .summary = "Import products from a file",
    .about = "The whole file is checked before anything is stored; if a row is bad, nothing is.",
    .describe_input = describe_rows,
    .group = "products",
    .describe_parameters = describe_import,
    .status = 200,
    .answered = "The products are stored",
    .shape = &import_answer,
    .headers = CAT_HEADER_BATCH,
    .refusal = &refusal,
    .problems = import_problems,
};
