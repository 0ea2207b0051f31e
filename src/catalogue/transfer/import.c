/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores a file of products, of any size, with the memory of one group of rows.
 *
 * The file is checked completely before anything is stored. Each row is checked as it arrives, and written to a spool, a
 * temporary file; rows are compared with the database in groups of 100, to find unknown ids. Only if no row has a fault is
 * the spool read again, and stored:
 *
 *     pieces of the file -> row_reader.c -> check_item -> spool   |   spool -> group -> update, create   (a transaction)
 *                                              |                                 |
 *                                            errors                            counts of created, updated, unchanged
 *
 * A file of up to CAT_IMPORT_ATOMIC_MAX rows is stored in one transaction. A longer one is stored in several, if the client
 * agrees. The transaction may run again after a conflict, so it notes where in the spool it began, and what it has counted
 * becomes part of the result only after the commit. A group never has an id twice: the second row with it begins another
 * group, so that it is compared with what the first one stored.
 */
#include "catalogue/transfer/import.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product.h"
#include "catalogue/product/products.h"
#include "db/db.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/spool.h"
#include "lib/time.h"

#define GROUP 100 /* rows that are compared with the database by one statement */

#define SENTENCES 5 /* errors that the summary names */

/* A record of the spool: the fields, and of an update in the place of CREATED_AT where its row is in the file, and which fields are
 * cleared: "1200 1260 31 0100000". */
#define UPDATE CAT_PRODUCT_CREATED_AT

typedef struct item_t {
    apr_int64_t row;
    const char *id;     /* NULL: a new product */
    int is_bad;         /* flag: it has been counted as failed */
    cat_octets_t place; /* in the file */
    cat_input_t input;
    const char *const *stored; /* NULL: there is no such product */
} item_t;

/* Rows that are handled together. */
typedef struct group_t {
    apr_pool_t *pool;
    const cat_fields_t *fields; /* of products */
    item_t items[GROUP];
    int count;
} group_t;

struct cat_import_t {
    apr_pool_t *pool;
    cat_db_t *db;
    cat_import_options_t options;
    cat_row_reader_t *reader;
    cat_spool_t *spool;
    cat_import_result_t result;
    group_t group;
    apr_time_t time; /* of the first row that is created; each row has a microsecond of its own */
    /* The transaction: */
    apr_off_t begin, end; /* its records */
    apr_int64_t row;      /* the one before its first */
    int rows;             /* in it, at most */
    int is_timed;         /* flag: it ends before that when it has taken its time */
    cat_import_result_t done;
    apr_pool_t *changed_pool;     /* of the list */
    apr_array_header_t *changed;  /* const char *: the ids that it updates */
    cat_product_postings_t words; /* of the products that it creates, inserted after all of them */
};

/* ---- errors ---- */

static apr_int64_t row_of(const json_t *error)
{
    return json_integer_value(json_object_get(error, "row"));
}

static void add_place(const cat_import_t *im, json_t *error, const cat_octets_t *place)
{
    if (im->options.tells_places) {
        json_object_set_new(error, "begin", json_integer(place->begin));
    }
    if (im->options.tells_places && place->end > place->begin) {
        json_object_set_new(error, "end", json_integer(place->end));
    }
}

/* The members are in this order for those who read them. */
static json_t *make_error(const item_t *item, const char *field, const char *code, const char *message)
{
    return json_pack("{s:I, s:I, s:s, s:s, s:s}", "row", (json_int_t)item->row, "line", (json_int_t)item->place.line,
                     "field", field, "code", code, "message", message);
}

/* Unknown ids are found some rows later than other faults. */
static void add_error(cat_import_t *im, const item_t *item, const char *field, const char *code, const char *message)
{
    json_t *errors = im->result.errors;
    size_t at = json_array_size(errors);
    json_t *error = make_error(item, field, code, message);

    while (at > 0 && row_of(json_array_get(errors, at - 1)) > item->row) {
        at--;
    }
    if (error) { /* NULL: the name of a column is not UTF-8 */
        add_place(im, error, &item->place);
        json_array_insert_new(errors, at, error);
    } else {
        add_error(im, item, "", code, message);
    }
    if (json_array_size(errors) > CAT_IMPORT_ERRORS_MAX) {
        json_array_remove(errors, CAT_IMPORT_ERRORS_MAX);
    }
}

