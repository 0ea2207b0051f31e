/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the distinct words of product_words that begin with a text. A word has as many rows as products, and no database skips from one word to
 * the next by itself; so each is found by a look into the index, for the first word above the last one:
 *
 *     kett    first word from "kett" on       kettle
 *             first word above "kettle"       kettles
 *             first word above "kettles"      none up to "kett" and the last character of all
 *
 * One recursive select takes all these looks, for several texts at once. MariaDB reads the index from its beginning for a look that depends on
 * another one: there a select has one look for each text. There are selects for few numbers of texts only, so that few are prepared.
 */
#include "catalogue/search/looks.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/search/select_text.h"

#define LAST_CHARACTER "\xF4\x8F\xBF\xBF"
#define AT_ONCE 64 /* looks of one select */

static cat_look_t *make_look(apr_pool_t *pool, const char *text)
{
    cat_look_t *look = apr_palloc(pool, sizeof(*look));
    const char *begin = cat_product_keys_cut(pool, text);
    const char *until = cat_product_keys_is_whole(text) ? begin : apr_pstrcat(pool, begin, LAST_CHARACTER, NULL);

    *look = (cat_look_t){text, begin, until, apr_array_make(pool, 1, sizeof(const char *))};
    return look;
}

cat_look_t *cat_looks_get(apr_array_header_t *looks, const char *text)
{
    cat_look_t *look;

    for (int i = 0; i < looks->nelts; i++) {
        look = APR_ARRAY_IDX(looks, i, cat_look_t *);
        if (!strcmp(look->text, text)) {
            return look;
        }
    }
    look = make_look(looks->pool, text);
    APR_ARRAY_PUSH(looks, cat_look_t *) = look;
    return look;
}

void cat_looks_note(apr_array_header_t *looks, const char *text)
{
    cat_look_t *look = cat_looks_get(looks, text);

    if (look->from) {
        APR_ARRAY_PUSH(look->found, const char *) = look->until;
        look->from = NULL;
    }
}

/* Looks of one select. */
typedef struct portion_t {
    apr_pool_t *pool;
    cat_look_t *all[AT_ONCE];
    int count;
    int columns; /* of each, where it is not recursive: 1, or 2 in a first look */
} portion_t;

/* 1, 2, 4, 8, 16, 24 and so on: those that are left find nothing, by the same text as the last look. */
static int count_places(const portion_t *p)
{
    int places = 1;

    while (places < p->count) {
        places += places < 8 ? places : 8;
    }
    return places;
}

static const char *from_of(const portion_t *p, int place)
{
    return place < p->count ? p->all[place]->from : "";
}

static const char *until_of(const portion_t *p, int place)
{
    return place < p->count ? p->all[place]->until : "";
}

static int has_range(const portion_t *p, int place)
{
    int last = place < p->count ? place : p->count - 1;

    return strcmp(p->all[last]->from, p->all[last]->until) != 0;
}

/* MariaDB would sort all rows of a whole word, although they have the same place in the order. */
static void add_range(cat_select_text_t *s, const char *from, const char *until, int is_range)
{
    cat_select_text_add(s, "(SELECT w.word FROM product_words w WHERE w.word ", is_range ? ">= " : "= ", NULL);
    cat_select_text_add_value(s, from);
    if (is_range) {
        cat_select_text_add(s, " AND w.word <= ", NULL);
        cat_select_text_add_value(s, until);
        cat_select_text_add(s, " ORDER BY w.word", NULL);
    }
    cat_select_text_add(s, " LIMIT 1)", NULL);
}

static void add_look(cat_select_text_t *s, const portion_t *p, int place)
{
    add_range(s, from_of(p, place), until_of(p, place), has_range(p, place));
}

/* From here on are the words above this one. */
static const char *above(apr_pool_t *pool, const char *word)
{
    return apr_pstrcat(pool, word, CAT_PRODUCT_WORD_END, NULL);
}

