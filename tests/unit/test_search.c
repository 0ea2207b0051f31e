/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares lists with conditions, words and orders, drawn at random, with what a loop over all products finds:
 * test_search [DRIVER PARAMS], by default in a SQLite file of its own. In the environment, CATALOG_QUESTIONS=10000 asks more
 * than the usual number, and CATALOG_SEED=N asks others.
 */
#include "unit_transactions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "catalogue/search/conditions.h"
#include "catalogue/product/counts.h"
#include "catalogue/product/own_fields.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/search/plan.h"
#include "catalogue/search/search.h"
#include "lib/fold.h"
#include "lib/words.h"

static const char *driver = "sqlite3", *params;
static int questions = 600; /* of which the plans are read; half as many are answered, each several times */

#define PRODUCTS 6000

enum { BRAND = CAT_PRODUCT_FIELDS, WEIGHT, TAGS, FIELDS };
static const cat_fields_t *fields; /* with those */

static void make_fields(apr_pool_t *pool)
{
    static const char *const lines[] = {"brand string index by=price", "weight number index",
                                        "tags strings index by=weight"};

    fields = NULL;
    for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
        assert_null(cat_own_fields_add(pool, fields, lines[i], &fields));
    }
}

typedef struct product_t {
    const char *id, *name, *name_key, *category, *category_key, *words, *price, *rating;
    apr_int64_t price_key, rating_key, created_at, n;
    int in_stock;
    const char *brand, *weight; /* NULL: it has none */
    const char *tags[3];        /* the first ones that are not NULL */
} product_t;

typedef struct catalogue_t {
    apr_pool_t *pool;
    unit_database_t *database;
    cat_db_t *db;
    const cat_registry_t *registry;
    product_t products[PRODUCTS];
} catalogue_t;

static unsigned long long seed = 88172645463325252ULL;

static int draw(int below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed % (unsigned)below);
}

/* Low numbers are far more frequent than high ones. */
static int draw_skewed(int below)
{
    int drawn = draw(below);
    return draw(drawn + 1) * draw(4) / 4;
}

static apr_int64_t key_of(double number)
{
    apr_int64_t key;

    memcpy(&key, &number, sizeof(key));
    return key;
}

static const char *const stems[] = {"red",
                                    "kettle",
                                    "tea",
                                    "cup",
                                    "caf\xC3\xA9",
                                    "green",
                                    "re",
                                    "mug",
                                    "stra\xC3\x9F"
                                    "e",
                                    "blue",
                                    "steel",
                                    "wooden",
                                    "big",
                                    "reddish",
                                    "teapot"};

static const char *draw_word(apr_pool_t *pool)
{
    int n = draw_skewed(400);

    return n < (int)UNIT_COUNT(stems) ? stems[n] : apr_psprintf(pool, "%c%d", "wxyz"[n % 4], n);
}

static const char *draw_name(apr_pool_t *pool)
{
    const char *name = draw_word(pool);

    for (int i = 1 + draw(3); i > 0; i--) {
        name = apr_pstrcat(pool, name, draw(9) ? " " : "-", draw_word(pool), NULL);
    }
    if (draw(3) == 0) {
        name = apr_pstrcat(pool, "T", name + 1, NULL);
    }
    return name;
}

static const char *join_words(apr_pool_t *pool, const char *name_key, const char *category_key)
{
    const char *joined = " ";
    apr_array_header_t *words = cat_words_list(pool, apr_pstrcat(pool, name_key, "\n", category_key, NULL));

    for (int i = 0; i < words->nelts; i++) {
        const cat_word_t *word = &APR_ARRAY_IDX(words, i, cat_word_t);
        joined = apr_pstrcat(pool, joined, word->text, word->is_joined ? " = " : " ", NULL);
    }
    return joined;
}

static void draw_product(apr_pool_t *pool, product_t *p, int n)
{
    static const char *const categories[] = {"Tea",
                                             "tea",
                                             "",
                                             "K\xC3\xBC"
                                             "che",
                                             "tea ",
                                             "Kitchen ware"};
    int category = draw_skewed(60), price = draw_skewed(5000);

    p->name = draw_name(pool);
    p->category = category < 6 ? categories[category] : apr_psprintf(pool, "c%d", category);
    p->name_key = cat_fold_text(pool, p->name);
    p->category_key = cat_fold_text(pool, p->category);
    p->words = join_words(pool, p->name_key, p->category_key);
    p->price = apr_psprintf(pool, "%d.%d", price / 10, price % 10);
    p->price_key = key_of(atof(p->price));
    p->rating = draw(5) < 2 ? NULL : apr_psprintf(pool, "%d.5", draw(5));
    p->rating_key = p->rating ? key_of(atof(p->rating)) : -1;
    p->in_stock = draw(10) > 0;
    p->created_at = 1700000000000 + draw(2500); /* several in a millisecond */
    p->id = apr_psprintf(pool, "%08x-%04x-7%x%02x-%x%x%x0-%012d", (unsigned)(p->created_at >> 16),
                         (unsigned)(p->created_at & 0xffff), draw(16), n >> 8 & 0xff, 8 | (n >> 6 & 3), n >> 2 & 15,
                         (n & 3) << 2, n);
    p->n = cat_id_number(p->id);
    p->brand = draw(6) ? apr_psprintf(pool, "%c%d", "bBc"[draw(3)], draw_skewed(300)) : NULL;
    p->weight = draw(6) ? apr_psprintf(pool, "%d", draw_skewed(3000) - 400) : NULL;
    for (int i = 0; i < draw(4); i++) {
        p->tags[i] = apr_psprintf(pool, "t%d", draw_skewed(60) * 3 + i);
    }
}

/* ---- the database ---- */

static void send_text(catalogue_t *c, const char *text)
{
    cat_connection_t *conn = unit_connect(c->db, CAT_TO_WRITE);

    if (cat_connection_send(conn, text) != APR_SUCCESS) {
        cat_connection_log_fault(conn, &c->database->log, CAT_LOG_ERROR);
        fail_msg("%s", c->database->logged);
    }
}

/* The values of rows that are inserted together. */
typedef struct rows_t {
    apr_array_header_t *products, *deltas, *words, *keys;
} rows_t;

#define TOGETHER 200 /* products */

static void insert(catalogue_t *c, const char *into, apr_array_header_t *values)
{
    if (values->nelts > 0) {
        send_text(
            c, apr_pstrcat(c->pool, "INSERT INTO ", into, " VALUES ", apr_array_pstrcat(c->pool, values, ','), NULL));
        apr_array_clear(values);
    }
}

