/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes single products. No other file writes them, so what has to follow a write is here, and nowhere else:
 *
 *     insert, update or delete of the row
 *       -> the derived columns, *_key and words     (catalogue/product/product_keys.h)
 *       -> the rows of product_words                (the same)
 *       -> the counts of all, categories, stock   (catalogue/product/counts.h)
 *       -> the note of what was changed, and by whom (catalogue/product/change_notes.h)
 *       -> the cached answers that are stale now    (cat_db_touch, before the write is answered)
 *
 * All of that is one transaction, or one statement where nothing has to follow: a product without words, whose counts a
 * trigger keeps. A transaction that the caller has begun is joined.
 *
 * Requests that come at once share work. On a database server, reads share a round trip (db/work/read_batch.h) and inserts share
 * a commit (db/work/batch.h); on SQLite all writes share commits (cat_db_transact_at_once).
 *
 * An update reads what was derived before it changes the row, so that only the difference is written: words that are new
 * are inserted, those that are gone are deleted, and where no trigger counts, the old category gets a delta of "-1" and the
 * new one "1".
 */
#include "catalogue/product/products.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/change_notes.h"
#include "catalogue/product/counts.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/product_images.h"
#include "catalogue/product/product_keys.h"
#include "db/answer_cache.h"
#include "db/db.h"
#include "http/etag.h"
#include "lib/id.h"
#include "lib/text.h"

/* ---- reading ---- */

static const char *const *read_record(const cat_db_t *db, const char *const *row)
{
    return cat_product_read(db->pool, cat_product_fields_of(db->conf), row);
}

typedef struct product_read_t {
    cat_db_t *db;
    const char *id;
    const cat_products_form_t *form;
    const char *body; /* NULL: there is no such product */
    apr_size_t length;
} product_read_t;

static void represent_row(product_read_t *r, const char *const *row)
{
    r->form->represent(r->form->baton, read_record(r->db, row), &r->body, &r->length);
}

/* The number is before the columns. */
static apr_status_t take_product(void *baton, const char *const *values, int)
{
    product_read_t *r = baton;

    if (!strcmp(values[1 + CAT_PRODUCT_ID], r->id)) {
        represent_row(r, values + 1);
    }
    return CAT_ENOUGH;
}

/* Requests that come at once share a round trip. */
static apr_status_t find_row(product_read_t *r)
{
    const char *const *row = NULL, *n;
    apr_status_t rv;

    if (r->form->find) {
        rv = r->form->find(r->form->baton, r->db, &row);
        if (rv == APR_SUCCESS && row) {
            represent_row(r, row);
        }
        return rv;
    }
    n = cat_id_number_text(r->db->pool, r->id);
    return cat_db_asks_server(r->db)
               ? cat_read_batch_one(r->db, &(cat_row_key_t){SQL_PRODUCT_READ, NULL, n}, take_product, r)
               : cat_db_each(r->db, SQL_PRODUCT_READ, CAT_VALUES(n), take_product, r);
}

const char *cat_products_object(const char *body)
{
    static const char name[] = "\"data\":";
    const char *at = strstr(body, name);

    return at ? at + strlen(name) : "";
}

apr_status_t cat_products_get_one(cat_db_t *db, const char *id, apr_time_t now, const cat_products_form_t *form,
                                  cat_item_t *item)
{
    product_read_t r = {.db = db, .id = id, .form = form};
    apr_status_t rv;

    /* No text that a client sends for an id has a slash, as the keys of lists have. */
    *item = (cat_item_t){.key = db->conf->view ? apr_pstrcat(db->pool, "/", db->conf->view, "/", id, NULL) : id};
    if (cat_answer_cache_get(db, id, now, item)) { /* so it is an id */
        return APR_SUCCESS;
    }
    if (cat_id_number(id) < 0) {
        return APR_NOTFOUND;
    }
    rv = find_row(&r);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (!r.body) {
        return APR_NOTFOUND;
    }
    item->body = r.body;
    item->length = r.length;
    item->hash = cat_etag_hash(r.body, r.length);
    cat_answer_cache_put(db, item);
    return APR_SUCCESS;
}

/* Of the columns of SQL_PRODUCT_KEYS, the row behind those of PRODUCT_KEY_COLUMNS. */
enum {
    STORED_ROW = CAT_PRODUCT_KEYS,
    STORED_CATEGORY = STORED_ROW + CAT_PRODUCT_CATEGORY,
    STORED_IN_STOCK = STORED_ROW + CAT_PRODUCT_IN_STOCK
};

#define ROW_VALUES (CAT_PRODUCT_COLUMNS + CAT_PRODUCT_KEYS) /* of SQL_PRODUCT_INSERT, whose time is the number */

