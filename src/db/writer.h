/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WRITER_H
#define CAT_DB_WRITER_H

#include "db/db.h"

/*
 * Runs a write: work, in a transaction as cat_db_transact says, or, where is_statement, one statement, which is atomic by itself.
 * Where the database has one writer at a time, the writes that wait in this child for the turn share a transaction: one of their
 * threads runs them all on its connection while the others sleep. Each is kept or taken back by itself, and is answered after the
 * commit. There, all is between BEGIN and COMMIT, single statements too. May keep the connection where there are no turns.
 */
apr_status_t cat_writer_run(cat_db_t *db, cat_work_t *work, void *baton, int is_statement);

#endif