static void add_key(catalogue_t *c, const product_t *p, int field, const char *text, rows_t *rows)
{
    const char *key = cat_own_keys_key(c->pool, fields, field, text);
    const char *value = cat_own_keys_value(c->pool, fields, field, text);
    const char *quote = value ? "'" : "";

    APR_ARRAY_PUSH(rows->keys, const char *) =
        apr_psprintf(c->pool, "(%s, '%s', %" APR_INT64_T_FMT ", %s%s%s, 0)",
                     c->registry->numbers[cat_registry_find(c->registry, fields->all[field].name)], key, p->n, quote,
                     value ? value : "NULL", quote);
}

static void add_pair(catalogue_t *c, const product_t *p, const char *name, const char *first, const char *second,
                     rows_t *rows)
{
    int pair = cat_registry_find(c->registry, name);

    APR_ARRAY_PUSH(rows->keys, const char *) =
        apr_psprintf(c->pool, "(%s, '%s%s', %" APR_INT64_T_FMT ", '%s', 0)", c->registry->numbers[pair],
                     cat_own_keys_pair_begin(c->pool, c->registry, pair, first), second, p->n,
                     cat_own_keys_pair_value(c->pool, c->registry, pair, first));
}

static void add_keys(catalogue_t *c, const product_t *p, rows_t *rows)
{
    add_key(c, p, BRAND, p->brand, rows);
    add_key(c, p, WEIGHT, p->weight, rows);
    for (int i = 0; i < 3 && p->tags[i]; i++) {
        add_key(c, p, TAGS, p->tags[i], rows);
        add_pair(c, p, "tags,weight", p->tags[i], cat_own_keys_key(c->pool, fields, WEIGHT, p->weight), rows);
    }
    if (p->brand) {
        const char *bits = apr_psprintf(c->pool, "%" APR_INT64_T_FMT, p->price_key);
        add_pair(c, p, "brand,price", p->brand, cat_own_keys_pair_second(c->pool, bits), rows);
    }
}

static void insert_rows(catalogue_t *c, rows_t *rows)
{
    insert(c,
           "products (id, name, price, category, in_stock, rating, n, name_key, category_key, price_key, "
           "rating_key,"
           " words)",
           rows->products);
    insert(c, "product_deltas (delta, category, category_delta, in_stock)", rows->deltas);
    insert(c, "product_words (word, n, in_name)", rows->words);
    insert(c, "product_keys (field, value_key, n, value, counted)", rows->keys);
}

static void add_product(catalogue_t *c, const product_t *p, rows_t *rows)
{
    apr_array_header_t *words = cat_product_keys_words(c->pool, p->words);

    APR_ARRAY_PUSH(rows->products, const char *) = apr_psprintf(
        c->pool,
        "('%s', '%s', '%s', '%s', %d, %s%s%s, %" APR_INT64_T_FMT ", '%s', '%s', %" APR_INT64_T_FMT ", %" APR_INT64_T_FMT
        ", '%s')",
        p->id, p->name, p->price, p->category, p->in_stock, p->rating ? "'" : "", p->rating ? p->rating : "NULL",
        p->rating ? "'" : "", p->n, p->name_key, p->category_key, p->price_key, p->rating_key, p->words);
    if (cat_dialect_find(driver)->counts_by_hand) {
        APR_ARRAY_PUSH(rows->deltas, const char *) =
            apr_psprintf(c->pool, "(1, '%s', 1, %d)", p->category, p->in_stock);
    }
    for (int i = 0; i < words->nelts; i++) {
        const cat_product_word_t *word = &APR_ARRAY_IDX(words, i, cat_product_word_t);
        APR_ARRAY_PUSH(rows->words, const char *) = apr_psprintf(c->pool, "('%s', %" APR_INT64_T_FMT ", %d)",
                                                                 word->text, p->n, word->in_name + 2 * word->is_joined);
    }
    add_keys(c, p, rows);
}

static void store_products(catalogue_t *c)
{
    rows_t rows = {apr_array_make(c->pool, TOGETHER, sizeof(const char *)),
                   apr_array_make(c->pool, TOGETHER, sizeof(const char *)),
                   apr_array_make(c->pool, 8 * TOGETHER, sizeof(const char *)),
                   apr_array_make(c->pool, 4 * TOGETHER, sizeof(const char *))};

    for (int i = 0; i < PRODUCTS; i++) {
        draw_product(c->pool, &c->products[i], i);
        add_product(c, &c->products[i], &rows);
        if ((i + 1) % TOGETHER == 0) {
            insert_rows(c, &rows);
        }
    }
    insert_rows(c, &rows);
}

/* The parts of the list, by which a walk is tried. */
static void split_parts(catalogue_t *c)
{
    for (int changed = 1; changed;) {
        assert_int_equal(cat_counts_maintain(c->db, &changed), APR_SUCCESS);
    }
}

static catalogue_t *make_catalogue(apr_pool_t *pool)
{
    catalogue_t *c = apr_pcalloc(pool, sizeof(*c));
    const cat_registry_t *registry;
    const char *file = params ? params : apr_pstrcat(pool, unit_directory(pool), "/catalog.db", NULL);

    c->pool = pool;
    c->database = unit_database_make_for(pool, driver, file);
    c->database->conf.count_limit = 1000;
    c->database->conf.query_timeout = 30;
    make_fields(pool);
    c->database->conf.fields = fields;
    unit_database_migrate(c->database);
    c->db = unit_database_use(pool, c->database);
    assert_int_equal(cat_registry_get(c->db, &registry), APR_SUCCESS);
    send_text(c, "UPDATE catalog_fields SET complete = 1"); /* no job fills in what this file inserts itself */
    cat_db_release(c->db);
    apr_sleep(apr_time_from_msec(1100)); /* as long as a registry is used without another look */
    assert_int_equal(cat_registry_get(c->db, &registry), APR_SUCCESS);
    c->registry = registry;
    send_text(c, !strcmp(driver, "mysql") ? "START TRANSACTION" : "BEGIN");
    store_products(c);
    send_text(c, "COMMIT");
    if (!strcmp(driver, "pgsql")) {
        send_text(c, "VACUUM ANALYZE products");
        send_text(c, "VACUUM ANALYZE product_words");
        send_text(c, "VACUUM ANALYZE product_keys");
    }
    cat_db_release(c->db);
    split_parts(c);
    cat_db_release(c->db);
    c->database->logged[0] = '\0';
    return c;
}

