/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl changes: lists the batches of changes of products, and undoes one of them as POST /changes/batches/:batch/undo does.
 *
 *     up to 10,000 changes    undone here, in one transaction
 *     more                    a row of bulk_jobs, on which a server of the mount works: so the mount must be known
 */
#include <stdio.h>

#include <apr_strings.h>

#include "catalogue/bulk.h"
#include "ctl/ctl.h"
#include "ctl/table.h"

/* ---- list ---- */

#define LISTED "100"

/* The columns of SQL_BATCHES_PAGE. */
static const cat_field_t columns[] = {
    {.name = "batch", .kind = CAT_NUMBER},  {.name = "at", .kind = CAT_TIME},
    {.name = "userId", .kind = CAT_STRING}, {.name = "source", .kind = CAT_STRING},
    {.name = "rows", .kind = CAT_NUMBER},   {.name = "undone", .kind = CAT_BOOLEAN},
    {.name = "undoes", .kind = CAT_NUMBER}, {.name = "username", .kind = CAT_STRING},
};

#define COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))

typedef struct listing_t {
    ctl_table_t table;
    apr_pool_t *pool;
} listing_t;

static apr_status_t print_row(void *baton, const char *const *row, int)
{
    listing_t *l = baton;

    ctl_table_row(&l->table, l->pool, row);
    return APR_SUCCESS;
}

int ctl_changes_list(ctl_t *ctl)
{
    listing_t l = {{.fields = columns, .count = COLUMNS, .json = ctl->options->json}, ctl->pool};
    apr_status_t rv;

    ctl_table_begin(&l.table);
    rv = cat_db_each(ctl->db, SQL_BATCHES_PAGE, CAT_VALUES(CAT_BATCH_MOST, LISTED, "0"), print_row, &l);
    ctl_table_end(&l.table);
    return rv == APR_SUCCESS ? CTL_DONE : CTL_FAILED;
}

/* ---- undo ---- */

typedef struct undoing_t {
    ctl_t *ctl;
    cat_undo_t undo;
    const char *const *job; /* of a large batch */
} undoing_t;

/* CAT_ECHANGED takes all back: no server would ever work on the job. */
static apr_status_t begin_job(void *baton, const char *request)
{
    const undoing_t *u = baton;

    return u->ctl->site.undo_mount ? cat_bulk_job_insert_within(u->ctl->db, u->job, request) : CAT_ECHANGED;
}

static apr_status_t note_undo(void *baton)
{
    const undoing_t *u = baton;
    ctl_t *ctl = u->ctl;
    cat_audit_entry_t entry;

    cat_audit_begin(&entry, ctl->pool, CAT_AUDIT_CHANGES_UNDO, NULL, ctl->args[0]);
    return cat_audit_store(&entry, ctl->db, &ctl->actor, ctl->now);
}

static void print_result(const cat_bulk_result_t *result)
{
    const json_t *error;
    size_t i;

    printf("%d products restored, %d already as they were, %d left as they are\n", (int)result->changed,
           (int)result->unchanged, (int)result->failed);
    json_array_foreach (result->errors, i, error) {
        printf("%s\t%s\n", json_string_value(json_object_get(error, "id")),
               json_string_value(json_object_get(error, "message")));
    }
}

static int report(const undoing_t *u)
{
    static const char *const faults[] = {
        [CAT_UNDO_UNKNOWN] = "there is no such batch",
        [CAT_UNDO_ALREADY] = "is undone already, or being undone",
        [CAT_UNDO_RUNNING] = "has not ended yet",
        [CAT_UNDO_GONE] = "is older than the history, which no longer has all of it",
    };
    const cat_undo_t *undo = &u->undo;

    if (undo->outcome == CAT_UNDO_DONE) {
        print_result(&undo->result);
        return CTL_DONE;
    }
    if (undo->outcome == CAT_UNDO_BEGUN && !u->ctl->site.undo_mount) {
        return ctl_fail(u->ctl->args[0], "has more than 10,000 changes, which a server undoes: leave out --driver");
    }
    if (undo->outcome == CAT_UNDO_BEGUN) {
        printf("a server of the mount undoes it in portions: GET /products/batch/%s says how far it is\n",
               u->job[CAT_BULK_JOB_ID]);
        return CTL_DONE;
    }
    return ctl_fail(u->ctl->args[0], faults[undo->outcome]);
}

int ctl_changes_undo(ctl_t *ctl)
{
    undoing_t u = {.ctl = ctl, .job = cat_bulk_job_make(ctl->pool, 0, "", ctl->now)};

    if (!ctl->site.history) {
        return ctl_fail(NULL, "CatalogHistory is Off, so the undo could not be undone");
    }
    if (!u.job) {
        return ctl_fail(NULL, "the system provides no random numbers");
    }
    ctl->conf.mount = ctl->site.undo_mount ? ctl->site.undo_mount : "";
    ctl->author.source = CAT_SOURCE_UNDO;
    ctl->author.undoes = cat_undo_parse_batch(ctl->args[0]);
    u.undo = (cat_undo_t){
        .db = ctl->db, .batch = ctl->author.undoes, .begin_job = begin_job, .finish = note_undo, .baton = &u};
    return cat_undo_run(&u.undo) == APR_SUCCESS ? report(&u) : CTL_FAILED;
}