/* Once a product is changed, nothing but a fault of the database keeps its words and counts from following. */
static apr_status_t write_in_transaction(cat_db_t *db, cat_work_t *work, void *baton)
{
    cat_noted_work_t noted = {db, work, baton};

    return cat_db_in_transaction(db) ? work(baton) : cat_db_transact_at_once(db, cat_change_notes_run, &noted);
}

/* ---- insert ---- */

/* Products that are being inserted, with what is inserted after them. */
typedef struct insertion_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    const char *const *const *products; /* rows */
    int count;
    int claimed;         /* of them, whose unique values are stored */
    const char **values; /* ROW_VALUES of each */
    cat_product_postings_t postings;
    cat_counts_delta_t *deltas;
} insertion_t;

static const char *const *write_row(const cat_db_t *db, const char *const *product)
{
    const char **row = apr_palloc(db->pool, CAT_PRODUCT_COLUMNS * sizeof(*row));

    memcpy(row, product, CAT_PRODUCT_FIELDS * sizeof(*row));
    row[CAT_PRODUCT_EXTRA] = cat_product_write_extra(db->pool, cat_product_fields_of(db->conf), product, NULL);
    return row;
}

static void prepare_product(insertion_t *in, int i)
{
    apr_pool_t *pool = in->db->pool; /* the postings may live longer */
    const char *const *product = in->products[i];
    const char **row = in->values + i * ROW_VALUES, **keys = row + CAT_PRODUCT_COLUMNS;
    int is_counted;

    memcpy(row, product, CAT_PRODUCT_COLUMNS * sizeof(*row));
    row[CAT_PRODUCT_CREATED_AT] = cat_id_number_text(pool, product[CAT_PRODUCT_ID]);
    cat_product_keys_make(pool, cat_product_keys_kept(in->db), in->registry, product, keys);
    if (in->registry->has_keys) {
        cat_own_keys_collect(pool, in->postings.keys, in->registry, product);
    }
    cat_product_keys_add(&in->postings, cat_product_keys_words(pool, keys[CAT_PRODUCT_KEY_WORDS]),
                         row[CAT_PRODUCT_CREATED_AT]);
    is_counted = keys[CAT_PRODUCT_KEY_CATEGORY] != NULL;
    in->deltas[i] = (cat_counts_delta_t){"1", is_counted ? product[CAT_PRODUCT_CATEGORY] : NULL, "1",
                                         product[CAT_PRODUCT_IN_STOCK]};
}

static apr_status_t prepare_with_postings(insertion_t *in, cat_db_t *db, const char *const *const *products, int count,
                                          const cat_product_postings_t *postings)
{
    apr_status_t rv;

    *in = (insertion_t){.db = db, .products = products, .count = count, .postings = *postings};
    rv = cat_registry_get(db, &in->registry);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    in->values = apr_palloc(db->pool, (apr_size_t)count * ROW_VALUES * sizeof(*in->values));
    in->deltas = apr_palloc(db->pool, (apr_size_t)count * sizeof(*in->deltas));
    for (int i = 0; i < count; i++) {
        prepare_product(in, i);
    }
    return APR_SUCCESS;
}

static apr_status_t prepare_insertion(insertion_t *in, cat_db_t *db, const char *const *const *products, int count)
{
    const cat_product_postings_t postings = cat_product_keys_begin(db->pool);

    return prepare_with_postings(in, db, products, count, &postings);
}

/* Those of several products in few statements. */
static apr_status_t insert_what_follows(const insertion_t *in)
{
    apr_status_t rv = cat_product_keys_insert(in->db, &in->postings);

    return rv == APR_SUCCESS ? cat_counts_note(in->db, in->deltas, in->count) : rv;
}

static const cat_change_note_t *make_notes(const insertion_t *in)
{
    cat_change_note_t *notes = apr_palloc(in->db->pool, (apr_size_t)in->count * sizeof(*notes));

    for (int i = 0; i < in->count; i++) {
        notes[i] = (cat_change_note_t){CAT_CHANGE_CREATE, in->products[i][CAT_PRODUCT_ID], NULL};
    }
    return notes;
}

static apr_status_t note_creations(const insertion_t *in)
{
    return cat_change_notes_are_kept(in->db) ? cat_change_notes_add(in->db, make_notes(in), in->count) : APR_SUCCESS;
}

static apr_status_t claim_values(insertion_t *in)
{
    in->claimed = 0;
    return in->registry->has_unique
               ? cat_own_keys_claim_all(in->db, in->registry, in->products, in->count, &in->claimed)
               : APR_SUCCESS;
}

