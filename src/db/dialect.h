/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DIALECT_H
#define CAT_DB_DIALECT_H

#include <apr_errno.h>

typedef enum {
#define Q(name, text) name,
#include "db/sql.def"
#undef Q
    SQL_COUNT
} cat_sql_t;

/* A setting that a database should have, for catalogctl to look at. */
typedef struct cat_trait_t {
    const char *name;
    const char *ask;
    const char *want;
} cat_trait_t;

/* A row of THE DIALECT TABLE: what differs between the databases behind apr_dbd. All of it is constant. */
typedef struct cat_dialect_t {
    const char *driver;         /* as apr_dbd_name() has it */
    const char *begin;          /* starts a transaction that is going to write */
    const char *const *session; /* sent once on each new connection; NULL-terminated; none returns a row */
    const char *const *prepare; /* sent once on a database before its first migration; may return rows */
    const char *has_versions;   /* selects 1 when there is a table schema_version, else 0 */
    const char *file; /* selects the file the database lives in, which the parameters name; NULL where it is no file */
    const cat_trait_t *traits; /* ended by one without a name */
    int one_writer;            /* writers take turns before they come to the database */
    int locked;                /* the driver's result when others have locked the whole database; 0: there is none */
    /* What a driver's non-zero result means: APR_EEXIST, CAT_EVALUE, CAT_EDOWN, or APR_EAGAIN when the prepared statement
     * is dead, has not run, and would work if prepared again. */
    apr_status_t (*judge)(int result, const char *text);
} cat_dialect_t;

/* NULL when the driver has no row. */
const cat_dialect_t *cat_dialect_find(const char *driver);

/* The statement's text for apr_dbd_prepare, and its name for logs and labels ("SQL_PRODUCT_GET"). */
const char *cat_dialect_sql(const cat_dialect_t *dialect, cat_sql_t sql);
const char *cat_dialect_sql_name(cat_sql_t sql);

#endif
