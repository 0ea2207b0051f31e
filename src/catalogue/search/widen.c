/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the words that a shopper may have meant: those that contain a word of the question, and those that it is a slip of.
 *
 * The dictionary (catalogue/product/dictionary.h) lists words by their parts of three letters, and reading all of a common part would take too
 * long. So this is done in three steps for each word, "ketle":
 *
 *     1. of seven letters or more, count the rows of
 *        each part, up to MANY, as there is a choice
 *     2. read the longer words of its middle part that etl: gazetleer
 *        contain it; and of the parts of which a slip  <ke, tle, tel: kettle, kettles, ...
 *        leaves one (lib/spelling.h), words of about
 *        its length that may have it; compare each
 *     3. look for a product with each of the likeliest  kettle
 *
 * No step takes more than some thousand rows. But words that nobody sees, as only hidden products have them, or none any more, take no place of
 * others: where there are such words, the next ones are looked for, and the next READ_MAX read, until LIKELIEST are left. However many they are, the
 * time limit of the list ends that.
 *
 * Where there is no such word, one with a slip may have an ending, such as that of a plural: "trvet" finds trivets where no product has a trivet.
 *
 * Words that contain the question's are taken as they are, with a blank behind them (catalogue/product/product_keys.h); of slips also what begins
 * with them, as the plural of the word that was meant.
 */
#include "catalogue/search/widen.h"

#include <stdlib.h>
#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/query/query_others.h"
#include "catalogue/query/visible.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/looks.h"
#include "catalogue/search/plan.h"
#include "lib/spelling.h"
#include "lib/text.h"
#include "lib/words.h"

#define PARTS_MAX 16     /* of a word, that are counted */
#define MANY 200         /* rows up to which they are */
#define READ_MAX 2000    /* rows of a part, that are read at once */
#define LIKELIEST 32     /* words that are chosen, and whose products are looked for at once */
#define FOUND_AMONG 2000 /* products with what begins so, among which one is looked for at first */
#define LETTERS_MAX 127  /* of a word of the dictionary */
#define WITH_ENDING 10   /* edits that a word with a slip is behind others for its ending */
#define SIGHT_MAX 1000   /* postings of several words that are read at once */
#define HIDDEN (-1)

_Static_assert(PARTS_MAX <= CAT_COLUMNS_MAX, "all parts of a word are counted by one statement");

typedef struct likely_t {
    const char *word;
    int edits;            /* 0: it contains the word of q; from WITH_ENDING on: it has an ending */
    int begins_otherwise; /* flag: a slip has another first letter than the word of q */
    int is_used;          /* flag: a product has it */
    int postings;         /* that were read to know that, or HIDDEN */
    int letters;
} likely_t;

/* Parts of a word. By the first `count` of them words are looked for that it is a slip of. */
typedef struct parts_t {
    apr_array_header_t *all;
    int least, most; /* letters of these words */
    int count;
    int is_choice; /* flag: more are there than are read */
    int rows[PARTS_MAX];
} parts_t;

typedef struct widening_t {
    cat_db_t *db;
    const cat_list_query_t *query;
    const char *word; /* of q */
    int letters, edits;
    parts_t parts;
    int rows;                   /* of the dictionary, that were read at last */
    apr_hash_t *met;            /* words that were likely */
    apr_array_header_t *likely; /* likely_t: those that were read at last */
    apr_array_header_t *chosen; /* likely_t */
} widening_t;

/* ---- step 1: parts ---- */

static const char *part_of(const parts_t *parts, int i)
{
    return APR_ARRAY_IDX(parts->all, i, const char *);
}

static void add_rows_of_part(cat_select_text_t *s, const char *part, int least, int most)
{
    cat_select_text_add(s, " FROM dictionary WHERE part = ", NULL);
    cat_select_text_add_value(s, part);
    cat_select_text_add(s, " AND letters >= ", NULL);
    cat_select_text_add_number(s, least);
    cat_select_text_add(s, " AND letters <= ", NULL);
    cat_select_text_add_number(s, most);
}

static apr_status_t take_counts(void *baton, const char *const *values, int count)
{
    parts_t *parts = baton;

    for (int i = 0; i < count; i++) {
        parts->rows[i] = atoi(values[i]);
    }
    return CAT_ENOUGH;
}

