/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl import: adds the rows of an export to this database.
 *
 * The file is read in batches. Of each, the database is first asked which rows it has, and only the others are inserted,
 * so an import that was interrupted can be repeated. Rows that are there with other content are left as they are, and
 * reported. The history of products does not move, and no changes of the added products are recorded, so programs that follow the changes of
 * either database must begin again. Nothing is trusted: lines must have the form, order, counts and checksum that export writes (ctl/export.c).
 */
#include <stdio.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/history.h"
#include "ctl/api_import.h"
#include "ctl/counts.h"
#include "ctl/database.h"
#include "ctl/move.h"
#include "ctl/products.h"
#include "ctl/progress.h"
#include "db/db.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/text.h"

#define LINE_SIZE 65536
#define BATCH 500                      /* rows of one transaction, */
#define BATCH_OCTETS (4 * 1024 * 1024) /* and octets of their lines: those of pictures are long */
#define REPORTS_MOST 10                /* differences that are reported one by one */

typedef enum { MISSING, EQUAL, DIFFERENT } state_t;

typedef struct row_t {
    apr_int64_t line;
    const char **values;
    state_t state; /* in the database */
} row_t;

typedef struct import_t {
    ctl_t *ctl;
    char *line;
    apr_int64_t number; /* of the line */
    apr_int64_t octets; /* read */
    apr_pool_t *line_pool;

    /* The batch: rows of one table, in the order of their keys. */
    apr_pool_t *pool;
    int table;
    row_t rows[BATCH];
    int count;
    apr_size_t length;  /* of their lines */
    const char *before; /* the last key of the previous batch */

    const char *const *missing[BATCH]; /* the rows that the database does not have */

    /* The walk through the database, in parallel. */
    int at;           /* the first row not reached yet */
    const char *last; /* key of the page; NULL: the page is empty */
    apr_pool_t *page_pool;

    ctl_move_sum_t sum;
    apr_int64_t changes; /* the number of the last change in the other database */
    int has_skipped;     /* true once cat_change_numbers_skip has run */
    apr_int64_t added;
    apr_int64_t differences;
    ctl_progress_t progress;
} import_t;

static const char *at_line(const import_t *im, apr_int64_t line, const char *fault)
{
    return apr_psprintf(im->ctl->pool, "line %" APR_INT64_T_FMT ": %s", line, fault);
}

/* ---- lines ---- */

static const char *read_line(import_t *im, apr_size_t *length)
{
    im->number++;
    if (!fgets(im->line, LINE_SIZE, stdin)) {
        return at_line(im, im->number, "the file ends before its last line");
    }
    *length = strlen(im->line);
    im->octets += *length;
    return strchr(im->line, '\n') ? NULL : at_line(im, im->number, "the line is cut off, too long, or contains NUL");
}

/* Parses a line, which is an object with one field. */
static const char *parse_line(import_t *im, apr_size_t length, const char **name, json_t **value)
{
    const char *why;
    json_t *line;

    apr_pool_clear(im->line_pool);
    line = cat_json_parse(im->line_pool, im->line, length, &why);
    if (json_object_size(line) != 1) {
        return at_line(im, im->number, "it is not a JSON object with one field");
    }
    *name = json_object_iter_key(json_object_iter(line));
    *value = json_object_iter_value(json_object_iter(line));
    return NULL;
}

static const char *read_head(import_t *im)
{
    const char *name, *fault;
    apr_size_t length;
    json_t *head;

    fault = read_line(im, &length);
    fault = fault ? fault : parse_line(im, length, &name, &head);
    if (fault || strcmp(name, "mod_catalog")) {
        return "standard input is not the output of catalogctl export";
    }
    im->changes = json_integer_value(json_object_get(head, "changes"));
    return json_integer_value(json_object_get(head, "format")) == CTL_MOVE_FORMAT && im->changes >= 0 &&
                   im->changes < CAT_NUMBER_SAFE_MAX / 2
               ? NULL
               : "the file has a format unknown to this program";
}

/* ---- a batch ---- */

static const ctl_move_table_t *table_of(const import_t *im)
{
    return &ctl_move_tables[im->table];
}

static const char *key_of(const row_t *row)
{
    return row->values[0];
}

static int is_equal(const row_t *row, const char *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!cat_text_is_same(row->values[i], values[i])) {
            return 0;
        }
    }
    return 1;
}

static apr_status_t compare_row(void *baton, const char *const *values, int count)
{
    import_t *im = baton;
    int order = 1;

    while (im->at < im->count && (order = strcmp(key_of(&im->rows[im->at]), values[0])) < 0) {
        im->at++;
    }
    if (order == 0) {
        row_t *row = &im->rows[im->at++];
        row->state = is_equal(row, values, count) ? EQUAL : DIFFERENT;
    }
    im->last = apr_pstrdup(im->page_pool, values[0]);
    return APR_SUCCESS;
}

