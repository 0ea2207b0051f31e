/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds files of pictures to products, as POST /products/:id/images does:
 *
 *     file -> is it a picture? -> its digest: does the product have it? -> may it be added? -> its sizes, made by a program -> one transaction
 *
 * Pictures that replace all of a product's are made one by one, and stored in one transaction, which also deletes the others.
 *
 * A file that cannot be added is reported, and the next one can. Where no other could be added either, such as without the program, or when
 * CatalogImageQuota is used up, the result says so.
 */
#include "ctl/image_adder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "ctl/database.h"
#include "ctl/move.h"
#include "lib/digest.h"
#include "lib/file.h"
#include "lib/id.h"
#include "lib/picture.h"
#include "shm/semaphore.h"

#define PROGRAM "/usr/bin/vipsthumbnail"

/* ---- beginning ---- */

const char *ctl_image_adder_begin(ctl_t *ctl, ctl_image_adder_t *adder)
{
    const char *fault = ctl_move_take_fields(ctl);

    if (!fault && ctl->site.server && !ctl->site.images) {
        fault = "products have no pictures here; set CatalogImages On";
    }
    *adder = (ctl_image_adder_t){.ctl = ctl, .conf = ctl->conf};
    adder->conf.images = 1;
    adder->conf.image_quota = ctl->site.image_quota;
    adder->conf.image_program = ctl->site.image_program ? ctl->site.image_program : PROGRAM;
    adder->conf.fields = cat_own_fields_with_images(ctl->pool, ctl->conf.fields, NULL);
    if (!fault && cat_semaphore_create(&adder->turns, ctl->pool, &(cat_semaphore_size_t){1, 1, 0}) != APR_SUCCESS) {
        fault = "there is no memory for a semaphore";
    }
    apr_pool_create(&adder->pool, ctl->pool);
    ctl_image_adder_renew(adder);
    return fault;
}

void ctl_image_adder_renew(ctl_image_adder_t *adder)
{
    ctl_t *ctl = adder->ctl;

    apr_pool_clear(adder->pool);
    adder->db = ctl->db = cat_db_make(adder->pool, &adder->conf, ctl->source, &ctl->log);
    ctl->db->author = &ctl->author;
}

apr_status_t ctl_image_adder_find(const ctl_image_adder_t *adder, const char *name, const char **id)
{
    cat_product_name_t parsed;
    const char *const *row;

    *id = cat_id_fold(adder->pool, name);
    if (cat_id_check(*id)) {
        return cat_db_one(adder->db, SQL_PRODUCT_GET, CAT_PRODUCT_IS(adder->pool, *id), &row);
    }
    return cat_product_name_read(adder->pool, adder->conf.fields, name, &parsed)
               ? cat_product_name_find(adder->db, &parsed, id)
               : APR_NOTFOUND;
}

/* ---- a file ---- */

typedef struct file_t {
    int fd;
    const char *data;
    apr_size_t length;
} file_t;

static apr_status_t close_file(void *file)
{
    close(((file_t *)file)->fd);
    return APR_SUCCESS;
}

/* Returns what is wrong with it. */
static const char *open_file(apr_pool_t *pool, const char *path, file_t **opened)
{
    file_t *file = apr_pcalloc(pool, sizeof(*file));
    struct stat info;
    cat_picture_t picture;
    apr_status_t rv;

    *opened = file;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0) {
        return apr_psprintf(pool, "cannot be read: %s", strerror(errno));
    }
    apr_pool_cleanup_register(pool, file, close_file, apr_pool_cleanup_null);
    if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return "is not a file";
    }
    rv = cat_file_map(pool, file->fd, &file->data, &file->length);
    if (rv != APR_SUCCESS) {
        char reason[120];
        return apr_psprintf(pool, "cannot be read: %s", apr_strerror(rv, reason, sizeof(reason)));
    }
    picture = cat_picture_read(file->data, file->length);
    return picture.kind == CAT_PICTURE_NONE ? cat_image_maker_explain(CAT_IMAGE_UNKNOWN) : NULL;
}

const char *ctl_image_adder_check(apr_pool_t *pool, const char *path)
{
    apr_pool_t *own;
    file_t *file;
    const char *fault;

    apr_pool_create(&own, pool);
    fault = open_file(own, path, &file);
    fault = apr_pstrdup(pool, fault);
    apr_pool_destroy(own);
    return fault;
}

/* ---- the file of a picture ---- */

typedef struct addition_t {
    ctl_image_adder_t *adder;
    const char *path;
    file_t *file;
    cat_image_made_t made;
    cat_image_addition_t wanted; /* its id: NULL, until the picture is made or found */
    const apr_array_header_t
        *row; /* addition_t *: the files before it that are to be the same product's pictures, besides this one */
} addition_t;

static ctl_image_result_t refuse_file(ctl_image_adder_t *adder, const char *path, const char *fault)
{
    ctl_fail(path, fault);
    adder->refused++;
    return CTL_IMAGE_REFUSED;
}