static void add_row_error(cat_import_t *im, item_t *item, const char *field, const char *code, const char *message)
{
    add_error(im, item, field, code, message);
    im->result.failed += !item->is_bad;
    item->is_bad = 1;
}

static apr_status_t report_spool(const cat_import_t *im, apr_status_t rv)
{
    if (rv != APR_SUCCESS) {
        cat_log(im->db->log, CAT_LOG_ERROR, rv, "CAT062: the temporary file of an import cannot be used");
    }
    return rv == APR_SUCCESS ? APR_SUCCESS : APR_EGENERAL;
}

/* ---- a group ---- */

static void begin_group(group_t *group)
{
    apr_pool_clear(group->pool);
    group->count = 0;
}

static int has_id(const group_t *group, const char *id)
{
    for (int i = 0; i < group->count; i++) {
        if (group->items[i].id && !strcmp(group->items[i].id, id)) {
            return 1;
        }
    }
    return 0;
}

static apr_status_t keep_stored(void *baton, const char *const *values, int count)
{
    group_t *group = baton;
    const char **copy = apr_palloc(group->pool, (apr_size_t)count * sizeof(*copy));

    for (int i = 0; i < count; i++) {
        copy[i] = values[i] ? apr_pstrdup(group->pool, values[i]) : NULL;
    }
    for (int i = 0; i < group->count; i++) {
        if (group->items[i].id && !strcmp(group->items[i].id, copy[CAT_PRODUCT_ID])) {
            group->items[i].stored = cat_product_read(group->pool, group->fields, copy);
        }
    }
    return APR_SUCCESS;
}

/* Reads the products whose ids the group has. The statement takes as many ids as a group can have. */
static apr_status_t read_stored(cat_db_t *db, group_t *group)
{
    const char *ids[GROUP];
    int count = 0;

    for (int i = 0; i < group->count; i++) {
        group->items[i].stored = NULL;
        if (group->items[i].id) {
            ids[count++] = group->items[i].id;
        }
    }
    if (count == 0) {
        return APR_SUCCESS;
    }
    for (int i = count; i < GROUP; i++) {
        ids[i] = ids[0];
    }
    return cat_db_each(db, SQL_PRODUCT_GET_100, ids, GROUP, keep_stored, group);
}

static int changes_product(const item_t *item)
{
    for (int i = 0; i < item->input.count; i++) {
        const char *value = item->input.values[i], *stored = item->stored[i];
        if ((value && (!stored || strcmp(value, stored))) || (item->input.cleared[i] && stored)) {
            return 1;
        }
    }
    return 0;
}

static void count_item(cat_import_result_t *result, const item_t *item)
{
    result->created += !item->id;
    result->updated += item->id && changes_product(item);
    result->unchanged += item->id && !changes_product(item);
}

/* ---- checking ---- */

/* The connection is given back, because the next piece of the file may be long in coming. */
static apr_status_t check_group(cat_import_t *im)
{
    cat_db_t *db = cat_db_another(im->db, im->group.pool);
    apr_status_t rv = read_stored(db, &im->group);

    cat_db_release(db);
    for (int i = 0; i < im->group.count && rv == APR_SUCCESS; i++) {
        item_t *item = &im->group.items[i];
        if (item->id && !item->stored) {
            add_row_error(im, item, "id", "unknown", "must be the id of a product");
        } else if (!item->is_bad) {
            count_item(&im->result, item);
        }
    }
    begin_group(&im->group);
    return rv;
}

static const char *write_update(apr_pool_t *pool, const item_t *item)
{
    char cleared[CAT_FIELDS_MAX + 1] = "";

    for (int i = 0; i < item->input.count; i++) {
        cleared[i] = item->input.cleared[i] ? '1' : '0';
    }
    return apr_psprintf(pool, "%" APR_OFF_T_FMT " %" APR_OFF_T_FMT " %" APR_INT64_T_FMT " %s", item->place.begin,
                        item->place.end, item->place.line, cleared);
}

static apr_status_t spool_item(cat_import_t *im, const item_t *item)
{
    int count = item->input.count;
    const char *record[CAT_FIELDS_MAX];

    memcpy(record, item->input.values, (apr_size_t)count * sizeof(record[0]));
    record[CAT_PRODUCT_ID] = item->id;
    record[UPDATE] = item->id ? write_update(im->group.pool, item) : NULL;
    return report_spool(im, cat_spool_add(im->spool, record, count));
}

