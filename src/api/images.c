/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of products.
 *
 *     POST     is there room? -> body in an unnamed temporary file -> a program makes the sizes -> one transaction
 *     GET      file in CatalogImageCache, made from the database if it is missing -> httpd sends the file
 *
 * Reading the body, waiting for the program and decoding take long, so a request holds no connection to the database
 * meanwhile. If the product was deleted by then, the client gets the same response as to a PATCH of a deleted product.
 */
#include "api/images.h"

#include <apr_strings.h>
#include <unistd.h>

#include "api/failure.h"
#include "api/idempotency.h"
#include "api/image_schema.h"
#include "api/products.h"
#include "catalogue/images.h"
#include "http/answer.h"
#include "http/parameters.h"
#include "http/request.h"
#include "jose/token.h"
#include "lib/digest.h"
#include "lib/file.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "shm/metrics.h"

#define TIME_MOST apr_time_from_sec(60) /* longest time that a client waits while its picture is decoded */

static int is_open(const cat_conf_t *conf)
{
    return conf->images;
}

/* ---- parameters ---- */

typedef struct creation_t {
    cat_request_t *q;
    const char *alt;
    int place;
    cat_products_target_t target;
    int file;             /* Descriptor of the file with the body. */
    cat_digest_t *digest; /* Digest of the body that is being read. */
    const char *digested; /* Digest of the whole body. */
    cat_image_made_t made;
} creation_t;

static void parse_alt(void *creation, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    static const cat_field_t field = {.name = "alt", .kind = CAT_STRING, .most = CAT_IMAGES_ALT_MOST};
    creation_t *c = creation;
    cat_field_fault_t fault = {"format", "must be text in UTF-8"};

    c->alt = parameter->value ? parameter->value : "";
    if (parameter->value) {
        fault = cat_fields_check_length(p->pool, &field, c->alt);
    }
    if (fault.code) {
        cat_parameters_add_error(p, parameter->name, fault.code, fault.message);
    }
}

static void parse_position(void *creation, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    creation_t *c = creation;
    apr_int64_t place;

    if (!parameter->value || !cat_number_parse_integer(parameter->value, &place) || place < 1 ||
        place > CAT_IMAGES_MOST) {
        cat_parameters_add_error(p, parameter->name, "format",
                                 "must be a whole number from 1 to " APR_STRINGIFY(CAT_IMAGES_MOST));
        return;
    }
    c->place = (int)place;
}

static json_t *describe_alt(const cat_conf_t *)
{
    return json_pack("{s:s, s:i}", "type", "string", "maxLength", CAT_IMAGES_ALT_MOST);
}

static json_t *describe_position(const cat_conf_t *)
{
    return json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", CAT_IMAGES_MOST);
}

/* THE PARAMETERS of POST /products/:id/images */
static const cat_parameter_row_t parameters[] = {
    {"alt", 0, parse_alt, describe_alt, "What the picture shows, for those who cannot see it",
     "\"The kettle from above\""},
    {"position", 0, parse_position, describe_position,
     "Its place among the product's pictures; the first one is 1. Behind all others if absent", "1"},
    CAT_PARAMETERS_END,
};

/* ---- the body ---- */

static apr_status_t close_file(void *file)
{
    close(*(int *)file);
    return APR_SUCCESS;
}

static cat_answer_t *answer_file_fault(cat_request_t *q, apr_status_t rv)
{
    cat_log(q->log, CAT_LOG_ERROR, rv,
            "CAT109: a picture cannot be received, because a temporary file cannot be written");
    return cat_failure_answer(q->pool, rv);
}

/* Writes the body to the file. Returns NULL, or the response to a failure. */
static cat_answer_t *write_pieces(const creation_t *c)
{
    cat_upload_t *upload = c->q->upload;
    const char *data;
    apr_size_t length;
    apr_status_t rv;

    for (;;) {
        cat_answer_t *refusal = upload->read(upload, &data, &length);
        if (refusal || length == 0) {
            return refusal;
        }
        cat_digest_add(c->digest, data, length);
        rv = cat_file_write(c->file, data, length);
        if (rv != APR_SUCCESS) {
            return answer_file_fault(c->q, rv);
        }
    }
}

