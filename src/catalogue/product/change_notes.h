/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CHANGE_NOTES_H
#define CAT_CATALOGUE_CHANGE_NOTES_H

#include "catalogue/product/product.h"
#include "db/db.h"

/*
 * Each write of a product notes in its own transaction what it changed (CatalogHistory). Only catalogue/product/products.c calls
 * cat_change_notes_add; how the notes are read is in catalogue/changes/changes.h.
 */

/* What the changes of a request come from. */
#define CAT_SOURCE_REQUEST "request" /* one product */
#define CAT_SOURCE_BATCH "batch"
#define CAT_SOURCE_IMPORT "import"
#define CAT_SOURCE_UNDO "undo"
#define CAT_SOURCE_CTL "catalogctl"

/*
 * The user who writes by a cat_db_t, which has this as `author`, and the batch that the changes belong to: all writes of an author are one
 * batch. But if its source is CAT_SOURCE_REQUEST, each write of a product is a batch of its own.
 */
typedef struct cat_author_t {
    const char *user_id; /* NULL: none, or not known */
    const char *source;  /* one of those above */
    apr_int64_t undoes;  /* the batch that is undone; 0: none */
    int is_open;         /* flag: more transactions of the batch will follow this one */
    /* Results, 0 for CAT_SOURCE_REQUEST. batch: the id of the batch, as soon as the transaction has noted a change. stored: the same once
     * that is committed (cat_change_notes_keep). To go on with a batch that is there, set stored to its id. */
    apr_int64_t batch, stored;
} cat_author_t;

/* What an operation does to a product. */
#define CAT_CHANGE_CREATE "create"
#define CAT_CHANGE_UPDATE "update"
#define CAT_CHANGE_DELETE "delete"

typedef struct cat_change_note_t {
    const char *op, *product_id;
    const char *former; /* NULL: of a creation */
} cat_change_note_t;

/* Does the mount keep a history? */
int cat_change_notes_are_kept(const cat_db_t *db);

/* What an update has overwritten, as the column `former` has it, on the pool of db; NULL: it changed nothing but fields that say when. Both
 * are rows. And what a deletion has. */
const char *cat_change_notes_compare(const cat_db_t *db, const char *const *before, const char *const *after);
const char *cat_change_notes_whole(apr_pool_t *pool, const char *const *row);

/* The row of the product as it was before the change that noted `former`, on the pool; NULL: there was none. row: as it was after it;
 * NULL: there was none. */
const char *const *cat_change_notes_revert(apr_pool_t *pool, const char *id, const char *const *row,
                                           const char *former);

/* Within a transaction that the caller has begun: notes changes, which are written with others when the transaction's work ends
 * (cat_change_notes_run), or at once where no such work is under way. */
apr_status_t cat_change_notes_add(cat_db_t *db, const cat_change_note_t *notes, int count);

/* Notes changes of several requests, each of which is a batch; authors: of each, NULL for none. */
apr_status_t cat_change_notes_add_each(cat_db_t *db, const cat_change_note_t *notes, const cat_author_t *const *authors,
                                       int count);

/* As cat_db_attempt, for work that writes several products: if it fails, what it has noted is forgotten. */
apr_status_t cat_change_notes_attempt(cat_db_t *db, cat_work_t *work, void *baton);

/* After the commit of a transaction: further ones go on with its batch, unless each is a batch of its own. */
void cat_change_notes_keep(const cat_db_t *db);

/* No further ones will go on with it, although is_open said so. */
apr_status_t cat_change_notes_close(cat_db_t *db);

/* Work for cat_db_transact: runs that of the baton, and then writes the notes that it made. */
typedef struct cat_noted_work_t {
    cat_db_t *db;
    cat_work_t *work;
    void *baton;
} cat_noted_work_t;
cat_work_t cat_change_notes_run;

#endif