static void note_ignored(cat_import_t *im, const apr_array_header_t *names)
{
    apr_array_header_t *all = im->result.ignored;

    for (int i = 0; i < names->nelts && all->nelts < CAT_FIELDS_UNKNOWN_MAX; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        int known = 0;
        for (int k = 0; k < all->nelts && !known; k++) {
            known = !strcmp(APR_ARRAY_IDX(all, k, const char *), name);
        }
        if (!known) {
            APR_ARRAY_PUSH(all, const char *) = apr_pstrdup(im->pool, name);
        }
    }
}

static void check_id(cat_import_t *im, item_t *item, const json_t *id)
{
    item->id =
        json_is_string(id) ? cat_id_fold(im->group.pool, apr_pstrdup(im->group.pool, json_string_value(id))) : "";
    if (!cat_id_check(item->id)) {
        add_row_error(im, item, "id", "unknown", "must be the id of a product");
        item->id = NULL; /* nothing to look for */
    }
}

static void check_item(cat_import_t *im, item_t *item, const json_t *value)
{
    const json_t *id = im->options.rows.may_update ? json_object_get(value, "id") : NULL, *error;
    cat_input_t *input = &item->input;
    size_t i;

    cat_fields_check(im->group.pool, im->options.rows.fields->all, im->options.rows.fields->count,
                     id ? CAT_UPDATE : CAT_CREATE, im->options.rows.strict, value, input);
    if (id && !input->errors && input->given == 0) {
        cat_fields_add_error(im->group.pool, input, "", "required", "must have at least one field of a product");
    }
    if (!id && !input->errors) {
        cat_own_fields_complete(im->group.pool, im->options.rows.fields, input);
    }
    json_array_foreach (input->errors, i, error) {
        add_row_error(im, item, json_string_value(json_object_get(error, "field")),
                      json_string_value(json_object_get(error, "code")),
                      json_string_value(json_object_get(error, "message")));
    }
    note_ignored(im, input->ignored);
    if (id) {
        check_id(im, item, id);
    }
}

static apr_status_t take_row(void *baton, apr_int64_t row, const json_t *value, const cat_row_fault_t *fault)
{
    cat_import_t *im = baton;
    item_t *item = &im->group.items[im->group.count];

    im->result.rows = row;
    *item = (item_t){.row = row, .place = cat_row_reader_place(im->reader)};
    if (row > CAT_IMPORT_ATOMIC_MAX && !im->options.in_batches) {
        return CAT_ETOOMANY;
    }
    if (fault) {
        add_row_error(im, item, fault->field, fault->code, fault->message);
        return APR_SUCCESS;
    }
    check_item(im, item, value);
    if (im->result.failed == 0 && !im->options.is_dry) {
        apr_status_t rv = spool_item(im, item);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    return ++im->group.count == GROUP ? check_group(im) : APR_SUCCESS;
}

void cat_import_report_encoding(const cat_log_t *log, apr_status_t rv)
{
    if (rv == APR_ENOTIMPL) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT086: the C library has no converter for the encoding of an imported file");
    }
}

apr_status_t cat_import_feed(cat_import_t *im, const char *data, apr_size_t length)
{
    apr_status_t rv = cat_row_reader_feed(im->reader, data, length);

    im->result.octets = cat_row_reader_place(im->reader).end;
    if (rv == APR_SUCCESS && length > 0) {
        return APR_SUCCESS;
    }
    cat_import_report_encoding(im->db->log, rv);
    if (rv == APR_SUCCESS || rv == APR_EINVAL) {
        apr_status_t checked = check_group(im);
        rv = checked == APR_SUCCESS && rv == APR_EINVAL ? CAT_EREFUSED : checked;
        note_ignored(im, cat_row_reader_ignored(im->reader));
    }
    return rv;
}

/* ---- storing ---- */

static void read_update(item_t *item, apr_pool_t *pool, const char *update)
{
    char *end;

    item->input.cleared = apr_pcalloc(pool, (apr_size_t)item->input.count);
    if (!update) {
        return;
    }
    item->place.begin = apr_strtoi64(update, &end, 10);
    item->place.end = apr_strtoi64(end, &end, 10);
    item->place.line = apr_strtoi64(end, &end, 10);
    for (int i = 0; i < item->input.count; i++) {
        item->input.cleared[i] = end[1 + i] == '1';
    }
}

