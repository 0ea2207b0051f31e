/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggestions while somebody types a search: "ket" goes on as "kettle" and "ketchup".
 *
 * The words are not those of the index, where one cannot tell a word from a part of one, from two that are joined, or from one that only hidden
 * products have. A few products are read that the search finds, the newest ones, and the words of their names, categories and short searched
 * fields that begin so are counted. So everything that is suggested can be seen, and has the letters that products have. Which products, so
 * that no question reads many:
 *
 *      kett               begins up to FEW words of the dictionary: the newest products of each, so that rare ones are suggested, too;
 *                         where it has none, or one that nobody sees, and for three letters, the same of the index
 *      ke                 begins more, or is short: those of the newest SAMPLE products of the catalogue that are found. If these do not have
 *                         enough words, one product for each next letter: the newest one of the first word with kea, with keb, and so on;
 *                         where even that are few, those of the first FEW words
 *      red ket            together with other words: the newest ones that the search finds (plan.c)
 *
 * Where products or fields are hidden from the client, the index also has their words, and what is read must not depend on these: otherwise the
 * client could count hidden words by what is suggested. Then the newest SEEN products that the search finds are read, and nothing else.
 */
#include "catalogue/list/suggestions.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/dictionary.h"
#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/looks.h"
#include "catalogue/search/plan.h"
#include "db/db.h"
#include "lib/fold.h"
#include "lib/text.h"
#include "lib/words.h"

#define FEW 8        /* words of the index whose products are read */
#define SHORT_WORD 3 /* octets from which on a word is not short */
#define SAMPLE 40    /* newest products of the catalogue that are read */
#define SEEN 100     /* newest products that are read where products or fields are hidden from the client */
#define ROWS 10      /* products whose words are counted, or more until there are enough words */
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
    apr_array_header_t *found;  /* const char *: words that begin so; more than FEW: there may be others */
    int is_used[FEW];           /* flags: a product that was read has this one of them */
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

/* Are there as many words as the client wants? */
static int has_enough(const making_t *m)
{
    return m->words->nelts >= m->query->all->limit;
}

/* Are these too few to leave it at that? */
static int has_few(const making_t *m)
{
    return 2 * m->words->nelts < m->query->all->limit;
}

static int has_product(const apr_array_header_t *products, const char *id)
{
    int i = 0;

    while (i < products->nelts && strcmp(APR_ARRAY_IDX(products, i, cat_suggested_product_t).id, id) != 0) {
        i++;
    }
    return i < products->nelts;
}

static void add_product(making_t *m, const char *const *product)
{
    apr_pool_t *pool = m->db->pool;
    const cat_fields_t *fields = m->query->all->all;
    int is_named = count_words(m, product[CAT_PRODUCT_NAME]);

    count_words(m, product[CAT_PRODUCT_CATEGORY]);
    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        if (fields->all[i].flags & CAT_SEARCHED) {
            count_words(m, product[i]);
        }
    }
    APR_ARRAY_PUSH(is_named ? m->names : m->others, cat_suggested_product_t) = (cat_suggested_product_t){
        apr_pstrdup(pool, product[CAT_PRODUCT_ID]), apr_pstrdup(pool, product[CAT_PRODUCT_NAME])};
}

static apr_status_t take_product(void *baton, const char *const *values, int)
{
    making_t *m = baton;
    const char *const *product = cat_product_read(m->db->pool, m->query->all->all, values);

    if (!has_product(m->names, product[CAT_PRODUCT_ID]) && !has_product(m->others, product[CAT_PRODUCT_ID])) {
        add_product(m, product);
    }
    return has_enough(m) && m->names->nelts + m->others->nelts >= ROWS ? CAT_ENOUGH : APR_SUCCESS;
}

/* ---- which products ---- */

/* May the words of the index be of products or fields that the client cannot see? */
static int is_blind(const making_t *m)
{
    cat_select_text_t s;

    cat_select_text_begin(&s, m->db);
    return m->query->all->condition_count || cat_select_text_hides_words(&s);
}

/* Which words of the index are looked at, each above the one before it, f. */
typedef struct looks_t {
    apr_pool_t *pool;
    const char *begin, *end; /* from begin on, and below end, unless that is NULL */
    int most;
    int letters; /* only the first one of those that have so many characters in common */
} looks_t;

