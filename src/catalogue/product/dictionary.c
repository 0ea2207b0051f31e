/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the dictionary in step with product_words: a writer that inserts words asks which of them the dictionary lacks, without a lock, and inserts
 * those in an order that all writers have, so that those who add the same words wait for each other, and never in a circle. Most words of a
 * new product are there already. Nothing is counted, so that no row is one that all writers change; and nothing is deleted with a product, as
 * another one may get the word at the same moment.
 *
 *     part   letters   word
 *     ""     0         kettle      the word itself
 *     "<ke"  6         kettle      each of its parts; a reader names the part, and how long the word may be
 *     "ket"  6         kettle
 *
 * Words with digits are left out: what begins with one of their pieces is found anyway (lib/words.h), another number is another product, and
 * there is no end of them. So are joined words (product_keys.c), which nobody writes.
 */
#include "catalogue/product/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/spelling.h"
#include "lib/text.h"
#include "lib/words.h"

#define KNOWN_FEW 10 /* words of one SQL_DICTIONARY_KNOWN; of SQL_DICTIONARY_KNOWN_100: */
#define KNOWN_MANY 100

#define COLUMNS 3
#define PORTION 4096 /* rows that are inserted together, and those of words that begin alike */
#define BEGINNING 2  /* octets of such words */

/* Leaves those that the dictionary should have, each once. */
static void choose_words(apr_array_header_t *words)
{
    const char **all = (const char **)words->elts;
    int count = 0;

    for (int i = 0; i < words->nelts; i++) {
        if (cat_words_count_letters(all[i]) >= CAT_DICTIONARY_LEAST) {
            all[count++] = all[i];
        }
    }
    qsort(all, (size_t)count, sizeof(*all), cat_text_compare);
    words->nelts = 0;
    for (int i = 0; i < count; i++) {
        if (words->nelts == 0 || strcmp(all[words->nelts - 1], all[i]) != 0) {
            all[words->nelts++] = all[i];
        }
    }
}

/* Words to look up, in ascending order; those that are found become NULL. */
typedef struct asking_t {
    const char *const *asked;
    const char **lacking;
    int count;
} asking_t;

static apr_status_t strike_out(void *baton, const char *const *values, int)
{
    const asking_t *a = baton;
    const char *const *found = bsearch(values, a->asked, (size_t)a->count, sizeof(*a->asked), cat_text_compare);

    if (found) {
        a->lacking[found - a->asked] = NULL;
    }
    return APR_SUCCESS;
}

/* The places that are left repeat the last word. */
static apr_status_t ask_some(cat_db_t *db, const asking_t *a)
{
    const char *values[KNOWN_MANY];
    int width = a->count > KNOWN_FEW ? KNOWN_MANY : KNOWN_FEW;

    for (int i = 0; i < width; i++) {
        values[i] = a->asked[i < a->count ? i : a->count - 1];
    }
    return cat_db_each(db, width == KNOWN_FEW ? SQL_DICTIONARY_KNOWN : SQL_DICTIONARY_KNOWN_100, values, width,
                       strike_out, (void *)a);
}

/* Leaves the words that the dictionary lacks. */
static apr_status_t keep_lacking(cat_db_t *db, apr_array_header_t *words)
{
    const char **lacking;
    int count;
    apr_pool_t *before = db->pool, *scratch;
    apr_status_t rv = APR_SUCCESS;

    choose_words(words);
    count = words->nelts;
    lacking = apr_pmemdup(db->pool, words->elts, (apr_size_t)count * sizeof(*lacking));
    apr_pool_create(&scratch, before);
    cat_db_use_pool(db, scratch);
    for (int done = 0; done < count && rv == APR_SUCCESS; done += KNOWN_MANY) {
        int some = count - done > KNOWN_MANY ? KNOWN_MANY : count - done;
        rv = ask_some(db, &(asking_t){(const char *const *)words->elts + done, lacking + done, some});
        apr_pool_clear(scratch);
    }
    cat_db_use_pool(db, before);
    apr_pool_destroy(scratch);
    apr_array_clear(words);
    for (int i = 0; i < count; i++) {
        if (lacking[i]) {
            APR_ARRAY_PUSH(words, const char *) = lacking[i];
        }
    }
    return rv;
}

