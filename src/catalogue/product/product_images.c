/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of a product: the field `images`, what changes it, and the rows of their octets.
 *
 *     products.extra    {"images":[{"id":"01a2...","width":1600,"height":1200,"alt":""}]}     in their order
 *     images            01a2..., the product, octets of all sizes, width, digest of the file that was sent, when; when it was dropped
 *     image_parts       01a2...-320/00000   base64 of the first 48,000 octets
 *                       01a2...-320/00001   ...
 *                       01a2...-1600/00000
 *
 * A picture that its product does not name any more, or whose product is deleted, is dropped: nobody gets it from then on, each server removes
 * the files that it has of it, and after a while a job deletes it (catalogue/images/image_files.c).
 *
 * A list of products has their pictures in the column that it reads anyway. The octets are base64 in texts of at most 64,000 characters,
 * because apr_dbd passes texts only, and its driver for MariaDB cuts longer columns (docs/decisions/0089-pictures-are-in-the-database.md).
 *
 * A change of the field is itself a text, so that it takes the way of all updates, and is made of what is stored when the row is locked:
 *
 *     [{"id":"01a2..."},{"id":"01a1...","alt":"Front"}]     these, in this order
 *     {"add":{"id":...},"at":1}        {"remove":"01a2..."}        {"replace":[{"id":"01a2...","width":...}]}
 */
#include "catalogue/product/product_images.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_encode.h>
#include <apr_strings.h>

#include "catalogue/product/own_field.h"
#include "catalogue/product/product.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/time.h"

static const int smaller_widths[] = {320, 640, 1280};

#define SMALLER (int)(sizeof(smaller_widths) / sizeof(smaller_widths[0]))

int cat_product_images_widths(const cat_image_t *image, int widths[CAT_IMAGES_SIZES_MOST])
{
    int count = 0;

    for (int i = 0; i < SMALLER && smaller_widths[i] < image->width; i++) {
        widths[count++] = smaller_widths[i];
    }
    widths[count++] = image->width;
    return count;
}

int cat_product_images_height(const cat_image_t *image, int width)
{
    int height = (int)(((apr_int64_t)image->height * width + image->width / 2) / image->width);

    return height > 0 ? height : 1;
}

/* ---- the field ---- */

static int limit_edge(json_int_t pixels)
{
    return pixels > 0 && pixels <= CAT_IMAGES_EDGE_MOST ? (int)pixels : 1;
}

static int read_int(const json_t *object, const char *name)
{
    return limit_edge(json_integer_value(json_object_get(object, name)));
}

/* The object keeps its texts. */
static cat_image_t read_image(const json_t *object)
{
    const char *id = json_string_value(json_object_get(object, "id")),
               *alt = json_string_value(json_object_get(object, "alt"));

    return (cat_image_t){id ? id : "", read_int(object, "width"), read_int(object, "height"), alt ? alt : ""};
}

/* NULL: it is no text of pictures, as another program may have written. On the pool. */
static json_t *read_images(apr_pool_t *pool, const char *text)
{
    const char *why;
    json_t *images = text ? cat_json_parse(pool, text, strlen(text), &why) : NULL;

    return json_is_array(images) ? images : NULL;
}

static void write_url(cat_buffer_t *b, const char *mount_uri, const cat_image_t *image, int width)
{
    CAT_BUFFER_LITERAL(b, "\"url\":\"");
    cat_buffer_add_text(b, mount_uri);
    CAT_BUFFER_LITERAL(b, "/images/");
    cat_buffer_add_text(b, image->id);
    CAT_BUFFER_LITERAL(b, "-");
    cat_buffer_add_int(b, width);
    CAT_BUFFER_LITERAL(b, ".webp\",\"width\":");
    cat_buffer_add_int(b, width);
    CAT_BUFFER_LITERAL(b, ",\"height\":");
    cat_buffer_add_int(b, cat_product_images_height(image, width));
}

/* alt: as JSON has it. */
static void write_image(cat_buffer_t *b, const char *mount_uri, const cat_image_t *image, const char *alt,
                        apr_size_t length)
{
    int widths[CAT_IMAGES_SIZES_MOST], count = cat_product_images_widths(image, widths);

    cat_json_add_member(b, "{\"id\":", image->id);
    CAT_BUFFER_LITERAL(b, ",");
    write_url(b, mount_uri, image, image->width);
    CAT_BUFFER_LITERAL(b, ",\"alt\":");
    cat_buffer_add(b, alt, length);
    CAT_BUFFER_LITERAL(b, ",\"sizes\":[");
    for (int i = 0; i < count; i++) {
        cat_buffer_add_text(b, i ? ",{" : "{");
        write_url(b, mount_uri, image, widths[i]);
        CAT_BUFFER_LITERAL(b, "}");
    }
    CAT_BUFFER_LITERAL(b, "]}");
}

