/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The column images of export and import --products, with --images DIRECTORY.
 *
 *     import    row -> are the files there, and pictures? -> kept: its product, and their names     |   when all rows are stored: the files are
 *                                                                                                   |   made the pictures of the product
 *     export    product -> its pictures, each a file DIRECTORY/ID.webp, and their names
 *
 * What an export has written, an import into the same database finds there already, by the id in the name.
 */
#include "ctl/image_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "ctl/image_adder.h"
#include "ctl/progress.h"
#include "lib/id.h"
#include "lib/json.h"

#define NAME "images"

typedef struct image_row_t {
    const char *id;                  /* of the product; NULL: it is found by the key */
    const char *key;                 /* as a record has it */
    const apr_array_header_t *files; /* const char *: paths */
} image_row_t;

struct ctl_image_rows_t {
    ctl_t *ctl;
    const char *directory;
    int key;                    /* the field; CAT_PRODUCT_ID: rows say ids */
    const cat_fields_t *fields; /* of the import's reader */
    apr_array_header_t *rows;   /* image_row_t */
    ctl_image_adder_t adder;
    int images; /* the field of an export */
    int is_bad; /* flag: a file could not be written */
};

static ctl_image_rows_t *make_rows(ctl_t *ctl)
{
    ctl_image_rows_t *rows = apr_pcalloc(ctl->pool, sizeof(*rows));

    rows->ctl = ctl;
    rows->directory = ctl->options->images;
    rows->rows = apr_array_make(ctl->pool, 64, sizeof(image_row_t));
    return rows;
}

static const cat_field_t names_field = {.name = NAME, .kind = CAT_LIST, .flags = CAT_SERVER | CAT_OPTIONAL};

/* The fields with that of names in this place; the count of the fields: behind all others. */
static const cat_fields_t *name_files_in(apr_pool_t *pool, const cat_fields_t *fields, int place)
{
    cat_fields_t *copy = apr_pmemdup(pool, fields, sizeof(*fields));
    cat_field_t *all = apr_palloc(pool, (apr_size_t)(fields->count + 1) * sizeof(*all));

    memcpy(all, fields->all, (apr_size_t)fields->count * sizeof(*all));
    all[place] = names_field;
    copy->all = all;
    copy->count += place == fields->count;
    return copy;
}

/* ---- import: reading ---- */

/* Does the path, with all links followed, lead out of the directory? Then it is that of a file elsewhere. */
static int leads_out(apr_pool_t *pool, const char *directory, char **path)
{
    char *root = realpath(directory, NULL), *real = realpath(*path, NULL);
    apr_size_t length = root ? strlen(root) : 0;
    int is_out = real && root && (strncmp(real, root, length) != 0 || (root[length - 1] != '/' && real[length] != '/'));

    *path = real ? apr_pstrdup(pool, real) : *path;
    free(root);
    free(real);
    return is_out;
}

/* *path: of the file in the directory. Returns what is wrong with it. */
static const char *find_file(const ctl_image_rows_t *rows, const json_t *name, const char **path)
{
    apr_pool_t *pool = rows->ctl->pool;
    char *whole;
    const char *fault;

    if (!json_is_string(name)) {
        return "must be names of files";
    }
    if (apr_filepath_merge(&whole, rows->directory, json_string_value(name), APR_FILEPATH_SECUREROOT, pool) !=
            APR_SUCCESS ||
        leads_out(pool, rows->directory, &whole)) {
        return apr_psprintf(pool, "must be files below the directory: %s is none", json_string_value(name));
    }
    *path = whole;
    fault = ctl_image_adder_check(pool, whole);
    return fault ? apr_pstrcat(pool, "names ", json_string_value(name), ": ", fault, NULL) : NULL;
}

