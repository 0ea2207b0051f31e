/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_TRANSACTIONS_H
#define UNIT_TRANSACTIONS_H

#include "unit_database.h"

#include "db/pool/checkout.h"

/* Values of a product with this id, for SQL_PRODUCT_INSERT. */
#define UNIT_PRODUCT(id) CAT_VALUES(id, "Mug", "9.5", "kitchen", "1", NULL, "1000", NULL, NULL, NULL, NULL, NULL, NULL)

/* Returns a connection of `db` that does not check the schema. */
static inline cat_connection_t *unit_connect(cat_db_t *db, cat_db_use_t use)
{
    cat_connection_t *conn = NULL;

    assert_int_equal(cat_checkout_connect_bare(db, use, &conn), APR_SUCCESS);
    assert_non_null(conn);
    return conn;
}

/* Returns the number of products, counted on another connection. */
static inline int unit_count_products(unit_database_t *database)
{
    return atoi(unit_database_sql(database, "SELECT COUNT(*) FROM products"));
}

/* Returns a counter that each commit increments, read from the WAL index. */
static inline int unit_count_commits(unit_database_t *database)
{
    apr_uint64_t state;

    assert_true(cat_wal_index_read(database->source->wal_index, apr_time_now(), &state));
    return (int)(state >> 32);
}

#endif