static cat_answer_t *receive_body(creation_t *c)
{
    apr_status_t rv = cat_file_open_unnamed(c->q->pool, &c->file);

    if (rv != APR_SUCCESS) {
        return answer_file_fault(c->q, rv);
    }
    apr_pool_cleanup_register(c->q->pool, apr_pmemdup(c->q->pool, &c->file, sizeof(c->file)), close_file,
                              apr_pool_cleanup_null);
    c->digest = cat_digest_begin(c->q->pool);
    return c->digest ? write_pieces(c) : cat_answer_problem(c->q->pool, CAT_PROBLEM_UNABLE, NULL);
}

/* ---- adding a picture ---- */

static cat_answer_t *answer_refusal(cat_request_t *q, apr_status_t rv, const cat_products_judgement_t *judgement)
{
    if (rv == CAT_ENOROOM) {
        cat_log(
            q->log, CAT_LOG_ERROR, 0,
            "CAT110: a picture was refused, because those in the database take as much as CatalogImageQuota allows");
        return cat_answer_problem(q->pool, CAT_PROBLEM_IMAGE_QUOTA, NULL);
    }
    if (rv == CAT_EIMAGES) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_IMAGES_FULL, NULL);
    }
    return cat_products_refuse(q, rv, judgement);
}

/* Makes all sizes of the picture. Returns NULL, or the response to a failure. */
static cat_answer_t *make_picture(creation_t *c)
{
    cat_request_t *q = c->q;
    const cat_image_maker_t maker = {q->pool, q->conf, q->log, q->imaging, q->metrics, q->user->subject, TIME_MOST};
    cat_image_result_t result = cat_image_maker_make(&maker, c->file, &c->made);

    switch (result) {
    case CAT_IMAGE_MADE:
        return NULL;
    case CAT_IMAGE_BUSY:
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNAVAILABLE, NULL);
    case CAT_IMAGE_ENDED:
    case CAT_IMAGE_FAULT:
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
    default:
        return cat_answer_problem(q->pool, CAT_PROBLEM_IMAGE_UNREADABLE, cat_image_maker_explain(result));
    }
}

static cat_answer_t *answer_created(cat_request_t *q, const cat_image_t *image)
{
    cat_answer_t *answer;
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 1024);
    cat_product_images_write(&b, q->conf->mount_uri, image);
    answer = cat_answer_success(q->pool, 201, &b, "Picture added");
    cat_answer_header(answer, q->pool, "Location",
                      apr_psprintf(q->pool, "%s/images/%s-%d.webp", q->conf->mount_uri, image->id, image->width));
    return answer;
}

static cat_answer_t *store_picture(creation_t *c)
{
    cat_request_t *q = c->q;
    const cat_image_t image = {cat_id_make(q->pool, q->now), c->made.width, c->made.height, c->alt};
    cat_products_judgement_t judgement;
    const cat_image_addition_t addition = {
        .product = c->target.id,
        .id = image.id,
        .alt = c->alt,
        .digest = c->digested,
        .place = c->place,
        .made = &c->made,
        .condition = cat_products_require(q, &c->target, &judgement),
    };
    cat_answer_t *answer;
    apr_status_t rv;

    if (!image.id) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_UNABLE, NULL);
    }
    answer = answer_created(q, &image);
    cat_idempotency_keep(q, answer);
    rv = cat_image_store_add(q->db, &addition);
    return rv == APR_SUCCESS ? answer : answer_refusal(q, rv, &judgement);
}

/* Returns NULL if the product exists and has room for another picture; cat_image_store_add checks this again. Otherwise
 * returns the refusal. Releases the connection. */
static cat_answer_t *find_product(creation_t *c)
{
    cat_request_t *q = c->q;
    cat_products_judgement_t none = {.q = q};
    apr_status_t rv = cat_products_find_target(q, &c->target);

    rv = rv == APR_SUCCESS ? cat_image_store_check(q->db, c->target.id) : rv;
    cat_db_release(q->db);
    return rv == APR_SUCCESS ? NULL : answer_refusal(q, rv, &none);
}