static int count_characters(const char *text)
{
    int count = 0;

    for (; *text; text++) {
        count += (*text & 0xC0) != 0x80;
    }
    return count;
}

static looks_t make_looks(const making_t *m, int most)
{
    apr_pool_t *pool = m->db->pool;
    const char *begin = cat_fold_cut(pool, m->query->all->words[0], CAT_PRODUCT_WORD_SIZE);

    return (looks_t){pool, begin, cat_conditions_end_of_prefix(pool, begin), most, count_characters(begin) + 1};
}

/* after: the word before; NULL: the first one is looked for. */
static void add_look(cat_select_text_t *s, const looks_t *looks, const char *after)
{
    const char *const *above = s->dialect->syntax->above;

    cat_select_text_add(s, "(SELECT w.word FROM product_words w WHERE w.word ", after ? "> " : ">= ", NULL);
    if (!after) {
        cat_select_text_add_value(s, looks->begin);
    } else {
        cat_select_text_add(s, above[0], after, above[1], apr_itoa(s->text.pool, looks->letters), above[2], NULL);
    }
    if (looks->end) {
        cat_select_text_add(s, " AND w.word < ", NULL);
        cat_select_text_add_value(s, looks->end);
    }
    cat_select_text_add(s, " ORDER BY w.word LIMIT 1)", NULL);
}

static void add_recursion(cat_select_text_t *s, const looks_t *looks)
{
    cat_select_text_add(s, "WITH RECURSIVE f(word, place) AS (SELECT ", NULL);
    add_look(s, looks, NULL);
    cat_select_text_add(s, ", 1 UNION ALL SELECT ", NULL);
    add_look(s, looks, "f.word");
    cat_select_text_add(s, ", f.place + 1 FROM f WHERE f.word IS NOT NULL AND f.place < ", NULL);
    cat_select_text_add_number(s, looks->most);
}

static apr_status_t take_word(void *baton, const char *const *values, int)
{
    looks_t *looks = baton;

    looks->begin = values[0] ? apr_pstrdup(looks->pool, values[0]) : NULL;
    return CAT_ENOUGH;
}

/* The first text above all words that the next look passes. */
static const char *end_of_look(const looks_t *looks, const char *word)
{
    const char *padded = apr_pstrcat(looks->pool, word, " ", NULL), *end = padded;

    for (int letters = looks->letters; letters && *end; letters--) {
        do {
            end++;
        } while ((*end & 0xC0) == 0x80);
    }
    return cat_conditions_end_of_prefix(looks->pool, apr_pstrmemdup(looks->pool, padded, (apr_size_t)(end - padded)));
}

/* The same, where a look that depends on another one reads all that is before it: the words are found one after the other. */
static apr_status_t add_list(cat_select_text_t *s, const making_t *m, const looks_t *all)
{
    looks_t looks = *all;
    apr_status_t rv = APR_SUCCESS;

    cat_select_text_add(s, "WITH f(word) AS (SELECT NULL", NULL);
    for (int i = 0; i < looks.most && looks.begin && rv == APR_SUCCESS; i++) {
        cat_select_text_t one;
        cat_select_text_begin(&one, m->db);
        cat_select_text_add(&one, "SELECT ", NULL);
        add_look(&one, &looks, NULL);
        rv = cat_select_text_run(&one, m->db, take_word, &looks);
        if (looks.begin) {
            cat_select_text_add(s, " UNION ALL SELECT ", NULL);
            cat_select_text_add_value(s, looks.begin);
            looks.begin = end_of_look(&looks, looks.begin);
        }
    }
    return rv;
}

/* Begins a select from f, the words. No database skips from one to the next by itself. */
static apr_status_t begin_looks(cat_select_text_t *s, const making_t *m, const looks_t *looks)
{
    apr_status_t rv = APR_SUCCESS;

    cat_select_text_begin(s, m->db);
    if (s->dialect->syntax->above[0]) {
        add_recursion(s, looks);
    } else {
        rv = add_list(s, m, looks);
    }
    cat_select_text_add(s, ") SELECT ", NULL);
    return rv;
}