/* ---- what is expected ---- */

static apr_int64_t number_of(const product_t *p, int field)
{
    return field == CAT_PRODUCT_PRICE      ? p->price_key
           : field == CAT_PRODUCT_RATING   ? p->rating_key
           : field == CAT_PRODUCT_IN_STOCK ? p->in_stock
                                           : p->created_at;
}

/* Of what the shop's own fields are compared by, "" if it is not set. */
static const char *own_key(catalogue_t *c, const product_t *p, int field)
{
    return cat_own_keys_key(c->pool, fields, field, field == BRAND ? p->brand : p->weight);
}

static const char *text_of(const product_t *p, int field, int is_folded)
{
    return field == CAT_PRODUCT_ID     ? p->id
           : field == CAT_PRODUCT_NAME ? (is_folded ? p->name_key : p->name)
                                       : (is_folded ? p->category_key : p->category);
}

static int compare_field(const product_t *p, int field, int is_folded, const cat_query_value_t *value)
{
    apr_int64_t number;

    if (!cat_conditions_is_number(field)) {
        return strcmp(text_of(p, field, is_folded), is_folded ? value->folded : value->text);
    }
    number = number_of(p, field);
    return (number > value->key) - (number < value->key);
}

static int has_tag(const product_t *p, const char *tag)
{
    int i = 0;

    while (i < 3 && p->tags[i] && strcmp(p->tags[i], tag) != 0) {
        i++;
    }
    return i < 3 && p->tags[i];
}

static int meets_tags(const product_t *p, const cat_query_condition_t *condition)
{
    int has = 0;

    for (int i = 0; i < condition->count; i++) {
        has += has_tag(p, condition->values[i].text);
    }
    return condition->op == CAT_EXISTS ? (p->tags[0] != NULL) == condition->values->key
           : condition->op == CAT_ALL  ? has == condition->count
                                       : has > 0;
}

static int meets_exactly(const product_t *p, const cat_query_condition_t *condition)
{
    for (int i = 0; i < condition->count; i++) {
        if (!strcmp(condition->field == BRAND ? p->brand : p->weight, condition->values[i].text)) {
            return 1;
        }
    }
    return 0;
}

static int meets_own(catalogue_t *c, const product_t *p, const cat_query_condition_t *condition)
{
    const cat_query_value_t *value = condition->values;
    const char *key, *other = cat_own_keys_key(c->pool, fields, condition->field, value->text);

    if (condition->field == TAGS) {
        return meets_tags(p, condition);
    }
    key = own_key(c, p, condition->field);
    if (condition->op == CAT_EXISTS || !*key) {
        return condition->op == CAT_EXISTS && (*key != '\0') == value->key;
    }
    switch (condition->op) {
    case CAT_EQ:
    case CAT_IN:
        return meets_exactly(p, condition);
    case CAT_NE:
        return !meets_exactly(p, condition);
    case CAT_LT:
        return strcmp(key, other) < 0;
    case CAT_LTE:
        return strcmp(key, other) <= 0;
    case CAT_GT:
        return strcmp(key, other) > 0;
    case CAT_GTE:
        return strcmp(key, other) >= 0;
    default:
        return !strncmp(key, value->folded, strlen(value->folded));
    }
}

static int meets(catalogue_t *c, const product_t *p, const cat_query_condition_t *condition)
{
    const cat_query_value_t *value = condition->values;
    int field = condition->field;

    if (field >= CAT_PRODUCT_FIELDS) {
        return meets_own(c, p, condition);
    }
    if (condition->op == CAT_EXISTS) {
        return (p->rating_key >= 0) == (value->key == 1);
    }
    if (field == CAT_PRODUCT_RATING && p->rating_key < 0) {
        return 0;
    }
    switch (condition->op) {
    case CAT_EQ:
    case CAT_IN:
        for (int i = 0; i < condition->count; i++) {
            if (compare_field(p, field, 0, value + i) == 0) {
                return 1;
            }
        }
        return 0;
    case CAT_NE:
        return compare_field(p, field, 0, value) != 0;
    case CAT_LT:
        return compare_field(p, field, 1, value) < 0;
    case CAT_LTE:
        return compare_field(p, field, 1, value) <= 0;
    case CAT_GT:
        return compare_field(p, field, 1, value) > 0;
    case CAT_GTE:
        return compare_field(p, field, 1, value) >= 0;
    default:
        return !strncmp(text_of(p, field, 1), value->folded, strlen(value->folded));
    }
}

static int has_beginning(catalogue_t *c, const product_t *p, const char *word)
{
    return strstr(p->words, apr_pstrcat(c->pool, " ", word, NULL)) != NULL;
}

static int is_wanted(catalogue_t *c, const product_t *p, const cat_list_query_t *query)
{
    for (int i = 0; i < query->condition_count; i++) {
        if (!meets(c, p, &query->conditions[i])) {
            return 0;
        }
    }
    for (int i = 0; i < query->word_count; i++) {
        const char *const *others = query->others[i];
        int has_word = has_beginning(c, p, query->words[i]);
        while (!has_word && others && *others) {
            has_word = has_beginning(c, p, *others++);
        }
        if (!has_word) {
            return 0;
        }
    }
    return 1;
}

typedef struct ordering_t {
    catalogue_t *c;
    const cat_list_query_t *query;
} ordering_t;

static int compare_products(const void *a, const void *b, void *arg)
{
    const product_t *p = *(const product_t *const *)a, *o = *(const product_t *const *)b;
    const ordering_t *ordering = arg;
    const cat_list_query_t *query = ordering->query;
    int result = 0, sign = query->sort[0].descending ? -1 : 1;

    for (int i = 0; i < query->sort_count && !result; i++) {
        int field = query->sort[i].field;
        if (field >= CAT_PRODUCT_FIELDS) {
            result = strcmp(own_key(ordering->c, p, field), own_key(ordering->c, o, field));
        } else if (cat_conditions_is_number(field)) {
            result = (number_of(p, field) > number_of(o, field)) - (number_of(p, field) < number_of(o, field));
        } else {
            result = strcmp(text_of(p, field, 1), text_of(o, field, 1));
        }
        result = query->sort[i].descending ? -result : result;
    }
    if (!result) {
        result = sign * ((p->created_at > o->created_at) - (p->created_at < o->created_at));
    }
    return result ? result : sign * strcmp(p->id, o->id);
}

