/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in the keys of fields whose line of CatalogField was added when there were products already, and gives these products the line's
 * default. The definition of a field contains the default until all products have it. So the default is that of the first server with the line,
 * and a product whose field is cleared later does not get the default again. Until all products have it, nobody can clear the field (CAT_EFILLING).
 *
 * It goes from the newest product to the oldest, some in each transaction, and notes in catalog_fields how far it has come: a server that
 * ends, or another one, goes on from there. Of a field that becomes a facet every server must know first that it is one, and then that its
 * values are counted, unless it is new (catalogue/product/value_counts.c).
 *
 *     newest ---- has the keys ----> noted | ---- still to be filled in ----> oldest: complete = 1
 *
 * Products that are written meanwhile get the keys from their writers. So it begins only when no transaction is left whose writer may not
 * know of the field: each child learns of it within a second, a transaction that takes longer looks again before it commits
 * (catalogue/product/registry.c), and those that have not ended after the DELAY are waited for (docs/decisions/0077). A writer
 * that does not know of the field leaves its keys behind when it deletes a product to which another writer has given some: these are removed
 * on the way.
 *
 * Conditions and orders that need a field are refused until it is complete (api/indexing.c).
 */
#include "catalogue/search/key_filler.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/counts.h"
#include "catalogue/product/portion.h"
#include "catalogue/product/products.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/indexes.h"
#include "catalogue/search/key_check.h"
#include "catalogue/search/search.h"
#include "lib/json.h"
#include "lib/number.h"

/* Products of one transaction, unless words are derived of them, too. On SQLite all writers wait for its end, some 20 ms. */
#define PORTION 400

#define JOB_TIME apr_time_from_msec(500)

/* A child uses what it knows for a second, then waits for its turn and a connection for three, and commits. */
#define DELAY apr_time_from_sec(5)

/* When the log says that older transactions are in the way; and how often it says what is. */
#define PATIENCE apr_time_from_sec(60)
#define NOTICE_INTERVAL apr_time_from_sec(3600)

/* ---- how far it has come ---- */

enum { NUMBER, N, FILLED, TOTAL, DEFINITION };

typedef struct state_t {
    apr_pool_t *pool;
    const char *number; /* of the field that has come least far; NULL: all are complete */
    const char *definition;
    apr_int64_t from; /* products from this number on have its keys */
    int percent;
    const apr_array_header_t *except; /* const char *: the numbers of fields that cannot be filled in now; NULL: none */
} state_t;

static int is_except(const state_t *s, const char *number)
{
    for (int i = 0; s->except && i < s->except->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(s->except, i, const char *), number)) {
            return 1;
        }
    }
    return 0;
}

static apr_status_t keep_state(void *baton, const char *const *values, int)
{
    state_t *s = baton;
    apr_int64_t total = apr_atoi64(values[TOTAL]), percent = total > 0 ? apr_atoi64(values[FILLED]) * 100 / total : 0;

    if (!is_except(s, values[NUMBER]) && (!s->number || apr_atoi64(values[N]) > s->from)) {
        s->number = apr_pstrdup(s->pool, values[NUMBER]);
        s->definition = apr_pstrdup(s->pool, values[DEFINITION]);
        s->from = apr_atoi64(values[N]);
        s->percent = percent > 99 ? 99 : (int)percent;
    }
    return APR_SUCCESS;
}

static apr_status_t read_state(apr_pool_t *pool, cat_db_t *db, const apr_array_header_t *except, state_t *s)
{
    *s = (state_t){.pool = pool, .percent = 100, .except = except};
    return cat_db_each(db, SQL_FIELDS_STATE, CAT_NO_VALUES, keep_state, s);
}

apr_status_t cat_key_filler_percent(cat_db_t *db, int *percent)
{
    state_t s;
    apr_status_t rv = read_state(db->pool, db, NULL, &s);

    *percent = s.percent;
    return rv;
}

/* ---- what lists may read ---- */

/* What is read of the fields here says below whose words a product has, too (catalogue/search/select_text.h). */
static apr_status_t check_keys(cat_db_t *db, const cat_list_query_t *query, cat_indexes_state_t *state)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get_filled(db, &registry);

    state->is_keying = rv == APR_SUCCESS && !cat_conditions_are_filled(registry, query);
    return rv == APR_SUCCESS && state->is_keying && !state->filling ? cat_key_filler_percent(db, &state->percent) : rv;
}