/* Finds the words of the index that begin so, or more than FEW of them. */
static apr_status_t find_words(making_t *m)
{
    apr_array_header_t *looks = apr_array_make(m->db->pool, 1, sizeof(cat_look_t *));
    cat_look_t *look = cat_looks_get(looks, m->query->all->words[0]);
    apr_status_t rv = APR_SUCCESS;

    while (look->from && look->found->nelts <= FEW && rv == APR_SUCCESS) {
        rv = cat_look_for_words(m->db, &look, 1, FEW + 1);
    }
    m->found = look->found;
    return rv;
}

/* The same of the dictionary, which has one row of each, but no words with digits, and no shorter ones. */
static apr_status_t find_listed(making_t *m)
{
    looks_t looks = make_looks(m, FEW + 1);
    cat_select_text_t s;

    m->found = apr_array_make(m->db->pool, looks.most, sizeof(const char *));
    if (looks.letters <= CAT_DICTIONARY_LEAST) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&s, m->db);
    cat_select_text_add(&s, "SELECT word FROM dictionary WHERE part = '' AND letters = 0 AND word >= ", NULL);
    cat_select_text_add_value(&s, looks.begin);
    if (looks.end) {
        cat_select_text_add(&s, " AND word < ", NULL);
        cat_select_text_add_value(&s, looks.end);
    }
    cat_select_text_add(&s, " ORDER BY word LIMIT ", NULL);
    cat_select_text_add_number(&s, looks.most);
    return cat_select_text_run(&s, m->db, cat_db_add_texts, m->found);
}

/* Adds a select of the newest products that can be seen and have the word; NULL: that of f. */
static void add_newest(cat_select_text_t *s, const cat_list_query_t *all, const char *columns, const char *word,
                       int most)
{
    const cat_found_t found = {.words = {all->words[0]}};

    cat_select_text_add(s, "SELECT ", columns, " FROM product_words w", s->dialect->syntax->join,
                        "products p ON p.n = w.n", NULL);
    cat_select_text_begin_where(s);
    cat_select_text_add_condition(s);
    cat_select_text_add(s, "w.word = ", word ? NULL : "f.word", NULL);
    if (word) {
        cat_select_text_add_value(s, word);
    }
    cat_conditions_add_all(s, all, &found);
    cat_select_text_add(s, " ORDER BY w.n DESC LIMIT ", NULL);
    cat_select_text_add_number(s, most);
}

/* The newest product of the first word with each next letter, until there are as many as words that the client wants. */
static apr_status_t read_by_letters(making_t *m)
{
    int limit = (int)m->query->all->limit;
    looks_t looks = make_looks(m, limit);
    cat_select_text_t s;
    apr_status_t rv;

    rv = begin_looks(&s, m, &looks);
    cat_select_text_add(&s, PRODUCT_COLUMNS_OF_R " FROM f", s.dialect->syntax->join, "products r ON r.n = (", NULL);
    add_newest(&s, m->query->all, "w.n", NULL, 1);
    cat_select_text_add(&s, ") WHERE f.word IS NOT NULL LIMIT ", NULL);
    cat_select_text_add_number(&s, limit);
    return rv == APR_SUCCESS ? cat_select_text_run(&s, m->db, take_product, m) : rv;
}

/* A row of read_by_words ends with the place of its word. All rows are taken, even beyond enough: is_used is of all words. */
static apr_status_t take_product_of_word(void *baton, const char *const *values, int count)
{
    making_t *m = baton;

    m->is_used[atoi(values[count - 1])] = 1;
    (void)take_product(m, values, count);
    return APR_SUCCESS;
}

/* One select for all words, where the database can join it to each: of many selects, beginning takes as long as reading. */
static void add_joined_words(cat_select_text_t *s, const making_t *m, int count)
{
    for (int i = 0; i < count; i++) {
        cat_select_text_add(s, i ? "), (" : "SELECT l.*, f.place FROM (VALUES (", NULL);
        cat_select_text_add_number(s, i);
        cat_select_text_add(s, ", ", NULL);
        cat_select_text_add_value(s, APR_ARRAY_IDX(m->found, i, const char *));
    }
    cat_select_text_add(s, ")) f (place, word) CROSS JOIN LATERAL (", NULL);
    add_newest(s, m->query->all, PRODUCT_COLUMNS_OF_P, NULL, ROWS / count);
    cat_select_text_add(s, ") l", NULL);
}

