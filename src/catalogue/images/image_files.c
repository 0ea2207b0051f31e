/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of CatalogImageCache. httpd sends them as it sends any file: with sendfile, ranges and conditions. They are copies of what the
 * database has, made when a picture is asked for that has none, so the directory may be emptied at any time.
 *
 *     01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-640.webp     a size of a picture; its time is that in the id, so servers agree on its ETag
 *     .fill/Xy3aQz                                      is being written
 *     .lock-07                                          is locked by the thread that makes a file of this number
 *
 * The names of the files have one of TURNS numbers, and each number is one thread's at a time, among all children: so requests that come at once
 * for a picture without a file make it once, and no client can have more made at the same time. The kernel takes the lock from a child that
 * is killed; what it has left of a file, a job removes.
 *
 * A job of each server runs every few seconds. What it does costs as much as there is to do, however many pictures there are:
 *
 *   - The database keeps a picture that was dropped for a while (dropped_at). The job removes the server's files of those that were dropped since
 *     its last run, and deletes from the database what was kept for long enough.
 *   - It goes through the directory, in portions, and asks the database which of them it has: when the server starts, once an hour, and when it
 *     was away for so long that it may have missed what others have deleted. So it finds, too, what is left of a database that was restored.
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
#include "lib/file.h"
#include "lib/hash.h"
#include "lib/id.h"
#include "lib/time.h"

#define END ".webp"

#define UNFINISHED "/.fill"
#define UNFINISHED_TIME apr_time_from_sec(20) /* without a write */

#define LOCK ".lock-"
#define TURNS 32
#define PATIENCE apr_time_from_sec(10)
#define PAUSE apr_time_from_msec(5)

/* Transactions that drop pictures may be committed in another order than that of their times, and clocks of servers differ. */
#define OVERLAP apr_time_from_sec(30)
#define KEPT apr_time_from_sec(60) /* in the database, after the history has forgotten that it was dropped */
#define DROPPED_PAGE 500           /* pictures whose files are removed at once */

#define WALK_INTERVAL apr_time_from_sec(3600)
#define PORTION CAT_DB_PLACES

/* Of a run: the other jobs wait meanwhile. */
#define WALK_TIME apr_time_from_msec(100)
#define PURGE_TIME apr_time_from_msec(500)

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
    char more[CAT_REPEATS_TEXT];

    if (cat_repeats_note(cat_db_image_files(db), cat_time_monotonic(), more)) {
        cat_log(db->log, CAT_LOG_WARNING, rv,
                "CAT108: a picture cannot be written to CatalogImageCache %s, and is sent from the database%s",
                db->conf->image_cache, more);
    }
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

/* Recreates the directory of unfinished files if somebody has emptied the cache. */
static apr_status_t write_part(void *filling, const char *data, apr_size_t length)
{
    filling_t *f = filling;
    apr_status_t rv;

    if (f->fd < 0) {
        mkdir(apr_pstrcat(f->db->pool, f->db->conf->image_cache, UNFINISHED, NULL), 0700);
        f->fd = mkostemp(f->name, O_CLOEXEC);
    }
    rv = f->fd < 0 ? errno : cat_file_write(f->fd, data, length);
    return rv == APR_SUCCESS ? APR_SUCCESS : note_fault(f->db, rv);
}

/* Renames the file only when the disk has all of it, so that no reader sees a part, not even after a power failure. */
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
    filling_t f = {db, apr_pstrcat(db->pool, db->conf->image_cache, UNFINISHED "/XXXXXX", NULL), -1};
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

/* ---- pictures that were dropped ---- */

typedef struct removal_t {
    const cat_conf_t *conf;
    apr_pool_t *pool; /* of a page */
    const char *after[2];
    int count; /* of the page */
} removal_t;

static apr_status_t remove_files(void *removal, const char *const *values, int)
{
    removal_t *r = removal;

    cat_product_images_remove_files(r->pool, r->conf, values[1], atoi(values[2]));
    r->after[0] = apr_pstrdup(r->pool, values[0]);
    r->after[1] = apr_pstrdup(r->pool, values[1]);
    r->count++;
    return APR_SUCCESS;
}

/* Pages take turns with two pools, as a page begins behind a key of the one before. */
static apr_status_t remove_dropped(cat_job_t *job, apr_time_t since)
{
    removal_t r = {job->conf, NULL, {cat_time_store(job->pool, since), ""}, 0};
    apr_pool_t *before = job->pool;
    apr_status_t rv;

    do {
        apr_pool_create(&r.pool, job->pool);
        r.count = 0;
        rv = cat_db_each(cat_db_another(job->db, r.pool), SQL_IMAGE_DROPPED,
                         CAT_VALUES(r.after[0], r.after[0], r.after[1], APR_STRINGIFY(DROPPED_PAGE)), remove_files, &r);
        if (before != job->pool) {
            apr_pool_destroy(before);
        }
        before = r.pool;
    } while (rv == APR_SUCCESS && r.count == DROPPED_PAGE && !cat_job_must_stop(job));
    return rv;
}

/* Deletes those that nothing needs any more. */
static apr_status_t purge_dropped(cat_job_t *job, apr_time_t before)
{
    apr_time_t end = cat_time_monotonic() + PURGE_TIME;
    apr_pool_t *pool;
    apr_status_t rv;
    int deleted;

    apr_pool_create(&pool, job->pool);
    do {
        apr_pool_clear(pool);
        rv = cat_product_images_purge(cat_db_another(job->db, pool), before, &deleted);
    } while (rv == APR_SUCCESS && deleted && cat_time_monotonic() < end && !cat_job_must_stop(job));
    apr_pool_destroy(pool);
    return rv;
}

