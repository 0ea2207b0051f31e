/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_FIELDS_H
#define UNIT_FIELDS_H

#include "unit_products.h"

#include "catalogue/product/own_fields.h"
#include "catalogue/product/product.h"
#include "catalogue/product/registry.h"
#include "catalogue/search/search.h"

/* Returns the fields of these lines of CatalogField. Each line ends with '\n'. */
static inline const cat_fields_t *unit_fields_read(apr_pool_t *pool, const char *lines)
{
    const cat_fields_t *fields = NULL;
    char *last, *copy = apr_pstrdup(pool, lines);

    for (char *line = apr_strtok(copy, "\n", &last); line; line = apr_strtok(NULL, "\n", &last)) {
        assert_null(cat_own_fields_add(pool, fields, line, &fields));
    }
    return fields;
}

/* Makes the server's cached registry of fields outdated. */
static inline void unit_fields_age(unit_database_t *database)
{
    atomic_store(&database->source->registry_at, 0);
}

/* Sets the fields as after a restart of the server with these lines. The database records them. */
static inline const cat_registry_t *unit_fields_set(unit_database_t *database, const char *lines)
{
    const cat_registry_t *registry;

    database->conf.fields = unit_fields_read(database->pool, lines);
    unit_fields_age(database);
    assert_int_equal(cat_registry_get(unit_database_use(database->pool, database), &registry), APR_SUCCESS);
    return registry;
}

static inline unit_database_t *unit_fields_database(apr_pool_t *pool, const char *lines)
{
    unit_database_t *database = unit_database(pool);

    database->conf.query_timeout = 30;
    database->conf.count_limit = 1000;
    database->conf.max_limit = 100;
    unit_fields_set(database, lines);
    return database;
}

/* Inserts product number i with these values of CatalogField fields, in JSON. */
static inline apr_status_t unit_fields_insert(unit_database_t *database, int i, const char *extra)
{
    const char **row = unit_product(database->pool, i);
    const char *const *rows[] = {(const char *const *)row};
    unit_products_t all = {unit_database_use(database->pool, database), rows, 1};
    apr_status_t rv;

    row[CAT_PRODUCT_EXTRA] = extra;
    rv = cat_db_transact(all.db, unit_products_insert_all, &all);
    cat_db_release(all.db);
    return rv;
}

static inline cat_list_query_t unit_fields_query(apr_pool_t *pool, const cat_conf_t *conf, const char *text)
{
    cat_list_query_t query;

    if (!cat_query_parse_all(pool, conf, 1, text, NULL, &query)) {
        fail_msg("%s: %s", text, json_dumps(query.errors, 0));
    }
    query.limit = 100;
    return query;
}

typedef struct unit_names_t {
    apr_pool_t *pool;
    const char *names;
} unit_names_t;

static inline void unit_fields_begin_names(void *baton)
{
    ((unit_names_t *)baton)->names = "";
}

static inline apr_status_t unit_fields_add_name(void *baton, const char *const *values, int)
{
    unit_names_t *n = baton;

    n->names = apr_pstrcat(n->pool, n->names, *n->names ? " " : "", values[CAT_PRODUCT_NAME], NULL);
    return APR_SUCCESS;
}

/* Returns the names of the products in a list. */
static inline const char *unit_fields_list(unit_database_t *database, const cat_conf_t *conf, const char *text)
{
    cat_db_t *db = cat_db_make(database->pool, conf, database->source, &database->log);
    cat_list_query_t query = unit_fields_query(database->pool, conf, text);
    unit_names_t names = {database->pool, ""};
    const cat_search_rows_t rows = {unit_fields_begin_names, unit_fields_add_name, &names};
    cat_search_end_t end;
    apr_status_t rv = cat_search_read(db, &query, &rows, &end);

    cat_db_release(db);
    return rv == APR_SUCCESS ? names.names : rv == CAT_EFILLING ? "filling" : apr_itoa(database->pool, rv);
}

#endif
