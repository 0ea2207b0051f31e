/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SPOOL_H
#define CAT_LIB_SPOOL_H

#include <apr_errno.h>
#include <apr_file_io.h>
#include <apr_pools.h>

/*
 * Records in a temporary file, for data that is too large for memory. They are written once and can be read repeatedly.
 * The file has no name, so the system removes it when the process ends, even after a crash. A record is an array of
 * texts, any of which may be NULL. Only one thread at a time may use a spool.
 */
typedef struct cat_spool_t cat_spool_t;

/* Creates a spool in the directory for temporary files (TMPDIR, or /tmp). The pool closes it. */
apr_status_t cat_spool_open(apr_pool_t *pool, cat_spool_t **spool);

/* Appends a record. Returns APR_ENOSPC if the disk is full. After an error, the spool must not be used. */
apr_status_t cat_spool_add(cat_spool_t *spool, const char *const *texts, int count);

/* Set and return the position of the next record to read; position 0 is the first record. Call cat_spool_seek before
 * the first cat_spool_read. No record may be added after that. */
apr_status_t cat_spool_seek(cat_spool_t *spool, apr_off_t position);
apr_off_t cat_spool_tell(cat_spool_t *spool);

/* Reads the texts of the next record, on the pool. Returns APR_EOF after the last record. */
apr_status_t cat_spool_read(cat_spool_t *spool, apr_pool_t *pool, const char **texts, int count);

#endif