/* Checks the product before reading the body, so that a client that waits for "100 Continue" need not send a picture in
 * vain. With an Idempotency-Key, compares the body first: a repeated request gets the same response even if the product
 * has been deleted. */
static cat_answer_t *receive_picture(creation_t *c)
{
    cat_answer_t *answer = c->q->idempotency ? NULL : find_product(c);

    answer = answer ? answer : receive_body(c);
    if (answer) {
        return answer;
    }
    c->digested = cat_digest_end(c->digest);
    if (c->q->idempotency) {
        answer = cat_idempotency_check(c->q, c->digested);
        answer = answer ? answer : find_product(c);
    }
    return answer;
}

cat_answer_t *cat_images_create(cat_request_t *q)
{
    creation_t c = {.q = q, .alt = ""};
    cat_parameters_t p;
    cat_answer_t *answer;

    cat_parameters_init(&p, q->pool, q->strict, q->query);
    cat_parameters_parse(&p, parameters, &c);
    if (p.errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, p.errors);
    }
    answer = receive_picture(&c);
    answer = answer ? answer : make_picture(&c);
    answer = answer ? answer : store_picture(&c);
    if (p.ignored) {
        cat_answer_name_ignored(answer, q->pool, p.ignored);
    }
    return answer;
}

/* ---- removing a picture ---- */

cat_answer_t *cat_images_remove(cat_request_t *q)
{
    const char *image = cat_id_fold(q->pool, q->params[1]);
    cat_products_judgement_t judgement = {.q = q};
    cat_products_target_t target;
    apr_status_t rv;

    rv = cat_products_find_target(q, &target);
    if (rv == APR_SUCCESS) {
        rv = cat_id_check(image)
                 ? cat_image_store_remove(q->db, target.id, image, cat_products_require(q, &target, &judgement))
                 : CAT_ENOIMAGE;
    }
    if (rv == CAT_ENOIMAGE) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_IMAGE_UNKNOWN, NULL);
    }
    if (rv != APR_SUCCESS) {
        return cat_products_refuse(q, rv, &judgement);
    }
    return cat_answer_success(q->pool, 200, NULL, "Picture deleted");
}

/* ---- the files ---- */

/* A file name is never used for another picture. */
#define FOR_EVER "public, max-age=31536000, immutable"

static cat_answer_t *describe_picture(cat_request_t *q, cat_answer_t *answer)
{
    answer->type = "image/webp";
    cat_answer_header(answer, q->pool, "Cache-Control", FOR_EVER);
    return answer;
}

static cat_answer_t *answer_file(cat_request_t *q, const char *path)
{
    cat_answer_t *answer = cat_answer_text(q->pool, 200, NULL, 0);

    answer->file = path;
    return describe_picture(q, answer);
}

static apr_status_t keep_part(void *buffer, const char *data, apr_size_t length)
{
    cat_buffer_add(buffer, data, length);
    return APR_SUCCESS;
}

static cat_answer_t *answer_failure(cat_request_t *q, apr_status_t rv)
{
    return rv == APR_NOTFOUND ? cat_answer_problem(q->pool, CAT_PROBLEM_IMAGE_UNKNOWN, NULL)
           : rv == APR_EAGAIN ? cat_answer_problem(q->pool, CAT_PROBLEM_UNAVAILABLE, NULL)
                              : cat_failure_answer(q->pool, rv);
}

/* Returns the picture from the database if the server cannot make a file. This response ignores conditions on times,
 * and its ETag differs from the file's. */
static cat_answer_t *answer_bytes(cat_request_t *q, const char *size)
{
    cat_answer_t *answer;
    cat_buffer_t b;
    apr_status_t rv;

    cat_buffer_init(&b, q->pool, CAT_IMAGES_PORTION);
    rv = cat_image_store_read(q->db, size, keep_part, &b);
    if (rv != APR_SUCCESS) {
        return answer_failure(q, rv);
    }
    answer = cat_answer_text(q->pool, 200, b.data, b.length);
    answer->tag = CAT_TAG_STRONG;
    answer->has_ranges = 1;
    return describe_picture(q, answer);
}