/* Adds the next record to the group. APR_EAGAIN: the group has its id already, so it begins another group, which is compared
 * with what this one stores. */
static apr_status_t read_item(cat_import_t *im, apr_int64_t row)
{
    group_t *group = &im->group;
    item_t *item = &group->items[group->count];
    apr_off_t position = cat_spool_tell(im->spool);
    const cat_fields_t *fields = im->options.rows.fields;
    const char **record = apr_palloc(group->pool, (apr_size_t)fields->count * sizeof(*record));
    apr_status_t rv = cat_spool_read(im->spool, group->pool, record, fields->count);

    if (rv != APR_SUCCESS) {
        return report_spool(im, rv);
    }
    if (record[CAT_PRODUCT_ID] && has_id(group, record[CAT_PRODUCT_ID])) {
        rv = report_spool(im, cat_spool_seek(im->spool, position));
        return rv == APR_SUCCESS ? APR_EAGAIN : rv;
    }
    *item = (item_t){.row = row, .id = record[CAT_PRODUCT_ID]};
    item->input.fields = fields->all;
    item->input.count = fields->count;
    item->input.values = record;
    read_update(item, group->pool, record[UPDATE]);
    record[CAT_PRODUCT_ID] = record[UPDATE] = NULL;
    group->count++;
    return APR_SUCCESS;
}

/* Reads at most `most` records, which follow this row. */
static apr_status_t read_group(cat_import_t *im, apr_int64_t row, int most)
{
    apr_status_t rv = APR_SUCCESS;

    begin_group(&im->group);
    while (im->group.count < most && im->group.count < GROUP && rv == APR_SUCCESS) {
        rv = read_item(im, row + im->group.count + 1);
    }
    return rv == APR_EAGAIN ? APR_SUCCESS : rv;
}

static apr_status_t refuse_taken(cat_import_t *im, item_t *item);

/* Those before the row with the fault are inserted already, and rolled back. */
static apr_status_t insert_created(cat_import_t *im, const char *const *const *products, int count)
{
    int inserted = 0;
    apr_status_t rv = cat_products_insert_many_within(im->db, products, count, &im->words, &inserted);

    for (int i = 0; i < im->group.count && rv == APR_EEXIST; i++) {
        if (im->group.items[i].input.values == (const char **)products[inserted]) {
            return refuse_taken(im, &im->group.items[i]);
        }
    }
    return rv;
}

static apr_status_t create_products(cat_import_t *im)
{
    const char *const *products[GROUP];
    group_t *group = &im->group;
    int count = 0;

    for (int i = 0; i < group->count; i++) {
        const item_t *item = &group->items[i];
        const char **product = item->input.values;
        apr_time_t time = im->time + item->row;
        if (!item->id) {
            product[CAT_PRODUCT_ID] = cat_id_make(group->pool, time);
            product[CAT_PRODUCT_CREATED_AT] = cat_time_store(group->pool, time);
            cat_product_stamp(group->pool, group->fields, product, time);
            products[count++] = product;
        }
    }
    return count ? insert_created(im, products, count) : APR_SUCCESS;
}

/* A product that was deleted since the check, or has become too long: nothing of the transaction is stored. */
static apr_status_t refuse_update(cat_import_t *im, item_t *item, apr_status_t rv)
{
    if (json_array_size(im->result.errors) > 0) { /* the transaction may run again */
        return CAT_EREFUSED;
    }
    if (rv == CAT_ETOOLONG) {
        add_row_error(im, item, "", "too_long", CAT_PRODUCT_TOO_LONG);
    } else {
        add_row_error(im, item, "id", "unknown", "must be the id of a product");
    }
    return CAT_EREFUSED;
}

/* Another product, or another row, has a unique value of this one. */
static apr_status_t refuse_taken(cat_import_t *im, item_t *item)
{
    const json_t *error;
    size_t i;
    apr_status_t rv;

    if (json_array_size(im->result.errors)) {
        return CAT_EREFUSED;
    }
    rv = cat_products_note_taken(im->db, &item->input, item->id);
    json_array_foreach (item->input.errors, i, error) {
        add_row_error(im, item, json_string_value(json_object_get(error, "field")), "taken",
                      json_string_value(json_object_get(error, "message")));
    }
    return rv == APR_SUCCESS ? CAT_EREFUSED : rv;
}