static int find_expected(catalogue_t *c, const cat_list_query_t *query, const product_t **found)
{
    int count = 0;

    for (int i = 0; i < PRODUCTS; i++) {
        if (is_wanted(c, &c->products[i], query)) {
            found[count++] = &c->products[i];
        }
    }
    qsort_r(found, (size_t)count, sizeof(*found), compare_products, &(ordering_t){c, query});
    return count;
}

/* ---- questions ---- */

static void draw_value(catalogue_t *c, int field, cat_operator_t op, cat_query_value_t *value)
{
    const product_t *p = &c->products[draw(PRODUCTS)];

    *value = (cat_query_value_t){.text = ""};
    if (op == CAT_EXISTS) {
        value->key = draw(2);
    } else if (field >= CAT_PRODUCT_FIELDS) {
        const char *text = field == BRAND ? p->brand : field == WEIGHT ? p->weight : p->tags[0];
        value->text = text ? text : field == WEIGHT ? "7" : "b7";
        value->folded = field == BRAND ? cat_fold_text(c->pool, value->text) : NULL;
    } else if (cat_conditions_is_number(field)) {
        value->key = number_of(p, field);
        value->key = value->key < 0 ? key_of(2.5) : value->key; /* a rating that is not set */
    } else {
        value->text = text_of(p, field, 0);
        value->folded = field == CAT_PRODUCT_ID ? NULL : text_of(p, field, 1);
    }
    if (op == CAT_PREFIX) {
        value->text = field == BRAND ? (draw(2) ? "b" : "b1") : "t";
        value->folded = field == BRAND ? value->text : apr_pstrndup(c->pool, value->folded, (size_t)(1 + draw(4)));
        while (!*value->folded || (value->folded[strlen(value->folded) - 1] & 0x80)) {
            value->folded = "t";
        }
    }
}

static int is_new_value(const cat_query_value_t *values, int last)
{
    for (int i = 0; i < last; i++) {
        if (!strcmp(values[i].text, values[last].text) && values[i].key == values[last].key) {
            return 0;
        }
    }
    return 1;
}

static void draw_condition(catalogue_t *c, cat_query_condition_t *condition)
{
    static const struct {
        int field, ops[10];
    } choices[] = {
        {CAT_PRODUCT_ID, {CAT_EQ, -1}},
        {CAT_PRODUCT_NAME, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, CAT_IN, CAT_PREFIX, -1}},
        {CAT_PRODUCT_PRICE, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, CAT_IN, -1}},
        {CAT_PRODUCT_CATEGORY, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, CAT_IN, CAT_PREFIX, -1}},
        {CAT_PRODUCT_CATEGORY, {CAT_EQ, CAT_EQ, CAT_IN, -1}},
        {CAT_PRODUCT_IN_STOCK, {CAT_EQ, -1}},
        {CAT_PRODUCT_RATING, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, CAT_EXISTS, -1}},
        {CAT_PRODUCT_CREATED_AT, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, -1}},
        {BRAND, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, CAT_IN, CAT_PREFIX, CAT_EXISTS, -1}},
        {BRAND, {CAT_EQ, CAT_IN, -1}},
        {WEIGHT, {CAT_EQ, CAT_NE, CAT_LT, CAT_LTE, CAT_GT, CAT_GTE, CAT_IN, CAT_EXISTS, -1}},
        {TAGS, {CAT_EQ, CAT_EQ, CAT_IN, CAT_ALL, CAT_EXISTS, -1}},
    };
    int choice = draw(20) ? 1 + draw(UNIT_COUNT(choices) - 1) : 0, ops = 0;
    cat_query_value_t *values = apr_pcalloc(c->pool, 12 * sizeof(*values));

    while (choices[choice].ops[ops] != -1) {
        ops++;
    }
    condition->field = choices[choice].field;
    condition->op = (cat_operator_t)choices[choice].ops[draw(ops)];
    condition->count = 0;
    condition->values = values;
    for (int left = condition->op == CAT_IN || condition->op == CAT_ALL ? 1 + draw(condition->op == CAT_IN ? 12 : 2)
                                                                        : 1;
         left > 0; left--) {
        draw_value(c, condition->field, condition->op, &values[condition->count]);
        condition->count += is_new_value(values, condition->count);
    }
}

static void draw_sort(cat_list_query_t *query)
{
    static const int sorted[] = {CAT_PRODUCT_CREATED_AT,
                                 CAT_PRODUCT_NAME,
                                 CAT_PRODUCT_PRICE,
                                 CAT_PRODUCT_CATEGORY,
                                 CAT_PRODUCT_RATING,
                                 CAT_PRODUCT_IN_STOCK,
                                 CAT_PRODUCT_ID,
                                 BRAND,
                                 WEIGHT};
    const int count = UNIT_COUNT(sorted);
    int used = 0;

    query->sort_count = draw(3) ? 1 : 1 + draw(3);
    for (int i = 0; i < query->sort_count; i++) {
        int n = draw(3) && !i ? 0 : draw(count);
        while (used & 1 << n) {
            n = (n + 1) % count;
        }
        used |= 1 << n;
        query->sort[i] = (cat_query_sort_t){sorted[n], draw(2)};
        if (sorted[n] == CAT_PRODUCT_ID) {
            query->sort_count = i + 1;
        }
    }
    if (query->sort_count > 1 && query->sort[query->sort_count - 1].field == CAT_PRODUCT_CREATED_AT &&
        query->sort[query->sort_count - 1].descending == query->sort[0].descending) {
        query->sort_count--;
    }
}

/* Two of the lists that are in the order of time: of values that the same product has, which many have. */
static void draw_pair(catalogue_t *c, cat_query_condition_t *conditions, const char **words, cat_list_query_t *query)
{
    static const int listed[] = {CAT_PRODUCT_CATEGORY, BRAND, TAGS, -1};
    int first = draw(UNIT_COUNT(listed) - 1), second = first + 1 + draw((int)UNIT_COUNT(listed) - 1 - first);
    cat_query_value_t *values = apr_pcalloc(c->pool, 2 * sizeof(*values));

    query->condition_count = query->word_count = 0;
    for (int i = 0; i < 2; i++) {
        int field = listed[i ? second : first];
        if (field < 0) {
            words[query->word_count++] = draw(2) ? "red" : "cup";
            continue;
        }
        draw_value(c, field, CAT_EQ, &values[i]);
        conditions[query->condition_count++] = (cat_query_condition_t){field, CAT_EQ, 1, &values[i]};
    }
    if (draw(3)) {
        query->sort_count = 1;
        query->sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, draw(2)};
    }
}