/* Returns what is wrong with the row. */
static const char *find_product(const ctl_image_rows_t *rows, const json_t *value, image_row_t *row)
{
    apr_pool_t *pool = rows->ctl->pool;
    const cat_field_t *key = &rows->fields->all[rows->key];
    const json_t *name = json_object_get(value, key->name);
    cat_field_t wide;

    if (rows->key == CAT_PRODUCT_ID) {
        row->id = json_is_string(name) ? cat_id_fold(pool, apr_pstrdup(pool, json_string_value(name))) : NULL;
    } else if (name) {
        wide = cat_own_field_widen(key);
        cat_fields_read_value(pool, &wide, name, &row->key);
    }
    return row->id || row->key ? NULL : apr_pstrcat(pool, "can only be set in a row with ", key->name, NULL);
}

static const char *look_at_row(void *baton, const json_t *value, const char **field)
{
    ctl_image_rows_t *rows = baton;
    const json_t *names = json_object_get(value, NAME), *name;
    apr_array_header_t *files = apr_array_make(rows->ctl->pool, 2, sizeof(const char *));
    image_row_t row = {.files = files};
    const char *fault;
    size_t i;

    *field = NAME;
    if (!names || json_is_null(names)) {
        return NULL;
    }
    if (!json_is_array(names) || json_array_size(names) > CAT_IMAGES_MOST) {
        return "must be names of at most " APR_STRINGIFY(CAT_IMAGES_MOST) " files";
    }
    fault = find_product(rows, value, &row);
    json_array_foreach (names, i, name) {
        const char *path = NULL;
        fault = fault ? fault : find_file(rows, name, &path);
        APR_ARRAY_PUSH(files, const char *) = path;
    }
    APR_ARRAY_PUSH(rows->rows, image_row_t) = row;
    return fault;
}

ctl_image_rows_t *ctl_image_rows_read(ctl_t *ctl, cat_import_options_t *options)
{
    ctl_image_rows_t *rows = make_rows(ctl);

    rows->key = options->rows.key;
    rows->fields = options->rows.fields = /* the others keep their places */
        name_files_in(ctl->pool, options->rows.fields, options->rows.fields->count);
    options->look = look_at_row;
    options->look_baton = rows;
    return rows;
}

/* ---- import: storing ---- */

/* NULL: reported. */
static const char *find_stored(ctl_image_rows_t *rows, const image_row_t *row)
{
    const cat_product_name_t name = {.field = rows->key, .value = row->key};
    const char *id = row->id;
    apr_status_t rv = id ? APR_SUCCESS : cat_product_name_find(rows->adder.db, &name, &id);

    if (rv != APR_SUCCESS) {
        const char *what = apr_pstrcat(rows->adder.pool, rows->fields->all[rows->key].name, "=", row->key, NULL);
        ctl_fail(what, "the product is not there any more");
        rows->adder.refused++;
    }
    return rv == APR_SUCCESS ? id : NULL;
}

/* If a file is refused, the product keeps those that it has. */
static ctl_image_result_t store_row(ctl_image_rows_t *rows, const image_row_t *row)
{
    const char *product;

    ctl_image_adder_renew(&rows->adder);
    product = find_stored(rows, row);
    return product ? ctl_image_adder_replace(&rows->adder, product, row->files) : CTL_IMAGE_REFUSED;
}

int ctl_image_rows_store(ctl_image_rows_t *rows)
{
    ctl_t *ctl = rows->ctl;
    const char *fault = ctl_image_adder_begin(ctl, &rows->adder);
    ctl_image_result_t result = CTL_IMAGE_THERE;
    ctl_progress_t progress;

    if (fault) {
        return ctl_fail(NULL, fault);
    }
    ctl_progress_begin(&progress);
    progress.total = rows->rows->nelts;
    for (int i = 0; i < rows->rows->nelts && result != CTL_IMAGE_STOPPED; i++) {
        result = store_row(rows, &APR_ARRAY_IDX(rows->rows, i, image_row_t));
        ctl_progress_show(&progress, i + 1, i + 1);
    }
    ctl_progress_leave(&progress);
    printf("%" APR_INT64_T_FMT " pictures added, %" APR_INT64_T_FMT " there already\n", rows->adder.added,
           rows->adder.there);
    if (result == CTL_IMAGE_STOPPED || rows->adder.refused) {
        return ctl_fail(
            NULL,
            "the products are stored, but pictures are missing; when the cause is mended, run the same command again");
    }
    return CTL_DONE;
}