/* ---- what else is in the directory ---- */

/* A file that a server which was killed has not finished. */
static void remove_unfinished(apr_pool_t *pool, const cat_conf_t *conf)
{
    const char *path = apr_pstrcat(pool, conf->image_cache, UNFINISHED, NULL);
    DIR *directory = opendir(path);
    const struct dirent *entry;
    apr_finfo_t info;

    while (directory && (entry = readdir(directory))) {
        const char *name = apr_pstrcat(pool, path, "/", entry->d_name, NULL);
        if (apr_stat(&info, name, APR_FINFO_MTIME | APR_FINFO_TYPE, pool) == APR_SUCCESS && info.filetype == APR_REG &&
            apr_time_now() - info.mtime > UNFINISHED_TIME) {
            unlink(name);
        }
    }
    if (directory) {
        closedir(directory);
    }
}

typedef struct portion_t {
    apr_pool_t *pool;
    const char *names[PORTION];
    apr_array_header_t *ids; /* const char *: of their pictures */
    apr_hash_t *used;        /* the ids of pictures that the database has */
} portion_t;

/* Returns 0 at the end of the directory. */
static int read_portion(DIR *directory, portion_t *p)
{
    const struct dirent *entry = NULL;
    const char *size;

    p->ids = apr_array_make(p->pool, PORTION, sizeof(const char *));
    while (p->ids->nelts < PORTION && (entry = readdir(directory))) {
        if (cat_image_files_parse(p->pool, entry->d_name, &size)) {
            p->names[p->ids->nelts] = apr_pstrdup(p->pool, entry->d_name);
            APR_ARRAY_PUSH(p->ids, const char *) = apr_pstrmemdup(p->pool, size, CAT_ID_LENGTH);
        }
    }
    return entry != NULL;
}

static apr_status_t note_used(void *portion, const char *const *values, int)
{
    portion_t *p = portion;

    apr_hash_set(p->used, apr_pstrdup(p->pool, values[0]), APR_HASH_KEY_STRING, "");
    return APR_SUCCESS;
}

static apr_status_t remove_unknown(const cat_job_t *job, portion_t *p)
{
    apr_status_t rv;

    p->used = apr_hash_make(p->pool);
    rv = cat_db_each_list(cat_db_another(job->db, p->pool), SQL_IMAGE_USED_100, p->ids, note_used, p);
    for (int i = 0; i < p->ids->nelts && rv == APR_SUCCESS; i++) {
        if (!apr_hash_get(p->used, APR_ARRAY_IDX(p->ids, i, const char *), APR_HASH_KEY_STRING)) {
            unlink(cat_image_files_path(p->pool, job->conf, p->names[i]));
        }
    }
    return rv;
}

static void end_walk(cat_job_walk_t *walk)
{
    closedir(walk->directory);
    walk->directory = NULL;
}

/* A part of the way through the directory; the next run goes on. After a failure, the next one begins anew. */
static apr_status_t walk_on(const cat_job_t *job, cat_job_walk_t *walk)
{
    apr_time_t end = cat_time_monotonic() + WALK_TIME;
    apr_status_t rv = APR_SUCCESS;
    portion_t p;
    int goes_on = 1;

    apr_pool_create(&p.pool, job->pool);
    while (goes_on && rv == APR_SUCCESS && cat_time_monotonic() < end && !cat_job_must_stop(job)) {
        apr_pool_clear(p.pool);
        goes_on = read_portion(walk->directory, &p);
        rv = remove_unknown(job, &p);
    }
    apr_pool_destroy(p.pool);
    if (!goes_on || rv != APR_SUCCESS) {
        end_walk(walk);
        walk->begun = rv == APR_SUCCESS ? walk->begun : 0;
    }
    return rv;
}

/* A directory that is not there is in the log when a request needs a file. */
static void begin_walk(const cat_job_t *job, cat_job_walk_t *walk)
{
    if (walk->directory) {
        end_walk(walk);
    }
    walk->begun = apr_time_now();
    walk->directory = opendir(job->conf->image_cache);
}

static apr_status_t walk(const cat_job_t *job, int was_away)
{
    cat_job_walk_t *w = job->walk;
    apr_time_t now = apr_time_now();

    if (was_away || (!w->directory && (now < w->begun || now - w->begun >= WALK_INTERVAL))) {
        begin_walk(job, w);
    }
    return w->directory ? walk_on(job, w) : APR_SUCCESS;
}

/* ---- the job ---- */

/* *job->last: when it last asked what was dropped. */
cat_job_result_t cat_image_files_run(cat_job_t *job)
{
    apr_time_t now = apr_time_now(), last = *job->last;
    apr_status_t rv;

    if (!job->conf->images) {
        return CAT_JOB_DONE;
    }
    rv = remove_dropped(job, (last ? last : now) - OVERLAP);
    if (rv == APR_SUCCESS) {
        *job->last = now;
        remove_unfinished(job->pool, job->conf);
        rv = walk(job, now - last > KEPT - OVERLAP);
    }
    rv = rv == APR_SUCCESS ? purge_dropped(job, now - KEPT - apr_time_from_sec(job->history)) : rv;
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