/* A brand by price, a tag by weight, or a category by price. */
static void draw_order_of_pair(catalogue_t *c, cat_query_condition_t *conditions, cat_list_query_t *query)
{
    static const struct {
        int field, by;
    } pairs[] = {{BRAND, CAT_PRODUCT_PRICE}, {TAGS, WEIGHT}, {CAT_PRODUCT_CATEGORY, CAT_PRODUCT_PRICE}};
    cat_query_value_t *value = apr_pcalloc(c->pool, sizeof(*value));
    int pair = draw(UNIT_COUNT(pairs));

    draw_value(c, pairs[pair].field, CAT_EQ, value);
    query->word_count = !draw(6) && query->word_count;
    query->condition_count = draw(6) ? 0 : query->condition_count > 1;
    conditions[query->condition_count++] = (cat_query_condition_t){pairs[pair].field, CAT_EQ, 1, value};
    query->sort_count = 1;
    query->sort[0] = (cat_query_sort_t){pairs[pair].by, draw(2)};
}

/* The word together with the one before it, and some others, the beginnings of which may be those of many words. */
static const char *const *draw_others(apr_pool_t *pool, const char *const *words, int i)
{
    cat_query_others_t others = cat_query_others_begin(pool, words[i]);

    if (i && draw(2)) {
        cat_query_others_add(&others, apr_pstrcat(pool, words[i - 1], words[i], NULL));
    }
    for (int count = draw(3) ? 0 : draw(4); count; count--) {
        const char *other = cat_fold_text(pool, draw_word(pool));
        cat_query_others_add(&others, draw(2) ? other : apr_pstrndup(pool, other, (size_t)(1 + draw(3))));
    }
    return cat_query_others_end(&others);
}

static cat_list_query_t draw_question(catalogue_t *c)
{
    cat_list_query_t query = {.page = 1, .limit = 1 + draw(40), .all = fields, .has_all_fields = 1};
    cat_query_condition_t *conditions = apr_pcalloc(c->pool, 4 * sizeof(*conditions));
    const char **words = apr_pcalloc(c->pool, 3 * sizeof(*words)), *const **others =
                                                                       apr_pcalloc(c->pool, 3 * sizeof(*others));

    query.condition_count = draw(4);
    for (int i = 0; i < query.condition_count; i++) {
        draw_condition(c, &conditions[i]);
    }
    query.conditions = conditions;
    query.word_count = draw(2) ? 0 : draw(3);
    for (int i = 0; i < query.word_count; i++) {
        words[i] = cat_fold_text(c->pool, draw_word(c->pool));
        words[i] = draw(2) ? words[i] : apr_pstrndup(c->pool, words[i], (size_t)(1 + draw(2)));
    }
    for (int i = 0; i < query.word_count; i++) {
        others[i] = draw_others(c->pool, words, i);
    }
    query.words = words;
    query.others = others;
    query.count = (cat_count_t)draw(3);
    query.has_facets = !draw(4);
    query.facets = (cat_field_set_t){{(1U << CAT_PRODUCT_CATEGORY) | (draw(2) ? 1U << CAT_PRODUCT_IN_STOCK : 0)}};
    draw_sort(&query);
    if (draw(5) == 0) {
        draw_pair(c, conditions, words, &query);
    } else if (draw(6) == 0) {
        draw_order_of_pair(c, conditions, &query);
    } else if (draw(5) == 0) { /* words alone, by time */
        query.condition_count = 0;
        query.sort_count = 1;
        query.sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, draw(4) > 0};
    }
    return query;
}

static const char *describe(apr_pool_t *pool, const cat_list_query_t *query)
{
    static const char *const ops[] = {"=", "<>", "<", "<=", ">", ">=", "in", "prefix", "exists", "all"};
    const char *text = "";

    for (int i = 0; i < query->condition_count; i++) {
        const cat_query_condition_t *condition = &query->conditions[i];
        text = apr_psprintf(pool, "%s[%s %s (%d) '%s' %" APR_INT64_T_FMT "]", text, fields->all[condition->field].name,
                            ops[condition->op], condition->count, condition->values[0].text, condition->values[0].key);
    }
    for (int i = 0; i < query->word_count; i++) {
        text = apr_pstrcat(pool, text, "[q ", query->words[i], NULL);
        for (const char *const *other = query->others[i]; other && *other; other++) {
            text = apr_pstrcat(pool, text, " ", *other, NULL);
        }
        text = apr_pstrcat(pool, text, "]", NULL);
    }
    for (int i = 0; i < query->sort_count; i++) {
        text = apr_psprintf(pool, "%s %s%s", text, query->sort[i].descending ? "-" : "+",
                            fields->all[query->sort[i].field].name);
    }
    return apr_psprintf(pool, "%s, page %d, limit %d", text, (int)query->page, (int)query->limit);
}

/* ---- answers ---- */

typedef struct answer_t {
    apr_pool_t *pool;
    int count;
    const char *ids[2000];
    cat_search_end_t end;
} answer_t;

static void begin_answer(void *baton)
{
    ((answer_t *)baton)->count = 0;
}

static apr_status_t add_id(void *baton, const char *const *values, int count)
{
    answer_t *a = baton;

    assert_int_equal(count, CAT_PRODUCT_COLUMNS);
    a->ids[a->count++] = apr_pstrdup(a->pool, values[CAT_PRODUCT_ID]);
    return APR_SUCCESS;
}

static void ask(catalogue_t *c, const cat_list_query_t *query, answer_t *a)
{
    const cat_search_rows_t rows = {begin_answer, add_id, a};

    a->pool = c->pool;
    if (cat_search_read(c->db, query, &rows, &a->end) != APR_SUCCESS) {
        fail_msg("%s: %s", describe(c->pool, query), c->database->logged);
    }
}

static void check_rows(catalogue_t *c, const cat_list_query_t *query, const answer_t *a, const product_t **expected,
                       int from, int count)
{
    int rows = count - from < (int)query->limit ? count - from : (int)query->limit;

    rows = rows < 0 ? 0 : rows;
    if (a->count != rows) {
        fail_msg("%s: %d rows, not %d, of %d", describe(c->pool, query), a->count, rows, count);
    }
    for (int i = 0; i < rows; i++) {
        if (strcmp(a->ids[i], expected[from + i]->id) != 0) {
            fail_msg("%s: row %d is %s, not %s", describe(c->pool, query), i, a->ids[i], expected[from + i]->id);
        }
    }
}