/* Where there is one writer at a time, a product is refused before anything is changed, see cat_db_transact_at_once. */
static apr_status_t check_number(const insertion_t *in)
{
    const char *const *row;
    apr_status_t rv = APR_NOTFOUND;

    if (in->count == 1 && in->registry->has_unique && cat_db_has_one_writer(in->db)) {
        rv = cat_db_one(in->db, SQL_PRODUCT_READ, CAT_VALUES(in->values[CAT_PRODUCT_CREATED_AT]), &row);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv == APR_SUCCESS ? APR_EEXIST : rv;
}

static apr_status_t insert_rows(insertion_t *in)
{
    cat_rows_t rows = {SQL_PRODUCT_INSERT, in->values, ROW_VALUES, in->count, 0};
    apr_status_t rv = check_number(in);

    in->db->taken = NULL;
    rv = rv == APR_SUCCESS ? claim_values(in) : rv;
    rv = rv == APR_SUCCESS ? cat_db_insert_rows(in->db, &rows) : rv;
    return rv == APR_SUCCESS && rows.inserted < in->count ? APR_EEXIST : rv;
}

static apr_status_t insert_prepared(void *baton)
{
    insertion_t *in = baton;
    apr_status_t rv = insert_rows(in);

    return rv == APR_SUCCESS ? insert_what_follows(in) : rv;
}

static apr_status_t insert_product(cat_db_t *db, const char *const *row)
{
    insertion_t in;
    apr_status_t rv = prepare_insertion(&in, db, &row, 1);

    rv = rv == APR_SUCCESS ? insert_prepared(&in) : rv;
    return rv == APR_SUCCESS ? note_creations(&in) : rv;
}

/* Without words, delta row and history, a product is a statement of its own. */
static cat_batch_kind_t choose_batch_kind(const cat_db_t *db, const cat_registry_t *registry)
{
    int has_words = registry->has_keys || cat_product_keys_kept(db) & CAT_INDEX_SEARCH;

    return has_words || cat_counts_needs_transaction(db) || cat_change_notes_are_kept(db) ? CAT_BATCH_TRANSACTION
                                                                                          : CAT_BATCH_STATEMENT;
}

/* A product that is inserted alone. */
typedef struct single_t {
    cat_db_t *db;
    const char *const *row;
} single_t;

static apr_status_t insert_single(void *baton)
{
    const single_t *s = baton;

    return insert_product(s->db, s->row);
}

static apr_status_t note_singles(const insertion_t *in, const single_t *const *singles)
{
    const cat_author_t **authors = apr_palloc(in->db->pool, (apr_size_t)in->count * sizeof(*authors));

    for (int i = 0; i < in->count; i++) {
        authors[i] = singles[i]->db->author;
    }
    return cat_change_notes_add_each(in->db, make_notes(in), authors, in->count);
}

/* The items are singles of several requests. */
static apr_status_t insert_singles(cat_db_t *db, const void *const *items, int count)
{
    const single_t *const *singles = (const single_t *const *)items;
    const char *const **rows = apr_palloc(db->pool, (apr_size_t)count * sizeof(*rows));
    insertion_t in;
    apr_status_t rv;

    for (int i = 0; i < count; i++) {
        rows[i] = singles[i]->row;
    }
    rv = prepare_insertion(&in, db, rows, count);
    in.postings.are_new = 1;
    rv = rv == APR_SUCCESS ? insert_prepared(&in) : rv;
    return rv == APR_SUCCESS && cat_change_notes_are_kept(db) ? note_singles(&in, singles) : rv;
}

/* Products that come at once share a commit. */
apr_status_t cat_products_insert_one(cat_db_t *db, const char *const *product)
{
    single_t s = {db, write_row(db, product)};
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_begin_writing(db, &registry);

    cat_db_touch(db, NULL);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (!cat_own_keys_are_claimed(registry)) { /* one that is refused for that must not refuse its batch */
        return cat_db_transact(db, cat_change_notes_run, &(cat_noted_work_t){db, insert_single, &s});
    }
    return cat_db_shares_commits(db) ? write_in_transaction(db, insert_single, &s)
                                     : cat_batch_write(db, choose_batch_kind(db, registry), insert_singles, &s);
}

apr_status_t cat_products_insert_many(cat_db_t *db, const char *const *const *rows, int count, int *inserted)
{
    insertion_t in;
    apr_status_t prepared = prepare_insertion(&in, db, rows, count);

    cat_db_touch(db, NULL);
    prepared = prepared == APR_SUCCESS ? claim_values(&in) : prepared;
    *inserted = in.claimed; /* those before the one that is refused */
    if (prepared != APR_SUCCESS) {
        return prepared;
    }
    for (*inserted = 0; *inserted < count; ++*inserted) {
        apr_status_t rv = cat_db_insert(db, SQL_PRODUCT_INSERT, in.values + *inserted * ROW_VALUES, ROW_VALUES);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    prepared = insert_what_follows(&in);
    return prepared == APR_SUCCESS ? note_creations(&in) : prepared;
}

/* ---- update and delete ---- */

typedef struct product_write_t {
    cat_db_t *db;
    const cat_registry_t *registry;
    const char *n, *id;                        /* the number of the product, and its id */
    const cat_input_t *input;                  /* of an update */
    const cat_products_condition_t *condition; /* NULL: none */
    const char *const *product;                /* the record that the update made of it */
    const char *const *stored;                 /* of SQL_PRODUCT_KEYS, locked; NULL: it need not be known */
    cat_work_t *alone;                         /* what write_alone runs */
} product_write_t;

static apr_status_t run_alone(void *baton)
{
    product_write_t *w = baton;
    apr_status_t rv = cat_registry_get(w->db, &w->registry);

    return rv == APR_SUCCESS ? w->alone(w) : rv;
}

/* What has to be added to the registry is no part of the transaction. */
static apr_status_t write_alone(product_write_t *w)
{
    apr_status_t rv = cat_registry_get(w->db, &w->registry);

    cat_db_touch(w->db, w->id);
    return rv == APR_SUCCESS ? write_in_transaction(w->db, run_alone, w) : rv;
}

static apr_status_t judge_condition(const product_write_t *w)
{
    const char *const *stored;
    apr_status_t rv;

    if (!w->condition) {
        return APR_SUCCESS;
    }
    rv = cat_products_lock(w->db, w->id, &stored);
    return rv == APR_SUCCESS ? w->condition->judge(w->condition->baton, stored) : rv;
}

/* What an update makes of the column extra: nothing, unless it sets or clears a field that is kept there. */
typedef struct update_extra_t {
    const char *text; /* NULL: it stays, or is cleared */
    int is_cleared;
    const char *const *before; /* the row as it was; NULL: the column stays */
    const char *images[2];     /* the pictures before and after; only if the update changes them */
} update_extra_t;

static int changes_extra(const cat_input_t *input)
{
    if (input->hidden) {
        return 1;
    }
    for (int i = CAT_PRODUCT_FIELDS; i < input->count; i++) {
        if (input->values[i] || input->cleared[i] || input->fields[i].flags & CAT_MODIFIED) {
            return 1;
        }
    }
    return 0;
}

/* As the update leaves it, with the time if it leaves anything else than it was. */
static const char *const *change_record(const product_write_t *w, const cat_fields_t *fields, const char *const *row,
                                        const update_extra_t *extra)
{
    const char *const *before = cat_product_read(w->db->pool, fields, row);
    const char **after = (const char **)cat_products_merge(w->db->pool, before, w->input);

    if (cat_products_changes(w->input, before) || w->input->hidden ||
        !cat_product_images_are_equal(w->db->pool, extra->images[0], extra->images[1])) {
        cat_product_stamp(w->db->pool, fields, after, apr_time_now());
    }
    return after;
}

/* Can the change of the pictures be made, if there is one? */
static apr_status_t check_images(const product_write_t *w, const char *const *row, update_extra_t *extra)
{
    const cat_fields_t *fields = cat_product_fields_of(w->db->conf);
    int images = cat_product_images_find(fields);

    if (images == fields->count || !w->input->values[images]) {
        return APR_SUCCESS;
    }
    extra->images[0] = cat_product_read(w->db->pool, fields, row)[images];
    return cat_product_images_apply(w->db->pool, extra->images[0], w->input->values[images], &extra->images[1]);
}

static apr_status_t reclaim_values(const product_write_t *w, const update_extra_t *extra)
{
    const char **after = apr_pmemdup(w->db->pool, extra->before, CAT_PRODUCT_COLUMNS * sizeof(*after));

    after[CAT_PRODUCT_EXTRA] = extra->text;
    return cat_own_keys_reclaim(w->db, w->registry, extra->before, after);
}

/* Whether the column has to be written anew as a whole. Pairs also have keys of built-in fields. */
static int needs_extra(const product_write_t *w)
{
    return changes_extra(w->input) || w->registry->has_pairs;
}

/* Returns true if the update clears a field whose default the key filler still gives to products (catalogue/search/key_filler.c). */
static int clears_default(const product_write_t *w)
{
    int clears = 0;

    for (int i = CAT_PRODUCT_FIELDS; w->registry->is_filling && i < w->input->count; i++) {
        int known = w->input->cleared[i] ? cat_registry_find(w->registry, w->input->fields[i].name)
                                         : w->registry->fields->count;
        clears |= known < w->registry->fields->count && w->registry->fields->own[known]->preset != NULL;
    }
    return clears;
}

/* The row is locked. */
static apr_status_t merge_extra(const product_write_t *w, update_extra_t *extra)
{
    const cat_fields_t *fields = cat_product_fields_of(w->db->conf);
    const char *const *row, *const *record;
    apr_status_t rv;

    *extra = (update_extra_t){.text = NULL};
    if (!needs_extra(w)) {
        return APR_SUCCESS;
    }
    extra->before = row = w->stored + STORED_ROW;
    if (!changes_extra(w->input)) {
        return APR_SUCCESS;
    }
    rv = clears_default(w) ? CAT_EFILLING : check_images(w, row, extra);
    if (rv == APR_SUCCESS) {
        record = change_record(w, fields, row, extra);
        extra->text = cat_product_write_extra(w->db->pool, fields, record,
                                              w->input->hidden ? w->input->hidden : row[CAT_PRODUCT_EXTRA]);
        extra->is_cleared = !extra->text;
    }
    if (rv == APR_SUCCESS && extra->text && strlen(extra->text) > CAT_PRODUCT_EXTRA_MAX) {
        return CAT_ETOOLONG;
    }
    return rv == APR_SUCCESS && w->registry->has_unique ? reclaim_values(w, extra) : rv;
}

#define UPDATE_VALUES (2 * CAT_PRODUCT_COLUMNS + 2) /* at most */

/* The values of SQL_PRODUCT_UPDATE, and their count. It takes a value, NULL to keep the old one, for each built-in field that a
 * client may set, in the order of the field table; before that of a clearable field, "1" to clear it, else "0"; the same of
 * the column extra; and the number and the id. */
static int list_update_values(const product_write_t *w, const update_extra_t *extra, const char *values[UPDATE_VALUES])
{
    const cat_input_t *input = w->input;
    int count = 0;

    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        int flags = cat_product_fields[i].flags;
        if (flags & CAT_SERVER) {
            continue;
        }
        if (flags & CAT_CLEARABLE) {
            values[count++] = input->cleared[i] ? "1" : "0";
        }
        values[count++] = input->values[i];
    }
    values[count++] = extra->is_cleared ? "1" : "0";
    values[count++] = extra->text;
    values[count++] = w->n;
    values[count++] = w->id;
    return count;
}

/* Does the update set a field from which something is derived, or that is counted by hand? */
static int changes_keys(const product_write_t *w)
{
    if (cat_counts_by_hand(w->db) && w->input->values[CAT_PRODUCT_IN_STOCK]) {
        return 1;
    }
    if (!cat_product_keys_kept(w->db) && !cat_counts_by_hand(w->db)) {
        return 0;
    }
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (cat_product_keys_part(i) & CAT_INDEX_ALL && (w->input->values[i] || w->input->cleared[i])) {
            return 1;
        }
    }
    return 0;
}

