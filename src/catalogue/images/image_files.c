/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of CatalogImageCache. httpd sends them as it sends any file: with sendfile, ranges and conditions. They are copies of what the
 * database has, made when a picture is asked for that has none, so the directory may be emptied at any time.
 *
 *     01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-640.webp     a size of a picture; its time is that in the id, so servers agree on its ETag
 *     .fill-Xy3aQz                                      is being written
 *
 * A server removes the files of a picture that it deletes. Those that other servers have are found by the job, which asks the database for each
 * picture once an hour: for a sixtieth of them in each run.
 */
#include "catalogue/images/image_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/product/product_images.h"
#include "lib/hash.h"
#include "lib/id.h"

#define END ".webp"
#define UNFINISHED ".fill-"
#define UNFINISHED_TIME apr_time_from_sec(60)
#define SHARES 60 /* of all pictures; a run of the job looks at one */

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

/* ---- writing ---- */

/* An id begins with its time. */
static apr_time_t time_of(apr_pool_t *pool, const char *id)
{
    char *digits = apr_pstrcat(pool, apr_pstrmemdup(pool, id, 8), apr_pstrmemdup(pool, id + 9, 4), NULL);

    return apr_time_from_msec(apr_strtoi64(digits, NULL, 16));
}

static apr_status_t write_all(int fd, const char *data, apr_size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        data += written > 0 ? written : 0;
        length -= written > 0 ? (apr_size_t)written : 0;
    }
    return APR_SUCCESS;
}

static apr_status_t make_file(const char *name, int fd, const char *data, apr_size_t length)
{
    apr_status_t rv = write_all(fd, data, length);

    if (close(fd) != 0 && rv == APR_SUCCESS) {
        rv = errno;
    }
    if (rv != APR_SUCCESS) {
        unlink(name);
    }
    return rv;
}

apr_status_t cat_image_files_write(const cat_db_t *db, const char *path, const char *size, const char *data,
                                   apr_size_t length)
{
    char *name = apr_pstrcat(db->pool, db->conf->image_cache, "/" UNFINISHED "XXXXXX", NULL);
    int fd = mkostemp(name, O_CLOEXEC);
    apr_status_t rv = fd < 0 ? errno : make_file(name, fd, data, length);

    if (rv == APR_SUCCESS) {
        apr_file_mtime_set(name, time_of(db->pool, size), db->pool);
        rv = apr_file_rename(name, path, db->pool);
    }
    if (rv != APR_SUCCESS) {
        cat_log(db->log, CAT_LOG_ERROR, rv, "CAT108: a picture cannot be written to CatalogImageCache %s",
                db->conf->image_cache);
    }
    return rv;
}

/* ---- removing ---- */

/* Calls each for the files in the directory. */
static void walk_files(apr_pool_t *pool, const cat_conf_t *conf, void (*each)(void *baton, const apr_finfo_t *file),
                       void *baton)
{
    apr_finfo_t file;
    apr_dir_t *directory;

    if (apr_dir_open(&directory, conf->image_cache, pool) != APR_SUCCESS) {
        return; /* a request that needs a file logs that */
    }
    while (apr_dir_read(&file, APR_FINFO_NAME, directory) == APR_SUCCESS) {
        each(baton, &file);
    }
    apr_dir_close(directory);
}

typedef struct removal_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    const char *id;
} removal_t;

static void remove_file(void *baton, const apr_finfo_t *file)
{
    const removal_t *r = baton;

    if (!strncmp(file->name, r->id, CAT_ID_LENGTH)) {
        apr_file_remove(cat_image_files_path(r->pool, r->conf, file->name), r->pool);
    }
}

void cat_image_files_remove(apr_pool_t *pool, const cat_conf_t *conf, const char *id)
{
    removal_t r = {pool, conf, id};

    walk_files(pool, conf, remove_file, &r);
}

typedef struct sweep_t {
    cat_job_t *job;
    apr_uint64_t share;
    apr_hash_t *gone; /* by id: "1" if the database has no such picture, else "" */
    apr_status_t rv;
} sweep_t;

static void remove_unfinished(const sweep_t *s, const char *path)
{
    apr_finfo_t info;

    if (apr_stat(&info, path, APR_FINFO_MTIME, s->job->pool) == APR_SUCCESS &&
        apr_time_now() - info.mtime > UNFINISHED_TIME) {
        apr_file_remove(path, s->job->pool);
    }
}

static int is_gone(sweep_t *s, const char *id)
{
    const char *known = apr_hash_get(s->gone, id, APR_HASH_KEY_STRING), *const * row;

    if (!known) {
        apr_status_t rv = cat_db_one(s->job->db, SQL_IMAGE_EXISTS, CAT_VALUES(id), &row);
        s->rv = rv == APR_NOTFOUND ? APR_SUCCESS : rv;
        known = rv == APR_NOTFOUND ? "1" : "";
        apr_hash_set(s->gone, id, APR_HASH_KEY_STRING, known);
    }
    return *known != 0;
}

static void sweep_file(void *baton, const apr_finfo_t *file)
{
    sweep_t *s = baton;
    apr_pool_t *pool = s->job->pool;
    const char *path = cat_image_files_path(pool, s->job->conf, file->name), *size, *id;

    if (!strncmp(file->name, UNFINISHED, sizeof(UNFINISHED) - 1)) {
        remove_unfinished(s, path);
    } else if (s->rv == APR_SUCCESS && !cat_job_must_stop(s->job) && cat_image_files_parse(pool, file->name, &size)) {
        id = apr_pstrmemdup(pool, size, CAT_ID_LENGTH);
        if (cat_hash(id, CAT_ID_LENGTH) % SHARES == s->share && is_gone(s, id)) {
            apr_file_remove(path, pool);
        }
    }
}

static apr_status_t keep_id(void *ids, const char *const *values, int count)
{
    apr_array_header_t *list = ids;

    (void)count;
    APR_ARRAY_PUSH(list, const char *) = apr_pstrdup(list->pool, values[0]);
    return APR_SUCCESS;
}

typedef struct orphans_t {
    cat_db_t *db;
    apr_array_header_t *ids;
} orphans_t;

static apr_status_t drop_orphans(void *baton)
{
    const orphans_t *o = baton;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < o->ids->nelts && rv == APR_SUCCESS; i++) {
        rv = cat_product_images_drop_one(o->db, APR_ARRAY_IDX(o->ids, i, const char *));
    }
    return rv;
}

static apr_status_t delete_orphans(cat_job_t *job)
{
    orphans_t o = {job->db, apr_array_make(job->pool, 4, sizeof(const char *))};
    apr_status_t rv = cat_db_each(job->db, SQL_IMAGE_ORPHANS, CAT_NO_VALUES, keep_id, o.ids);

    return rv == APR_SUCCESS && o.ids->nelts ? cat_db_transact(job->db, drop_orphans, &o) : rv;
}

cat_job_result_t cat_image_files_run(cat_job_t *job)
{
    sweep_t s = {.job = job,
                 .share = (apr_uint64_t)(apr_time_now() / apr_time_from_sec(60)) % SHARES,
                 .gone = apr_hash_make(job->pool)};
    apr_status_t rv;

    if (!job->conf->images) {
        return CAT_JOB_DONE;
    }
    rv = delete_orphans(job);
    if (rv == APR_SUCCESS) {
        walk_files(job->pool, job->conf, sweep_file, &s);
        rv = s.rv;
    }
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