/* Do counters know the list: has it no other conditions than on the category, one or several, and a value of inStock? */
static int is_counted(const cat_list_query_t *query)
{
    int fields = 0;

    for (int i = 0; i < query->condition_count; i++) {
        int field = query->conditions[i].field;
        cat_operator_t op = query->conditions[i].op;
        int is_known = field == CAT_PRODUCT_CATEGORY ? op == CAT_EQ || op == CAT_IN
                                                     : field == CAT_PRODUCT_IN_STOCK && op == CAT_EQ;
        if (!is_known || fields & 1 << field) {
            return 0;
        }
        fields |= 1 << field;
    }
    return query->word_count == 0;
}

static void check_total(catalogue_t *c, const cat_list_query_t *query, const answer_t *a, int count)
{
    int is_capped = query->count == CAT_COUNT_CAPPED && count > 1000 && !is_counted(query);
    apr_int64_t expected = is_capped ? 1000 : count;

    if (query->count == CAT_COUNT_NONE ? a->end.total != -1 : a->end.total != expected) {
        if (!(is_capped && a->end.total == count)) { /* the end of the list was seen */
            fail_msg("%s: total %d, not %d", describe(c->pool, query), (int)a->end.total, (int)expected);
        }
    }
}

/* What facets are of that do not count all. */
static const product_t **find_newest(catalogue_t *c, const product_t **products, int count)
{
    const product_t **newest = apr_pmemdup(c->pool, products, (apr_size_t)count * sizeof(*products));
    const cat_list_query_t by_time = {.sort = {{CAT_PRODUCT_CREATED_AT, 1}}, .sort_count = 1};

    qsort_r(newest, (size_t)count, sizeof(*newest), compare_products, &(ordering_t){c, &by_time});
    return newest;
}

static void check_facets(catalogue_t *c, const cat_list_query_t *query, const answer_t *a, const product_t **expected,
                         int count)
{
    if (is_counted(query) && a->end.is_sample) {
        fail_msg("%s: the facets are of some products", describe(c->pool, query));
    }
    if (!query->has_facets) {
        return;
    }
    if (a->end.is_sample) {
        expected = find_newest(c, expected, count);
        count = (int)c->database->conf.count_limit;
    }
    for (int i = 0; i < a->end.facets[0].count; i++) {
        int n = 0;
        for (int j = 0; j < count; j++) {
            n += !strcmp(expected[j]->category, a->end.facets[0].values[i].value);
        }
        if (n != a->end.facets[0].values[i].count) {
            fail_msg("%s: facet %s", describe(c->pool, query), a->end.facets[0].values[i].value);
        }
    }
    for (int i = 0; a->end.facet_count > 1 && i < a->end.facets[1].count; i++) {
        const cat_value_count_t *value = &a->end.facets[1].values[i];
        int n = 0;
        for (int j = 0; j < count; j++) {
            n += expected[j]->in_stock == (*value->value == '1');
        }
        if (n != value->count) {
            fail_msg("%s: facet inStock %s", describe(c->pool, query), value->value);
        }
    }
}

static void check_pages(catalogue_t *c, cat_list_query_t query, const product_t **expected, int count)
{
    answer_t a;

    for (int i = 0; i < 3; i++) {
        query.page = i == 0 ? 1 : i == 1 ? 2 : 1 + draw(count / (int)query.limit + 2);
        ask(c, &query, &a);
        check_rows(c, &query, &a, expected, (int)((query.page - 1) * query.limit), count);
        check_total(c, &query, &a, count);
        check_facets(c, &query, &a, expected, count);
    }
}

static void check_cursors(catalogue_t *c, cat_list_query_t query, const product_t **expected, int count)
{
    answer_t a;

    query.page = 0;
    query.count = CAT_COUNT_NONE;
    query.has_facets = 0;
    query.after.n = CAT_LIST_KEY_MAX;
    for (int from = 0, pages = 0; pages < 4; from += (int)query.limit, pages++) {
        ask(c, &query, &a);
        check_rows(c, &query, &a, expected, from, count);
        if (a.end.has_next != (from + query.limit < count)) {
            fail_msg("%s: %s follows", describe(c->pool, &query), a.end.has_next ? "nothing" : "more");
        }
        if (!a.end.has_next) {
            return;
        }
        query.after = a.end.last;
    }
}

/* ---- plans ---- */

typedef struct explanation_t {
    catalogue_t *c;
    const cat_list_query_t *query;
    cat_plan_t plan;
    const char *text;
    const char *lines;
    const char *count; /* the lines of how the list is counted, if that reads two lists; else empty */
} explanation_t;

static apr_status_t add_line(void *baton, const char *const *values, int count)
{
    explanation_t *e = baton;

    for (int i = 0; i < count; i++) {
        e->lines = apr_pstrcat(e->c->pool, e->lines, values[i] ? values[i] : "-", i + 1 < count ? "|" : "\n", NULL);
    }
    return APR_SUCCESS;
}

static apr_status_t keep_bound(void *baton, const char *const *values, int)
{
    explanation_t *e = baton;

    e->plan.bound = apr_pstrdup(e->c->pool, values[0]);
    return CAT_ENOUGH;
}

/* The select with $1, $2, ... for its values. */
static const char *number_placeholders(apr_pool_t *pool, const char *text)
{
    const char *numbered = "", *mark;

    for (int n = 1; (mark = strstr(text, "%s")); text = mark + 2) {
        numbered = apr_psprintf(pool, "%s%.*s$%d", numbered, (int)(mark - text), text, n++);
    }
    return apr_pstrcat(pool, numbered, text, NULL);
}

static apr_status_t run_text(const explanation_t *e, const char *words, const cat_select_text_t *select)
{
    cat_select_text_t text;

    cat_select_text_begin(&text, e->c->db);
    cat_select_text_add(&text, words, NULL);
    text.leaves_choice = select && select->leaves_choice;
    text.merges = select && select->merges;
    return cat_select_text_run(&text, e->c->db, add_line, (void *)e);
}

/* On PostgreSQL most selects of a search are planned without their values. */
static apr_status_t explain_prepared(const explanation_t *e, cat_select_text_t *select)
{
    apr_pool_t *pool = e->c->pool;
    const char *numbered = number_placeholders(pool, cat_buffer_text(&select->text)), *values = "";
    apr_status_t rv = run_text(e, apr_pstrcat(pool, "PREPARE question AS ", numbered, NULL), NULL);

    for (int i = 0; i < select->values->nelts; i++) {
        const char *value = APR_ARRAY_IDX(select->values, i, const char *);
        values = apr_pstrcat(pool, values, i ? ", $v$" : "($v$", value, "$v$", NULL);
    }
    values = *values ? apr_pstrcat(pool, values, ")", NULL) : "";
    if (rv == APR_SUCCESS) {
        rv = run_text(e, apr_pstrcat(pool, "EXPLAIN EXECUTE question", values, NULL), select);
    }
    return rv == APR_SUCCESS ? run_text(e, "DEALLOCATE question", NULL) : rv;
}

