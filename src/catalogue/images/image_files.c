/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of CatalogImageCache. httpd sends them as it sends any file: with sendfile, ranges and conditions. They are copies of what the
 * database has, made when a picture is asked for that has none, so the directory may be emptied at any time.
 *
 *     01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-640.webp     a size of a picture; its time is that in the id, so servers agree on its ETag
 *     .fill-Xy3aQz                                      is being written
 *     .lock-07                                          is locked by the thread that makes a file of this number
 *
 * The names of the files have one of TURNS numbers, and each number is one thread's at a time, among all children: so requests that come at once
 * for a picture without a file make it once, and no client can have more made at the same time. The kernel takes the lock from a child that
 * is killed; what it has left of a file, a job removes.
 *
 * Which pictures were deleted is in the table deleted_images for a day. A job of each server reads it every few seconds, and removes the files that
 * the server has of them. A second one asks the database for each picture in the directory, when the server starts and once an hour: for a
 * few of them in each run. So it finds what the first one has missed: a database that was restored, a server that was away for long.
 */
#include "catalogue/images/image_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/images/image_store.h"
#include "catalogue/product/product_images.h"
#include "lib/hash.h"
#include "lib/id.h"
#include "lib/time.h"

#define END ".webp"

#define UNFINISHED ".fill-"
#define UNFINISHED_TIME apr_time_from_sec(20) /* without a write */

#define LOCK ".lock-"
#define TURNS 32
#define PATIENCE apr_time_from_sec(10)
#define PAUSE apr_time_from_msec(5)

/* Transactions that delete pictures may be committed in another order than that of their times, and clocks of servers differ. */
#define OVERLAP apr_time_from_sec(30)
#define KEPT apr_time_from_sec(86400)
#define DELETED_PAGE 500 /* rows of SQL_IMAGE_DELETED */

#define SHARES 120 /* of all pictures: the first run of the job looks at all, each later one at the next share */
#define ALL SHARES

/* ---- names ---- */

int cat_image_files_parse(apr_pool_t *pool, const char *name, const char **size)
{
    apr_size_t length = strlen(name), digits;
    const char *width = name + CAT_ID_LENGTH + 1;

    if (length < CAT_ID_LENGTH + sizeof("-1" END) - 1 || name[CAT_ID_LENGTH] != '-' ||
        !cat_id_check(apr_pstrmemdup(pool, name, CAT_ID_LENGTH))) {
        return 0;
    }
    digits = strspn(width, "0123456789");
    *size = apr_pstrmemdup(pool, name, CAT_ID_LENGTH + 1 + digits);
    return digits >= 1 && digits <= 4 && *width != '0' && !strcmp(width + digits, END);
}

const char *cat_image_files_path(apr_pool_t *pool, const cat_conf_t *conf, const char *name)
{
    return apr_pstrcat(pool, conf->image_cache, "/", name, NULL);
}

int cat_image_files_exist(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && info.st_size > 0;
}

/* ---- making one ---- */

static apr_status_t note_fault(const cat_db_t *db, apr_status_t rv)
{
    cat_log(db->log, CAT_LOG_ERROR, rv, "CAT108: a picture cannot be written to CatalogImageCache %s",
            db->conf->image_cache);
    return CAT_ENOFILE;
}

/* An id begins with its time. */
static apr_time_t time_of(apr_pool_t *pool, const char *id)
{
    char *digits = apr_pstrcat(pool, apr_pstrmemdup(pool, id, 8), apr_pstrmemdup(pool, id + 9, 4), NULL);

    return apr_time_from_msec(apr_strtoi64(digits, NULL, 16));
}

typedef struct filling_t {
    cat_db_t *db;
    char *name; /* a pattern, until the file is there */
    int fd;     /* -1: there is none */
} filling_t;

static apr_status_t write_part(void *filling, const char *data, apr_size_t length)
{
    filling_t *f = filling;

    if (f->fd < 0) {
        f->fd = mkostemp(f->name, O_CLOEXEC);
        if (f->fd < 0) {
            return note_fault(f->db, errno);
        }
    }
    while (length > 0) {
        ssize_t written = write(f->fd, data, length);
        if (written < 0 && errno != EINTR) {
            return note_fault(f->db, errno);
        }
        data += written > 0 ? written : 0;
        length -= written > 0 ? (apr_size_t)written : 0;
    }
    return APR_SUCCESS;
}

