/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes are created and dropped while servers read and write. Two processes must not do that at once, and a lock that
 * outlives its holder would stop all that come after.
 *
 *     MariaDB, PostgreSQL   a lock of the session: it ends with the connection, whatever happens to the process
 *     SQLite                flock() on the directory: the kernel ends it with the process; each statement is a transaction
 */
#include "db/schema/definition.h"

#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "db/dialects/status.h"
#include "db/pool/checkout.h"

#define NO_FILE (-1)

/* How long to wait on SQLite for a writer of another program. */
#define LOCK_PATIENCE apr_time_from_sec(60)

struct cat_definition_t {
    cat_db_t *db;
    const cat_dialect_t *dialect;
    int lock; /* where the database is a file: a descriptor of its directory */
};

/* Gives the connection back; logs a failure. */
static apr_status_t end_use(cat_db_t *db, apr_status_t rv)
{
    cat_checkout_give_up(db, &rv);
    cat_checkout_release(db);
    return rv;
}

/* ---- a file ---- */

static apr_status_t lock_directory(cat_definition_t *d, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *directory = slash ? apr_pstrmemdup(d->db->pool, file, (apr_size_t)(slash + 1 - file)) : ".";
    apr_status_t rv;

    d->lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->lock != NO_FILE && flock(d->lock, LOCK_EX | LOCK_NB) == 0) {
        return APR_SUCCESS;
    }
    rv = errno;
    if (rv == EWOULDBLOCK) {
        rv = CAT_EBUSY;
    } else {
        cat_log(d->db->log, CAT_LOG_ERROR, rv, "CAT064: %s: the directory %s cannot be locked",
                d->db->use->source->name, directory);
        rv = CAT_EDOWN;
    }
    if (d->lock != NO_FILE) {
        close(d->lock);
    }
    return rv;
}

/* Other programs do not know the write lock of this process, so SQLite's own is waited for. */
static apr_status_t run_in_transaction(const cat_definition_t *d, const char *text)
{
    cat_db_t *db = d->db;
    apr_status_t rv = cat_checkout_connect(db, CAT_TO_WRITE);

    if (rv == APR_SUCCESS) {
        rv = cat_connection_begin(db->use->conn, apr_time_now() + LOCK_PATIENCE);
    }
    if (rv == APR_SUCCESS) {
        cat_checkout_enter_transaction(db);
        rv = cat_connection_send(db->use->conn, text);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_connection_commit(db->use->conn);
        db->use->in_transaction = rv != APR_SUCCESS;
    }
    return end_use(db, rv);
}

/* ---- a server ---- */

static apr_status_t lock_session(cat_definition_t *d)
{
    cat_db_t *db = d->db;
    apr_status_t rv = cat_connection_ask_all(db->use->conn, db->pool, d->dialect->define);

    if (rv == CAT_ECONFLICT) {
        cat_checkout_release(db);
        return CAT_EBUSY;
    }
    return rv == APR_SUCCESS ? rv : end_use(db, rv);
}

/* The lock is the session's, so after the loss of the connection nothing more is defined. */
static apr_status_t run_in_session(const cat_definition_t *d, const char *text)
{
    apr_status_t rv = d->db->use->conn ? cat_connection_send(d->db->use->conn, text) : CAT_EDOWN;

    if (rv == CAT_ECONFLICT) {
        return CAT_EBUSY;
    }
    return rv == APR_SUCCESS ? rv : end_use(d->db, rv);
}

/* ---- both ---- */

apr_status_t cat_definition_begin(cat_db_t *db, cat_definition_t **definition)
{
    cat_definition_t *d = apr_pcalloc(db->pool, sizeof(*d));
    apr_status_t rv;

    d->db = cat_checkout_make(db->pool, db->conf, db->use->source, db->log);
    d->lock = NO_FILE;
    rv = cat_checkout_connect(d->db, CAT_TO_READ);
    if (rv != APR_SUCCESS) {
        return end_use(d->db, rv);
    }
    d->dialect = cat_connection_dialect(d->db->use->conn);
    if (d->dialect->file) {
        rv = lock_directory(d, cat_connection_file(d->db->use->conn));
        cat_checkout_release(d->db);
    } else {
        rv = lock_session(d);
    }
    *definition = rv == APR_SUCCESS ? d : NULL;
    return rv;
}

apr_status_t cat_definition_run(cat_definition_t *definition, const char *text)
{
    return definition->dialect->file ? run_in_transaction(definition, text) : run_in_session(definition, text);
}

void cat_definition_end(cat_definition_t *definition)
{
    cat_db_t *db = definition->db;

    if (db->use->conn) {
        cat_connection_clean_up(db->use->conn, db->pool, definition->dialect->define_end);
    }
    cat_checkout_release(db);
    if (definition->lock != NO_FILE) {
        close(definition->lock);
    }
}