/* "1" becomes "-1". */
static const char *take_away(const char *in_stock)
{
    return *in_stock == '1' ? "-1" : "0";
}

/* before: of SQL_PRODUCT_KEYS. */
static apr_status_t note_counts(const product_write_t *w, const char *const *before, const char *const *keys)
{
    const char *was_in_stock = before[STORED_IN_STOCK], *in_stock = w->product[CAT_PRODUCT_IN_STOCK];
    const char *was = before[CAT_PRODUCT_KEY_CATEGORY] ? before[STORED_CATEGORY] : NULL; /* NULL: it is in no count */
    const char *is = keys[CAT_PRODUCT_KEY_CATEGORY] ? w->product[CAT_PRODUCT_CATEGORY] : NULL;
    const cat_counts_delta_t deltas[] = {
        {"0", was, "-1", take_away(was_in_stock)},
        {"0", is, "1", in_stock},
    };
    int stays = was && is ? !strcmp(was, is) : was == is;

    return stays && *was_in_stock == *in_stock ? APR_SUCCESS : cat_counts_note(w->db, deltas, 2);
}

/* Makes what is derived of the product follow it. before: of SQL_PRODUCT_KEYS. */
static apr_status_t update_keys(const product_write_t *w, const char *const *before, const char *const *row)
{
    const char *values[CAT_PRODUCT_KEYS + 2];
    apr_status_t rv;

    cat_product_keys_make(w->db->pool, cat_product_keys_kept(w->db), w->registry, row, values);
    values[CAT_PRODUCT_KEYS] = w->n;
    values[CAT_PRODUCT_KEYS + 1] = w->id;
    rv = note_counts(w, before, values);
    if (rv != APR_SUCCESS || cat_product_keys_match(before, values)) {
        return rv;
    }
    rv = cat_db_exec(w->db, SQL_PRODUCT_SET_KEYS, values, CAT_PRODUCT_KEYS + 2, NULL);
    return rv == APR_SUCCESS
               ? cat_product_keys_change(w->db, before[CAT_PRODUCT_KEY_WORDS], values[CAT_PRODUCT_KEY_WORDS], w->n)
               : rv;
}