/* `count` letters of the word, behind the first `from`. */
static const char *cut_letters(const widening_t *w, int from, int count)
{
    const char *begin = w->word, *end;
    apr_int32_t letter;

    for (; from; from--) {
        begin += cat_text_read(begin, strlen(begin), &letter);
    }
    for (end = begin; count; count--) {
        end += cat_text_read(end, strlen(end), &letter);
    }
    return apr_pstrmemdup(w->db->pool, begin, (apr_size_t)(end - begin));
}

/* Two letters of the word that have changed places, and `rest` letters that follow. */
static const char *swap_letters(const widening_t *w, int from, int rest)
{
    return apr_pstrcat(w->db->pool, cut_letters(w, from + 1, 1), cut_letters(w, from, 1),
                       cut_letters(w, from + 2, rest), NULL);
}

/* Those that are read are of `span` parts, from the first to the last. A word with an ending lacks the last part, so this is left out if there are
 * enough others; and of five letters, another one takes its place. */
static parts_t list_parts(const widening_t *w)
{
    int span = 1 + w->edits * CAT_SPELLING_PARTS_APART;
    parts_t parts = {.all = cat_spelling_parts(w->db->pool, w->word),
                     .least = w->letters - w->edits,
                     .most = w->letters + w->edits + CAT_SPELLING_ENDING_MAX};

    parts.count = parts.all->nelts < PARTS_MAX ? parts.all->nelts : PARTS_MAX;
    if (w->letters == CAT_SPELLING_SLIP_LEAST) {
        APR_ARRAY_IDX(parts.all, 4, const char *) = swap_letters(w, 1, 1);
    } else if (parts.count > span) {
        parts.count--;
    }
    parts.is_choice = parts.count > span;
    for (int i = 0; i < parts.count; i++) {
        parts.rows[i] = MANY;
    }
    return parts;
}

static apr_status_t count_parts(widening_t *w)
{
    cat_select_text_t s;

    w->parts = list_parts(w);
    if (!w->parts.is_choice || !w->edits) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&s, w->db);
    for (int i = 0; i < w->parts.count; i++) {
        cat_select_text_add(&s, i ? ", " : "SELECT ", "(SELECT COUNT(*) FROM (SELECT 1 AS one", NULL);
        add_rows_of_part(&s, part_of(&w->parts, i), w->parts.least, w->parts.most);
        cat_select_text_add(&s, " LIMIT ", NULL);
        cat_select_text_add_number(&s, MANY);
        cat_select_text_add(&s, ") c)", NULL);
    }
    return cat_select_text_run(&s, w->db, take_counts, &w->parts);
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

/* Chooses the `many` parts with the fewest rows that are far enough from each other; the first one is from `from` on. Returns the rows. */
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

/* Shorter words first, as the question is a larger part of them. */
static void add_words(cat_select_text_t *s, int most, apr_int64_t from)
{
    cat_select_text_add(s, " ORDER BY letters, word LIMIT ", NULL);
    cat_select_text_add_number(s, most);
    cat_select_text_add(s, " OFFSET ", NULL);
    cat_select_text_add_number(s, from);
    cat_select_text_add(s, ")", NULL);
}

/* Are there products, or words of them, that the client may not see? Where there are none, postings tell what products have. */
static int is_some_hidden(const cat_db_t *db, const cat_select_text_t *s)
{
    return db->conf->visible || cat_select_text_hides_words(s);
}

/* A product has the word of the dictionary not only joined (product_words.in_name, in conf/schema). MariaDB might begin at the products with EXISTS. */
static void add_is_used(cat_select_text_t *s)
{
    cat_select_text_add(s,
                        " AND (SELECT 1 FROM product_words w WHERE w.word = dictionary.word AND w.in_name < 2"
                        " LIMIT 1) = 1",
                        NULL);
}

