/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_WORDS_H
#define CAT_LIB_WORDS_H

#include <apr_pools.h>
#include <apr_tables.h>

/*
 * Splits folded texts (lib/fold.h) into words. cat_words_list returns the words of a product, and cat_words_ask those
 * of a search query. A product matches if each word of the query is the beginning of a word of the product. Every text,
 * and each word of it, finds itself: the words of cat_words_ask_whole are a subset of the words of cat_words_list for
 * the same text.
 */

#define CAT_WORDS_VERSION "5" /* version of the rules of folding and splitting; increase it when they change */

#define CAT_WORDS_JOINED_MAX 64 /* bytes of a joined word; longer ones are cut at a piece, or left out */

/* Returns the runs of letters and digits (Unicode categories L and N) as in the text, in its order, as const char *, on
 * the pool. The text need not be folded; a run includes the combining marks after its letters. */
apr_array_header_t *cat_words_split(apr_pool_t *pool, const char *text);

/* Returns the number of letters of a word. Returns 0 if the word has a digit or is in a script without blanks. */
int cat_words_count_letters(const char *word);

typedef struct cat_word_t {
    const char *text;
    int is_joined; /* true if the word has letters only, and people write it as several words: joined across a blank,
                    * or without the part before a hyphen */
} cat_word_t;

/*
 * Returns the words by which a text is found, as cat_word_t, each once, sorted by bytes, on the pool:
 *
 *     red kettle       kettle red
 *     Wi-Fi            fi wi wifi                  also joined across a hyphen, slash or the like
 *     Wi Fi, 500 ml    500 500ml fi ml wi wifi     and across the blank of short words; is_joined is true for wifi
 *     M5799DWF         5799dwf dwf m5799dwf        also from each change between letters and digits to the end
 *     Galaxy24         24 galaxy galaxy24          four letters or more and an adjacent number are two words
 *     Galaxy24S        24s galaxy galaxy24s s      four letters or more before a digit are also a word
 *     ABCD             AB BC CD D                  pairs, if these are characters of a script without blanks
 *     AB CD            AB B BC CD D                also a pair across a blank, hyphen or the like
 */
apr_array_header_t *cat_words_list(apr_pool_t *pool, const char *folded);

/* Returns how a text, which is not folded, writes a word or the beginning of a word: "grün" for "grun", "tea-kettle"
 * for "teakettle". The result is in lower case, on the pool. `word` is folded and has only letters. Returns NULL if the
 * text does not have the word. */
const char *cat_words_find_spelling(apr_pool_t *pool, const char *text, const char *word);

/* Words of a search query. For each i, a product must have a word that begins with words[i], or with joined[i] or
 * numbers[i] if these are not NULL. joined[i] is the word appended to the word before it. numbers[i] is the word
 * without up to three letters before a number of four digits or more: "5799" of "m5799". No word is the beginning of
 * another word. */
typedef struct cat_words_asked_t {
    const char *const *words, *const *joined, *const *numbers;
    int count;
} cat_words_asked_t;

/* Returns the words of a search query, in its order, on the pool. A query of these words, separated by blanks, has the
 * same words. */
cat_words_asked_t cat_words_ask(apr_pool_t *pool, const char *folded);

/* Returns the words of a search query that must equal whole words of a product. Each word occurs once, and numbers[i]
 * is always NULL. */
cat_words_asked_t cat_words_ask_whole(apr_pool_t *pool, const char *folded);

#endif