static apr_status_t note_update(const product_write_t *w, const char *const *row)
{
    const char *former =
        cat_change_notes_are_kept(w->db) ? cat_change_notes_compare(w->db, w->stored + STORED_ROW, row) : NULL;

    return former ? cat_change_notes_add(w->db, &(cat_change_note_t){CAT_CHANGE_UPDATE, w->id, former}, 1)
                  : APR_SUCCESS;
}

/* The row, locked, unless nothing has to be known of it. */
static apr_status_t read_stored(product_write_t *w)
{
    w->stored = NULL;
    return needs_extra(w) || changes_keys(w) || cat_change_notes_are_kept(w->db)
               ? cat_db_one(w->db, SQL_PRODUCT_KEYS, CAT_VALUES(w->n, w->id), &w->stored)
               : APR_SUCCESS;
}

/* *row: as this update left it. Where it is locked, that is what it was with what the update has set. */
static apr_status_t read_updated(const product_write_t *w, const update_extra_t *extra, const char *const **row)
{
    const char **updated;

    if (!w->stored) {
        return cat_db_one(w->db, SQL_PRODUCT_GET, CAT_VALUES(w->n, w->id), row);
    }
    updated = apr_pmemdup(w->db->pool, w->stored + STORED_ROW, CAT_PRODUCT_COLUMNS * sizeof(*updated));
    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        if (w->input->values[i] || w->input->cleared[i]) {
            updated[i] = w->input->values[i];
        }
    }
    if (extra->text || extra->is_cleared) {
        updated[CAT_PRODUCT_EXTRA] = extra->text;
    }
    *row = (const char *const *)updated;
    return APR_SUCCESS;
}