apr_status_t cat_key_filler_check(cat_db_t *db, const cat_list_query_t *query, cat_indexes_state_t *state)
{
    apr_status_t rv = APR_SUCCESS;

    *state = (cat_indexes_state_t){0};
    if (query->parts) {
        rv = cat_indexes_check(db, query->parts, state);
    }
    return rv == APR_SUCCESS && (query->word_count || !cat_field_set_is_empty(&query->keyed))
               ? check_keys(db, query, state)
               : rv;
}

/* ---- one portion ---- */

typedef struct filling_t {
    apr_pool_t *pool;
    cat_db_t *db;
    const cat_registry_t *registry;
    int field; /* of the registry */
    const state_t *state;
    cat_portion_t portion;
    apr_array_header_t *changed; /* const char *: the ids of products that get the default */
    const char *equal[2]; /* the ids of two products with the same value in a unique field; NULL if there are none */
} filling_t;

/* Finds the field in the registry, which may be a second old; the field may have got options since. 0: it is another one. */
static int find_known(filling_t *f)
{
    const cat_fields_t *fields = f->registry->fields;

    f->field = cat_registry_find_number(f->registry, f->state->number);
    return f->field < fields->count &&
           !strcmp(fields->own[f->field]->line,
                   apr_pstrcat(f->pool, fields->all[f->field].name, " ", f->state->definition, NULL));
}

static apr_status_t fill_rows(void *baton)
{
    filling_t *f = baton;
    apr_array_header_t *rows = cat_own_keys_begin(f->pool);
    apr_status_t rv = cat_key_check_fill(f->db, f->registry, f->field, f->state->from, &f->portion, rows);

    return rv == APR_SUCCESS ? cat_own_keys_insert(f->db, rows) : rv;
}

/* Records the product of the row and the owner of its value in f->equal, unless the owner has given the value up meanwhile. */
static apr_status_t record_equal(filling_t *f, const char *const *row)
{
    const char *text = cat_product_read(f->pool, f->registry->fields, row)[f->field];
    apr_status_t rv = cat_own_keys_find(f->db, f->state->number, text, &f->equal[1]);

    f->equal[0] = rv == APR_SUCCESS ? row[CAT_PRODUCT_ID] : NULL;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* So that it is known of each value which of the products that have it is to keep it. */
static apr_status_t claim_rows(filling_t *f)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < f->portion.rows->nelts && rv == APR_SUCCESS; i++) {
        const char *const *row = CAT_PORTION_ROW(&f->portion, i);
        rv = cat_own_keys_claim(f->db, f->registry, f->field, row);
        if (rv == APR_EEXIST) {
            rv = f->equal[0] ? APR_SUCCESS : record_equal(f, row);
        }
    }
    return rv;
}

static apr_status_t advance(const filling_t *f)
{
    const char *definition =
        f->portion.is_last ? cat_registry_define_filled(f->pool, f->registry, f->field) : f->state->definition;

    return cat_db_exec(f->db, SQL_FIELDS_ADVANCE,
                       CAT_VALUES(f->portion.is_last ? "1" : "0", definition, cat_number_write(f->pool, f->portion.end),
                                  apr_itoa(f->pool, f->portion.rows->nelts), f->state->number,
                                  cat_number_write(f->pool, f->state->from), f->state->definition),
                       NULL);
}

/* Gives the default of a new field to the products that lack the field. Skips a product whose row would be too long with it. */
static apr_status_t add_default(const filling_t *f)
{
    const cat_field_t *field = &f->registry->fields->all[f->field];
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; field->absent && i < f->portion.rows->nelts && rv == APR_SUCCESS; i++) {
        const char **row = (const char **)CAT_PORTION_ROW(&f->portion, i), *extra = row[CAT_PRODUCT_EXTRA];
        cat_json_member_t m;
        if (extra && cat_json_find_member(extra, field->name, &m)) {
            continue;
        }
        extra = cat_product_add_member(f->pool, extra, field, field->absent);
        if (strlen(extra) <= CAT_PRODUCT_EXTRA_MAX) {
            row[CAT_PRODUCT_EXTRA] = extra;
            APR_ARRAY_PUSH(f->changed, const char *) = row[CAT_PRODUCT_ID];
            rv = cat_db_exec(f->db, SQL_EXTRA_SET,
                             CAT_VALUES(extra, cat_id_number_text(f->pool, row[CAT_PRODUCT_ID]), row[CAT_PRODUCT_ID]),
                             NULL);
        }
    }
    return rv;
}

