/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggestions while somebody types a search: "ket" goes on as "kettle" and "ketchup".
 *
 * The words are not those of the index, where one cannot tell a word from a part of one, from two that are joined, or from one that only hidden
 * products have. A few products are read that the search finds, the newest ones, and the words of their names, categories and short searched
 * fields that begin so are counted. So everything that is suggested can be seen, and has the letters that products have. Which products, so
 * that no question reads many:
 *
 *      ke                 begins many words of the index, or is short: the newest SAMPLE products of the catalogue, as far as they are found
 *      kett               begins up to FEW: the newest products of each of these words, so that rare ones are suggested, too. So are those of a
 *                         text that none of the newest products has
 *      red ket            together with other words: the newest ones that the search finds (plan.c)
 */
#include "catalogue/list/suggestions.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/plan.h"
#include "db/db.h"
#include "lib/fold.h"
#include "lib/text.h"
#include "lib/words.h"

#define FEW 8        /* words of the index whose products are read */
#define SHORT_WORD 3 /* octets from which on a word is not short */
#define SAMPLE 40    /* newest products of the catalogue that are read */
#define ROWS 10      /* products whose words are counted */
_Static_assert(FEW <= ROWS, "each of the words has a product");
#define LONG_TEXT 200 /* octets: nobody looks there for a word to type */

typedef struct word_t {
    const char *folded, *shown;
    int count, place;
} word_t;

/* Suggestions that are being made. */
typedef struct making_t {
    cat_db_t *db;
    const cat_suggestions_query_t *query;
    const char *begun;          /* the last word of the text, folded */
    apr_array_header_t *words;  /* word_t */
    apr_array_header_t *names;  /* cat_suggested_product_t: with such a word in the name */
    apr_array_header_t *others; /* the same of the other products */
    const char *found[FEW];     /* words of the index that begin so */
    int found_count;            /* FEW + 1: more */
} making_t;

/* ---- words of products ---- */

static void count_word(making_t *m, const char *folded, const char *shown)
{
    for (int i = 0; i < m->words->nelts; i++) {
        word_t *word = &APR_ARRAY_IDX(m->words, i, word_t);
        if (!strcmp(word->folded, folded)) {
            word->count++;
            return;
        }
    }
    APR_ARRAY_PUSH(m->words, word_t) = (word_t){folded, cat_text_lower(m->db->pool, shown), 1, m->words->nelts};
}

/* Has the text a word that begins so? Some few texts have other words when they are folded; these are shown so. */
static int count_words(making_t *m, const char *text)
{
    const char *folded = text && strlen(text) <= LONG_TEXT ? cat_fold_text(m->db->pool, text) : "";
    const apr_array_header_t *words, *shown;
    int has_word = 0;

    if (!strstr(folded, m->begun)) {
        return 0;
    }
    words = cat_words_split(m->db->pool, folded);
    shown = strcasecmp(folded, text) != 0 ? cat_words_split(m->db->pool, text) : words;
    shown = shown->nelts == words->nelts ? shown : words;
    for (int i = 0; i < words->nelts; i++) {
        const char *word = APR_ARRAY_IDX(words, i, const char *);
        if (!strncmp(word, m->begun, strlen(m->begun))) {
            count_word(m, word, APR_ARRAY_IDX(shown, i, const char *));
            has_word = 1;
        }
    }
    return has_word;
}

static apr_status_t take_product(void *baton, const char *const *values, int count)
{
    making_t *m = baton;
    apr_pool_t *pool = m->db->pool;
    const cat_fields_t *fields = m->query->all->all;
    const char *const *product = cat_product_read(pool, fields, values);
    int is_named = count_words(m, product[CAT_PRODUCT_NAME]);

    (void)count;
    count_words(m, product[CAT_PRODUCT_CATEGORY]);
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (fields->all[i].flags & CAT_SEARCHED) {
            count_words(m, product[i]);
        }
    }
    APR_ARRAY_PUSH(is_named ? m->names : m->others, cat_suggested_product_t) = (cat_suggested_product_t){
        apr_pstrdup(pool, product[CAT_PRODUCT_ID]), apr_pstrdup(pool, product[CAT_PRODUCT_NAME])};
    return APR_SUCCESS;
}

/* ---- which products ---- */

