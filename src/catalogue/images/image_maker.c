/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a file that a client sent into the pictures that are served.
 *
 *     file -> kind and size by its first bytes (lib/picture.h) -> a turn -> vipsthumbnail, once for each size -> WebP
 *
 * Nothing of the file itself is ever served: each size is decoded and encoded anew, upright, in sRGB and without metadata such as the place
 * where a photograph was taken. The decoding is libvips' alone, in a process with limits (lib/process.h), whose input is a file without a
 * name and whose output a pipe: so nothing is left of it, however it or this server ends. VIPS_BLOCK_UNTRUSTED keeps libvips from loaders that its
 * authors would not trust with strangers' files, such as those for SVG, PDF and everything of ImageMagick's.
 *
 * The full size comes first, because only it says how large the picture is when it is upright; the others get the height that follows from
 * that.
 *
 * vipsthumbnail gets the options for profiles only if the file has a profile: with them, libvips 8.14 changes the colours of a file that has none.
 * libvips converts CMYK without a profile by a profile of its own.
 */
#include "catalogue/images/image_maker.h"

#include <apr_strings.h>
#include <errno.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/picture.h"
#include "lib/process.h"
#include "lib/time.h"
#include "shm/metrics.h"
#include "shm/semaphore.h"

#define PATIENCE apr_time_from_sec(20) /* how long a request may wait for its turn */

/* For each size. A picture of 50 million pixels takes 8 seconds of processor time and 550 MB as a JPEG file that is read several times
 * (progressive), its worst form. */
#define MEMORY_MOST (APR_UINT64_C(1) << 30)
#define OUTPUT_MOST ((apr_size_t)1 << 25)
#define FILES_MOST 64

static const char *const environment[] = {
    "LC_ALL=C",           "VIPS_BLOCK_UNTRUSTED=1",
    "VIPS_CONCURRENCY=1", "VIPS_DISC_THRESHOLD=4g", /* no temporary files */
    "MALLOC_ARENA_MAX=1", NULL,
};

typedef struct making_t {
    const cat_image_maker_t *maker;
    int file;
    int is_grey;
    int converts; /* true if the colours are converted from the embedded profile */
    cat_process_budget_t budget;
    cat_image_made_t *made;
} making_t;

/* ---- turns ---- */

static int enter_queue(const cat_image_maker_t *m, int *place)
{
    char more[CAT_REPEATS_TEXT];
    apr_status_t rv;

    cat_metrics_shift(m->metrics, CAT_METRIC_IMAGE_QUEUE, 1);
    rv = cat_semaphore_enter(m->turns, m->party, PATIENCE, place);
    cat_metrics_shift(m->metrics, CAT_METRIC_IMAGE_QUEUE, -1);
    if (rv != APR_SUCCESS && cat_repeats_note(cat_semaphore_refusals(m->turns), cat_time_monotonic(), more)) {
        cat_log(m->log, CAT_LOG_ERROR, 0, "CAT104: too many pictures to decode at once%s; see CatalogImageJobs", more);
    }
    return rv == APR_SUCCESS;
}

/* ---- the program ---- */

#define WHOLE "stdin[fail-on=error]" /* else what is missing of a picture would be grey */

static cat_image_result_t note_fault(const cat_image_maker_t *m, apr_status_t rv)
{
    cat_log(m->log, CAT_LOG_ERROR, rv, "CAT105: cannot start a process for a picture, or read its temporary file");
    return CAT_IMAGE_FAULT;
}

