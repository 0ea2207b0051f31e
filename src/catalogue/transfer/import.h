/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_IMPORT_H
#define CAT_CATALOGUE_IMPORT_H

#include "catalogue/transfer/row_reader.h"
#include "db/db.h"

/*
 * Stores a file of products. First all of it is read and checked, row by row, into a spool; then, if no row is bad, the
 * spool is stored. So a bad row stores nothing, and a file of any size takes the memory of a few rows. Used by one
 * thread.
 */
typedef struct cat_import_t cat_import_t;

typedef struct cat_import_result_t cat_import_result_t;

/* Rows of one transaction; a longer file is stored in several, if the client agrees. Each transaction has CAT_IMPORT_BATCH rows. Where the
 * database has one writer at a time, a transaction stores steps of CAT_IMPORT_STEP rows, or fewer where they have CAT_IMPORT_STEP_BYTES, until
 * it has taken CAT_IMPORT_TIME or has CAT_IMPORT_POSTINGS words and keys; it has CAT_IMPORT_ATOMIC_MAX rows at most. */
#define CAT_IMPORT_ATOMIC_MAX 10000
#define CAT_IMPORT_POSTINGS 80000
#define CAT_IMPORT_BATCH 1000
#define CAT_IMPORT_STEP 100
#define CAT_IMPORT_STEP_BYTES 65536
#define CAT_IMPORT_TIME apr_time_from_msec(200)

#define CAT_IMPORT_ERRORS_MAX 100 /* that are described */

typedef struct cat_import_options_t {
    /* may_update: a row with an id updates that product, otherwise ids are ignored. key: not CAT_PRODUCT_ID, then a row updates the
     * product that has its value of that field, and creates one if none has. */
    cat_row_options_t rows;
    int is_dry; /* flag: check only */
    /* Flag: an error has "begin" and "end", where its row is in the file; without "end" it says that the rest, from there,
     * cannot be read. */
    int tells_places;
    int in_batches; /* flag: more rows than CAT_IMPORT_ATOMIC_MAX are stored in several transactions */
    /* Runs a transaction; NULL: cat_products_transact. */
    apr_status_t (*transact)(void *baton, cat_work_t *work, void *work_baton);
    /* Called after each transaction; may be NULL. */
    void (*progress)(void *baton, apr_int64_t stored);
    /* Called within each transaction, once all that it stores is written, with what the import has then done; may be NULL.
     * The transaction may still fail, or run again. */
    void (*finish)(void *baton, const cat_import_result_t *result);
    /* Called with each product that a transaction creates, once it is written, and with NULL when a transaction begins, perhaps
     * again; with is_dry, with the product that each good row would store. May be NULL. */
    void (*note)(void *baton, const char *const *product);
    void *baton;
    /* Called with each row that can be read; may be NULL. Returns NULL, or what is wrong with *field. */
    const char *(*look)(void *baton, const json_t *row, const char **field);
    void *look_baton;
} cat_import_options_t;

/* What an import found and did. With is_dry, what it would have done. */
struct cat_import_result_t {
    apr_int64_t rows; /* read */
    apr_int64_t failed;
    apr_int64_t octets; /* of the file, up to the end of the last row */
    apr_int64_t created, updated, unchanged;
    apr_int64_t stored;          /* rows that are in the database, updated or not */
    json_t *errors;              /* array of {row, line, field, code, message}, in the order of the rows */
    apr_array_header_t *ignored; /* const char *: unknown fields, the first CAT_FIELDS_UNKNOWN_MAX */
};

/* A row is refused: see the errors. The file has more rows than one transaction. Both differ from all statuses of
 * db/dialects/status.h and of catalogue/product/products.h, and are not logged. */
#define CAT_EREFUSED (APR_OS_START_USERERR + 21)
#define CAT_ETOOMANY (APR_OS_START_USERERR + 22)

/* db: for the transactions; its pool is the import's. CAT_EFILLING: of the key (catalogue/product/product_name.h). */
apr_status_t cat_import_make(cat_db_t *db, const cat_import_options_t *options, cat_import_t **import);

/* Reads a piece of the file; length 0: its end. CAT_EREFUSED, CAT_ETOOMANY: there is no need to read on. Other failures
 * have been logged. */
apr_status_t cat_import_feed(cat_import_t *import, const char *data, apr_size_t length);

/* rv: of a reader of CSV (lib/csv.h), which logs nothing. Logs that it could not convert the file, if that is what rv says. */
void cat_import_report_encoding(const cat_log_t *log, apr_status_t rv);

/* After the end of the file: stores it, unless it is_dry. CAT_EREFUSED: there are errors. Other failures are those of
 * db/db.h; result->stored says how many rows are in the database nevertheless, 0 for a file of one transaction. What it
 * creates is in the list in the order of the rows, the last one newest. */
apr_status_t cat_import_store(cat_import_t *import);

const cat_import_result_t *cat_import_result(const cat_import_t *import);

#endif