static ctl_image_result_t refuse_addition(ctl_image_adder_t *adder, const char *path, apr_status_t rv)
{
    switch (rv) {
    case CAT_EIMAGES:
        return refuse_file(adder, path,
                           "its product has " APR_STRINGIFY(CAT_IMAGES_MOST) " pictures, and can have no more");
    case CAT_ETOOLONG:
        return refuse_file(adder, path, CAT_PRODUCT_TOO_LONG);
    case APR_NOTFOUND:
        return refuse_file(adder, path, "there is no such product");
    case CAT_ENOROOM:
        ctl_fail(path, "the pictures of the database take as much room as CatalogImageQuota allows");
        return CTL_IMAGE_STOPPED;
    default:
        ctl_fail(path, "cannot be stored; the cause is above");
        return CTL_IMAGE_STOPPED;
    }
}

/* ---- is it there already? ---- */

typedef struct search_t {
    const addition_t *a;
    const char *name; /* of the file, without its end */
    const char *id;
} search_t;

static int is_taken(const apr_array_header_t *row, const char *id)
{
    int i = 0;

    while (i < row->nelts && strcmp(APR_ARRAY_IDX(row, i, const addition_t *)->wanted.id, id) != 0) {
        i++;
    }
    return i < row->nelts;
}

/* Pictures that were equal when an export wrote them stay as many. */
static apr_status_t keep_match(void *search, const char *const *values, int)
{
    search_t *s = search;

    if (!strcmp(values[0], s->name)) {
        s->id = apr_pstrdup(s->a->adder->pool, values[0]);
        return CAT_ENOUGH;
    }
    if (!s->id && !(cat_id_check(s->name) && is_taken(s->a->row, values[0]))) {
        s->id = apr_pstrdup(s->a->adder->pool, values[0]);
    }
    return APR_SUCCESS;
}

/* The same file again, or a copy of it. */
static const char *find_in_row(const addition_t *a, const char *name)
{
    for (int i = 0; i < a->row->nelts; i++) {
        const addition_t *before = APR_ARRAY_IDX(a->row, i, const addition_t *);
        if (!strcmp(before->path, a->path) ||
            (!cat_id_check(name) && !strcmp(before->wanted.digest, a->wanted.digest))) {
            return before->wanted.id;
        }
    }
    return NULL;
}

/* A file that is called as an export calls the picture is that picture, although it is not the file that was sent. */
static apr_status_t find_existing(const addition_t *a, const char **id)
{
    const char *name = apr_filepath_name_get(a->path);
    search_t s = {.a = a, .name = apr_pstrmemdup(a->adder->pool, name, strcspn(name, "."))};
    apr_status_t rv = APR_SUCCESS;

    s.id = find_in_row(a, s.name);
    if (!s.id) {
        rv = cat_db_each(a->adder->db, SQL_IMAGE_OF_FILE, CAT_VALUES(a->wanted.product, a->wanted.digest, s.name),
                         keep_match, &s);
    }
    *id = s.id;
    return rv;
}

static const char *digest_file(apr_pool_t *pool, const file_t *file)
{
    cat_digest_t *digest = cat_digest_begin(pool);

    if (!digest) {
        return "";
    }
    cat_digest_add(digest, file->data, file->length);
    return cat_digest_end(digest);
}

/* ---- adding ---- */

static addition_t *make_addition(ctl_image_adder_t *adder, const char *product, const char *path,
                                 const apr_array_header_t *row)
{
    addition_t *a = apr_pcalloc(adder->pool, sizeof(*a));

    a->adder = adder;
    a->path = path;
    a->row = row;
    a->wanted = (cat_image_addition_t){.product = product, .alt = "", .made = &a->made};
    return a;
}

/* Looks for the file among the pictures of the product. CTL_IMAGE_ADDED: it is none of them. */
static ctl_image_result_t look_at_file(addition_t *a)
{
    ctl_image_adder_t *adder = a->adder;
    const char *fault = open_file(adder->pool, a->path, &a->file);
    apr_status_t rv;

    if (fault) {
        return refuse_file(adder, a->path, fault);
    }
    a->wanted.digest = digest_file(adder->pool, a->file);
    rv = find_existing(a, &a->wanted.id);
    if (rv != APR_SUCCESS) {
        return refuse_addition(adder, a->path, rv);
    }
    adder->there += a->wanted.id != NULL;
    return a->wanted.id ? CTL_IMAGE_THERE : CTL_IMAGE_ADDED;
}

/* longest time for a picture, on a busy machine; CAT_IMAGE_CPU_MOST ends a costly one */
#define TIME_MOST apr_time_from_sec(600)