/* As a writer, it goes by what the transaction reads of the fields. Words are derived of products as a whole. */
static apr_status_t fill_portion(void *baton)
{
    filling_t *f = baton;
    apr_status_t rv = cat_registry_get(f->db, &f->registry);
    int is_searched;

    apr_array_clear(f->changed);

    if (rv != APR_SUCCESS || !find_known(f)) {
        return rv;
    }
    is_searched = f->registry->fields->all[f->field].flags & CAT_SEARCHED;
    rv = cat_portion_read(f->db, SQL_INDEX_ROWS, f->state->from, is_searched ? CAT_INDEXES_PORTION : PORTION,
                          &f->portion);
    rv = rv == APR_SUCCESS ? add_default(f) : rv;
    rv = rv == APR_SUCCESS && is_searched ? cat_indexes_mend(f->db, f->registry, &f->portion) : rv;
    rv = rv == APR_SUCCESS ? cat_db_attempt(f->db, fill_rows, f) : rv;
    if (rv == APR_EEXIST) {
        return claim_rows(f);
    }
    return rv == APR_SUCCESS ? advance(f) : rv;
}

/* Has every server known for a while that the values of the field are counted? */
static int is_counted(const filling_t *f)
{
    return f->registry->is_counted[f->field] || !(f->registry->fields->all[f->field].flags & CAT_FACET);
}

/* From now on writers count what they write of the fields that nobody counts yet. */
static apr_status_t begin_counting(const filling_t *f)
{
    const cat_registry_t *registry = f->registry;
    apr_status_t rv = APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count && rv == APR_SUCCESS; i++) {
        if (registry->fields->all[i].flags & CAT_FACET && !registry->is_counted[i]) {
            rv = cat_db_exec(f->db, SQL_FIELDS_COUNT, CAT_VALUES(registry->numbers[i]), NULL);
        }
    }
    return rv;
}

/* ---- equal values, for catalogctl ---- */

static const char *write_value(const filling_t *f, const char *text)
{
    cat_buffer_t b;

    cat_buffer_init(&b, f->pool, 64);
    cat_fields_write_value(&b, &f->registry->fields->all[f->field], text);
    return cat_buffer_text(&b);
}

/* Compares the values of up to CAT_OWN_KEYS_FOUND rows from `first` on with their owners. Adds each product whose value another product owns. */
static apr_status_t compare_owners(const filling_t *f, int first, apr_array_header_t *found)
{
    const char *texts[CAT_OWN_KEYS_FOUND] = {NULL}, *owners[CAT_OWN_KEYS_FOUND];
    int left = f->portion.rows->nelts - first, count = left < CAT_OWN_KEYS_FOUND ? left : CAT_OWN_KEYS_FOUND;
    apr_status_t rv;

    for (int i = 0; i < count; i++) {
        texts[i] = cat_product_read(f->pool, f->registry->fields, CAT_PORTION_ROW(&f->portion, first + i))[f->field];
    }
    rv = cat_own_keys_find_many(f->db, f->registry->numbers[f->field], texts, count, owners);
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        const char *id = CAT_PORTION_ROW(&f->portion, first + i)[CAT_PRODUCT_ID];
        if (owners[i] && strcmp(owners[i], id) != 0) {
            APR_ARRAY_PUSH(found, cat_equal_values_t) = (cat_equal_values_t){
                f->registry->fields->all[f->field].name, write_value(f, texts[i]), {id, owners[i]}};
        }
    }
    return rv;
}

/* Finds the equal values among the products that the job completes next. All these values have owners, because claim_rows has stored them. */
static apr_status_t find_equal_values(cat_db_t *db, const cat_registry_t *registry, const state_t *s,
                                      apr_array_header_t *found)
{
    filling_t f = {.pool = db->pool, .db = db, .registry = registry, .state = s};
    apr_status_t rv = APR_SUCCESS;

    if (find_known(&f) && registry->fields->all[f.field].flags & CAT_UNIQUE) {
        rv = cat_portion_read(db, SQL_INDEX_READ, s->from, PORTION, &f.portion);
        for (int i = 0; rv == APR_SUCCESS && i < f.portion.rows->nelts; i += CAT_OWN_KEYS_FOUND) {
            rv = compare_owners(&f, i, found);
        }
    }
    return rv;
}

