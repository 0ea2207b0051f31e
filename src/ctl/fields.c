/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl fields: which fields of the shop's own the database has, with a line of CatalogField or without one; and what removes or
 * renames one whose line was removed. The work is the catalogue's (catalogue/product/field_change.h), a portion of products in each
 * transaction.
 */
#include <stdio.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/index.h"
#include "catalogue/store.h"
#include "ctl/database.h"
#include "ctl/move.h"
#include "ctl/progress.h"
#include "ctl/table.h"
#include "lib/json.h"
#include "lib/number.h"

/* ---- list ---- */

enum { NAME, DEFINITION, LINE, COMPLETE, PRODUCTS, COLUMNS };
static const cat_field_t columns[COLUMNS] = {
    [NAME] = {.name = "name", .kind = CAT_STRING},         [DEFINITION] = {.name = "type", .kind = CAT_STRING},
    [LINE] = {.name = "line", .kind = CAT_BOOLEAN},        [COMPLETE] = {.name = "complete", .kind = CAT_BOOLEAN},
    [PRODUCTS] = {.name = "products", .kind = CAT_NUMBER},
};

#define PAGE 1000
#define PAGE_TEXT "1000"

typedef struct census_t {
    apr_pool_t *pool;   /* of the counts */
    apr_hash_t *counts; /* apr_int64_t *, by name */
    apr_array_header_t *names;
    int rows;
    apr_int64_t end;
} census_t;

static void count_member(census_t *c, const cat_json_member_t *m)
{
    apr_int64_t *count = apr_hash_get(c->counts, m->name, (apr_ssize_t)m->name_length);

    if (!count) {
        const char *name = apr_pstrmemdup(c->pool, m->name, m->name_length);
        count = apr_pcalloc(c->pool, sizeof(*count));
        apr_hash_set(c->counts, name, APR_HASH_KEY_STRING, count);
        APR_ARRAY_PUSH(c->names, const char *) = name;
    }
    ++*count;
}

static apr_status_t count_row(void *baton, const char *const *row, int)
{
    census_t *c = baton;
    const char *at = row[CAT_PRODUCT_EXTRA];
    cat_json_member_t m;

    while (at && cat_json_next_member(&at, &m)) {
        count_member(c, &m);
    }
    c->rows++;
    if (c->rows == PAGE) {
        c->end = cat_id_number(row[CAT_PRODUCT_ID]);
    }
    return APR_SUCCESS;
}

static apr_status_t count_products(const ctl_t *ctl, census_t *c)
{
    apr_pool_t *pool;
    apr_status_t rv = APR_SUCCESS;

    *c = (census_t){.pool = ctl->pool, .rows = PAGE, .end = CAT_LIST_KEY_MAX};
    c->counts = apr_hash_make(ctl->pool);
    c->names = apr_array_make(ctl->pool, 16, sizeof(const char *));
    apr_pool_create(&pool, ctl->pool);
    while (c->rows == PAGE && rv == APR_SUCCESS) {
        apr_pool_clear(pool);
        c->rows = 0;
        rv = cat_db_each(cat_db_another(ctl->db, pool), SQL_PRODUCT_LIST_AFTER,
                         CAT_VALUES(cat_number_write(pool, c->end), PAGE_TEXT), count_row, c);
    }
    apr_pool_destroy(pool);
    return rv;
}

/* A pair has that of its first field. */
static int has_field(apr_pool_t *pool, const cat_fields_t *fields, const char *name)
{
    int is_pair = 0;

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        const char *pair = cat_own_fields_name_pair(pool, fields, i);
        is_pair |= pair && !strcmp(pair, name);
    }
    return is_pair || cat_own_field_find(fields, name) < fields->count;
}

/* Another mount with the database may have the line. */
static int has_line(const ctl_t *ctl, const char *name)
{
    const apr_array_header_t *mounts = ctl->site.lines;
    const cat_fields_t *fields;
    int has = has_field(ctl->pool, cat_product_fields_of(&ctl->conf), name);

    for (int i = 0; mounts && i < mounts->nelts && !has; i++) {
        has = !ctl_database_read_fields(ctl->pool, APR_ARRAY_IDX(mounts, i, const json_t *), &fields) && fields &&
              has_field(ctl->pool, fields, name);
    }
    return has;
}