/* ---- export ---- */

static apr_status_t write_part(void *file, const char *data, apr_size_t length)
{
    return fwrite(data, 1, length, file) == length ? APR_SUCCESS : APR_FROM_OS_ERROR(errno);
}

/* Under another name until it is complete; an export that was killed may have left one. */
static apr_status_t write_picture(ctl_image_rows_t *rows, const char *id, int width)
{
    apr_pool_t *pool = rows->adder.pool;
    const char *path = apr_psprintf(pool, "%s/%s.webp", rows->directory, id),
               *unfinished = apr_pstrcat(pool, path, ".part", NULL);
    FILE *file;
    apr_status_t rv;

    if (access(path, F_OK) == 0) {
        return APR_SUCCESS;
    }
    unlink(unfinished);
    file = fopen(unfinished, "wxe");
    if (!file) {
        return APR_FROM_OS_ERROR(errno);
    }
    rv = cat_image_store_read(rows->adder.db, apr_psprintf(pool, "%s-%d", id, width), write_part, file);
    if (fclose(file) != 0 && rv == APR_SUCCESS) {
        rv = APR_FROM_OS_ERROR(errno);
    }
    if (rv == APR_SUCCESS && rename(unfinished, path) != 0) {
        rv = APR_FROM_OS_ERROR(errno);
    }
    if (rv != APR_SUCCESS) {
        unlink(unfinished);
    }
    return rv;
}

static const char *write_pictures(ctl_image_rows_t *rows, apr_pool_t *pool, const char *text)
{
    const char *why, *names = "[";
    const json_t *images = cat_json_parse(pool, text, strlen(text), &why), *image;
    char reason[120];
    size_t i;

    json_array_foreach (images, i, image) {
        const char *id = json_string_value(json_object_get(image, "id"));
        apr_status_t rv = id && cat_id_check(id)
                              ? write_picture(rows, id, (int)json_integer_value(json_object_get(image, "width")))
                              : APR_NOTFOUND;
        if (rv != APR_SUCCESS && !rows->is_bad) {
            ctl_fail(rows->directory, apr_pstrcat(pool, "the picture ", id ? id : "", " cannot be written: ",
                                                  apr_strerror(rv, reason, sizeof(reason)), NULL));
        }
        rows->is_bad |= rv != APR_SUCCESS;
        names = rv == APR_SUCCESS ? apr_pstrcat(pool, names, names[1] ? "," : "", "\"", id, ".webp\"", NULL) : names;
        ctl_image_adder_renew(&rows->adder);
    }
    return apr_pstrcat(pool, names, "]", NULL);
}

static void name_files(void *baton, apr_pool_t *pool, const char **record)
{
    ctl_image_rows_t *rows = baton;

    if (record[rows->images]) {
        record[rows->images] = write_pictures(rows, pool, record[rows->images]);
    }
}

const char *ctl_image_rows_write(ctl_t *ctl, cat_export_style_t *style, ctl_image_rows_t **made)
{
    ctl_image_rows_t *rows = make_rows(ctl);
    const char *fault = ctl_image_adder_begin(ctl, &rows->adder);

    rows->images = cat_product_images_find(rows->adder.conf.fields);
    ctl->conf.fields = name_files_in(ctl->pool, rows->adder.conf.fields, rows->images);
    ctl->db = cat_db_make(ctl->pool, &ctl->conf, ctl->source, &ctl->log);
    ctl->db->author = &ctl->author;
    style->adapt = name_files;
    style->baton = rows;
    *made = rows;
    return fault;
}

int ctl_image_rows_result(const ctl_image_rows_t *rows)
{
    return rows->is_bad ? CTL_FAILED : CTL_DONE;
}