void cat_product_images_write(cat_buffer_t *b, const char *mount_uri, const cat_image_t *image)
{
    cat_buffer_t alt;

    cat_buffer_init(&alt, b->pool, 64);
    cat_json_add_string(&alt, image->alt);
    write_image(b, mount_uri, image, alt.data, alt.length);
}

typedef struct images_rule_t {
    cat_text_rule_t rule; /* must be first: lib/fields.c has a pointer to this */
    const char *mount_uri;
} images_rule_t;

/* Reads an object without a tree, as lists have many of them (catalogue/product/product.c). *at: its beginning, then its end. */
static cat_image_t scan_image(apr_pool_t *pool, const char **at, cat_json_member_t *alt)
{
    cat_image_t image = {"", 1, 1, NULL};
    cat_json_member_t m;

    *alt = (cat_json_member_t){.value = "\"\"", .value_length = 2};
    while (cat_json_next_member(at, &m)) {
        if (cat_json_is_named(&m, "id") && m.value_length == CAT_ID_LENGTH + 2) {
            image.id = apr_pstrmemdup(pool, m.value + 1, CAT_ID_LENGTH);
        } else if (cat_json_is_named(&m, "width")) {
            image.width = limit_edge(strtol(m.value, NULL, 10));
        } else if (cat_json_is_named(&m, "height")) {
            image.height = limit_edge(strtol(m.value, NULL, 10));
        } else if (cat_json_is_named(&m, "alt") && *m.value == '"') {
            *alt = m;
        }
    }
    return image;
}

static void write_images(const cat_text_rule_t *rule, cat_buffer_t *b, const char *text)
{
    const char *mount_uri = ((const images_rule_t *)rule)->mount_uri, *separator = "[";

    for (const char *at = text; (at = strchr(at, '{'));) {
        cat_json_member_t alt;
        const cat_image_t image = scan_image(b->pool, &at, &alt);
        cat_buffer_add_text(b, separator);
        write_image(b, mount_uri, &image, alt.value, alt.value_length);
        separator = ",";
        at += *at == '{'; /* it is none */
    }
    cat_buffer_add_text(b, *separator == '[' ? "[]" : "]");
}

static const cat_own_type_t type = {.name = CAT_PRODUCT_IMAGES_NAME, .kind = CAT_VALUE};
const cat_own_field_t cat_product_images_own = {.line = CAT_PRODUCT_IMAGES_NAME, .type = &type};

cat_field_t cat_product_images_field(apr_pool_t *pool, const char *mount_uri)
{
    images_rule_t *rule = apr_pcalloc(pool, sizeof(*rule));

    rule->rule.write = write_images;
    rule->mount_uri = mount_uri ? mount_uri : "";
    return (cat_field_t){.name = CAT_PRODUCT_IMAGES_NAME,
                         .kind = CAT_VALUE,
                         .flags = CAT_SERVER | CAT_OPTIONAL | CAT_IMAGES,
                         .rule = &rule->rule,
                         .about = "Its pictures, in their order; a product without any lacks the field",
                         .example = "[{\"id\":\"01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21\",\"url\":\"/api/images/"
                                    "01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-600.webp\",\"width\":600,\"height\":400,"
                                    "\"alt\":\"The kettle from above\",\"sizes\":[{\"url\":\"/api/images/"
                                    "01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-320.webp\",\"width\":320,\"height\":213},"
                                    "{\"url\":\"/api/images/01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-600.webp\","
                                    "\"width\":600,\"height\":400}]}]"};
}

int cat_product_images_find(const cat_fields_t *fields)
{
    int i = 0;

    while (i < fields->count && !(fields->all[i].flags & CAT_IMAGES)) {
        i++;
    }
    return i;
}

int cat_product_images_count(apr_pool_t *pool, const char *text)
{
    return (int)json_array_size(read_images(pool, text));
}

int cat_product_images_are_equal(apr_pool_t *pool, const char *one, const char *other)
{
    const json_t *images = read_images(pool, one), *others = read_images(pool, other);

    return images == others || json_equal(images, others);
}

/* ---- changes ---- */

/* The place of the picture with the id; the size of the array: it is not among them. */
static size_t find_image(const json_t *images, const char *id)
{
    size_t i = 0;

    while (i < json_array_size(images) && strcmp(read_image(json_array_get(images, i)).id, id) != 0) {
        i++;
    }
    return i;
}

