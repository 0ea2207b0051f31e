/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the words that a shopper may have meant: those that contain a word of the question, and those that it is a slip of.
 *
 * The dictionary (catalogue/product/dictionary.h) lists words by their parts of three letters, and reading all of a common part would take too
 * long. So this is done in three steps for each word, "ketle":
 *
 *     1. count the rows of each part, up to MANY       ket 200, etl 3, tle 90     of longer words: they may contain it
 *                                                      <ke 80, ket 150, ..., le> 70     of words of four to six letters: slips
 *     2. read the rarest part of the first kind, and   etl: gazetleer
 *        of the second those that a slip leaves one    <ke, le>: kettle, kettles, ...
 *        of (lib/spelling.h); compare each word
 *     3. count the products of the likeliest of them,  kettle: 20
 *        up to USES, among those that may be seen
 *
 * Whatever the question, no step takes more than some thousand rows. Words that contain the question's are taken as they are, with a blank
 * behind them (catalogue/product/product_keys.h); of slips also what begins with them, as the plural of the word that was meant.
 */
#include "catalogue/search/widen.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/query/query_others.h"
#include "catalogue/query/visible.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/plan.h"
#include "lib/spelling.h"
#include "lib/words.h"

#define WORDS_MAX 8      /* of q, that are widened */
#define PARTS_MAX 16     /* of a word, that are counted */
#define MANY 200         /* rows up to which they are */
#define READ_MAX 2000    /* rows of a part, that are read */
#define LIKELIEST 32     /* words that are chosen, and whose products are counted at once */
#define WEIGHED_MAX 256  /* words up to which those that no product has are passed over */
#define USES 20          /* products up to which they are */
#define FOUND_AMONG 2000 /* some products with what begins so, one of which has to be */
#define SEEN_AMONG 200   /* the newest products with a word, one of which has to be seen */
#define LETTERS_MAX 127  /* of a word of the dictionary */

_Static_assert(2 * PARTS_MAX <= CAT_COLUMNS_MAX, "all parts of a word are counted by one statement");

typedef struct likely_t {
    const char *word;
    int edits; /* 0: it contains the word of q */
    int begins_otherwise;
    int uses; /* products */
    int letters;
} likely_t;

/* Parts of a word, and which words are looked for by them. */
typedef struct parts_t {
    const apr_array_header_t *all;
    int least, most; /* letters of these words */
    int count;       /* parts */
    int rows[PARTS_MAX];
} parts_t;

typedef struct widening_t {
    cat_db_t *db;
    const cat_list_query_t *query;
    const char *word; /* of q */
    int letters, edits;
    parts_t inside, slips;
    apr_array_header_t *likely; /* likely_t */
} widening_t;

/* ---- step 1: parts ---- */

static parts_t list_parts(const widening_t *w, int has_marks, int least, int most)
{
    parts_t parts = {cat_spelling_parts(w->db->pool, w->word, has_marks), least, most, 0, {0}};

    parts.count = parts.all->nelts < PARTS_MAX ? parts.all->nelts : PARTS_MAX;
    return parts;
}

static const char *part_of(const parts_t *parts, int i)
{
    return APR_ARRAY_IDX(parts->all, i, const char *);
}

static void add_rows_of_part(cat_select_text_t *s, const parts_t *parts, int i)
{
    cat_select_text_add(s, " FROM dictionary WHERE part = ", NULL);
    cat_select_text_add_value(s, part_of(parts, i));
    cat_select_text_add(s, " AND letters >= ", NULL);
    cat_select_text_add_number(s, parts->least);
    cat_select_text_add(s, " AND letters <= ", NULL);
    cat_select_text_add_number(s, parts->most);
}

static void add_counts(cat_select_text_t *s, const char *before, const parts_t *parts)
{
    for (int i = 0; i < parts->count; i++) {
        cat_select_text_add(s, i ? ", " : before, "(SELECT COUNT(*) FROM (SELECT 1 AS one", NULL);
        add_rows_of_part(s, parts, i);
        cat_select_text_add(s, " LIMIT ", NULL);
        cat_select_text_add_number(s, MANY);
        cat_select_text_add(s, ") c)", NULL);
    }
}

static apr_status_t take_counts(void *baton, const char *const *values, int count)
{
    widening_t *w = baton;

    (void)count;
    for (int i = 0; i < w->inside.count; i++) {
        w->inside.rows[i] = atoi(values[i]);
    }
    for (int i = 0; i < w->slips.count; i++) {
        w->slips.rows[i] = atoi(values[w->inside.count + i]);
    }
    return CAT_ENOUGH;
}

