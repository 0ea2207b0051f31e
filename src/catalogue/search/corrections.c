/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the client which words have found the products of its answer. Many words may stand for one of the question (widen.c), and which of them
 * have found something is known when the products are: of each, the words are listed once more, as its row is passed on.
 *
 *     q=poon     spoon, teaspoon     stand for it
 *                "Tea-Spoon"         has both; spoon is the likelier one, and is named
 *                "Gold spoon"        spoon is named already
 *                "Poona"             is found by what was asked
 *
 * So a word is not named that has found nothing, or nothing that the others have not found. And as a product is at hand, the word is named with
 * the letters of the shop: "grün" for "gruen", although the index knows "grun" only. Where all words are named, no product is looked at.
 */
#include "catalogue/search/corrections.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"
#include "lib/fold.h"
#include "lib/words.h"

/* A word of q, for which other words stand. */
typedef struct replaced_t {
    const char *word;
    const char *const *others;
    const char **spellings; /* by other word; NULL: it is not named */
} replaced_t;

struct cat_corrections_t {
    apr_pool_t *pool, *product_pool; /* product_pool: of one product */
    const cat_list_query_t *asked;
    replaced_t *words;
    int count;
    int products; /* that were looked at */
};

cat_corrections_t *cat_corrections_begin(cat_db_t *db, const cat_list_query_t *asked, const cat_widened_t *widened)
{
    cat_corrections_t *c = apr_pcalloc(db->pool, sizeof(*c));

    c->pool = db->pool;
    apr_pool_create(&c->product_pool, db->pool);
    c->asked = asked;
    c->count = widened->count;
    c->words = apr_pcalloc(c->pool, (apr_size_t)c->count * sizeof(*c->words));
    for (int i = 0; i < c->count; i++) {
        const cat_correction_t *correction = &widened->corrections[i];
        c->words[i] = (replaced_t){correction->word, correction->words,
                                   apr_pcalloc(c->pool, (CAT_QUERY_OTHERS_MAX + 1) * sizeof(const char *))};
    }
    return c;
}

/* ---- a product ---- */

static int is_all_named(const cat_corrections_t *c)
{
    for (int i = 0; i < c->count; i++) {
        for (int other = 0; c->words[i].others[other]; other++) {
            if (!c->words[i].spellings[other]) {
                return 0;
            }
        }
    }
    return 1;
}

/* The texts in which q looks for words. */
static apr_array_header_t *list_texts(const cat_corrections_t *c, const char *const *values)
{
    apr_array_header_t *texts = apr_array_make(c->product_pool, 4, sizeof(const char *));
    const cat_fields_t *fields = c->asked->all;
    const char *const *product = cat_product_read(c->product_pool, fields, values);

    for (int i = 0; i < fields->count; i++) {
        const cat_field_t *field = &fields->all[i];
        if (product[i] && (i == CAT_PRODUCT_NAME || i == CAT_PRODUCT_CATEGORY || field->flags & CAT_SEARCHED)) {
            APR_ARRAY_PUSH(texts, const char *) = cat_product_keys_text(c->product_pool, field, product[i]);
        }
    }
    return texts;
}

static apr_array_header_t *list_words(apr_pool_t *pool, const apr_array_header_t *texts)
{
    apr_array_header_t *words = apr_array_make(pool, 32, sizeof(cat_word_t));

    for (int i = 0; i < texts->nelts; i++) {
        apr_array_cat(words, cat_words_list(pool, cat_fold_text(pool, APR_ARRAY_IDX(texts, i, const char *))));
    }
    return words;
}

/* other: of a question, with CAT_PRODUCT_WORD_END behind it if it has to be whole. */
static int has_word(const apr_array_header_t *words, const char *other)
{
    size_t length = strcspn(other, CAT_PRODUCT_WORD_END);
    int i = 0, is_whole = cat_product_keys_is_whole(other);

    while (i < words->nelts && (strncmp(APR_ARRAY_IDX(words, i, cat_word_t).text, other, length) != 0 ||
                                (is_whole && APR_ARRAY_IDX(words, i, cat_word_t).text[length]))) {
        i++;
    }
    return i < words->nelts;
}

static int has_any_word(const apr_array_header_t *words, const char *const *others)
{
    while (others && *others && !has_word(words, *others)) {
        others++;
    }
    return others && *others;
}

/* Is the product found without other words? The word may be repeated, each time with others (catalogue/query/query_clauses.c). */
static int is_asked(const cat_list_query_t *asked, const apr_array_header_t *words, const char *word)
{
    int i = 0;

    while (i < asked->word_count &&
           (strcmp(asked->words[i], word) != 0 || has_word(words, word) || has_any_word(words, asked->others[i]))) {
        i++;
    }
    return i == asked->word_count;
}

static const char *spell_word(apr_pool_t *pool, const apr_array_header_t *texts, const char *word)
{
    const char *spelling = NULL;

    for (int i = 0; i < texts->nelts && !spelling; i++) {
        spelling = cat_words_find_spelling(pool, APR_ARRAY_IDX(texts, i, const char *), word);
    }
    return spelling ? spelling : word;
}

static void name_word(const cat_corrections_t *c, const replaced_t *replaced, const apr_array_header_t *texts,
                      const apr_array_header_t *words)
{
    int i = 0;

    while (replaced->others[i] && !has_word(words, replaced->others[i])) {
        i++;
    }
    if (replaced->others[i] && !replaced->spellings[i]) {
        const char *other = replaced->others[i];
        const char *word = apr_pstrmemdup(c->product_pool, other, strcspn(other, CAT_PRODUCT_WORD_END));
        replaced->spellings[i] = apr_pstrdup(c->pool, spell_word(c->product_pool, texts, word));
    }
}

void cat_corrections_note(cat_corrections_t *c, const char *const *values)
{
    apr_array_header_t *texts, *words;

    if (c->products++ >= CAT_CORRECTIONS_PRODUCTS || is_all_named(c)) {
        return;
    }
    texts = list_texts(c, values);
    words = list_words(c->product_pool, texts);
    for (int i = 0; i < c->count; i++) {
        if (!is_asked(c->asked, words, c->words[i].word)) {
            name_word(c, &c->words[i], texts, words);
        }
    }
    apr_pool_clear(c->product_pool);
}

/* ---- the end ---- */

static const char *const *list_named(apr_pool_t *pool, const replaced_t *replaced)
{
    const char **named = apr_pcalloc(pool, (CAT_QUERY_OTHERS_MAX + 1) * sizeof(*named));
    int count = 0;

    for (int i = 0; replaced->others[i]; i++) {
        if (replaced->spellings[i]) {
            named[count++] = replaced->spellings[i];
        }
    }
    return count ? named : NULL;
}

int cat_corrections_end(const cat_corrections_t *c, const cat_correction_t **named)
{
    cat_correction_t *all = apr_palloc(c->pool, (apr_size_t)c->count * sizeof(*all));
    int count = 0;

    for (int i = 0; i < c->count; i++) {
        const char *const *words = list_named(c->pool, &c->words[i]);
        if (words) {
            all[count++] = (cat_correction_t){c->words[i].word, words};
        }
    }
    *named = all;
    return count;
}