/* What contains the word has all of its parts. One in the middle is rarer than beginnings and endings. */
static void add_longer_words(cat_select_text_t *s, const widening_t *w, apr_int64_t from)
{
    cat_select_text_add(s, s->dialect->syntax->limited, "SELECT word", NULL);
    add_rows_of_part(s, part_of(&w->parts, w->letters / 2), w->letters + 1, LETTERS_MAX);
    cat_select_text_add(s, " AND ", s->dialect->syntax->find, "(word, ", NULL);
    cat_select_text_add_value(s, w->word);
    cat_select_text_add(s, ") > 1", NULL);
    if (is_some_hidden(w->db, s)) {
        add_words(s, READ_MAX, from);
    } else {
        add_is_used(s);
        add_words(s, LIKELIEST, from);
    }
}

static void add_has_letters(cat_select_text_t *s, const char *before, const char *letters)
{
    cat_select_text_add(s, before, s->dialect->syntax->find, "(word, ", NULL);
    cat_select_text_add_value(s, letters);
    cat_select_text_add(s, ") > 0", NULL);
}

/* A slip in `count` letters, from the letter `from` on, leaves the first two of them or the last two; of four it may also swap those between. */
static void add_slip_in(cat_select_text_t *s, const widening_t *w, int from, int count)
{
    add_has_letters(s, " AND (", cut_letters(w, from, 2));
    add_has_letters(s, " OR ", cut_letters(w, from + count - 2, 2));
    if (count == 4) {
        add_has_letters(s, " OR ", swap_letters(w, from + 1, 0));
    }
    cat_select_text_add(s, ")", NULL);
}

/* Where the word has the first part, or the last one but the end, the slip is in the other letters. To pass a row on takes longer than to look for
 * these. Two slips may be on either side. */
static void add_slip_beside(cat_select_text_t *s, const widening_t *w, int i)
{
    if (w->edits == 1 && i == 0) {
        add_slip_in(s, w, 1, w->letters - 1);
    } else if (w->edits == 1 && i == w->letters - 2 && w->letters > CAT_SPELLING_SLIP_LEAST) {
        add_slip_in(s, w, 0, w->letters - 2);
    }
}

/* A part without rows is not read. */
static void add_similar_words(cat_select_text_t *s, const widening_t *w, int i, apr_int64_t from)
{
    const parts_t *parts = &w->parts;

    if (parts->rows[i]) {
        cat_select_text_add(s, " UNION ALL ", s->dialect->syntax->limited, "SELECT word", NULL);
        add_rows_of_part(s, part_of(parts, i), parts->least, parts->most);
        add_slip_beside(s, w, i);
        add_words(s, READ_MAX, from);
    }
}

/* Chooses the parts of slips that are read; returns how many. Of five letters a slip leaves the first part, or the fourth one, or is the swap of
 * list_parts. */
static int choose_parts_of_slips(const widening_t *w, int *chosen)
{
    if (w->letters == CAT_SPELLING_SLIP_LEAST) {
        chosen[0] = 0, chosen[1] = 3, chosen[2] = 4;
        return 3;
    }
    choose_apart(&w->parts, 0, w->edits + 1, chosen);
    return w->edits + 1;
}

/* The edits that make a word of the dictionary of the one of q, 0 if it contains that, and WITH_ENDING more if it has an ending; -1: more than may
 * be, or that begins it anyway. */
static int judge_word(const widening_t *w, const char *word)
{
    const char *within = strstr(word, w->word);
    int most = cat_spelling_edits_with_ending(w->letters), edits;

    if (within || !w->edits) {
        return within && within != word ? 0 : -1;
    }
    if (cat_spelling_compare(w->word, word, CAT_SPELLING_ENDING_MAX, w->edits) > w->edits) {
        return -1; /* nearly all */
    }
    edits = cat_spelling_compare(w->word, word, 0, w->edits);
    if (edits <= w->edits) {
        return edits;
    }
    edits = cat_spelling_compare(w->word, word, CAT_SPELLING_ENDING_MAX, most);
    return edits <= most ? WITH_ENDING + edits : -1;
}

/* A word that several parts find comes several times. */
static apr_status_t take_word(void *baton, const char *const *values, int)
{
    widening_t *w = baton;
    int edits = judge_word(w, values[0]);
    const char *word;

    w->rows++;
    if (edits >= 0 && !apr_hash_get(w->met, values[0], APR_HASH_KEY_STRING)) {
        word = apr_pstrdup(w->db->pool, values[0]);
        apr_hash_set(w->met, word, APR_HASH_KEY_STRING, word);
        APR_ARRAY_PUSH(w->likely, likely_t) = (likely_t){.word = word,
                                                         .edits = edits,
                                                         .begins_otherwise = edits && *word != *w->word,
                                                         .letters = cat_words_count_letters(word)};
    }
    return APR_SUCCESS;
}