static apr_status_t update_product(void *baton)
{
    product_write_t *w = baton;
    const char *values[UPDATE_VALUES], *const *row;
    update_extra_t extra;
    int changed, has_keys;
    apr_status_t rv = judge_condition(w);

    rv = rv == APR_SUCCESS ? read_stored(w) : rv;
    rv = rv == APR_SUCCESS ? merge_extra(w, &extra) : rv;
    rv = rv == APR_SUCCESS
             ? cat_db_exec(w->db, SQL_PRODUCT_UPDATE, values, list_update_values(w, &extra, values), &changed)
             : rv;
    if (rv != APR_SUCCESS || !changed) {
        return rv == APR_SUCCESS ? APR_NOTFOUND : rv;
    }
    rv = read_updated(w, &extra, &row);
    w->product = rv == APR_SUCCESS ? read_record(w->db, row) : NULL;
    if (rv == APR_SUCCESS && extra.before && w->registry->has_keys) {
        rv = cat_own_keys_change(w->db, w->registry, extra.before, row);
    }
    if (rv == APR_SUCCESS && extra.images[0]) {
        rv = cat_product_images_drop(w->db, extra.images[0], extra.images[1]);
    }
    has_keys = changes_keys(w) || (extra.before && w->registry->has_words);
    rv = rv == APR_SUCCESS && has_keys ? update_keys(w, w->stored, row) : rv;
    return rv == APR_SUCCESS ? note_update(w, row) : rv;
}

apr_status_t cat_products_update_one(cat_db_t *db, const char *id, const cat_input_t *input,
                                     const cat_products_condition_t *condition, const char *const **product)
{
    product_write_t w = {.db = db,
                         .n = cat_id_number_text(db->pool, id),
                         .id = id,
                         .input = input,
                         .condition = condition,
                         .alone = update_product};
    apr_status_t rv = write_alone(&w);

    *product = w.product;
    return rv;
}

/* The row of SQL_PRODUCT_KEYS is locked, so no other writer changes the category that is counted, or the words. */
static apr_status_t delete_what_follows(const product_write_t *w)
{
    const char *const *stored = w->stored;
    apr_status_t rv =
        cat_product_keys_delete(w->db, cat_product_keys_words(w->db->pool, stored[CAT_PRODUCT_KEY_WORDS]), w->n);

    if (rv == APR_SUCCESS && w->registry->has_keys) {
        rv = cat_own_keys_delete(w->db, w->registry, w->n, w->id);
    }
    rv = rv == APR_SUCCESS ? cat_product_images_drop_all(w->db, w->id) : rv; /* even where CatalogImages is Off */
    return rv == APR_SUCCESS
               ? cat_counts_note(
                     w->db,
                     &(cat_counts_delta_t){"-1", stored[CAT_PRODUCT_KEY_CATEGORY] ? stored[STORED_CATEGORY] : NULL,
                                           "-1", take_away(stored[STORED_IN_STOCK])},
                     1)
               : rv;
}

static apr_status_t note_deletion(const product_write_t *w)
{
    const char *former;

    if (!cat_change_notes_are_kept(w->db)) {
        return APR_SUCCESS;
    }
    former = cat_change_notes_whole(w->db->pool, w->stored + STORED_ROW);
    return cat_change_notes_add(w->db, &(cat_change_note_t){CAT_CHANGE_DELETE, w->id, former}, 1);
}

