/* SPDX-License-Identifier: Apache-2.0 */
#include "db/counts.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "db/use.h"
#include "lib/product.h"

/* What one transaction does at the most, and one run of the job: writers wait meanwhile, where one writes at a time. */
#define CUTS 200
#define FOLDS 4
#define ROUNDS 100

#define FOLD_ROWS 1000
#define NAMES 100 /* of rows, in SQL_COUNTS_FOLD */
#define MANY 50   /* products in SQL_COUNTS_MANY_CAME */

#define LOWEST "-1000000000000000000" /* created_at where the first part of a level begins */

/* A part is cut behind so many of what it consists of, when it has too many products, and joined with the one below it when it has
 * too few. */
static const struct level_t {
    const char *level, *size, *too_many, *too_few;
    cat_sql_t cut;
} levels[] = {
    {"0", "500", "1000", "125", SQL_COUNTS_CUT_BLOCK},
    {"1", "25", "25000", "3125", SQL_COUNTS_CUT_GROUP},
    {"2", "25", "625000", "78125", SQL_COUNTS_CUT_REGION},
};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static const struct level_t all = {.level = "3"}; /* one part, which is never cut */

typedef struct part_t {
    cat_place_t first;
    apr_int64_t n;
} part_t;

static apr_status_t keep_part(void *baton, const char *const *values, int count)
{
    apr_array_header_t *parts = baton;

    (void)count;
    APR_ARRAY_PUSH(parts, part_t) =
        (part_t){{apr_pstrdup(parts->pool, values[0]), apr_pstrdup(parts->pool, values[1])}, apr_atoi64(values[2])};
    return APR_SUCCESS;
}

typedef struct care_t {
    apr_pool_t *pool;
    cat_db_t *db;
    int changed;
} care_t;

static apr_status_t see_row(void *baton, const char *const *values, int count)
{
    (void)values;
    (void)count;
    *(int *)baton = 1;
    return APR_EOF;
}

/* Where the part begins that the place lies in. */
static apr_status_t find_part(care_t *c, const struct level_t *level, const cat_place_t *place, cat_place_t *first)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(c->db, SQL_COUNTS_FIRST,
                                 CAT_VALUES(level->level, place->created_at, place->created_at, place->id), &row);

    if (rv == APR_SUCCESS) {
        *first = (cat_place_t){row[0], row[1]};
    }
    return rv;
}

static apr_status_t add(care_t *c, const struct level_t *level, const cat_place_t *first, apr_int64_t n)
{
    return cat_db_exec(c->db, SQL_COUNTS_ADD,
                       CAT_VALUES(apr_off_t_toa(c->pool, n), level->level, first->created_at, first->id), NULL);
}