/* The fewest edits first; of slips those with the same first letter, which hardly anybody gets wrong; then the shortest. */
static int compare_likely(const void *one, const void *other)
{
    const likely_t *a = one, *b = other;
    int order = a->edits - b->edits;

    order = order ? order : a->begins_otherwise - b->begins_otherwise;
    order = order ? order : a->letters - b->letters;
    return order ? order : strcmp(a->word, b->word);
}

static void sort_likely(const apr_array_header_t *likely)
{
    qsort(likely->elts, (size_t)likely->nelts, sizeof(likely_t), compare_likely);
}

/* Of each part, the rows from this one on. */
static apr_status_t read_words(widening_t *w, apr_int64_t from)
{
    int chosen[CAT_SPELLING_EDITS_MAX + 1] = {0}, many = w->edits ? choose_parts_of_slips(w, chosen) : 0;
    cat_select_text_t s;
    apr_status_t rv;

    w->rows = 0;
    w->likely = apr_array_make(w->db->pool, 16, sizeof(likely_t));
    cat_select_text_begin(&s, w->db);
    add_longer_words(&s, w, from);
    for (int i = 0; i < many; i++) {
        add_similar_words(&s, w, chosen[i], from);
    }
    rv = cat_select_text_run(&s, w->db, take_word, w);
    sort_likely(w->likely);
    return rv;
}

/* ---- step 3: products ---- */

/* Which products with the word may the client see, and find by it? */
static cat_list_query_t ask_for_seen(const cat_db_t *db, const char *const *word)
{
    static const char *const *const no_others[] = {NULL};
    const cat_visible_t *visible = db->conf->visible;

    return (cat_list_query_t){.all = cat_product_fields_of(db->conf),
                              .words = word,
                              .others = no_others,
                              .word_count = 1,
                              .conditions = visible ? visible->conditions : NULL,
                              .condition_count = visible ? visible->count : 0,
                              .page = 1,
                              .sort = {{CAT_PRODUCT_CREATED_AT, 1}},
                              .sort_count = 1};
}

/* The beginning of a longer word is none. */
static const char *make_whole(apr_pool_t *pool, const char *word)
{
    const char *whole = apr_pstrcat(pool, word, CAT_PRODUCT_WORD_END, NULL);

    return cat_product_keys_is_cut(whole) ? word : whole;
}

/* Adds the conditions that p, the product of the posting w, may be seen, and is found by the word. */
static void add_is_seen(cat_select_text_t *s, const cat_db_t *db, const char *word)
{
    cat_list_query_t query = ask_for_seen(db, &word);

    cat_select_text_read_from(s, "w", "p", 0);
    cat_conditions_add_all(s, &query, &(cat_found_t){0});
}

static void join_products(cat_select_text_t *s)
{
    cat_select_text_add(s, s->dialect->syntax->join, "products p ON p.n = w.n", NULL);
}

/* Some of the likeliest words, whose products are looked for. */
typedef struct weighing_t {
    const widening_t *widening;
    likely_t *words;
    int count;
    int places[LIKELIEST]; /* of the words of which further postings are read */
    int place_count;
} weighing_t;

/* A posting is a use if its product can be seen, and has a whole word not only joined. */
static void add_postings(cat_select_text_t *s, const cat_db_t *db, const char *word)
{
    cat_select_text_add(s, "CASE WHEN p.n = w.n", NULL);
    s->conditions = 1;
    add_is_seen(s, db, word);
    cat_select_text_add(s, " THEN ", cat_product_keys_is_whole(word) ? "w.in_name" : "0",
                        " ELSE 2 END FROM product_words w", NULL);
    join_products(s);
    cat_select_text_add(s, " WHERE ", NULL);
    cat_plan_add_is_word(s, word);
    if (cat_product_keys_is_whole(word)) {
        cat_select_text_add(s, " ORDER BY w.n DESC", NULL);
    }
}