/* Finds out which rows of the batch the database has. Both are in the order of their keys, so one walk from the first key to
 * the last is enough. */
static apr_status_t look_up_batch(import_t *im)
{
    ctl_t *ctl = im->ctl;
    const char *after = im->before;
    apr_status_t rv;

    im->at = 0;
    for (int i = 0; i < im->count; i++) {
        im->rows[i].state = MISSING;
    }
    do {
        cat_db_t *db = cat_db_make(im->page_pool, &ctl->conf, ctl->source, &ctl->log);
        im->last = NULL;
        rv = cat_db_each(db, table_of(im)->read, CAT_VALUES(ctl_move_position(im->page_pool, table_of(im), after)),
                         compare_row, im);
        after = apr_pstrdup(im->pool, im->last);
        apr_pool_clear(im->page_pool);
    } while (rv == APR_SUCCESS && after && strcmp(after, key_of(&im->rows[im->count - 1])) < 0);
    return rv;
}

static int take_missing(import_t *im)
{
    int count = 0;

    for (int i = 0; i < im->count; i++) {
        if (im->rows[i].state == MISSING) {
            im->missing[count++] = im->rows[i].values;
        }
    }
    return count;
}

static apr_status_t insert_rows(cat_db_t *db, const ctl_move_table_t *table, const char *const *const *rows, int count,
                                int *inserted)
{
    apr_status_t rv = APR_SUCCESS;

    for (*inserted = 0; *inserted < count; ++*inserted) {
        rv = cat_db_insert(db, table->add, rows[*inserted], table->count);
        if (rv != APR_SUCCESS) {
            break;
        }
    }
    return rv;
}

/* im->at: the row that failed, or im->count. */
static apr_status_t add_missing(void *baton)
{
    import_t *im = baton;
    cat_db_t *db = im->ctl->db;
    const ctl_move_table_t *table = table_of(im);
    int inserted, count = take_missing(im);
    apr_status_t rv = table->insert_many ? table->insert_many(db, im->missing, count, &inserted)
                                         : insert_rows(db, table, im->missing, count, &inserted);

    im->at = 0;
    while (im->at < im->count && (inserted == count || im->rows[im->at].values != im->missing[inserted])) {
        im->at++;
    }
    return rv;
}

static const char *explain_status(const import_t *im, apr_status_t rv)
{
    switch (rv) {
    case APR_EEXIST:
        return table_of(im)->is_numbered && !im->ctl->db->taken
                   ? "another product has an id with the same time and first random bits"
                   : "another row has the same unique value";
    case CAT_EVALUE:
        return "the database refuses the row: a row that it refers to is missing, or a value is not allowed";
    default:
        return "the row cannot be stored; the cause is above";
    }
}

static void report_differences(import_t *im)
{
    static const char *const what[] = {[MISSING] = "the row was added but is missing",
                                       [DIFFERENT] = "the row exists with different content; it was left as it is"};

    for (int i = 0; i < im->count; i++) {
        const row_t *row = &im->rows[i];
        if (row->state != EQUAL && ++im->differences <= REPORTS_MOST) {
            ctl_progress_leave(&im->progress);
            ctl_fail(at_line(im, row->line, table_of(im)->name), what[row->state]);
        }
    }
}

static apr_status_t skip_changes(void *baton)
{
    import_t *im = baton;

    return cat_change_numbers_skip(im->ctl->db, im->changes);
}

/* Adds rows. Skips the numbers of changes before the first row, so that programs which follow the changes begin again even if the import is
 * interrupted. */
static apr_status_t add_rows(import_t *im)
{
    apr_status_t rv;

    im->ctl->db = cat_db_make(im->pool, &im->ctl->conf, im->ctl->source, &im->ctl->log);
    im->ctl->db->author = &im->ctl->author;
    rv = im->has_skipped ? APR_SUCCESS : ctl_database_write(im->ctl, skip_changes, im);
    im->has_skipped = rv == APR_SUCCESS;
    return rv == APR_SUCCESS ? ctl_database_write(im->ctl, add_missing, im) : rv;
}

/* Existing rows are not written again, so repeating an import is quick. Added rows are read back. */
static const char *store_batch(import_t *im)
{
    apr_status_t rv = im->count ? look_up_batch(im) : APR_SUCCESS;
    int missing = take_missing(im);

    if (rv == APR_SUCCESS && missing) {
        im->at = im->count;
        rv = add_rows(im);
        if (rv != APR_SUCCESS && im->at < im->count) {
            return at_line(im, im->rows[im->at].line,
                           apr_pstrcat(im->pool, table_of(im)->name, ": ", explain_status(im, rv), NULL));
        }
        rv = rv == APR_SUCCESS ? look_up_batch(im) : rv;
    }
    if (rv != APR_SUCCESS) {
        return at_line(im, im->rows[0].line, "the import stops here; the cause is above");
    }
    im->added += missing;
    report_differences(im);
    ctl_progress_show(&im->progress, ctl_move_sum_rows(&im->sum), im->octets);
    return NULL;
}

