/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes what a write changes, in the write's own transaction.
 *
 *     PUT, price 5 instead of 4       changes         product, when, batch, update, {"price":4}
 *                                     change_batches  batch, when, who, request, 1
 *     a batch of 300 operations       changes         300 rows, in a few statements
 *                                     change_batches  a row, when the first one is noted; at the end the number of rows
 *
 * So a row has only what was overwritten. What the change made of it is what the next change of the product has overwritten, or what is
 * there now (catalogue/changes/changes.c).
 *
 * Notes are kept in memory until the work of the transaction ends, or PENDING of them wait, so that many changes are few statements. The
 * id of a batch is made here, of the time, so that an answer can have it before the commit and nothing is read back. It has three random
 * digits more than a microsecond and fits into the numbers of JavaScript; the primary key refuses one that is there already, and the next
 * one is tried.
 */
#include "catalogue/product/change_notes.h"

#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "lib/json.h"
#include "lib/number.h"
#include "lib/text.h"
#include "lib/time.h"

#define PENDING 256
#define ID_TRIES 16
#define ID_BEGIN APR_TIME_C(1767225600000000) /* 2026-01-01 */
#define ID_DIGITS 8                           /* ids of a microsecond */

typedef struct cat_notes_t {
    cat_author_t *author;
    cat_author_t nobody;       /* the author where there is none */
    apr_pool_t *pool;          /* of the notes that wait */
    apr_array_header_t *notes; /* cat_change_note_t: those */
    apr_int64_t written;       /* how many are in the database already */
} notes_t;

/* The values of a row of SQL_CHANGES_INSERT and of SQL_BATCHES_INSERT. */
#define CHANGE_VALUES 5
#define BATCH_VALUES 7

int cat_change_notes_are_kept(const cat_db_t *db)
{
    return cat_conf_history(db->conf) > 0;
}

/* ---- what was overwritten ---- */

/* Times as the database has them. */
static void add_column(cat_buffer_t *b, int column, const char *value)
{
    const cat_field_t *field = &cat_product_fields[column];

    cat_json_begin_member(b, field->name, strlen(field->name));
    if (!value) {
        CAT_BUFFER_LITERAL(b, "null");
    } else if (field->kind == CAT_TIME) {
        cat_buffer_add_text(b, value);
    } else {
        cat_fields_write_value(b, field, value);
    }
}

static void add_member(cat_buffer_t *b, const cat_json_member_t *m, const char *value, apr_size_t length)
{
    cat_json_begin_member(b, m->name, m->name_length);
    cat_buffer_add(b, value, length);
}

static const char *end_object(cat_buffer_t *b)
{
    if (!b->length) {
        return NULL;
    }
    CAT_BUFFER_LITERAL(b, "}");
    return cat_buffer_text(b);
}

/* The members of an object's text, which may be NULL. */
static apr_array_header_t *list_members(apr_pool_t *pool, const char *text)
{
    apr_array_header_t *members = apr_array_make(pool, 8, sizeof(cat_json_member_t));
    cat_json_member_t m;

    while (text && cat_json_next_member(&text, &m)) {
        APR_ARRAY_PUSH(members, cat_json_member_t) = m;
    }
    return members;
}

static const cat_json_member_t *find_member(const apr_array_header_t *members, const cat_json_member_t *named)
{
    const cat_json_member_t *all = (const cat_json_member_t *)members->elts;

    for (int i = 0; i < members->nelts; i++) {
        if (all[i].name_length == named->name_length && !memcmp(all[i].name, named->name, named->name_length)) {
            return &all[i];
        }
    }
    return NULL;
}

/* Does the field only say when the product was changed? */
static int says_when(const cat_fields_t *fields, const cat_json_member_t *m)
{
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (fields->all[i].flags & CAT_MODIFIED && cat_json_is_named(m, fields->all[i].name)) {
            return 1;
        }
    }
    return 0;
}

static int is_same(const cat_json_member_t *one, const cat_json_member_t *other)
{
    return other && one->value_length == other->value_length && !memcmp(one->value, other->value, one->value_length);
}

static void compare_extra(const cat_db_t *db, cat_buffer_t *b, const char *before, const char *after)
{
    const cat_fields_t *fields = cat_product_fields_of(db->conf);
    const apr_array_header_t *old = list_members(db->pool, before), *new = list_members(db->pool, after);

    for (int i = 0; i < old->nelts; i++) {
        const cat_json_member_t *m = &APR_ARRAY_IDX(old, i, cat_json_member_t);
        if (!is_same(m, find_member(new, m)) && !says_when(fields, m)) {
            add_member(b, m, m->value, m->value_length);
        }
    }
    for (int i = 0; i < new->nelts; i++) {
        const cat_json_member_t *m = &APR_ARRAY_IDX(new, i, cat_json_member_t);
        if (!find_member(old, m) && !says_when(fields, m)) {
            add_member(b, m, "null", strlen("null"));
        }
    }
}

