/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SYNONYMS_H
#define CAT_CATALOGUE_SYNONYMS_H

#include "lib/conf.h"
#include "lib/words.h"

/*
 * Words that mean the same, of CatalogSynonyms. Each line of the file is a list of terms, or two:
 *
 *     sofa, couch, settee               # each of them may stand for each other one
 *     tv, telly => television set       # television and set for tv and for telly, and not the other way
 */

#define CAT_SYNONYMS_MAX 31      /* of a term, whose words may also be joined to the one before */
#define CAT_SYNONYMS_ALL_MAX 100 /* of the words of a question */
#define CAT_SYNONYMS_WORDS_MAX 9 /* of a term: ten characters of Han */

/* A term, and what may stand for it. */
typedef struct cat_synonym_t {
    cat_words_asked_t term;
    apr_array_header_t *others; /* cat_words_asked_t: all words of one of these are as good as all of the term */
    struct cat_synonym_t *next; /* another one whose term begins with the same word; NULL: there is none */
} cat_synonym_t;

/* *synonyms: on the pool, and never changed. NULL, or what is wrong with the file, with the line, in words for the administrator. */
const char *cat_synonyms_read(apr_pool_t *pool, const char *path, const cat_synonyms_t **synonyms);

/* The same of a text. */
const char *cat_synonyms_parse(apr_pool_t *pool, const char *text, const cat_synonyms_t **synonyms);

/* The first of those whose term begins with a word of q; NULL: there is none. synonyms: NULL for none at all. */
const cat_synonym_t *cat_synonyms_find(const cat_synonyms_t *synonyms, const char *word);

/* Do these words of q begin with all of the term? */
int cat_synonyms_is_there(const cat_words_asked_t *term, const char *const *words, int count);

/* Names the content, for answers that are cached. "": no synonyms. */
const char *cat_synonyms_name(const cat_synonyms_t *synonyms);

#endif
