/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps account of which parts of the index are complete, and fills in those that are not.
 *
 * A part is what is derived of one field, or the words: `price`, `name`, `search`. The table product_indexes has a row for
 * each part whose database indexes are built. A list that needs a part which is not complete is refused with 503, because a
 * product without the derived column would be missing from it.
 *
 * The job fills the parts from the newest product to the oldest, some products in each transaction, and notes after each
 * portion how far it has come. Products that are written meanwhile get the parts anyway, so whatever is newer than the
 * noted key is complete:
 *
 *     newest ---- has the part ----> from | ---- still to be filled ----> oldest: complete = 1
 *
 * The row of RULES is that of no part: the job has gone through all products with the rules of this version for folding and words. Where it is
 * missing, another version has derived what products have. The job mends that in the same way, but readers use the parts meanwhile; keys of
 * the shop's own fields are filled in anew, which readers have to wait for, because a wrong key hides what equals a value.
 *
 * When a mount no longer keeps a part, the job forgets it, so that it is filled from the start if it is wanted again. Each child writes and
 * forgets the parts of its own configuration, so no children of the former one may be left when CatalogIndex changes: docs/indexes.md has
 * the servers restarted, but not gracefully.
 */
#include "catalogue/search/indexes.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/counts.h"
#include "catalogue/product/dictionary.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/portion.h"
#include "catalogue/product/product.h"
#include "db/db.h"
#include "lib/id.h"
#include "lib/number.h"
#include "lib/words.h"

/* How long the job works at a time. The other jobs of its thread wait meanwhile, and the writers get the rest. */
#define JOB_TIME apr_time_from_msec(500)

/* How long a child takes complete parts to be so; less than CAT_INDEXES_DELAY. */
#define STATE_AGE apr_time_from_sec(1)

/* How often the log says that parts have no indexes. */
#define NOTICE_INTERVAL apr_time_from_sec(3600)

/* ---- the state of the parts ---- */

#define RULES CAT_INDEX_PARTS
#define ROWS (RULES + 1)

static const char *name_of(int part)
{
    return part == RULES ? "rules " CAT_WORDS_VERSION : cat_product_keys_parts[part];
}

enum { STATE_PART, STATE_COMPLETE, STATE_N, STATE_FILLED, STATE_TOTAL };

/* A row of product_indexes. */
typedef struct part_state_t {
    int is_built; /* flag: there is a row */
    int complete;
    apr_int64_t from; /* products from this number on have the part */
    apr_int64_t filled;
} part_state_t;

typedef struct states_t {
    part_state_t parts[ROWS];
    apr_int64_t total; /* products */
} states_t;

/* A row that this program does not know is another version's. */
static apr_status_t keep_state(void *baton, const char *const *values, int)
{
    states_t *s = baton;
    int part = 0;

    s->total = apr_atoi64(values[STATE_TOTAL]);
    while (part < ROWS && strcmp(values[STATE_PART], name_of(part)) != 0) {
        part++;
    }
    if (part < ROWS) {
        s->parts[part] = (part_state_t){1, atoi(values[STATE_COMPLETE]), apr_atoi64(values[STATE_N]),
                                        apr_atoi64(values[STATE_FILLED])};
    }
    return APR_SUCCESS;
}

static apr_status_t read_states(cat_db_t *db, states_t *s)
{
    *s = (states_t){.total = 0};
    for (int i = 0; i < ROWS; i++) {
        s->parts[i].from = CAT_LIST_KEY_MAX;
    }
    return cat_db_each(db, SQL_INDEX_STATE, CAT_NO_VALUES, keep_state, s);
}

static int list_complete(const states_t *s)
{
    int complete = 0;

    for (int i = 0; i < CAT_INDEX_PARTS; i++) {
        complete |= s->parts[i].complete ? 1 << i : 0;
    }
    return complete;
}