const char *cat_change_notes_compare(const cat_db_t *db, const char *const *before, const char *const *after)
{
    cat_buffer_t b;

    cat_buffer_init(&b, db->pool, 64);
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (!cat_text_is_same(before[i], after[i])) {
            add_column(&b, i, before[i]);
        }
    }
    if (!cat_text_is_same(before[CAT_PRODUCT_EXTRA], after[CAT_PRODUCT_EXTRA])) {
        compare_extra(db, &b, before[CAT_PRODUCT_EXTRA], after[CAT_PRODUCT_EXTRA]);
    }
    return end_object(&b);
}

const char *cat_change_notes_whole(apr_pool_t *pool, const char *const *row)
{
    const char *extra = row[CAT_PRODUCT_EXTRA];
    cat_json_member_t m;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, CAT_PRODUCT_SIZE);
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (i != CAT_PRODUCT_ID && row[i]) {
            add_column(&b, i, row[i]);
        }
    }
    while (extra && cat_json_next_member(&extra, &m)) {
        add_member(&b, &m, m.value, m.value_length);
    }
    return end_object(&b);
}

/* ---- and how it was before ---- */

static int find_column(const cat_json_member_t *m)
{
    int column = 0;

    while (column < CAT_PRODUCT_FIELDS && !cat_json_is_named(m, cat_product_fields[column].name)) {
        column++;
    }
    return column;
}

static int is_null(const cat_json_member_t *m)
{
    return *m->value == 'n';
}

/* The text of the column extra with the members of former in place of its own. */
static const char *revert_extra(apr_pool_t *pool, const char *extra, const char *former)
{
    const apr_array_header_t *changed = list_members(pool, former), *present = list_members(pool, extra);
    cat_buffer_t b;

    cat_buffer_init(&b, pool, CAT_PRODUCT_SIZE);
    for (int i = 0; i < present->nelts; i++) {
        const cat_json_member_t *m = &APR_ARRAY_IDX(present, i, cat_json_member_t), *old = find_member(changed, m);
        if (!old || !is_null(old)) {
            m = old ? old : m;
            add_member(&b, m, m->value, m->value_length);
        }
    }
    for (int i = 0; i < changed->nelts; i++) {
        const cat_json_member_t *m = &APR_ARRAY_IDX(changed, i, cat_json_member_t);
        if (find_column(m) == CAT_PRODUCT_FIELDS && !is_null(m) && !find_member(present, m)) {
            add_member(&b, m, m->value, m->value_length);
        }
    }
    return end_object(&b);
}

const char *const *cat_change_notes_revert(apr_pool_t *pool, const char *id, const char *const *row, const char *former)
{
    const char **before = apr_pcalloc(pool, CAT_PRODUCT_COLUMNS * sizeof(*before)), *at = former;
    cat_json_member_t m;

    if (!former) {
        return NULL;
    }
    if (row) {
        memcpy(before, row, CAT_PRODUCT_COLUMNS * sizeof(*before));
    }
    before[CAT_PRODUCT_ID] = id;
    while (cat_json_next_member(&at, &m)) {
        int column = find_column(&m);
        if (column < CAT_PRODUCT_FIELDS) {
            before[column] = is_null(&m) ? NULL : cat_product_read_member(pool, &cat_product_fields[column], &m);
        }
    }
    before[CAT_PRODUCT_EXTRA] = revert_extra(pool, before[CAT_PRODUCT_EXTRA], former);
    return (const char *const *)before;
}

/* ---- writing ---- */

static apr_int64_t make_id(apr_time_t now)
{
    unsigned char digit = 0;

    apr_generate_random_bytes(&digit, sizeof(digit)); /* or it is 0, and another one is tried if that is taken */
    return (now - ID_BEGIN) * ID_DIGITS + digit % ID_DIGITS;
}

typedef struct batch_row_t {
    apr_int64_t id, row_count;
    const cat_author_t *author; /* NULL: none */
    apr_time_t now;
} batch_row_t;

static void list_batch_values(apr_pool_t *pool, const batch_row_t *row, const char *values[BATCH_VALUES])
{
    const cat_author_t *author = row->author;

    values[0] = cat_number_write(pool, row->id);
    values[1] = cat_time_store(pool, row->now);
    values[2] = author ? author->user_id : NULL;
    values[3] = author ? author->source : CAT_SOURCE_REQUEST;
    values[4] = cat_number_write(pool, row->row_count);
    values[5] = author && author->is_open ? "0" : "1";
    values[6] = author && author->undoes ? cat_number_write(pool, author->undoes) : NULL;
}

