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
 *
 * With a key, a unique field, the rows say no ids: those are looked up by the values, when a group is checked and again when it is stored.
 * Which of the rows create, and which unique values are taken, also depends on the rows before, so the check notes what those would
 * have stored (catalogue/transfer/claims.h).
 */
#include "catalogue/transfer/import.h"

#include <apr_strings.h>
#include <malloc.h>
#include <string.h>

#include "catalogue/product/change_notes.h"
#include "catalogue/product/own_fields.h"
#include "catalogue/product/own_slug.h"
#include "catalogue/product/product.h"
#include "catalogue/product/product_name.h"
#include "catalogue/product/products.h"
#include "catalogue/transfer/claims.h"
#include "db/db.h"
#include "lib/hash.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/spool.h"
#include "lib/time.h"

#define GROUP CAT_DB_PLACES /* rows that are compared with the database by one statement */
#define POSTING_TIME 4000   /* nanoseconds for a word or key, of which nothing is known yet */

/* A record of the spool has the fields. Of an update, or of any row if there is a key, it has in the place of CREATED_AT where the row is in
 * the file, from which octet to which and on which line, and which fields are cleared: "1200 1260 31 0100000". */
#define UPDATE CAT_PRODUCT_CREATED_AT

typedef struct item_t {
    apr_int64_t row;
    const char *id;       /* NULL: a new product */
    const char *key;      /* the value that says which product it is; NULL: none does */
    int updates;          /* flag: it updates a product; perhaps, in the check, one that another row creates */
    apr_uint64_t product; /* of claims.h */
    int is_bad;           /* flag: it has been counted as failed */
    cat_octets_t place;   /* in the file */
    cat_input_t input;
    const char *const *stored; /* NULL: there is no such product */
} item_t;

/* A unique value that a row asks for while another product or row has it. */
typedef struct late_value_t {
    item_t item; /* only row, place, product and is_bad are set */
    int index;   /* of the row in its group */
    int field;
    int is_named; /* true if another row may be about the same product */
    apr_uint64_t value, stored;
} late_value_t;

/* A row that writes a product. Unique values that wait for the end of the transaction refer to it. */
typedef struct writer_t {
    apr_int64_t row;
    cat_octets_t place;
    int updates;
} writer_t;

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
    const cat_registry_t *registry;
    const char *number;       /* of the key, in the registry; NULL: rows say ids */
    cat_claims_map_t *claims; /* NULL: no field is unique */
    apr_array_header_t *late; /* late_value_t */
    apr_pool_t *checks;       /* what only the check needs */
    apr_time_t time;          /* of the first row that is created; each row has a microsecond of its own */
    /* The transaction: */
    apr_off_t begin, end;             /* its records */
    apr_int64_t row;                  /* the one before its first */
    int rows;                         /* in it, at most */
    int kept;                         /* words and keys that may wait */
    int is_timed;                     /* flag: it ends before that when it has taken its time */
    int is_last;                      /* flag: it does not run again because of what other writers do with its keys */
    apr_int64_t grown;                /* how many products were created when the database was last told */
    apr_interval_time_t posting_time; /* what inserting a word or key took in the one before, in nanoseconds */
    cat_import_result_t done;
    item_t *taken;               /* the row for which no unique value could be made; NULL: there is none */
    apr_array_header_t *writers; /* writer_t: cat_waiting_value_t.writer is the index of the row that set the value */
    apr_array_header_t *refused; /* cat_waiting_value_t: values of the transaction that other products have */
    apr_int64_t grown_within;    /* how many of these were created when the database was last told */
    apr_pool_t *changed_pool;    /* of the list */
    apr_array_header_t *changed; /* const char *: the ids that it updates */
    apr_pool_t *postings_pool;
    cat_product_postings_t postings; /* of the products that it creates, inserted together */
    int inserted;                    /* of these words and keys so far */
};

/* ---- errors ---- */

static void add_place(const cat_import_t *im, json_t *error, const cat_octets_t *place)
{
    if (im->options.tells_places) {
        json_object_set_new(error, "begin", json_integer(place->begin));
    }
    if (im->options.tells_places && place->end > place->begin) {
        json_object_set_new(error, "end", json_integer(place->end));
    }
}

