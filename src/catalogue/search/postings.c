/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks what "brand=Acme&tags=red&q=kettle" names. Each is a list of products in the order of time, so the shortest is read, and the next
 * is looked up for each product of it, or read beside it (catalogue/search/plan.c):
 *
 *     product_keys    brand acme    9  7  2  1
 *     product_keys    tags red      9  8  7  6  5  4 ...
 *     product_words   kettle        9  8  6  5  3  2 ...
 *
 * The numbers of products are in tables if the field has the option facet, and for categories. Of others, as of words, the module reads
 * when the newest product was added, and the one 200 before it: the longer this span, the rarer the value. A number is better where there
 * is one for all, because the products of a brand may have been added together, which makes their span short.
 */
#include "catalogue/search/postings.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "catalogue/product/value_counts.h"
#include "catalogue/search/conditions.h"

#define USES 200 /* products whose times tell how frequent a value is */
#define FEW 2000 /* products: a value that is known to have no more is rarer than one whose number is not known */

int cat_postings_is_category(const cat_posting_t *posting)
{
    return posting->condition && posting->condition->field == CAT_PRODUCT_CATEGORY;
}

static int is_posting(const cat_query_condition_t *condition)
{
    return (condition->op == CAT_EQ || condition->op == CAT_ALL) &&
           (condition->field == CAT_PRODUCT_CATEGORY || condition->field >= CAT_PRODUCT_FIELDS);
}

int cat_postings_list(const cat_list_query_t *query, cat_posting_t *postings)
{
    int count = 0;

    for (int i = 0; i < query->condition_count; i++) {
        const cat_query_condition_t *condition = &query->conditions[i];
        for (int value = 0; is_posting(condition) && value < condition->count && count < CAT_POSTINGS_MAX; value++) {
            postings[count++] = (cat_posting_t){.condition = condition, .value = value, .count = -1};
        }
    }
    return count;
}

/* ---- how rare they are ---- */

static cat_query_condition_t single_value(const cat_posting_t *posting)
{
    return (cat_query_condition_t){posting->condition->field, CAT_EQ, 1, posting->condition->values + posting->value};
}

static void add_source(cat_select_text_t *s, const cat_posting_t *posting)
{
    cat_query_condition_t one = single_value(posting);

    cat_select_text_add(s, " FROM ", NULL);
    if (cat_postings_is_category(posting)) {
        cat_select_text_read_from(s, "p", "p", 0);
        cat_select_text_add_products(s, "products_by_category");
    } else {
        cat_select_text_read_from(s, "w", "p", one.field);
        cat_select_text_add_keys(s, "w", 0);
    }
    cat_select_text_begin_where(s);
    if (!cat_postings_is_category(posting)) {
        cat_conditions_add_field(s, "w", one.field);
    }
    cat_conditions_add_for_index(s, &one);
    cat_select_text_add_not_null(s, cat_postings_is_category(posting) ? "category_key" : NULL);
}

static void add_use(cat_select_text_t *s, const cat_posting_t *posting, int offset)
{
    const char *keys = cat_postings_is_category(posting) ? "p" : "w";

    cat_select_text_add(s, "(SELECT ", keys, ".n", NULL);
    add_source(s, posting);
    cat_select_text_add(s, " ORDER BY ", keys, ".n DESC LIMIT 1 OFFSET ", NULL);
    cat_select_text_add_number(s, offset);
    cat_select_text_add(s, "), ", NULL);
}

static void add_category_count(cat_select_text_t *s, const char *category)
{
    cat_select_text_add(s, "(SELECT n FROM category_counts WHERE category = ", NULL);
    cat_select_text_add_value(s, category);
    cat_select_text_add(s, ")", NULL);
}

/* Adds the number that the database has; NULL: it has none. */
static void add_count(cat_select_text_t *s, const cat_posting_t *posting)
{
    int field = posting->condition->field;
    const char *text = posting->condition->values[posting->value].text;
    int known = field < CAT_PRODUCT_FIELDS ? 0 : cat_registry_find(s->registry, s->fields->all[field].name);

    if (field == CAT_PRODUCT_CATEGORY) {
        add_category_count(s, text);
    } else if (cat_registry_has_counts(s->registry, known)) {
        cat_select_text_add(s, "(SELECT n FROM value_counts WHERE field = ", s->registry->numbers[known],
                            " AND value_key = ", NULL);
        cat_select_text_add_value(s, cat_value_counts_key(s->text.pool, s->fields, field, text));
        cat_select_text_add(s, " AND value = ", NULL);
        cat_select_text_add_value(s, text);
        cat_select_text_add(s, ")", NULL);
    } else {
        cat_select_text_add(s, "NULL", NULL);
    }
}

