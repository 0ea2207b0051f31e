/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads texts by characters, and compares and joins words. Texts may come from clients: each byte that is not part of
 * valid UTF-8 is read as U+FFFD, so no function fails. Comparisons are by bytes.
 */
#include "lib/text.h"

#include <string.h>

#include <utf8proc.h>

#include "lib/buffer.h"

#define REPLACEMENT 0xFFFD

apr_size_t cat_text_read(const char *text, apr_size_t length, apr_int32_t *character)
{
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, character);

    if (bytes > 0) {
        return (apr_size_t)bytes;
    }
    *character = REPLACEMENT;
    return 1;
}

static int is_control(apr_int32_t character)
{
    return utf8proc_category(character) == UTF8PROC_CATEGORY_CC;
}

const char *cat_text_lower(apr_pool_t *pool, const char *text)
{
    apr_size_t length = strlen(text);
    char *lower = apr_palloc(pool, 3 * length + 1), *end = lower; /* a byte that is not UTF-8 becomes U+FFFD, which
                                                                   * has three bytes */

    for (apr_size_t bytes; length; text += bytes, length -= bytes) {
        apr_int32_t character;
        bytes = cat_text_read(text, length, &character);
        end += utf8proc_encode_char(utf8proc_tolower(character), (utf8proc_uint8_t *)end);
    }
    *end = '\0';
    return lower;
}

int cat_text_has_control(const char *text)
{
    const char *end = text + strlen(text);
    apr_int32_t character = ' ';

    while (text < end && !is_control(character)) {
        text += cat_text_read(text, (apr_size_t)(end - text), &character);
    }
    return is_control(character);
}

const char *cat_text_shorten(apr_pool_t *pool, const char *text, int most)
{
    const char *end = text + strlen(text);
    utf8proc_uint8_t bytes[4];
    apr_int32_t character;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 128);
    for (int i = 0; i < most && text < end; i++) {
        text += cat_text_read(text, (apr_size_t)(end - text), &character);
        character = is_control(character) ? ' ' : character;
        cat_buffer_add(&b, (const char *)bytes, (apr_size_t)utf8proc_encode_char(character, bytes));
    }
    return cat_buffer_text(&b);
}

int cat_text_is_same(const char *one, const char *other)
{
    return one && other ? !strcmp(one, other) : one == other;
}

int cat_text_compare(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

int cat_text_find(const char *const *words, const char *text)
{
    int i = 0;

    while (words[i] && strcmp(words[i], text) != 0) {
        i++;
    }
    return i;
}

const char *cat_text_join(apr_pool_t *pool, const char *const *words)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    for (int i = 0; words[i]; i++) {
        cat_buffer_add_text(&b, !i ? "" : words[i + 1] ? ", " : " or ");
        cat_buffer_add_text(&b, words[i]);
    }
    return cat_buffer_text(&b);
}

const char *cat_text_host(const char *url)
{
    const char *mark = strstr(url, "://");

    return mark ? mark + strlen("://") : NULL;
}