apr_status_t cat_dictionary_compare(cat_db_t *db, apr_array_header_t *words, int *lacking)
{
    apr_status_t rv = keep_lacking(db, words);

    *lacking = words->nelts;
    return rv;
}

typedef struct row_t {
    const char *values[COLUMNS];
} row_t;

static void add_row(apr_array_header_t *rows, const char *part, const char *letters, const char *word)
{
    APR_ARRAY_PUSH(rows, row_t) = (row_t){{part, letters, word}};
}

static void add_rows(apr_array_header_t *rows, const char *word)
{
    apr_array_header_t *parts = cat_spelling_parts(rows->pool, word);
    const char *letters = apr_itoa(rows->pool, cat_words_count_letters(word));

    add_row(rows, "", "0", word);
    for (int i = 0; i < parts->nelts; i++) {
        add_row(rows, APR_ARRAY_IDX(parts, i, const char *), letters, word);
    }
}

static int begins_alike(const char *one, const char *other)
{
    return !strncmp(one, other, BEGINNING);
}

/* An order in which no writer needs the rows of all its words at once: those of words that begin alike are together, in the order of the
 * primary key. */
static int compare_rows(const void *one, const void *other)
{
    const char *const *a = ((const row_t *)one)->values, *const *b = ((const row_t *)other)->values;
    int order = strncmp(a[2], b[2], BEGINNING);

    order = order ? order : strcmp(a[0], b[0]);
    order = order ? order : atoi(a[1]) - atoi(b[1]);
    return order ? order : strcmp(a[2], b[2]);
}

/* The rows of the words from *next on, and what they need, are on the pool. */
static apr_status_t insert_portion(cat_db_t *db, apr_pool_t *pool, const apr_array_header_t *words, int *next)
{
    apr_array_header_t *rows = apr_array_make(pool, 64, sizeof(row_t));
    const char *const *word = (const char *const *)words->elts;

    do {
        add_rows(rows, word[(*next)++]);
    } while (*next < words->nelts && (rows->nelts < PORTION || begins_alike(word[*next - 1], word[*next])));
    qsort(rows->elts, (size_t)rows->nelts, sizeof(row_t), compare_rows);
    return cat_db_insert_rows(
        db, &(cat_rows_t){SQL_DICTIONARY_INSERT, (const char *const *)rows->elts, COLUMNS, rows->nelts, 0});
}

apr_status_t cat_dictionary_add(cat_db_t *db, apr_array_header_t *words)
{
    apr_status_t rv = keep_lacking(db, words);
    apr_pool_t *pool;
    int next = 0;

    apr_pool_create(&pool, db->pool);
    while (next < words->nelts && rv == APR_SUCCESS) {
        rv = insert_portion(db, pool, words, &next);
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return rv;
}

/* ---- the sweep ---- */

typedef struct sweep_t {
    apr_pool_t *pool;
    apr_array_header_t *gone; /* words */
    const char *end;
} sweep_t;

static apr_status_t judge_word(void *baton, const char *const *values, int)
{
    sweep_t *s = baton;

    s->end = apr_pstrdup(s->pool, values[0]);
    if (!values[1]) {
        APR_ARRAY_PUSH(s->gone, const char *) = s->end;
    }
    return APR_SUCCESS;
}

static apr_status_t delete_word(cat_db_t *db, const char *word)
{
    apr_array_header_t *rows = apr_array_make(db->pool, 12, sizeof(row_t));
    apr_status_t rv = APR_SUCCESS;

    add_rows(rows, word);
    for (int i = 0; i < rows->nelts && rv == APR_SUCCESS; i++) {
        rv = cat_db_exec(db, SQL_DICTIONARY_DELETE, APR_ARRAY_IDX(rows, i, row_t).values, COLUMNS, NULL);
    }
    return rv;
}

apr_status_t cat_dictionary_sweep(cat_db_t *db, const char **end)
{
    sweep_t s = {db->pool, apr_array_make(db->pool, 4, sizeof(const char *)), NULL};
    apr_status_t rv = cat_db_each(db, SQL_DICTIONARY_WORDS, CAT_VALUES(*end), judge_word, &s);

    for (int i = 0; i < s.gone->nelts && rv == APR_SUCCESS; i++) {
        rv = delete_word(db, APR_ARRAY_IDX(s.gone, i, const char *));
    }
    *end = s.end;
    return rv;
}
