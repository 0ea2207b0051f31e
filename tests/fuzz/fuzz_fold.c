/* SPDX-License-Identifier: Apache-2.0 */
/* Any octets: the folded text is its own folded form. */
#include "fuzz.h"
#include "lib/fold.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = fuzz_text(pool, data, size), *folded = cat_fold_text(pool, text);

    FUZZ_CHECK(strlen(folded) <= 33 * strlen(text));
    FUZZ_CHECK(!strcmp(cat_fold_text(pool, folded), folded));
    for (size_t most = 0; most <= strlen(folded) && most < 100; most++) {
        const char *cut = cat_fold_cut(pool, folded, most);
        FUZZ_CHECK(strlen(cut) <= most && !strncmp(cut, folded, strlen(cut)));
        FUZZ_CHECK(!strcmp(cat_fold_text(pool, cut), cut));
    }
}
