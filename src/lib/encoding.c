/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes texts that spreadsheet programs have written.
 *
 * The decoder holds the first bytes until it is known whether they are a byte order mark. After that, it passes UTF-8
 * on unchanged. It converts other encodings with apr_xlate (the C library's iconv) in pieces of a fixed size, and holds
 * an incomplete character at the end of a piece until the rest arrives. In these encodings, the UTF-8 of a character
 * tells its number of bytes, so cat_encoding_measure can turn a position in the text into a position in the file.
 */
#include "lib/encoding.h"

#include <apr_xlate.h>
#include <string.h>

#define PIECE 1024      /* bytes converted at a time */
#define GROWTH 3        /* largest number of UTF-8 bytes for one converted byte */
#define CHARACTER_MAX 4 /* bytes */

const char *const cat_encodings[] = {"utf-8", "windows-1252", "utf-16le", "utf-16be", NULL};

/* Byte order marks, indexed by cat_encoding_t. */
static const char *const marks[] = {"\xef\xbb\xbf", NULL, "\xff\xfe", "\xfe\xff"};

struct cat_decoder_t {
    apr_pool_t *pool;
    cat_encoding_t encoding;
    cat_decoder_take_t *take;
    void *baton;
    apr_xlate_t *converter;   /* NULL if not opened yet, or if the encoding is UTF-8 */
    char held[CHARACTER_MAX]; /* possible beginning of a mark; later, of a character */
    apr_size_t held_length;
    int is_after_mark; /* true once it is known whether the text begins with a mark */
    apr_size_t mark;   /* length of the mark in bytes */
};

cat_decoder_t *cat_decoder_make(apr_pool_t *pool, cat_encoding_t encoding, cat_decoder_take_t *take, void *baton)
{
    cat_decoder_t *d = apr_pcalloc(pool, sizeof(*d));

    d->pool = pool;
    d->encoding = encoding;
    d->take = take;
    d->baton = baton;
    return d;
}

/* ---- conversion ---- */

static apr_status_t open_converter(cat_decoder_t *d)
{
    static const char *const names[] = {NULL, "CP1252", "UTF-16LE", "UTF-16BE"};

    if (d->converter) {
        return APR_SUCCESS;
    }
    return apr_xlate_open(&d->converter, "UTF-8", names[d->encoding], d->pool) == APR_SUCCESS ? APR_SUCCESS
                                                                                              : APR_ENOTIMPL;
}

/* Converts the held bytes and those after them, both in `from`. Passes on the text before an invalid byte sequence,
 * then returns APR_BADCH. */
static apr_status_t convert_piece(cat_decoder_t *d, const char *from, apr_size_t length)
{
    char text[GROWTH * (PIECE + CHARACTER_MAX)];
    apr_size_t left = length, room = sizeof(text);
    apr_status_t converted = apr_xlate_conv_buffer(d->converter, from, &left, text, &room), rv = APR_SUCCESS;

    if (room < sizeof(text)) {
        rv = d->take(d->baton, text, sizeof(text) - room);
    }
    if (rv == APR_SUCCESS && (left >= CHARACTER_MAX || (left && !APR_STATUS_IS_INCOMPLETE(converted)))) {
        rv = APR_BADCH;
    }
    d->held_length = left < CHARACTER_MAX ? left : 0;
    memcpy(d->held, from + (length - left), d->held_length);
    return rv;
}

static apr_status_t convert_bytes(cat_decoder_t *d, const char *data, apr_size_t length)
{
    apr_status_t rv = open_converter(d);

    while (length && rv == APR_SUCCESS) {
        char from[CHARACTER_MAX + PIECE];
        apr_size_t held = d->held_length, piece = length < PIECE ? length : PIECE;
        memcpy(from, d->held, held);
        memcpy(from + held, data, piece);
        rv = convert_piece(d, from, held + piece);
        data += piece;
        length -= piece;
    }
    return rv;
}

static apr_status_t decode_bytes(cat_decoder_t *d, const char *data, apr_size_t length)
{
    if (length == 0) {
        return APR_SUCCESS;
    }
    return d->encoding == CAT_UTF_8 ? d->take(d->baton, data, length) : convert_bytes(d, data, length);
}

/* ---- the mark ---- */

/* Returns the encoding whose mark the held bytes are (is_whole true) or begin (is_whole false). Returns -1 if there is
 * no such mark. */
static int find_mark(const cat_decoder_t *d, int is_whole)
{
    for (int i = 0; cat_encodings[i]; i++) {
        apr_size_t length = marks[i] ? strlen(marks[i]) : 0;
        if (length && (is_whole ? length == d->held_length : length > d->held_length) &&
            !memcmp(marks[i], d->held, d->held_length)) {
            return i;
        }
    }
    return -1;
}

/* Takes the encoding from the held mark, or decodes the held bytes if they are not a mark. */
static apr_status_t end_mark(cat_decoder_t *d)
{
    char held[CHARACTER_MAX];
    apr_size_t length = d->held_length;
    int encoding = find_mark(d, 1);

    d->is_after_mark = 1;
    d->held_length = 0;
    if (encoding >= 0) {
        d->encoding = (cat_encoding_t)encoding;
        d->mark = length;
        return APR_SUCCESS;
    }
    memcpy(held, d->held, length);
    return decode_bytes(d, held, length);
}

static apr_status_t skip_mark(cat_decoder_t *d, const char **data, apr_size_t *length)
{
    while (*length && find_mark(d, 0) >= 0 && find_mark(d, 1) < 0) {
        d->held[d->held_length++] = *(*data)++;
        --*length;
    }
    return find_mark(d, 0) >= 0 && find_mark(d, 1) < 0 ? APR_SUCCESS : end_mark(d);
}

/* ---- the decoder ---- */

apr_status_t cat_decoder_feed(cat_decoder_t *d, const char *data, apr_size_t length)
{
    apr_status_t rv = APR_SUCCESS;

    if (length == 0) {
        rv = d->is_after_mark ? APR_SUCCESS : end_mark(d);
        return rv == APR_SUCCESS && d->held_length ? APR_BADCH : rv;
    }
    if (!d->is_after_mark) {
        rv = skip_mark(d, &data, &length);
    }
    return rv == APR_SUCCESS ? decode_bytes(d, data, length) : rv;
}

cat_encoding_t cat_decoder_encoding(const cat_decoder_t *d)
{
    return d->encoding;
}

apr_size_t cat_decoder_mark(const cat_decoder_t *d)
{
    return d->mark;
}

apr_size_t cat_encoding_measure(cat_encoding_t encoding, const char *text, apr_size_t length)
{
    apr_size_t characters = 0, wide = 0;

    if (encoding == CAT_UTF_8) {
        return length;
    }
    for (apr_size_t i = 0; i < length; i++) {
        characters += (text[i] & 0xc0) != 0x80; /* not a UTF-8 continuation byte */
        wide += (text[i] & 0xf8) == 0xf0;       /* surrogate pair in UTF-16 */
    }
    return encoding == CAT_WINDOWS_1252 ? characters : 2 * (characters + wide);
}
