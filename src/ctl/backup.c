/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl backup: copies a SQLite database beside its writers into a temporary file, checks it, and gives it its name only then, so
 * that a file of that name is always a complete backup. It runs as the user who started it, because root's backups are usually in a
 * directory that the server's user may not write to; SQLite gives files that root creates beside a database to the database's owner.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "ctl/ctl.h"
#include "ctl/progress.h"
#include "db/db.h"
#include "db/setup.h"

static const char *const side_files[] = {"-wal", "-shm", "-journal"};

typedef struct backup_t {
    ctl_t *ctl;
    const char *from, *to;
    char *temporary;
    struct stat original;
    int is_checked; /* flag: the copy is complete, and being checked */
    ctl_progress_t progress;
} backup_t;

static const char *explain_errno(apr_pool_t *pool, const char *path)
{
    return apr_psprintf(pool, "%s: %s", path, strerror(errno));
}

/* ---- before ---- */

static const char *check_source(backup_t *b)
{
    const cat_dialect_t *dialect = cat_dialect_find(b->ctl->site.driver);
    apr_pool_t *pool = b->ctl->pool;

    if (!dialect) {
        return apr_psprintf(pool, "the driver %s is not supported", b->ctl->site.driver);
    }
    if (dialect->dump) {
        return apr_psprintf(pool, "backup copies a file of SQLite; this database has a tool of its own; run: %s",
                            dialect->dump);
    }
    if (!cat_database_file_is_path(b->from)) {
        return apr_psprintf(pool, "%s: is not a path; name the database's file with --params", b->from);
    }
    return stat(b->from, &b->original) ? explain_errno(pool, b->from) : NULL;
}

/* Side files of an earlier database would be applied to the new one. */
static const char *check_side_files(const backup_t *b)
{
    for (size_t i = 0; i < sizeof(side_files) / sizeof(side_files[0]); i++) {
        const char *path = apr_pstrcat(b->ctl->pool, b->to, side_files[i], NULL);
        if (access(path, F_OK) == 0) {
            return apr_psprintf(b->ctl->pool, "%s: belongs to another database; remove it, or choose another name",
                                path);
        }
    }
    return NULL;
}

static const char *check_target(const backup_t *b)
{
    struct stat info;

    if (stat(b->to, &info) != 0) {
        return check_side_files(b);
    }
    if (info.st_dev == b->original.st_dev && info.st_ino == b->original.st_ino) {
        return apr_psprintf(b->ctl->pool, "%s: is the database itself", b->to);
    }
    if (!S_ISREG(info.st_mode)) {
        return apr_psprintf(b->ctl->pool, "%s: is not a file", b->to);
    }
    return b->ctl->options->force
               ? check_side_files(b)
               : apr_psprintf(b->ctl->pool, "%s: exists; choose another name, or replace it with --force", b->to);
}

static const char *make_temporary(backup_t *b)
{
    apr_file_t *file;
    char reason[120];
    char *name = apr_pstrcat(b->ctl->pool, b->to, ".XXXXXX", NULL);
    apr_status_t rv = apr_file_mktemp(&file, name, APR_FOPEN_CREATE | APR_FOPEN_EXCL | APR_FOPEN_WRITE, b->ctl->pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(b->ctl->pool, "%s: cannot be created: %s", b->to, apr_strerror(rv, reason, sizeof(reason)));
    }
    apr_file_close(file);
    b->temporary = name;
    return NULL;
}

/* ---- copying ---- */

/* Blocked, so that a signal is noticed between two portions and the temporary file is removed. */
static void block_signals(sigset_t *former)
{
    sigset_t stops;

    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    sigprocmask(SIG_BLOCK, &stops, former);
}

static int is_stopped(void)
{
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP);
}

static int show_progress(void *baton, apr_int64_t done, apr_int64_t total)
{
    backup_t *b = baton;

    if (done < total || !b->is_checked) {
        b->progress.total = total;
        ctl_progress_show(&b->progress, done >> 20, done);
    }
    if (done == total && !b->is_checked) {
        b->is_checked = 1;
        ctl_progress_name(&b->progress, "checking the copy");
    }
    return is_stopped();
}

/* ---- after ---- */

/* Only root may give a file away. */
static const char *take_over_access(const backup_t *b)
{
    if ((geteuid() == 0 && chown(b->temporary, b->original.st_uid, b->original.st_gid) != 0) ||
        chmod(b->temporary, b->original.st_mode & 0777) != 0) {
        return explain_errno(b->ctl->pool, b->temporary);
    }
    return NULL;
}

/* link() refuses a name that is there, but some file systems have no links. */
static const char *give_name(backup_t *b)
{
    int result = b->ctl->options->force ? -1 : link(b->temporary, b->to);

    if (result == 0) {
        return NULL; /* the temporary name is removed in the end */
    }
    if (!b->ctl->options->force && errno == EEXIST) {
        return apr_psprintf(b->ctl->pool, "%s: exists now; choose another name, or replace it with --force", b->to);
    }
    return rename(b->temporary, b->to) != 0 ? explain_errno(b->ctl->pool, b->to) : NULL;
}

/* So that the name survives a power failure, too. */
static const char *sync_directory(const backup_t *b)
{
    const char *slash = strrchr(b->to, '/');
    const char *path = slash ? apr_pstrmemdup(b->ctl->pool, b->to, (apr_size_t)(slash - b->to) + 1) : ".";
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *fault = directory < 0 || fsync(directory) != 0 ? explain_errno(b->ctl->pool, path) : NULL;

    if (directory >= 0) {
        close(directory);
    }
    return fault;
}

/* In exclusive mode SQLite leaves its journal behind. */
static void remove_temporary(const backup_t *b)
{
    if (b->temporary) {
        unlink(b->temporary);
        for (size_t i = 0; i < sizeof(side_files) / sizeof(side_files[0]); i++) {
            unlink(apr_pstrcat(b->ctl->pool, b->temporary, side_files[i], NULL));
        }
    }
}

static const char *make_backup(backup_t *b)
{
    const char *fault;

    ctl_progress_begin(&b->progress);
    b->progress.unit = "MiB";
    fault = cat_sqlite_backup_make(b->ctl->pool, b->from, b->temporary, show_progress, b);
    ctl_progress_leave(&b->progress);
    fault = fault ? fault : take_over_access(b);
    fault = fault ? fault : give_name(b);
    return fault ? fault : sync_directory(b);
}

int ctl_backup_run(ctl_t *ctl)
{
    backup_t b = {.ctl = ctl, .from = ctl->site.params, .to = ctl->args[0]};
    const char *fault = check_source(&b);
    sigset_t former;

    fault = fault ? fault : check_target(&b);
    block_signals(&former);
    fault = fault ? fault : make_temporary(&b);
    fault = fault ? fault : make_backup(&b);
    remove_temporary(&b);
    sigprocmask(SIG_SETMASK, &former, NULL); /* a signal that came ends the process here */
    if (!fault) {
        puts(b.to);
    }
    return fault ? ctl_fail(NULL, fault) : CTL_DONE;
}
