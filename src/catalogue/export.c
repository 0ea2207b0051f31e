/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/export.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/product.h"
#include "catalogue/search.h"
#include "db/checkout.h"
#include "db/status.h"
#include "lib/id.h"
#include "lib/number.h"

#define PORTION 500 /* products: drivers keep all rows of a result in memory */

struct cat_export_t {
    cat_db_t *db;
    cat_list_query_t query;
    const cat_export_format_t *format;
    cat_export_style_t style;
    apr_pool_t *pool; /* of the portion */
    cat_buffer_t text;
    apr_int64_t rows;          /* in it */
    cat_search_end_t end;      /* of it, unless the query is plain */
    apr_pool_t *position_pool; /* of query.after, while the next portion is read */
    apr_int64_t total;
    char created_at[CAT_NUMBER_DIGITS + 1], id[CAT_ID_LENGTH + 1]; /* of the product that was read last */
    int has_permit;
    int is_begun;   /* flag: the first portion was read, and is in text */
    int is_pending; /* flag: text was not passed on yet */
    int is_ended;   /* flag: no portion follows */
};

/* ---- a portion ---- */

static apr_status_t add_product(void *baton, const char *const *values, int count)
{
    cat_export_t *e = baton;

    (void)count;
    e->format->add(&e->text, &e->style, e->query.fields, values, e->total + e->rows == 0);
    e->rows++;
    apr_cpystrn(e->created_at, values[CAT_PRODUCT_CREATED_AT], sizeof(e->created_at));
    apr_cpystrn(e->id, values[CAT_PRODUCT_ID], sizeof(e->id));
    return APR_SUCCESS;
}

/* The one place that knows how the products of a query are read. */
static apr_status_t select_products(cat_export_t *e)
{
    const cat_search_rows_t searched = {.add = add_product, .baton = e};
    const char *rows = apr_off_t_toa(e->pool, e->query.limit);

    return e->query.is_plain
               ? cat_db_each(e->db, SQL_PRODUCT_LIST_AFTER,
                             CAT_VALUES(e->query.after.key.created_at, e->query.after.key.id, rows), add_product, e)
               : cat_search_read_within(e->db, &e->query, &searched, &e->end);
}

/* The work of a transaction: the first portion may be read several times. */
static apr_status_t read_portion(void *baton)
{
    cat_export_t *e = baton;
    apr_pool_t *before;
    apr_status_t rv;

    apr_pool_clear(e->pool);
    cat_buffer_init(&e->text, e->pool, PORTION * CAT_PRODUCT_SIZE);
    e->rows = 0;
    if (!e->is_begun) {
        e->format->begin(&e->text, &e->style, e->query.fields);
    }
    before = cat_db_use_pool(e->db, e->pool);
    rv = select_products(e);
    cat_db_use_pool(e->db, before);
    return rv;
}

static const char *keep_text(const cat_export_t *e, const char *text)
{
    return text ? apr_pstrdup(e->position_pool, text) : NULL;
}

/* The next portion begins after the last product of this one. */
static void keep_position(cat_export_t *e)
{
    const cat_list_position_t plain = {.key = {e->created_at, e->id}};
    const cat_list_position_t *last = e->query.is_plain ? &plain : &e->end.last;
    cat_list_position_t *after = &e->query.after;

    apr_pool_clear(e->position_pool);
    after->key = (cat_list_key_t){keep_text(e, last->key.created_at), keep_text(e, last->key.id)};
    for (int i = 0; i < CAT_LIST_SORT_MAX; i++) {
        after->values[i] = keep_text(e, last->values[i]);
    }
}

static int is_last_portion(const cat_export_t *e)
{
    return e->query.is_plain ? e->rows < e->query.limit : !e->end.has_next;
}

static void finish_portion(cat_export_t *e)
{
    e->total += e->rows;
    e->is_pending = 1;
    keep_position(e);
    if (is_last_portion(e)) {
        e->format->end(&e->text);
        e->is_ended = 1;
        cat_export_close(e);
    }
}

/* ---- all of it ---- */

static apr_status_t close_with_pool(void *export)
{
    cat_export_close(export);
    return APR_SUCCESS;
}

static apr_status_t take_permit(cat_export_t *e)
{
    const cat_db_t *db = e->db;
    apr_status_t rv = cat_permits_take(db->source->exports, db->conf->max_exports, 0);

    if (rv != APR_SUCCESS) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT060: %s: %d exports are running, as many as CatalogMaxExports allows",
                db->source->name, db->conf->max_exports);
        return CAT_EBUSY;
    }
    e->has_permit = 1;
    apr_pool_pre_cleanup_register(db->pool, e, close_with_pool);
    return APR_SUCCESS;
}

apr_status_t cat_export_open(cat_db_t *db, const cat_list_query_t *query, const cat_export_format_t *format,
                             const cat_export_style_t *style, cat_export_t **opened)
{
    cat_export_t *e = apr_pcalloc(db->pool, sizeof(*e));
    apr_status_t rv;

    e->db = db;
    e->query = *query;
    e->query.limit = PORTION;
    e->format = format;
    e->style = *style;
    apr_pool_create(&e->pool, db->pool);
    apr_pool_create(&e->position_pool, db->pool);
    *opened = e;
    rv = take_permit(e);
    if (rv == APR_SUCCESS) {
        rv = e->query.is_plain ? cat_db_open_view(db, read_portion, e) : cat_db_open_search(db, read_portion, e);
    }
    if (rv != APR_SUCCESS) {
        cat_export_close(e);
        return rv;
    }
    e->is_begun = 1;
    finish_portion(e);
    return APR_SUCCESS;
}

static apr_status_t read_next(cat_export_t *e)
{
    apr_status_t rv = cat_db_continue_view(e->db, read_portion, e);

    if (rv == APR_SUCCESS) {
        finish_portion(e);
    } else {
        cat_export_close(e);
    }
    return rv;
}

apr_status_t cat_export_read(cat_export_t *e, const char **data, apr_size_t *length)
{
    apr_status_t rv = APR_SUCCESS;

    if (!e->is_pending && !e->is_ended) {
        rv = read_next(e);
    }
    *data = e->text.data;
    *length = e->is_pending && rv == APR_SUCCESS ? e->text.length : 0;
    e->is_pending = 0;
    return rv;
}

void cat_export_close(cat_export_t *e)
{
    e->is_ended = 1;
    cat_db_release(e->db);
    if (e->has_permit) {
        e->has_permit = 0;
        cat_permits_give_back(e->db->source->exports);
    }
}

apr_int64_t cat_export_count(const cat_export_t *e)
{
    return e->total;
}
