/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folds texts for comparison: decomposed, without combining marks, case folded.
 *
 *     "TEA", "Tea", and "tea" with any accents  ->  "tea"
 *     a German sharp s  ->  "ss"
 *
 * Combining marks are dropped rather than put in order, so utf8proc's decomposition of single characters is all that is
 * needed. The result is compared octet by octet, the same on every database.
 */
#include "lib/fold.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <utf8proc.h>

#include "lib/buffer.h"
#include "lib/text.h"

#define CHARACTERS_MAX 64 /* of one; the most that Unicode has is 18, of U+FDFA */

static const utf8proc_option_t fold_options =
    UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK | UTF8PROC_CASEFOLD;

/* Only combining marks have a combining class, and they are dropped: so nothing has to be put in canonical order. */
static void add_folded(cat_buffer_t *b, utf8proc_int32_t character)
{
    utf8proc_int32_t characters[CHARACTERS_MAX];
    utf8proc_uint8_t octets[4];
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(character, characters, CHARACTERS_MAX, fold_options, &boundary);

    for (utf8proc_ssize_t i = 0; i < count && i < CHARACTERS_MAX; i++) {
        cat_buffer_add(b, (const char *)octets, (apr_size_t)utf8proc_encode_char(characters[i], octets));
    }
}

const char *cat_fold_text(apr_pool_t *pool, const char *text)
{
    apr_size_t length = strlen(text);
    const char *end = text + length;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, length + 1);
    while (text < end) {
        utf8proc_int32_t character = (unsigned char)*text;
        if (character < 0x80) { /* most texts have nothing else */
            char octet = character >= 'A' && character <= 'Z' ? (char)(character + 'a' - 'A') : (char)character;
            cat_buffer_add(&b, &octet, 1);
            text++;
        } else {
            text += cat_text_read(text, (apr_size_t)(end - text), &character);
            add_folded(&b, character);
        }
    }
    return cat_buffer_text(&b);
}

const char *cat_fold_cut(apr_pool_t *pool, const char *folded, apr_size_t most)
{
    apr_size_t length = strlen(folded);

    if (length <= most) {
        return folded;
    }
    while (most > 0 && ((unsigned char)folded[most] & 0xC0) == 0x80) {
        most--;
    }
    return apr_pstrmemdup(pool, folded, most);
}

/* ---- words ---- */

static int is_in_word(utf8proc_int32_t character)
{
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return 1;
    default:
        return 0;
    }
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void drop_repeated_words(apr_array_header_t *words)
{
    const char **word = (const char **)words->elts;
    int distinct = 0;

    for (int i = 0; i < words->nelts; i++) {
        if (distinct == 0 || strcmp(word[distinct - 1], word[i]) != 0) {
            word[distinct++] = word[i];
        }
    }
    words->nelts = distinct;
}

apr_array_header_t *cat_fold_split(apr_pool_t *pool, const char *folded)
{
    apr_array_header_t *words = apr_array_make(pool, 12, sizeof(const char *));
    const char *end = folded + strlen(folded), *word = NULL;

    while (folded < end) {
        utf8proc_int32_t character;
        apr_size_t octets = cat_text_read(folded, (apr_size_t)(end - folded), &character);
        int in_word = is_in_word(character);
        if (in_word && !word) {
            word = folded;
        } else if (!in_word && word) {
            APR_ARRAY_PUSH(words, const char *) = apr_pstrmemdup(pool, word, (apr_size_t)(folded - word));
            word = NULL;
        }
        folded += octets;
    }
    if (word) {
        APR_ARRAY_PUSH(words, const char *) = apr_pstrdup(pool, word);
    }
    return words;
}

apr_array_header_t *cat_fold_words(apr_pool_t *pool, const char *folded)
{
    apr_array_header_t *words = cat_fold_split(pool, folded);

    qsort(words->elts, (size_t)words->nelts, sizeof(const char *), compare_words);
    drop_repeated_words(words);
    return words;
}