static cat_field_fault_t check_alt(apr_pool_t *pool, const json_t *alt)
{
    static const cat_field_t field = {.name = "alt", .kind = CAT_STRING, .most = CAT_IMAGES_ALT_MOST};
    cat_field_fault_t fault = cat_fields_no_fault;

    if (alt && !json_is_string(alt)) {
        return (cat_field_fault_t){"type", "must have a string, or nothing, as each alt"};
    }
    if (alt) {
        fault = cat_fields_check_length(pool, &field, json_string_value(alt));
    }
    return fault.code
               ? (cat_field_fault_t){"too_long",
                                     "must have at most " APR_STRINGIFY(CAT_IMAGES_ALT_MOST) " characters in each alt"}
               : fault;
}

/* Adds what counts of the object to the array. */
static cat_field_fault_t take_object(apr_pool_t *pool, const json_t *object, json_t *wanted)
{
    const json_t *id = json_object_get(object, "id");
    json_t *alt = json_object_get(object, "alt");
    const char *folded;

    if (!json_is_string(id)) {
        return (cat_field_fault_t){"type", "must be an array of objects, each with the id of a picture"};
    }
    folded = cat_id_fold(pool, json_string_value(id));
    if (find_image(wanted, folded) < json_array_size(wanted)) {
        return (cat_field_fault_t){"duplicate", "must not have a picture twice"};
    }
    json_array_append_new(wanted, json_pack("{s:s, s:O*}", "id", folded, "alt", alt));
    return check_alt(pool, alt);
}

const char *cat_product_images_arrange(apr_pool_t *pool, const json_t *images, cat_field_fault_t *fault)
{
    json_t *wanted = cat_json_own(pool, json_array());

    *fault = cat_fields_no_fault;
    if (!json_is_array(images) && !json_is_null(images)) {
        *fault = (cat_field_fault_t){"type", "must be an array of objects, each with the id of a picture"};
    } else if (json_array_size(images) > CAT_IMAGES_MOST) {
        *fault = (cat_field_fault_t){"too_many", "must have at most " APR_STRINGIFY(CAT_IMAGES_MOST) " pictures"};
    }
    for (size_t i = 0; i < json_array_size(images) && !fault->code; i++) {
        *fault = take_object(pool, json_array_get(images, i), wanted);
    }
    return fault->code ? NULL : cat_json_text(pool, wanted);
}

const char *cat_product_images_add(apr_pool_t *pool, const cat_image_t *image, int place)
{
    json_t *change = json_pack("{s:{s:s, s:i, s:i, s:s}, s:i}", "add", "id", image->id, "width", image->width, "height",
                               image->height, "alt", image->alt, "at", place);

    return cat_json_text(pool, cat_json_own(pool, change));
}

const char *cat_product_images_remove(apr_pool_t *pool, const char *id)
{
    return cat_json_text(pool, cat_json_own(pool, json_pack("{s:s}", "remove", id)));
}

const char *cat_product_images_replace(apr_pool_t *pool, const char *images)
{
    return apr_pstrcat(pool, "{\"replace\":", images ? images : "[]", "}", NULL);
}

static apr_status_t add_image(json_t *images, const json_t *change)
{
    size_t count = json_array_size(images), place = (size_t)json_integer_value(json_object_get(change, "at"));

    if (count >= CAT_IMAGES_MOST) {
        return CAT_EIMAGES;
    }
    json_array_insert(images, place == 0 || place > count ? count : place - 1, json_object_get(change, "add"));
    return APR_SUCCESS;
}

static apr_status_t remove_image(json_t *images, const json_t *change)
{
    size_t place = find_image(images, json_string_value(json_object_get(change, "remove")));

    return json_array_remove(images, place) == 0 ? APR_SUCCESS : CAT_ENOIMAGE;
}

static apr_status_t arrange_images(json_t *images, const json_t *wanted)
{
    json_t *before = json_copy(images);
    apr_status_t rv = APR_SUCCESS;
    const json_t *one;
    size_t i;

    json_array_clear(images);
    json_array_foreach ((json_t *)wanted, i, one) {
        size_t place = find_image(before, read_image(one).id);
        json_t *image = json_copy(json_array_get(before, place)), *alt = json_object_get(one, "alt");
        if (!image) {
            rv = CAT_ENOIMAGE;
            break;
        }
        json_array_remove(before, place); /* none is there twice */
        if (alt) {
            json_object_set(image, "alt", alt);
        }
        json_array_append_new(images, image);
    }
    json_decref(before);
    return rv;
}

apr_status_t cat_product_images_apply(apr_pool_t *pool, const char *before, const char *change, const char **after)
{
    const char *why;
    const json_t *wanted = cat_json_parse(pool, change, strlen(change), &why);
    json_t *images = read_images(pool, before);
    apr_status_t rv;

    images = images ? images : cat_json_own(pool, json_array());
    if (json_object_get(wanted, "replace")) {
        images = json_object_get(wanted, "replace");
        *after = json_array_size(images) ? cat_json_text(pool, images) : NULL;
        return APR_SUCCESS;
    }
    rv = json_is_array(wanted)               ? arrange_images(images, wanted)
         : json_object_get(wanted, "remove") ? remove_image(images, wanted)
                                             : add_image(images, wanted);
    *after = rv == APR_SUCCESS && json_array_size(images) ? cat_json_text(pool, images) : NULL;
    return rv;
}