static int list_built(const states_t *s)
{
    int built = 0;

    for (int i = 0; i < CAT_INDEX_PARTS; i++) {
        built |= s->parts[i].is_built ? 1 << i : 0;
    }
    return built;
}

/* Reports the part with the least progress. */
static int count_percent(const states_t *s, int parts)
{
    int percent = 99;

    for (int i = 0; i < CAT_INDEX_PARTS; i++) {
        apr_int64_t own = s->total > 0 ? s->parts[i].filled * 100 / s->total : 0;
        if (parts & 1 << i && own < percent) {
            percent = (int)own;
        }
    }
    return percent;
}

apr_status_t cat_indexes_check(cat_db_t *db, int parts, cat_indexes_state_t *state)
{
    int kept = cat_product_keys_kept(db);
    states_t s;
    apr_status_t rv;

    *state = (cat_indexes_state_t){.absent = parts & ~kept};
    parts &= kept;
    if (!(parts & ~cat_db_complete_parts(db, apr_time_now() - STATE_AGE))) {
        return APR_SUCCESS;
    }
    rv = read_states(db, &s);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_db_note_complete_parts(db, list_complete(&s));
    state->filling = parts & ~list_complete(&s);
    state->unbuilt = parts & ~list_built(&s);
    state->percent = count_percent(&s, state->filling);
    return APR_SUCCESS;
}

/* ---- one portion ---- */

typedef struct portion_t {
    apr_pool_t *pool;
    cat_db_t *db;
    cat_indexes_position_t from;
    const cat_registry_t *registry;
    cat_portion_t products;
    cat_product_postings_t postings;
    apr_array_header_t *words; /* of all its products, as const char * */
    cat_indexes_portion_t found;
} portion_t;

static void begin_rows(portion_t *p)
{
    p->postings = cat_product_keys_begin(p->pool);
    p->words = apr_array_make(p->pool, 8 * CAT_INDEXES_PORTION, sizeof(const char *));
}

static apr_status_t read_rows(portion_t *p, cat_sql_t sql)
{
    apr_status_t rv;

    begin_rows(p);
    p->found = (cat_indexes_portion_t){.end = p->from};
    rv = cat_registry_get(p->db, &p->registry);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_portion_read(p->db, sql, p->from.n, CAT_INDEXES_PORTION, &p->products);
    p->found.rows = p->products.rows->nelts;
    p->found.end.n = p->products.end;
    p->found.is_last = p->products.is_last;
    return rv;
}

/* For the dictionary. */
static void note_words(portion_t *p, const char *text)
{
    const apr_array_header_t *words = cat_product_keys_words(p->pool, text);

    for (int i = 0; i < words->nelts; i++) {
        const cat_product_word_t *word = &APR_ARRAY_IDX(words, i, cat_product_word_t);
        if (!word->is_joined) {
            APR_ARRAY_PUSH(p->words, const char *) = word->text;
        }
    }
}

/* Returns whether something that is derived of the row is wrong; keys: what it should be. */
static int compare_row(portion_t *p, const char *const *row, const char **keys)
{
    cat_product_keys_make(p->pool, cat_product_keys_kept(p->db), p->registry, row, keys);
    note_words(p, keys[CAT_PRODUCT_KEY_WORDS]);
    if (cat_product_keys_match(row + CAT_PRODUCT_COLUMNS, keys)) {
        return 0;
    }
    p->found.wrong++;
    p->found.example = row[CAT_PRODUCT_ID];
    return 1;
}

/* Words that a row has none of yet are inserted together with those of other rows. */
static apr_status_t mend_words(portion_t *p, const char *const *row, const char *const *keys)
{
    const char *before = row[CAT_PRODUCT_COLUMNS + CAT_PRODUCT_KEY_WORDS], *after = keys[CAT_PRODUCT_KEY_WORDS];
    const char *n = cat_id_number_text(p->pool, row[CAT_PRODUCT_ID]);

    if (before) {
        return cat_product_keys_change(p->db, before, after, n);
    }
    cat_product_keys_add(&p->postings, cat_product_keys_words(p->pool, after), n);
    return APR_SUCCESS;
}

