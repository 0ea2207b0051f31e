/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_MOVE_H
#define CTL_MOVE_H

#include <openssl/evp.h>

#include "ctl/ctl.h"
#include "db/db.h"
#include "lib/fields.h"

/*
 * What export writes and import reads. Each line is a JSON object with one field, whose name is the kind of the line:
 *   {"mod_catalog":{"format":1,"time":"2026-11-21T09:30:00.123Z","changes":1042}}   the first; the number of the last change
 *   {"products":{"id":"...","name":"..."}}   a row; tables in the order of ctl_move_tables, rows in the order of their
 *                                            keys, byte by byte; columns that are NULL are left out
 *   {"end":{"products":1,"users":0,...,"sha256":"..."}}   the last: how many rows of each, and the digest of their lines
 * The same rows give the same lines on every database; only the first line differs.
 */
#define CTL_MOVE_FORMAT 1

/* A row of THE MOVE TABLE. */
typedef struct ctl_move_table_t {
    const char *name;
    const cat_field_t *fields; /* the columns, the key first */
    int count;
    cat_sql_t read; /* selects the columns of some rows after a key, in the order of the keys */
    cat_sql_t add;  /* inserts a row of these columns; unused if insert_many is set */
    /* Inserts rows within a transaction; as cat_products_insert_many. NULL: each row by `add`. */
    apr_status_t (*insert_many)(cat_db_t *db, const char *const *const *rows, int count, int *inserted);
    int is_numbered; /* true if rows are found by the number of their id (lib/id.h), of which created_at is the time */
} ctl_move_table_t;

/* Returns the value of the table's statement `read` for the rows after the key; "" is before all keys. */
const char *ctl_move_position(apr_pool_t *pool, const ctl_move_table_t *table, const char *key);

/* Returns the fault of a row whose values are allowed each, or NULL. */
const char *ctl_move_check_row(const ctl_move_table_t *table, const char *const *row);

/* Tables come after those they refer to. */
#define CTL_MOVE_TABLES 12
extern const ctl_move_table_t ctl_move_tables[CTL_MOVE_TABLES];

/* What the last line says of the rows before it. */
typedef struct ctl_move_sum_t {
    apr_int64_t rows[CTL_MOVE_TABLES];
    EVP_MD_CTX *digest;
} ctl_move_sum_t;

void ctl_move_sum_init(ctl_move_sum_t *sum, apr_pool_t *pool);

/* Adds a row's line, its newline included. */
void ctl_move_sum_add(ctl_move_sum_t *sum, int table, const char *line, apr_size_t length);

apr_int64_t ctl_move_sum_rows(const ctl_move_sum_t *sum);

/* SHA-256 of the rows' lines, in hexadecimal digits; on the pool. Ends the sum. */
const char *ctl_move_sum_digest(const ctl_move_sum_t *sum, apr_pool_t *pool);

/* The last line, with the number of rows of each table and the digest, its newline included; on the pool. Ends the sum. */
const char *ctl_move_sum_line(const ctl_move_sum_t *sum, apr_pool_t *pool);

/* Checks that the database has the schema that this program knows. Returns a fault. */
const char *ctl_move_check(ctl_t *ctl);

/* Checks the schema likewise. Then, if the command has neither a configuration nor lines of CatalogField, sets ctl->conf.fields to those that the
 * database knows. Returns a fault. */
const char *ctl_move_take_fields(ctl_t *ctl);

/* The same. From then on, SIGINT and SIGTERM print what to do next. */
const char *ctl_move_begin(ctl_t *ctl);

#endif