static apr_status_t update_products(cat_import_t *im)
{
    apr_status_t rv = read_stored(im->db, &im->group);
    const char *const *product;

    for (int i = 0; i < im->group.count && rv == APR_SUCCESS; i++) {
        item_t *item = &im->group.items[i];
        if (item->id && !item->stored) {
            return refuse_update(im, item, APR_NOTFOUND);
        }
        if (item->id && changes_product(item)) {
            APR_ARRAY_PUSH(im->changed, const char *) = apr_pstrdup(im->changed_pool, item->id);
            rv = cat_products_update_within(im->db, item->id, &item->input, &product);
            rv = rv == APR_NOTFOUND || rv == CAT_ETOOLONG ? refuse_update(im, item, rv)
                 : rv == APR_EEXIST                       ? refuse_taken(im, item)
                                                          : rv;
        }
    }
    return rv;
}

static apr_status_t store_group(cat_import_t *im)
{
    apr_status_t rv = update_products(im);

    for (int i = 0; i < im->group.count && rv == APR_SUCCESS; i++) {
        count_item(&im->done, &im->group.items[i]);
    }
    return rv == APR_SUCCESS ? create_products(im) : rv;
}

/* With what the transaction does. */
static cat_import_result_t sum_results(const cat_import_t *im)
{
    cat_import_result_t sum = im->result;

    sum.created += im->done.created;
    sum.updated += im->done.updated;
    sum.unchanged += im->done.unchanged;
    sum.stored += im->done.stored;
    return sum;
}

static void finish_transaction(const cat_import_t *im)
{
    const cat_import_result_t sum = sum_results(im);

    if (im->options.finish) {
        im->options.finish(im->options.baton, &sum);
    }
}

/* Imports that update the same products wait for each other without a deadlock, whatever the order of their rows. */
static apr_status_t lock_products(cat_import_t *im)
{
    apr_array_header_t *ids = apr_array_make(im->changed_pool, 64, sizeof(const char *));
    apr_status_t rv = APR_SUCCESS;

    if (!im->options.rows.may_update || cat_db_has_one_writer(im->db)) {
        return APR_SUCCESS;
    }
    for (int i = 0; i < im->rows && rv == APR_SUCCESS; i++) {
        const char *record[CAT_FIELDS_MAX];
        apr_pool_clear(im->group.pool);
        rv = report_spool(im, cat_spool_read(im->spool, im->group.pool, record, im->options.rows.fields->count));
        if (rv == APR_SUCCESS && record[CAT_PRODUCT_ID]) {
            APR_ARRAY_PUSH(ids, const char *) = apr_pstrdup(im->changed_pool, record[CAT_PRODUCT_ID]);
        }
    }
    rv = rv == APR_SUCCESS ? cat_products_lock_many(im->db, ids) : rv;
    return rv == APR_SUCCESS ? report_spool(im, cat_spool_seek(im->spool, im->begin)) : rv;
}

/* Only the batches after the first one must begin in time: a transaction that waited for locks would store nothing, again and again. */
static int takes_more(const cat_import_t *im, apr_time_t begun)
{
    apr_int64_t stored = im->done.stored;
    int begins_another = im->is_timed && stored > 0 && stored % CAT_IMPORT_BATCH == 0;

    return stored < im->rows && (!begins_another || cat_time_monotonic() - begun < CAT_IMPORT_TIME);
}

/* The rows from the next one on, up to the end of its batch or of the transaction. */
static apr_status_t read_next_group(cat_import_t *im)
{
    int stored = (int)im->done.stored, left = im->rows - stored,
        of_batch = CAT_IMPORT_BATCH - stored % CAT_IMPORT_BATCH;

    return read_group(im, im->row + stored, left < of_batch ? left : of_batch);
}