/* Unknown ids are found some rows later than other faults. */
static void add_error(cat_import_t *im, const item_t *item, const char *field, const char *code, const char *message)
{
    json_t *errors = im->result.errors;
    size_t at = json_array_size(errors);
    json_t *error = json_pack("{s:I, s:I, s:s, s:s, s:s}", "row", (json_int_t)item->row, "line",
                              (json_int_t)item->place.line, "field", field, "code", code, "message", message);

    while (at > 0 && json_integer_value(json_object_get(json_array_get(errors, at - 1), "row")) > item->row) {
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

static int is_same(const char *one, const char *other)
{
    return one && other && !strcmp(one, other);
}

/* Is another item about the same product? */
static int has_product(const group_t *group, const char *id, const char *key)
{
    for (int i = 0; i < group->count; i++) {
        if (is_same(group->items[i].id, id) || is_same(group->items[i].key, key)) {
            return 1;
        }
    }
    return 0;
}

static apr_status_t keep_stored(void *baton, const char *const *values, int count)
{
    group_t *group = baton;
    const char *const *copy = cat_product_copy(group->pool, values, count);

    for (int i = 0; i < group->count; i++) {
        if (group->items[i].id && !strcmp(group->items[i].id, copy[CAT_PRODUCT_ID])) {
            group->items[i].stored = cat_product_read(group->pool, group->fields, copy);
        }
    }
    return APR_SUCCESS;
}

/* The ids of the products that the keys of the group name. */
static apr_status_t find_products(const cat_import_t *im, cat_db_t *db, group_t *group)
{
    const char *keys[GROUP], *ids[GROUP];
    apr_status_t rv;

    if (!im->number) {
        return APR_SUCCESS;
    }
    for (int i = 0; i < group->count; i++) {
        keys[i] = group->items[i].key;
    }
    rv = cat_own_keys_find_many(db, im->number, keys, group->count, ids);
    for (int i = 0; i < group->count && rv == APR_SUCCESS; i++) {
        group->items[i].id = ids[i];
        group->items[i].updates = ids[i] != NULL;
    }
    return rv;
}

/* Reads the products whose ids the group has. */
static apr_status_t read_stored(cat_db_t *db, group_t *group)
{
    apr_array_header_t *ids = apr_array_make(group->pool, GROUP, sizeof(const char *));

    for (int i = 0; i < group->count; i++) {
        group->items[i].stored = NULL;
        if (group->items[i].id) {
            APR_ARRAY_PUSH(ids, const char *) = group->items[i].id;
        }
    }
    return cat_db_each_list(db, SQL_PRODUCT_GET_100, cat_id_numbers(group->pool, ids), keep_stored, group);
}

/* The products that the rows are about. Where another writer deletes one between the two statements, no product has the key. */
static apr_status_t look_for_products(const cat_import_t *im, cat_db_t *db, group_t *group)
{
    apr_status_t rv = find_products(im, db, group);

    rv = rv == APR_SUCCESS ? read_stored(db, group) : rv;
    for (int i = 0; i < group->count && im->number; i++) {
        item_t *item = &group->items[i];
        item->id = item->stored ? item->id : NULL;
        item->updates = item->stored != NULL;
    }
    return rv;
}

static void count_item(cat_import_result_t *result, const item_t *item)
{
    int changes = cat_products_changes(&item->input, item->stored);

    result->created += !item->updates;
    result->updated += item->updates && changes;
    result->unchanged += item->updates && !changes;
}

/* ---- checking ---- */

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
    record[CAT_PRODUCT_ID] = im->number ? NULL : item->id;
    record[UPDATE] = item->id || im->number ? write_update(im->group.pool, item) : NULL;
    return report_spool(im, cat_spool_add(im->spool, record, count));
}

/* What a row lacks if it creates a product. 0, and an error of each: it cannot. */
static int complete_creation(const cat_import_t *im, item_t *item)
{
    cat_input_t *input = &item->input;
    const char **values = apr_pmemdup(im->group.pool, input->values, (apr_size_t)input->count * sizeof(*values));

    for (int i = 0; i < input->count; i++) {
        if (values[i] || input->fields[i].flags & CAT_SERVER) {
            continue;
        }
        values[i] = input->fields[i].absent;
        if (input->fields[i].flags & CAT_REQUIRED) {
            cat_fields_add_error(im->group.pool, input, input->fields[i].name, "required", "is required");
        }
    }
    input->values = values;
    if (!input->errors) {
        cat_own_slugs_complete(im->group.pool, im->options.rows.fields, input);
    }
    return !input->errors;
}

/* What the row would store, in a dry run. */
static void note_row(const cat_import_t *im, const item_t *item)
{
    item_t copy = *item;
    const char *record[CAT_FIELDS_MAX];

    if (!im->options.note || !im->options.is_dry || (!item->updates && !complete_creation(im, &copy))) {
        return;
    }
    for (int i = 0; i < item->input.count; i++) {
        const char *before = item->stored && !item->input.cleared[i] ? item->stored[i] : NULL;
        record[i] = copy.input.values[i] ? copy.input.values[i] : before;
    }
    im->options.note(im->options.baton, record);
}

static void add_input_errors(cat_import_t *im, item_t *item)
{
    const json_t *error;
    size_t i;

    json_array_foreach (item->input.errors, i, error) {
        add_row_error(im, item, json_string_value(json_object_get(error, "field")),
                      json_string_value(json_object_get(error, "code")),
                      json_string_value(json_object_get(error, "message")));
    }
}

/* ---- unique values ---- */

static apr_uint64_t number_text(apr_pool_t *pool, int field, const char *text)
{
    const char *whole = text ? apr_psprintf(pool, "%d=%s", field, text) : NULL;

    return whole ? cat_hash(whole, strlen(whole)) : 0;
}

/* Finds out which product the row is about, and which product a row before it has made that of its key. */
static void identify_item(const cat_import_t *im, item_t *item)
{
    int key = im->options.rows.key;
    apr_uint64_t owner;

    item->product =
        item->id ? cat_hash(item->id, strlen(item->id)) : cat_hash((const char *)&item->row, sizeof(item->row));
    if (!im->number || !item->key) {
        return;
    }
    if (cat_claims_owner(im->claims, number_text(im->group.pool, key, item->key), &owner) && owner) {
        item->product = owner;
        item->updates = 1;
    } else if (!item->updates) {
        cat_claims_take(im->claims, key, item->product, number_text(im->group.pool, key, item->key), 0, 0);
    }
}

/* owner: the id of the product that has the value of the row; NULL: none has. */
static apr_status_t take_value(const cat_import_t *im, const item_t *item, int field, const char *owner)
{
    apr_pool_t *pool = im->group.pool;
    apr_uint64_t value = number_text(pool, field, item->input.values[field]),
                 before = number_text(pool, field, item->stored ? item->stored[field] : NULL),
                 stored = owner ? cat_hash(owner, strlen(owner)) : 0;
    int is_named = item->id || im->number;

    apr_status_t rv = APR_SUCCESS;

    if (value && !is_named) {
        rv = cat_claims_add(im->claims, value, stored);
    } else if (value || (is_named && item->input.cleared[field])) {
        rv = cat_claims_take(im->claims, field, item->product, value, before, stored);
    }
    if (rv == APR_EEXIST && im->late->nelts < CAT_IMPORT_ATOMIC_MAX) {
        APR_ARRAY_PUSH(im->late, late_value_t) = (late_value_t){.index = (int)(item - im->group.items),
                                                                .field = field,
                                                                .is_named = is_named,
                                                                .value = value,
                                                                .stored = stored};
        return APR_SUCCESS;
    }
    return rv;
}

static apr_status_t check_unique(cat_import_t *im, cat_db_t *db, int field)
{
    const cat_fields_t *fields = im->options.rows.fields;
    const char *texts[GROUP], *owners[GROUP],
        *number = im->registry->numbers[cat_registry_find_field(im->registry, fields, field)];
    apr_status_t rv;

    for (int i = 0; i < im->group.count; i++) {
        texts[i] = im->group.items[i].input.values[field];
    }
    rv = cat_own_keys_find_many(db, number, texts, im->group.count, owners);
    for (int i = 0; i < im->group.count && rv == APR_SUCCESS; i++) {
        item_t *item = &im->group.items[i];
        if (take_value(im, item, field, owners[i]) != APR_SUCCESS) {
            add_row_error(im, item, item->input.fields[field].name, "taken",
                          "is already taken by another product or row");
        }
    }
    return rv;
}

/* Completes the late values of the group, from the index `first` on, with the products and faults of their rows, which are known once the group is
 * checked. */
static void complete_late(const cat_import_t *im, int first)
{
    for (int i = first; i < im->late->nelts; i++) {
        late_value_t *late = &APR_ARRAY_IDX(im->late, i, late_value_t);
        const item_t *item = &im->group.items[late->index];
        late->item = (item_t){.row = item->row, .place = item->place, .product = item->product, .is_bad = item->is_bad};
    }
}

static int compare_late(const void *one, const void *other)
{
    const late_value_t *a = one, *b = other;

    return a->item.row != b->item.row ? (a->item.row > b->item.row) - (a->item.row < b->item.row) : a->field - b->field;
}

/* Checks the late values again at the end of the file, because a later row may have freed them. Refuses them all if the rows are stored in several
 * transactions. */
static void check_late_values(cat_import_t *im)
{
    late_value_t *late = (late_value_t *)im->late->elts;
    int is_long = im->result.rows > CAT_IMPORT_ATOMIC_MAX;

    qsort(late, (size_t)im->late->nelts, sizeof(*late), compare_late);
    for (int i = 0; i < im->late->nelts; i++, late++) {
        apr_status_t rv = is_long ? APR_EEXIST
                          : late->is_named
                              ? cat_claims_retry(im->claims, late->field, late->item.product, late->value, late->stored)
                              : cat_claims_add(im->claims, late->value, late->stored);
        late->item.is_bad |= i > 0 && late[-1].item.row == late->item.row && late[-1].item.is_bad;
        if (rv == APR_EEXIST) {
            add_row_error(im, &late->item, im->options.rows.fields->all[late->field].name, "taken",
                          "is already taken by another product or row");
        }
    }
    apr_array_clear(im->late);
}

/* A key that is set is that of the row's product. */
static apr_status_t check_uniques(cat_import_t *im, cat_db_t *db)
{
    const cat_fields_t *fields = im->options.rows.fields;
    apr_status_t rv = APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && rv == APR_SUCCESS; i++) {
        if (fields->all[i].flags & CAT_UNIQUE && (!im->number || i != im->options.rows.key)) {
            rv = check_unique(im, db, i);
        }
    }
    return rv;
}