static cat_answer_t *make_file(cat_request_t *q, const char *path, const char *size)
{
    int made;
    apr_status_t rv = cat_image_files_make(q->db, path, size, &made);

    if (rv == APR_SUCCESS && made) {
        cat_metrics_add(q->metrics, CAT_METRIC_IMAGE_FILES, 0, 1);
    }
    return rv == APR_SUCCESS ? answer_file(q, path) : rv == CAT_ENOFILE ? answer_bytes(q, size) : answer_failure(q, rv);
}

cat_answer_t *cat_images_get(cat_request_t *q)
{
    const char *size, *path;

    if (!cat_image_files_parse(q->pool, q->params[0], &size)) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_IMAGE_UNKNOWN, NULL);
    }
    path = cat_image_files_path(q->pool, q->conf, q->params[0]);
    return cat_image_files_exist(path) ? answer_file(q, path) : make_file(q, path, size);
}

/* ---- descriptions ---- */

static const cat_member_t created_members[] = {
    CAT_MEMBER_SUCCESS,
    {"data", &cat_image_schema_one, CAT_ALWAYS, "The picture"},
    CAT_MEMBER_MESSAGE,
    CAT_MEMBER_END,
};
static const cat_shape_t created = {.kind = CAT_SHAPE_OBJECT, .name = "ImageAnswer", .members = created_members};

static json_t *describe_picture_body(cat_describer_t *, json_t **example)
{
    *example = NULL;
    return json_object();
}

static json_t *describe_webp(cat_describer_t *)
{
    return json_pack("{s:{}}", "image/webp");
}

static const cat_problem_t creating[] = {
    CAT_PROBLEM_PRODUCT_UNKNOWN,  CAT_PROBLEM_PRECONDITION, CAT_PROBLEM_INDEXING,    CAT_PROBLEM_VALIDATION,
    CAT_PROBLEM_IMAGE_UNREADABLE, CAT_PROBLEM_IMAGES_FULL,  CAT_PROBLEM_IMAGE_QUOTA, CAT_PROBLEM_COUNT};
static const cat_problem_t removing[] = {CAT_PROBLEM_PRODUCT_UNKNOWN, CAT_PROBLEM_IMAGE_UNKNOWN,
                                         CAT_PROBLEM_PRECONDITION, CAT_PROBLEM_INDEXING, CAT_PROBLEM_COUNT};
static const cat_problem_t reading[] = {CAT_PROBLEM_IMAGE_UNKNOWN, CAT_PROBLEM_RANGE, CAT_PROBLEM_COUNT};

const cat_description_t cat_images_about_create = {
    .id = "createImage",
    .tag = "Products",
    .summary = "Add a picture to a product",
    .about = "The body is the picture, of at most 50 million pixels. What is served is made of it: upright, without "
             "metadata, in WebP, 320, 640 and 1280 pixels wide and as large as it was sent, but at most 4096 pixels "
             "wide and high. Of an animation, the first picture counts.",
    .param = CAT_PRODUCTS_PARAM,
    .takes_name = 1,
    .describe_input = describe_picture_body,
    .group = "images",
    .parameters = parameters,
    .status = 201,
    .answered = "The picture is stored",
    .shape = &created,
    .headers = CAT_HEADER_LOCATION,
    .problems = creating,
    .is_open = is_open,
};

const cat_description_t cat_images_about_remove = {
    .id = "deleteImage",
    .tag = "Products",
    .summary = "Delete a picture of a product",
    .param = CAT_PRODUCTS_PARAM,
    .param2 = "The picture's id",
    .takes_name = 1,
    .status = 200,
    .answered = "The picture is deleted",
    .shape = &cat_description_done,
    .problems = removing,
    .is_open = is_open,
};

const cat_description_t cat_images_about_get = {
    .id = "getImage",
    .tag = "Products",
    .summary = "Read a picture",
    .about = "At the address that a product names. The answer never changes, so clients may keep it for ever; it may "
             "be asked for in ranges.",
    .param = "The picture's id, its width, and `.webp`",
    .param_example = "01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-320.webp",
    .status = 200,
    .answered = "The picture",
    .describe_content = describe_webp,
    .other_status = 206,
    .other_answered = "The part of it that `Range` asks for",
    .headers = CAT_HEADER_ETAG,
    .problems = reading,
    .is_open = is_open,
};
