/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms that mean the same, as a table in memory: of each, the others that may stand for it where its words are whole words of a question, one
 * behind the other. Nothing changes after the configuration was read, so threads need no lock.
 *
 * A term is what a question would make of it, one word or several:
 *
 *     sofa, couch                 sofa                 couch
 *     tv => television set        tv                   television, set
 *     esstisch, dining table      dining, table        esstisch
 *     galaxy24, s24               galaxy, 24           s24
 *     ナイフ, 三徳包丁              ナイ, イフ            三徳, 徳包, 包丁
 *
 * What a search makes of several words is in query_clauses.c.
 */
#include "catalogue/query/synonyms.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "catalogue/query/query_others.h"
#include "lib/file.h"
#include "lib/fold.h"
#include "lib/hash.h"
#include "lib/text.h"
#include "lib/words.h"

#define FILE_MAX 1024 /* KiB */
#define NO_CHARACTER 0xFFFD
#define SHOWN 100 /* characters of a term that a fault shows */

struct cat_synonyms_t {
    apr_hash_t *terms; /* the first word of terms to a cat_synonym_t, the first of a list */
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

static int is_long(const cat_words_asked_t *asked)
{
    int i = 0;

    while (i < asked->count && strlen(asked->words[i]) <= CAT_WORDS_JOINED_MAX) {
        i++;
    }
    return i < asked->count;
}

static fault_t check_term(apr_pool_t *pool, const char *term, const cat_words_asked_t *asked)
{
    const char *shown = cat_text_shorten(pool, term, SHOWN);

    if (!*term) {
        return "has an empty term";
    }
    if (asked->count == 0) {
        return apr_psprintf(pool, "has \"%s\", which has no letter and no digit", shown);
    }
    if (asked->count > CAT_SYNONYMS_WORDS_MAX) {
        return apr_psprintf(pool, "has \"%s\", which is %d words or pairs of characters; write at most %d", shown,
                            asked->count, CAT_SYNONYMS_WORDS_MAX);
    }
    return is_long(asked)
               ? apr_psprintf(pool, "has \"%s\", with a word of more than %d octets", shown, CAT_WORDS_JOINED_MAX)
               : NULL;
}

/* Adds the words of q that the term is. */
static fault_t add_term(apr_array_header_t *terms, const char *term)
{
    cat_words_asked_t asked = cat_words_ask(terms->pool, cat_fold_text(terms->pool, term));
    fault_t fault = check_term(terms->pool, term, &asked);

    if (!fault) {
        APR_ARRAY_PUSH(terms, cat_words_asked_t) = asked;
    }
    return fault;
}

/* Terms with a comma between them. */
static fault_t split_terms(apr_pool_t *pool, char *text, apr_array_header_t **terms)
{
    fault_t fault = NULL;

    *terms = apr_array_make(pool, 4, sizeof(cat_words_asked_t));
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

int cat_synonyms_is_there(const cat_words_asked_t *term, const char *const *words, int count)
{
    int i = 0;

    while (i < term->count && i < count && !strcmp(term->words[i], words[i])) {
        i++;
    }
    return i == term->count;
}

static int is_same(const cat_words_asked_t *one, const cat_words_asked_t *other)
{
    return one->count == other->count && cat_synonyms_is_there(one, other->words, other->count);
}

/* Two words that are also asked joined are looked for so: t-shirt, t shirt and tshirt are one term. */
static cat_words_asked_t join_term(apr_pool_t *pool, const cat_words_asked_t *term)
{
    static const char *const nothing[] = {NULL};

    return term->count == 2 && term->joined[1]
               ? (cat_words_asked_t){apr_pmemdup(pool, &term->joined[1], sizeof(*term->joined)), nothing, nothing, 1}
               : *term;
}

static cat_synonym_t *synonym_of(const cat_synonyms_t *synonyms, const cat_words_asked_t *term)
{
    cat_synonym_t *first = apr_hash_get(synonyms->terms, term->words[0], APR_HASH_KEY_STRING), *synonym = first;
    apr_pool_t *pool = apr_hash_pool_get(synonyms->terms);

    while (synonym && !is_same(&synonym->term, term)) {
        synonym = synonym->next;
    }
    if (!synonym) {
        synonym = apr_palloc(pool, sizeof(*synonym));
        *synonym = (cat_synonym_t){*term, apr_array_make(pool, 4, sizeof(*term)), first};
        apr_hash_set(synonyms->terms, term->words[0], APR_HASH_KEY_STRING, synonym);
    }
    return synonym;
}

/* Unless it is there, or is the term itself. */
static void add_other(const cat_synonym_t *synonym, const cat_words_asked_t *other)
{
    const cat_words_asked_t joined = join_term(synonym->others->pool, other);
    int i = 0;

    while (i < synonym->others->nelts && !is_same(&APR_ARRAY_IDX(synonym->others, i, cat_words_asked_t), other)) {
        i++;
    }
    if (i == synonym->others->nelts && !is_same(&synonym->term, &joined)) {
        APR_ARRAY_PUSH(synonym->others, cat_words_asked_t) = *other;
    }
}

/* How many words a search for a term of `count` words has with all of its synonyms (query_clauses.c). */
static int count_words(const cat_synonym_t *synonym, int count)
{
    for (int i = 0; i < synonym->others->nelts && count <= CAT_QUERY_WORDS_MAX; i++) {
        count *= APR_ARRAY_IDX(synonym->others, i, cat_words_asked_t).count;
    }
    return count;
}

/* term: as the line has it. */
static fault_t check_synonym(apr_pool_t *pool, const cat_synonym_t *synonym, const cat_words_asked_t *term)
{
    const char *text = term->words[0];

    for (int i = 1; i < term->count; i++) {
        text = apr_pstrcat(pool, text, " ", term->words[i], NULL);
    }
    if (synonym->others->nelts > CAT_SYNONYMS_MAX) {
        return apr_psprintf(pool, "gives \"%s\" more than %d synonyms", text, CAT_SYNONYMS_MAX);
    }
    return count_words(synonym, term->count) <= CAT_QUERY_WORDS_MAX
               ? NULL
               : apr_psprintf(
                     pool,
                     "makes a search for \"%s\" longer than %d words, its own times those of each synonym; leave "
                     "out synonyms of several words",
                     text, CAT_QUERY_WORDS_MAX);
}

/* Lets each of the words stand for each of the terms. */
static fault_t add_others(const cat_synonyms_t *synonyms, const apr_array_header_t *terms,
                          const apr_array_header_t *words)
{
    fault_t fault = NULL;

    for (int i = 0; i < terms->nelts && !fault; i++) {
        const cat_words_asked_t *term = &APR_ARRAY_IDX(terms, i, cat_words_asked_t),
                                joined = join_term(terms->pool, term);
        const cat_synonym_t *synonym = synonym_of(synonyms, &joined);
        for (int k = 0; k < words->nelts; k++) {
            add_other(synonym, &APR_ARRAY_IDX(words, k, cat_words_asked_t));
        }
        fault = check_synonym(terms->pool, synonym, term);
    }
    return fault;
}

static fault_t add_line(const cat_synonyms_t *synonyms, char *line)
{
    apr_pool_t *pool = apr_hash_pool_get(synonyms->terms);
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
            fault = "has neither a comma nor =>; separate terms that mean the same by commas";
        }
        return fault ? fault : add_others(synonyms, terms, terms);
    }
    if (strstr(arrow + 2, "=>")) {
        return "has => twice";
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
    return fault ? apr_psprintf(apr_hash_pool_get(synonyms->terms), "line %d %s", number - 1, fault) : NULL;
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
    if (apr_hash_count(made->terms)) {
        made->name = apr_psprintf(pool, "%016" APR_UINT64_T_HEX_FMT, cat_hash(text, strlen(text)));
    }
    *synonyms = made;
    return NULL;
}

const char *cat_synonyms_read(apr_pool_t *pool, const char *path, const cat_synonyms_t **synonyms)
{
    char *text;
    apr_size_t length;
    const char *fault = cat_file_read_text(pool, path, FILE_MAX, &text, &length);

    *synonyms = NULL;
    if (fault) {
        return fault;
    }
    fault = strlen(text) < length ? "is not text in UTF-8" : cat_synonyms_parse(pool, text, synonyms);
    return fault ? apr_psprintf(pool, "%s: %s", path, fault) : NULL;
}

const cat_synonym_t *cat_synonyms_find(const cat_synonyms_t *synonyms, const char *word)
{
    return synonyms ? apr_hash_get(synonyms->terms, word, APR_HASH_KEY_STRING) : NULL;
}

const char *cat_synonyms_name(const cat_synonyms_t *synonyms)
{
    return synonyms ? synonyms->name : "";
}