static apr_status_t explain_with_values(explanation_t *e, cat_select_text_t *select)
{
    cat_select_text_t text = *select;

    cat_buffer_init(&text.text, e->c->pool, 1024);
    cat_select_text_add(&text, !strcmp(driver, "sqlite3") ? "EXPLAIN QUERY PLAN " : "EXPLAIN ",
                        cat_buffer_text(&select->text), NULL);
    return cat_select_text_run(&text, e->c->db, add_line, e);
}

static apr_status_t explain_select(explanation_t *e, cat_select_text_t *select)
{
    return strcmp(driver, "pgsql") ? explain_with_values(e, select) : explain_prepared(e, select);
}

static int reads_two_lists(const cat_plan_t *plan)
{
    const cat_plan_t *read = plan->counts ? plan->counts : plan;

    return read->has_second || read->is_merged;
}

static apr_status_t explain_count(explanation_t *e)
{
    cat_select_text_t text;
    const char *lines = e->lines;
    apr_status_t rv;

    if (!reads_two_lists(&e->plan)) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&text, e->c->db);
    cat_plan_add_count(&text, &e->plan, 1001);
    e->lines = "";
    rv = explain_select(e, &text);
    e->count = e->lines;
    e->lines = lines;
    return rv;
}

static apr_status_t explain(void *baton)
{
    explanation_t *e = baton;
    cat_select_text_t text;
    apr_status_t rv = cat_plan_choose(e->c->db, e->query, &e->plan);

    e->text = e->lines = e->count = "";
    cat_select_text_begin(&text, e->c->db);
    if (rv == APR_SUCCESS && cat_plan_needs_bound(&e->plan)) {
        cat_plan_add_bound(&text, &e->plan, e->query->limit, 0);
        rv = cat_select_text_run(&text, e->c->db, keep_bound, e);
        if (rv != APR_SUCCESS || !e->plan.bound) { /* the page has all that the list has */
            return rv;
        }
        cat_select_text_begin(&text, e->c->db);
    }
    if (rv != APR_SUCCESS || cat_plan_is_empty(&e->plan)) {
        return rv;
    }
    cat_plan_add_rows(&text, &e->plan, e->query->limit, 0);
    e->text = cat_buffer_text(&text.text);
    rv = explain_select(e, &text);
    return rv == APR_SUCCESS ? explain_count(e) : rv;
}

/* Then the products of the list are those of one millisecond, few of which a database may sort by their ids. */
static int has_one_time(const cat_list_query_t *query)
{
    for (int i = 0; i < query->condition_count; i++) {
        if (query->conditions[i].field == CAT_PRODUCT_CREATED_AT && query->conditions[i].op == CAT_EQ) {
            return 1;
        }
    }
    return 0;
}

/* Does the select walk one index in the order of the list? Then nothing may be sorted in it. */
static int is_ordered(const cat_plan_t *plan)
{
    return !has_one_time(plan->query) && plan->kind == CAT_PLAN_WALK && !cat_plan_needs_bound(plan) &&
           plan->branch_count <= 1 && (!plan->branch_condition || plan->branch_condition->count == 1);
}

/* By inStock and others in another direction, or by two more: the products of each of its values are sorted as a whole. */
static int sorts_each_branch(const cat_plan_t *plan)
{
    return plan->skip && (plan->sort_count > 2 || !cat_order_has_one_direction(&plan->order, 1));
}

/* The keys of a product are looked up by the product, not among all of their field; the word follows on the line, of PostgreSQL on the next. */
static int passes_other_keys(const char *line)
{
    const char *name = !strcmp(driver, "sqlite3") ? " c "
                       : !strcmp(driver, "pgsql") ? "product_keys c"
                                                  : "DEPENDENT SUBQUERY|c|";

    return strstr(line, name) && !strstr(line, !strcmp(driver, "mysql") ? ".n" : "n=?");
}

/* Each engine in its own words: a table read as a whole, a sort below that of the page, and all postings of a word, kept to be passed
 * again for each of another one's. */
static int is_bad_line(const explanation_t *e, const char *line)
{
    if (strcmp(driver, "pgsql") && passes_other_keys(line)) {
        return 1;
    }
    if (!strcmp(driver, "sqlite3")) {
        return strstr(line, "SCAN w") || (strstr(line, "SCAN p") && !strstr(line, " USING "));
    }
    if (!strcmp(driver, "pgsql")) {
        return strstr(line, "Seq Scan on product") || strstr(line, "Materialize") ||
               (is_ordered(&e->plan) && !strncmp(line, "   ", 3) && strstr(line, "Sort Key"));
    }
    return (strstr(line, "|p|") || strstr(line, "|w|")) && ((strstr(line, "|ALL|") && !sorts_each_branch(&e->plan)) ||
                                                            (is_ordered(&e->plan) && strstr(line, "filesort")));
}

static int count_sorts(const char *lines)
{
    int count = 0;

    for (; (lines = strstr(lines, "TEMP B-TREE FOR ORDER BY")); lines++) {
        count++;
    }
    return count;
}

/* The other databases are told which index to use. A walk that reads another one without a sort is as good. */
static int fetches_by_other_index(const explanation_t *e)
{
    return !strcmp(driver, "pgsql") && e->plan.kind == CAT_PLAN_FETCH && strstr(e->lines, "Sort Key") &&
           e->plan.index && !strstr(e->lines, e->plan.index);
}

static int is_in_index_by_time(int field)
{
    return field != CAT_PRODUCT_NAME && field != CAT_PRODUCT_CATEGORY;
}

/* What is fetched and sorted is read of indexes alone, but for names, folded categories and words, which they do not have; SQLite says so. */
static int fetches_products(const explanation_t *e)
{
    const cat_list_query_t *query = e->query;
    const char *line = strstr(e->lines, " p USING ");
    int has_all = query->word_count == 0 && e->plan.field != CAT_PRODUCT_ID;

    for (int i = 0; i < query->condition_count; i++) {
        has_all &= is_in_index_by_time(query->conditions[i].field);
    }
    for (int i = 0; i < query->sort_count; i++) {
        has_all &= is_in_index_by_time(query->sort[i].field);
    }
    return !strcmp(driver, "sqlite3") && e->plan.kind == CAT_PLAN_FETCH && has_all && line &&
           strstr(e->lines, " p USING COVERING ") != line;
}