/* Selects any posting of the word that is a use. The database skips hidden products, so that their number does not decide whether one is found. */
static void add_any_use(cat_select_text_t *s, const cat_db_t *db, const char *word)
{
    cat_select_text_add(s, "0 FROM product_words w", NULL);
    join_products(s);
    cat_select_text_add(s, " WHERE ", NULL);
    cat_plan_add_is_word(s, word);
    cat_select_text_add(s, cat_product_keys_is_whole(word) ? " AND w.in_name < 2" : "", NULL);
    s->conditions = 1;
    add_is_seen(s, db, word);
}

/* Adds the select for one word: of its newest posting, use or not, if is_first is true; otherwise of any posting that is a use. A word that is not
 * whole is selected without an order. */
static void add_uses(cat_select_text_t *s, const cat_db_t *db, int place, const char *word, int is_first)
{
    cat_select_text_add(s, place ? " UNION ALL " : "", s->dialect->syntax->limited, "SELECT ", NULL);
    cat_select_text_add_number(s, place);
    cat_select_text_add(s, " AS place, ", NULL);
    (is_first ? add_postings : add_any_use)(s, db, make_whole(s->text.pool, word));
    cat_select_text_add(s, " LIMIT 1)", NULL);
}

static apr_status_t take_use(void *baton, const char *const *values, int)
{
    const weighing_t *some = baton;
    int place = atoi(values[0]);
    likely_t *likely = &some->words[some->places[place]];

    likely->postings++;
    likely->is_used |= atoi(values[1]) < 2;
    return APR_SUCCESS;
}

/* Twice as many places as words at most, so that few texts are prepared. No product has the word of those that are left. */
static apr_status_t read_uses(weighing_t *some, int is_first)
{
    cat_db_t *db = some->widening->db;
    int places = 1;
    cat_select_text_t s;

    while (places < some->place_count) {
        places *= 2;
    }
    cat_select_text_begin(&s, db);
    for (int i = 0; i < places; i++) {
        add_uses(&s, db, i, i < some->place_count ? some->words[some->places[i]].word : "", is_first);
    }
    return cat_select_text_run(&s, db, take_use, some);
}

/* Those that may have a use from here on. */
static void list_places(weighing_t *some, int from)
{
    some->place_count = 0;
    for (int i = 0; i < some->count; i++) {
        if (some->words[i].postings == from && !some->words[i].is_used) {
            some->places[some->place_count++] = i;
        }
    }
}

/* Nearly always the newest posting is a use, so that is read first. */
static apr_status_t look_for_uses(weighing_t *some)
{
    apr_status_t rv;

    list_places(some, 0);
    rv = some->place_count ? read_uses(some, 1) : APR_SUCCESS;
    list_places(some, 1);
    return rv == APR_SUCCESS && some->place_count ? read_uses(some, 0) : rv;
}

/* What is read of some words at once, to know those that only hidden products have. */
typedef struct sight_t {
    weighing_t *some;
    int is_seen[LIKELIEST];
    int rows;
} sight_t;

static apr_status_t take_seen(void *baton, const char *const *values, int)
{
    sight_t *sight = baton;

    sight->rows++;
    for (int i = 0; i < sight->some->count; i++) {
        sight->is_seen[i] |= !strcmp(sight->some->words[i].word, values[0]);
    }
    return APR_SUCCESS;
}

static void add_sight(cat_select_text_t *s, const weighing_t *some)
{
    const cat_visible_t *visible = some->widening->db->conf->visible;
    const cat_list_query_t query = {
        .all = s->fields, .conditions = visible->conditions, .condition_count = visible->count};

    cat_select_text_add(s, "SELECT CASE WHEN p.n = w.n", NULL);
    s->conditions = 1;
    cat_select_text_read_from(s, "w", "p", 0);
    cat_conditions_add_all(s, &query, &(cat_found_t){0});
    cat_select_text_add(s, " THEN w.word ELSE '' END FROM (SELECT w.word, w.n FROM product_words w WHERE w.word IN (",
                        NULL);
    for (int i = 0; i < LIKELIEST; i++) {
        cat_select_text_add(s, i ? ", " : "", NULL);
        cat_select_text_add_value(s, i < some->count ? some->words[i].word : "");
    }
    cat_select_text_add(s, ") LIMIT ", NULL);
    cat_select_text_add_number(s, SIGHT_MAX);
    cat_select_text_add(s, ") w", NULL);
    join_products(s);
}