static void print_field(ctl_table_t *table, const ctl_t *ctl, const census_t *c, const char *name, const char *type,
                        const char *complete)
{
    const apr_int64_t *count = apr_hash_get(c->counts, name, APR_HASH_KEY_STRING);
    const char *values[COLUMNS] = {
        [NAME] = name,
        [DEFINITION] = type,
        [LINE] = has_line(ctl, name) ? "1" : "0",
        [COMPLETE] = complete,
        [PRODUCTS] = cat_number_write(ctl->pool, count ? *count : 0),
    };

    ctl_table_row(table, ctl->pool, values);
}

/* What products have without a row of the table is what another program wrote. */
static void print_fields(const ctl_t *ctl, const cat_registry_t *registry, const census_t *c)
{
    ctl_table_t table = {.fields = columns, .count = COLUMNS, .json = ctl->options->json};

    ctl_table_begin(&table);
    for (int i = CAT_PRODUCT_FIELDS; i < registry->fields->count; i++) {
        const char *line = registry->fields->own[i]->line, *type = strchr(line, ' ');
        print_field(&table, ctl, c, registry->fields->all[i].name, type ? type + 1 : line,
                    registry->is_complete[i] ? "1" : "0");
    }
    for (int i = 0; i < c->names->nelts; i++) {
        const char *name = APR_ARRAY_IDX(c->names, i, const char *);
        if (cat_registry_find(registry, name) == registry->fields->count) {
            print_field(&table, ctl, c, name, NULL, NULL);
        }
    }
    ctl_table_end(&table);
}

static const char *read_registry(ctl_t *ctl, const cat_registry_t **registry)
{
    const char *fault = ctl_move_check(ctl);

    return fault || cat_registry_get(ctl->db, registry) == APR_SUCCESS
               ? fault
               : "the fields cannot be read; the cause is above";
}

int ctl_fields_list(ctl_t *ctl)
{
    const cat_registry_t *registry;
    census_t c;
    const char *fault = read_registry(ctl, &registry);

    if (fault) {
        return ctl_fail(NULL, fault);
    }
    if (count_products(ctl, &c) != APR_SUCCESS) {
        return ctl_fail(NULL, "the products cannot be read; the cause is above");
    }
    print_fields(ctl, registry, &c);
    return CTL_DONE;
}

/* ---- drop, rename ---- */

typedef struct changing_t {
    ctl_t *ctl;
    cat_field_change_t change;
    cat_kind_t kind;
    apr_int64_t rows, changed, dropped;
} changing_t;

static apr_status_t change_products(changing_t *c, ctl_progress_t *progress)
{
    cat_field_change_t *change = &c->change;
    apr_pool_t *pools[2], *before = c->ctl->db->pool;
    apr_status_t rv = APR_SUCCESS;

    apr_pool_create(&pools[0], c->ctl->pool);
    apr_pool_create(&pools[1], c->ctl->pool);
    change->from = CAT_LIST_KEY_MAX;
    for (int turn = 0; !change->is_last && rv == APR_SUCCESS; turn = !turn) {
        apr_pool_clear(pools[turn]);
        c->ctl->db->pool = pools[turn];
        rv = ctl_database_write(c->ctl, cat_field_change_next, change);
        c->rows += change->rows;
        c->changed += change->changed;
        c->dropped += change->dropped;
        change->from = change->end;
        ctl_progress_show(progress, c->rows, 0);
    }
    c->ctl->db->pool = before;
    return rv;
}

/* Words are derived of products as a whole. */
static apr_status_t renew_words(const ctl_t *ctl)
{
    cat_indexes_portion_t portion = {.end.n = CAT_LIST_KEY_MAX};
    apr_pool_t *pool;
    apr_status_t rv = APR_SUCCESS;

    apr_pool_create(&pool, ctl->pool);
    while (!portion.is_last && rv == APR_SUCCESS) {
        const cat_indexes_position_t from = portion.end;
        apr_pool_clear(pool);
        rv = cat_indexes_fill(pool, cat_db_another(ctl->db, pool), &from, &portion);
    }
    apr_pool_destroy(pool);
    return rv;
}

