/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out the kind of a picture and its declared size, from its first bytes only. The name and media type that a
 * client sends do not matter. The size is known before anything is decoded, so a small file that declares billions of
 * pixels costs nothing:
 *
 *     JPEG  FF D8 | FF E1 length ... | FF C0 length 8 HEIGHT WIDTH        the first frame header
 *     PNG   89 P N G ... IHDR WIDTH HEIGHT
 *     GIF   G I F 8 9 a WIDTH HEIGHT ... | , LEFT TOP WIDTH HEIGHT        an image beyond the screen enlarges the screen
 *     WebP  R I F F length W E B P | VP8X, VP8L or VP8                    each with its own encoding of the size
 *     AVIF  length f t y p brands ... | ispe 0 WIDTH HEIGHT               one for each image; the largest counts
 */
#include "lib/picture.h"

#include <string.h>

#include "lib/buffer.h"

typedef struct bytes_t {
    const unsigned char *data;
    apr_size_t length;
} bytes_t;

static int is_at(const bytes_t *o, apr_size_t at, const char *text, apr_size_t length)
{
    return at <= o->length && length <= o->length - at && memcmp(o->data + at, text, length) == 0;
}

#define IS_AT(o, at, text) is_at(o, at, text, sizeof(text) - 1)

/* Reads a number of the given size, big-endian or little-endian. The caller has checked that the bytes exist. */
static apr_uint32_t big(const bytes_t *o, apr_size_t at, int bytes)
{
    apr_uint32_t number = 0;

    for (int i = 0; i < bytes; i++) {
        number = number << 8 | o->data[at + (apr_size_t)i];
    }
    return number;
}

static apr_uint32_t little(const bytes_t *o, apr_size_t at, int bytes)
{
    apr_uint32_t number = 0;

    for (int i = bytes; i-- > 0;) {
        number = number << 8 | o->data[at + (apr_size_t)i];
    }
    return number;
}

static cat_picture_t make_picture(cat_picture_kind_t kind, apr_uint32_t width, apr_uint32_t height)
{
    return width && height ? (cat_picture_t){.kind = kind, .width = width, .height = height} : (cat_picture_t){0};
}

/* ---- JPEG ---- */