/* Leaves out the words that only hidden products have, if all their postings are few: where there are such words, there are many, and this takes
 * much less time than a select for each. */
static apr_status_t leave_hidden_out(weighing_t *some)
{
    sight_t sight = {.some = some};
    cat_select_text_t s;
    apr_status_t rv;

    if (!some->widening->db->conf->visible) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&s, some->widening->db);
    add_sight(&s, some);
    rv = cat_select_text_run(&s, some->widening->db, take_seen, &sight);
    for (int i = 0; i < some->count && sight.rows < SIGHT_MAX; i++) {
        if (!sight.is_seen[i] && cat_product_keys_is_whole(make_whole(s.text.pool, some->words[i].word))) {
            some->words[i].postings = HIDDEN;
        }
    }
    return rv;
}

/* There may be many statements, each of which has a pool of its own. */
static apr_status_t find_seen(weighing_t *some, int is_first)
{
    cat_db_t *db = some->widening->db;
    apr_pool_t *before = db->pool, *pool;
    apr_status_t rv;

    apr_pool_create(&pool, before);
    cat_db_use_pool(db, pool);
    rv = is_first ? APR_SUCCESS : leave_hidden_out(some);
    rv = rv == APR_SUCCESS ? look_for_uses(some) : rv;
    cat_db_use_pool(db, before);
    apr_pool_destroy(pool);
    return rv;
}

/* Where nothing is hidden, the dictionary has told that what contains the word is used. Slips are looked for with what they begin, as the list
 * needs that anyway. */
static apr_status_t find_used(weighing_t *some)
{
    const widening_t *w = some->widening;
    cat_look_t *looks[LIKELIEST];
    int count = 0;
    apr_status_t rv;

    for (int i = 0; i < some->count; i++) {
        if (some->words[i].edits) {
            looks[count++] = cat_looks_get(w->query->looks, some->words[i].word);
        }
    }
    rv = cat_look_for_words(w->db, looks, count, CAT_LOOKS_WORDS);
    for (int i = some->count - 1; i >= 0 && rv == APR_SUCCESS; i--) {
        const apr_array_header_t *found = some->words[i].edits ? looks[--count]->found : NULL;
        some->words[i].is_used =
            !found || (found->nelts && !strcmp(APR_ARRAY_IDX(found, 0, const char *), some->words[i].word));
    }
    return rv;
}

/* Chooses words that products have, up to LIKELIEST, from these on and before `end`. *passed: how many of them no product has. Nearly always only
 * the first ones are looked at, as nearly all words have a product. */
static apr_status_t weigh_words(widening_t *w, int from, int end, int *passed)
{
    cat_select_text_t s;
    int is_blind;
    apr_status_t rv = APR_SUCCESS;

    cat_select_text_begin(&s, w->db);
    is_blind = is_some_hidden(w->db, &s);
    for (int is_first = 1; from < end && w->chosen->nelts < LIKELIEST && rv == APR_SUCCESS; from += LIKELIEST) {
        weighing_t some = {.widening = w,
                           .words = (likely_t *)w->likely->elts + from,
                           .count = end - from < LIKELIEST ? end - from : LIKELIEST};
        rv = is_blind ? find_seen(&some, is_first) : find_used(&some);
        for (int i = 0; i < some.count && w->chosen->nelts < LIKELIEST; i++) {
            if (some.words[i].is_used) {
                APR_ARRAY_PUSH(w->chosen, likely_t) = some.words[i];
            } else {
                ++*passed;
            }
        }
        is_first = 0;
    }
    return rv;
}

/* Those with an ending only where there are no others. */
static apr_status_t weigh_likely(widening_t *w, int *passed)
{
    int plain = 0;
    apr_status_t rv;

    while (plain < w->likely->nelts && APR_ARRAY_IDX(w->likely, plain, likely_t).edits < WITH_ENDING) {
        plain++;
    }
    rv = weigh_words(w, 0, plain, passed);
    return rv == APR_SUCCESS && !w->chosen->nelts ? weigh_words(w, plain, w->likely->nelts, passed) : rv;
}

