/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds files of pictures to products, as POST /products/:id/images does:
 *
 *     file -> is it a picture? -> its digest: has the product it? -> may it be added? -> its sizes, made by a program -> one transaction
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
#include "ctl/products.h"
#include "lib/digest.h"
#include "lib/file.h"
#include "lib/id.h"
#include "lib/picture.h"
#include "shm/semaphore.h"

#define PROGRAM "/usr/bin/vipsthumbnail"

/* ---- beginning ---- */

const char *ctl_image_adder_begin(ctl_t *ctl, ctl_image_adder_t *adder)
{
    const char *fault = ctl_products_take_fields(ctl);

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
}

apr_status_t ctl_image_adder_find(const ctl_image_adder_t *adder, const char *name, const char **id)
{
    cat_product_name_t parsed;
    const char *const *row;

    *id = cat_id_fold(adder->pool, name);
    if (cat_id_check(*id)) {
        return cat_db_one(adder->db, SQL_PRODUCT_GET, CAT_VALUES(*id), &row);
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
    fault = fault ? apr_pstrdup(pool, fault) : NULL;
    apr_pool_destroy(own);
    return fault;
}

/* ---- adding ---- */

typedef struct addition_t {
    ctl_image_adder_t *adder;
    const char *path;
    file_t *file;
    cat_image_made_t made;
    cat_image_addition_t wanted;
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

/* A file that is called as an export calls the picture is that picture, although it is not the file that was sent. */
static apr_status_t find_existing(const addition_t *a, const char **id)
{
    const char *name = apr_filepath_name_get(a->path), *const * row;
    apr_status_t rv = cat_db_one(
        a->adder->db, SQL_IMAGE_OF_FILE,
        CAT_VALUES(a->wanted.product, a->wanted.digest, apr_pstrmemdup(a->adder->pool, name, strcspn(name, "."))),
        &row);

    *id = rv == APR_SUCCESS ? row[0] : NULL;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
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

static apr_status_t store_picture(void *addition)
{
    const addition_t *a = addition;

    return cat_image_store_add_within(a->adder->db, &a->wanted);
}

static ctl_image_result_t make_picture(addition_t *a)
{
    ctl_image_adder_t *adder = a->adder;
    const cat_image_maker_t maker = {adder->pool, &adder->conf, &adder->ctl->log, adder->turns, NULL, ""};
    const char *fault;
    cat_image_result_t result;
    apr_status_t rv;

    cat_db_release(adder->db);
    result = cat_image_maker_make(&maker, a->file->fd, &a->made);
    fault = cat_image_maker_explain(result);
    if (result != CAT_IMAGE_MADE) {
        return fault ? refuse_file(adder, a->path, fault) : CTL_IMAGE_STOPPED;
    }
    a->wanted.id = cat_id_make(adder->pool, apr_time_now());
    rv = ctl_database_write(adder->ctl, store_picture, a);
    return rv == APR_SUCCESS ? CTL_IMAGE_ADDED : refuse_addition(adder, a->path, rv);
}

static ctl_image_result_t add_new(addition_t *a)
{
    const cat_registry_t *registry; /* what has to be added to it is no part of the transaction */
    apr_status_t rv = cat_image_store_check(a->adder->db, a->wanted.product);

    rv = rv == APR_SUCCESS ? cat_registry_get(a->adder->db, &registry) : rv;
    if (rv != APR_SUCCESS) {
        return refuse_addition(a->adder, a->path, rv);
    }
    return a->adder->ctl->options->dry_run ? CTL_IMAGE_ADDED : make_picture(a);
}

ctl_image_result_t ctl_image_adder_add(ctl_image_adder_t *adder, const char *product, const char *path, int place,
                                       const char **id)
{
    addition_t a = {.adder = adder, .path = path, .wanted = {.product = product, .alt = "", .place = place}};
    const char *fault = open_file(adder->pool, path, &a.file);
    ctl_image_result_t result;
    apr_status_t rv;

    *id = NULL;
    if (fault) {
        return refuse_file(adder, path, fault);
    }
    a.wanted.made = &a.made;
    a.wanted.digest = digest_file(adder->pool, a.file);
    rv = find_existing(&a, id);
    if (rv != APR_SUCCESS) {
        return refuse_addition(adder, path, rv);
    }
    if (*id) {
        adder->there++;
        return CTL_IMAGE_THERE;
    }
    result = add_new(&a);
    adder->added += result == CTL_IMAGE_ADDED;
    *id = a.wanted.id;
    return result;
}

/* ---- arranging ---- */

typedef struct arrangement_t {
    const ctl_image_adder_t *adder;
    const char *product;
    cat_input_t input;
} arrangement_t;

static apr_status_t store_arrangement(void *arrangement)
{
    const arrangement_t *a = arrangement;
    const char *const *product;

    return cat_products_update_within(a->adder->db, a->product, &a->input, &product);
}

ctl_image_result_t ctl_image_adder_arrange(ctl_image_adder_t *adder, const char *product, const apr_array_header_t *ids)
{
    const char *text = "[";
    arrangement_t a = {.adder = adder, .product = product};
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get(adder->db, &registry);

    for (int i = 0; i < ids->nelts; i++) {
        text = apr_pstrcat(adder->pool, text, i ? "," : "", "{\"id\":\"", APR_ARRAY_IDX(ids, i, const char *), "\"}",
                           NULL);
    }
    cat_image_store_change(adder->db, apr_pstrcat(adder->pool, text, "]", NULL), &a.input);
    rv = rv == APR_SUCCESS ? ctl_database_write(adder->ctl, store_arrangement, &a) : rv;
    return rv == APR_SUCCESS ? CTL_IMAGE_THERE : refuse_addition(adder, product, rv);
}