/* C4, C8 and CC are not frame headers. */
static int is_frame(unsigned char marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static int stands_alone(unsigned char marker)
{
    return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/* Reads the segments up to the first frame header. A segment consists of a marker, after any number of FF bytes, a
 * length that includes itself, and its contents. Some markers have no length and contents. */
static cat_picture_t read_jpeg(const bytes_t *o)
{
    cat_picture_t picture;
    apr_size_t at = 2;

    while (at + 9 < o->length && o->data[at] == 0xff) {
        unsigned char marker = o->data[at + 1];
        apr_uint32_t size = big(o, at + 2, 2);
        if (marker == 0xff) {
            at++;
        } else if (stands_alone(marker)) {
            at += 2;
        } else if (is_frame(marker)) {
            picture = make_picture(CAT_PICTURE_JPEG, big(o, at + 7, 2), big(o, at + 5, 2));
            picture.is_grey = o->data[at + 9] == 1;
            return picture;
        } else if (size < 2) {
            break;
        } else {
            at += 2 + size;
        }
    }
    return make_picture(CAT_PICTURE_NONE, 0, 0);
}

/* ---- PNG ---- */

#define COLOUR_TYPE 25 /* offset of the colour type: 0 is grey; 4 is grey with transparency */

static cat_picture_t read_png(const bytes_t *o)
{
    cat_picture_t picture = make_picture(CAT_PICTURE_PNG, big(o, 16, 4), big(o, 20, 4));

    picture.is_grey = o->length > COLOUR_TYPE && !(o->data[COLOUR_TYPE] & ~4);
    return picture;
}

/* ---- GIF ---- */

/* Returns the length of the colour table, which the flags declare. */
static apr_size_t table_length(unsigned char flags)
{
    return flags & 0x80 ? (apr_size_t)3 << ((flags & 7) + 1) : 0;
}

/* Returns the end of an extension: "!", a label and sub-blocks, each with its length before it, up to an empty one.
 * Like decoders, takes the first sub-block of any extension but a comment as a sub-block even if it is empty. */
static apr_size_t skip_extension(const bytes_t *o, apr_size_t at)
{
    int is_first = at + 2 < o->length && o->data[at + 1] != 0xfe;

    for (at += 2; at < o->length && (is_first || o->data[at]); at += 1 + (apr_size_t)o->data[at]) {
        is_first = 0;
    }
    return at + 1;
}

static cat_picture_t read_gif(const bytes_t *o)
{
    apr_uint32_t width, height, right, bottom;
    apr_size_t at = o->length > 13 ? 13 + table_length(o->data[10]) : o->length;

    while (IS_AT(o, at, "!")) {
        at = skip_extension(o, at);
    }
    if (!IS_AT(o, at, ",") || o->length - at < 10) {
        return make_picture(CAT_PICTURE_NONE, 0, 0);
    }
    width = little(o, 6, 2);
    height = little(o, 8, 2);
    right = little(o, at + 1, 2) + little(o, at + 5, 2);
    bottom = little(o, at + 3, 2) + little(o, at + 7, 2);
    return make_picture(CAT_PICTURE_GIF, right > width ? right : width, bottom > height ? bottom : height);
}

/* ---- WebP ---- */

static cat_picture_t read_webp(const bytes_t *o)
{
    if (o->length < 30) {
        return make_picture(CAT_PICTURE_NONE, 0, 0);
    }
    if (IS_AT(o, 12, "VP8X")) {
        return make_picture(CAT_PICTURE_WEBP, little(o, 24, 3) + 1, little(o, 27, 3) + 1);
    }
    if (IS_AT(o, 12, "VP8L") && o->data[20] == 0x2f) {
        apr_uint32_t bits = little(o, 21, 4);
        return make_picture(CAT_PICTURE_WEBP, (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
    }
    if (IS_AT(o, 12, "VP8 ") && IS_AT(o, 23, "\x9d\x01\x2a")) {
        return make_picture(CAT_PICTURE_WEBP, little(o, 26, 2) & 0x3fff, little(o, 28, 2) & 0x3fff);
    }
    return make_picture(CAT_PICTURE_NONE, 0, 0);
}

/* ---- AVIF ---- */

/* Returns true if the file declares the brand. The brands follow the length and "ftyp": the main brand, a version, and
 * the compatible brands. */
static int is_avif(const bytes_t *o)
{
    apr_size_t end = o->length >= 16 && IS_AT(o, 4, "ftyp") ? big(o, 0, 4) : 0;

    for (apr_size_t at = 8; at + 4 <= end && end <= o->length; at += 4) {
        if (at != 12 && (IS_AT(o, at, "avif") || IS_AT(o, at, "avis"))) {
            return 1;
        }
    }
    return 0;
}

/* Searches for ispe boxes without parsing the boxes around them. Other data with these letters can only make the
 * picture seem larger. */
static cat_picture_t read_avif(const bytes_t *o)
{
    apr_uint32_t width = 0, height = 0;

    for (apr_size_t at = 0; at + 16 <= o->length; at++) {
        if (o->data[at] == 'i' && IS_AT(o, at, "ispe\0\0\0\0")) {
            apr_uint32_t w = big(o, at + 8, 4), h = big(o, at + 12, 4);
            if ((apr_uint64_t)w * h > (apr_uint64_t)width * height) {
                width = w;
                height = h;
            }
        }
    }
    return make_picture(CAT_PICTURE_AVIF, width, height);
}

/* ---- colour profiles ---- */

#define SIGNATURE "acsp"
#define BEFORE 20 /* distance in bytes in an ICC profile from the name of its colour space to its signature */

/* Returns true if the file seems to embed a colour profile for its channels. PNG files compress the profile, so any
 * profile counts there; libvips ignores a profile for other channels. All other kinds embed the profile
 * uncompressed. */
static int has_profile(const bytes_t *o, const cat_picture_t *picture)
{
    const unsigned char *at = o->data, *end = o->data + o->length;

    if (picture->kind == CAT_PICTURE_PNG) {
        return memmem(o->data, o->length, "iCCP", 4) != NULL;
    }
    while ((at = memmem(at, (size_t)(end - at), SIGNATURE, sizeof(SIGNATURE) - 1))) {
        if (at - o->data >= BEFORE && (picture->is_grey || memcmp(at - BEFORE, "GRAY", 4) != 0)) {
            return 1;
        }
        at++;
    }
    return 0;
}

/* ---- all kinds ---- */

static cat_picture_t read_kind(const bytes_t *o)
{
    if (IS_AT(o, 0, "\xff\xd8\xff")) {
        return read_jpeg(o);
    }
    if (IS_AT(o, 0, "\x89PNG\r\n\x1a\n") && IS_AT(o, 12, "IHDR") && o->length >= 24) {
        return read_png(o);
    }
    if (IS_AT(o, 0, "GIF87a") || IS_AT(o, 0, "GIF89a")) {
        return read_gif(o);
    }
    if (IS_AT(o, 0, "RIFF") && IS_AT(o, 8, "WEBP")) {
        return read_webp(o);
    }
    return is_avif(o) ? read_avif(o) : make_picture(CAT_PICTURE_NONE, 0, 0);
}

cat_picture_t cat_picture_read(const char *data, apr_size_t length)
{
    const bytes_t o = {(const unsigned char *)data, length};
    cat_picture_t picture = read_kind(&o);

    picture.has_profile = picture.kind != CAT_PICTURE_NONE && has_profile(&o, &picture);
    return picture;
}

/* ---- stripping ---- */

#define HEAD 12     /* bytes: RIFF, a length, WEBP */
#define CHUNK 8     /* bytes of a chunk's name and length */
#define EXTENDED 18 /* bytes of a VP8X chunk */
#define HAS_ALPHA 0x10

static void add_little(cat_buffer_t *b, apr_uint32_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const char byte = (char)(number >> (8 * i) & 0xff);
        cat_buffer_add(b, &byte, 1);
    }
}

/* Positions of the chunks that make up a picture. */
typedef struct webp_t {
    apr_size_t alpha, image; /* offset of the chunk; 0 if there is none */
} webp_t;

/* Returns 0 if the file is incomplete, or does not have exactly one picture. */
static int find_chunks(const bytes_t *o, webp_t *w)
{
    *w = (webp_t){0, 0};
    for (apr_size_t at = HEAD; at + CHUNK <= o->length;) {
        apr_size_t size = little(o, at + 4, 4);
        if (size > o->length - at - CHUNK || IS_AT(o, at, "ANMF")) {
            return 0;
        }
        w->alpha = IS_AT(o, at, "ALPH") ? at : w->alpha;
        w->image = IS_AT(o, at, "VP8 ") || IS_AT(o, at, "VP8L") ? at : w->image;
        at += CHUNK + size + size % 2;
    }
    return w->image != 0;
}

/* Chunks of an odd length are padded. */
static void add_chunk(cat_buffer_t *b, const bytes_t *o, apr_size_t at)
{
    apr_size_t size = little(o, at + 4, 4);

    cat_buffer_add(b, (const char *)o->data + at, CHUNK + size);
    cat_buffer_add(b, "", size % 2);
}

/* Writes the extended form only if transparency has a chunk of its own. */
static void add_picture(cat_buffer_t *b, const bytes_t *o, const webp_t *w)
{
    if (w->alpha) {
        cat_picture_t size = read_webp(o);
        CAT_BUFFER_LITERAL(b, "VP8X");
        add_little(b, EXTENDED - CHUNK, 4);
        add_little(b, HAS_ALPHA, 4);
        add_little(b, size.width - 1, 3);
        add_little(b, size.height - 1, 3);
        add_chunk(b, o, w->alpha);
    }
    add_chunk(b, o, w->image);
}

const char *cat_picture_strip(apr_pool_t *pool, const char *data, apr_size_t *length)
{
    const bytes_t o = {(const unsigned char *)data, *length};
    cat_buffer_t b;
    webp_t w;

    if (cat_picture_read(data, *length).kind != CAT_PICTURE_WEBP || !find_chunks(&o, &w)) {
        return NULL;
    }
    cat_buffer_init(&b, pool, *length + EXTENDED + 2);
    cat_buffer_add(&b, data, HEAD);
    add_picture(&b, &o, &w);
    *length = b.length;
    b.length = 4;
    add_little(&b, (apr_uint32_t)*length - 8, 4);
    return b.data;
}