/* Steps 2 and 3, once more for further rows where words that no product has were among these. */
static apr_status_t choose_likely(widening_t *w)
{
    apr_int64_t from = 0;
    int passed;
    apr_status_t rv;

    w->met = apr_hash_make(w->db->pool);
    w->chosen = apr_array_make(w->db->pool, LIKELIEST, sizeof(likely_t));
    do {
        passed = 0;
        rv = read_words(w, from);
        rv = rv == APR_SUCCESS ? weigh_likely(w, &passed) : rv;
        from += READ_MAX;
    } while (rv == APR_SUCCESS && passed && w->rows >= READ_MAX && w->chosen->nelts < LIKELIEST);
    sort_likely(w->chosen);
    return rv;
}

/* ---- a word of the question ---- */

/* Those with an ending were not chosen beside others, but may have been before these were read. */
static const char *const *list_chosen(const widening_t *w)
{
    const char **words = apr_pcalloc(w->db->pool, (LIKELIEST + 1) * sizeof(*words));

    for (int i = 0; i < w->chosen->nelts; i++) {
        const likely_t *likely = &APR_ARRAY_IDX(w->chosen, i, likely_t);
        if (likely->edits > WITH_ENDING && APR_ARRAY_IDX(w->chosen, 0, likely_t).edits < WITH_ENDING) {
            break;
        }
        words[i] = likely->edits ? likely->word : make_whole(w->db->pool, likely->word);
        if (cat_product_keys_is_whole(words[i])) {
            cat_looks_note(w->query->looks, words[i]);
        }
    }
    return words;
}

/* Adds words to what stands for the word already. Returns those that find more, up to a NULL; NULL: none does. */
static const char *const *add_others(const widening_t *w, const char *const *words, const char *const **others)
{
    cat_query_others_t list = cat_query_others_begin(w->db->pool, w->word);
    int before;

    for (int i = 0; *others && (*others)[i]; i++) {
        cat_query_others_add(&list, (*others)[i]);
    }
    before = list.all->nelts;
    for (; *words; words++) {
        cat_query_others_add(&list, *words);
    }
    *others = cat_query_others_end(&list);
    return *others && (*others)[before] ? *others + before : NULL;
}

/* Of the client. What is added to one of them is added to those that repeat it. */
static int count_asked(const cat_list_query_t *query)
{
    return query->word_count - query->repeated_count;
}

static apr_status_t widen_word(widening_t *w, int i, const char *const **others, cat_widened_t *widened)
{
    apr_status_t rv;

    widened->tried[i] = 1;
    w->word = w->query->words[i];
    w->letters = cat_words_count_letters(w->word);
    w->edits = cat_spelling_edits(w->letters);
    if (w->letters < CAT_SPELLING_INSIDE_LEAST) {
        return APR_SUCCESS;
    }
    rv = count_parts(w);
    rv = rv == APR_SUCCESS ? choose_likely(w) : rv;
    if (rv == APR_SUCCESS) {
        widened->words[i] = add_others(w, list_chosen(w), &others[i]);
    }
    for (int k = count_asked(w->query); widened->words[i] && k < w->query->word_count; k++) {
        if (!strcmp(w->query->words[k], w->word)) {
            add_others(w, widened->words[i], &others[k]);
        }
    }
    return rv;
}

/* ---- the question ---- */

typedef struct unknown_t {
    int words[CAT_WIDEN_WORDS]; /* flags: they begin no word of a product */
    int count, of;
} unknown_t;

static apr_status_t take_unknown(void *baton, const char *const *values, int)
{
    unknown_t *u = baton;

    for (int i = 0; i < u->of; i++) {
        u->words[i] = !values[i];
        u->count += !values[i];
    }
    return CAT_ENOUGH;
}

/* Adds " FROM ...", a row for each of some products that have what begins with the word. */
static void add_products(cat_select_text_t *s, const cat_db_t *db, const char *word)
{
    if (is_some_hidden(db, s)) {
        cat_select_text_add(s, " FROM (SELECT w.n", NULL);
        cat_plan_add_words(s, word);
        cat_select_text_add(s, " LIMIT ", NULL);
        cat_select_text_add_number(s, FOUND_AMONG);
        cat_select_text_add(s, ") w", NULL);
        join_products(s);
        cat_select_text_begin_where(s);
        add_is_seen(s, db, word);
    } else {
        cat_plan_add_words(s, word);
    }
}