static ctl_image_result_t make_picture(addition_t *a)
{
    ctl_image_adder_t *adder = a->adder;
    const cat_image_maker_t maker = {adder->pool, &adder->conf, &adder->ctl->log, adder->turns, NULL, "", TIME_MOST};
    const char *fault;
    cat_image_result_t result;

    cat_db_release(adder->db);
    result = cat_image_maker_make(&maker, a->file->fd, &a->made);
    fault = result == CAT_IMAGE_ENDED ? "could not be decoded; see the cause above, and run the command again"
                                      : cat_image_maker_explain(result);
    if (result != CAT_IMAGE_MADE) {
        return fault ? refuse_file(adder, a->path, fault) : CTL_IMAGE_STOPPED;
    }
    a->wanted.id = cat_id_make(adder->pool, apr_time_now());
    return CTL_IMAGE_ADDED;
}

static apr_status_t store_picture(void *addition)
{
    const addition_t *a = addition;

    return cat_image_store_add_within(a->adder->db, &a->wanted);
}

/* What has to be added to the registry is no part of the transaction. */
static apr_status_t transact(const ctl_image_adder_t *adder, cat_work_t *work, void *baton)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get(adder->db, &registry);

    return rv == APR_SUCCESS ? ctl_database_write(adder->ctl, work, baton) : rv;
}

static ctl_image_result_t add_new(addition_t *a)
{
    ctl_image_adder_t *adder = a->adder;
    apr_status_t rv = cat_image_store_check(adder->db, a->wanted.product);
    ctl_image_result_t result;

    if (rv != APR_SUCCESS) {
        return refuse_addition(adder, a->path, rv);
    }
    if (adder->ctl->options->dry_run) {
        return CTL_IMAGE_ADDED;
    }
    result = make_picture(a);
    rv = result == CTL_IMAGE_ADDED ? transact(adder, store_picture, a) : APR_SUCCESS;
    return rv == APR_SUCCESS ? result : refuse_addition(adder, a->path, rv);
}

ctl_image_result_t ctl_image_adder_add(ctl_image_adder_t *adder, const char *product, const char *path, int place)
{
    addition_t *a = make_addition(adder, product, path, apr_array_make(adder->pool, 1, sizeof(addition_t *)));
    ctl_image_result_t result = look_at_file(a);

    a->wanted.place = place;
    result = result == CTL_IMAGE_ADDED ? add_new(a) : result;
    adder->added += result == CTL_IMAGE_ADDED;
    return result;
}

/* ---- all pictures of a product ---- */

typedef struct replacement_t {
    const ctl_image_adder_t *adder;
    const char *product;
    apr_array_header_t *row; /* addition_t * */
    int added;
} replacement_t;

/* Keeps those that the product already has, in the order of the row. */
static apr_status_t arrange_others(const replacement_t *r)
{
    const char *text = "[", *const * product;
    cat_input_t input;

    for (int i = 0; i < r->row->nelts; i++) {
        const addition_t *a = APR_ARRAY_IDX(r->row, i, const addition_t *);
        if (!a->made.count) {
            text = apr_pstrcat(r->adder->pool, text, text[1] ? "," : "", "{\"id\":\"", a->wanted.id, "\"}", NULL);
        }
    }
    cat_image_store_change(r->adder->db, apr_pstrcat(r->adder->pool, text, "]", NULL), &input);
    return cat_products_update_within(r->adder->db, r->product, &input, &product);
}

/* What is deleted leaves room to what is added: each has its place when those before it are there. */
static apr_status_t store_row(void *replacement)
{
    const replacement_t *r = replacement;
    apr_status_t rv = arrange_others(r);

    for (int i = 0; i < r->row->nelts && rv == APR_SUCCESS; i++) {
        addition_t *a = APR_ARRAY_IDX(r->row, i, addition_t *);
        a->wanted.place = i + 1;
        if (a->made.count) {
            rv = cat_image_store_check(r->adder->db, r->product);
            rv = rv == APR_SUCCESS ? store_picture(a) : rv;
        }
    }
    return rv;
}

/* Finds or makes the picture. */
static ctl_image_result_t take_file(replacement_t *r, addition_t *a)
{
    ctl_image_result_t result = look_at_file(a);

    if (result == CTL_IMAGE_ADDED) {
        result = make_picture(a);
        r->added += result == CTL_IMAGE_ADDED;
    }
    if (a->wanted.id && !is_taken(r->row, a->wanted.id)) {
        APR_ARRAY_PUSH(r->row, addition_t *) = a;
    }
    return result;
}

ctl_image_result_t ctl_image_adder_replace(ctl_image_adder_t *adder, const char *product,
                                           const apr_array_header_t *paths)
{
    replacement_t r = {adder, product, apr_array_make(adder->pool, paths->nelts, sizeof(addition_t *)), 0};
    apr_status_t rv;

    for (int i = 0; i < paths->nelts; i++) {
        ctl_image_result_t result =
            take_file(&r, make_addition(adder, product, APR_ARRAY_IDX(paths, i, const char *), r.row));
        if (result == CTL_IMAGE_REFUSED || result == CTL_IMAGE_STOPPED) {
            return result;
        }
    }
    rv = transact(adder, store_row, &r);
    adder->added += rv == APR_SUCCESS ? r.added : 0;
    return rv == APR_SUCCESS ? CTL_IMAGE_THERE : refuse_addition(adder, product, rv);
}