static apr_status_t count_parts(widening_t *w)
{
    cat_select_text_t s;

    w->inside = list_parts(w, 0, w->letters + 1, LETTERS_MAX);
    w->slips = (parts_t){0};
    if (w->edits) {
        w->slips = list_parts(w, 1, w->letters - w->edits, w->letters + w->edits);
    }
    cat_select_text_begin(&s, w->db);
    add_counts(&s, "SELECT ", &w->inside);
    add_counts(&s, ", ", &w->slips);
    return cat_select_text_run(&s, w->db, take_counts, w);
}

/* ---- step 2: words ---- */

static int rarest_from(const parts_t *parts, int from)
{
    int rarest = from;

    for (int i = from; i < parts->count; i++) {
        rarest = parts->rows[i] < parts->rows[rarest] ? i : rarest;
    }
    return rarest;
}

/* Chooses so many parts that are far enough from each other, with the fewest rows; the first one is from `from` on. Returns the rows. */
static int choose_apart(const parts_t *parts, int from, int many, int *chosen)
{
    int fewest = MANY * (CAT_SPELLING_EDITS_MAX + 2), rest[CAT_SPELLING_EDITS_MAX + 1] = {0};

    if (many == 1) {
        chosen[0] = rarest_from(parts, from);
        return parts->rows[chosen[0]];
    }
    for (int i = from; i + (many - 1) * CAT_SPELLING_PARTS_APART < parts->count; i++) {
        int rows = parts->rows[i] + choose_apart(parts, i + CAT_SPELLING_PARTS_APART, many - 1, rest);
        if (rows < fewest) {
            fewest = rows;
            chosen[0] = i;
            memcpy(chosen + 1, rest, (size_t)(many - 1) * sizeof(*chosen));
        }
    }
    return fewest;
}

/* Shorter words first, as the question is a larger part of them. A part without rows is not read. Returns how many were added before. */
static int add_words(cat_select_text_t *s, const parts_t *parts, int i, int added)
{
    if (!parts->rows[i]) {
        return added;
    }
    cat_select_text_add(s, added ? " UNION ALL " : "", "SELECT * FROM (SELECT word", NULL);
    add_rows_of_part(s, parts, i);
    cat_select_text_add(s, " ORDER BY letters, word LIMIT ", NULL);
    cat_select_text_add_number(s, READ_MAX);
    cat_select_text_add(s, ") d", NULL);
    cat_select_text_add_number(s, added);
    return added + 1;
}

/* The edits that make a word of the dictionary of the one of q, 0 if it contains that; -1: more than may be, or that begins it anyway. */
static int judge_word(const widening_t *w, const char *word)
{
    const char *within = strstr(word, w->word);
    int edits;

    if (within) {
        return within == word ? -1 : 0;
    }
    edits = w->edits ? cat_spelling_compare(w->word, word, w->edits) : 0;
    return edits && edits <= w->edits ? edits : -1;
}

static apr_status_t take_word(void *baton, const char *const *values, int count)
{
    const widening_t *w = baton;
    int edits = judge_word(w, values[0]);

    (void)count;
    if (edits >= 0) {
        APR_ARRAY_PUSH(w->likely, likely_t) = (likely_t){apr_pstrdup(w->db->pool, values[0]), edits,
                                                         *values[0] != *w->word, 0, cat_words_count_letters(values[0])};
    }
    return APR_SUCCESS;
}

/* The fewest edits first; then those with the same first letter, which hardly anybody gets wrong; then the most used. */
static int compare_likely(const void *one, const void *other)
{
    const likely_t *a = one, *b = other;
    int order = a->edits - b->edits;

    order = order ? order : a->begins_otherwise - b->begins_otherwise;
    order = order ? order : b->uses - a->uses;
    order = order ? order : a->letters - b->letters;
    return order ? order : strcmp(a->word, b->word);
}

static void sort_likely(const widening_t *w)
{
    qsort(w->likely->elts, (size_t)w->likely->nelts, sizeof(likely_t), compare_likely);
}

/* A word that several parts have found is there several times. */
static void keep_likeliest(const widening_t *w)
{
    likely_t *all = (likely_t *)w->likely->elts;
    int kept = 0;

    sort_likely(w);
    for (int i = 0; i < w->likely->nelts && kept < WEIGHED_MAX; i++) {
        if (!kept || strcmp(all[kept - 1].word, all[i].word) != 0) {
            all[kept++] = all[i];
        }
    }
    w->likely->nelts = kept;
}

