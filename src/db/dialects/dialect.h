/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DIALECTS_DIALECT_H
#define CAT_DB_DIALECTS_DIALECT_H

#include <apr_errno.h>
#include <apr_pools.h>

#include "shm/metrics.h"

typedef enum {
#define STATEMENT(name, text) name,
#include "db/dialects/sql.def"
    SQL_COUNT
} cat_sql_t;

/* A setting that a database should have; catalogctl check looks at it. */
typedef struct cat_trait_t {
    const char *name;
    const char *ask;
    const char *want;
    const char *advice; /* how to mend it; NULL: that is not known */
    int for_texts;      /* flag: without it not every text can be stored, so servers look too */
} cat_trait_t;

/* A failure, in the driver's words; valid until the connection is used again. */
typedef struct cat_fault_t {
    int result;        /* the driver's result code, not 0 */
    const char *state; /* SQLSTATE; NULL: the driver has none */
    const char *text;
    int is_lost; /* flag: the driver knows that the connection is gone */
} cat_fault_t;

/* What differs in texts that are made at run time (catalogue/search/select_text.h). */
typedef struct cat_syntax_t {
    const char *use_index,
        *use_index_end;      /* behind a table, around the name of the only index to read it by; or NULL */
    const char *primary_key; /* the name of its index, if a walk by it must have it; or NULL */
    const char *join;        /* joins two tables, the left one being read first */
    const char *integer;     /* a placeholder whose value is compared with a column of numbers */
    const char *row_integer; /* the same within a row value; NULL: compares_rows is 0 */
    const char *octets;      /* the same for a column of octets, such as a key; a constant in the eyes of the planner */
    const char *plan_by_values; /* a select after which a search is planned by its values; NULL: it always is */
    const char *find;           /* a function (text, part), above 0 if the text contains the part */
    const char *by_octets;      /* behind a column of texts whose own order is the database's: compares octets */
    int ends_distinct;          /* SELECT DISTINCT with a LIMIT ends once it has found as many as that */
    int orders_union; /* UNION with ORDER BY reads selects side by side, each by its index, and ends likewise */
    const char
        *limited;      /* before a select with an order and a LIMIT that is part of a UNION, and ends with ")" there */
    int compares_rows; /* finds row values, (a, b) < (c, d), in an index */
    int pads_blanks;   /* texts that differ in blanks at the end are equal */
    const char *create_index, *create_index_on,
        *create_index_end; /* around the name of an index of products and its columns: creates it while others write */
    const char *drop_index, *drop_index_end; /* around its name: drops it likewise */
    int leaves_rows_out;                     /* an index may have a WHERE */

    /* Two lists in the order of time are read side by side if one has at most this many times the rows of the other; 0: never. By an
     * INTERSECT, or as a join between two selects that tell the planner so. */
    int merges_up_to;
    const char *plan_merge, *plan_merge_end;
    /* Around a text, and before and behind a number: what is above all texts that begin with so many characters of that text and of a blank
     * behind it. NULL: a select that compares a column with a text of another row reads the index from its beginning. */
    const char *above[3];
    int joins_lateral; /* joins a select to each row before it, whose columns it may name (LATERAL) */
    int copies_rows;   /* of each row that a walk passes, it copies all columns that the select has */
    int joins_keys;    /* a join of two rows of product_keys reads the left one first */
} cat_syntax_t;

/* How statements reach a database (db/connection/executor.h): by apr_dbd, or by libpq on the connection that apr_dbd's driver has opened;
 * and what SQLite does without them. */
typedef struct cat_executor_t cat_executor_t;
typedef struct cat_native_t cat_native_t;
extern const cat_executor_t cat_executor_dbd, cat_executor_libpq;
extern const cat_native_t cat_native_sqlite;

/*
 * What differs between the databases behind apr_dbd: each has one of these, constant, in a file of db/dialects/. Lists of texts end
 * with NULL.
 */