/* Where no triggers count: a row is in its category's count if it has a category_key. Of all products it is counted
 * already, so the second delta row takes back what the first one adds to them. */
static apr_status_t mend_count(const portion_t *p, const char *const *row, const char *const *keys)
{
    int was = row[CAT_PRODUCT_COLUMNS + CAT_PRODUCT_KEY_CATEGORY] != NULL, is = keys[CAT_PRODUCT_KEY_CATEGORY] != NULL;
    int has_stock = *row[CAT_PRODUCT_IN_STOCK] == '1';
    const cat_counts_delta_t deltas[] = {
        {"0", row[CAT_PRODUCT_CATEGORY], is ? "1" : "-1",
         !has_stock ? "0"
         : is       ? "1"
                    : "-1"},
        {"0", NULL, NULL, is ? "-1" : "1"},
    };

    return was == is ? APR_SUCCESS : cat_counts_note(p->db, deltas, has_stock ? 2 : 1);
}

static apr_status_t mend_row(portion_t *p, const char *const *row)
{
    const char *values[CAT_PRODUCT_KEYS + 2];
    apr_status_t rv;

    if (!compare_row(p, row, values)) {
        return APR_SUCCESS;
    }
    values[CAT_PRODUCT_KEYS] = cat_id_number_text(p->pool, row[CAT_PRODUCT_ID]);
    values[CAT_PRODUCT_KEYS + 1] = row[CAT_PRODUCT_ID];
    rv = cat_db_exec(p->db, SQL_PRODUCT_SET_KEYS, values, CAT_PRODUCT_KEYS + 2, NULL);
    rv = rv == APR_SUCCESS ? mend_words(p, row, values) : rv;
    return rv == APR_SUCCESS ? mend_count(p, row, values) : rv;
}

static apr_status_t mend_rows(portion_t *p)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < p->products.rows->nelts && rv == APR_SUCCESS; i++) {
        rv = mend_row(p, CAT_PORTION_ROW(&p->products, i));
    }
    rv = rv == APR_SUCCESS ? cat_product_keys_insert(p->db, &p->postings) : rv;
    return rv == APR_SUCCESS ? cat_dictionary_add(p->db, p->words) : rv;
}

apr_status_t cat_indexes_mend(cat_db_t *db, const cat_registry_t *registry, const cat_portion_t *products)
{
    portion_t p = {.pool = db->pool, .db = db, .registry = registry, .products = *products};

    begin_rows(&p);
    return mend_rows(&p);
}

static apr_status_t fill_portion(void *baton)
{
    portion_t *p = baton;
    apr_status_t rv = read_rows(p, SQL_INDEX_ROWS);

    return rv == APR_SUCCESS ? mend_rows(p) : rv;
}

static portion_t *make_portion(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from)
{
    portion_t *p = apr_pcalloc(pool, sizeof(*p));

    p->pool = pool;
    p->db = db;
    p->from = *from;
    return p;
}

/* Has the work, whose baton is the portion, done in a transaction. */
static apr_status_t transact_portion(portion_t *p, cat_work_t *work, cat_indexes_portion_t *portion)
{
    apr_status_t rv = cat_db_transact(p->db, work, p);

    *portion = p->found;
    return rv;
}

apr_status_t cat_indexes_fill(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                              cat_indexes_portion_t *portion)
{
    return transact_portion(make_portion(pool, db, from), fill_portion, portion);
}