/* Leaves what stays in the part, and makes a part of the rest, which becomes *part. APR_NOTFOUND: it cannot be cut yet. */
static apr_status_t cut(care_t *c, const struct level_t *level, part_t *part)
{
    const cat_place_t *first = &part->first;
    apr_int64_t least = apr_atoi64(level->too_few), rest;
    const char *const *row;
    apr_status_t rv = cat_db_one(
        c->db, level->cut,
        CAT_VALUES(first->created_at, first->id, level->size, first->created_at, first->id, level->size), &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rest = part->n - apr_atoi64(row[2]);
    if (rest < least || part->n - rest < least) {
        return APR_NOTFOUND;
    }
    rv = add(c, level, first, -rest);
    *part = (part_t){{row[0], row[1]}, rest};
    return rv != APR_SUCCESS
               ? rv
               : cat_db_exec(c->db, SQL_COUNTS_INSERT,
                             CAT_VALUES(level->level, row[0], row[1], apr_off_t_toa(c->pool, rest)), NULL);
}

static apr_status_t cut_up(care_t *c, const struct level_t *level, part_t *part)
{
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && part->n >= apr_atoi64(level->too_many) && c->changed < CUTS) {
        rv = cut(c, level, part);
        c->changed += rv == APR_SUCCESS;
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* With the part below it, by taking its first key away. */
static apr_status_t join(care_t *c, const struct level_t *level, const part_t *part)
{
    cat_place_t below;
    apr_status_t rv =
        cat_db_exec(c->db, SQL_COUNTS_DELETE, CAT_VALUES(level->level, part->first.created_at, part->first.id), NULL);

    if (rv == APR_SUCCESS) {
        rv = find_part(c, level, &part->first, &below);
    }
    c->changed++;
    return rv == APR_SUCCESS ? add(c, level, &below, part->n) : rv;
}

static apr_status_t even_out(care_t *c, const struct level_t *level)
{
    apr_array_header_t *parts = apr_array_make(c->pool, 8, sizeof(part_t));
    apr_status_t rv = cat_db_each(c->db, SQL_COUNTS_UNEVEN, CAT_VALUES(level->level, level->too_many, level->too_few),
                                  keep_part, parts);

    for (int i = 0; i < parts->nelts && rv == APR_SUCCESS; i++) {
        part_t *part = &APR_ARRAY_IDX(parts, i, part_t);
        rv = part->n < apr_atoi64(level->too_few) ? join(c, level, part) : cut_up(c, level, part);
    }
    return rv;
}

typedef struct delta_t {
    const char *seq;
    cat_place_t place;
    apr_int64_t created_at, delta;
} delta_t;

typedef struct fold_t {
    apr_pool_t *pool;
    delta_t deltas[FOLD_ROWS];
    int count;
} fold_t;

static apr_status_t keep_delta(void *baton, const char *const *values, int count)
{
    fold_t *f = baton;

    (void)count;
    if (f->count < FOLD_ROWS) {
        f->deltas[f->count++] = (delta_t){apr_pstrdup(f->pool, values[0]),
                                          {apr_pstrdup(f->pool, values[1]), apr_pstrdup(f->pool, values[2])},
                                          apr_atoi64(values[1]),
                                          apr_atoi64(values[3])};
    }
    return APR_SUCCESS;
}

static int is_below(const delta_t *d, apr_int64_t created_at, const char *id)
{
    return d->created_at < created_at || (d->created_at == created_at && strcmp(d->place.id, id) < 0);
}

static int newest_first(const void *one, const void *other)
{
    const delta_t *a = one, *b = other;
    return is_below(a, b->created_at, b->place.id) ? 1 : is_below(b, a->created_at, a->place.id) ? -1 : 0;
}

/* Finds the part that the newest lies in, and with it all that are not below its first key. */
static apr_status_t add_up(care_t *c, const struct level_t *level, const fold_t *f)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < f->count && rv == APR_SUCCESS;) {
        cat_place_t first;
        apr_int64_t sum = 0;

        rv = find_part(c, level, &f->deltas[i].place, &first);
        if (rv == APR_SUCCESS) {
            for (; i < f->count && !is_below(&f->deltas[i], apr_atoi64(first.created_at), first.id); i++) {
                sum += f->deltas[i].delta;
            }
            rv = add(c, level, &first, sum);
        }
    }
    return rv;
}

/* By name: a statement that looked for them itself would wait for writers on MySQL. */
static apr_status_t take_out(care_t *c, const fold_t *f)
{
    apr_status_t rv = APR_SUCCESS;

    for (int at = 0; at < f->count && rv == APR_SUCCESS; at += NAMES) {
        const char *names[NAMES];
        for (int i = 0; i < NAMES; i++) {
            names[i] = at + i < f->count ? f->deltas[at + i].seq : "0";
        }
        rv = cat_db_exec(c->db, SQL_COUNTS_FOLD, names, NAMES, NULL);
    }
    return rv;
}

/* Puts some of product_deltas into the counts. */
static apr_status_t fold(care_t *c, int *count)
{
    fold_t *f = apr_pcalloc(c->pool, sizeof(*f));
    apr_status_t rv;

    f->pool = c->pool;
    rv = cat_db_each(c->db, SQL_COUNTS_DELTAS, CAT_VALUES(apr_itoa(c->pool, FOLD_ROWS)), keep_delta, f);
    *count = f->count;
    if (rv != APR_SUCCESS || f->count == 0) {
        return rv;
    }
    c->changed++;
    qsort(f->deltas, (size_t)f->count, sizeof(f->deltas[0]), newest_first);
    for (size_t i = 0; i < LEVELS && rv == APR_SUCCESS; i++) {
        rv = add_up(c, &levels[i], f);
    }
    rv = rv == APR_SUCCESS ? add_up(c, &all, f) : rv;
    return rv == APR_SUCCESS ? take_out(c, f) : rv;
}