typedef struct cat_dialect_t {
    const cat_executor_t *executor;
    const cat_native_t *native;  /* what is done by the database's own library; NULL: nothing is */
    const char *driver;          /* as apr_dbd_name() has it */
    cat_engine_t engine;         /* as metrics have it */
    const char *params;          /* an example of its parameters, as a directive takes them */
    const char *dump;            /* an example of the command that copies a database; NULL: it is a file */
    const char *const *session;  /* sent once on each new connection; none returns a row */
    const char *unlimited;       /* sent after `session` by catalogctl, whose statements have no time limit; or NULL */
    const char *begin;           /* starts a transaction that is going to write */
    const char *abandon;         /* not refused when ROLLBACK is: the server then ends the idle connection; or NULL */
    const char *const *snapshot; /* starts one that reads the same state from beginning to end; none returns a row */
    const char *search;          /* the same for a search, with a %d for its limit in milliseconds; NULL: as snapshot */
    const char *limit;           /* before each select of a search, with a %d for its limit in seconds; or NULL */
    const char *grown;           /* sent after many rows were added: analyzes what is ten times as large; or NULL */
    const char *growing;         /* the same within the transaction that adds them: kept plans are made anew; or NULL */
    const char *prepare;         /* sent by each process that begins to use the database, before a migration; or NULL */
    const char *prepared;        /* what it selects once it has worked */
    const char *const *step;     /* sent before a step of the schema; where one selects 0, another server is at it */
    const char *const *step_end; /* sent after it, whether it went well or was rolled back; may return rows */
    const char *const *define;   /* sent before a definition (db/schema/definition.h), as `step` before a step */
    const char *const *define_end; /* sent after it; may return rows */
    int steps_commit;              /* the database commits within a step by itself: each statement can be run again */
    const char *has_versions;      /* selects 1 when there is a table schema_version, else 0 */
    const char *timeline; /* selects the numbers of cluster and timeline, "N N", the second 0 of a stand-by; or NULL */
    int file;             /* the database is a file, which the parameters name */
    const cat_trait_t *traits; /* ended by one without a name */
    const char *const *needs;  /* what has to stand in the parameters */
    int one_writer;            /* writers take a write lock before they come to the database */
    int locked;                /* the driver's result when others have locked the whole database; 0: there is none */
    /* the driver's result when the session, not the server, refuses a write; 0: the results do not differ, so a new session is tried after any
     * refusal */
    int read_only_session;
    int rolls_back_silently;    /* the database may roll back while a statement is prepared, without saying so */
    int counts_by_hand;         /* no triggers count products: catalogue/product/counts.c writes the delta rows */
    int crashes_on_late_errors; /* the driver crashes if an unprepared SELECT fails while rows are fetched */
    int pool_skips_ping;        /* the driver hands a connection out without asking the database whether it is alive */
    int check_is_round_trip;    /* the driver asks, so each connection that leaves the pool costs a round trip */
    const cat_syntax_t *syntax;
    const char *const *statements; /* by cat_sql_t; NULL: the text in db/dialects/sql.def */
    /* APR_EEXIST, or a status of db/dialects/status.h but CAT_EBUSY and CAT_ECUT. */
    apr_status_t (*judge)(const cat_fault_t *fault);
} cat_dialect_t;

/* An empty list of texts. */
extern const char *const cat_dialect_nothing[];

extern const cat_dialect_t cat_dialect_sqlite3, cat_dialect_mysql, cat_dialect_pgsql;

/* The drivers, on the pool: "sqlite3, mysql or pgsql". */
const char *cat_dialect_names(apr_pool_t *pool);

/* By apr_dbd_name(); NULL: no dialect is known for the driver. */
const cat_dialect_t *cat_dialect_find(const char *driver);

/* What has to be added to the parameters of a connection, as it is; NULL: nothing. */
const char *cat_dialect_lacks(const cat_dialect_t *dialect, apr_pool_t *pool, const char *params);

/* The statement's text, with a %s for each value, and its name for logs and labels ("SQL_PRODUCT_GET"). */
const char *cat_dialect_sql(const cat_dialect_t *dialect, cat_sql_t sql);
const char *cat_dialect_sql_name(cat_sql_t sql);

/* The same for statements whose texts are made at run time. */
#define CAT_DIALECT_GENERATED "a statement made at run time"

#endif
