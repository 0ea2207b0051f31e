/* SPDX-License-Identifier: Apache-2.0 */
/* Any file of CatalogSynonyms: a fault, or terms whose words are words of a question, and no more than a search may have. */
#include "catalogue/query/query_others.h"
#include "catalogue/query/synonyms.h"
#include "fuzz.h"
#include "lib/fold.h"
#include "lib/words.h"

static int check_term(apr_pool_t *pool, const cat_words_asked_t *term)
{
    for (int i = 0; i < term->count; i++) {
        cat_words_asked_t asked = cat_words_ask(pool, term->words[i]);
        FUZZ_CHECK(asked.count >= 1 && strlen(term->words[i]) <= CAT_WORDS_JOINED_MAX);
    }
    FUZZ_CHECK(term->count >= 1 && term->count <= CAT_SYNONYMS_WORDS_MAX);
    return term->count;
}

static void check_list(apr_pool_t *pool, const cat_synonym_t *synonym)
{
    for (; synonym; synonym = synonym->next) {
        int count = check_term(pool, &synonym->term);
        for (int i = 0; i < synonym->others->nelts; i++) {
            count *= check_term(pool, &APR_ARRAY_IDX(synonym->others, i, cat_words_asked_t));
        }
        FUZZ_CHECK(count <= CAT_QUERY_WORDS_MAX && synonym->others->nelts <= CAT_SYNONYMS_MAX);
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
            check_list(pool, cat_synonyms_find(synonyms, APR_ARRAY_IDX(words, i, const char *)));
        }
    }
}