static void add_each_word(cat_select_text_t *s, const making_t *m, int count)
{
    for (int i = 0; i < count; i++) {
        const char *columns = apr_pstrcat(m->db->pool, PRODUCT_COLUMNS_OF_P ", ", apr_itoa(m->db->pool, i), NULL);
        cat_select_text_add(s, i ? " UNION ALL " : "", s->dialect->syntax->limited, NULL);
        add_newest(s, m->query->all, columns, APR_ARRAY_IDX(m->found, i, const char *), ROWS / count);
        cat_select_text_add(s, ")", NULL);
    }
}

/* The newest products of each of the words. *have_all: does each word have one? */
static apr_status_t read_by_words(making_t *m, int *have_all)
{
    int count = m->found->nelts < FEW ? m->found->nelts : FEW;
    cat_select_text_t s;
    apr_status_t rv;

    *have_all = count > 0;
    if (!count) {
        return APR_SUCCESS;
    }
    memset(m->is_used, 0, sizeof(m->is_used));
    cat_select_text_begin(&s, m->db);
    (s.dialect->syntax->joins_lateral && count > 1 ? add_joined_words : add_each_word)(&s, m, count);
    rv = cat_select_text_run(&s, m->db, take_product_of_word, m);
    for (int i = 0; i < count; i++) {
        *have_all &= m->is_used[i];
    }
    return rv;
}

/* Those of the newest products of the catalogue that are found. MariaDB would sort all products to find the newest ones. */
static apr_status_t read_newest(making_t *m)
{
    const cat_found_t found = {0};
    cat_select_text_t s;

    cat_select_text_begin(&s, m->db);
    cat_select_text_add(&s, "SELECT " PRODUCT_COLUMNS_OF_P " FROM (SELECT p.* FROM ", NULL);
    cat_select_text_add_products(&s, s.dialect->syntax->primary_key);
    cat_select_text_add(&s, " ORDER BY p.n DESC LIMIT ", NULL);
    cat_select_text_add_number(&s, SAMPLE);
    cat_select_text_add(&s, ") p", NULL);
    cat_select_text_begin_where(&s);
    cat_conditions_add_all(&s, m->query->all, &found);
    cat_select_text_add(&s, " ORDER BY p.n DESC", NULL);
    return cat_select_text_run(&s, m->db, take_product, m);
}

/* Reads the newest products that the search finds, up to `most`. */
static apr_status_t read_planned(making_t *m, int most)
{
    cat_plan_t plan;
    cat_select_text_t s;
    apr_status_t rv = cat_plan_choose(m->db, m->query->all, &plan);

    if (rv != APR_SUCCESS || cat_plan_is_empty(&plan)) {
        return rv;
    }
    cat_select_text_begin(&s, m->db);
    cat_plan_add_rows(&s, &plan, most, 0);
    return cat_select_text_run(&s, m->db, take_product, m);
}

/* Is the number of rows that are read bounded? Where some products are hidden, or fields, a word may have many before one that is seen. */
static int is_bounded(const making_t *m)
{
    const cat_list_query_t *all = m->query->all;

    return all->word_count == 1 && !all->others[0] && !is_blind(m);
}

/* The newest products, and those of the next letters if these have too few words. */
static apr_status_t read_sample(making_t *m)
{
    apr_status_t rv = read_newest(m);

    return rv == APR_SUCCESS && !has_enough(m) ? read_by_letters(m) : rv;
}

/* By the words that were found. */
static apr_status_t read_found(making_t *m, int is_short, int *have_all)
{
    apr_status_t rv = m->found->nelts > FEW && !is_short ? read_sample(m) : APR_SUCCESS;

    return rv == APR_SUCCESS && has_few(m) ? read_by_words(m, have_all) : rv;
}

