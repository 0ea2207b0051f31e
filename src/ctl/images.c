/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogctl images add, and images import: pictures from files.
 *
 *     images add sku=KT-1 above.jpg side.jpg     behind those that the product has
 *     images import --key sku photos             photos/KT-1.jpg, photos/KT-1_2.jpg, photos/KT-2_1.png, ...
 *
 * A file of a directory is called as the product is, by a unique field or its id; or so with _ and a number. The files of a product are added in
 * the order of these numbers, from its first place on. What cannot be added is reported, and counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "ctl/image_adder.h"
#include "ctl/move.h"
#include "ctl/progress.h"
#include "lib/id.h"

typedef struct named_file_t {
    const char *name;
    const char *whole; /* the name without its end */
    const char *stem;  /* the same without a number */
    int number;        /* 0: it has none */
} named_file_t;

typedef struct run_t {
    ctl_t *ctl;
    ctl_image_adder_t adder;
    ctl_progress_t progress;
    apr_int64_t files, unmatched;
    apr_hash_t *places; /* int, by the id of a product: of its last file among those that are its own */
    int is_stopped;
} run_t;

/* ---- a run ---- */

static const char *begin_run(ctl_t *ctl, run_t *run)
{
    const char *fault = ctl_move_begin(ctl);

    *run = (run_t){.ctl = ctl, .places = apr_hash_make(ctl->pool)};
    fault = fault ? fault : ctl_image_adder_begin(ctl, &run->adder);
    ctl_progress_begin(&run->progress);
    run->progress.unit = "files";
    return fault;
}

static int end_run(run_t *run)
{
    const ctl_image_adder_t *a = &run->adder;
    apr_int64_t left = run->unmatched + a->refused;

    ctl_progress_leave(&run->progress);
    printf("%" APR_INT64_T_FMT " files, %" APR_INT64_T_FMT " added, %" APR_INT64_T_FMT
           " there already, %" APR_INT64_T_FMT " without a product, %" APR_INT64_T_FMT " refused%s\n",
           run->files, a->added, a->there, run->unmatched, a->refused,
           run->ctl->options->dry_run ? ", nothing stored" : "");
    if (run->is_stopped) {
        return ctl_fail(NULL, "the other files were not added; run the same command again when the cause is mended");
    }
    return left ? ctl_fail(NULL, apr_psprintf(run->ctl->pool, "files that were not added: %" APR_INT64_T_FMT, left))
                : CTL_DONE;
}

static void add_file(run_t *run, const char *product, const char *path, int place)
{
    run->is_stopped = ctl_image_adder_add(&run->adder, product, path, place) == CTL_IMAGE_STOPPED;
    run->files++;
    ctl_progress_show(&run->progress, run->files, run->files);
}

/* ---- add ---- */

int ctl_images_add(ctl_t *ctl)
{
    run_t run;
    const char *fault = begin_run(ctl, &run), *id;
    apr_status_t rv;

    if (fault) {
        return ctl_fail(NULL, fault);
    }
    rv = ctl_image_adder_find(&run.adder, ctl->args[0], &id);
    if (rv != APR_SUCCESS) {
        return ctl_fail(ctl->args[0],
                        rv == APR_NOTFOUND
                            ? "there is no such product; name it by its id, or as sku=KT-1 if sku is unique"
                            : "the product cannot be read; try again in a minute");
    }
    id = apr_pstrdup(ctl->pool, id);
    for (int i = 1; i < ctl->count && !run.is_stopped; i++) {
        ctl_image_adder_renew(&run.adder);
        add_file(&run, id, ctl->args[i], 0);
    }
    return end_run(&run);
}

/* ---- import ---- */

/* "KT-1_2.jpg" has the stem KT-1 and the number 2. */
static named_file_t parse_name(apr_pool_t *pool, const char *name)
{
    const char *end = strrchr(name, '.');
    apr_size_t length = end ? (apr_size_t)(end - name) : strlen(name), digits = 0;
    named_file_t file = {apr_pstrdup(pool, name), apr_pstrmemdup(pool, name, length), NULL, 0};

    while (digits < length && digits < 5 && apr_isdigit(name[length - digits - 1])) {
        digits++;
    }
    if (digits && digits < 5 && length > digits + 1 && name[length - digits - 1] == '_') {
        file.number = atoi(name + length - digits);
        length -= digits + 1;
    }
    file.stem = apr_pstrmemdup(pool, name, length);
    return file;
}