apr_status_t cat_key_filler_find_equal(cat_db_t *db, apr_array_header_t *found)
{
    apr_array_header_t *seen = apr_array_make(db->pool, 4, sizeof(const char *));
    const cat_registry_t *registry;
    state_t s;
    apr_status_t rv = cat_registry_get(db, &registry);

    rv = rv == APR_SUCCESS ? read_state(db->pool, db, seen, &s) : rv;
    while (rv == APR_SUCCESS && s.number) {
        rv = find_equal_values(db, registry, &s, found);
        APR_ARRAY_PUSH(seen, const char *) = s.number;
        rv = rv == APR_SUCCESS ? read_state(db->pool, db, seen, &s) : rv;
    }
    return rv;
}

/* ---- transactions that may not know of the field ---- */

typedef struct writers_t {
    cat_db_t *db;
    apr_int64_t oldest, own;
} writers_t;

/* Where one waits for them, up to the row that is inserted here. */
static apr_status_t find_writers(void *baton)
{
    writers_t *w = baton;
    const char *const *row;
    apr_status_t rv = cat_counts_note(w->db, &(cat_counts_delta_t){"0", NULL, NULL, "0"}, 1);

    rv = rv == APR_SUCCESS ? cat_db_one(w->db, SQL_WRITERS, CAT_NO_VALUES, &row) : rv;
    if (rv == APR_SUCCESS) {
        w->oldest = apr_atoi64(row[0]);
        w->own = apr_atoi64(row[1]);
    }
    return rv;
}

/* Have all transactions ended that had written before the first look, after the DELAY? What is noted in `older` is the one that looked
 * then, plus one; -1: they have. Of writers that take turns none is left. */
static apr_status_t look_for_writers(const filling_t *f, int *are_gone)
{
    _Atomic apr_int64_t *older = f->registry->older;
    writers_t w = {.db = f->db};
    apr_status_t rv;

    *are_gone = atomic_load(older) < 0 || cat_db_has_one_writer(f->db);
    if (*are_gone) {
        return APR_SUCCESS;
    }
    rv = cat_db_transact(f->db, find_writers, &w);
    if (rv != APR_SUCCESS) {
        return rv == CAT_EBUSY ? APR_SUCCESS : rv;
    }
    if (!atomic_load(older)) {
        atomic_store(older, w.own + 1);
    }
    *are_gone = w.oldest >= atomic_load(older) - 1;
    if (*are_gone) {
        atomic_store(older, -1);
    }
    return APR_SUCCESS;
}

/* ---- what the log says ---- */

static int is_time_for_notice(cat_job_t *job)
{
    apr_time_t now = apr_time_now();

    if (now >= *job->last && now - *job->last < NOTICE_INTERVAL) {
        return 0;
    }
    *job->last = now;
    return 1;
}

static void notice_writers(cat_job_t *job, const filling_t *f)
{
    if (apr_time_now() - f->registry->made > PATIENCE && is_time_for_notice(job)) {
        cat_log(job->log, CAT_LOG_WARNING, 0,
                "CAT094: %s: a transaction that has been open for at least a minute has to end before the keys of the "
                "field %s are filled in",
                cat_db_name(job->db), f->registry->fields->all[f->field].name);
    }
}

static void notice_order(cat_job_t *job, const char *overruled)
{
    if (overruled && is_time_for_notice(job)) {
        cat_log(job->log, CAT_LOG_WARNING, 0,
                "CAT095: %s: the values of the field %s have the order that another server of the database, or another "
                "mount, gives them; write the same line on all of them",
                cat_db_name(job->db), overruled);
    }
}

static void notice_equal(cat_job_t *job, const filling_t *f)
{
    if (f->equal[0] && is_time_for_notice(job)) {
        cat_log(job->log, CAT_LOG_ERROR, 0,
                "CAT089: %s: the products %s and %s have the same value in the unique field %s; give %s another "
                "value; catalogctl check shows the value",
                cat_db_name(job->db), f->equal[0], f->equal[1], f->registry->fields->all[f->field].name, f->equal[0]);
    }
}

/* ---- what readers see ---- */

static apr_status_t count_row(void *baton, const char *const *, int)
{
    ++*(apr_int64_t *)baton;
    return APR_SUCCESS;
}

apr_status_t cat_key_filler_count_visible(cat_db_t *db, const cat_conf_t *readers, cat_count_t count,
                                          apr_int64_t *visible)
{
    cat_db_t *seen = cat_db_another(db, db->pool);
    apr_int64_t rows = 0;
    const cat_search_rows_t each = {NULL, count_row, &rows};
    cat_indexes_state_t state;
    cat_list_query_t query;
    cat_search_end_t end;
    apr_status_t rv;

    *visible = -1;
    if (!readers->visible) {
        return APR_SUCCESS;
    }
    seen->conf = readers;
    cat_query_parse_all(db->pool, readers, 0, NULL, NULL, &query);
    query.limit = 1;
    query.count = count;
    rv = cat_key_filler_check(seen, &query, &state);
    if (rv == APR_SUCCESS && !state.filling && !state.is_keying && !state.absent) {
        rv = cat_search_read(seen, &query, &each, &end);
        *visible = rv != APR_SUCCESS ? -1 : count == CAT_COUNT_EXACT ? end.total : rows;
    }
    cat_db_release(seen);
    return rv == CAT_ESLOW ? APR_SUCCESS : rv;
}

