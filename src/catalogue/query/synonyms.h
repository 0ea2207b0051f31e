/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SYNONYMS_H
#define CAT_CATALOGUE_SYNONYMS_H

#include "catalogue/query/query_others.h"
#include "lib/conf.h"

/*
 * Words that mean the same, of CatalogSynonyms. Each line of the file is a list of words of q, or two:
 *
 *     sofa, couch, settee      # each of them may stand for each other one
 *     tv, telly => television  # television for tv and for telly, and not the other way
 */

#define CAT_SYNONYMS_MAX 31      /* of a word, which may also be joined to the one before it */
#define CAT_SYNONYMS_ALL_MAX 100 /* of the words of a question */

/* *synonyms: on the pool, and never changed. NULL, or what is wrong with the file, with the line, in words for the administrator. */
const char *cat_synonyms_read(apr_pool_t *pool, const char *path, const cat_synonyms_t **synonyms);

/* The same of a text. */
const char *cat_synonyms_parse(apr_pool_t *pool, const char *text, const cat_synonyms_t **synonyms);

/* Those of a word of q, up to a NULL; NULL: it has none. synonyms: NULL for none at all. */
const char *const *cat_synonyms_find(const cat_synonyms_t *synonyms, const char *word);

/* Names the content, for answers that are cached. "": no synonyms. */
const char *cat_synonyms_name(const cat_synonyms_t *synonyms);

#endif
