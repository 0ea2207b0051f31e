/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_SPOOL_H
#define CAT_LIB_SPOOL_H

#include <apr_errno.h>
#include <apr_file_io.h>
#include <apr_pools.h>

/*
 * Records in a temporary file: what is too large for memory is written once, then read as often as needed. The file has
 * no name, so the system removes it when the process ends, however that happens. A record is an array of texts, any of
 * which may be NULL. Used by one thread at a time.
 */
typedef struct cat_spool_t cat_spool_t;

/* Opens a new spool in the directory for temporary files (TMPDIR, or /tmp); the pool closes it. */
apr_status_t cat_spool_open(apr_pool_t *pool, cat_spool_t **spool);

/* Adds a record. APR_ENOSPC: the disk is full. After a failure the spool is of no more use. */
apr_status_t cat_spool_add(cat_spool_t *spool, const char *const *texts, int count);

/* Where the next record is read. Call _seek before the first _read: 0 is the first record. No record is added after it. */
apr_status_t cat_spool_seek(cat_spool_t *spool, apr_off_t position);
apr_off_t cat_spool_tell(cat_spool_t *spool);

/* Reads the next record's texts, on the pool. APR_EOF: there is none. */
apr_status_t cat_spool_read(cat_spool_t *spool, apr_pool_t *pool, const char **texts, int count);

#endif
