/* SPDX-License-Identifier: Apache-2.0 */
/* Any octets: the folded text is its own folded form, and its words are in order and each in it. */
#include "fuzz.h"
#include "lib/fold.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = fuzz_text(pool, data, size), *folded = cat_fold_text(pool, text);
    apr_array_header_t *words = cat_fold_words(pool, folded);

    FUZZ_CHECK(strlen(folded) <= 33 * strlen(text));
    FUZZ_CHECK(!strcmp(cat_fold_text(pool, folded), folded));
    for (int i = 0; i < words->nelts; i++) {
        const char *word = APR_ARRAY_IDX(words, i, const char *);
        FUZZ_CHECK(*word && strstr(folded, word));
        FUZZ_CHECK(i == 0 || strcmp(APR_ARRAY_IDX(words, i - 1, const char *), word) < 0);
    }
    for (size_t most = 0; most <= strlen(folded) && most < 100; most++) {
        const char *cut = cat_fold_cut(pool, folded, most);
        FUZZ_CHECK(strlen(cut) <= most && !strncmp(cut, folded, strlen(cut)));
        FUZZ_CHECK(!strcmp(cat_fold_text(pool, cut), cut));
    }
}
