/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that mean the same, as a table in memory: of each word, the others that may stand for it where it is a whole word of a question.
 * Nothing changes after the configuration was read, so threads need no lock.
 *
 * A synonym is one beginning of words, like any other that may stand for a word of q (catalogue/query/query_others.h). So a term is one
 * word, by the same rules as in a question: "frying pan" is two, and so is "t-shirt", which products have as "tshirt", too.
 */
#include "catalogue/query/synonyms.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "lib/file.h"
#include "lib/fold.h"
#include "lib/hash.h"
#include "lib/text.h"
#include "lib/words.h"

#define FILE_MAX 1024 /* KiB */
#define NO_CHARACTER 0xFFFD

struct cat_synonyms_t {
    apr_hash_t *words; /* const char * to cat_query_others_t *; when all lines are read, to const char *const * */
    const char *name;
};

typedef const char *fault_t;

/* ---- terms ---- */

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && apr_isspace(end[-1])) {
        *--end = '\0';
    }
    while (apr_isspace(*text)) {
        text++;
    }
    return text;
}

/* Adds the word of q that the term is. */
static fault_t add_term(apr_array_header_t *terms, const char *term)
{
    apr_pool_t *pool = terms->pool;
    const char *folded = cat_fold_text(pool, term);
    cat_words_asked_t asked = cat_words_ask(pool, folded);

    if (!*term) {
        return "has nothing where a word should be";
    }
    if (cat_words_split(pool, folded)->nelts == 0) {
        return apr_psprintf(pool, "has \"%s\", which has no letter and no digit", term);
    }
    if (asked.count > 1 || cat_words_split(pool, folded)->nelts > 1) {
        return apr_psprintf(pool, "has \"%s\", which is several words; write one, as tshirt for t-shirt", term);
    }
    if (strlen(asked.words[0]) > CAT_WORDS_JOINED_MAX) {
        return apr_psprintf(pool, "has \"%s\", which has more than %d octets", term, CAT_WORDS_JOINED_MAX);
    }
    APR_ARRAY_PUSH(terms, const char *) = asked.words[0];
    return NULL;
}

/* Words with a comma between them. */
static fault_t split_terms(apr_pool_t *pool, char *text, apr_array_header_t **terms)
{
    fault_t fault = NULL;

    *terms = apr_array_make(pool, 4, sizeof(const char *));
    for (char *next = text; next && !fault; text = next) {
        next = strchr(text, ',');
        if (next) {
            *next++ = '\0';
        }
        fault = add_term(*terms, trim(text));
    }
    return fault;
}

/* ---- lines ---- */

static cat_query_others_t *others_of(const cat_synonyms_t *synonyms, const char *word)
{
    cat_query_others_t *others = apr_hash_get(synonyms->words, word, APR_HASH_KEY_STRING);
    apr_pool_t *pool = apr_hash_pool_get(synonyms->words);

    if (!others) {
        others = apr_pmemdup(pool, &(cat_query_others_t){word, apr_array_make(pool, 4, sizeof(const char *))},
                             sizeof(*others));
        apr_hash_set(synonyms->words, word, APR_HASH_KEY_STRING, others);
    }
    return others;
}

/* Lets each of the words stand for each of the terms. */
static fault_t add_others(const cat_synonyms_t *synonyms, const apr_array_header_t *terms,
                          const apr_array_header_t *words)
{
    for (int i = 0; i < terms->nelts; i++) {
        cat_query_others_t *others = others_of(synonyms, APR_ARRAY_IDX(terms, i, const char *));
        for (int k = 0; k < words->nelts; k++) {
            cat_query_others_add(others, APR_ARRAY_IDX(words, k, const char *));
        }
        if (others->all->nelts > CAT_SYNONYMS_MAX) {
            return apr_psprintf(terms->pool, "is too much: \"%s\" would have more than %d synonyms", others->word,
                                CAT_SYNONYMS_MAX);
        }
    }
    return NULL;
}

static fault_t add_line(const cat_synonyms_t *synonyms, char *line)
{
    apr_pool_t *pool = apr_hash_pool_get(synonyms->words);
    char *arrow, *comment = strchr(line, '#');
    apr_array_header_t *terms, *words;
    fault_t fault;

    if (comment) {
        *comment = '\0';
    }
    line = trim(line);
    if (!*line) {
        return NULL;
    }
    arrow = strstr(line, "=>");
    if (!arrow) {
        fault = split_terms(pool, line, &terms);
        if (!fault && terms->nelts < 2) {
            fault = "has one word; separate words that mean the same by commas";
        }
        return fault ? fault : add_others(synonyms, terms, terms);
    }
    *arrow = '\0';
    fault = split_terms(pool, line, &terms);
    fault = fault ? fault : split_terms(pool, arrow + 2, &words);
    return fault ? fault : add_others(synonyms, terms, words);
}

/* ---- texts ---- */

static int is_utf8(const char *text)
{
    const char *end = text + strlen(text);
    apr_int32_t character = 0;

    while (text < end && character != NO_CHARACTER) {
        text += cat_text_read(text, (apr_size_t)(end - text), &character);
    }
    return character != NO_CHARACTER;
}

static fault_t add_lines(const cat_synonyms_t *synonyms, char *text)
{
    fault_t fault = NULL;
    int number = 1;

    for (char *line = text, *next; line && !fault; line = next, number++) {
        next = strchr(line, '\n');
        if (next) {
            *next++ = '\0';
        }
        fault = add_line(synonyms, line);
    }
    return fault ? apr_psprintf(apr_hash_pool_get(synonyms->words), "line %d %s", number - 1, fault) : NULL;
}

static void end_lists(apr_hash_t *words)
{
    const void *word;
    void *others;

    for (apr_hash_index_t *i = apr_hash_first(NULL, words); i; i = apr_hash_next(i)) {
        apr_hash_this(i, &word, NULL, &others);
        apr_hash_set(words, word, APR_HASH_KEY_STRING, (void *)cat_query_others_end(others));
    }
}

const char *cat_synonyms_parse(apr_pool_t *pool, const char *text, const cat_synonyms_t **synonyms)
{
    cat_synonyms_t *made = apr_palloc(pool, sizeof(*made));
    fault_t fault;

    *synonyms = NULL;
    *made = (cat_synonyms_t){apr_hash_make(pool), ""};
    if (!is_utf8(text)) {
        return "is not text in UTF-8";
    }
    fault = add_lines(made, apr_pstrdup(pool, text));
    if (fault) {
        return fault;
    }
    end_lists(made->words);
    if (apr_hash_count(made->words)) {
        made->name = apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, cat_hash(text, strlen(text)));
    }
    *synonyms = made;
    return NULL;
}

const char *cat_synonyms_read(apr_pool_t *pool, const char *path, const cat_synonyms_t **synonyms)
{
    char *text;
    apr_size_t length;
    const char *fault = cat_file_read(pool, path, 0, FILE_MAX, &text, &length);

    *synonyms = NULL;
    if (fault) {
        return fault;
    }
    fault = strlen(text) < length ? "is not text in UTF-8" : cat_synonyms_parse(pool, text, synonyms);
    return fault ? apr_psprintf(pool, "%s: %s", path, fault) : NULL;
}

const char *const *cat_synonyms_find(const cat_synonyms_t *synonyms, const char *word)
{
    return synonyms ? apr_hash_get(synonyms->words, word, APR_HASH_KEY_STRING) : NULL;
}

const char *cat_synonyms_name(const cat_synonyms_t *synonyms)
{
    return synonyms ? synonyms->name : "";
}