/* The work of a transaction: so it begins at the transaction's first record each time. */
static apr_status_t store_rows(void *baton)
{
    cat_import_t *im = baton;
    apr_time_t begun = cat_time_monotonic();
    apr_pool_t *before = cat_db_use_pool(im->db, im->group.pool);
    apr_status_t rv = report_spool(im, cat_spool_seek(im->spool, im->begin));

    im->done = (cat_import_result_t){.stored = 0};
    im->words = cat_product_keys_begin(im->changed_pool);
    apr_array_clear(im->changed);
    rv = rv == APR_SUCCESS ? lock_products(im) : rv;
    while (rv == APR_SUCCESS && takes_more(im, begun)) {
        rv = read_next_group(im);
        rv = rv == APR_SUCCESS ? store_group(im) : rv;
        im->done.stored += im->group.count;
    }
    rv = rv == APR_SUCCESS ? cat_product_keys_insert(im->db, &im->words) : rv;
    im->end = cat_spool_tell(im->spool);
    cat_db_use_pool(im->db, before);
    if (rv == APR_SUCCESS) {
        finish_transaction(im);
    }
    return rv;
}

static apr_status_t run_transaction(cat_import_t *im)
{
    const cat_import_options_t *o = &im->options;
    apr_status_t rv;

    apr_pool_clear(im->changed_pool);
    im->changed = apr_array_make(im->changed_pool, 64, sizeof(const char *));
    rv = o->transact ? o->transact(o->baton, store_rows, im)
                     : cat_products_transact(im->db, im->changed, im->rows, store_rows, im);
    if (rv == APR_SUCCESS) {
        im->begin = im->end;
        im->row += im->done.stored;
        im->result = sum_results(im);
    }
    if (rv == APR_SUCCESS && o->progress) {
        o->progress(o->baton, im->result.stored);
    }
    return rv;
}

/* Sets how many rows the next transaction has: asked each time, because the first one may open the process's first connection. */
static void limit_transaction(cat_import_t *im)
{
    apr_int64_t left = im->result.rows - im->result.stored;
    int is_long = im->result.rows > CAT_IMPORT_ATOMIC_MAX;
    int most = is_long && !cat_db_has_one_writer(im->db) ? CAT_IMPORT_BATCH : CAT_IMPORT_ATOMIC_MAX;

    im->rows = (int)(left < most ? left : most);
    im->is_timed = is_long;
}

apr_status_t cat_import_store(cat_import_t *im)
{
    apr_status_t rv = im->result.failed ? CAT_EREFUSED : APR_SUCCESS;

    if (rv != APR_SUCCESS || im->options.is_dry) {
        return rv;
    }
    im->time = apr_time_now();
    im->result.created = im->result.updated = im->result.unchanged = 0;
    while (im->result.stored < im->result.rows && rv == APR_SUCCESS) {
        limit_transaction(im);
        rv = run_transaction(im);
    }
    return rv;
}

/* ---- all of it ---- */

apr_status_t cat_import_make(cat_db_t *db, const cat_import_options_t *options, cat_import_t **import)
{
    cat_import_t *im = apr_pcalloc(db->pool, sizeof(*im));

    im->pool = db->pool;
    im->db = db;
    im->options = *options;
    im->options.rows.fields = im->group.fields = cat_product_fields_of(db->conf);
    im->reader = cat_row_reader_make(im->pool, &options->rows, take_row, im);
    im->result.errors = cat_json_own(im->pool, json_array());
    im->result.ignored = apr_array_make(im->pool, 0, sizeof(const char *));
    apr_pool_create(&im->group.pool, im->pool);
    apr_pool_create(&im->changed_pool, im->pool);
    *import = im;
    return report_spool(im, cat_spool_open(im->pool, &im->spool));
}

const cat_import_result_t *cat_import_result(const cat_import_t *im)
{
    return &im->result;
}

const char *cat_import_summary(apr_pool_t *pool, const cat_import_result_t *result)
{
    size_t i;
    const json_t *error;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 256);
    json_array_foreach (result->errors, i, error) {
        const char *field = json_string_value(json_object_get(error, "field"));
        if (i == SENTENCES) {
            CAT_BUFFER_LITERAL(&b, "; and more");
            break;
        }
        cat_buffer_add_text(&b, i ? "; row " : "row ");
        cat_buffer_add_int(&b, row_of(error));
        cat_buffer_add_text(&b, ": ");
        cat_buffer_add_text(&b, *field ? field : "it");
        cat_buffer_add_text(&b, " ");
        cat_buffer_add_text(&b, json_string_value(json_object_get(error, "message")));
    }
    return cat_buffer_text(&b);
}
