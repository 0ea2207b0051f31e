/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_PRODUCTS_H
#define UNIT_PRODUCTS_H

#include "unit_database.h"

#include "catalogue/product/counts.h"
#include "catalogue/product/products.h"

#define UNIT_PRODUCT_TIME APR_INT64_C(1763731170000) /* of product number 0, in milliseconds */

/* Returns the id of product number i. A higher number means a newer product, but three successive products have the
 * same time of creation. */
static inline const char *unit_product_id(apr_pool_t *pool, int i)
{
    apr_int64_t time = UNIT_PRODUCT_TIME + i / 3;

    return apr_psprintf(pool, "%08x-%04x-7%03x-b8ec-%012d", (unsigned)(time >> 16), (unsigned)(time & 0xffff),
                        (unsigned)(i % 3), i);
}

static inline const char **unit_product(apr_pool_t *pool, int i)
{
    const char **product = apr_pcalloc(pool, CAT_PRODUCT_COLUMNS * sizeof(*product));

    product[CAT_PRODUCT_ID] = unit_product_id(pool, i);
    product[CAT_PRODUCT_NAME] = apr_itoa(pool, i);
    product[CAT_PRODUCT_PRICE] = "12.5";
    product[CAT_PRODUCT_CATEGORY] = "Light";
    product[CAT_PRODUCT_IN_STOCK] = "1";
    product[CAT_PRODUCT_CREATED_AT] = apr_psprintf(pool, "%" APR_INT64_T_FMT, UNIT_PRODUCT_TIME + i / 3);
    return product;
}

typedef struct unit_products_t {
    cat_db_t *db;
    const char *const **products;
    int count;
} unit_products_t;

static inline apr_status_t unit_products_insert_all(void *baton)
{
    unit_products_t *all = baton;
    int inserted;

    return cat_products_insert_many(all->db, all->products, all->count, &inserted);
}

/* Inserts the products from number `first` up to but not including `end`, in one transaction. */
static inline void unit_products_insert(unit_database_t *database, int first, int end)
{
    apr_pool_t *pool;
    unit_products_t all;

    apr_pool_create(&pool, database->pool);
    all.db = unit_database_use(pool, database);
    all.count = end - first;
    all.products = apr_palloc(pool, (apr_size_t)all.count * sizeof(*all.products));
    for (int i = first; i < end; i++) {
        all.products[i - first] = unit_product(pool, i);
    }
    assert_int_equal(cat_db_transact(all.db, unit_products_insert_all, &all), APR_SUCCESS);
    apr_pool_destroy(pool);
}

/* Updates one field of a product. */
static inline void unit_products_update(unit_database_t *database, int product, int field, const char *value)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    const char *values[CAT_PRODUCT_FIELDS] = {NULL};
    unsigned char cleared[CAT_PRODUCT_FIELDS] = {0};
    cat_input_t input = {.values = values, .cleared = cleared};
    const char *const *updated;

    values[field] = value;
    assert_int_equal(cat_products_update_one(db, unit_product_id(database->pool, product), &input, NULL, &updated),
                     APR_SUCCESS);
    cat_db_release(db);
}

/* Runs maintenance until nothing is left to do. */
static inline void unit_products_maintain(unit_database_t *database)
{
    cat_db_t *db = unit_database_use(database->pool, database);

    for (int changed = 1; changed;) {
        assert_int_equal(cat_counts_maintain(db, &changed), APR_SUCCESS);
    }
    cat_db_release(db);
}

static inline int unit_products_check(unit_database_t *database)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    int wrong;

    assert_int_equal(cat_counts_check(db, &wrong), APR_SUCCESS);
    cat_db_release(db);
    return wrong;
}

/* Changes the schema to that of MySQL, where no trigger counts and writers insert rows into product_deltas instead. */
#define UNIT_NO_TRIGGERS                                                                                               \
    "DROP TRIGGER products_insert; DROP TRIGGER products_delete; DROP TRIGGER products_category_insert;"               \
    "DROP TRIGGER products_category_delete; DROP TRIGGER products_category_update; DROP TRIGGER products_stock;"       \
    "DROP VIEW product_deltas;"                                                                                        \
    "CREATE TABLE product_deltas (seq INTEGER PRIMARY KEY, delta INTEGER,"                                             \
    " category TEXT, category_delta INTEGER NOT NULL DEFAULT 0, in_stock INTEGER NOT NULL DEFAULT 0)"

/* Returns a database whose counts are maintained in that way. */
static inline unit_database_t *unit_products_without_triggers(apr_pool_t *pool)
{
    unit_database_t *database = unit_database(pool);
    cat_dialect_t *dialect = apr_pmemdup(pool, database->source->dialect, sizeof(*dialect));

    unit_database_sql(database, UNIT_NO_TRIGGERS);
    dialect->counts_by_hand = 1;
    database->source->dialect = dialect;
    return database;
}

/* Returns how often this process has called write(2) and similar system calls, according to Linux. */
static inline int unit_count_writes(void)
{
    FILE *io = fopen("/proc/self/io", "r");
    char line[80];
    int writes = -1;

    assert_non_null(io);
    while (fgets(line, sizeof(line), io)) {
        sscanf(line, "syscw: %d", &writes);
    }
    fclose(io);
    assert_true(writes >= 0);
    return writes;
}

#define UNIT_GROUP 64 /* products per transaction */

/* Products that are written in groups. */
typedef struct unit_group_t {
    apr_pool_t *pool;
    cat_db_t *db;
    const char **(*make)(apr_pool_t *pool, int i);
    int first;  /* number of the first product */
    int writes; /* result: number of writes to files before the commit */
} unit_group_t;

/* Writes one group of products; a callback of cat_db_transact. */
static inline apr_status_t unit_products_write_group(void *baton)
{
    unit_group_t *g = baton;
    const char *const *products[UNIT_GROUP];
    const cat_product_postings_t postings = cat_product_keys_begin(g->pool);
    int before = unit_count_writes();

    for (int i = 0; i < UNIT_GROUP; i++) {
        products[i] = g->make(g->pool, g->first + i);
    }
    assert_int_equal(cat_products_insert_many_within(g->db, products, UNIT_GROUP, &postings), APR_SUCCESS);
    assert_int_equal(cat_product_keys_insert(g->db, &postings), APR_SUCCESS);
    g->writes = unit_count_writes() - before;
    return APR_SUCCESS;
}

/* Writes `count` products in whole groups. Returns how many writes to files the last group made before its commit. */
static inline int unit_products_fill(unit_database_t *database, const char **(*make)(apr_pool_t *pool, int i),
                                     int count)
{
    unit_group_t g = {.make = make, .db = unit_database_use(database->pool, database)};

    for (; g.first < count; g.first += UNIT_GROUP) {
        apr_pool_create(&g.pool, database->pool);
        assert_int_equal(cat_db_transact(g.db, unit_products_write_group, &g), APR_SUCCESS);
        apr_pool_destroy(g.pool);
    }
    return g.writes;
}

#endif