static apr_status_t delete_product(void *baton)
{
    product_write_t *w = baton;
    int deleted;
    apr_status_t rv = judge_condition(w);

    rv = rv == APR_SUCCESS ? cat_db_one(w->db, SQL_PRODUCT_KEYS, CAT_VALUES(w->n, w->id), &w->stored) : rv;
    rv = rv == APR_SUCCESS ? delete_what_follows(w) : rv;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_db_exec(w->db, SQL_PRODUCT_DELETE, CAT_VALUES(w->n, w->id), &deleted);
    rv = rv == APR_SUCCESS && !deleted ? APR_NOTFOUND : rv;
    return rv == APR_SUCCESS ? note_deletion(w) : rv;
}

apr_status_t cat_products_delete_one(cat_db_t *db, const char *id, const cat_products_condition_t *condition)
{
    product_write_t w = {
        .db = db, .n = cat_id_number_text(db->pool, id), .id = id, .condition = condition, .alone = delete_product};

    return write_alone(&w);
}

/* ---- several writes in one transaction ---- */

apr_status_t cat_products_transact(cat_db_t *db, const apr_array_header_t *changed, int writes, cat_work_t *work,
                                   void *baton)
{
    const cat_registry_t *registry; /* what has to be added to it is no part of the transaction */
    apr_status_t rv = cat_registry_begin_writing(db, &registry);
    cat_noted_work_t noted = {db, work, baton};

    cat_db_touch_many(db, changed);
    rv = rv == APR_SUCCESS ? cat_db_transact_many(db, writes, cat_change_notes_run, &noted) : rv;
    if (rv == APR_SUCCESS) {
        cat_change_notes_keep(db);
    }
    return rv;
}

apr_status_t cat_products_give_default(cat_db_t *db, const apr_array_header_t *changed, cat_work_t *work, void *baton)
{
    cat_db_touch_many(db, changed);
    return cat_db_transact(db, work, baton);
}

apr_status_t cat_products_lock(cat_db_t *db, const char *id, const char *const **product)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_PRODUCT_LOCK, CAT_PRODUCT_IS(db->pool, id), &row);

    *product = rv == APR_SUCCESS ? read_record(db, row) : NULL;
    return rv;
}

/* A change that cannot be made, which the write itself refuses, leaves them as they are. */
static void change_images(apr_pool_t *pool, const char *before, const char *change, const char **merged)
{
    const char *after;

    if (cat_product_images_apply(pool, before, change, &after) == APR_SUCCESS) {
        *merged = after;
    }
}

const char *const *cat_products_merge(apr_pool_t *pool, const char *const *product, const cat_input_t *input)
{
    const char **merged = apr_pmemdup(pool, product, (apr_size_t)input->count * sizeof(*merged));

    for (int i = 0; i < input->count; i++) {
        if (input->values[i] && input->fields[i].flags & CAT_IMAGES) {
            change_images(pool, product[i], input->values[i], &merged[i]);
        } else if (input->values[i] || input->cleared[i]) {
            merged[i] = input->values[i];
        }
    }
    return merged;
}

int cat_products_changes(const cat_input_t *input, const char *const *product)
{
    for (int i = 0; i < input->count; i++) {
        const char *value = input->values[i], *stored = product ? product[i] : NULL;
        if (input->fields[i].flags & CAT_IMAGES) {
            continue;
        }
        if (input->cleared[i] ? stored != NULL : value && !(stored && !strcmp(value, stored))) {
            return 1;
        }
    }
    return 0;
}

static apr_status_t pass_row(void *, const char *const *, int)
{
    return APR_SUCCESS;
}

apr_status_t cat_products_lock_many(cat_db_t *db, apr_array_header_t *ids)
{
    if (cat_db_has_one_writer(db)) {
        return APR_SUCCESS;
    }
    qsort(ids->elts, (size_t)ids->nelts, sizeof(const char *), cat_text_compare);
    return cat_db_each_list(db, SQL_PRODUCT_LOCK_100, cat_id_numbers(db->pool, ids), pass_row, NULL);
}

static apr_status_t find_taken(cat_db_t *db, const char **const *products, int count, apr_array_header_t *taken)
{
    apr_array_header_t *ids = apr_array_make(db->pool, count, sizeof(const char *));

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(ids, const char *) = products[i][CAT_PRODUCT_ID];
    }
    apr_array_clear(taken);
    return cat_db_each_list(db, SQL_PRODUCT_NUMBERS_100, cat_id_numbers(db->pool, ids), cat_db_add_texts, taken);
}

static void redraw_taken(cat_db_t *db, const char **product, const apr_array_header_t *taken)
{
    const char *n = cat_id_number_text(db->pool, product[CAT_PRODUCT_ID]);

    for (int i = 0; i < taken->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(taken, i, const char *), n)) {
            product[CAT_PRODUCT_ID] = cat_id_redraw(db->pool, product[CAT_PRODUCT_ID]);
            return;
        }
    }
}