apr_status_t cat_indexes_compare(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                                 cat_indexes_portion_t *portion)
{
    portion_t *p = make_portion(pool, db, from);
    apr_pool_t *before = cat_db_use_pool(db, pool);
    apr_status_t rv = read_rows(p, SQL_INDEX_READ);

    for (int i = 0; i < p->found.rows && rv == APR_SUCCESS; i++) {
        const char *keys[CAT_PRODUCT_KEYS];
        compare_row(p, CAT_PORTION_ROW(&p->products, i), keys);
    }
    rv = rv == APR_SUCCESS ? cat_dictionary_compare(db, p->words, &p->found.unknown) : rv;
    cat_db_use_pool(db, before);
    *portion = p->found;
    return rv;
}

static apr_status_t sweep_words(void *baton)
{
    portion_t *p = baton;
    const char *end = p->from.word;
    apr_status_t rv = cat_dictionary_sweep(p->db, &end);

    p->found = (cat_indexes_portion_t){.is_last = !end};
    apr_cpystrn(p->found.end.word, end ? end : "", sizeof(p->found.end.word));
    return rv;
}

apr_status_t cat_indexes_sweep(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                               cat_indexes_portion_t *portion)
{
    return transact_portion(make_portion(pool, db, from), sweep_words, portion);
}

/* ---- the job ---- */

static apr_status_t set_part(cat_db_t *db, int part, const char *complete)
{
    return cat_db_exec(db, SQL_INDEX_SET, CAT_VALUES(complete, CAT_LIST_KEY_NEWEST, "0", name_of(part)), NULL);
}

/* From now on products are written without the part, so it is filled from the start when it is wanted again. */
static apr_status_t forget_parts(cat_db_t *db, const states_t *s, int parts)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < CAT_INDEX_PARTS && rv == APR_SUCCESS; i++) {
        int is_begun = s->parts[i].complete || s->parts[i].from < CAT_LIST_KEY_MAX;
        if (parts & 1 << i && is_begun) {
            rv = set_part(db, i, "0");
        }
    }
    return rv;
}

typedef struct filling_t {
    portion_t *portion;
    const states_t *states;
    int parts; /* that are not complete */
} filling_t;

/* Another server may have begun to fill the part anew, or have filled this portion too: then its row stays. */
static apr_status_t advance_part(const filling_t *f, int part)
{
    const part_state_t *state = &f->states->parts[part];
    const cat_indexes_portion_t *found = &f->portion->found;

    if (!found->is_last && state->from <= found->end.n) {
        return APR_SUCCESS; /* it was filled further before */
    }
    return cat_db_exec(f->portion->db, SQL_INDEX_ADVANCE,
                       CAT_VALUES(found->is_last ? "1" : "0", cat_number_write(f->portion->pool, found->end.n),
                                  apr_itoa(f->portion->pool, found->rows), name_of(part),
                                  cat_number_write(f->portion->pool, state->from)),
                       NULL);
}

static apr_status_t fill_and_advance(void *baton)
{
    const filling_t *f = baton;
    apr_status_t rv = fill_portion(f->portion);

    for (int i = 0; i < ROWS && rv == APR_SUCCESS; i++) {
        if (f->parts & 1 << i) {
            rv = advance_part(f, i);
        }
    }
    return rv;
}

/* Begins at the part that has come least far. */
static cat_indexes_position_t find_start(const states_t *s, int parts)
{
    cat_indexes_position_t start = {.n = -1};

    for (int i = 0; i < ROWS; i++) {
        if (parts & 1 << i && s->parts[i].from > start.n) {
            start.n = s->parts[i].from;
        }
    }
    return start;
}

static apr_status_t add_row(cat_db_t *db, int part)
{
    apr_status_t rv = cat_db_insert(db, SQL_INDEX_ADD, CAT_VALUES(name_of(part), CAT_LIST_KEY_NEWEST));

    return rv == APR_EEXIST ? APR_SUCCESS : rv;
}

/* Keys of fields of the shop's own that are folded have a job of their own (catalogue/search/key_filler.c). */
static apr_status_t begin_rules(void *baton)
{
    cat_db_t *db = baton;
    apr_status_t rv = add_row(db, RULES);

    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_FIELDS_RENEW, CAT_VALUES(CAT_LIST_KEY_NEWEST), NULL) : rv;
}

