/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folds texts for comparison: decomposes characters, drops combining marks and folds case.
 *
 *     "TEA", "Tea", and "tea" with any accents  ->  "tea"
 *     a German sharp s  ->  "ss"
 *     a Polish l with a stroke  ->  "l", by the table below, because Unicode does not decompose it
 *
 * Only combining marks have a combining class, and folding drops them. So characters never have to be put in canonical
 * order, and utf8proc's decomposition of single characters is enough.
 */
#include "lib/fold.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <utf8proc.h>

#include "lib/buffer.h"
#include "lib/text.h"

#define CHARACTERS_MAX 64 /* for one character; Unicode's longest decomposition has 18 (U+FDFA) */

static const utf8proc_option_t fold_options =
    UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK | UTF8PROC_CASEFOLD;

/*
 * ASCII spelling of Latin letters that Unicode does not decompose. The table has the letters of the CLDR transform
 * Latin-ASCII that do not fold to ASCII letters by themselves, in lower case, and the multiplication sign, because
 * people type "80x120" for "80×120". tests/unit/test_fold.c checks every row.
 */
typedef struct latin_t {
    unsigned short letter;
    char plain[3];
} latin_t;

static const latin_t latin[] = {
    /* clang-format off */
    {u'×', "x"}, {u'æ', "ae"}, {u'ð', "d"}, {u'ø', "o"}, {u'þ', "th"}, {u'đ', "d"}, {u'ħ', "h"}, {u'ı', "i"}, {u'ĸ', "q"},
    {u'ł', "l"}, {u'ŋ', "n"}, {u'œ', "oe"}, {u'ŧ', "t"}, {u'ƀ', "b"}, {u'ƃ', "b"}, {u'ƈ', "c"}, {u'ƌ', "d"},
    {u'ƒ', "f"}, {u'ƕ', "hv"}, {u'ƙ', "k"}, {u'ƚ', "l"}, {u'ƞ', "n"}, {u'ƣ', "oi"}, {u'ƥ', "p"}, {u'ƫ', "t"},
    {u'ƭ', "t"}, {u'ƴ', "y"}, {u'ƶ', "z"}, {u'ǥ', "g"}, {u'ȡ', "d"}, {u'ȥ', "z"}, {u'ȴ', "l"}, {u'ȵ', "n"},
    {u'ȶ', "t"}, {u'ȷ', "j"}, {u'ȸ', "db"}, {u'ȹ', "qp"}, {u'ȼ', "c"}, {u'ȿ', "s"}, {u'ɀ', "z"}, {u'ɇ', "e"},
    {u'ɉ', "j"}, {u'ɍ', "r"}, {u'ɏ', "y"}, {u'ɓ', "b"}, {u'ɕ', "c"}, {u'ɖ', "d"}, {u'ɗ', "d"}, {u'ɛ', "e"},
    {u'ɟ', "j"}, {u'ɠ', "g"}, {u'ɡ', "g"}, {u'ɢ', "g"}, {u'ɦ', "h"}, {u'ɧ', "h"}, {u'ɨ', "i"}, {u'ɩ', "i"},
    {u'ɪ', "i"}, {u'ɫ', "l"}, {u'ɬ', "l"}, {u'ɭ', "l"}, {u'ɱ', "m"}, {u'ɲ', "n"}, {u'ɳ', "n"}, {u'ɴ', "n"},
    {u'ɶ', "oe"}, {u'ɼ', "r"}, {u'ɽ', "r"}, {u'ɾ', "r"}, {u'ʀ', "r"}, {u'ʂ', "s"}, {u'ʈ', "t"}, {u'ʉ', "u"},
    {u'ʋ', "v"}, {u'ʏ', "y"}, {u'ʐ', "z"}, {u'ʑ', "z"}, {u'ʙ', "b"}, {u'ʛ', "g"}, {u'ʜ', "h"}, {u'ʝ', "j"},
    {u'ʟ', "l"}, {u'ʠ', "q"}, {u'ʣ', "dz"}, {u'ʥ', "dz"}, {u'ʦ', "ts"}, {u'ʪ', "ls"}, {u'ʫ', "lz"}, {u'ʻ', "'"}, {u'ʼ', "'"}, {u'ᴀ', "a"},
    {u'ᴁ', "ae"}, {u'ᴃ', "b"}, {u'ᴄ', "c"}, {u'ᴅ', "d"}, {u'ᴆ', "d"}, {u'ᴇ', "e"}, {u'ᴊ', "j"}, {u'ᴋ', "k"},
    {u'ᴌ', "l"}, {u'ᴍ', "m"}, {u'ᴏ', "o"}, {u'ᴘ', "p"}, {u'ᴛ', "t"}, {u'ᴜ', "u"}, {u'ᴠ', "v"}, {u'ᴡ', "w"},
    {u'ᴢ', "z"}, {u'ᵫ', "ue"}, {u'ᵬ', "b"}, {u'ᵭ', "d"}, {u'ᵮ', "f"}, {u'ᵯ', "m"}, {u'ᵰ', "n"}, {u'ᵱ', "p"},
    {u'ᵲ', "r"}, {u'ᵳ', "r"}, {u'ᵴ', "s"}, {u'ᵵ', "t"}, {u'ᵶ', "z"}, {u'ᵺ', "th"}, {u'ᵻ', "i"}, {u'ᵽ', "p"},
    {u'ᵾ', "u"}, {u'ᶀ', "b"}, {u'ᶁ', "d"}, {u'ᶂ', "f"}, {u'ᶃ', "g"}, {u'ᶄ', "k"}, {u'ᶅ', "l"}, {u'ᶆ', "m"},
    {u'ᶇ', "n"}, {u'ᶈ', "p"}, {u'ᶉ', "r"}, {u'ᶊ', "s"}, {u'ᶌ', "v"}, {u'ᶍ', "x"}, {u'ᶎ', "z"}, {u'ᶏ', "a"},
    {u'ᶑ', "d"}, {u'ᶒ', "e"}, {u'ᶓ', "e"}, {u'ᶖ', "i"}, {u'ᶙ', "u"}, {u'ẜ', "s"}, {u'ẝ', "s"}, {u'ỻ', "ll"},
    {u'ỽ', "v"}, {u'ỿ', "y"}, {u'ⱡ', "l"}, {u'ⱥ', "a"}, {u'ⱦ', "t"}, {u'ⱨ', "h"}, {u'ⱪ', "k"}, {u'ⱬ', "z"},
    {u'ⱱ', "v"}, {u'ⱳ', "w"}, {u'ⱴ', "v"}, {u'ⱸ', "e"}, {u'ⱺ', "o"}, {u'ꜰ', "f"}, {u'ꜱ', "s"}, {u'ꜳ', "aa"},
    {u'ꜵ', "ao"}, {u'ꜷ', "au"}, {u'ꜹ', "av"}, {u'ꜻ', "av"}, {u'ꜽ', "ay"}, {u'ꝁ', "k"}, {u'ꝃ', "k"}, {u'ꝅ', "k"},
    {u'ꝇ', "l"}, {u'ꝉ', "l"}, {u'ꝋ', "o"}, {u'ꝍ', "o"}, {u'ꝏ', "oo"}, {u'ꝑ', "p"}, {u'ꝓ', "p"}, {u'ꝕ', "p"},
    {u'ꝗ', "q"}, {u'ꝙ', "q"}, {u'ꝟ', "v"}, {u'ꝡ', "vy"}, {u'ꝥ', "th"}, {u'ꝧ', "th"}, {u'ꝱ', "d"}, {u'ꝲ', "l"},
    {u'ꝳ', "m"}, {u'ꝴ', "n"}, {u'ꝵ', "r"}, {u'ꝶ', "r"}, {u'ꝷ', "t"}, {u'ꝺ', "d"}, {u'ꝼ', "f"}, {u'ꞇ', "t"},
    {u'ꞑ', "n"}, {u'ꞓ', "c"}, {u'ꞡ', "g"}, {u'ꞣ', "k"}, {u'ꞥ', "n"}, {u'ꞧ', "r"}, {u'ꞩ', "s"},
    /* clang-format on */
};

#define LATIN (sizeof(latin) / sizeof(latin[0]))

static int compare_letters(const void *character, const void *row)
{
    const latin_t *letter = row;

    return *(const utf8proc_int32_t *)character - letter->letter;
}

static void add_folded(cat_buffer_t *b, utf8proc_int32_t character)
{
    utf8proc_int32_t characters[CHARACTERS_MAX];
    utf8proc_uint8_t bytes[4];
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(character, characters, CHARACTERS_MAX, fold_options, &boundary);

    for (utf8proc_ssize_t i = 0; i < count && i < CHARACTERS_MAX; i++) {
        const latin_t *letter = bsearch(&characters[i], latin, LATIN, sizeof(latin[0]), compare_letters);
        if (letter) {
            cat_buffer_add_text(b, letter->plain);
        } else {
            cat_buffer_add(b, (const char *)bytes, (apr_size_t)utf8proc_encode_char(characters[i], bytes));
        }
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
        if (character < 0x80) { /* most texts are ASCII */
            char byte = character >= 'A' && character <= 'Z' ? (char)(character + 'a' - 'A') : (char)character;
            cat_buffer_add(&b, &byte, 1);
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