static apr_status_t read_word(making_t *m)
{
    int is_short = strlen(m->query->all->words[0]) < SHORT_WORD, have_all = 0;
    apr_status_t rv = cat_conditions_prepare(m->db, m->query->all);

    rv = rv == APR_SUCCESS && is_short ? read_sample(m) : rv;
    if (rv != APR_SUCCESS || !has_few(m)) {
        return rv;
    }
    rv = find_listed(m);
    rv = rv == APR_SUCCESS ? read_found(m, is_short, &have_all) : rv;
    if (rv != APR_SUCCESS || !has_few(m) || have_all) {
        return rv;
    }
    rv = find_words(m);
    return rv == APR_SUCCESS ? read_found(m, is_short, &have_all) : rv;
}

/* Repeated ones are of synonyms (catalogue/query/query_clauses.c). */
static int count_asked(const making_t *m)
{
    return m->query->all->word_count - m->query->all->repeated_count;
}

/* May other products have what the words of the index, as far as they were looked at, do not tell? */
static int is_plan_needed(const making_t *m)
{
    const cat_list_query_t *all = m->query->all;

    return count_asked(m) > 1 || (has_few(m) && all->others[0]);
}

static apr_status_t read_products(void *baton)
{
    making_t *m = baton;
    apr_pool_t *pool = m->db->pool;
    apr_status_t rv;

    m->words = apr_array_make(pool, ROWS, sizeof(word_t));
    m->names = apr_array_make(pool, ROWS, sizeof(cat_suggested_product_t));
    m->others = apr_array_make(pool, ROWS, sizeof(cat_suggested_product_t));
    m->found = apr_array_make(pool, 0, sizeof(const char *));
    if (is_blind(m)) {
        return read_planned(m, SEEN);
    }
    rv = count_asked(m) == 1 ? read_word(m) : APR_SUCCESS;
    return rv == APR_SUCCESS && is_plan_needed(m) ? read_planned(m, (int)m->query->all->limit) : rv;
}

/* ---- answers ---- */

static int compare_words(const void *a, const void *b)
{
    const word_t *one = a, *other = b;

    return one->count != other->count ? other->count - one->count : one->place - other->place;
}

static int compare_products(const void *a, const void *b)
{
    const cat_suggested_product_t *one = a, *other = b;

    return strcmp(other->id, one->id); /* ids are in the order of time */
}

static void sort_products(const apr_array_header_t *products)
{
    qsort(products->elts, (size_t)products->nelts, sizeof(cat_suggested_product_t), compare_products);
}

static cat_suggestions_t choose(const making_t *m)
{
    apr_pool_t *pool = m->db->pool;
    int limit = (int)m->query->all->limit;

    cat_suggestions_t chosen;

    sort_products(m->names);
    sort_products(m->others);
    chosen.products = apr_array_append(pool, m->names, m->others);
    chosen.products->nelts = chosen.products->nelts < limit ? chosen.products->nelts : limit;
    chosen.words = apr_array_make(pool, limit, sizeof(const char *));
    qsort(m->words->elts, (size_t)m->words->nelts, sizeof(word_t), compare_words);
    for (int i = 0; i < m->words->nelts && i < limit; i++) {
        APR_ARRAY_PUSH(chosen.words, const char *) = APR_ARRAY_IDX(m->words, i, word_t).shown;
    }
    return chosen;
}

static const char *last_word(apr_pool_t *pool, const char *text)
{
    const apr_array_header_t *words = cat_words_split(pool, cat_fold_text(pool, text));

    return !words->nelts ? "" : APR_ARRAY_IDX(words, words->nelts - 1, const char *);
}

/* What may take as long as a list with conditions waits for its turn. */
static apr_status_t read_in_turn(making_t *m)
{
    apr_status_t rv = cat_db_begin_search(m->db);

    if (rv == APR_SUCCESS) {
        rv = cat_db_search_once(m->db, read_products, m);
        cat_db_end_search(m->db);
    }
    return rv;
}

/* Texts without a suggestion are unbounded in number. */
static apr_status_t make_answer(making_t *m, cat_item_t *item)
{
    cat_suggestions_t suggestions;
    cat_buffer_t body;
    apr_status_t rv = is_bounded(m) ? cat_db_search_once(m->db, read_products, m) : read_in_turn(m);

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