static apr_status_t take_found(void *baton, const char *const *values, int count)
{
    making_t *m = baton;

    (void)count;
    if (m->found_count < FEW) {
        m->found[m->found_count] = apr_pstrdup(m->db->pool, values[0]);
    }
    m->found_count++;
    return APR_SUCCESS;
}

/* Adds the first word from begin on, or above that of f. */
static void add_next_word(cat_select_text_t *s, const char *begin, const char *end)
{
    cat_select_text_add(s, "(SELECT w.word FROM product_words w WHERE w.word ", begin ? ">= " : "> f.word", NULL);
    if (begin) {
        cat_select_text_add_value(s, begin);
    }
    if (end) {
        cat_select_text_add(s, " AND w.word < ", NULL);
        cat_select_text_add_value(s, end);
    }
    cat_select_text_add(s, " ORDER BY w.word LIMIT 1)", NULL);
}

/* Finds the words that begin so, up to FEW and one: each by a look into the index, above the one before it. */
static apr_status_t find_words(making_t *m)
{
    const cat_list_query_t *all = m->query->all;
    const char *begin = cat_fold_cut(m->db->pool, all->words[0], CAT_PRODUCT_WORD_SIZE);
    const char *end = cat_conditions_end_of_prefix(m->db->pool, begin);
    cat_select_text_t s;

    cat_select_text_begin(&s, m->db);
    cat_select_text_add(&s, "WITH RECURSIVE f(word, place) AS (SELECT ", NULL);
    add_next_word(&s, begin, end);
    cat_select_text_add(&s, ", 0 UNION ALL SELECT ", NULL);
    add_next_word(&s, NULL, end);
    cat_select_text_add(&s, ", f.place + 1 FROM f WHERE f.word IS NOT NULL AND f.place < ", NULL);
    cat_select_text_add_number(&s, FEW);
    cat_select_text_add(&s, ") SELECT word FROM f WHERE word IS NOT NULL", NULL);
    return cat_select_text_run(&s, m->db, take_found, m);
}

/* The newest products of each of the words. */
static apr_status_t read_by_words(making_t *m)
{
    cat_plan_t plan = {.query = m->query->all, .order = cat_order_make(m->query->all), .sort_count = 1, .field = -1};
    cat_select_text_t s;

    plan.kind = CAT_PLAN_STREAM;
    plan.word = m->query->all->words[0];
    plan.branch_count = m->found_count < FEW ? m->found_count : FEW;
    plan.branch_rows = ROWS / plan.branch_count;
    memcpy(plan.branches, m->found, sizeof(m->found));
    cat_select_text_begin(&s, m->db);
    cat_plan_add_rows(&s, &plan, ROWS, 0);
    return cat_select_text_run(&s, m->db, take_product, m);
}

/* Those of the newest products of the catalogue that are found. */
static apr_status_t read_newest(making_t *m)
{
    const cat_found_t found = {0};
    cat_select_text_t s;

    cat_select_text_begin(&s, m->db);
    cat_select_text_add(
        &s, "SELECT " PRODUCT_COLUMNS_OF_P " FROM (SELECT * FROM products ORDER BY created_at DESC, id DESC LIMIT ",
        NULL);
    cat_select_text_add_number(&s, SAMPLE);
    cat_select_text_add(&s, ") p", NULL);
    cat_select_text_begin_where(&s);
    cat_conditions_add_all(&s, m->query->all, &found);
    cat_select_text_add(&s, " ORDER BY p.created_at DESC, p.id DESC LIMIT ", NULL);
    cat_select_text_add_number(&s, ROWS);
    return cat_select_text_run(&s, m->db, take_product, m);
}

static apr_status_t read_planned(making_t *m)
{
    cat_plan_t plan;
    cat_select_text_t s;
    apr_status_t rv = cat_plan_choose(m->db, m->query->all, &plan);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_select_text_begin(&s, m->db);
    cat_plan_add_rows(&s, &plan, ROWS, 0);
    return cat_select_text_run(&s, m->db, take_product, m);
}

/* One word, for which nothing else may stand. */
static int is_simple(const cat_list_query_t *all)
{
    return all->word_count == 1 && !all->others[0];
}

/* Is the number of rows that are read bounded? Where some products are hidden, or fields, a word may have many before one that is seen. */
static int is_bounded(const making_t *m)
{
    const cat_list_query_t *all = m->query->all;
    cat_select_text_t s;

    cat_select_text_begin(&s, m->db);
    return is_simple(all) && !all->condition_count && !cat_select_text_hides_words(&s);
}

