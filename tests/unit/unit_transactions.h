/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_TRANSACTIONS_H
#define UNIT_TRANSACTIONS_H

#include "unit_database.h"

#include "db/pool/checkout.h"

/* Returns a number for a product with this id, which can be any text: another number for each short text. Up to four results are valid at a time. */
static inline const char *unit_number(const char *id)
{
    static _Thread_local char numbers[4][24];
    static _Thread_local int next;
    char *number = numbers[next++ % 4];
    apr_int64_t sum = 0;

    for (; *id; id++) {
        sum = sum * 131 + (unsigned char)*id;
    }
    apr_snprintf(number, sizeof(numbers[0]), "%" APR_INT64_T_FMT, sum & APR_INT64_C(0xffffffffffff));
    return number;
}

/* Values of a product with this id, for SQL_PRODUCT_INSERT; and the values that find it, for SQL_PRODUCT_GET. */
#define UNIT_PRODUCT(id)                                                                                               \
    CAT_VALUES(id, "Mug", "9.5", "kitchen", "1", NULL, unit_number(id), NULL, NULL, NULL, NULL, NULL, NULL)
#define UNIT_IS(id) CAT_VALUES(unit_number(id), id)

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