static void take_word(const portion_t *p, int place, const char *word)
{
    cat_look_t *look = p->all[place];

    look->from = NULL;
    if (word) {
        APR_ARRAY_PUSH(look->found, const char *) = apr_pstrdup(p->pool, word);
        look->from = strcmp(word, look->until) != 0 ? above(p->pool, word) : NULL;
    }
}

/* ---- one or two words of each ---- */

/* The second word is of use where the first one is the text itself, as of nearly all whole words that somebody types. */
static apr_status_t take_next(void *baton, const char *const *values, int)
{
    const portion_t *p = baton;

    for (int i = 0; i < p->count; i++, values += p->columns) {
        int is_itself = values[0] && !strcmp(values[0], p->all[i]->from);
        take_word(p, i, values[0]);
        if (is_itself && p->all[i]->from && p->columns > 1) {
            take_word(p, i, values[1]);
        }
    }
    return CAT_ENOUGH;
}

static apr_status_t find_next(cat_db_t *db, portion_t *p)
{
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    for (int i = 0; i < count_places(p); i++) {
        cat_select_text_add(&s, i ? ", " : "SELECT ", NULL);
        add_look(&s, p, i);
        if (p->columns > 1 && has_range(p, i)) {
            cat_select_text_add(&s, ", ", NULL);
            add_range(&s, above(db->pool, from_of(p, i)), until_of(p, i), 1);
        } else if (p->columns > 1) {
            cat_select_text_add(&s, ", NULL", NULL);
        }
    }
    return cat_select_text_run(&s, db, take_next, p);
}

/* ---- several words of each ---- */

static apr_status_t take_one(void *baton, const char *const *values, int)
{
    const portion_t *p = baton;
    int place = atoi(values[0]);

    if (place < p->count) {
        take_word(p, place, values[1]);
    }
    return APR_SUCCESS;
}

/* The last row of a look that has found fewer than `most` has no word. */
static apr_status_t find_several(cat_db_t *db, portion_t *p, int most)
{
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    cat_select_text_add(&s, "WITH RECURSIVE f(place, word, until, looks) AS (", NULL);
    for (int i = 0; i < count_places(p); i++) {
        cat_select_text_add(&s, i ? " UNION ALL SELECT " : "SELECT ", NULL);
        cat_select_text_add_number(&s, i);
        cat_select_text_add(&s, ", ", NULL);
        add_look(&s, p, i);
        cat_select_text_add(&s, ", ", NULL);
        cat_select_text_add_value(&s, until_of(p, i));
        cat_select_text_add(&s, ", 1", NULL);
    }
    cat_select_text_add(
        &s,
        " UNION ALL SELECT f.place, (SELECT w.word FROM product_words w WHERE w.word > f.word AND w.word <= f.until"
        " ORDER BY w.word LIMIT 1), f.until, f.looks + 1 FROM f WHERE f.word < f.until AND f.looks < ",
        NULL);
    cat_select_text_add_number(&s, most);
    cat_select_text_add(&s, ") SELECT place, word FROM f", NULL);
    return cat_select_text_run(&s, db, take_one, p);
}

static int is_among(const portion_t *p, const cat_look_t *look)
{
    int i = 0;

    while (i < p->count && p->all[i] != look) {
        i++;
    }
    return i < p->count;
}

/* The same look may be among them twice, as two words of a question may stand for the same one. */
apr_status_t cat_look_for_words(cat_db_t *db, cat_look_t *const *looks, int count, int most)
{
    int is_recursive = most > 1 && cat_db_dialect(db)->syntax->above[0] != NULL;
    portion_t p = {.pool = db->pool, .columns = count && most > 1 && !looks[0]->found->nelts ? 2 : 1};
    int at_once = is_recursive ? AT_ONCE : CAT_COLUMNS_MAX / p.columns;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        if (looks[i]->from && !is_among(&p, looks[i])) {
            p.all[p.count++] = looks[i];
        }
        if (p.count && (p.count == at_once || i + 1 == count)) {
            rv = is_recursive ? find_several(db, &p, most) : find_next(db, &p);
            p.count = 0;
        }
    }
    return rv;
}