/* APR_NOTFOUND: nothing can be done yet, so nothing is written. Parts are cut when few rows are left to be counted, for each cut looks
 * through all of them. */
static apr_status_t work(void *baton)
{
    care_t *c = baton;
    int folded = FOLD_ROWS;
    apr_status_t rv = cat_db_exec(c->db, SQL_COUNTS_LOCK, CAT_NO_VALUES, NULL);

    c->changed = 0;
    for (int i = 0; i < FOLDS && folded == FOLD_ROWS && rv == APR_SUCCESS; i++) {
        rv = fold(c, &folded);
    }
    for (size_t i = 0; i < LEVELS && folded < FOLD_ROWS && rv == APR_SUCCESS; i++) {
        rv = even_out(c, &levels[i]);
    }
    return rv == APR_SUCCESS && !c->changed ? APR_NOTFOUND : rv;
}

/* Asked first, as it keeps nobody waiting. */
static apr_status_t is_due(care_t *c, int *due)
{
    apr_status_t rv = cat_db_each(c->db, SQL_COUNTS_DELTAS, CAT_VALUES("1"), see_row, due);

    for (size_t i = 0; i < LEVELS && rv == APR_SUCCESS; i++) {
        rv = cat_db_each(c->db, SQL_COUNTS_UNEVEN, CAT_VALUES(levels[i].level, levels[i].too_many, levels[i].too_few),
                         see_row, due);
    }
    return rv;
}

apr_status_t cat_counts_tend(apr_pool_t *pool, cat_db_t *db, int *changed)
{
    care_t c = {.pool = pool, .db = db};
    int due = 0;
    apr_status_t rv = is_due(&c, &due);

    if (rv == APR_SUCCESS && due) {
        rv = cat_db_transact(db, work, &c);
    }
    *changed = c.changed;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_counts_run(cat_job_t *job)
{
    int changed = 1;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < ROUNDS && changed && rv == APR_SUCCESS && !*job->stop; i++) {
        rv = cat_counts_tend(job->pool, job->db, &changed);
    }
    return rv;
}

apr_status_t cat_counts_make(cat_db_t *db)
{
    apr_status_t rv = cat_db_exec(db, SQL_COUNTS_LOCK, CAT_NO_VALUES, NULL);

    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_COUNTS_CLEAR, CAT_NO_VALUES, NULL) : rv;
    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_COUNTS_BEGIN, CAT_NO_VALUES, NULL) : rv;
}

/* ---- what comes and goes ---- */

static int is_by_hand(const cat_db_t *db)
{
    return db->source->dialect->counts_by_hand;
}

/* Alone, or with another statement in a transaction. Which it is to be is not known before the first connection of this process. */
static apr_status_t run(cat_db_t *db, cat_work_t *work, void *baton)
{
    return db->in_transaction || (db->source->dialect && !is_by_hand(db)) ? work(baton)
                                                                          : cat_db_transact(db, work, baton);
}

static void put_key(const char **values, const char *const *product)
{
    values[0] = product[CAT_PRODUCT_CREATED_AT];
    values[1] = product[CAT_PRODUCT_ID];
}

apr_status_t cat_counts_note(cat_db_t *db, const char *const *const *products, int count)
{
    const char *values[2 * MANY];
    apr_status_t rv = APR_SUCCESS;

    for (int step; is_by_hand(db) && count && rv == APR_SUCCESS; products += step, count -= step) {
        step = count < MANY ? 1 : MANY;
        for (int i = 0; i < step; i++) {
            put_key(values + 2 * i, products[i]);
        }
        rv = cat_db_exec(db, step == 1 ? SQL_COUNTS_CAME : SQL_COUNTS_MANY_CAME, values, 2 * step, NULL);
    }
    return rv;
}