static apr_status_t read_simple(making_t *m)
{
    int is_short = strlen(m->query->all->words[0]) < SHORT_WORD;
    apr_status_t rv = cat_conditions_prepare(m->db, m->query->all);

    rv = rv == APR_SUCCESS && is_short ? read_newest(m) : rv;
    if (rv != APR_SUCCESS || m->names->nelts) {
        return rv;
    }
    rv = find_words(m);
    if (rv == APR_SUCCESS && m->found_count > FEW && !is_short) {
        rv = read_newest(m);
    }
    if (rv != APR_SUCCESS || !m->found_count || m->names->nelts) {
        return rv;
    }
    m->words->nelts = m->others->nelts = 0; /* those of the newest products are among these */
    return read_by_words(m);
}

static apr_status_t read_products(void *baton)
{
    making_t *m = baton;
    apr_pool_t *pool = m->db->pool;

    m->words = apr_array_make(pool, ROWS, sizeof(word_t));
    m->names = apr_array_make(pool, ROWS, sizeof(cat_suggested_product_t));
    m->others = apr_array_make(pool, ROWS, sizeof(cat_suggested_product_t));
    m->found_count = 0;
    return is_simple(m->query->all) ? read_simple(m) : read_planned(m);
}

/* ---- answers ---- */

static int compare_words(const void *a, const void *b)
{
    const word_t *one = a, *other = b;

    return one->count != other->count ? other->count - one->count : one->place - other->place;
}

static cat_suggestions_t choose(const making_t *m)
{
    apr_pool_t *pool = m->db->pool;
    int limit = (int)m->query->all->limit;
    cat_suggestions_t chosen = {apr_array_make(pool, limit, sizeof(const char *)),
                                apr_array_append(pool, m->names, m->others)};

    qsort(m->words->elts, (size_t)m->words->nelts, sizeof(word_t), compare_words);
    for (int i = 0; i < m->words->nelts && i < limit; i++) {
        APR_ARRAY_PUSH(chosen.words, const char *) = APR_ARRAY_IDX(m->words, i, word_t).shown;
    }
    chosen.products->nelts = chosen.products->nelts < limit ? chosen.products->nelts : limit;
    return chosen;
}

static const char *last_word(apr_pool_t *pool, const char *text)
{
    const apr_array_header_t *words = cat_words_split(pool, cat_fold_text(pool, text));

    return APR_ARRAY_IDX(words, words->nelts - 1, const char *);
}

/* What may take as long as a list with conditions waits for its turn. */
static apr_status_t read_in_turn(making_t *m)
{
    apr_status_t rv = cat_db_begin_search(m->db);

    if (rv == APR_SUCCESS) {
        rv = cat_db_search(m->db, read_products, m);
        cat_db_end_search(m->db);
    }
    return rv;
}

/* Texts without a suggestion are unbounded in number. */
static apr_status_t make_answer(making_t *m, cat_item_t *item)
{
    cat_suggestions_t suggestions;
    cat_buffer_t body;
    apr_status_t rv = is_bounded(m) ? cat_db_search(m->db, read_products, m) : read_in_turn(m);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    suggestions = choose(m);
    cat_buffer_init(&body, m->db->pool, 1024);
    m->query->write(&body, &suggestions);
    cat_answer_cache_join(item, &body, "\n");
    if (suggestions.products->nelts) {
        cat_answer_cache_put(m->db, item);
    }
    return APR_SUCCESS;
}

apr_status_t cat_suggestions_answer(cat_db_t *db, const cat_suggestions_query_t *query, apr_time_t now,
                                    cat_cached_list_t *answer)
{
    making_t m = {.db = db, .query = query, .begun = last_word(db->pool, query->text)};
    cat_item_t item = {.key = apr_psprintf(db->pool, "/suggest?%" APR_INT64_T_FMT "&%s&%s&%s", query->all->limit,
                                           m.begun, db->conf->view ? db->conf->view : "", query->all->parameters)};
    apr_status_t rv = cat_answer_cache_get(db, NULL, now, &item) ? APR_SUCCESS : make_answer(&m, &item);

    if (rv == APR_SUCCESS) {
        *answer = cat_answer_cache_split(&item);
    }
    return rv;
}