static apr_status_t run_change(changing_t *c)
{
    ctl_progress_t progress;
    apr_status_t rv = ctl_database_write(c->ctl, cat_field_change_begin, &c->change);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_sleep(CAT_FIELD_CHANGE_DELAY);
    ctl_progress_begin(&progress);
    rv = change_products(c, &progress);
    if (rv == APR_SUCCESS && (c->kind == CAT_STRING || c->kind == CAT_LIST)) {
        rv = renew_words(c->ctl);
    }
    ctl_progress_leave(&progress);
    return rv == APR_SUCCESS ? ctl_database_write(c->ctl, cat_field_change_end, &c->change) : rv;
}

static int report_change(const changing_t *c, apr_status_t rv)
{
    if (rv == APR_EEXIST && c->change.taken) {
        return ctl_fail(
            c->change.taken,
            "in the new field its value is already taken by another product; change one of them, and run the "
            "same command again");
    }
    if (rv == CAT_ECHANGED) {
        return ctl_fail(NULL, "meanwhile another command, or a server with other lines, has changed the fields; see "
                              "catalogctl fields, and run the same command again if it is still needed");
    }
    if (rv != APR_SUCCESS) {
        return ctl_fail(NULL, "not all products are changed; the cause is above; run the same command again");
    }
    printf("%" APR_INT64_T_FMT " products, %" APR_INT64_T_FMT " changed\n", c->rows, c->changed);
    if (c->dropped && c->change.target) {
        printf("%" APR_INT64_T_FMT " already had a value in the new field, and keep it\n", c->dropped);
    }
    return CTL_DONE;
}

/* Finds the field of the first operand. Returns a fault. */
static const char *begin_change(ctl_t *ctl, const cat_registry_t **registry, changing_t *c)
{
    const char *fault = read_registry(ctl, registry), *name = ctl->args[0];
    int field;

    if (fault) {
        return fault;
    }
    if (has_line(ctl, name)) {
        return apr_psprintf(
            ctl->pool, "%s has a line of CatalogField; remove the line from all mounts and restart httpd first", name);
    }
    field = cat_registry_find(*registry, name);
    if (field == (*registry)->fields->count) {
        return apr_psprintf(ctl->pool, "%s: the database has no such field; see catalogctl fields", name);
    }
    *c = (changing_t){.ctl = ctl, .kind = (*registry)->fields->all[field].kind};
    c->change = (cat_field_change_t){.db = ctl->db, .name = name, .type = (*registry)->fields->own[field]->type->name};
    return NULL;
}

int ctl_fields_drop(ctl_t *ctl)
{
    const cat_registry_t *registry;
    changing_t c = {0};
    const char *fault = begin_change(ctl, &registry, &c);

    return fault ? ctl_fail(NULL, fault) : report_change(&c, run_change(&c));
}

static const char *choose_target(const cat_registry_t *registry, changing_t *c)
{
    const char *name = c->ctl->args[1], *type;
    int target = cat_registry_find(registry, name);

    if (target == registry->fields->count || !has_line(c->ctl, name)) {
        return apr_psprintf(c->ctl->pool, "%s: add a line of CatalogField for the new name and restart httpd first",
                            name);
    }
    type = registry->fields->own[target]->type->name;
    if (registry->fields->all[target].flags & CAT_FACET && !registry->is_complete[target]) {
        return apr_psprintf(c->ctl->pool, "%s: its keys are being filled in; run the same command again in a moment",
                            name);
    }
    c->change.target = name;
    return strcmp(type, c->change.type) != 0 ? apr_psprintf(c->ctl->pool, "%s is of the type %s, and %s of the type %s",
                                                            c->change.name, c->change.type, name, type)
                                             : NULL;
}

int ctl_fields_rename(ctl_t *ctl)
{
    const cat_registry_t *registry;
    changing_t c = {0};
    const char *fault = begin_change(ctl, &registry, &c);

    fault = fault ? fault : choose_target(registry, &c);
    return fault ? ctl_fail(NULL, fault) : report_change(&c, run_change(&c));
}
