/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_WORDS_H
#define CAT_LIB_WORDS_H

#include <apr_pools.h>
#include <apr_tables.h>

/*
 * The words of folded texts (lib/fold.h). A product has all of cat_words_list, and a question is what cat_words_ask makes of it: a product
 * matches if each word of the question begins a word of the product. Whatever the text, it finds itself, and so does each of its words: what
 * cat_words_ask_whole asks for is a part of cat_words_list.
 */

#define CAT_WORDS_VERSION "5" /* of the rules of folding and of words: to be raised when they change */

#define CAT_WORDS_JOINED_MAX                                                                                           \
    64 /* octets of a word that the text does not have so; longer ones are cut at a piece, or left out */

/* The runs of letters and digits (Unicode categories L and N) as they are in the text, in its order, as const char *, on the pool. text: also one
 * that is not folded, with the marks behind its letters. */
apr_array_header_t *cat_words_split(apr_pool_t *pool, const char *text);

/* How many letters a word has; 0: it has a digit, or is of a script without blanks. */
int cat_words_count_letters(const char *word);

typedef struct cat_word_t {
    const char *text;
    int is_joined; /* flag: it has letters only, and is one word only if a blank is left out, or what is before a hyphen */
} cat_word_t;

/* The words by which the text is found, each once, in the order of their octets, as cat_word_t, on the pool:
 *
 *     red kettle       kettle red
 *     Wi-Fi            fi wi wifi                  what a hyphen, slash or the like joins, also as one word
 *     Wi Fi, 500 ml    500 500ml fi ml wi wifi     and short neighbours; this wifi is joined
 *     M5799DWF         5799dwf dwf m5799dwf        what begins with a letter behind a digit, or a digit behind a letter
 *     Galaxy24         24 galaxy galaxy24          a number beside four letters or more is a word
 *     Galaxy24S        24s galaxy galaxy24s s      and four letters or more before a digit
 *     ABCD             AB BC CD D                  pairs, if these are letters of a script without blanks
 *     AB CD            AB B BC CD D                and over a blank, hyphen or the like between them */
apr_array_header_t *cat_words_list(apr_pool_t *pool, const char *folded);

/* How a text, which is not folded, writes the beginning of one of its words, or words joined by hyphens and the like: "grün" for "grun",
 * "tea-kettle" for "teakettle", in lower case, on the pool. word: letters, folded. NULL: it does not have it. */
const char *cat_words_find_spelling(apr_pool_t *pool, const char *text, const char *word);

/* words[i] begins a word of a product, or one of these does, which may be NULL: joined[i], the word with the one before it; numbers[i], a number of
 * four digits or more without up to three letters before it, "5799" of "m5799". No word begins another one. */
typedef struct cat_words_asked_t {
    const char *const *words, *const *joined, *const *numbers;
    int count;
} cat_words_asked_t;

/* The words of a question, in its order, on the pool. The words, separated by blanks, are the same question. */
cat_words_asked_t cat_words_ask(apr_pool_t *pool, const char *folded);

/* The same where each word has to be a whole word of a product: each once, and no number without its letters. */
cat_words_asked_t cat_words_ask_whole(apr_pool_t *pool, const char *folded);

#endif