static apr_status_t read_words(widening_t *w)
{
    int chosen[CAT_SPELLING_EDITS_MAX + 1] = {0}, added;
    cat_select_text_t s;
    apr_status_t rv = APR_SUCCESS;

    w->likely = apr_array_make(w->db->pool, 16, sizeof(likely_t));
    cat_select_text_begin(&s, w->db);
    added = add_words(&s, &w->inside, rarest_from(&w->inside, 0), 0);
    if (w->edits) {
        choose_apart(&w->slips, 0, w->edits + 1, chosen);
    }
    for (int i = 0; w->edits && i <= w->edits; i++) {
        added = add_words(&s, &w->slips, chosen[i], added);
    }
    if (added) {
        rv = cat_select_text_run(&s, w->db, take_word, w);
    }
    keep_likeliest(w);
    return rv;
}

/* ---- step 3: uses ---- */

/* Adds " FROM ...", of some products with the word those that whoever asks may see, and find by it; of a whole word the newest ones. */
static void add_seen(cat_select_text_t *s, const cat_db_t *db, const char *word)
{
    const cat_visible_t *visible = db->conf->visible;
    const char *const *const others[] = {NULL};
    cat_list_query_t query = {.all = s->fields, .words = &word, .others = others, .word_count = 1};
    int is_whole = cat_product_keys_is_whole(word);

    if (visible) {
        query.conditions = visible->conditions;
        query.condition_count = visible->count;
    }
    cat_select_text_add(s, " FROM (SELECT w.created_at, w.id", NULL);
    cat_plan_add_words(s, word, NULL);
    cat_select_text_add(s, is_whole ? " ORDER BY w.created_at DESC, w.id DESC" : "", " LIMIT ", NULL);
    cat_select_text_add_number(s, is_whole ? SEEN_AMONG : FOUND_AMONG);
    cat_select_text_add(s, ") w", s->dialect->syntax->join, "products p ON p.id = w.id", NULL);
    cat_select_text_read_from(s, "w", "p", 0);
    cat_select_text_begin_where(s);
    cat_conditions_add_all(s, &query, &(cat_found_t){0});
}

/* The beginning of a longer word is none. */
static const char *make_whole(apr_pool_t *pool, const char *word)
{
    const char *whole = apr_pstrcat(pool, word, CAT_PRODUCT_WORD_END, NULL);

    return cat_product_keys_is_cut(whole) ? word : whole;
}

/* Adds " FROM ...", a row for each product with the word. Where all products are seen, postings tell. */
static void add_products(cat_select_text_t *s, const cat_db_t *db, const char *word)
{
    if (db->conf->visible || cat_select_text_hides_words(s)) {
        add_seen(s, db, word);
    } else {
        cat_plan_add_words(s, word, NULL);
    }
}

static void add_uses(cat_select_text_t *s, const widening_t *w, int place, const char *word)
{
    cat_select_text_add(s, place ? " UNION ALL SELECT " : "SELECT ", NULL);
    cat_select_text_add_number(s, place);
    cat_select_text_add(s, " AS place, (SELECT COUNT(*) FROM (SELECT 1 AS one", NULL);
    add_products(s, w->db, make_whole(s->text.pool, word));
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_number(s, USES);
    cat_select_text_add(s, ") c)", NULL);
}

/* Some of the likeliest words. */
typedef struct weighing_t {
    const widening_t *widening;
    likely_t *words;
    int count;
} weighing_t;

static apr_status_t take_uses(void *baton, const char *const *values, int count)
{
    const weighing_t *some = baton;
    int place = atoi(values[0]);

    (void)count;
    if (place < some->count) {
        some->words[place].uses = atoi(values[1]);
    }
    return APR_SUCCESS;
}

/* Twice as many places as words at most, so that few texts are prepared. The places that are left repeat the last word. */
static apr_status_t count_uses(weighing_t *some)
{
    const widening_t *w = some->widening;
    int places = 1;
    cat_select_text_t s;

    while (places < some->count) {
        places *= 2;
    }
    cat_select_text_begin(&s, w->db);
    for (int i = 0; i < places; i++) {
        add_uses(&s, w, i, some->words[i < some->count ? i : some->count - 1].word);
    }
    return cat_select_text_run(&s, w->db, take_uses, some);
}

/* Leaves LIKELIEST words that products have. Nearly always the first ones are looked at only, as nearly all words have a product. */
static apr_status_t weigh_likely(widening_t *w)
{
    likely_t *all = (likely_t *)w->likely->elts;
    int found = w->likely->nelts, kept = 0;
    apr_status_t rv = APR_SUCCESS;

    for (int from = 0; from < found && kept < LIKELIEST && rv == APR_SUCCESS; from += LIKELIEST) {
        weighing_t some = {w, all + from, found - from < LIKELIEST ? found - from : LIKELIEST};
        rv = count_uses(&some);
        for (int i = 0; i < some.count && kept < LIKELIEST; i++) {
            if (some.words[i].uses) {
                all[kept++] = some.words[i];
            }
        }
    }
    w->likely->nelts = kept;
    sort_likely(w);
    return rv;
}