static int compare_files(const void *one, const void *other)
{
    const named_file_t *a = one, *b = other;
    int order = strcmp(a->stem, b->stem);

    order = order ? order : a->number - b->number;
    return order ? order : strcmp(a->name, b->name);
}

static const char *list_files(apr_pool_t *pool, const char *path, apr_array_header_t **files)
{
    apr_dir_t *directory;
    apr_finfo_t entry;
    char reason[120];
    apr_status_t rv = apr_dir_open(&directory, path, pool);

    if (rv != APR_SUCCESS) {
        return apr_psprintf(pool, "%s: %s", path, apr_strerror(rv, reason, sizeof(reason)));
    }
    *files = apr_array_make(pool, 64, sizeof(named_file_t));
    while (apr_dir_read(&entry, APR_FINFO_NAME, directory) == APR_SUCCESS) {
        if (entry.name[0] != '.') {
            APR_ARRAY_PUSH(*files, named_file_t) = parse_name(pool, entry.name);
        }
    }
    apr_dir_close(directory);
    qsort((*files)->elts, (size_t)(*files)->nelts, sizeof(named_file_t), compare_files);
    return NULL;
}

/* The one unique field, if no other one is named. Returns a fault. */
static const char *choose_key(const run_t *run, const char **key)
{
    const cat_fields_t *fields = run->adder.conf.fields;
    const char *wanted = run->ctl->options->key;
    int found = 0;

    *key = wanted;
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (fields->all[i].flags & CAT_UNIQUE && (!wanted || !strcmp(wanted, fields->all[i].name))) {
            *key = fields->all[i].name;
            found++;
        }
    }
    if (found == 1 || (wanted && !strcmp(wanted, "id"))) {
        return NULL;
    }
    return wanted ? "--key must be the name of a unique field, or id"
                  : "say by which field the files are called: --key with a unique field, or id";
}

/* A product may be called KT-1_2 itself. */
static apr_status_t find_product(const run_t *run, const char *key, const named_file_t *file, const char **id)
{
    const char *prefix = strcmp(key, "id") ? apr_pstrcat(run->adder.pool, key, "=", NULL) : "";
    apr_status_t rv = ctl_image_adder_find(&run->adder, apr_pstrcat(run->adder.pool, prefix, file->whole, NULL), id);

    return rv == APR_NOTFOUND && strcmp(file->whole, file->stem) != 0
               ? ctl_image_adder_find(&run->adder, apr_pstrcat(run->adder.pool, prefix, file->stem, NULL), id)
               : rv;
}

static void report_unmatched(run_t *run, const char *key, const named_file_t *file)
{
    ctl_progress_leave(&run->progress);
    ctl_fail(file->name, apr_psprintf(run->adder.pool, "no product has the %s %s", key, file->stem));
    run->files++;
    run->unmatched++;
}

/* Files of a product may be apart, as KT-1.jpg and KT-1_3.jpg are if there is a product KT-1_2. */
static int count_place(const run_t *run, const char *id)
{
    int *place = apr_hash_get(run->places, id, CAT_ID_LENGTH);

    if (!place) {
        place = apr_pcalloc(run->ctl->pool, sizeof(*place));
        apr_hash_set(run->places, apr_pstrdup(run->ctl->pool, id), CAT_ID_LENGTH, place);
    }
    return ++*place;
}

static void import_file(run_t *run, const char *key, const named_file_t *file)
{
    const char *id;
    apr_status_t rv = find_product(run, key, file, &id);

    if (rv == APR_NOTFOUND) {
        report_unmatched(run, key, file);
    } else if (rv != APR_SUCCESS) {
        ctl_fail(file->name, "its product cannot be looked for; try again in a minute");
        run->is_stopped = 1;
    } else {
        add_file(run, id, apr_pstrcat(run->adder.pool, run->ctl->args[0], "/", file->name, NULL), count_place(run, id));
    }
}

int ctl_images_import(ctl_t *ctl)
{
    run_t run;
    apr_array_header_t *files = NULL;
    const char *key, *fault = begin_run(ctl, &run);

    fault = fault ? fault : choose_key(&run, &key);
    fault = fault ? fault : list_files(ctl->pool, ctl->args[0], &files);
    if (fault) {
        return ctl_fail(NULL, fault);
    }
    run.progress.total = files->nelts;
    for (int i = 0; i < files->nelts && !run.is_stopped; i++) {
        ctl_image_adder_renew(&run.adder);
        import_file(&run, key, &APR_ARRAY_IDX(files, i, named_file_t));
    }
    return end_run(&run);
}