/* *id: of the batch. */
static apr_status_t insert_batch(cat_db_t *db, const cat_author_t *author, apr_int64_t row_count, apr_int64_t *id)
{
    batch_row_t row = {.row_count = row_count, .author = author, .now = apr_time_now()};
    int inserted = 0;
    apr_status_t rv = APR_SUCCESS;

    row.id = make_id(row.now);
    for (int tries = 0; tries < ID_TRIES && !inserted && rv == APR_SUCCESS; tries++, row.id++) {
        const char *values[BATCH_VALUES];
        list_batch_values(db->pool, &row, values);
        *id = row.id;
        rv = cat_db_exec(db, SQL_BATCHES_INSERT, values, BATCH_VALUES, &inserted);
    }
    return rv == APR_SUCCESS && !inserted ? CAT_ECONFLICT : rv;
}

static apr_status_t insert_changes(cat_db_t *db, const cat_change_note_t *notes, int count, const char *const *batches)
{
    const char **values = apr_palloc(db->pool, (apr_size_t)count * CHANGE_VALUES * sizeof(*values));
    const char *now = cat_time_store(db->pool, apr_time_now());

    for (int i = 0; i < count; i++) {
        const char **row = values + i * CHANGE_VALUES;
        row[0] = notes[i].product_id;
        row[1] = now;
        row[2] = batches[i];
        row[3] = notes[i].op;
        row[4] = notes[i].former;
    }
    return cat_db_insert_rows(db, &(cat_rows_t){SQL_CHANGES_INSERT, values, CHANGE_VALUES, count, 0});
}

static apr_status_t insert_for_batch(cat_db_t *db, const cat_change_note_t *notes, int count, apr_int64_t batch)
{
    const char **batches = apr_palloc(db->pool, (apr_size_t)count * sizeof(*batches));
    const char *text = cat_number_write(db->pool, batch);

    for (int i = 0; i < count; i++) {
        batches[i] = text;
    }
    return insert_changes(db, notes, count, batches);
}

/*
 * A batch of one change where several transactions write at once: it has just been inserted, so its number is known without a look at the
 * table, which costs the server as much as both rows. If the id is there, the transaction begins anew, with another one.
 */
static apr_status_t insert_single(cat_db_t *db, const cat_author_t *author, const cat_change_note_t *note)
{
    batch_row_t row = {.row_count = 1, .author = author, .now = apr_time_now()};
    const char *values[BATCH_VALUES];
    int inserted = 0;
    apr_status_t rv;

    row.id = make_id(row.now);
    list_batch_values(db->pool, &row, values);
    rv = insert_changes(db, note, 1, values);
    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_BATCHES_INSERT_SINGLE, values, BATCH_VALUES, &inserted) : rv;
    return rv == APR_SUCCESS && !inserted ? CAT_ECONFLICT : rv;
}

static int is_batch_each(const cat_author_t *author)
{
    return !strcmp(author->source, CAT_SOURCE_REQUEST);
}

/* The batch of a single write is inserted with its count, others when the first change is noted. */
static apr_status_t flush_notes(cat_db_t *db, notes_t *n)
{
    const cat_change_note_t *notes = (const cat_change_note_t *)n->notes->elts;
    int count = n->notes->nelts;
    apr_int64_t batch = n->author->batch;
    apr_status_t rv;

    if (!count) {
        return APR_SUCCESS;
    }
    if (is_batch_each(n->author) && count == 1 && !cat_db_has_one_writer(db)) {
        rv = insert_single(db, n->author, notes);
    } else {
        rv = is_batch_each(n->author) ? insert_batch(db, n->author, count, &batch) : APR_SUCCESS;
        rv = rv == APR_SUCCESS ? insert_for_batch(db, notes, count, batch) : rv;
    }
    n->written += count;
    apr_pool_clear(n->pool);
    n->notes = apr_array_make(n->pool, 1, sizeof(cat_change_note_t));
    return rv;
}

static void begin_notes(cat_db_t *db, notes_t *n)
{
    *n = (notes_t){.nobody = {.source = CAT_SOURCE_REQUEST}};
    n->author = db->author ? db->author : &n->nobody;
    n->author->batch = n->author->stored;
    apr_pool_create(&n->pool, db->pool);
    n->notes = apr_array_make(n->pool, 1, sizeof(cat_change_note_t));
    db->notes = n;
}