/* ---- a word of the question ---- */

/* What stands for the word already, and the likeliest words. Returns these, up to a NULL; NULL: there are none. */
static const char *const *add_others(const widening_t *w, const char *const **others)
{
    cat_query_others_t list = cat_query_others_begin(w->db->pool, w->word);
    const char **taken = apr_palloc(w->db->pool, (CAT_QUERY_OTHERS_MAX + 1) * sizeof(*taken));
    int count = 0;

    for (int i = 0; *others && (*others)[i]; i++) {
        cat_query_others_add(&list, (*others)[i]);
    }
    for (int i = 0; i < w->likely->nelts; i++) {
        likely_t *likely = &APR_ARRAY_IDX(w->likely, i, likely_t);
        int before = list.all->nelts;
        if (likely->uses) {
            cat_query_others_add(&list, likely->edits ? likely->word : make_whole(w->db->pool, likely->word));
        }
        if (list.all->nelts > before) {
            taken[count++] = likely->word;
        } else {
            likely->uses = 0; /* nor does it stand for the same word where that is repeated */
        }
    }
    taken[count] = NULL;
    *others = cat_query_others_end(&list);
    return count ? taken : NULL;
}

/* Of the client. What is added to one of them is added to those that repeat it. */
static int count_asked(const cat_list_query_t *query)
{
    return query->word_count - query->repeated_count;
}

static apr_status_t widen_word(widening_t *w, int i, const char *const **others, cat_widened_t *widened)
{
    const char *const *words;
    apr_status_t rv;

    w->word = w->query->words[i];
    w->letters = cat_words_count_letters(w->word);
    w->edits = cat_spelling_edits(w->letters);
    if (w->letters < CAT_SPELLING_INSIDE_LEAST) {
        return APR_SUCCESS;
    }
    rv = count_parts(w);
    rv = rv == APR_SUCCESS ? read_words(w) : rv;
    rv = rv == APR_SUCCESS ? weigh_likely(w) : rv;
    words = rv == APR_SUCCESS ? add_others(w, &others[i]) : NULL;
    for (int k = count_asked(w->query); words && k < w->query->word_count; k++) {
        if (!strcmp(w->query->words[k], w->word)) {
            add_others(w, &others[k]);
        }
    }
    if (words) {
        widened->corrections[widened->count++] = (cat_correction_t){w->word, words};
    }
    return rv;
}

/* ---- the question ---- */

typedef struct unknown_t {
    int words[WORDS_MAX]; /* flags: they begin no word of a product */
    int count, of;
} unknown_t;

static apr_status_t take_unknown(void *baton, const char *const *values, int count)
{
    unknown_t *u = baton;

    (void)count;
    for (int i = 0; i < u->of; i++) {
        u->words[i] = !values[i];
        u->count += !values[i];
    }
    return CAT_ENOUGH;
}

/* A word alone need not be known to be widened. */
static apr_status_t find_unknown(cat_db_t *db, const cat_list_query_t *query, unknown_t *u)
{
    cat_select_text_t s;

    *u = (unknown_t){.of = count_asked(query) < WORDS_MAX ? count_asked(query) : WORDS_MAX};
    if (u->of == 1) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&s, db);
    for (int i = 0; i < u->of; i++) {
        cat_select_text_add(&s, i ? "), (SELECT 1" : "SELECT (SELECT 1", NULL);
        add_products(&s, db, query->words[i]);
        cat_select_text_add(&s, " LIMIT 1", NULL);
    }
    cat_select_text_add(&s, ")", NULL);
    return cat_select_text_run(&s, db, take_unknown, u);
}

apr_status_t cat_widen_query(cat_db_t *db, const cat_list_query_t *query, cat_widened_t *widened)
{
    widening_t w = {.db = db, .query = query};
    cat_list_query_t *copy = apr_pmemdup(db->pool, query, sizeof(*query));
    const char *const **others =
        apr_pmemdup(db->pool, query->others, (apr_size_t)query->word_count * sizeof(*query->others));
    unknown_t unknown = {.of = 0};
    apr_status_t rv = cat_conditions_prepare(db, query);

    *widened = (cat_widened_t){NULL, apr_palloc(db->pool, WORDS_MAX * sizeof(*widened->corrections)), 0};
    rv = rv == APR_SUCCESS ? find_unknown(db, query, &unknown) : rv;
    for (int i = 0; rv == APR_SUCCESS && i < unknown.of; i++) {
        if (!unknown.count || unknown.words[i]) {
            rv = widen_word(&w, i, others, widened);
        }
    }
    copy->others = others;
    widened->query = widened->count ? copy : NULL;
    return rv;
}