/* Looks at some products with each word. */
static apr_status_t look_for_words(cat_db_t *db, const cat_list_query_t *query, unknown_t *u, int *is_rough)
{
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    for (int i = 0; i < u->of; i++) {
        cat_select_text_add(&s, i ? "), (SELECT 1" : "SELECT (SELECT 1", NULL);
        add_products(&s, db, query->words[i]);
        cat_select_text_add(&s, " LIMIT 1", NULL);
    }
    cat_select_text_add(&s, ")", NULL);
    *is_rough = is_some_hidden(db, &s);
    return cat_select_text_run(&s, db, take_unknown, u);
}

static apr_status_t take_flag(void *baton, const char *const *values, int)
{
    *(int *)baton = *values[0] != '0';
    return CAT_ENOUGH;
}

/* Looks for a product as the list of the word alone would. */
static apr_status_t look_for_word(cat_db_t *db, const char *word, int *is_known)
{
    cat_list_query_t query = ask_for_seen(db, &word);
    cat_select_text_t s;
    cat_plan_t plan;
    apr_status_t rv = cat_plan_choose(db, &query, &plan);

    if (rv != APR_SUCCESS || cat_plan_is_empty(&plan)) {
        return rv;
    }
    cat_select_text_begin(&s, db);
    cat_plan_add_count(&s, &plan, 1);
    return cat_select_text_run(&s, db, take_flag, is_known);
}

/* A word alone need not be known to be widened. */
static apr_status_t find_unknown(cat_db_t *db, const cat_list_query_t *query, unknown_t *u)
{
    int is_rough = 0;
    apr_status_t rv = u->of > 1 ? look_for_words(db, query, u, &is_rough) : APR_SUCCESS;

    for (int i = 0; i < u->of && is_rough && rv == APR_SUCCESS; i++) {
        int is_known = 0;
        rv = u->words[i] ? look_for_word(db, query->words[i], &is_known) : APR_SUCCESS;
        u->words[i] -= is_known;
        u->count -= is_known;
    }
    return rv;
}

static void list_corrections(const cat_list_query_t *query, cat_widened_t *widened)
{
    widened->count = 0;
    for (int i = 0; i < CAT_WIDEN_WORDS; i++) {
        if (widened->words[i]) {
            widened->corrections[widened->count++] = (cat_correction_t){query->words[i], widened->words[i]};
        }
    }
}

/* Is there a word for which no product has anything? Then none has all words, whatever stands for the others. */
static int is_hopeless(const unknown_t *u, const char *const *const *others)
{
    int i = 0;

    while (i < u->of && (!u->words[i] || others[i])) {
        i++;
    }
    return i < u->of;
}

apr_status_t cat_widen_query(cat_db_t *db, const cat_list_query_t *query, cat_width_t width, cat_widened_t *widened)
{
    widening_t w = {.db = db, .query = query};
    cat_list_query_t *copy = apr_pmemdup(db->pool, widened->query ? widened->query : query, sizeof(*query));
    const char *const **others =
        apr_pmemdup(db->pool, copy->others, (apr_size_t)query->word_count * sizeof(*copy->others));
    unknown_t unknown = {.of = count_asked(query) < CAT_WIDEN_WORDS ? count_asked(query) : CAT_WIDEN_WORDS};
    apr_status_t rv = cat_conditions_prepare(db, query);

    if (rv == APR_SUCCESS && width == CAT_WIDTH_UNKNOWN) {
        rv = find_unknown(db, query, &unknown);
    }
    for (int i = 0; rv == APR_SUCCESS && i < unknown.of; i++) {
        if ((!unknown.count || unknown.words[i]) && !widened->tried[i]) {
            rv = widen_word(&w, i, others, widened);
        }
    }
    list_corrections(query, widened);
    copy->others = others;
    widened->query = widened->count ? copy : NULL;
    widened->width = unknown.count ? CAT_WIDTH_UNKNOWN : CAT_WIDTH_ALL;
    widened->is_last = !unknown.count || unknown.count == unknown.of || is_hopeless(&unknown, others);
    return rv;
}