typedef struct coming_t {
    cat_db_t *db;
    const char *const *values;
} coming_t;

static apr_status_t insert(void *baton)
{
    const coming_t *c = baton;
    apr_status_t rv = cat_db_insert(c->db, SQL_PRODUCT_INSERT, c->values, CAT_PRODUCT_FIELDS);

    return rv == APR_SUCCESS ? cat_counts_note(c->db, &c->values, 1) : rv;
}

apr_status_t cat_counts_insert(cat_db_t *db, const char *const *product)
{
    coming_t coming = {db, product};
    return run(db, insert, &coming);
}

typedef struct going_t {
    cat_db_t *db;
    const char *id;
} going_t;

/* Not found means that nothing stays noted, too. */
static apr_status_t delete (void *baton)
{
    const going_t *g = baton;
    apr_status_t rv = APR_SUCCESS;
    int deleted = 0;

    if (g->db->in_transaction && is_by_hand(g->db)) {
        rv = cat_db_exec(g->db, SQL_COUNTS_GOES, CAT_VALUES(g->id), NULL);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_db_exec(g->db, SQL_PRODUCT_DELETE, CAT_VALUES(g->id), &deleted);
    }
    return rv == APR_SUCCESS && !deleted ? APR_NOTFOUND : rv;
}

apr_status_t cat_counts_delete(cat_db_t *db, const char *id)
{
    going_t going = {db, id};
    return run(db, delete, &going);
}

/* ---- a look at the counts ---- */

typedef struct check_t {
    apr_pool_t *pool;
    cat_db_t *db;
    int wrong;
} check_t;

/* next: the part above it, NULL: there is none. */
static apr_status_t check_part(check_t *c, const part_t *part, const part_t *next)
{
    const cat_place_t *first = &part->first, *end = next ? &next->first : &CAT_PLACE_ABOVE_ALL;
    const char *const *row;
    apr_status_t rv =
        cat_db_one(c->db, SQL_COUNTS_COUNT, CAT_VALUES(first->created_at, first->id, end->created_at, end->id), &row);

    c->wrong += rv == APR_SUCCESS && apr_atoi64(row[0]) != part->n;
    return rv;
}

static apr_status_t read_parts(check_t *c, const char *level, apr_array_header_t **parts)
{
    *parts = apr_array_make(c->pool, 1024, sizeof(part_t));
    return cat_db_each(c->db, SQL_COUNTS_ALL, CAT_VALUES(level), keep_part, *parts);
}

/* Also whether they have as many products as the one part of all. */
static apr_status_t check_level(check_t *c, const char *level, apr_int64_t total)
{
    apr_array_header_t *parts;
    apr_int64_t sum = 0;
    apr_status_t rv = read_parts(c, level, &parts);
    const part_t *part = (const part_t *)parts->elts;

    c->wrong += parts->nelts == 0 || strcmp(part->first.created_at, LOWEST) != 0;
    for (int i = 0; i < parts->nelts && rv == APR_SUCCESS; i++) {
        rv = check_part(c, &part[i], i + 1 < parts->nelts ? &part[i + 1] : NULL);
        sum += part[i].n;
    }
    c->wrong += sum != total;
    return rv;
}

static apr_status_t check(void *baton)
{
    check_t *c = baton;
    apr_array_header_t *one;
    apr_int64_t total;
    apr_status_t rv = read_parts(c, all.level, &one);

    c->wrong = 0;
    total = one->nelts ? APR_ARRAY_IDX(one, 0, part_t).n : -1;
    for (size_t i = 0; i < LEVELS && rv == APR_SUCCESS; i++) {
        rv = check_level(c, levels[i].level, total);
    }
    return rv;
}

apr_status_t cat_counts_check(apr_pool_t *pool, cat_db_t *db, int *wrong)
{
    check_t c = {.pool = pool, .db = db};
    apr_status_t rv = cat_db_view(db, check, &c);

    *wrong = c.wrong;
    return rv;
}