/* It gets its name in one step, so that no reader sees a part of it; and not before the disk has it, so that none does after a power failure
 * either. */
static apr_status_t finish_file(const filling_t *f, const char *path, const char *size, apr_status_t rv)
{
    if (rv == APR_SUCCESS && fdatasync(f->fd) != 0) {
        rv = note_fault(f->db, errno);
    }
    if (close(f->fd) != 0 && rv == APR_SUCCESS) {
        rv = note_fault(f->db, errno);
    }
    if (rv == APR_SUCCESS) {
        apr_file_mtime_set(f->name, time_of(f->db->pool, size), f->db->pool);
        rv = rename(f->name, path) == 0 ? APR_SUCCESS : note_fault(f->db, errno);
    }
    if (rv != APR_SUCCESS) {
        unlink(f->name);
    }
    return rv;
}

static apr_status_t make_file(cat_db_t *db, const char *path, const char *size)
{
    filling_t f = {db, apr_pstrcat(db->pool, db->conf->image_cache, "/" UNFINISHED "XXXXXX", NULL), -1};
    apr_status_t rv = cat_image_store_read(db, size, write_part, &f);

    return f.fd < 0 ? rv : finish_file(&f, path, size, rv);
}

/* APR_SUCCESS: it is this thread's turn until *lock is closed. APR_EEXIST: another one has made the file meanwhile. */
static apr_status_t take_turn(const cat_db_t *db, const char *path, const char *size, int *lock)
{
    const char *name =
        apr_psprintf(db->pool, "%s/" LOCK "%02d", db->conf->image_cache, (int)(cat_hash(size, strlen(size)) % TURNS));
    apr_time_t end = cat_time_monotonic() + PATIENCE;

    *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*lock < 0) {
        return note_fault(db, errno);
    }
    while (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        if (cat_image_files_exist(path)) {
            return APR_EEXIST;
        }
        if (cat_time_monotonic() > end) {
            return APR_EAGAIN;
        }
        apr_sleep(PAUSE);
    }
    return cat_image_files_exist(path) ? APR_EEXIST : APR_SUCCESS;
}

apr_status_t cat_image_files_make(cat_db_t *db, const char *path, const char *size, int *made)
{
    int lock;
    apr_status_t rv = take_turn(db, path, size, &lock);

    *made = rv == APR_SUCCESS;
    if (rv == APR_SUCCESS) {
        rv = make_file(db, path, size);
    }
    if (lock >= 0) {
        close(lock);
    }
    return rv == APR_EEXIST ? APR_SUCCESS : rv;
}

/* ---- the job that removes those of deleted pictures ---- */

typedef struct removal_t {
    const cat_conf_t *conf;
    apr_pool_t *pool; /* of a page */
    const char *after[2];
    int count; /* of the page */
} removal_t;

static apr_status_t remove_files(void *removal, const char *const *values, int count)
{
    removal_t *r = removal;
    const cat_image_t image = {.id = values[1], .width = atoi(values[2])};
    int widths[CAT_IMAGES_SIZES_MOST], sizes = cat_product_images_widths(&image, widths);

    (void)count;
    for (int i = 0; i < sizes; i++) {
        unlink(apr_psprintf(r->pool, "%s/%s-%d" END, r->conf->image_cache, image.id, widths[i]));
    }
    r->after[0] = apr_pstrdup(r->pool, values[0]);
    r->after[1] = apr_pstrdup(r->pool, values[1]);
    r->count++;
    return APR_SUCCESS;
}

/* Pages take turns with two pools, as a page begins behind a key of the one before. */
static apr_status_t remove_deleted(cat_job_t *job, apr_time_t since)
{
    removal_t r = {job->conf, NULL, {cat_time_store(job->pool, since), ""}, 0};
    apr_pool_t *before = job->pool;
    apr_status_t rv;

    do {
        apr_pool_create(&r.pool, job->pool);
        r.count = 0;
        rv = cat_db_each(cat_db_another(job->db, r.pool), SQL_IMAGE_DELETED, CAT_VALUES(r.after[0], r.after[1]),
                         remove_files, &r);
        if (before != job->pool) {
            apr_pool_destroy(before);
        }
        before = r.pool;
    } while (rv == APR_SUCCESS && r.count == DELETED_PAGE && !cat_job_must_stop(job));
    return rv;
}