/* Warns if there are products but readers see none. Called when all keys are filled in, so it warns soon after a start, and then every hour. */
static apr_status_t notice_empty_shop(cat_job_t *job, cat_db_t *db)
{
    apr_int64_t visible = -1;
    const char *const *row;
    apr_status_t rv = APR_NOTFOUND;

    if (job->conf->readers && job->conf->readers->visible && is_time_for_notice(job)) {
        rv = cat_db_one(db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(CAT_LIST_KEY_NEWEST, "1"), &row);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_key_filler_count_visible(db, job->conf->readers, CAT_COUNT_NONE, &visible);
    }
    if (rv == APR_SUCCESS && visible == 0) {
        cat_log(job->log, CAT_LOG_WARNING, 0,
                "CAT072: %s: no product meets CatalogVisible %s, so readers see an empty shop; change products, or "
                "the conditions",
                cat_db_name(db), job->conf->visible_text);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* *is_due: is it time to fill in the keys of the field that has come least far? */
static apr_status_t find_field(cat_job_t *job, filling_t *f, int *is_due)
{
    apr_status_t rv;

    *is_due = 0;
    if (!find_known(f) || apr_time_now() - f->registry->made < DELAY) {
        return APR_SUCCESS;
    }
    rv = look_for_writers(f, is_due);
    if (rv == APR_SUCCESS && !*is_due) {
        notice_writers(job, f);
    }
    if (rv == APR_SUCCESS && *is_due && !is_counted(f)) {
        *is_due = 0;
        rv = begin_counting(f);
    }
    return rv;
}

static apr_status_t prepare(filling_t *f, const apr_array_header_t *except, state_t *s, const char **overruled)
{
    apr_status_t rv = cat_registry_get(f->db, &f->registry);

    rv = rv == APR_SUCCESS ? cat_registry_reorder(f->db, f->registry, overruled) : rv;
    f->state = s;
    return rv == APR_SUCCESS ? read_state(f->pool, f->db, except, s) : rv;
}

/* *more: whether there was something to do. except: gets the number of a field that has a value twice; the others are filled in. */
static apr_status_t fill_next(cat_job_t *job, apr_pool_t *pool, apr_array_header_t *except, int *more)
{
    filling_t f = {.pool = pool, .db = cat_db_make(pool, job->conf, job->source, job->log)};
    const char *overruled = NULL;
    state_t s;
    apr_status_t rv = prepare(&f, except, &s, &overruled);

    *more = 0;
    rv = rv == APR_SUCCESS && s.number ? find_field(job, &f, more) : rv;
    if (rv != APR_SUCCESS || !*more) {
        notice_order(job, overruled); /* if nothing that is worse has been said */
        return rv == APR_SUCCESS && !s.number ? notice_empty_shop(job, f.db) : rv;
    }
    f.changed = apr_array_make(pool, PORTION, sizeof(const char *));
    rv = cat_products_give_default(f.db, f.changed, fill_portion, &f);
    notice_equal(job, &f);
    if (f.equal[0]) {
        APR_ARRAY_PUSH(except, const char *) = apr_pstrdup(except->pool, s.number);
        return APR_SUCCESS;
    }
    return rv;
}

cat_job_result_t cat_key_filler_run(cat_job_t *job)
{
    apr_time_t end = apr_time_now() + JOB_TIME;
    apr_array_header_t *except = apr_array_make(job->pool, 4, sizeof(const char *));
    apr_pool_t *pool;
    apr_status_t rv;
    int more, has_filled = 0;

    apr_pool_create(&pool, job->pool);
    do {
        rv = fill_next(job, pool, except, &more);
        apr_pool_clear(pool);
        has_filled |= more;
    } while (rv == APR_SUCCESS && more && apr_time_now() < end && !cat_job_must_stop(job));
    if (has_filled) {
        cat_db_note_growth(cat_db_make(pool, job->conf, job->source, job->log));
    }
    apr_pool_destroy(pool);
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
