/* SPDX-License-Identifier: Apache-2.0 */
/* Any octets: a product with this name is found by its name, by each run of letters and digits of it, and by each of its words; the words of a
 * question, with blanks between them, are the same question. */
#include "fuzz.h"
#include "lib/fold.h"
#include "lib/spelling.h"
#include "lib/words.h"

#include <apr_strings.h>

static int begins_one(const apr_array_header_t *words, const char *beginning)
{
    for (int i = 0; beginning && i < words->nelts; i++) {
        if (!strncmp(APR_ARRAY_IDX(words, i, cat_word_t).text, beginning, strlen(beginning))) {
            return 1;
        }
    }
    return 0;
}

static int is_found(const apr_array_header_t *words, const cat_words_asked_t *asked)
{
    for (int i = 0; i < asked->count; i++) {
        if (!begins_one(words, asked->words[i]) && !begins_one(words, asked->joined[i])) {
            return 0;
        }
    }
    return 1;
}

static const char *write_question(apr_pool_t *pool, const cat_words_asked_t *asked)
{
    const char *question = "";

    for (int i = 0; i < asked->count; i++) {
        question = apr_pstrcat(pool, question, i ? " " : "", asked->words[i], NULL);
    }
    return question;
}

static int is_same(const cat_words_asked_t *one, const cat_words_asked_t *other)
{
    int i = 0;

    while (i < one->count && i < other->count && !strcmp(one->words[i], other->words[i]) &&
           !one->joined[i] == !other->joined[i] && (!one->joined[i] || !strcmp(one->joined[i], other->joined[i]))) {
        i++;
    }
    return i == one->count && i == other->count;
}

static int has_word(const apr_array_header_t *words, const char *word)
{
    for (int i = 0; word && i < words->nelts; i++) {
        if (!strcmp(APR_ARRAY_IDX(words, i, cat_word_t).text, word)) {
            return 1;
        }
    }
    return 0;
}

/* Its own text, or a run of it, asks a product for nothing but words that it has. */
static void check_own(apr_pool_t *pool, const apr_array_header_t *words, const char *folded)
{
    cat_words_asked_t asked = cat_words_ask(pool, folded), whole = cat_words_ask_whole(pool, folded);

    FUZZ_CHECK(asked.count > 0 || whole.count == 0);
    for (int i = 0; i < asked.count; i++) {
        FUZZ_CHECK(begins_one(words, asked.words[i]));
    }
    for (int i = 0; i < whole.count; i++) {
        FUZZ_CHECK(has_word(words, whole.words[i]));
    }
}

/* The words that were made of its text, too, alone or as neighbours. */
static void check_word(apr_pool_t *pool, const apr_array_header_t *words, const char *word)
{
    cat_words_asked_t asked = cat_words_ask(pool, word), whole = cat_words_ask_whole(pool, word);

    FUZZ_CHECK(asked.count > 0 && is_found(words, &asked));
    for (int i = 0; i < whole.count; i++) {
        FUZZ_CHECK(has_word(words, whole.words[i]) || has_word(words, whole.joined[i]) ||
                   (i + 1 < whole.count && has_word(words, whole.joined[i + 1])));
    }
}

/* Of letters only, a word has a part for each; and it is as far from another word as that is from it. */
static void check_spelling(apr_pool_t *pool, const char *word, const char *other)
{
    int letters = cat_words_count_letters(word), edits = cat_spelling_compare(word, other, 0, CAT_SPELLING_EDITS_MAX);
    const apr_array_header_t *parts = cat_spelling_parts(pool, word);

    FUZZ_CHECK(!letters || parts->nelts == letters);
    for (int i = 0; i < parts->nelts; i++) {
        FUZZ_CHECK(strlen(APR_ARRAY_IDX(parts, i, const char *)) <= 12);
    }
    FUZZ_CHECK(edits >= 0 && edits <= CAT_SPELLING_EDITS_MAX + 1 &&
               edits == cat_spelling_compare(other, word, 0, CAT_SPELLING_EDITS_MAX) &&
               edits >= cat_spelling_compare(word, other, CAT_SPELLING_ENDING_MAX, CAT_SPELLING_EDITS_MAX));
    FUZZ_CHECK(strlen(word) > 64 || cat_spelling_compare(word, word, 0, 0) == 0);
}

/* How the text spells a word is what folds to the word. */
static void check_letters(apr_pool_t *pool, const char *text, const apr_array_header_t *words)
{
    for (int i = 0; i < words->nelts && i < 8; i++) {
        const char *word = APR_ARRAY_IDX(words, i, cat_word_t).text;
        const char *spelling = cat_words_count_letters(word) ? cat_words_find_spelling(pool, text, word) : NULL;
        FUZZ_CHECK(!spelling || *spelling);
    }
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = fuzz_text(pool, data, size < 1000 ? size : 1000), *folded = cat_fold_text(pool, text);
    const apr_array_header_t *words = cat_words_list(pool, folded), *runs = cat_words_split(pool, folded);
    cat_words_asked_t asked = cat_words_ask(pool, folded), again = cat_words_ask(pool, write_question(pool, &asked));

    check_own(pool, words, folded);
    check_letters(pool, text, words);
    FUZZ_CHECK((size_t)words->nelts <= 3 * strlen(folded));
    FUZZ_CHECK(is_same(&asked, &again));
    for (int i = 0; i < runs->nelts; i++) {
        const char *run = APR_ARRAY_IDX(runs, i, const char *);
        FUZZ_CHECK(*run && strstr(folded, run));
        check_own(pool, words, run);
    }
    for (int i = 0; i < words->nelts; i++) {
        const char *word = APR_ARRAY_IDX(words, i, cat_word_t).text;
        FUZZ_CHECK(*word && !strchr(word, ' ') &&
                   (i == 0 || strcmp(APR_ARRAY_IDX(words, i - 1, cat_word_t).text, word) < 0));
        FUZZ_CHECK(!APR_ARRAY_IDX(words, i, cat_word_t).is_joined || cat_words_count_letters(word) > 0);
        check_word(pool, words, word);
        check_spelling(pool, word, APR_ARRAY_IDX(words, 0, cat_word_t).text);
    }
}