apr_int64_t cat_posting_measure_span(const char *newest, const char *older)
{
    return newest && older ? apr_atoi64(newest) - apr_atoi64(older) : CAT_POSTING_NEVER;
}

typedef struct measuring_t {
    cat_posting_t *postings;
    int count;
} measuring_t;

static apr_status_t take_measures(void *baton, const char *const *values, int)
{
    const measuring_t *m = baton;

    for (int i = 0; i < m->count; i++) {
        cat_posting_t *posting = &m->postings[i];
        if (posting->condition) {
            posting->span = cat_posting_measure_span(values[0], values[1]);
            posting->count = values[2] ? apr_atoi64(values[2]) : -1;
            values += 3;
        }
    }
    return CAT_ENOUGH;
}

static apr_status_t measure(cat_db_t *db, cat_posting_t *postings, int count)
{
    measuring_t m = {postings, count};
    const char *before = "SELECT ";
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    for (int i = 0; i < count; i++) {
        if (postings[i].condition) {
            cat_select_text_add(&s, before, NULL);
            add_use(&s, &postings[i], 0);
            add_use(&s, &postings[i], USES);
            add_count(&s, &postings[i]);
            before = ", ";
        }
    }
    return *before == ',' ? cat_select_text_run(&s, db, take_measures, &m) : APR_SUCCESS; /* words are measured */
}

static int is_known_few(const cat_posting_t *posting)
{
    return posting->count >= 0 && posting->count <= FEW;
}

static int by_count(const void *one, const void *other)
{
    const cat_posting_t *a = one, *b = other;

    return a->count < b->count ? -1 : a->count > b->count;
}

static int by_span(const void *one, const void *other)
{
    const cat_posting_t *a = one, *b = other;

    if (is_known_few(a) || is_known_few(b)) {
        return is_known_few(a) && is_known_few(b) ? by_count(a, b) : is_known_few(a) ? -1 : 1;
    }
    return a->span > b->span ? -1 : a->span < b->span;
}

static int are_counted(const cat_posting_t *postings, int count)
{
    while (count > 0 && postings[count - 1].count >= 0) {
        count--;
    }
    return count == 0;
}

apr_status_t cat_postings_rank(cat_db_t *db, cat_posting_t *postings, int count)
{
    apr_status_t rv = measure(db, postings, count);

    if (rv == APR_SUCCESS) {
        qsort(postings, (size_t)count, sizeof(*postings), are_counted(postings, count) ? by_count : by_span);
    }
    return rv;
}

int cat_postings_are_close(const cat_posting_t *first, const cat_posting_t *second, int times)
{
    if (first->count >= 0 && second->count >= 0) {
        return second->count / times <= first->count;
    }
    return first->span != CAT_POSTING_NEVER && !is_known_few(first) && first->span / times <= second->span;
}

/* ---- as SQL ---- */

static void join_word(cat_select_text_t *s, const cat_posting_t *posting)
{
    cat_select_text_add(s, "product_words v ON v.word = ", NULL);
    cat_select_text_add_value(s, posting->found);
}

static void join_value(cat_select_text_t *s, const cat_posting_t *posting)
{
    cat_query_condition_t one = single_value(posting);

    cat_select_text_add_keys(s, "v", 0);
    cat_select_text_add(s, " ON ", NULL);
    cat_conditions_add_value(s, "v", &one);
}

static void add_same_product(cat_select_text_t *s)
{
    cat_select_text_add(s, " AND v.n = ", s->keys, ".n", NULL);
}

void cat_postings_join(cat_select_text_t *s, const cat_posting_t *posting)
{
    cat_select_text_add(s, s->dialect->syntax->join, NULL);
    (posting->condition ? join_value : join_word)(s, posting);
    add_same_product(s);
}

void cat_postings_probe(cat_select_text_t *s, const cat_posting_t *posting)
{
    cat_select_text_add(s, "EXISTS (SELECT 1 FROM product_words v WHERE v.word = ", NULL);
    cat_select_text_add_value(s, posting->found);
    add_same_product(s);
    cat_select_text_add(s, " OFFSET 0)", NULL); /* PostgreSQL makes no join of a select that has an OFFSET */
}