static apr_status_t check_keyed(cat_import_t *im, item_t *item)
{
    apr_status_t rv = im->result.failed == 0 && !im->options.is_dry ? spool_item(im, item) : APR_SUCCESS;

    if (rv == APR_SUCCESS && !item->updates && !item->is_bad && !complete_creation(im, item)) {
        add_input_errors(im, item);
    }
    return rv;
}

static apr_status_t look_up_group(cat_import_t *im, cat_db_t *db)
{
    apr_status_t rv = look_for_products(im, db, &im->group);

    for (int i = 0; i < im->group.count; i++) {
        identify_item(im, &im->group.items[i]);
    }
    return rv == APR_SUCCESS ? check_uniques(im, db) : rv;
}

/* The connection is given back, because the next piece of the file may be long in coming. */
static apr_status_t check_group(cat_import_t *im)
{
    cat_db_t *db = cat_db_another(im->db, im->group.pool);
    int first = im->late ? im->late->nelts : 0;
    apr_status_t rv = look_up_group(im, db);

    cat_db_release(db);
    for (int i = 0; i < im->group.count && rv == APR_SUCCESS; i++) {
        item_t *item = &im->group.items[i];
        if (item->id && !item->stored) {
            add_row_error(im, item, "id", "unknown", "must be the id of a product");
        }
        rv = im->number ? check_keyed(im, item) : APR_SUCCESS;
        if (!item->is_bad) {
            count_item(&im->result, item);
            note_row(im, item);
        }
    }
    if (im->late) {
        complete_late(im, first);
    }
    begin_group(&im->group);
    return rv;
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

/* What is made of the row's fields is made again when it is stored, as others may have it. */
static void check_made(const cat_import_t *im, cat_input_t *input)
{
    cat_input_t copy = *input;

    copy.values = apr_pmemdup(im->group.pool, input->values, (apr_size_t)input->count * sizeof(*copy.values));
    cat_own_slugs_complete(im->group.pool, im->options.rows.fields, &copy);
    input->errors = copy.errors;
}

static void look_at_row(cat_import_t *im, item_t *item, const json_t *value)
{
    const char *field, *fault = im->options.look(im->options.look_baton, value, &field);

    if (fault) {
        add_row_error(im, item, field, "format", fault);
    }
}

static void check_item(cat_import_t *im, item_t *item, const json_t *value)
{
    const json_t *id = im->options.rows.may_update && !im->number ? json_object_get(value, "id") : NULL;
    cat_input_t *input = &item->input;

    cat_fields_check(im->group.pool, im->options.rows.fields->all, im->options.rows.fields->count,
                     id || im->number ? CAT_UPDATE : CAT_CREATE, im->options.rows.strict, value, input);
    if (id && !input->errors && input->given == 0) {
        cat_fields_add_error(im->group.pool, input, "", "required", "must have at least one field of a product");
    }
    if (!id && !im->number && !input->errors) {
        check_made(im, input);
    }
    add_input_errors(im, item);
    note_ignored(im, input->ignored);
    if (id) {
        check_id(im, item, id);
    }
    if (im->options.look) {
        look_at_row(im, item, value);
    }
    item->updates = item->id != NULL;
    item->key = im->number ? input->values[im->options.rows.key] : NULL;
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
    if (im->result.failed == 0 && !im->options.is_dry && !im->number) {
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
        if (im->late) {
            check_late_values(im);
        }
        rv = checked == APR_SUCCESS && rv == APR_EINVAL ? CAT_EREFUSED : checked;
        apr_pool_clear(im->checks);
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
    if (has_product(group, record[CAT_PRODUCT_ID], im->number ? record[im->options.rows.key] : NULL)) {
        rv = report_spool(im, cat_spool_seek(im->spool, position));
        return rv == APR_SUCCESS ? APR_EAGAIN : rv;
    }
    *item = (item_t){.row = row, .id = record[CAT_PRODUCT_ID], .updates = record[CAT_PRODUCT_ID] != NULL};
    item->key = im->number ? record[im->options.rows.key] : NULL;
    item->input.fields = fields->all;
    item->input.count = fields->count;
    item->input.values = record;
    read_update(item, group->pool, record[UPDATE]);
    record[CAT_PRODUCT_ID] = record[UPDATE] = NULL;
    group->count++;
    return APR_SUCCESS;
}

static int is_step_full(const cat_import_t *im, apr_off_t begin)
{
    return im->is_timed && cat_spool_tell(im->spool) - begin >= CAT_IMPORT_STEP_BYTES;
}

/* Reads at most `most` records, which follow this row. */
static apr_status_t read_group(cat_import_t *im, apr_int64_t row, int most)
{
    apr_off_t begin = cat_spool_tell(im->spool);
    apr_status_t rv = APR_SUCCESS;

    begin_group(&im->group);
    while (im->group.count < most && im->group.count < GROUP && rv == APR_SUCCESS && !is_step_full(im, begin)) {
        rv = read_item(im, row + im->group.count + 1);
    }
    return rv == APR_EAGAIN ? APR_SUCCESS : rv;
}

/* Records that the next write is that of the item. */
static void add_writer(const cat_import_t *im, const item_t *item)
{
    APR_ARRAY_PUSH(im->writers, writer_t) = (writer_t){item->row, item->place, item->id != NULL};
}

static apr_status_t prepare_creation(cat_import_t *im, item_t *item)
{
    apr_time_t time = im->time + item->row;

    if (!complete_creation(im, item)) { /* an update whose product was deleted since the check */
        add_input_errors(im, item);
        return CAT_EREFUSED;
    }
    item->input.values[CAT_PRODUCT_ID] = cat_id_make(im->group.pool, time);
    item->input.values[CAT_PRODUCT_CREATED_AT] = cat_time_store(im->group.pool, time);
    cat_product_stamp(im->group.pool, im->options.rows.fields, item->input.values, time);
    return APR_SUCCESS;
}

/* Taking what is made for the rows comes before they are inserted, as the index decides what is free. */
static apr_status_t claim_made(cat_import_t *im)
{
    group_t *group = &im->group;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < group->count && rv == APR_SUCCESS; i++) {
        item_t *item = &group->items[i];
        if (!item->id) {
            rv = cat_own_slugs_claim(im->db, item->input.made, item->input.values);
            add_writer(im, item);
            im->taken = rv == APR_EEXIST ? item : NULL;
        }
    }
    return rv;
}

static apr_status_t create_products(cat_import_t *im)
{
    const char **products[GROUP];
    group_t *group = &im->group;
    int count = 0;
    apr_status_t rv = APR_SUCCESS;

    im->db->waiting->writer = im->writers->nelts;
    for (int i = 0; i < group->count && rv == APR_SUCCESS; i++) {
        item_t *item = &group->items[i];
        if (!item->id) {
            rv = prepare_creation(im, item);
            products[count++] = item->input.values;
        }
    }
    rv = rv == APR_SUCCESS && count ? cat_products_free_numbers(im->db, (const char **const *)products, count) : rv;
    rv = rv == APR_SUCCESS && count ? claim_made(im) : rv;
    rv = rv == APR_SUCCESS && count
             ? cat_products_insert_many_within(im->db, (const char *const *const *)products, count, &im->postings)
             : rv;
    for (int i = 0; i < count && rv == APR_SUCCESS && im->options.note; i++) {
        im->options.note(im->options.baton, (const char *const *)products[i]);
    }
    return rv;
}

/* A product that was deleted since the check, or has become too long: nothing of the transaction is stored. APR_EEXIST: it is to run again,
 * as a row with a key creates the product that is gone. */
static apr_status_t refuse_update(cat_import_t *im, item_t *item, apr_status_t rv)
{
    if (rv == APR_NOTFOUND && im->number && !im->is_last) {
        return APR_EEXIST;
    }
    if (rv == CAT_ETOOLONG) {
        add_row_error(im, item, "", "too_long", CAT_PRODUCT_TOO_LONG);
    } else {
        add_row_error(im, item, "id", "unknown", "must be the id of a product");
    }
    return CAT_EREFUSED;
}

static void begin_postings(cat_import_t *im)
{
    apr_pool_clear(im->postings_pool);
    im->postings = cat_product_keys_begin(im->postings_pool);
}

static apr_status_t insert_postings(cat_import_t *im)
{
    apr_time_t begun = cat_time_monotonic();
    int count = cat_product_keys_count(&im->postings);
    apr_status_t rv = cat_product_keys_insert(im->db, &im->postings);

    if (count) {
        im->posting_time = 1000 * (cat_time_monotonic() - begun) / count;
    }
    im->inserted += count;
    begin_postings(im);
    return rv;
}

/* Was the product created since the import began to store, perhaps by this transaction? */
static int is_new(const cat_import_t *im, const item_t *item)
{
    return cat_time_read(item->stored[CAT_PRODUCT_CREATED_AT]) > im->time - apr_time_from_msec(1);
}

/* An update deletes the former words and keys of its product, so these must not be waiting to be inserted. */
static apr_status_t update_product(cat_import_t *im, item_t *item)
{
    const char *const *product;
    apr_status_t rv = is_new(im, item) ? insert_postings(im) : APR_SUCCESS;

    APR_ARRAY_PUSH(im->changed, const char *) = apr_pstrdup(im->changed_pool, item->id);
    im->db->waiting->writer = im->writers->nelts;
    add_writer(im, item);
    rv = rv == APR_SUCCESS ? cat_products_update_within(im->db, item->id, &item->input, &product) : rv;
    return rv == APR_NOTFOUND || rv == CAT_ETOOLONG ? refuse_update(im, item, rv) : rv;
}

static apr_status_t update_products(cat_import_t *im)
{
    apr_status_t rv = look_for_products(im, im->db, &im->group);

    for (int i = 0; i < im->group.count && rv == APR_SUCCESS; i++) {
        item_t *item = &im->group.items[i];
        if (item->id && !item->stored) {
            return refuse_update(im, item, APR_NOTFOUND);
        }
        if (item->id && cat_products_changes(&item->input, item->stored)) {
            rv = update_product(im, item);
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

/* Adds the ids of the products of a record, or of a group of them. */
static apr_status_t list_group(cat_import_t *im, apr_array_header_t *ids)
{
    group_t *group = &im->group;
    apr_status_t rv = find_products(im, im->db, group);

    for (int i = 0; i < group->count && rv == APR_SUCCESS; i++) {
        if (group->items[i].id) {
            APR_ARRAY_PUSH(ids, const char *) = apr_pstrdup(im->changed_pool, group->items[i].id);
        }
    }
    return rv;
}

/* Imports that update the same products wait for each other without a deadlock, whatever the order of their rows. */
static apr_status_t lock_products(cat_import_t *im)
{
    apr_array_header_t *ids = apr_array_make(im->changed_pool, 64, sizeof(const char *));
    apr_status_t rv = APR_SUCCESS;

    if (!im->options.rows.may_update || cat_db_has_one_writer(im->db)) {
        return APR_SUCCESS;
    }
    for (int read = 0; read < im->rows && rv == APR_SUCCESS; read += im->group.count) {
        rv = read_group(im, im->row + read, im->rows - read);
        rv = rv == APR_SUCCESS ? list_group(im, ids) : rv;
    }
    rv = rv == APR_SUCCESS ? cat_products_lock_many(im->db, ids) : rv;
    return rv == APR_SUCCESS ? report_spool(im, cat_spool_seek(im->spool, im->begin)) : rv;
}

/* Only the steps after the first one must begin in time: a transaction that waited for locks would store nothing, again and again. How long
 * it takes to insert words and keys is known from the transaction before. */
static int takes_more(const cat_import_t *im, apr_time_t begun)
{
    apr_int64_t stored = im->done.stored, postings = cat_product_keys_count(&im->postings);
    int begins_another = im->is_timed && stored > 0;
    apr_interval_time_t insertion = postings * im->posting_time / 1000;

    return stored < im->rows && (!begins_another || (im->inserted + postings < CAT_IMPORT_POSTINGS &&
                                                     cat_time_monotonic() - begun + insertion < CAT_IMPORT_TIME));
}

/* The rows from the next one on, up to the end of its step or of the transaction. */
static apr_status_t read_next_group(cat_import_t *im)
{
    int stored = (int)im->done.stored, left = im->rows - stored, of_step = CAT_IMPORT_STEP - stored % CAT_IMPORT_STEP;

    return read_group(im, im->row + stored, left < of_step ? left : of_step);
}

/* Each time that the transaction has created twice as many, and each time that it has inserted words and keys before its end. */
static void tell_of_growth_within(cat_import_t *im)
{
    if (im->done.created > 2 * im->grown_within) {
        im->grown_within = im->done.created;
        cat_db_note_growth(im->db);
    }
}

/* The work of a transaction: so it begins at the transaction's first record each time. */
static apr_status_t store_rows(void *baton)
{
    cat_import_t *im = baton;
    apr_time_t begun = cat_time_monotonic();
    apr_pool_t *before = cat_db_use_pool(im->db, im->group.pool);
    apr_status_t rv = report_spool(im, cat_spool_seek(im->spool, im->begin));

    json_array_clear(im->result.errors);
    im->result.failed = 0;
    im->taken = NULL;
    apr_array_clear(im->writers);
    apr_array_clear(im->refused);
    cat_own_keys_wait(im->db, im->changed_pool);
    im->done = (cat_import_result_t){.stored = 0};
    im->grown_within = CAT_IMPORT_STEP;
    im->inserted = 0;
    begin_postings(im);
    if (im->options.note) {
        im->options.note(im->options.baton, NULL);
    }
    apr_array_clear(im->changed);
    rv = rv == APR_SUCCESS ? lock_products(im) : rv;
    while (rv == APR_SUCCESS && takes_more(im, begun)) {
        rv = read_next_group(im);
        rv = rv == APR_SUCCESS ? store_group(im) : rv;
        im->done.stored += im->group.count;
        if (rv == APR_SUCCESS && cat_product_keys_count(&im->postings) >= im->kept) {
            rv = insert_postings(im);
            im->grown_within = 0;
        }
        if (rv == APR_SUCCESS) {
            tell_of_growth_within(im);
        }
    }
    rv = rv == APR_SUCCESS ? cat_own_keys_take_waiting(im->db, im->refused) : rv;
    rv = rv == APR_SUCCESS ? insert_postings(im) : rv; /* last, as other writers wait for the rows of words */
    im->db->waiting = NULL;
    im->end = cat_spool_tell(im->spool);
    cat_db_use_pool(im->db, before);
    if (im->db->author) {
        im->db->author->is_open = im->result.stored + im->done.stored < im->result.rows;
    }
    if (rv == APR_SUCCESS && im->options.finish) {
        const cat_import_result_t sum = sum_results(im);
        im->options.finish(im->options.baton, &sum);
    }
    return rv;
}

/* Each time that the file has created twice as many, so that a database that cannot use it is not asked after each transaction. */
static void tell_of_growth(cat_import_t *im)
{
    if (im->result.created > 2 * im->grown) {
        im->grown = im->result.created;
        cat_db_note_growth(im->db);
    }
}

/* Has another writer created the product of the key since the group was looked up? APR_NOTFOUND: no, or the row is to be refused anyway. */
static apr_status_t look_for_creation(const cat_import_t *im, const item_t *item)
{
    const char *taken = im->db->taken, *id;

    if (!im->number || !item->key || item->id || im->is_last) {
        return APR_NOTFOUND;
    }
    return taken && !strcmp(taken, im->number) ? APR_SUCCESS : cat_own_keys_find(im->db, im->number, item->key, &id);
}

/* After the transaction, when what it has stored before the row is rolled back. APR_EEXIST: it is to run again. */
static apr_status_t refuse_taken(cat_import_t *im, item_t *item)
{
    apr_status_t rv = look_for_creation(im, item);

    if (rv != APR_NOTFOUND) {
        return rv == APR_SUCCESS ? APR_EEXIST : rv;
    }
    rv = cat_products_note_taken(im->db, &item->input, item->id, im->db->taken);
    add_input_errors(im, item);
    return rv == APR_SUCCESS ? CAT_EREFUSED : rv;
}

static void name_refused(cat_import_t *im, const cat_registry_t *registry)
{
    item_t item = {.row = 0};

    for (int i = 0; i < im->refused->nelts; i++) {
        const cat_waiting_value_t *value = &APR_ARRAY_IDX(im->refused, i, cat_waiting_value_t);
        const writer_t *writer = &APR_ARRAY_IDX(im->writers, value->writer, writer_t);
        int field = cat_registry_find_number(registry, value->number);
        item = (item_t){.row = writer->row,
                        .place = writer->place,
                        .is_bad = item.row == writer->row}; /* a row has several values */
        add_row_error(im, &item, field < registry->fields->count ? registry->fields->all[field].name : "", "taken",
                      "is already taken by another product");
    }
}

/* Refuses the values that no row of the transaction has freed: another writer has taken them since the check. Returns APR_EEXIST, so that the
 * transaction runs again, if one of them is the key of a row that creates a product: the row may be about the product that another writer has
 * created with this key. */
static apr_status_t refuse_values(cat_import_t *im)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get(im->db, &registry);

    for (int i = 0; i < im->refused->nelts && rv == APR_SUCCESS; i++) {
        const cat_waiting_value_t *value = &APR_ARRAY_IDX(im->refused, i, cat_waiting_value_t);
        int updates = APR_ARRAY_IDX(im->writers, value->writer, writer_t).updates;
        if (im->number && !strcmp(value->number, im->number) && !updates && !im->is_last) {
            return APR_EEXIST;
        }
    }
    if (rv == APR_SUCCESS) {
        name_refused(im, registry);
    }
    return rv == APR_SUCCESS ? CAT_EREFUSED : rv;
}

#define KEY_TRIES 10 /* of a transaction, while others create and delete products of its keys */

static apr_status_t run_transaction(cat_import_t *im)
{
    const cat_import_options_t *o = &im->options;
    cat_noted_work_t noted = {im->db, store_rows, im};
    apr_status_t rv = APR_EEXIST;

    for (int tries = 1; rv == APR_EEXIST && tries <= KEY_TRIES; tries++) {
        im->is_last = tries == KEY_TRIES;
        apr_pool_clear(im->changed_pool);
        im->changed = apr_array_make(im->changed_pool, 64, sizeof(const char *));
        rv = o->transact ? o->transact(o->baton, cat_change_notes_run, &noted)
                         : cat_products_transact(im->db, im->changed, im->rows, store_rows, im);
        rv = rv == APR_EEXIST && im->refused->nelts ? refuse_values(im)
             : rv == APR_EEXIST && im->taken        ? refuse_taken(im, im->taken)
                                                    : rv;
    }
    if (rv == APR_SUCCESS) {
        cat_change_notes_keep(im->db);
        im->begin = im->end;
        im->row += im->done.stored;
        im->result = sum_results(im);
        tell_of_growth(im);
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
    int has_one_writer = cat_db_has_one_writer(im->db);
    int most = is_long && !has_one_writer ? CAT_IMPORT_BATCH : CAT_IMPORT_ATOMIC_MAX;

    im->rows = (int)(left < most ? left : most);
    im->kept = has_one_writer ? CAT_IMPORT_POSTINGS : 4 * CAT_IMPORT_POSTINGS; /* SQLite has 32 MiB of pages besides */
    im->is_timed = is_long && has_one_writer;
}

apr_status_t cat_import_store(cat_import_t *im)
{
    apr_status_t rv = im->result.failed ? CAT_EREFUSED : APR_SUCCESS;

    if (rv != APR_SUCCESS || im->options.is_dry) {
        return rv;
    }
    im->time = apr_time_now();
    im->posting_time = POSTING_TIME;
    im->result.created = im->result.updated = im->result.unchanged = 0;
    while (im->result.stored < im->result.rows && rv == APR_SUCCESS) {
        limit_transaction(im);
        rv = run_transaction(im);
    }
    if (rv != APR_SUCCESS) {
        cat_change_notes_close(im->db); /* what is stored can be undone at once; if this fails, after a while */
    }
    if (im->result.stored > CAT_IMPORT_BATCH) {
        malloc_trim(0); /* else each thread of the child keeps what an import took, 40 MB */
    }
    return rv;
}

/* ---- all of it ---- */

static apr_status_t prepare_unique(cat_import_t *im)
{
    const cat_fields_t *fields = im->options.rows.fields;
    int key = im->options.rows.may_update ? im->options.rows.key : CAT_PRODUCT_ID;
    apr_status_t rv = APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count && !im->claims; i++) {
        im->claims = fields->all[i].flags & CAT_UNIQUE ? cat_claims_make(im->checks) : NULL;
    }
    if (im->claims) {
        im->late = apr_array_make(im->pool, 0, sizeof(late_value_t));
        rv = cat_registry_get(im->db, &im->registry);
    }
    return rv == APR_SUCCESS && key != CAT_PRODUCT_ID ? cat_product_name_number(im->db, key, &im->number) : rv;
}

apr_status_t cat_import_make(cat_db_t *db, const cat_import_options_t *options, cat_import_t **import)
{
    cat_import_t *im = apr_pcalloc(db->pool, sizeof(*im));
    apr_status_t rv;

    im->pool = db->pool;
    im->db = db;
    im->options = *options;
    im->options.rows.fields = im->group.fields = cat_product_fields_of(db->conf);
    im->reader = cat_row_reader_make(im->pool, &options->rows, take_row, im);
    im->result.errors = cat_json_own(im->pool, json_array());
    im->result.ignored = apr_array_make(im->pool, 0, sizeof(const char *));
    im->writers = apr_array_make(im->pool, 64, sizeof(writer_t));
    im->refused = apr_array_make(im->pool, 2, sizeof(cat_waiting_value_t));
    apr_pool_create(&im->group.pool, im->pool);
    apr_pool_create(&im->changed_pool, im->pool);
    apr_pool_create(&im->postings_pool, im->pool);
    apr_pool_create(&im->checks, im->pool);
    *import = im;
    rv = prepare_unique(im);
    return rv != APR_SUCCESS ? rv : report_spool(im, cat_spool_open(im->pool, &im->spool));
}

const cat_import_result_t *cat_import_result(const cat_import_t *im)
{
    return &im->result;
}
