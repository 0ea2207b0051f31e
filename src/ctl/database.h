/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_DATABASE_H
#define CTL_DATABASE_H

#include "ctl/ctl.h"
#include "db/db.h"

/*
 * Opens ctl->db for ctl->site. If root runs this, the process becomes the user of httpd's children: files it creates belong
 * to them, and what they may not do fails here too. make: create a missing database, and update its schema.
 * Returns a fault.
 */
const char *ctl_database_open(ctl_t *ctl, int make);

/* *fields: of an array of lines of CatalogField, which have been through httpd, or are options; NULL: there are none. Returns a fault. */
const char *ctl_database_read_fields(apr_pool_t *pool, const json_t *lines, const cat_fields_t **fields);

/*
 * Runs work in a transaction, and repeats it from the start while the database is locked, because the server's write
 * lock does not cover this program; then yields. Any status but APR_SUCCESS rolls back and is returned; faults of the
 * database have been logged.
 */
apr_status_t ctl_database_write(ctl_t *ctl, cat_work_t *work, void *baton);

/* After a transaction, which began at that cat_time_monotonic(): where there is one writer at a time, the writers of the server go first
 * once this program has written for long enough. */
void ctl_database_yield(ctl_t *ctl, apr_time_t begun);

#endif