static const char *next_batch(import_t *im, int table)
{
    const char *fault = store_batch(im);

    im->before = table == im->table && im->count ? apr_pstrdup(im->ctl->pool, key_of(&im->rows[im->count - 1])) : "";
    im->table = table;
    im->count = 0;
    im->length = 0;
    apr_pool_clear(im->pool);
    return fault;
}

/* ---- all of it ---- */

static int find_table(const char *name)
{
    int table = 0;

    while (table < CTL_MOVE_TABLES && strcmp(ctl_move_tables[table].name, name)) {
        table++;
    }
    return table;
}

static const char *add_row(import_t *im, const json_t *value)
{
    row_t *row = &im->rows[im->count];
    cat_input_t input;

    cat_fields_check(im->pool, table_of(im)->fields, table_of(im)->count, CAT_CREATE, 1, value, &input);
    if (input.errors) {
        return cat_fields_summary(im->line_pool, input.errors);
    }
    *row = (row_t){.line = im->number, .values = input.values};
    if (strcmp(im->count ? key_of(row - 1) : im->before, key_of(row)) >= 0) {
        return "its key does not follow that of the previous line";
    }
    im->count++;
    return ctl_move_check_row(table_of(im), row->values);
}

static const char *take_row(import_t *im, int table, const json_t *value, apr_size_t length)
{
    const char *fault = NULL;

    if (table < im->table) {
        return at_line(im, im->number, "its table does not follow that of the previous line");
    }
    if (table != im->table || im->count == BATCH || im->length > BATCH_OCTETS) {
        fault = next_batch(im, table);
    }
    if (fault) {
        return fault;
    }
    fault = add_row(im, value);
    if (fault) {
        return at_line(im, im->number, fault);
    }
    im->length += length;
    ctl_move_sum_add(&im->sum, table, im->line, length);
    return NULL;
}

/* The digest tells whether all rows are there; the numbers of rows are for people. */
static const char *take_end(import_t *im, const json_t *end)
{
    const char *digest = json_string_value(json_object_get(end, "sha256")), *fault = next_batch(im, im->table);

    if (fault) {
        return fault;
    }
    if (!digest || strcmp(digest, ctl_move_sum_digest(&im->sum, im->ctl->pool))) {
        return at_line(im, im->number, "the checksum does not match the previous lines: the file was changed");
    }
    return fgetc(stdin) == EOF ? NULL : at_line(im, im->number + 1, "it follows the last line");
}

static const char *take_lines(import_t *im)
{
    const char *name, *fault;
    apr_size_t length;
    json_t *value;
    int table;

    for (;;) {
        fault = read_line(im, &length);
        fault = fault ? fault : parse_line(im, length, &name, &value);
        if (fault) {
            return fault;
        }
        if (!strcmp(name, "end")) {
            return take_end(im, value);
        }
        table = find_table(name);
        fault = table < CTL_MOVE_TABLES ? take_row(im, table, value, length)
                                        : at_line(im, im->number, "there is no such table");
        if (fault) {
            return fault;
        }
    }
}

static void begin_import(import_t *im)
{
    im->line = apr_palloc(im->ctl->pool, LINE_SIZE);
    im->before = "";
    apr_pool_create(&im->line_pool, im->ctl->pool);
    apr_pool_create(&im->pool, im->ctl->pool);
    apr_pool_create(&im->page_pool, im->ctl->pool);
    ctl_move_sum_init(&im->sum, im->ctl->pool);
    ctl_progress_begin(&im->progress);
    ctl_progress_expect_input(&im->progress);
}

int ctl_import_run(ctl_t *ctl)
{
    import_t *im;
    const char *fault;

    if (ctl->options->api) {
        return ctl_api_import_run(ctl);
    }
    if (ctl->options->products) {
        return ctl_products_import(ctl);
    }
    im = apr_pcalloc(ctl->pool, sizeof(*im));
    fault = ctl_move_begin(ctl);
    im->ctl = ctl;
    ctl->site.history = 0; /* no changes of the added products are recorded */
    if (!fault) {
        begin_import(im);
        fault = read_head(im);
    }
    fault = fault ? fault : take_lines(im);
    cat_db_note_growth(ctl->db);
    ctl_counts_maintain(ctl);
    ctl_progress_leave(&im->progress);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    printf("%" APR_INT64_T_FMT " rows, %" APR_INT64_T_FMT " added%s\n", ctl_move_sum_rows(&im->sum), im->added,
           im->has_skipped ? "; the history of products does not move" : "");
    if (im->differences) {
        return ctl_fail(NULL, apr_psprintf(ctl->pool, "rows that differ: %" APR_INT64_T_FMT, im->differences));
    }
    return CTL_DONE;
}