static cat_image_result_t judge_end(const cat_image_maker_t *m, cat_process_result_t result)
{
    const char *program = m->conf->image_program;

    switch (result) {
    case CAT_PROCESS_DONE:
        return CAT_IMAGE_MADE;
    case CAT_PROCESS_REFUSED:
        return CAT_IMAGE_UNREADABLE;
    case CAT_PROCESS_SPENT:
        return CAT_IMAGE_COSTLY;
    case CAT_PROCESS_STOPPED:
        return CAT_IMAGE_BUSY;
    case CAT_PROCESS_FAULT:
        return note_fault(m, APR_FROM_OS_ERROR(errno));
    case CAT_PROCESS_MISSING:
        cat_log(m->log, CAT_LOG_ERROR, 0, "CAT106: %s cannot be run; install it, or correct CatalogImageProgram",
                program);
        return CAT_IMAGE_FAULT;
    case CAT_PROCESS_TOO_LONG:
        cat_log(m->log, CAT_LOG_ERROR, 0,
                "CAT107: %s took longer than %d seconds for a picture, and was ended; the machine has too much to do: "
                "lower "
                "CatalogImageJobs",
                program, (int)apr_time_sec(m->most));
        return CAT_IMAGE_ENDED;
    default:
        cat_log(m->log, CAT_LOG_ERROR, 0,
                "CAT120: %s was killed while it decoded a picture; is the system out of memory?", program);
        return CAT_IMAGE_ENDED;
    }
}

static cat_image_result_t run_program(making_t *g, const char *size, cat_buffer_t *output)
{
    const cat_image_maker_t *m = g->maker;
    const char *const argv[] = {m->conf->image_program,
                                WHOLE,
                                "--size",
                                size,
                                "-o",
                                ".webp[Q=80,strip]",
                                g->converts ? "--export-profile=srgb" : NULL,
                                "--import-profile=srgb", /* of a file whose profile libvips ignores */
                                NULL};
    const cat_process_t program = {argv, environment, g->file, MEMORY_MOST, FILES_MOST, OUTPUT_MOST};

    return lseek(g->file, 0, SEEK_SET) == 0 ? judge_end(m, cat_process_run(&program, &g->budget, output))
                                            : note_fault(m, APR_FROM_OS_ERROR(errno));
}

/* Debian 12's libvips leaves profile and metadata in WebP files, whatever its option strip says. */
static cat_image_result_t make_size(making_t *g, const char *size, cat_image_size_t *made)
{
    apr_pool_t *pool;
    cat_buffer_t output;
    cat_image_result_t result;

    apr_pool_create(&pool, g->maker->pool);
    cat_buffer_init(&output, pool, 1);
    result = run_program(g, size, &output);
    if (result == CAT_IMAGE_MADE) {
        made->length = output.length;
        made->data = cat_picture_strip(g->maker->pool, output.data, &made->length);
        result = made->data ? CAT_IMAGE_MADE : CAT_IMAGE_UNREADABLE;
    }
    apr_pool_destroy(pool);
    return result;
}

/* Of the upright picture, as the full size has it. */
static cat_image_result_t make_full(making_t *g, cat_image_size_t *full)
{
    static const char size[] =
        APR_STRINGIFY(CAT_IMAGES_EDGE_MOST) "x" APR_STRINGIFY(CAT_IMAGES_EDGE_MOST) ">"; /* never larger than it is */
    cat_image_result_t result = make_size(g, size, full);
    cat_picture_t picture;

    if (result == CAT_IMAGE_UNREADABLE && g->converts && g->is_grey) {
        g->converts = 0; /* libvips 8.14 refuses a grey picture whose profile is for other colours */
        result = make_size(g, size, full);
    }
    if (result != CAT_IMAGE_MADE) {
        return result;
    }
    picture = cat_picture_read(full->data, full->length);
    if (picture.width > CAT_IMAGES_EDGE_MOST || picture.height > CAT_IMAGES_EDGE_MOST) {
        return CAT_IMAGE_UNREADABLE;
    }
    g->made->width = (int)picture.width;
    g->made->height = (int)picture.height;
    return CAT_IMAGE_MADE;
}