/* Ends a portion of the batch. changes: those that the portion has made. */
static apr_status_t add_to_batch(cat_db_t *db, apr_int64_t batch, apr_int64_t changes, int is_open)
{
    return cat_db_exec(db, SQL_BATCHES_ADD,
                       CAT_VALUES(cat_number_write(db->pool, changes), is_open ? "0" : "1",
                                  cat_time_store(db->pool, apr_time_now()), cat_number_write(db->pool, batch)),
                       NULL);
}

static apr_status_t end_notes(cat_db_t *db, notes_t *n, apr_status_t rv)
{
    const cat_author_t *author = n->author;

    rv = rv == APR_SUCCESS ? flush_notes(db, n) : rv;
    if (rv == APR_SUCCESS && author->batch && (n->written || !author->is_open)) {
        rv = add_to_batch(db, author->batch, n->written, author->is_open);
    }
    apr_pool_destroy(n->pool);
    db->notes = NULL;
    return rv;
}

apr_status_t cat_change_notes_run(void *baton)
{
    const cat_noted_work_t *noted = baton;
    cat_db_t *db = noted->db;
    notes_t n;

    if (!cat_change_notes_are_kept(db)) {
        return noted->work(noted->baton);
    }
    begin_notes(db, &n);
    return end_notes(db, &n, noted->work(noted->baton));
}

apr_status_t cat_change_notes_attempt(cat_db_t *db, cat_work_t *work, void *baton)
{
    notes_t *n = db->notes;
    apr_int64_t batch = n ? n->author->batch : 0, written;
    apr_status_t rv = n ? flush_notes(db, n) : APR_SUCCESS;

    if (rv != APR_SUCCESS || !n) {
        return rv == APR_SUCCESS ? cat_db_attempt(db, work, baton) : rv;
    }
    written = n->written;
    rv = cat_db_attempt(db, work, baton);
    if (rv != APR_SUCCESS) {
        n->author->batch = batch;
        n->written = written;
        apr_array_clear(n->notes);
    }
    return rv;
}

void cat_change_notes_keep(const cat_db_t *db)
{
    if (db->author) {
        db->author->stored = db->author->batch;
    }
}

apr_status_t cat_change_notes_close(cat_db_t *db)
{
    const cat_author_t *author = db->author;

    return author && author->stored ? add_to_batch(db, author->stored, 0, 0) : APR_SUCCESS;
}

static apr_status_t add_notes(cat_db_t *db, notes_t *n, const cat_change_note_t *notes, int count)
{
    apr_status_t rv = APR_SUCCESS;

    if (!n->author->batch && !is_batch_each(n->author)) {
        rv = insert_batch(db, n->author, 0, &n->author->batch);
    }
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        APR_ARRAY_PUSH(n->notes, cat_change_note_t) = (cat_change_note_t){
            notes[i].op, apr_pstrdup(n->pool, notes[i].product_id), apr_pstrdup(n->pool, notes[i].former)};
    }
    return rv == APR_SUCCESS && n->notes->nelts >= PENDING && !is_batch_each(n->author) ? flush_notes(db, n) : rv;
}

apr_status_t cat_change_notes_add(cat_db_t *db, const cat_change_note_t *notes, int count)
{
    notes_t n;

    if (!cat_change_notes_are_kept(db)) {
        return APR_SUCCESS;
    }
    if (db->notes) {
        return add_notes(db, db->notes, notes, count);
    }
    begin_notes(db, &n);
    return end_notes(db, &n, add_notes(db, &n, notes, count));
}

apr_status_t cat_change_notes_add_each(cat_db_t *db, const cat_change_note_t *notes, const cat_author_t *const *authors,
                                       int count)
{
    const char **values = apr_palloc(db->pool, (apr_size_t)count * BATCH_VALUES * sizeof(*values));
    const char **batches = apr_palloc(db->pool, (apr_size_t)count * sizeof(*batches));
    cat_rows_t rows = {SQL_BATCHES_INSERT, values, BATCH_VALUES, count, 0};
    batch_row_t row = {.row_count = 1, .now = apr_time_now()};
    apr_status_t rv;

    if (count == 1 && !cat_db_has_one_writer(db)) {
        return insert_single(db, authors[0], notes);
    }
    row.id = make_id(row.now);
    for (int i = 0; i < count; i++, row.id++) {
        row.author = authors[i];
        list_batch_values(db->pool, &row, values + i * BATCH_VALUES);
        batches[i] = values[i * BATCH_VALUES];
    }
    rv = cat_db_insert_rows(db, &rows);
    if (rv == APR_SUCCESS && rows.inserted < count) {
        rv = CAT_ECONFLICT; /* the transaction begins anew, with other ids */
    }
    return rv == APR_SUCCESS ? insert_changes(db, notes, count, batches) : rv;
}
