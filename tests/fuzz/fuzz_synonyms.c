/* SPDX-License-Identifier: Apache-2.0 */
/* Any file of CatalogSynonyms: a fault, or words that are words of a question, none of which begins another one or the word that it stands for. */
#include "catalogue/query/synonyms.h"
#include "fuzz.h"
#include "lib/fold.h"
#include "lib/words.h"

static int begins(const char *beginning, const char *word)
{
    return !strncmp(beginning, word, strlen(beginning));
}

static void check_list(apr_pool_t *pool, const char *word, const char *const *others)
{
    for (int i = 0; others && others[i]; i++) {
        cat_words_asked_t asked = cat_words_ask(pool, others[i]);
        FUZZ_CHECK(i < CAT_SYNONYMS_MAX && asked.count == 1 && !strcmp(asked.words[0], others[i]));
        FUZZ_CHECK(!begins(word, others[i]) && !(i && begins(others[i - 1], others[i])));
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = fuzz_text(pool, data, size < 4000 ? size : 4000);
    const cat_synonyms_t *synonyms;
    const char *fault = cat_synonyms_parse(pool, text, &synonyms);

    FUZZ_CHECK(fault ? *fault && !synonyms : synonyms != NULL);
    if (synonyms) {
        const apr_array_header_t *words = cat_words_split(pool, cat_fold_text(pool, text));
        for (int i = 0; i < words->nelts; i++) {
            const char *word = APR_ARRAY_IDX(words, i, const char *);
            check_list(pool, word, cat_synonyms_find(synonyms, word));
        }
    }
}