static cat_image_result_t make_all(making_t *g)
{
    cat_image_made_t *made = g->made;
    cat_image_size_t full = {0};
    cat_image_result_t result = make_full(g, &full);
    const cat_image_t image = {.width = made->width, .height = made->height};
    int widths[CAT_IMAGES_SIZES_MOST];

    if (result != CAT_IMAGE_MADE) {
        return result;
    }
    made->count = cat_product_images_widths(&image, widths);
    made->octets = 0;
    for (int i = 0; i < made->count && result == CAT_IMAGE_MADE; i++) {
        cat_image_size_t *size = &made->sizes[i];
        if (i == made->count - 1) {
            *size = full;
        } else {
            int height = cat_product_images_height(&image, widths[i]);
            result = make_size(g, apr_psprintf(g->maker->pool, "%dx%d!", widths[i], height), size);
        }
        size->width = widths[i];
        made->octets += (apr_int64_t)size->length;
    }
    return result;
}

static cat_image_result_t make_in_turn(making_t *g)
{
    const cat_image_maker_t *m = g->maker;
    cat_image_result_t result;
    apr_time_t begun;
    int place;

    if (!enter_queue(m, &place)) {
        return CAT_IMAGE_BUSY;
    }
    begun = cat_time_monotonic();
    g->budget = (cat_process_budget_t){begun + m->most, apr_time_from_sec(CAT_IMAGE_CPU_MOST)};
    result = make_all(g);
    cat_semaphore_leave(m->turns, place);
    cat_metrics_observe(m->metrics, CAT_METRIC_IMAGE_TIME, cat_time_monotonic() - begun);
    return result;
}

static cat_image_result_t check_and_make(const cat_image_maker_t *m, int file, cat_image_made_t *made)
{
    making_t g = {.maker = m, .file = file, .made = made};
    const char *data;
    apr_size_t length;
    cat_picture_t picture;
    apr_status_t rv = cat_file_map(m->pool, file, &data, &length);

    if (rv != APR_SUCCESS) {
        return note_fault(m, rv);
    }
    picture = cat_picture_read(data, length);
    if (picture.kind == CAT_PICTURE_NONE) {
        return CAT_IMAGE_UNKNOWN;
    }
    if ((apr_uint64_t)picture.width * picture.height > CAT_IMAGE_PIXELS_MOST) {
        return CAT_IMAGE_TOO_LARGE;
    }
    g.is_grey = picture.is_grey;
    g.converts = picture.has_profile;
    return make_in_turn(&g);
}

cat_image_result_t cat_image_maker_make(const cat_image_maker_t *m, int file, cat_image_made_t *made)
{
    static const cat_image_outcome_t outcomes[] = {
        [CAT_IMAGE_MADE] = CAT_IMAGE_COUNTED_MADE,         [CAT_IMAGE_UNKNOWN] = CAT_IMAGE_COUNTED_REFUSED,
        [CAT_IMAGE_TOO_LARGE] = CAT_IMAGE_COUNTED_REFUSED, [CAT_IMAGE_UNREADABLE] = CAT_IMAGE_COUNTED_REFUSED,
        [CAT_IMAGE_COSTLY] = CAT_IMAGE_COUNTED_REFUSED,    [CAT_IMAGE_BUSY] = CAT_IMAGE_COUNTED_BUSY,
        [CAT_IMAGE_ENDED] = CAT_IMAGE_COUNTED_FAILED,      [CAT_IMAGE_FAULT] = CAT_IMAGE_COUNTED_FAILED,
    };
    cat_image_result_t result;

    *made = (cat_image_made_t){0};
    result = check_and_make(m, file, made);
    cat_metrics_add(m->metrics, CAT_METRIC_IMAGES, (int)outcomes[result], 1);
    return result;
}

const char *cat_image_maker_explain(cat_image_result_t result)
{
    switch (result) {
    case CAT_IMAGE_UNKNOWN:
        return "it is no JPEG, PNG, WebP, AVIF or GIF file";
    case CAT_IMAGE_TOO_LARGE:
        return "it has more than 50 million pixels";
    case CAT_IMAGE_UNREADABLE:
        return "it cannot be decoded: it is damaged, or incomplete, or takes too much memory";
    case CAT_IMAGE_COSTLY:
        return "decoding it takes more than " APR_STRINGIFY(CAT_IMAGE_CPU_MOST) " seconds of processor time";
    default:
        return NULL;
    }
}