/* PostgreSQL reads one list of two categories, as a product has only one. */
static int repeats_category(const cat_list_query_t *query)
{
    int count = 0;

    for (int i = 0; i < query->condition_count; i++) {
        count += query->conditions[i].field == CAT_PRODUCT_CATEGORY;
    }
    return count > 1;
}

/* Two lists are counted without a product, by indexes alone; and PostgreSQL merges those that are read side by side. */
static int counts_by_rows(const explanation_t *e)
{
    const cat_plan_t *read = e->plan.counts ? e->plan.counts : &e->plan;

    if (!strcmp(driver, "sqlite3")) {
        int asks_more = e->query->condition_count + e->query->word_count > 2;
        return !asks_more && strstr(e->count, " p USING INDEX") != NULL;
    }
    return *e->count && !strcmp(driver, "pgsql") && read->is_merged && !repeats_category(e->query) &&
           (!strstr(e->count, "Merge Join") || (!e->plan.counts && *e->lines && !strstr(e->lines, "Merge Join")));
}

static void check_explanation(const explanation_t *e)
{
    char *last, *lines = apr_pstrdup(e->c->pool, e->lines);

    for (char *line = apr_strtok(lines, "\n", &last); line; line = apr_strtok(NULL, "\n", &last)) {
        if (is_bad_line(e, line)) {
            fail_msg("%s:\n%s\n%s", describe(e->c->pool, e->query), e->text, e->lines);
        }
    }
    if ((is_ordered(&e->plan) && count_sorts(e->lines) > 1) || fetches_by_other_index(e) || fetches_products(e) ||
        counts_by_rows(e)) {
        fail_msg("%s:\n%s\n%s\n%s", describe(e->c->pool, e->query), e->text, e->lines, e->count);
    }
}

/* Questions are drawn so that each way to read two lists is among them. */
typedef struct pairs_t {
    int merged, joined, of_pair, counted; /* counted: in the order of time, while the list has another */
    int by_price;                         /* of a category */
} pairs_t;

static void note_pair(pairs_t *pairs, const cat_plan_t *plan)
{
    const cat_plan_t *read = plan->counts ? plan->counts : plan;

    pairs->merged += read->is_merged;
    pairs->joined += read->has_second && !read->is_merged;
    pairs->of_pair += plan->pair != 0;
    pairs->by_price += plan->index && !strcmp(plan->index, "products_by_category_price");
    pairs->counted += plan->counts && plan->counts->first.condition;
}

static void check_pairs(catalogue_t *c, const pairs_t *pairs)
{
    const cat_syntax_t *syntax = cat_db_dialect(c->db)->syntax;

    assert_true(pairs->merged || !syntax->merges_up_to);
    assert_true(pairs->joined || !syntax->joins_keys);
    assert_true(pairs->of_pair);
    assert_true(pairs->counted);
    assert_true(pairs->by_price);
}

/* MySQL explains no statement with a limit of time; the others do it as the module runs them. */
static void check_plan(catalogue_t *c, const cat_list_query_t *query, pairs_t *pairs)
{
    explanation_t e = {.c = c, .query = query};
    apr_status_t rv = strcmp(driver, "mysql") ? cat_db_search(c->db, explain, &e) : cat_db_view(c->db, explain, &e);

    if (rv != APR_SUCCESS) {
        fail_msg("%s: %s: %s", describe(c->pool, query), e.text, c->database->logged);
    }
    check_explanation(&e);
    note_pair(pairs, &e.plan);
    cat_db_release(c->db);
    apr_pool_clear(c->pool);
}

/* The order begins with a field that a condition makes equal for all. */
static void check_plans_of_constants(catalogue_t *c, pairs_t *pairs)
{
    static const struct {
        int field;
        cat_operator_t op;
    } constants[] = {
        {CAT_PRODUCT_NAME, CAT_EQ},       {CAT_PRODUCT_PRICE, CAT_EQ}, {CAT_PRODUCT_RATING, CAT_EQ},
        {CAT_PRODUCT_RATING, CAT_EXISTS}, {BRAND, CAT_EXISTS},         {WEIGHT, CAT_EXISTS},
    };

    for (size_t i = 0; i < 2 * UNIT_COUNT(constants); i++) {
        cat_query_value_t value;
        cat_query_condition_t condition = {constants[i / 2].field, constants[i / 2].op, 1, &value};
        cat_list_query_t query = {.page = 1,
                                  .limit = 10,
                                  .all = fields,
                                  .has_all_fields = 1,
                                  .conditions = &condition,
                                  .condition_count = 1,
                                  .sort_count = 1,
                                  .sort = {{condition.field, i % 2}}};
        draw_value(c, condition.field, condition.op, &value);
        value.key = condition.op == CAT_EXISTS ? 0 : value.key;
        check_plan(c, &query, pairs);
    }
}

static void check_plans(catalogue_t *c)
{
    pairs_t pairs = {0};

    check_plans_of_constants(c, &pairs);
    for (int i = 0; i < questions; i++) {
        cat_list_query_t query = draw_question(c);
        check_plan(c, &query, &pairs);
    }
    check_pairs(c, &pairs);
}

static void test_answers_are_those_of_a_loop(void **state)
{
    catalogue_t *c = make_catalogue(*state);
    const product_t **expected = apr_palloc(*state, PRODUCTS * sizeof(*expected));

    apr_pool_create(&c->pool, *state); /* of a question */
    for (int i = 0; i < questions / 2; i++) {
        cat_list_query_t query = draw_question(c);
        int count = find_expected(c, &query, expected);
        check_pages(c, query, expected, count);
        check_cursors(c, query, expected, count);
        cat_db_release(c->db);
        apr_pool_clear(c->pool);
    }
    assert_string_equal(c->database->logged, "");
    check_plans(c);
}

static void read_environment(void)
{
    const char *asked = getenv("CATALOG_QUESTIONS"), *from = getenv("CATALOG_SEED");

    questions = asked ? atoi(asked) : questions;
    seed += from ? strtoull(from, NULL, 10) : 0;
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_answers_are_those_of_a_loop),
    };

    read_environment();

    if (count == 3) {
        driver = words[1];
        params = words[2];
    }
    return UNIT_RUN(tests);
}