/* *parts: those that are not complete, and RULES. Fills one portion of them. *unbuilt: those that have no indexes. */
static apr_status_t fill_next(apr_pool_t *pool, cat_db_t *db, int *parts, int *unbuilt)
{
    int kept = cat_product_keys_kept(db);
    cat_indexes_position_t start;
    filling_t f;
    states_t s;
    apr_status_t rv = read_states(db, &s);

    rv = rv == APR_SUCCESS ? forget_parts(db, &s, ~kept) : rv;
    if (rv == APR_SUCCESS && !s.parts[RULES].is_built) {
        rv = cat_db_transact(db, begin_rules, db);
    }
    *parts = (kept & list_built(&s) & ~list_complete(&s)) | (s.parts[RULES].complete ? 0 : 1 << RULES);
    *unbuilt = kept & ~list_built(&s);
    if (rv != APR_SUCCESS || !*parts) {
        return rv;
    }
    start = find_start(&s, *parts);
    f = (filling_t){make_portion(pool, db, &start), &s, *parts};
    return cat_db_transact(db, fill_and_advance, &f);
}

static void notice_unbuilt(cat_job_t *job, int parts)
{
    apr_time_t now = apr_time_now();

    if (parts && (now < *job->last || now - *job->last >= NOTICE_INTERVAL)) {
        *job->last = now;
        cat_log(job->log, CAT_LOG_WARNING, 0,
                "CAT063: %s: there are no indexes for these parts of CatalogIndex: %s; run: catalogctl index",
                cat_db_name(job->db), cat_product_keys_write_set(job->pool, parts));
    }
}

cat_job_result_t cat_indexes_run(cat_job_t *job)
{
    apr_time_t end = apr_time_now() + JOB_TIME;
    apr_pool_t *pool;
    apr_status_t rv;
    int parts = 0, unbuilt = 0;

    apr_pool_create(&pool, job->pool);
    do {
        cat_db_t *db = cat_db_make(pool, job->conf, job->source, job->log);
        rv = fill_next(pool, db, &parts, &unbuilt);
        apr_pool_clear(pool);
    } while (rv == APR_SUCCESS && parts && apr_time_now() < end && !cat_job_must_stop(job));
    apr_pool_destroy(pool);
    notice_unbuilt(job, rv == APR_SUCCESS ? unbuilt : 0);
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}

/* ---- database indexes ---- */

apr_status_t cat_indexes_add(cat_db_t *db, int parts)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < CAT_INDEX_PARTS && rv == APR_SUCCESS; i++) {
        if (parts & 1 << i) {
            rv = add_row(db, i);
        }
    }
    return rv;
}

apr_status_t cat_indexes_remove(cat_db_t *db, int parts, int *were_complete)
{
    states_t s;
    apr_status_t rv = read_states(db, &s);

    parts &= list_built(&s);
    *were_complete = parts & list_complete(&s);
    for (int i = 0; i < CAT_INDEX_PARTS && rv == APR_SUCCESS; i++) {
        if (parts & 1 << i) {
            rv = cat_db_exec(db, SQL_INDEX_REMOVE, CAT_VALUES(cat_product_keys_parts[i]), NULL);
        }
    }
    return rv;
}

apr_status_t cat_indexes_read_built(cat_db_t *db, int *built)
{
    states_t s;
    apr_status_t rv = read_states(db, &s);

    *built = list_built(&s);
    return rv;
}

apr_status_t cat_indexes_note_complete(cat_db_t *db)
{
    int kept = cat_product_keys_kept(db) | 1 << RULES;
    apr_status_t rv = add_row(db, RULES);

    for (int i = 0; i < ROWS && rv == APR_SUCCESS; i++) {
        rv = set_part(db, i, kept & 1 << i ? "1" : "0");
    }
    return rv;
}