cat_job_result_t cat_image_files_run(cat_job_t *job)
{
    apr_time_t now = apr_time_now(), since = *job->last ? *job->last - OVERLAP : now - KEPT;

    if (!job->conf->images) {
        return CAT_JOB_DONE;
    }
    if (remove_deleted(job, since) != APR_SUCCESS) {
        return CAT_JOB_FAILED;
    }
    *job->last = now;
    return CAT_JOB_DONE;
}

/* ---- the job that looks at all files ---- */

typedef struct sweep_t {
    cat_job_t *job;
    apr_pool_t *pool; /* of a file */
    apr_uint64_t share;
    apr_hash_t *gone; /* by id: "1" if the database has no such picture, else "" */
    apr_status_t rv;
} sweep_t;

static void remove_unfinished(const sweep_t *s, const char *path)
{
    apr_finfo_t info;

    if (apr_stat(&info, path, APR_FINFO_MTIME, s->pool) == APR_SUCCESS &&
        apr_time_now() - info.mtime > UNFINISHED_TIME) {
        unlink(path);
    }
}

static int is_gone(sweep_t *s, const char *id)
{
    const char *known = apr_hash_get(s->gone, id, APR_HASH_KEY_STRING), *const * row;

    if (!known) {
        apr_status_t rv = cat_db_one(cat_db_another(s->job->db, s->pool), SQL_IMAGE_EXISTS, CAT_VALUES(id), &row);
        s->rv = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
        known = rv == APR_NOTFOUND ? "1" : "";
        apr_hash_set(s->gone, apr_pstrdup(s->job->pool, id), APR_HASH_KEY_STRING, known);
    }
    return *known != 0;
}

static void sweep_file(sweep_t *s, const char *name)
{
    const char *path = cat_image_files_path(s->pool, s->job->conf, name), *size, *id;

    if (!strncmp(name, UNFINISHED, sizeof(UNFINISHED) - 1)) {
        remove_unfinished(s, path);
    } else if (cat_image_files_parse(s->pool, name, &size)) {
        id = apr_pstrmemdup(s->pool, size, CAT_ID_LENGTH);
        if ((s->share == ALL || cat_hash(id, CAT_ID_LENGTH) % SHARES == s->share) && is_gone(s, id)) {
            unlink(path);
        }
    }
}

/* A directory that is not there is in the log when a request needs a file. */
static apr_status_t sweep_files(sweep_t *s)
{
    DIR *directory = opendir(s->job->conf->image_cache);
    const struct dirent *entry;

    apr_pool_create(&s->pool, s->job->pool);
    while (directory && s->rv == APR_SUCCESS && !cat_job_must_stop(s->job) && (entry = readdir(directory))) {
        apr_pool_clear(s->pool);
        sweep_file(s, entry->d_name);
    }
    if (directory) {
        closedir(directory);
    }
    return s->rv;
}

static apr_status_t note_orphan(void *found, const char *const *values, int count)
{
    (void)values, (void)count;
    *(int *)found = 1;
    return CAT_ENOUGH;
}

static apr_status_t drop_orphans(void *db)
{
    return cat_product_images_drop_all(db, NULL);
}

static apr_status_t delete_orphans(cat_db_t *db)
{
    int found = 0;
    apr_status_t rv = cat_db_each(db, SQL_IMAGE_ORPHANS, CAT_NO_VALUES, note_orphan, &found);

    return rv == APR_SUCCESS && found ? cat_db_transact(db, drop_orphans, db) : rv;
}

static apr_status_t forget_deleted(const cat_job_t *job)
{
    return cat_db_exec(job->db, SQL_IMAGE_FORGET, CAT_VALUES(cat_time_store(job->pool, apr_time_now() - KEPT)), NULL);
}

/* job->last counts the runs. */
cat_job_result_t cat_image_files_sweep(cat_job_t *job)
{
    sweep_t s = {.job = job, .share = *job->last ? *job->last % SHARES : ALL, .gone = apr_hash_make(job->pool)};
    apr_status_t rv;

    if (!job->conf->images) {
        return CAT_JOB_DONE;
    }
    rv = delete_orphans(job->db);
    if (rv == APR_SUCCESS && (s.share == ALL || s.share == 0)) {
        rv = forget_deleted(job);
    }
    rv = rv == APR_SUCCESS ? sweep_files(&s) : rv;
    if (rv == APR_SUCCESS && !cat_job_must_stop(job)) {
        ++*job->last;
    }
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
