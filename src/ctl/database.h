/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_DATABASE_H
#define CTL_DATABASE_H

#include "ctl/ctl.h"
#include "db/db.h"

/*
 * Makes ctl->db for ctl->site, as the user of httpd's children where root asks: so what is made belongs to them, and
 * what they may not do fails here too. make: a database that is not there is made, and its schema brought up to date.
 * Returns a fault.
 */
const char *ctl_database_open(ctl_t *ctl, int make);

/*
 * Runs work within a transaction; again from the start when the database is locked, as other programs' writers are
 * not waited for in turns. Any status but APR_SUCCESS rolls back and is returned; the database's own have been
 * logged.
 */
typedef apr_status_t ctl_work_t(ctl_t *ctl, void *baton);
apr_status_t ctl_database_write(ctl_t *ctl, ctl_work_t *work, void *baton);

#endif