apr_status_t cat_products_free_numbers(cat_db_t *db, const char **const *products, int count)
{
    apr_array_header_t *taken = apr_array_make(db->pool, 4, sizeof(const char *));
    apr_status_t rv = find_taken(db, products, count, taken);

    for (int draws = 0; rv == APR_SUCCESS && taken->nelts; draws++) {
        if (draws == CAT_PRODUCTS_DRAWS) {
            return CAT_EBUSY;
        }
        for (int i = 0; i < count; i++) {
            redraw_taken(db, products[i], taken);
        }
        rv = find_taken(db, products, count, taken);
    }
    return rv;
}

/* Another transaction has taken the number of a product since cat_products_free_numbers. */
static apr_status_t repeat_if_taken(const cat_db_t *db, apr_status_t rv)
{
    return rv == APR_EEXIST && !db->taken ? CAT_ECONFLICT : rv;
}

apr_status_t cat_products_insert_within(cat_db_t *db, const char *const *product)
{
    return repeat_if_taken(db, insert_product(db, write_row(db, product)));
}

apr_status_t cat_products_insert_row_within(cat_db_t *db, const char *const *row)
{
    return insert_product(db, row);
}

apr_status_t cat_products_insert_many_within(cat_db_t *db, const char *const *const *products, int count,
                                             const cat_product_postings_t *postings)
{
    const char *const **rows = apr_palloc(db->pool, (apr_size_t)count * sizeof(*rows));
    insertion_t in;
    apr_status_t rv;

    for (int i = 0; i < count; i++) {
        rows[i] = write_row(db, products[i]);
    }
    rv = prepare_with_postings(&in, db, rows, count, postings);
    rv = rv == APR_SUCCESS ? repeat_if_taken(db, insert_rows(&in)) : rv;
    rv = rv == APR_SUCCESS ? note_creations(&in) : rv;
    return rv == APR_SUCCESS ? cat_counts_note(db, in.deltas, count) : rv;
}

apr_status_t cat_products_update_within(cat_db_t *db, const char *id, const cat_input_t *input,
                                        const char *const **product)
{
    product_write_t w = {.db = db, .n = cat_id_number_text(db->pool, id), .id = id, .input = input};
    apr_status_t rv = cat_registry_get(db, &w.registry);

    rv = rv == APR_SUCCESS ? update_product(&w) : rv;
    *product = w.product;
    return rv;
}

apr_status_t cat_products_delete_within(cat_db_t *db, const char *id)
{
    product_write_t w = {.db = db, .n = cat_id_number_text(db->pool, id), .id = id};
    apr_status_t rv = cat_registry_get(db, &w.registry);

    return rv == APR_SUCCESS ? delete_product(&w) : rv;
}

/* The number of a field whose value is set, if no two products of the database may have the same; NULL: they may. A line without
 * `unique` does not take that away from a field that has it. */
static const char *find_unique(const cat_registry_t *registry, const cat_input_t *input, int field)
{
    int known = cat_registry_find(registry, input->fields[field].name);

    return input->values[field] && known < registry->fields->count && registry->fields->all[known].flags & CAT_UNIQUE
               ? registry->numbers[known]
               : NULL;
}

static void add_taken(apr_pool_t *pool, cat_input_t *input, int field)
{
    cat_fields_add_error(pool, input, input->fields[field].name, "taken", "is already taken by another product");
}

apr_status_t cat_products_note_refused(cat_db_t *db, cat_input_t *input, const apr_array_header_t *refused)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get(db, &registry);

    for (int i = CAT_PRODUCT_FIELDS; i < input->count && rv == APR_SUCCESS; i++) {
        const char *number = find_unique(registry, input, i);
        for (int k = 0; number && k < refused->nelts; k++) {
            if (!strcmp(number, APR_ARRAY_IDX(refused, k, cat_waiting_value_t).number)) {
                add_taken(db->pool, input, i);
                break;
            }
        }
    }
    return rv;
}

/* The field of the refusal is known already: what had its value may be gone, if it was of the same transaction. */
apr_status_t cat_products_note_taken(cat_db_t *db, cat_input_t *input, const char *id, const char *taken)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get(db, &registry);

    for (int i = CAT_PRODUCT_FIELDS; i < input->count && rv == APR_SUCCESS; i++) {
        const char *number = find_unique(registry, input, i);
        int is_taken = number && taken && !strcmp(number, taken);
        if (number && !is_taken) {
            rv = cat_own_keys_find_other(db, number, input->values[i], id, &is_taken);
        }
        if (is_taken) {
            add_taken(db->pool, input, i);
        }
    }
    return rv;
}

const char *cat_products_name_taken(cat_db_t *db)
{
    const cat_registry_t *registry;
    int field;

    if (!db->taken || cat_registry_get(db, &registry) != APR_SUCCESS) {
        return "";
    }
    field = cat_registry_find_number(registry, db->taken);
    return field < registry->fields->count ? registry->fields->all[field].name : "";
}