/* ---- rows ---- */

apr_status_t cat_product_images_insert(cat_db_t *db, const char *product, const cat_image_t *image, apr_int64_t octets,
                                       const char *digest)
{
    return cat_db_insert(db, SQL_IMAGE_INSERT,
                         CAT_VALUES(image->id, product, cat_number_write(db->pool, octets),
                                    apr_itoa(db->pool, image->width), digest, cat_time_store(db->pool, apr_time_now()),
                                    NULL));
}

apr_status_t cat_product_images_insert_part(cat_db_t *db, const char *size, int part, const char *data,
                                            apr_size_t length)
{
    return cat_db_insert(db, SQL_IMAGE_PART_INSERT,
                         CAT_VALUES(apr_psprintf(db->pool, "%s/%05d", size, part),
                                    apr_pencode_base64(db->pool, data, (apr_ssize_t)length, APR_ENCODE_NONE, NULL)));
}

void cat_product_images_remove_files(apr_pool_t *pool, const cat_conf_t *conf, const char *id, int width)
{
    const cat_image_t image = {.width = width};
    int widths[CAT_IMAGES_SIZES_MOST], sizes = conf->image_cache ? cat_product_images_widths(&image, widths) : 0;

    for (int i = 0; i < sizes; i++) {
        unlink(apr_psprintf(pool, "%s/%s-%d.webp", conf->image_cache, id, widths[i]));
    }
}

/* Its files go at once, although the transaction may fail: they are copies. One that is made before it ends, the job removes. */
static apr_status_t drop_image(cat_db_t *db, const char *id, int width)
{
    cat_product_images_remove_files(db->pool, db->conf, id, width);
    return cat_db_exec(db, SQL_IMAGE_DROP, CAT_VALUES(cat_time_store(db->pool, apr_time_now()), id), NULL);
}

apr_status_t cat_product_images_drop(cat_db_t *db, const char *before, const char *after)
{
    const json_t *had = read_images(db->pool, before), *has = read_images(db->pool, after);
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < json_array_size(had) && rv == APR_SUCCESS; i++) {
        const cat_image_t image = read_image(json_array_get(had, i));
        rv = find_image(has, image.id) < json_array_size(has) ? APR_SUCCESS : drop_image(db, image.id, image.width);
    }
    return rv;
}

apr_status_t cat_product_images_drop_all(cat_db_t *db, const char *product)
{
    apr_array_header_t *rows = apr_array_make(db->pool, 8, sizeof(const char *));
    apr_status_t rv = cat_db_each(db, SQL_IMAGE_OF_PRODUCT, CAT_VALUES(product), cat_db_add_texts, rows);

    for (int i = 0; i < rows->nelts && rv == APR_SUCCESS; i += 2) {
        rv = drop_image(db, APR_ARRAY_IDX(rows, i, const char *), atoi(APR_ARRAY_IDX(rows, i + 1, const char *)));
    }
    return rv;
}

typedef struct purge_t {
    cat_db_t *db;
    const char *id, *before;
} purge_t;

/* Unless it is in use again. The parts of a picture are between ID- and ID. in the order of the key. */
static apr_status_t purge_image(void *baton)
{
    const purge_t *p = baton;
    apr_pool_t *pool = p->db->pool;
    int changed = 0;
    apr_status_t rv = cat_db_exec(p->db, SQL_IMAGE_DELETE, CAT_VALUES(p->id, p->before), &changed);

    return rv == APR_SUCCESS && changed
               ? cat_db_exec(p->db, SQL_IMAGE_PARTS_DELETE,
                             CAT_VALUES(apr_pstrcat(pool, p->id, "-", NULL), apr_pstrcat(pool, p->id, ".", NULL)), NULL)
               : rv;
}

apr_status_t cat_product_images_purge(cat_db_t *db, apr_time_t before, int *deleted)
{
    apr_array_header_t *ids = apr_array_make(db->pool, 10, sizeof(const char *));
    purge_t p = {.db = db, .before = cat_time_store(db->pool, before)};
    apr_status_t rv = cat_db_each(db, SQL_IMAGE_DROPPED_BEFORE, CAT_VALUES(p.before), cat_db_add_texts, ids);

    *deleted = ids->nelts;
    for (int i = 0; i < ids->nelts && rv == APR_SUCCESS; i++) {
        p.id = APR_ARRAY_IDX(ids, i, const char *);
        rv = cat_db_transact(db, purge_image, &p);
    }
    return rv;
}
